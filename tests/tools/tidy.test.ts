import { describe, expect, it } from "vitest";
import { check } from "../../tools/tidy.mjs";
import { plant, problemsOf, run, type Tree } from "./plant.ts";

const SOUND: Tree = {
  "README.md": "# T\n",
  "packages/core/package.json": "{}",
  "packages/core/src/issue-codes.ts":
    '/** @module Codes. */\nexport const CODES = { WF001: "a", WF002: "b" } as const;\n',
  "packages/core/test/codes.test.ts": 'it("refuses x (WF001)", f);\nit.each([["WF002", 1]])("%s", f);\n',
  "package-lock.json": '{ "resolved": "packages/core" }',
};
// Put together here, so that the rules do not find them in this file.
const LATER = ["TO", "DO"].join("");
const HOME = ["", "home", "me", "x"].join("/");
const HOST = `https://${["registry", "example", "org"].join(".")}`;

describe("tools/tidy.mjs", () => {
  it("ends with exit code 1 and one line a problem", () => {
    const said = run("tidy.mjs", plant({ ...SOUND, "packages/core/src/a.ts": "export {};" }));
    expect(said.status).toBe(1);
    expect(said.text).toContain("tidy: 1 problem;");
  });

  it("accepts a tidy tree", () => {
    expect(run("tidy.mjs", plant(SOUND))).toMatchObject({ status: 0 });
  });

  it.each<[string, Tree, string]>([
    [
      "a file that is too long",
      { "packages/core/src/a.ts": `/** @module A. */\n${"\n".repeat(400)}1;` },
      "has 402 lines",
    ],
    ["a marker of unfinished work", { "docs/a.md": `${LATER}: write` }, "do it now"],
    ["an unfinished merge", { "docs/a.md": `${"<".repeat(7)} HEAD` }, "a merge was left unfinished"],
    [
      "a folder without an owner",
      { "packages/core/src/utils/a.ts": "/** @module A. */" },
      '"utils" says nothing',
    ],
    [
      "a file without an owner",
      { "packages/core/src/helpers.ts": "/** @module A. */" },
      '"helpers" says nothing',
    ],
    ["a path of one machine", { "docs/a.md": `see ${HOME}` }, "name no path of one machine"],
    ["a registry", { "docs/a.md": HOST }, "name no registry host"],
    [
      "a registry in the lock file",
      { "package-lock.json": `"resolved": "${HOST}/a.tgz"` },
      "records the address",
    ],
    ["a source without a head", { "packages/core/src/a.ts": "export {};" }, "@module sentence"],
    [
      "a code without a test",
      { "packages/core/test/codes.test.ts": 'it("refuses x (WF001)", f);' },
      "WF002 has no test",
    ],
    [
      "a code that only the body of a test names",
      { "packages/core/test/codes.test.ts": 'it("a (WF001)", () => { expect(code).toBe("WF002"); });' },
      "WF002 has no test",
    ],
  ])("finds %s", (_, change, expected) => {
    expect(problemsOf(check, plant({ ...SOUND, ...change })).join("\n")).toContain(expected);
  });
});
