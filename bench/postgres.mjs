/**
 * @module Durable turns a second: the engine on SQLite beside the engine on PostgreSQL, on a server that is started for it.
 *
 * Both flush every commit. What differs is the way: a call in this process, or messages to another one and back.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { accepted, taskId } from "@tessera/engine";
import { postgresStore } from "@tessera/persist/postgres";
import { sqliteStore } from "@tessera/persist/sqlite";
import { postgresPrograms, startPostgres } from "../tests/durability/postgres-server.mjs";
import { compare } from "./harness.mjs";
import { benchEngine, deployed, inParallel, sequence } from "./tessera.mjs";

const TASKS = 10;
const ANN = { id: "ann" };
/** Of a run of so many tasks: its start, and one for each. */
const TURNS = TASKS + 1;

async function instance(engine, name, id) {
  const run = accepted(await engine.start({ workflow: name, id }));
  for (let task = 0; task < TASKS; task += 1) {
    const item = taskId(id, `task${task}.1`);
    accepted(await engine.workItems.complete({ task: item, by: ANN, outcome: "done" }));
  }
  const end = await run.result();
  if (end.status !== "completed") throw new Error(`run ${id} ended ${end.status}`);
}

/** Engine and store anew each round. */
function storeCase(open, definition, parallel) {
  let store;
  let engine;
  let round = 0;
  const close = async () => {
    await engine?.close();
    await store?.close();
  };
  return {
    async before() {
      await close();
      round += 1;
      store = await open(round);
      engine = benchEngine(store, { concurrency: 0 });
      await deployed(engine, definition);
    },
    async run(count) {
      let next = 0;
      await inParallel(parallel, count, () => instance(engine, definition.id, `run-${next++}`));
      return count * TURNS;
    },
    close,
  };
}

export async function* comparisons() {
  if (postgresPrograms() === null) {
    process.stderr.write("skipped: there is no PostgreSQL server here\n");
    return;
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tessera-bench-"));
  const server = await startPostgres();
  let schemas = 0;
  const definition = sequence(TASKS, "human");
  const postgres = () => {
    schemas += 1;
    return postgresStore({ connection: server.connection }, { schema: `round_${schemas}` });
  };
  try {
    for (const { parallel, instances } of [
      { parallel: 1, instances: 10 },
      { parallel: 64, instances: 128 },
    ]) {
      const sqlite = async (round) => sqliteStore({ path: path.join(folder, `${parallel}-${round}.db`) });
      yield await compare({
        title: `Durable turns, a person's tasks, ${parallel} ${parallel === 1 ? "run" : "runs"} at a time`,
        unit: "turns",
        cases: {
          "Tessera on SQLite": storeCase(sqlite, definition, parallel),
          "Tessera on PostgreSQL": storeCase(postgres, definition, parallel),
        },
        fixedCount: instances,
      });
    }
  } finally {
    await server.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
