/**
 * @module Durable turns a second: engine and SQLite beside raw better-sqlite3 with the same settings and the same rows.
 *
 * All that the store writes in a round beforehand is recorded, statement by statement with its values and the borders
 * of its transactions. The raw case prepares the same statements and runs them on a copy of the same file: nothing is left
 * of Tessera but what it wrote. The difference is the price of the engine: reading, firing, hashing, encoding, promises.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { accepted, taskId } from "@tessera/engine";
import { sqliteStore } from "@tessera/persist/sqlite";
import { compare } from "./harness.mjs";
import { benchEngine, deployed, inParallel, sequence } from "./tessera.mjs";

// The application's SQLite: the one of the repository, compiled for this Node.
const Database = createRequire(path.join(import.meta.dirname, "../package.json"))("better-sqlite3");

const TASKS = 10;
const ANN = { id: "ann" };
const PRAGMAS = ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = FAST"];
const IS_WRITE = /^\s*(?:BEGIN|COMMIT|INSERT|UPDATE|DELETE)/i;

function openDatabase(file) {
  const db = new Database(file);
  for (const pragma of PRAGMAS) db.pragma(pragma);
  return db;
}

/** `db` with every write written down in `script` as `[sql, values]`. */
function recorded(db, script) {
  const prepare = (sql) => {
    const statement = db.prepare(sql);
    if (!IS_WRITE.test(sql)) return statement;
    const noting =
      (method) =>
      (...values) => {
        script.push([sql, values]);
        return statement[method](...values);
      };
    return {
      run: noting("run"),
      get: noting("get"),
      all: noting("all"),
      safeIntegers: (isOn) => statement.safeIntegers(isOn),
      raw: (isOn) => statement.raw(isOn),
    };
  };
  return new Proxy(db, {
    get: (target, name) => {
      if (name === "prepare") return prepare;
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** A file in which the workflow is deployed and nothing has run. */
async function template(folder, definition) {
  const file = path.join(folder, `${definition.id}.db`);
  const db = openDatabase(file);
  const engine = benchEngine(sqliteStore({ database: db }), { concurrency: 0 });
  await deployed(engine, definition);
  await engine.close();
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return file;
}

/** One instance: a person completes task after task, or jobs do. */
async function instance(engine, name, kind, id) {
  const run = accepted(await engine.start({ workflow: name, id }));
  for (let task = 0; kind === "human" && task < TASKS; task += 1) {
    const item = taskId(id, `task${task}.1`);
    accepted(await engine.workItems.complete({ task: item, by: ANN, outcome: "done" }));
  }
  const end = await run.result();
  if (end.status !== "completed") throw new Error(`run ${id} ended ${end.status}`);
}

const journalRows = (db) => db.prepare("SELECT count(*) FROM tessera_journal").pluck().get();

/** Engine and store on a new copy of the template each round; with a `script`, what is written goes there. */
function tesseraCase(folder, source, { name, kind, parallel }, script = null) {
  let db;
  let engine;
  return {
    async before() {
      await engine?.close();
      db?.close();
      const file = path.join(folder, "tessera.db");
      for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(file + suffix, { force: true });
      fs.copyFileSync(source, file);
      db = openDatabase(file);
      const database = script === null ? db : recorded(db, script);
      engine = benchEngine(sqliteStore({ database }), { concurrency: 256 });
    },
    async run(count) {
      let next = 0;
      await inParallel(parallel, count, () => instance(engine, name, kind, `run-${next++}`));
      return journalRows(db);
    },
    async close() {
      await engine.close();
      db.close();
    },
  };
}

/** The script on a new copy of the template each round. */
function rawCase(folder, source, script) {
  let db;
  let prepared;
  return {
    before() {
      db?.close();
      const file = path.join(folder, "raw.db");
      for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(file + suffix, { force: true });
      fs.copyFileSync(source, file);
      db = openDatabase(file);
      const statements = new Map();
      const statementOf = (sql) => {
        if (!statements.has(sql)) statements.set(sql, db.prepare(sql));
        return statements.get(sql);
      };
      prepared = script.map(([sql, values]) => [statementOf(sql), values]);
    },
    run() {
      for (const [statement, values] of prepared) {
        if (statement.reader) statement.get(...values);
        else statement.run(...values);
      }
      return journalRows(db);
    },
    close: () => db.close(),
  };
}

export async function* comparisons() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tessera-bench-"));
  const workloads = [
    { title: "a person's tasks, one run at a time", kind: "human", parallel: 1, instances: 40 },
    { title: "people's tasks, 256 runs at a time", kind: "human", parallel: 256, instances: 512 },
    { title: "jobs, 256 runs at a time", kind: "tool", parallel: 256, instances: 512 },
  ];
  try {
    for (const workload of workloads) {
      const definition = sequence(TASKS, workload.kind);
      const source = await template(folder, definition);
      const script = [];
      const named = { ...workload, name: definition.id };
      const first = tesseraCase(folder, source, named, script);
      await first.before();
      await first.run(workload.instances);
      await first.close();
      yield await compare({
        title: `Durable turns, ${workload.title} (WAL, synchronous FULL)`,
        unit: "turns",
        cases: {
          "Tessera on SQLite": tesseraCase(folder, source, named),
          "the same rows, raw": rawCase(folder, source, script),
        },
        fixedCount: workload.instances,
      });
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
