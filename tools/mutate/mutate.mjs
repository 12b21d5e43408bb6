/**
 * @module `npm run mutate -- PACKAGE`: how many faults planted in a package its tests find.
 *
 * First a seeded sample; if its pace says that more fits in the time, as many more as fit, in the same seeded order.
 * Exit code 0 the score is reached, 1 it is not, 2 the run was not possible.
 */
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { runInProcess } from "./in-process.mjs";
import { resultKey } from "./mutant-key.mjs";
import { reportOf } from "./report.mjs";
import { seededOrder } from "./sample.mjs";
import { selfTest } from "./self-test.mjs";
import { MINUTES_MAX, NOT_MUTATED, PACKAGES, SAMPLE_MIN } from "./settings.mjs";
import { ROOT, runStryker } from "./stryker.mjs";
import { pace } from "./stryker-plugins.mjs";

const USAGE = `npm run mutate -- PACKAGE [FILE ...] [--mutants N] [--seed N] [--tests FILE,FILE [--quick]] [--forget]
npm run mutate -- --self-test

PACKAGE   ${Object.keys(PACKAGES).join(", ")}
FILE      only these sources of the package, by name: fire.ts
--mutants how many mutants to run, chosen by the seed; default: ${SAMPLE_MIN}, then as many as fit in ${MINUTES_MAX} minutes
--tests   only these test files, from the root: seconds instead of minutes, and what they kill all tests kill
--quick   these tests in one process that loads them once: all mutants of a source in seconds
--forget  run again what an earlier run already knows
`;

/** The sources of a package that hold behaviour, relative to the root. */
function sources(name, only) {
  const folder = path.join(ROOT, "packages", name, "src");
  const files = fs
    .readdirSync(folder, { recursive: true })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .filter((file) => !NOT_MUTATED.includes(path.posix.basename(file)))
    .filter((file) => only.length === 0 || only.includes(file));
  return files.sort().map((file) => `packages/${name}/src/${file}`);
}

/** How many mutants fit in what is left of the time, the first `done` having taken `ranMs`. */
function affordable(startedMs, known) {
  const msEach = (pace.finishedMs - pace.startedMs) / Math.max(1, pace.done);
  const leftMs = MINUTES_MAX * 60_000 * 0.9 - (Date.now() - startedMs);
  return known + Math.max(0, Math.floor(leftMs / msEach));
}

async function mutate(name, only, { seed, size, isForgetting, isQuick, testFiles }) {
  const { tests, scoreMin } = PACKAGES[name];
  const startedMs = Date.now();
  const files = sources(name, only);
  if (isQuick) {
    const results = await runInProcess(files, testFiles.split(","));
    return told(results, results.length, startedMs, scoreMin);
  }
  const order = await seededOrder(ROOT, files, seed);
  say(
    `${files.length} files, ${order.length} mutants, seed ${seed}, tests of ${testFiles ?? tests.join(", ")}`,
  );
  if (testFiles !== undefined) process.env["TESSERA_MUTATE_ONLY"] = testFiles;
  if (isForgetting) fs.rmSync(path.join(import.meta.dirname, ".reports", `${name}.json`), { force: true });

  const run = async (count) => {
    const sample = count < order.length ? order.slice(0, count) : null;
    const results = await runStryker({
      name,
      mutate: files,
      tests,
      sample,
      // What few tests leave alive is no knowledge about all.
      isRemembered: testFiles === undefined,
    });
    const drawn = new Set(order.slice(0, count));
    return results.filter((result) => drawn.has(resultKey(path.relative(ROOT, result.fileName), result)));
  };
  let count = Math.min(size ?? SAMPLE_MIN, order.length);
  let results = await run(count);
  const possible = size === undefined ? Math.min(order.length, affordable(startedMs, count)) : count;
  if (possible > count * 1.25 || (possible === order.length && possible > count)) {
    say(`${minutes(startedMs)} for the first ${count}; going on to ${possible} of ${order.length}`);
    count = possible;
    results = await run(count);
  }
  return told(results, order.length, startedMs, scoreMin);
}

/** Writes the report; the exit code. */
function told(results, population, startedMs, scoreMin) {
  const { score, isPossible, lines } = reportOf({ root: ROOT, results, population });
  const bar = scoreMin === null ? "no minimum" : `minimum ${scoreMin} %`;
  process.stdout.write(`${lines.join("\n")}\n${minutes(startedMs)}, ${bar}\n`);
  if (!isPossible) {
    say("no mutant was run");
    return 2;
  }
  return scoreMin === null || score >= scoreMin ? 0 : 1;
}

const say = (line) => process.stderr.write(`${line}\n`);
const minutes = (startedMs) => `${((Date.now() - startedMs) / 60_000).toFixed(1)} minutes`;

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      mutants: { type: "string" },
      seed: { type: "string", default: "1" },
      tests: { type: "string" },
      quick: { type: "boolean", default: false },
      forget: { type: "boolean", default: false },
      "self-test": { type: "boolean", default: false },
    },
  });
  if (values["self-test"]) return selfTest();
  const [name, ...only] = positionals;
  if (name === undefined || PACKAGES[name] === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const size = values.mutants === undefined ? undefined : Number(values.mutants);
  if (size !== undefined && !(Number.isSafeInteger(size) && size > 0)) {
    say(`--mutants wants a positive integer, got "${values.mutants}"`);
    return 2;
  }
  if (values.quick && values.tests === undefined) {
    say("--quick wants --tests");
    return 2;
  }
  return mutate(name, only, {
    seed: values.seed,
    size,
    isForgetting: values.forget,
    isQuick: values.quick,
    testFiles: values.tests,
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
