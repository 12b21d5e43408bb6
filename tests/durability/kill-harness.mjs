// Kills victim.mjs with SIGKILL at random moments, again and again, and compares what is left with an undisturbed run.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createEngine } from "@tessera/engine";
import { chooseStore, openStore } from "./victim-store.mjs";

const VICTIM = fileURLToPath(new URL("./victim.mjs", import.meta.url));
/** Runs that every life of the victim adds. */
const RUNS_A_LIFE = 3;
/** At most this many lives for each kill asked for. */
const LIVES_A_KILL = 4;

/**
 * Kills until `kills` lives were killed, then lets the last one work to the end (at most `endMs`). `processes`: how many
 * share the file at a time; of several, one at a time is killed and another is started in its place.
 *
 * `postgres`: a connection to a server on which the runs are, instead of a file.
 *
 * @param {{ kills: number, seed: number, processes?: number, planted?: boolean, postgres?: object, endMs?: number, onProgress?: (done: number, inside: number) => void }} options
 * Returns what happened; `problems` is empty iff nothing was lost and nothing was done under another key.
 */
export async function killTest(options) {
  const { kills, seed, processes = 1, planted = false, endMs = 60_000, onProgress = () => {} } = options;
  const root = mkdtempSync(join(tmpdir(), "tessera-kill-"));
  try {
    const random = mulberry32(seed);
    const dir = join(root, "killed");
    let inside = 0;
    let done = 0;
    mkdirSync(dir);
    chooseStore(dir, schemaOn(options.postgres));
    let lives = 0;
    if (processes > 1) {
      ({ done, lives } = await killAmong(dir, { kills, processes, random, onProgress }));
    }
    // On a fast machine a life may end before its kill comes: it does not count, and the next moment is drawn earlier.
    for (let windowMs = 350; done < kills && lives < kills * LIVES_A_KILL; ) {
      lives += 1;
      const isKilled = await killOnce(dir, lives * RUNS_A_LIFE, planted, random() * windowMs);
      if (!isKilled) {
        windowMs *= 0.8;
        continue;
      }
      done += 1;
      if (await hasOpenJob(dir)) inside += 1;
      onProgress(done, inside);
    }
    const runCount = lives * RUNS_A_LIFE;
    const isEnded = await workToEnd(dir, runCount, planted, endMs);
    const problems = isEnded
      ? await compare(root, dir, runCount, options)
      : ["the runs did not end: something that was promised is never done"];
    return { kills: done, inside, problems };
  } finally {
    if (process.env.TESSERA_KEEP !== undefined) process.stderr.write(`${root}\n`);
    else rmSync(root, { recursive: true, force: true });
  }
}

/**
 * Kills one of several processes, again and again, and starts another in its place; at the end all of them. Returns how
 * many were killed at work and how often runs were added: by each that was started later, since one that finds every run
 * ended ends by itself before its kill.
 */
async function killAmong(dir, { kills, processes, random, onProgress }) {
  let lives = 1;
  const start = async () => {
    const child = startVictim(dir, lives * RUNS_A_LIFE, false);
    await Promise.race([once(child), exited(child)]);
    return child;
  };
  const pool = await Promise.all(Array.from({ length: processes }, start));
  let done = 0;
  for (let windowMs = 350; done < kills && lives < kills * LIVES_A_KILL; lives += 1) {
    await sleep(random() * windowMs);
    const at = Math.floor(random() * processes);
    pool[at].kill("SIGKILL");
    if ((await exited(pool[at])) === "SIGKILL") {
      done += 1;
      onProgress(done, 0);
    } else windowMs *= 0.8;
    pool[at] = await start();
  }
  for (const child of pool) child.kill("SIGKILL");
  await Promise.all(pool.map(exited));
  return { done, lives };
}

/**
 * Lets several processes work on the same runs, undisturbed and with a lease that nobody can lose. Returns the keys under
 * which a port was called more than once: there must be none.
 *
 * @param {{ processes: number, runs: number, postgres?: object, endMs?: number }} options
 */
export async function shareTest({ processes, runs, postgres = undefined, endMs = 120_000 }) {
  const root = mkdtempSync(join(tmpdir(), "tessera-share-"));
  try {
    chooseStore(root, schemaOn(postgres));
    const children = Array.from({ length: processes }, () =>
      startVictim(root, runs, false, { TESSERA_LEASE: "60000" }),
    );
    const timer = setTimeout(() => {
      for (const child of children) child.kill("SIGKILL");
    }, endMs);
    const ends = await Promise.all(children.map(exited));
    clearTimeout(timer);
    const lines = linesOf(root).filter(({ phase }) => phase === "begin");
    const counts = new Map();
    for (const { key } of lines) counts.set(key, (counts.get(key) ?? 0) + 1);
    const workers = new Set(lines.map(({ pid }) => pid)).size;
    const { isAudited } = await endsOf(root, runs);
    return {
      ends,
      calls: counts.size,
      workers,
      isAudited,
      doubled: [...counts].filter(([, count]) => count > 1),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A schema of its own on a server, if there is one. */
function schemaOn(connection) {
  if (connection === undefined) return undefined;
  schemas += 1;
  return { connection, schema: `kill_${process.pid}_${schemas}` };
}

let schemas = 0;

/** One life: killed `delayMs` after it said that it had started. False if it had ended before. */
async function killOnce(dir, runCount, planted, delayMs) {
  const child = startVictim(dir, runCount, planted);
  const [line] = await Promise.race([once(child), exited(child).then(() => [null])]);
  if (line === null) throw new Error(`the victim ended by itself: ${await exited(child)}`);
  await sleep(delayMs);
  child.kill("SIGKILL");
  return (await exited(child)) === "SIGKILL";
}

async function workToEnd(dir, runCount, planted, endMs) {
  const child = startVictim(dir, runCount, planted);
  const timer = setTimeout(() => child.kill("SIGKILL"), endMs);
  const end = await exited(child);
  clearTimeout(timer);
  return end === "exit 0";
}

function startVictim(dir, runCount, planted, env = {}) {
  const child = spawn(process.execPath, [VICTIM, dir, String(runCount), planted ? "planted" : "plain"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "", ...env },
  });
  child.ended = new Promise((resolve) =>
    child.once("exit", (code, signal) => resolve(signal ?? `exit ${code}`)),
  );
  return child;
}

const exited = (child) => child.ended;
const once = (child) =>
  new Promise((resolve) => createInterface({ input: child.stdout }).once("line", (line) => resolve([line])));

/** Is a job open: between start(n) and finish(n, o)? */
async function hasOpenJob(dir) {
  const store = await openStore(dir);
  const page = await store.items({ tenant: "default", kind: "job", limit: 1 });
  await store.close();
  return page.rows.length > 0;
}

/** As many runs without a kill take as long as the last life may, which grows with them, and not less than two minutes. */
async function compare(root, dir, runCount, { postgres, endMs = 0 }) {
  const undisturbed = join(root, "undisturbed");
  mkdirSync(undisturbed);
  chooseStore(undisturbed, schemaOn(postgres));
  if (!(await workToEnd(undisturbed, runCount, false, Math.max(endMs, 120_000))))
    return ["the undisturbed run did not end"];
  const problems = [];
  const [expected, found] = [keysOf(undisturbed), keysOf(dir)];
  for (const key of expected) if (!found.has(key)) problems.push(`effect ${key} was never called`);
  for (const key of found)
    if (!expected.has(key)) problems.push(`effect ${key} was called under a key that no undisturbed run has`);
  const [ends, killedEnds] = [await endsOf(undisturbed, runCount), await endsOf(dir, runCount)];
  for (const [run, end] of Object.entries(ends.runs)) {
    if (killedEnds.runs[run] !== end)
      problems.push(`${run} ended as ${killedEnds.runs[run]}, undisturbed as ${end}`);
  }
  if (!killedEnds.isAudited) problems.push("the audit does not pass");
  return problems;
}

function keysOf(dir) {
  return new Set(linesOf(dir).map(({ key }) => key));
}

function linesOf(dir) {
  const lines = readFileSync(join(dir, "effects.jsonl"), "utf8").split("\n");
  return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line));
}

async function endsOf(dir, runCount) {
  const store = await openStore(dir);
  const engine = createEngine({ store, concurrency: 0, pollMs: Number.POSITIVE_INFINITY });
  const runs = {};
  for (let index = 0; index < runCount; index += 1) {
    const view = await engine.run(`run-${index}`).state();
    runs[`run-${index}`] = JSON.stringify([view.status, view.outcomes, view.data, view.marking]);
  }
  const audit = await engine.audit();
  await engine.close();
  await store.close();
  return { runs, isAudited: audit.isSound };
}

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
