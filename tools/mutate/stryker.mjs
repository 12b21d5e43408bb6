/** @module One run of Stryker over the tree, from our settings. */
import fs from "node:fs";
import path from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { testsToLeaveOut } from "./left-out.mjs";
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
  const sampleFile = path.join(RESULTS, `${name}.sample.json`);
  fs.mkdirSync(RESULTS, { recursive: true });
  if (sample !== null) fs.writeFileSync(sampleFile, JSON.stringify(sample));
  process.env["TESSERA_MUTATE_TESTS"] = tests.join(",");
  process.env["TESSERA_MUTATE_LINKED"] = isLinked ? "1" : "0";
  process.env["TESSERA_RUNS"] = String(PROPERTY_RUNS);
  process.chdir(ROOT);
  leaveOut(name);
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
  return results;
}

/** Finds the tests that are left out, says which, and lists them for the sandbox. */
function leaveOut(name) {
  delete process.env["TESSERA_MUTATE_LEFT_OUT"];
  const found = testsToLeaveOut({
    root: ROOT,
    config: CONFIG,
    reportFile: path.join(RESULTS, `${name}.tests.json`),
  });
  for (const { key, why } of found) process.stderr.write(`  left out: ${key} ${why}\n`);
  const file = path.join(RESULTS, `${name}.left-out.json`);
  fs.writeFileSync(file, JSON.stringify(found.map(({ key }) => key)));
  process.env["TESSERA_MUTATE_LEFT_OUT"] = file;
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
