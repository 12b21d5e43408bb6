/**
 * @module The tests as mutants meet them.
 *
 * Stryker copies the tree into a sandbox and mutates the copy. In node_modules the packages of the workspace are links to the
 * original tree, so a test of another package would load unmutated code: every package name is an alias for the sources
 * beside this file, wherever its copy lies.
 */
import { createRequire } from "node:module";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { SLOW_TESTS } from "./settings.mjs";
import { listed } from "./test-key.mjs";
import { exactly, workspaceAliases } from "./workspace-aliases.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");

// The self-test asks for the wrong way, to see that it would notice.
const isLinked = process.env["TESSERA_MUTATE_LINKED"] === "1";
const unloadable = [...listed("leftOut")].filter((key) => key.endsWith("#")).map((key) => key.slice(0, -1));
const only = process.env["TESSERA_MUTATE_ONLY"];
const tested = (process.env["TESSERA_MUTATE_TESTS"] ?? "*").split(",");

export default defineConfig({
  root: ROOT,
  resolve: {
    alias: [
      ...(isLinked ? [] : workspaceAliases().map(exactly)),
      exactly(["fast-check", path.join(import.meta.dirname, "fast-check.mjs")]),
      exactly(["fast-check-itself", createRequire(path.join(ROOT, "package.json")).resolve("fast-check")]),
    ],
    ...(isLinked ? { conditions: ["source"] } : {}),
  },
  ...(isLinked ? { ssr: { resolve: { conditions: ["source"] } } } : {}),
  test: {
    include:
      only === undefined
        ? tested.map((name) =>
            name.endsWith(".ts") ? `packages/${name}` : `packages/${name}/test/**/*.test.ts`,
          )
        : only.split(","),
    exclude: ["**/node_modules/**", ...SLOW_TESTS, ...unloadable],
    // One worker for all files of a run: to start one for each costs more than most tests.
    isolate: false,
    setupFiles: ["./tests/setup.ts", "./tools/mutate/setup.mjs"],
    // Counting which test reaches which mutant makes some tests many times slower.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
