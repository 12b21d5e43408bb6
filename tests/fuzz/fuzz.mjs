/**
 * @module Millions of mutated inputs for everything that reads from outside: `npm run fuzz -- --inputs N [--seed S] [--from I] [--minutes M] [FILE ...]`.
 *
 * A worker makes and reads the inputs; this thread watches that it goes on. Stops at the first answer that is not as
 * promised, at an input that takes longer than the bound, at a worker that is silent for a minute, and at a changed prototype,
 * and says seed and number, which name the input; or after M minutes, if these come first. A run that was stopped goes on
 * with its seed, from the number that it had come to. The files given are net files that join the corpus.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { randomFrom } from "./interchange.mjs";
import { targetsOf } from "./targets.mjs";

/** An input may take this long; the machine may be busy. */
const INPUT_MS_MAX = 20_000;
const SILENCE_MS_MAX = 60_000;

if (isMainThread) watch();
else await work(workerData);

function watch() {
  const options = optionsOf(process.argv.slice(2));
  const { inputs, seed, from } = options;
  console.log(`${inputs} inputs, seed ${seed}${from === 1 ? "" : `, from ${from}`}`);
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: options });
  let heard = Date.now();
  let done = 0;
  const clock = setInterval(() => {
    if (Date.now() - heard < SILENCE_MS_MAX) return;
    console.error(`silent after input ${done} of seed ${seed}`);
    process.exit(1);
  }, 5000);
  worker.on("message", (message) => {
    heard = Date.now();
    if (message.kind === "progress") {
      done = message.done;
      if (done % 100_000 === 0) console.log(`${done} inputs`);
    } else {
      clearInterval(clock);
      for (const line of message.lines) console.log(line);
      process.exitCode = message.kind === "done" ? 0 : 1;
    }
  });
  worker.on("error", (error) => {
    console.error(`the worker crashed after input ${done} of seed ${seed}:`, error);
    process.exit(1);
  });
}

function optionsOf(argv) {
  const value = (name, standard) => {
    const at = argv.indexOf(`--${name}`);
    if (at < 0) return standard;
    const number = Number(argv[at + 1]);
    if (!Number.isSafeInteger(number) || number < 0) {
      console.error(`--${name} needs a whole number`);
      process.exit(2);
    }
    argv.splice(at, 2);
    return number;
  };
  return {
    inputs: value("inputs", 100_000),
    seed: value("seed", Date.now() % 2 ** 31),
    from: value("from", 1),
    minutes: value("minutes", 24 * 60),
    files: argv,
  };
}

async function work({ inputs, seed, from, minutes, files }) {
  const targets = await loadTargets(files);
  const turns = targets.flatMap((target) => Array.from({ length: target.share }, () => target));
  const tally = new Map(
    targets.map(({ name }) => [name, { count: 0, ms: 0, longestMs: 0, answers: new Map() }]),
  );
  const natives = nativeNames();
  const end = performance.now() + minutes * 60_000;
  for (let i = from; i <= inputs && performance.now() < end; i += 1) {
    // Each input has a generator of its own, so that its number names it.
    const random = randomFrom(seed + i * 0x9e3779b9);
    const below = (n) => Math.floor(random() * n);
    const target = turns[below(turns.length)];
    const input = target.make(random, below);
    const started = performance.now();
    try {
      const answer = await target.run(input);
      note(tally.get(target.name), answer, performance.now() - started);
      if (natives !== nativeNames()) throw new Error("a prototype was changed");
      if (performance.now() - started > INPUT_MS_MAX) throw new Error("it took too long");
    } catch (error) {
      const shown =
        typeof input === "string"
          ? input
          : input instanceof Uint8Array
            ? Buffer.from(input).toString("base64")
            : JSON.stringify(input);
      parentPort.postMessage({
        kind: "failed",
        lines: [
          `input ${i} of seed ${seed}, ${target.name}: ${error.stack ?? error}`,
          shown.slice(0, 20_000),
        ],
      });
      return;
    }
    if (i % 1000 === 0) parentPort.postMessage({ kind: "progress", done: i });
  }
  parentPort.postMessage({ kind: "done", lines: [totalOf(tally), ...[...tally].flatMap(linesOf)] });
}

function note(entry, answer, ms) {
  entry.count += 1;
  entry.ms += ms;
  entry.longestMs = Math.max(entry.longestMs, ms);
  entry.answers.set(answer, (entry.answers.get(answer) ?? 0) + 1);
}

function totalOf(tally) {
  return `${[...tally.values()].reduce((sum, { count }) => sum + count, 0)} inputs, every answer as promised`;
}

function linesOf([name, { count, ms, longestMs, answers }]) {
  const table = [...answers].sort(([, a], [, b]) => b - a).map(([answer, n]) => `${answer} ${n}`);
  return [
    `${name}: ${count} inputs, ${(ms / Math.max(1, count)).toFixed(2)} ms each, longest ${Math.round(longestMs)} ms`,
    `  ${table.slice(0, 40).join(", ")}`,
  ];
}

/** The names that everything inherits: an input that adds one is found at once. */
function nativeNames() {
  return [Object.prototype, Array.prototype, Object.getPrototypeOf(nativeNames), String.prototype]
    .map((prototype) => Object.getOwnPropertyNames(prototype).length)
    .join();
}

async function loadTargets(files) {
  const [core, gateways, interchange, persist] = await Promise.all([
    import("@tessera/core"),
    import("@tessera/gateways"),
    import("@tessera/interchange"),
    import("@tessera/persist"),
  ]);
  const here = (path) => fileURLToPath(new URL(path, import.meta.url));
  const fixtures = here("../../packages/interchange/test/fixtures/");
  const all = [...readdirSync(fixtures).map((name) => fixtures + name), ...files];
  const corpus = all.map((file) => Uint8Array.from(readFileSync(file)));
  const { runs } = JSON.parse(readFileSync(here("../histories/semantics-1.json"), "utf8"));
  return targetsOf(
    { core, gateways, interchange, persist },
    { corpus, records: runs.flatMap(({ payloads }) => payloads) },
  );
}
