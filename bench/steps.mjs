/**
 * @module What a step costs on disk and in time, at the beginning of a run and after a million: bytes a step of runs of ten
 * tasks, and of one run of a million steps, and the time of its last turns beside that of its first.
 *
 *     npm run bench:steps                    # some minutes
 *     npm run bench:steps -- --steps 100000
 *
 * The file lies on a disk, or in memory where there is a file system in memory: what is measured is the work, and how much is
 * written, not the disk.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { accepted, taskId } from "@tessera/engine";
import { sqliteStore } from "@tessera/persist/sqlite";
import { calibrate } from "./harness.mjs";
import { askAgain, asking, benchEngine, deployed, inParallel, sequence } from "./tessera.mjs";

const { values: flags } = parseArgs({
  options: {
    steps: { type: "string", default: "1000000" },
    runs: { type: "string", default: "2000" },
  },
});
const steps = Number(flags.steps);
const runs = Number(flags.runs);
const TASKS = 10;
const BLOCKS = 20;
const LIMITS = { stepsMax: 10 * steps };
const FOLDER = fs.existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir();
const folder = fs.mkdtempSync(path.join(FOLDER, "tessera-steps-"));
const say = (line) => process.stdout.write(`${line}\n`);

/** Bytes of a database with its write-ahead log. */
function bytesOf(file) {
  return ["", "-wal"].reduce((sum, suffix) => {
    const stat = fs.statSync(file + suffix, { throwIfNoEntry: false });
    return sum + (stat?.size ?? 0);
  }, 0);
}

const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];

/** Runs of ten tasks that people complete, one after the other: a step is a task that is done. */
async function shortRuns() {
  const file = path.join(folder, "short.db");
  const store = sqliteStore({ path: file });
  const engine = benchEngine(store, { concurrency: 0 });
  const name = await deployed(engine, sequence(TASKS, "human"));
  const before = bytesOf(file);
  let next = 0;
  await inParallel(64, runs, async () => {
    const id = `run-${next++}`;
    accepted(await engine.start({ workflow: name, id }));
    for (let task = 0; task < TASKS; task += 1)
      accepted(
        await engine.workItems.complete({
          task: taskId(id, `task${task}.1`),
          by: { id: "ann" },
          outcome: "done",
        }),
      );
  });
  await engine.close();
  await store.close();
  say(
    `${runs} runs of ${TASKS} tasks: ${Math.round((bytesOf(file) - before) / (runs * TASKS))} bytes a step`,
  );
}

/** One run whose every turn is a step; its time and its bytes, block by block. */
async function longRun() {
  const file = path.join(folder, "long.db");
  const store = sqliteStore({ path: file });
  const engine = benchEngine(store, { limits: LIMITS, concurrency: 0 });
  const run = await asking(engine, await deployed(engine, askAgain()), "run");
  const size = Math.ceil(steps / BLOCKS);
  const blocks = [];
  let before = bytesOf(file);
  for (let block = 0; block < BLOCKS; block += 1) {
    const times = [];
    for (let turn = 0; turn < size; turn += 1) {
      const began = performance.now();
      await run.turn({ n: turn });
      times.push(performance.now() - began);
    }
    const bytes = bytesOf(file);
    blocks.push({ ms: median(times), bytes: (bytes - before) / size, calibrationMs: calibrate() });
    before = bytes;
    const { ms, bytes: each, calibrationMs } = blocks.at(-1);
    say(
      `${String((block + 1) * size).padStart(9)} steps: a turn p50 ${ms.toFixed(3)} ms, ${each.toFixed(0)} bytes (calibration loop ${calibrationMs.toFixed(0)} ms)`,
    );
  }
  await engine.close();
  await store.close();
  // The first block warms the code up.
  const [, second] = blocks;
  const last = blocks.at(-1);
  say(
    `last block beside the second: time ${(last.ms / second.ms).toFixed(3)} (wanted: at most 1.1), bytes ${(last.bytes / second.bytes).toFixed(3)}`,
  );
}

try {
  await shortRuns();
  await longRun();
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
