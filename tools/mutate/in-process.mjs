/**
 * @module Runs all mutants of some sources against some test files in one process: modules are loaded once, and mutants are
 * switched on one after the other.
 *
 * A run of Stryker loads the modules of the tests anew for each mutant, which takes many times longer than the tests do. The
 * mutants are the same, those that code passes while it is loaded get a process of their own, and what hangs is stopped.
 * Tests must leave nothing behind for the next.
 */
import { fork } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "vite";
import { instrumented } from "./sample.mjs";
import { PROPERTY_RUNS, SLOW_TEST_MS } from "./settings.mjs";
import { ROOT } from "./stryker.mjs";
import { exactly, workspaceAliases } from "./workspace-aliases.mjs";

const HERE = import.meta.dirname;
const FOLDER = path.join(HERE, ".reports");
const ENTRY = "virtual:tests";
const FILE_OF_TESTS = "virtual:file-of-tests:";
/** A mutant hangs that takes so long, and three times what its tests take, or that passes its place so many times as often. */
const HANGS_MS = 5_000;
const HITS_FACTOR = 100;

/** Results as Stryker has them, for each mutant of `files`; `testFiles` alone are run. Both relative to the root. */
export async function runInProcess(files, testFiles) {
  process.env["TESSERA_RUNS"] = String(PROPERTY_RUNS);
  const lists = path.join(FOLDER, `${process.pid}.lists.json`);
  process.env["TESSERA_MUTATE_LISTS"] = lists;
  const write = (uncut) => fs.writeFileSync(lists, JSON.stringify({ uncut, leftOut: [] }));
  fs.mkdirSync(FOLDER, { recursive: true });
  write([]);
  const { mutants, sources } = await instrumented(ROOT, files);
  const folder = path.join(FOLDER, `bundle-${process.pid}`);
  process.env["TESSERA_BUNDLE"] = await bundled(folder, sources, testFiles);
  try {
    const cut = await dryRun();
    const uncut = cut.tests.filter(({ failure }) => failure !== null).map(({ name }) => name);
    write(uncut);
    return await runAll(mutants, uncut.length === 0 ? cut : await dryRun());
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.rmSync(lists, { force: true });
  }
}

/** Writes the tests with the mutated sources as one module; its file. */
async function bundled(folder, sources, testFiles) {
  const files = [path.join(ROOT, "tests/setup.ts"), ...testFiles.map((file) => path.join(ROOT, file))];
  const vitest = path.join(HERE, "in-process-vitest.mjs");
  const entry = [
    ...files.flatMap((file) => [FILE_OF_TESTS + file, file]).map((id) => `import ${JSON.stringify(id)};`),
    `export { runTest, tests } from ${JSON.stringify(vitest)};`,
    `export { keyOf } from ${JSON.stringify(path.join(HERE, "test-key.mjs"))};`,
  ];
  const mutated = {
    name: "mutated",
    enforce: "pre",
    resolveId: (id) => (id === ENTRY || id.startsWith(FILE_OF_TESTS) ? id : null),
    load(id) {
      if (id === ENTRY) return entry.join("\n");
      if (id.startsWith(FILE_OF_TESTS))
        return `globalThis.tesseraTestFile = ${JSON.stringify(id.slice(FILE_OF_TESTS.length))};`;
      return sources.get(id) ?? null;
    },
  };
  await build({
    root: ROOT,
    configFile: false,
    logLevel: "error",
    plugins: [mutated],
    resolve: {
      alias: [
        ...workspaceAliases().map(exactly),
        exactly(["vitest", vitest]),
        exactly(["vitest/suite", vitest]),
        exactly(["fast-check", path.join(HERE, "fast-check.mjs")]),
        exactly(["fast-check-itself", createRequire(path.join(ROOT, "package.json")).resolve("fast-check")]),
      ],
    },
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: "esnext",
      rolldownOptions: {
        input: ENTRY,
        treeshake: false,
        output: { entryFileNames: "tests.mjs", codeSplitting: false },
      },
    },
  });
  return path.join(folder, "tests.mjs");
}

/** A process with the bundle; `mutant` is on from the start. */
async function started(mutant) {
  const env = { ...process.env, ...(mutant === undefined ? {} : { TESSERA_MUTANT: mutant }) };
  const child = fork(path.join(HERE, "in-process-worker.mjs"), { cwd: ROOT, env, stdio: "ignore" });
  await answerOf(child, HANGS_MS * 4);
  return child;
}

/** The next message of a process; null if it ended or was silent for so long. */
function answerOf(child, waitMs, message = null) {
  return new Promise((resolve) => {
    const done = (answer) => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(answer);
    };
    const timer = setTimeout(() => done(null), waitMs);
    child.once("message", done).once("exit", () => done(null));
    if (message === null) return;
    if (child.connected) child.send(message);
    else done(null);
  });
}

/** What the tests do without a mutant. */
async function dryRun() {
  const child = await started();
  const found = await answerOf(child, 900_000, { kind: "dry" });
  child.kill("SIGKILL");
  if (found === null || found.error !== undefined)
    throw new Error(`the tests cannot be run in one process: ${found?.error ?? "no answer"}`);
  return found;
}

async function runAll(mutants, { tests, loading }) {
  const isRun = ({ failure, ms }) => failure === null && ms <= SLOW_TEST_MS;
  for (const { name, failure, ms } of tests.filter((test) => !isRun(test)))
    process.stderr.write(`  left out: ${name} ${failure ?? `takes ${(ms / 1000).toFixed(0)} s`}\n`);
  // The fastest first: most mutants are killed by many tests.
  const order = [...tests.keys()].filter((index) => isRun(tests[index]));
  order.sort((a, b) => tests[a].ms - tests[b].ms);
  let shared = await started();
  const results = [];
  for (const mutant of mutants) {
    const isLoading = Object.hasOwn(loading, mutant.id);
    const own = order.filter((index) => isLoading || Object.hasOwn(tests[index].hits, mutant.id));
    const sum = (of) => own.reduce((total, index) => total + of(tests[index]), 0);
    const hits = (loading[mutant.id] ?? 0) + sum((test) => test.hits[mutant.id] ?? 0);
    const message = { kind: "mutant", mutant: mutant.id, hitLimit: HITS_FACTOR * (hits + 1), tests: own };
    const child = isLoading ? await started(mutant.id) : shared;
    const waitMs = HANGS_MS + 3 * sum(({ ms }) => ms);
    const answer = own.length === 0 ? undefined : await answerOf(child, waitMs, message);
    if (isLoading || answer === null) child.kill("SIGKILL");
    if (!isLoading && answer === null) shared = await started();
    const result = resultOf(mutant, answer);
    results.push(result);
    if (result.status !== "Killed")
      process.stderr.write(`  ${result.status}: ${mutant.fileName}:${result.location.start.line}\n`);
  }
  shared.kill("SIGKILL");
  return results;
}

/** `answer`: undefined where no test passes the mutant, null where it hangs. */
function resultOf({ fileName, location: { start, end }, mutatorName, replacement }, answer) {
  const from1 = ({ line, column }) => ({ line: line + 1, column: column + 1 });
  const known = answer === undefined ? "NoCoverage" : answer === null ? "Timeout" : null;
  return {
    fileName,
    location: { start: from1(start), end: from1(end) },
    mutatorName,
    replacement,
    status: known ?? (answer.isKilled ? "Killed" : "Survived"),
  };
}
