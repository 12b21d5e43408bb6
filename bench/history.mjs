/** @module A turn costs the same at the beginning and after 20,000 turns, beside no other run and beside 10,000. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { memoryStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import { compare } from "./harness.mjs";
import { askAgain, asking, benchEngine, deployed, inParallel } from "./tessera.mjs";

const OLD = 20_000;
const RUNS = 10_000;
const TURNS = 200;
const LIMITS = { stepsMax: 10_000_000 };
// The disk is not what is measured here: where there is a file system in memory, SQLite's file lies there.
const FOLDER = fs.existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir();

/** Engine over a new store; `others` runs are there and wait. */
async function engineOn(store, others = 0) {
  const engine = benchEngine(store, { limits: LIMITS, concurrency: 0 });
  const name = await deployed(engine, askAgain());
  let next = 0;
  await inParallel(256, others, () => asking(engine, name, `other-${next++}`));
  return { engine, name };
}

/** The first turns of a run, a new one each round. */
function young({ engine, name }) {
  let rounds = 0;
  let run;
  return {
    async before() {
      run = await asking(engine, name, `young-${rounds++}`);
    },
    run: (count) => turns(run, count),
    close: () => engine.close(),
  };
}

/** Turns of a run that has `OLD` turns behind it. */
async function old({ engine, name }) {
  const run = await asking(engine, name, "old");
  await turns(run, OLD);
  return { run: (count) => turns(run, count), close: () => engine.close() };
}

async function turns(run, count) {
  for (let turn = 0; turn < count; turn += 1) await run.turn({ n: turn });
  return count;
}

async function comparison(where, makeStore) {
  return compare({
    title: `A turn on ${where} (the ratio should stay near 1)`,
    unit: "turns",
    cases: {
      "a young run": young(await engineOn(makeStore("young"))),
      [`a run ${OLD.toLocaleString("en-US")} turns old`]: await old(await engineOn(makeStore("old"))),
      [`a young run beside ${RUNS.toLocaleString("en-US")} others`]: young(
        await engineOn(makeStore("beside"), RUNS),
      ),
    },
    fixedCount: TURNS,
  });
}

export async function* comparisons() {
  yield await comparison("the memory store", () => memoryStore());
  const folder = fs.mkdtempSync(path.join(FOLDER, "tessera-bench-"));
  try {
    yield await comparison("SQLite", (name) => sqliteStore({ path: path.join(folder, `${name}.db`) }));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
