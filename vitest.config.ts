/** @module Unit, property and whole-system tests; workspace packages resolve to their sources. */
import { defaultClientConditions, defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

const seed = process.env["TESSERA_SEED"];
const runs = process.env["TESSERA_RUNS"];
if (seed !== undefined || runs !== undefined) {
  process.stderr.write(`fast-check: seed ${seed ?? "(default)"}, runs ${runs ?? "(default)"}\n`);
}

/** What "module" names is for bundlers; Node itself need not be able to load it. */
const isOfNode = (condition: string): boolean => condition !== "module";

export default defineConfig({
  resolve: { conditions: ["source", ...defaultClientConditions.filter(isOfNode)] },
  ssr: { resolve: { conditions: ["source", ...defaultServerConditions.filter(isOfNode)] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "tests/**/*.test.ts", "examples/*/*.test.ts"],
    setupFiles: ["./tests/setup.ts"],
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
    },
  },
});
