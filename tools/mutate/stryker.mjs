/** @module One run of Stryker over the tree, from our settings. */
import fs from "node:fs";
import path from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { testsInTheWay } from "./left-out.mjs";
import { CONCURRENCY, PROPERTY_RUNS } from "./settings.mjs";

const HERE = import.meta.dirname;
export const ROOT = path.resolve(HERE, "../..");
const CONFIG = path.join("tools", "mutate", "vitest.config.mjs");
const RESULTS = path.join(HERE, ".reports");

/**
 * Runs the mutants of `mutate` (files or `file:line:column-line:column` ranges) that `sample` lists (null: all), against the tests of the
 * packages `tests`. Knows from `.reports/NAME.json` what did not change since an earlier run. Returns Stryker's results.
 */
export async function runStryker({
  name,
  mutate,
  tests,
  sample = null,
  isLinked = false,
  isRemembered = true,
}) {
  const sampleFile = path.join(RESULTS, `${name}.${process.pid}.sample.json`);
  fs.mkdirSync(RESULTS, { recursive: true });
  if (sample !== null) fs.writeFileSync(sampleFile, JSON.stringify(sample));
  process.env["TESSERA_MUTATE_TESTS"] = tests.join(",");
  process.env["TESSERA_MUTATE_LINKED"] = isLinked ? "1" : "0";
  process.env["TESSERA_RUNS"] = String(PROPERTY_RUNS);
  process.chdir(ROOT);
  sortTests(name);
  const incrementalFile = path.join(RESULTS, `${name}.json`);
  if (isRemembered) forgetUndrawn(incrementalFile);
  const results = await new Stryker({
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner", path.join(HERE, "stryker-plugins.mjs")],
    // TypeScript 7 has no interface that Stryker could read a tsconfig with.
    tsconfigFile: "none.json",
    disableTypeChecks: false,
    vitest: { configFile: CONFIG, related: false },
    mutate,
    ignorePatterns: ["dist", "coverage", ".reports", ".reports", "*.db", "bench"],
    ignorers: ["prose"],
    checkers: sample === null ? [] : ["sample"],
    tessera: { root: ROOT, sampleFile },
    warnings: { unknownOptions: false },
    // The sandbox must lie where the repository's own node_modules is found first.
    tempDirName: ".stryker-tmp",
    symlinkNodeModules: false,
    coverageAnalysis: "perTest",
    incremental: isRemembered,
    incrementalFile,
    concurrency: CONCURRENCY,
    // A loaded machine must not make survivors look killed: only a mutant that really loops runs into this.
    timeoutMS: 30_000,
    timeoutFactor: 3,
    dryRunTimeoutMinutes: 15,
    reporters: ["pace"],
    logLevel: "error",
    fileLogLevel: "off",
    allowConsoleColors: false,
    thresholds: { high: 100, low: 90, break: null },
  }).runMutationTest();
  if (isRemembered) forgetUndrawn(incrementalFile);
  fs.rmSync(sampleFile, { force: true });
  return results;
}

/**
 * Finds the tests that need all their cases and those that are left out, and hands both lists to the sandbox: a first run
 * with every property cut, then one with the failed ones whole. What still fails, or is slow, is left out.
 */
function sortTests(name) {
  const file = path.join(RESULTS, `${name}.lists.json`);
  const reportFile = path.join(RESULTS, `${name}.tests.json`);
  const keysOf = (tests) => tests.map(({ key }) => key);
  const write = (uncut, leftOut) =>
    fs.writeFileSync(file, JSON.stringify({ uncut, leftOut: keysOf(leftOut) }));
  const look = () => testsInTheWay({ root: ROOT, config: CONFIG, reportFile });
  process.env["TESSERA_MUTATE_LISTS"] = file;
  write([], []);
  const cut = look();
  const uncut = keysOf(cut.filter(({ isFailed }) => isFailed));
  const slow = cut.filter(({ isFailed }) => !isFailed);
  write(uncut, slow);
  const leftOut = [...slow, ...look()];
  write(uncut, leftOut);
  for (const { key, why } of leftOut) process.stderr.write(`  left out: ${key} ${why}\n`);
  if (uncut.length > 0) process.stderr.write(`  ${uncut.length} properties need all their cases\n`);
}

/** Takes the mutants that were not drawn out of what is remembered: nothing is known about them. */
function forgetUndrawn(file) {
  if (!fs.existsSync(file)) return;
  const report = JSON.parse(fs.readFileSync(file, "utf8"));
  for (const entry of Object.values(report.files)) {
    entry.mutants = entry.mutants.filter(({ status }) => status !== "CompileError");
  }
  fs.writeFileSync(file, JSON.stringify(report));
}
