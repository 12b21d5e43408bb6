/**
 * @module `npm run bench:resting -- [--runs N] [--keep FILE]`: a database in which a million runs rest, each waiting for a person until
 * a deadline: how long to open it and serve the first step, to resume one of them, to find what is due, to count.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { accepted, taskId } from "@tessera/engine";
import { sqliteStore } from "@tessera/persist/sqlite";
import { calibrate } from "./harness.mjs";
import { benchEngine, deployed, inParallel } from "./tessera.mjs";

const AT_A_TIME = 2_000;
const SAMPLES = 500;
const DAY_MS = 24 * 3_600_000;
const DEADLINE_DAYS = 30;

const { values } = parseArgs({
  options: { runs: { type: "string", default: "1000000" }, keep: { type: "string" } },
});
const runs = Number(values.runs);
if (!Number.isSafeInteger(runs) || runs < SAMPLES) {
  process.stderr.write(`--runs wants an integer of at least ${SAMPLES}, got "${values.runs}"\n`);
  process.exit(2);
}

/** A person is asked until a deadline; then the run ends. */
const REQUEST = {
  format: 1,
  kind: "workflow",
  id: "request",
  entry: "start",
  nodes: [
    { id: "start", kind: "start" },
    { id: "ask", kind: "human", meta: { outcomes: ["granted"], deadline: `P${DEADLINE_DAYS}D` } },
    { id: "granted", kind: "end" },
    { id: "late", kind: "end", label: "late" },
  ],
  arcs: [
    { from: "start", to: "ask" },
    { from: "ask", to: "granted", outcome: "granted" },
    { from: "ask", to: "late", outcome: "expired" },
  ],
};

const idOf = (index) => `request-${index.toString().padStart(7, "0")}`;
const print = (line) => process.stdout.write(`${line}\n`);

/** Milliseconds of `work`. */
async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** p50 and p99 of `count` times `work(index)`, one after the other. */
async function percentiles(count, work) {
  const times = [];
  for (let index = 0; index < count; index += 1) times.push(await timed(() => work(index)));
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

async function fill(file) {
  const store = sqliteStore({ path: file });
  const engine = benchEngine(store, { concurrency: 0 });
  const workflow = await deployed(engine, REQUEST);
  let begun = 0;
  const ms = await timed(() =>
    inParallel(AT_A_TIME, runs, async () => {
      const index = begun++;
      const data = { customer: index % 1_000 };
      accepted(await engine.start({ workflow, id: idOf(index), businessKey: `key-${index}`, data }));
      if (index % 50_000 === 0 && process.stderr.isTTY) process.stderr.write(`\r${index} runs started`);
    }),
  );
  await engine.close();
  await store.close();
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  return ms;
}

/** Spread over all of them, none twice. */
const picked = (sample) => idOf(Math.floor((sample * runs) / SAMPLES));

async function measure(file) {
  let store;
  let engine;
  const complete = async (id) => {
    const task = taskId(id, "ask.1");
    accepted(await engine.workItems.complete({ task, by: { id: "ann" }, outcome: "granted" }));
  };
  const openMs = await timed(async () => {
    store = sqliteStore({ path: file });
    engine = benchEngine(store, { concurrency: 0 });
    engine.resume();
    await complete(picked(0));
  });
  print(`open the engine and serve the first step: ${openMs.toFixed(0)} ms`);
  print(`read one run: ${await percentiles(SAMPLES - 1, (n) => engine.run(picked(n + 1)).state())}`);
  print(
    `resume one run and commit its turn: ${await percentiles(SAMPLES - 1, (n) => complete(picked(n + 1)))}`,
  );
  const now = Date.now();
  print(`when is the next timer due: ${await percentiles(50, () => store.nextDue())}`);
  print(`what is due (nothing): ${await percentiles(50, () => store.dueItems(now, 100))}`);
  const later = now + 2 * DEADLINE_DAYS * DAY_MS;
  print(`what is due (all; the first 100): ${await percentiles(50, () => store.dueItems(later, 100))}`);
  print(
    `a work list of 100: ${await percentiles(50, () => engine.workItems.list({ actor: "ann", limit: 100 }))}`,
  );
  print(
    `runs by business key: ${await percentiles(50, (n) => engine.runs({ businessKey: `key-${n}`, limit: 10 }))}`,
  );
  print(`100 waiting runs: ${await percentiles(50, () => engine.runs({ status: "waiting", limit: 100 }))}`);
  let counts;
  print(`count runs and items: ${await percentiles(50, async () => (counts = await engine.counts()))}`);
  print(`  ${counts.runs.map(({ status, count }) => `${count} ${status}`).join(", ")}`);
  await engine.close();
  await store.close();
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tessera-resting-"));
try {
  const file = values.keep ?? path.join(folder, "runs.db");
  const cold = fs.existsSync(file) ? null : await fill(file);
  const bytes = fs.statSync(file).size;
  print(`calibration loop ${calibrate().toFixed(0)} ms; synchronous FULL`);
  if (cold !== null)
    print(
      `${runs} runs started in ${(cold / 1000).toFixed(0)} s, ${Math.round((runs / cold) * 1000)}/s, ${AT_A_TIME} at a time`,
    );
  print(`database: ${(bytes / 2 ** 20).toFixed(0)} MiB, ${Math.round(bytes / runs)} bytes a run`);
  await measure(file);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
