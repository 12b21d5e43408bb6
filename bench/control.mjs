/**
 * @module What the engine costs beside its own writes: durable turns a second, and CPU time a turn, with 64 runs at a time,
 * against a control that does nothing but what the store did: the same statements with the same values, encoded
 * beforehand, in the same transactions, on a copy of the same file. And one turn that is awaited against one such
 * transaction.
 *
 *     npm run bench:control                  # about two minutes
 *     npm run bench:control -- --profile     # and where the CPU time of the engine goes
 *     npm run bench:control -- --runs 64 --rounds 3
 */
import { fork } from "node:child_process";
import fs from "node:fs";
import inspector from "node:inspector/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import v8 from "node:v8";
import { copyOf, engineWork, recorded, template, turnsIn } from "./control-work.mjs";

/**
 * Rounds that are not kept: so long the platform goes on compiling what they run. It is done after some 40,000 turns, which
 * an engine that serves comes to in its first minutes, and the control, of which there is less, sooner.
 */
const WARM_UPS = 4;

/**
 * Runs one after the other whose turns are looked at, and those before them in the same round, which are not, on either
 * side: a round begins with a new engine, whose code is compiled while it runs, and a log that grows with every flush.
 */
const AWAITED = { runs: 128, before: 128 };

const WANTED = { ratio: 0.8, cpuMicroseconds: 10, latency: 1.3 };

const { values: flags } = parseArgs({
  options: {
    parallel: { type: "string", default: "64" },
    runs: { type: "string", default: "4096" },
    rounds: { type: "string", default: "9" },
    profile: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const parallel = Number(flags.parallel);
const runs = Number(flags.runs);
const rounds = Number(flags.rounds);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tessera-control-"));

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

/** A process for one side; `round` runs it once. */
function sideProcess(side, order) {
  const child = fork(path.join(import.meta.dirname, "control-child.mjs"));
  return {
    round: (more = {}) =>
      new Promise((resolve, reject) => {
        child.once("message", resolve);
        child.once("exit", (code) => reject(new Error(`${side} ended with ${code}`)));
        child.send({ side, ...order, ...more });
      }).finally(() => child.removeAllListeners("exit")),
    end: () => child.kill(),
  };
}

/**
 * Pairs of rounds, the sides taking turns to be first, after those that warm up. And how late timers are while the engine works,
 * of a round for that alone: the watch costs time too.
 */
async function pairsOf(source, width, count) {
  const script = [];
  const first = copyOf(folder, source, "recorded.db");
  await engineWork(recorded(first, script), width, count);
  const turns = turnsIn(first);
  first.close();
  const scriptFile = path.join(folder, `script-${width}`);
  fs.writeFileSync(scriptFile, v8.serialize(script));
  const order = { folder, source, parallel: width, runs: count, scriptFile };
  const sides = { engine: sideProcess("engine", order), control: sideProcess("control", order) };
  const pairs = [];
  let delay;
  try {
    // Turns that are awaited one by one are few: what they run in common with others is warmed up by those.
    if (width === 1)
      for (let round = 0; round < WARM_UPS; round += 1) await sides.engine.round({ parallel, runs });
    for (let round = -WARM_UPS; round < rounds; round += 1) {
      const pair = {};
      for (const who of round % 2 === 0 ? ["engine", "control"] : ["control", "engine"]) {
        pair[who] = await sides[who].round();
        if (pair[who].turns !== turns) throw new Error(`${who}: ${pair[who].turns} turns, not ${turns}`);
      }
      if (round >= 0) pairs.push(pair);
    }
    delay = (await sides.engine.round({ isWatched: true })).delay;
  } finally {
    for (const { end } of Object.values(sides)) end();
  }
  const groups = script.filter(([sql]) => sql === "BEGIN IMMEDIATE").length;
  return { pairs, turns, groups, statements: script.length, delay };
}

/** CPU time a turn of those who ask for the turns, which the side of the engine has and the control has not. */
async function callersMicroseconds() {
  const callers = sideProcess("callers", { parallel, runs });
  const measured = [];
  try {
    for (let round = -WARM_UPS; round < rounds; round += 1) measured.push(await callers.round());
  } finally {
    callers.end();
  }
  return median(measured.slice(WARM_UPS).map(({ cpu, turns }) => (cpu * 1_000) / turns));
}

async function compareThroughput(source) {
  const callers = await callersMicroseconds();
  const { pairs, turns, groups, statements, delay } = await pairsOf(source, parallel, runs);
  const perTurn = (who, what) => median(pairs.map((pair) => (pair[who][what] * 1_000) / turns));
  return {
    turns,
    groups,
    statements,
    delay,
    callersCpuMicroseconds: callers,
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
  const { pairs, turns } = await pairsOf(source, 1, AWAITED.before + AWAITED.runs);
  const before = (turns * AWAITED.before) / (AWAITED.before + AWAITED.runs);
  const [engine, control] = ["engine", "control"].map((who) =>
    pairs.map((pair) => median(pair[who].times.slice(before))),
  );
  return {
    turnMs: median(engine),
    commitMs: median(control),
    ratio: median(engine.map((ms, pair) => ms / control[pair])),
  };
}

/** Self time of the engine's process by where the code is, in microseconds a turn: one round under the profiler. */
async function breakdown(source) {
  const session = new inspector.Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  const db = copyOf(folder, source, "profiled.db");
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
  say(
    `  of it the callers of the bench  ${throughput.callersCpuMicroseconds.toFixed(1)} microseconds, which are not the engine's`,
  );
  const { p50, p99, max } = throughput.delay;
  say(
    `  delay of the event loop         p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, at most ${max.toFixed(1)} ms`,
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
  const source = await template(folder);
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
