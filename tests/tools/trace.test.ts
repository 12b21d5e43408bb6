import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { check } from "../../tools/trace.mjs";
import { plant, problemsOf, run, type Tree, write } from "./plant.ts";

const SOUND: Tree = {
  "docs/definitions/01-nets.md":
    "# Nets\n\n## Enabled {#D1.3}\n\nA transition is enabled iff ... .\n\n## Monotone {#L1.4}\n\nBy D1.3.\n\nStatus: proved on paper\n\n## Step {#D20.6}\n\nAs in the chapter.\n",
  "packages/core/src/fire.ts":
    "/** @module Fires. */\n/**\n * Enabled?\n * @definition D1.3\n */\nexport const isEnabled = 1;\n/** @definition D20.6 */\nexport const step = 2;\n",
  "packages/core/src/compiled.ts": "/** @module Fast. */\n/** @refines D1.3 */\nexport const fast = 1;\n",
  "packages/core/test/fire.property.test.ts":
    'it("[D1.3] [C20-23] holds", () => {});\nit("[D20.6] steps", () => {});\n',
};

/** A planted tree whose lock and document are current, then changed. */
function changed(change: Tree): string {
  const root = plant(SOUND);
  write(check, root);
  for (const [file, content] of Object.entries(change)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), content);
  }
  return root;
}

const sound = (file: string): string => SOUND[file] ?? "";
const NETS = "docs/definitions/01-nets.md";
const FIRE = "packages/core/src/fire.ts";
const PROPERTIES = "packages/core/test/fire.property.test.ts";

describe("tools/trace.mjs", () => {
  it("accepts a traced tree and lists what is untested", () => {
    const root = changed({});
    expect(run("trace.mjs", root)).toMatchObject({ status: 0 });
    const document = fs.readFileSync(path.join(root, "docs/trace.md"), "utf8");
    expect(document).toContain("[D1.3](definitions/01-nets.md#D1.3)");
    expect(document).toContain("C20: 1 of 83 named by a test");
    expect(document).toContain("C20-22, C20-24");
    expect(document).toContain("HZ: 0 of 60");
  });

  it.each<[string, Tree, string]>([
    ["no code", { [FIRE]: sound(FIRE).replace("@definition D1.3", "") }, 'D1.3 has no "@definition D1.3"'],
    [
      "two definitions",
      { "packages/core/src/compiled.ts": "/** @definition D1.3 */" },
      'D1.3 has more than one "@definition"',
    ],
    ["no test", { [PROPERTIES]: 'it("[D1.3] holds", () => {});' }, "D20.6 has no test"],
    [
      "an id in the middle of a name is no test",
      { [PROPERTIES]: 'it("holds [D1.3]", () => {});\nit("[D20.6] steps", () => {});' },
      "D1.3 has no test",
    ],
    [
      "a commented test",
      { [PROPERTIES]: '// it("[D1.3] holds")\nit("[D20.6] steps", () => {});' },
      "D1.3 has no test",
    ],
    [
      "a refinement without a property",
      { [PROPERTIES]: "", "packages/core/test/fire.test.ts": sound(PROPERTIES) },
      "refines D1.3: no property",
    ],
    [
      "a lemma without status",
      { [NETS]: sound(NETS).replace("Status: proved on paper", "") },
      "L1.4 has neither a test nor",
    ],
    [
      "an unknown id in code",
      { [FIRE]: `${sound(FIRE)}/** @definition D1.9 */` },
      "definition D1.9: no such statement",
    ],
    [
      "an unknown id in an invariant",
      { [FIRE]: `${sound(FIRE)}invariant(true, "D1.8");` },
      "literal D1.8: no such statement",
    ],
    [
      "an unknown id in a test",
      { [PROPERTIES]: `${sound(PROPERTIES)}it("[D1.7] x");` },
      "[D1.7] is not stated",
    ],
    ["an unknown id in the text", { [NETS]: sound(NETS).replace("By D1.3", "By D1.2") }, "L1.4 cites D1.2"],
    ["an id stated twice", { [NETS]: `${sound(NETS)}## Again {#D1.3}\n` }, "D1.3 is already stated"],
    ["an id of another file", { [NETS]: `${sound(NETS)}## Far {#D2.1}\n` }, "D2.1 belongs in the file"],
    ["a malformed id", { [NETS]: `${sound(NETS)}## Bad {#Q1}\n` }, '"Q1" is no statement id'],
    [
      "a requirement that does not exist",
      { [PROPERTIES]: `${sound(PROPERTIES)}it("[C20-84] x");` },
      "[C20-84] is no requirement",
    ],
    [
      "a changed text",
      { [NETS]: sound(NETS).replace("is enabled iff", "is enabled if") },
      "the text of D1.3 changed",
    ],
    [
      "a stale document",
      { [PROPERTIES]: `${sound(PROPERTIES)}it("[HZ-01] x");` },
      "docs/trace.md: is generated and no longer current",
    ],
  ])("finds %s", (_, change, expected) => {
    expect(problemsOf(check, changed(change)).join("\n")).toContain(expected);
  });

  it("takes a rewrapped text for the same text", () => {
    const root = changed({ [NETS]: sound(NETS).replace("is enabled iff", "is\nenabled   iff") });
    expect(problemsOf(check, root)).toEqual([]);
  });
});
