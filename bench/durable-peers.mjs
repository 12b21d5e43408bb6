/**
 * @module Durable steps a second: ten steps in a row beside LangGraph.js with its SQLite saver, and beside DBOS on PostgreSQL.
 *
 * Every store flushes each commit (SQLite: WAL and `synchronous` FULL, which the saver does not set by itself; PostgreSQL:
 * its defaults). A step is a function that does nothing, called outside the commit. LangGraph.js runs as it is by default:
 * it waits for its checkpoints at the end of a run, Tessera and DBOS after each step. bpmn-engine keeps nothing at all.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { memoryStore } from "@tessera/persist";
import { postgresStore } from "@tessera/persist/postgres";
import { sqliteStore } from "@tessera/persist/sqlite";
import { postgresPrograms, startPostgres } from "../tests/durability/postgres-server.mjs";
import { compare } from "./harness.mjs";
import { sequencePeers } from "./peers.mjs";
import { benchEngine, inParallel, instancesOf, sequence } from "./tessera.mjs";

const Database = createRequire(path.join(import.meta.dirname, "../package.json"))("better-sqlite3");

const STEPS = 10;
const nothing = async () => {};
const upTo = (count) => Array.from({ length: count }, (_, index) => index);

/** Runs whole instances, `width` at a time; a unit is a step. */
function stepsOf(width, instance) {
  return async (count) => {
    await inParallel(width, count, instance);
    return count * STEPS;
  };
}

/** The engine over a store; its jobs are asynchronous functions. */
async function tesseraCase(store, width) {
  const engine = benchEngine(store, { concurrency: 256, ports: { work: nothing } });
  const { run } = await instancesOf(engine, sequence(STEPS, "tool"), width);
  return {
    run: async (count) => (await run(count)) * STEPS,
    async close() {
      await engine.close();
      await store.close();
    },
  };
}

/** A graph of ten nodes and its checkpoints in a file. */
function langGraphCase(file, width) {
  const db = new Database(file);
  const saver = new SqliteSaver(db);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  const names = upTo(STEPS).map((index) => `task${index}`);
  const graph = new StateGraph(Annotation.Root({ done: Annotation() }));
  for (const [index, name] of names.entries()) graph.addNode(name, async () => ({ done: index + 1 }));
  for (const [index, name] of [...names, END].entries()) graph.addEdge(names[index - 1] ?? START, name);
  const app = graph.compile({ checkpointer: saver });
  let threads = 0;
  const instance = async () => {
    const end = await app.invoke({ done: 0 }, { configurable: { thread_id: `run-${threads++}` } });
    if (end.done !== STEPS) throw new Error(`LangGraph.js ended at ${end.done}`);
  };
  return { run: stepsOf(width, instance), close: () => db.close() };
}

async function bpmnEngineCase(width) {
  const { "bpmn-engine": one } = await sequencePeers(STEPS);
  return { run: stepsOf(width, () => one.run(1)) };
}

/** DBOS keeps one set of tables for the process; it is launched once for all widths. */
async function launchDbos(connection) {
  DBOS.setConfig({
    name: "bench",
    // The name of a host in a URL cannot be a path, so the folder of the socket is a parameter.
    systemDatabaseUrl: `postgresql://${connection.user}@localhost/dbos?host=${encodeURIComponent(connection.host)}`,
    logLevel: "error",
  });
  const work = DBOS.registerWorkflow(
    async () => {
      for (const index of upTo(STEPS)) await DBOS.runStep(nothing, { name: `task${index}` });
      return STEPS;
    },
    { name: "sequence" },
  );
  await DBOS.launch();
  return (width) => ({ run: stepsOf(width, () => work()) });
}

const widths = [
  { width: 1, title: "one run at a time" },
  { width: 64, title: "64 runs at a time" },
];

async function* onSqlite(folder) {
  for (const { width, title } of widths) {
    const store = sqliteStore({ path: path.join(folder, `tessera-${width}.db`) });
    yield await compare({
      title: `Durable steps on SQLite, ${title} (WAL, synchronous FULL; the last two keep nothing)`,
      unit: "steps",
      cases: {
        "Tessera on SQLite": await tesseraCase(store, width),
        "LangGraph.js, SqliteSaver": langGraphCase(path.join(folder, `langgraph-${width}.db`), width),
        "Tessera in memory": await tesseraCase(memoryStore(), width),
        "bpmn-engine in memory": await bpmnEngineCase(width),
      },
      roundMs: 1_000,
    });
  }
}

async function* onPostgres() {
  if (postgresPrograms() === null) {
    process.stderr.write("DBOS skipped: there is no PostgreSQL server here\n");
    return;
  }
  const server = await startPostgres();
  const dbosCase = await launchDbos(server.connection);
  try {
    for (const { width, title } of widths) {
      const store = await postgresStore({ connection: server.connection }, { schema: `tessera_${width}` });
      yield await compare({
        title: `Durable steps on PostgreSQL, ${title} (its defaults)`,
        unit: "steps",
        cases: { "Tessera on PostgreSQL": await tesseraCase(store, width), DBOS: dbosCase(width) },
        roundMs: 1_500,
      });
    }
  } finally {
    await DBOS.shutdown();
    await server.stop();
  }
}

export async function* comparisons() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tessera-bench-"));
  try {
    yield* onSqlite(folder);
    yield* onPostgres();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
