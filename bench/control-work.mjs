/** @module The two sides of `control.mjs`: what the engine does on a database, and the same statements without it. */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { accepted, taskId } from "@tessera/engine";
import { sqliteStore } from "@tessera/persist/sqlite";
import { benchEngine, deployed, inParallel, sequence } from "./tessera.mjs";

const Database = createRequire(path.join(import.meta.dirname, "../package.json"))("better-sqlite3");

const TASKS = 10;
const ANN = { id: "ann" };
const PRAGMAS = ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = FAST"];
const definition = sequence(TASKS, "human");

function openDatabase(file) {
  const db = new Database(file);
  for (const pragma of PRAGMAS) db.pragma(pragma);
  return db;
}

/** A copy of the file in which the workflow is deployed and nothing has run. */
export function copyOf(folder, source, name) {
  const file = path.join(folder, name);
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(file + suffix, { force: true });
  fs.copyFileSync(source, file);
  return openDatabase(file);
}

export async function template(folder) {
  const file = path.join(folder, "template.db");
  const db = openDatabase(file);
  const engine = benchEngine(sqliteStore({ database: db }), { concurrency: 0 });
  await deployed(engine, definition);
  await engine.close();
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return file;
}

/** `db`, every execution of a statement and every pragma between `BEGIN` and `COMMIT` written down in `script`. */
export function recorded(db, script) {
  const prepare = (sql) => {
    const statement = db.prepare(sql);
    let isRaw = false;
    const noting =
      (method) =>
      (...values) => {
        script.push([sql, method, values, isRaw]);
        return statement[method](...values);
      };
    return {
      run: noting("run"),
      get: noting("get"),
      all: noting("all"),
      safeIntegers: (isOn) => statement.safeIntegers(isOn),
      raw: (isOn) => {
        isRaw = isOn;
        return statement.raw(isOn);
      },
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

async function instance(engine, id, onTurn) {
  accepted(await onTurn(() => engine.start({ workflow: definition.id, id })));
  for (let task = 0; task < TASKS; task += 1) {
    const item = taskId(id, `task${task}.1`);
    accepted(await onTurn(() => engine.workItems.complete({ task: item, by: ANN, outcome: "done" })));
  }
}

const direct = (work) => work();

/** `count` runs of an engine, `width` at a time. */
function instances(engine, width, count, onTurn) {
  let next = 0;
  return measure(() => inParallel(width, count, () => instance(engine, `run-${next++}`, onTurn)));
}

/** The work of the engine on a database: `count` runs, `width` at a time. */
export async function engineWork(database, width, count, onTurn = direct) {
  const engine = benchEngine(sqliteStore({ database }), { concurrency: 0 });
  const measured = await instances(engine, width, count, onTurn);
  await engine.close();
  return measured;
}

/** What the callers alone cost: an engine that answers all of them when the event loop comes round, and does nothing. */
export async function callersWork(width, count) {
  let waiting = [];
  const answer = () => {
    const answered = waiting;
    waiting = [];
    for (const resolve of answered) resolve({ kind: "done" });
  };
  const turn = () =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(answer);
      waiting.push(resolve);
    });
  const measured = await instances({ start: turn, workItems: { complete: turn } }, width, count, direct);
  return { ...measured, turns: count * (TASKS + 1) };
}

/** The script on a database, transaction by transaction. `onCommit` is told how long each took, in ms. */
export async function controlWork(db, script, onCommit) {
  const statements = new Map();
  const prepared = script.map(([sql, method, values, isRaw]) => {
    const name = `${isRaw} ${sql}`;
    if (!statements.has(name)) statements.set(name, isRaw ? db.prepare(sql).raw() : db.prepare(sql));
    return [statements.get(name), method, values, sql === "BEGIN IMMEDIATE", sql === "COMMIT"];
  });
  return measure(() => {
    let began = 0;
    for (const [statement, method, values, isBegin, isCommit] of prepared) {
      if (isBegin && onCommit !== undefined) began = performance.now();
      statement[method](...values);
      if (isCommit) {
        db.pragma("synchronous", { simple: true });
        onCommit?.(performance.now() - began);
      }
    }
  });
}

/** Wall-clock and CPU time of `work`, in ms: CPU of all threads of this process, its own and the system's for it. */
async function measure(work) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1_000 };
}

export const turnsIn = (db) => db.prepare("SELECT count(*) FROM tessera_journal").pluck().get();
