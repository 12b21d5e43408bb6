import { describe, expect, it } from "vitest";
import { literals, onlyComments, pieces, withoutComments } from "../../tools/source-text.mjs";

describe("tools/source-text.mjs", () => {
  it.each([
    ["a comment in a string", 'f("// no"); // yes', 'f("// no");       '],
    ["a string in a comment", 'a(); /* "x */ b("y");', 'a();          b("y");'],
    ["a quote in a regular expression", 'x.replace(/["/]/g, ""); // c', 'x.replace(/["/]/g, "");     '],
    ["a division", "a / b; // c / d", "a / b;         "],
    ["a regular expression after return", 'return /"/; // c', 'return /"/;     '],
    ["a nested template", "`${`}//${'`'}`}//` // c", "`${`}//${'`'}`}//`     "],
    ["an escaped quote", String.raw`'\'//' // c`, String.raw`'\'//'     `],
    ["an open comment", "a /* b", "a     "],
  ])("tells comments from literals: %s", (_, source, expected) => {
    expect(withoutComments(source)).toBe(expected);
  });

  it("keeps every code unit and every line", () => {
    const source = 'a("b"); // c\n/* d\n e */ `f${g}`; /h/u;';
    const cut = pieces(source);
    expect(cut.map((piece) => piece.text).join("")).toBe(source);
    expect(cut.map((piece) => piece.kind).filter((kind) => kind !== "code")).toEqual([
      "string",
      "comment",
      "comment",
      "template",
      "regex",
    ]);
    expect(onlyComments(source)).toHaveLength(source.length);
    expect(literals(source).map(({ text, line }) => [text, line])).toEqual([
      ["b", 1],
      ["f${g}", 3],
    ]);
  });
});
