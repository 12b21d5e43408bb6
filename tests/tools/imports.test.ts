import { describe, expect, it } from "vitest";
import { check } from "../../tools/imports.mjs";
import { plant, problemsOf, run, type Tree } from "./plant.ts";

const manifest = (name: string, ...subpaths: readonly string[]): string =>
  JSON.stringify({
    name,
    exports: Object.fromEntries(
      ["index", ...subpaths].map((file) => [
        file === "index" ? "." : `./${file}`,
        { source: `./src/${file}.ts`, types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
      ]),
    ),
  });

/** A tree that keeps every rule and uses each of the forms that the rules speak of. */
const SOUND: Tree = {
  "packages/core/package.json": manifest("@tessera/core"),
  "packages/core/src/index.ts": `export { fire, isEnabled } from "./fire.ts";\nexport type { Net } from "./net.ts";`,
  "packages/core/src/fire.ts": `import type { Net } from "./net.ts";\nexport function fire(): void {}\nexport function isEnabled(): boolean { return true; }\nexport type F = Net;`,
  "packages/core/src/net.ts": `import type { F } from "./fire.ts";\nimport { produce } from "immer";\nexport interface Net { f: F }\nproduce;`,
  "packages/proofs/package.json": manifest("@tessera/proofs", "fast-check"),
  "packages/proofs/src/index.ts": `import { fire } from "@tessera/core";\nfire();\nexport { explore } from "./explore.ts";`,
  "packages/proofs/src/explore.ts": `export const explore = 1;\n// import { x } from "express";\nexport const text = 'import y from "express"'.length;`,
  "packages/proofs/src/fast-check.ts": `import fc from "fast-check";\nfc;`,
  "packages/engine/package.json": manifest("@tessera/engine"),
  "packages/engine/src/index.ts": `import fs from "node:fs";\nimport { step } from "./step.ts";\nimport { isEnabled } from "@tessera/core";\nfs; step; isEnabled;`,
  "packages/engine/src/step.ts": `import { fire } from "@tessera/core";\nimport { table } from "./table.ts";\nexport const step = fire; table;`,
  "packages/engine/src/table.ts": `export const table = 1;`,
};

const problems = (change: Tree) => problemsOf(check, plant({ ...SOUND, ...change }));

describe("tools/imports.mjs", () => {
  it("accepts a tree that keeps the rules", () => {
    expect(run("imports.mjs", plant(SOUND))).toEqual({ status: 0, text: "imports: ok; 9 modules\n" });
  });

  it.each<[string, Tree, string]>([
    [
      "a package that the table does not allow",
      { "packages/core/src/net.ts": `import { explore } from "@tessera/proofs";\nexplore;` },
      "core may not import @tessera/proofs",
    ],
    [
      "a registry package that the table does not allow",
      { "packages/core/src/net.ts": `export { map } from "lodash";` },
      'core may not import "lodash"',
    ],
    [
      "a Node module in core",
      { "packages/core/src/net.ts": `import fs from "node:fs";\nfs;` },
      'core may not use Node: "node:fs"',
    ],
    [
      "a types-only package used for values",
      { "packages/core/src/net.ts": `import { StandardSchemaV1 } from "@standard-schema/spec";` },
      'core may not import "@standard-schema/spec"',
    ],
    [
      "a dynamic import",
      { "packages/engine/src/table.ts": `export const table = import("express");` },
      'engine may not import "express"',
    ],
    [
      "a deep import by name",
      { "packages/engine/src/table.ts": `import { Net } from "@tessera/core/src/net.ts";` },
      "is no file and no entry",
    ],
    [
      "a deep import by path",
      { "packages/engine/src/table.ts": `import { Net } from "../../core/src/net.ts";` },
      "leaves the package",
    ],
    [
      "a cycle",
      { "packages/engine/src/table.ts": `import { step } from "./step.ts";\nexport const table = step;` },
      "import cycle: packages/engine/src/step.ts -> packages/engine/src/table.ts -> packages/engine/src/step.ts",
    ],
    [
      "fire outside the step",
      {
        "packages/engine/src/table.ts": `import { isEnabled, fire as go } from "@tessera/core";\ngo; isEnabled;`,
      },
      `packages/engine/src/table.ts:1: "fire" of packages/core/src/fire.ts: only packages/engine/src/step.ts fires`,
    ],
    [
      "fire under another name",
      {
        "packages/core/src/index.ts": `import { fire as move } from "./fire.ts";\nexport { move as advance };\nexport { isEnabled } from "./fire.ts";`,
        "packages/engine/src/step.ts": `import { advance } from "@tessera/core";\nexport const step = advance;`,
        "packages/proofs/src/index.ts": "export {};",
        "packages/engine/src/table.ts": `import { advance } from "@tessera/core";\nadvance;`,
      },
      `packages/engine/src/table.ts:1: "advance", which is "fire",`,
    ],
    [
      "play, the fast form of fire",
      {
        "packages/core/src/index.ts": `export { fire, isEnabled } from "./fire.ts";\nexport { play } from "./compiled.ts";\nexport type { Net } from "./net.ts";`,
        "packages/core/src/compiled.ts": "export function play(): void {}",
        "packages/engine/src/table.ts": `import { play } from "@tessera/core";\nexport const table = play;`,
      },
      `packages/engine/src/table.ts:1: "play" of packages/core/src/compiled.ts: only packages/engine/src/step.ts fires`,
    ],
    [
      "fire exported again by the umbrella",
      {
        "packages/tessera/package.json": manifest("tessera"),
        "packages/tessera/src/index.ts": `export { fire } from "@tessera/core";`,
      },
      "packages/tessera/src/index.ts:1",
    ],
    [
      "all of core at once",
      { "packages/engine/src/table.ts": `import * as core from "@tessera/core";\ncore;` },
      "all of it includes fire",
    ],
    [
      "a star export",
      { "packages/engine/src/index.ts": `export * from "./table.ts";` },
      "hides what is public",
    ],
    [
      "an optional peer behind the main entry",
      { "packages/proofs/src/explore.ts": `import fc from "fast-check";\nexport const explore = fc;` },
      "@tessera/proofs reaches the optional peer fast-check",
    ],
    [
      "a clock behind the step",
      {
        "packages/engine/src/table.ts": `import { performance } from "node:perf_hooks";\nexport const table = performance;`,
      },
      'the step is pure: it may not reach "node:perf_hooks"',
    ],
    [
      "a package without a row",
      {
        "packages/extra/package.json": manifest("@tessera/extra"),
        "packages/extra/src/index.ts": `import "./a.ts";`,
      },
      'package "extra" is not in the table',
    ],
  ])("finds %s", (_, change, expected) => {
    expect(problems(change).join("\n")).toContain(expected);
  });

  it("does not pass because it saw nothing", () => {
    expect(run("imports.mjs", plant({ "README.md": "" })).status).toBe(1);
  });
});
