/**
 * @module What the engine costs beside its own writes: durable turns a second, and CPU time a turn, with 64 runs at a time,
 * against a control that does nothing but what the store did: the same statements with the same values, encoded
 * beforehand, in the same transactions, on a copy of the same file. And one turn that is awaited against one such
 * transaction.
 *
 *     npm run bench:control                  # about a minute
 *     npm run bench:control -- --profile     # and where the CPU time of the engine goes
 *     npm run bench:control -- --runs 64 --rounds 3
 */
import fs from "node:fs";
import inspector from "node:inspector/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { accepted, taskId } from "@tessera/engine";
import { sqliteStore } from "@tessera/persist/sqlite";
import { benchEngine, deployed, inParallel, sequence } from "./tessera.mjs";

const Database = createRequire(path.join(import.meta.dirname, "../package.json"))("better-sqlite3");

const TASKS = 10;
const ANN = { id: "ann" };
const PRAGMAS = ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = FAST"];
const WANTED = { ratio: 0.8, cpuMicroseconds: 10, latency: 1.3 };

const { values: flags } = parseArgs({
  options: {
    parallel: { type: "string", default: "64" },
    runs: { type: "string", default: "1024" },
    rounds: { type: "string", default: "9" },
    profile: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const parallel = Number(flags.parallel);
const runs = Number(flags.runs);
const rounds = Number(flags.rounds);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tessera-control-"));
const definition = sequence(TASKS, "human");

function openDatabase(file) {
  const db = new Database(file);
  for (const pragma of PRAGMAS) db.pragma(pragma);
  return db;
}

/** A copy of the file in which the workflow is deployed and nothing has run. */
function copyOf(source, name) {
  const file = path.join(folder, name);
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(file + suffix, { force: true });
  fs.copyFileSync(source, file);
  return openDatabase(file);
}

async function template() {
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
function recorded(db, script) {
  const prepare = (sql) => {
    const statement = db.prepare(sql);
    const noting =
      (method) =>
      (...values) => {
        script.push([sql, method, values]);
        return statement[method](...values);
      };
    return {
      run: noting("run"),
      get: noting("get"),
      all: noting("all"),
      safeIntegers: (isOn) => statement.safeIntegers(isOn),
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

/** The work of the engine on a database: `count` runs, `width` at a time. */
async function engineWork(database, width, count, onTurn = direct) {
  const engine = benchEngine(sqliteStore({ database }), { concurrency: 0 });
  let next = 0;
  const measured = await measure(() =>
    inParallel(width, count, () => instance(engine, `run-${next++}`, onTurn)),
  );
  await engine.close();
  return measured;
}

/** The script on a database, transaction by transaction. `onCommit` is told how long each took, in ms. */
async function controlWork(db, script, onCommit) {
  const statements = new Map();
  const prepared = script.map(([sql, method, values]) => {
    if (!statements.has(sql)) statements.set(sql, db.prepare(sql));
    return [statements.get(sql), method, values, sql === "BEGIN IMMEDIATE", sql === "COMMIT"];
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

const turnsIn = (db) => db.prepare("SELECT count(*) FROM tessera_journal").pluck().get();
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
};

/** How long the disk takes for a flush of 4 KiB, in ms. */
function fsyncMs() {
  const file = fs.openSync(path.join(folder, "flush"), "w");
  const block = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, (_, at) => {
    fs.writeSync(file, block, 0, block.length, at * block.length);
    const began = performance.now();
    fs.fsyncSync(file);
    return performance.now() - began;
  });
  fs.closeSync(file);
  return median(times);
}

async function compareThroughput(source) {
  const script = [];
  const first = copyOf(source, "recorded.db");
  await engineWork(recorded(first, script), parallel, runs);
  const turns = turnsIn(first);
  first.close();
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) {
    const pair = {};
    const order = round % 2 === 0 ? ["engine", "control"] : ["control", "engine"];
    for (const who of order) {
      const db = copyOf(source, `${who}.db`);
      pair[who] = who === "engine" ? await engineWork(db, parallel, runs) : await controlWork(db, script);
      if (turnsIn(db) !== turns) throw new Error(`${who}: ${turnsIn(db)} turns, not ${turns}`);
      db.close();
    }
    pairs.push(pair);
  }
  const groups = script.filter(([sql]) => sql === "BEGIN IMMEDIATE").length;
  const perTurn = (who, what) => median(pairs.map((pair) => (pair[who][what] * 1_000) / turns));
  return {
    turns,
    groups,
    statements: script.length,
    turnsPerSecond: {
      engine: median(pairs.map(({ engine }) => (turns * 1_000) / engine.wall)),
      control: median(pairs.map(({ control }) => (turns * 1_000) / control.wall)),
    },
    ratio: median(pairs.map(({ engine, control }) => control.wall / engine.wall)),
    cpuMicrosecondsPerTurn: { engine: perTurn("engine", "cpu"), control: perTurn("control", "cpu") },
    cpuBeyondControl: median(
      pairs.map(({ engine, control }) => ((engine.cpu - control.cpu) * 1_000) / turns),
    ),
  };
}

/** One turn after the other, each awaited, against one transaction after the other. */
async function compareLatency(source) {
  const count = Math.max(2, Math.round(runs / 64));
  const script = [];
  const first = copyOf(source, "recorded.db");
  await engineWork(recorded(first, script), 1, count);
  first.close();
  const ratios = [];
  const turn = [];
  const commit = [];
  for (let round = 0; round < rounds; round += 1) {
    const [turnsOf, commitsOf] = [[], []];
    const one = async (work) => {
      const began = performance.now();
      const done = await work();
      turnsOf.push(performance.now() - began);
      return done;
    };
    const tessera = copyOf(source, "engine.db");
    await engineWork(tessera, 1, count, one);
    tessera.close();
    const raw = copyOf(source, "control.db");
    await controlWork(raw, script, (ms) => commitsOf.push(ms));
    raw.close();
    turn.push(median(turnsOf));
    commit.push(median(commitsOf));
    ratios.push(median(turnsOf) / median(commitsOf));
  }
  return { turnMs: median(turn), commitMs: median(commit), ratio: median(ratios) };
}

/** Self time of the engine's process by where the code is, in microseconds a turn: one round under the profiler. */
async function breakdown(source) {
  const session = new inspector.Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  const db = copyOf(source, "profiled.db");
  await session.post("Profiler.start");
  await engineWork(db, parallel, runs);
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  const turns = turnsIn(db);
  db.close();
  const times = new Map();
  const byFunction = new Map();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const [at, id] of profile.samples.entries()) {
    const { functionName, url, lineNumber } = nodes.get(id).callFrame;
    const spent = profile.timeDeltas[at];
    const where = placeOf(url, functionName);
    times.set(where, (times.get(where) ?? 0) + spent);
    const name = `${functionName || "(anonymous)"} ${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + spent);
  }
  const listed = (map) =>
    [...map]
      .filter(([where]) => !where.startsWith("(idle)"))
      .sort(([, a], [, b]) => b - a)
      .map(([where, spent]) => [where, spent / turns]);
  return { places: listed(times), functions: listed(byFunction).slice(0, 40) };
}

function placeOf(url, functionName) {
  const own = /packages\/([^/]+)\/(?:dist|src)\/(.*)\.[jt]s$/.exec(url);
  if (own !== null) return `${own[1]}/${own[2]}`;
  if (/better-sqlite3/.test(url)) return "better-sqlite3";
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url);
  if (library !== null) return library[1];
  if (url.startsWith("node:")) return "node";
  return url === "" ? functionName || "native" : path.basename(url);
}

function print({ fsync, throughput, latency, where }) {
  const say = (line) => process.stdout.write(`${line}\n`);
  const verdict = (isGood, wanted) => `${isGood ? "reached" : "MISSED"} (${wanted})`;
  const { turnsPerSecond, cpuMicrosecondsPerTurn: cpu, ratio, cpuBeyondControl } = throughput;
  say(
    `Durable turns, ${parallel} runs at a time, WAL, synchronous FULL; median of ${rounds} interleaved pairs`,
  );
  say(`  fsync of 4 KiB, p50             ${fsync.toFixed(3)} ms`);
  say(
    `  turns, transactions, statements ${throughput.turns}, ${throughput.groups}, ${throughput.statements}`,
  );
  say(
    `  turns/s, engine and control     ${turnsPerSecond.engine.toFixed(0)}, ${turnsPerSecond.control.toFixed(0)}`,
  );
  say(
    `  ratio                           ${ratio.toFixed(3)}  ${verdict(ratio >= WANTED.ratio, `at least ${WANTED.ratio}`)}`,
  );
  say(`  CPU a turn, engine and control  ${cpu.engine.toFixed(1)}, ${cpu.control.toFixed(1)} microseconds`);
  say(
    `  CPU a turn beyond the control   ${cpuBeyondControl.toFixed(1)} microseconds  ${verdict(cpuBeyondControl <= WANTED.cpuMicroseconds, `at most ${WANTED.cpuMicroseconds}`)}`,
  );
  say("One turn that is awaited, and one such transaction");
  say(`  p50                             ${latency.turnMs.toFixed(3)} ms, ${latency.commitMs.toFixed(3)} ms`);
  say(
    `  ratio                           ${latency.ratio.toFixed(3)}  ${verdict(latency.ratio <= WANTED.latency, `at most ${WANTED.latency}`)}`,
  );
  if (where === null) return;
  say(
    "Where the CPU time of the engine goes, microseconds a turn (a round under the profiler, statements included)",
  );
  for (const [place, spent] of where.places.slice(0, 30)) say(`  ${spent.toFixed(2).padStart(8)}  ${place}`);
  say("By function");
  for (const [name, spent] of where.functions) say(`  ${spent.toFixed(2).padStart(8)}  ${name}`);
}

try {
  const source = await template();
  const fsync = fsyncMs();
  const throughput = await compareThroughput(source);
  const latency = await compareLatency(source);
  const isMissed = throughput.cpuBeyondControl > WANTED.cpuMicroseconds;
  const where = flags.profile || isMissed ? await breakdown(source) : null;
  if (flags.json) process.stdout.write(`${JSON.stringify({ fsync, throughput, latency, where })}\n`);
  else print({ fsync, throughput, latency, where });
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
