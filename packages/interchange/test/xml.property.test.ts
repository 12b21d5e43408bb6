import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readXml, type XmlElement } from "../src/index.ts";

/** A tree as generated: the oracle, which knows nothing of the reader. */
interface Tree {
  readonly name: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly content: readonly (Tree | string)[];
}

const name = fc.constantFrom(
  "a",
  "b",
  "place",
  "__proto__",
  "constructor",
  "\u00e9t\u00e9",
  "x-1.y",
  "\ud800\udc00",
);
const text = fc
  .string({ unit: "binary", maxLength: 8 })
  .map((value) => value.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "?"));

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    name,
    attributes: fc.uniqueArray(fc.tuple(name, text), { selector: ([key]) => key, maxLength: 3 }),
    content: fc.array(fc.oneof({ depthSize: "small" }, text, fc.constant(" a "), tie("tree")), {
      maxLength: 4,
    }),
  }),
}));

/** Writes every character but letters as a reference, so that no normalisation of the reader can hide a fault. */
function write({ name: tag, attributes, content }: Tree): string {
  const reference = (value: string) => value.replace(/[^a-z]/gu, (c) => `&#${c.codePointAt(0)};`);
  const list = attributes.map(([key, value]) => ` ${key}="${reference(value)}"`).join("");
  return `<${tag}${list}>${content.map((part) => (typeof part === "string" ? reference(part) : write(part))).join("")}</${tag}>`;
}

/** The tree that was read, in the generated shape; white space alone is dropped on both sides. */
function shape(element: XmlElement): unknown {
  return {
    name: element.name,
    attributes: element.attributes,
    text: element.text,
    children: element.children.map(shape),
  };
}

function expected({ name: tag, attributes, content }: Tree): unknown {
  const joined = content.filter((part) => typeof part === "string").join("");
  const children = content.flatMap((part) => (typeof part === "string" ? [] : [expected(part)]));
  return { name: tag, attributes, text: /\S/.test(joined) ? joined : "", children };
}

function law(read: typeof readXml): void {
  fc.assert(
    fc.property(tree, (generated) => {
      const result = read(write(generated));
      if (!result.ok) throw new Error(JSON.stringify(result.issues));
      expect(shape(result.value.root)).toEqual(expected(generated));
    }),
  );
}

describe("[D11.1] reading XML", () => {
  it("[D11.1] gives back every tree that was written (oracle: the generated tree)", () => {
    law(readXml);
  });

  it("[D11.1] the law fails for a reader that trims text", () => {
    const broken: typeof readXml = (source, options) => {
      const result = readXml(source, options);
      return result.ok
        ? {
            ok: true,
            value: { ...result.value, root: { ...result.value.root, text: result.value.root.text.trim() } },
          }
        : result;
    };
    expect(() => law(broken)).toThrow();
  });

  it("[D11.1] every offset is where the text has the element's tag", () => {
    fc.assert(
      fc.property(tree, fc.constantFrom("\n", "\r\n", " ", ""), (generated, blank) => {
        const file = write(generated).replaceAll(">", `>${blank}`);
        const result = readXml(file);
        if (!result.ok) throw new Error(JSON.stringify(result.issues));
        const visit = (element: XmlElement): void => {
          expect(file.startsWith(`<${element.name}`, element.offset)).toBe(true);
          element.children.forEach(visit);
        };
        visit(result.value.root);
      }),
    );
  });
});
