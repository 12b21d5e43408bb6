import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { check } from "../../tools/docs-current.mjs";
import { plant, problemsOf, run, type Tree, write } from "./plant.ts";

const CODES = "packages/core/src/issue-codes.ts";
const SOUND: Tree = {
  "README.md":
    "# T\n\nSee [nets](docs/nets.md#firing-rule), [id](docs/nets.md#D1.3), [top](#t); map: `packages/core/src/`.\n",
  "docs/nets.md":
    "# Nets\n\n## Firing rule\n\n## Enabled {#D1.3}\n\n[back](../README.md) [out](https://example.org/x)\n\n```md\n[not](a-link.md)\n```\n",
  "packages/core/package.json": "{}",
  [CODES]:
    '/** @module Codes. */\nexport const CODES = {\n  // why\n  WF001: "a node",\n  WF002:\n    "an arc | " + "to nowhere",\n} as const;\n',
};

function changed(change: Tree): string {
  const root = plant(SOUND);
  write(check, root);
  for (const [file, content] of Object.entries(change)) fs.writeFileSync(path.join(root, file), content);
  return root;
}

describe("tools/docs-current.mjs", () => {
  it("accepts current documents, with every code in docs/errors.md", () => {
    const root = changed({});
    expect(run("docs-current.mjs", root)).toMatchObject({ status: 0 });
    const errors = fs.readFileSync(path.join(root, "docs/errors.md"), "utf8");
    expect(errors).toContain("| `WF001` | a node |");
    expect(errors).toContain("| `WF002` | an arc \\| to nowhere |");
  });

  it.each<[string, Tree, string]>([
    [
      "a new code",
      { [CODES]: 'export const CODES = { WF001: "a node", WF003: "new" } as const;' },
      "docs/errors.md",
    ],
    [
      "a table it cannot read",
      { [CODES]: "export const CODES = { WF001: text() } as const;" },
      "cannot be read from",
    ],
    ["a dead link", { "docs/nets.md": "[gone](gone.md)" }, "dead link to gone.md"],
    [
      "a dead anchor",
      { "docs/nets.md": "# Nets\n\n## Enabled {#D1.3}\n" },
      "docs/nets.md#firing-rule: no such heading",
    ],
    [
      "a map that names what is not there",
      { "README.md": "`packages/core/src/fire.ts`" },
      "which does not exist",
    ],
  ])("finds %s", (_, change, expected) => {
    expect(problemsOf(check, changed(change)).join("\n")).toContain(expected);
  });

  it("finds one code in two packages", () => {
    const tree = {
      ...SOUND,
      "packages/x/package.json": "{}",
      "packages/x/src/issue-codes.ts": 'export const CODES = { WF001: "b" };',
    };
    expect(problemsOf(check, plant(tree)).join("\n")).toContain("WF001 is already a code of core");
  });
});
