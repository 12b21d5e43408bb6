/**
 * @module One side of `control.mjs` in a process of its own, so that neither pays for the memory of the other. Each message
 * is a round: `{ side, folder, source, parallel, runs, script, isWatched }`; the answer is what it took and, where the round is
 * watched, for how long the event loop was not to be had.
 */
import fs from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import v8 from "node:v8";
import { callersWork, controlWork, copyOf, engineWork, turnsIn } from "./control-work.mjs";

let script = null;

/** How late a timer of 1 ms comes while `work` is done, in ms. */
async function watched(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const measured = await work();
  delay.disable();
  const late = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - 1);
  return {
    ...measured,
    delay: { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) },
  };
}

process.on("message", async ({ side, folder, source, parallel, runs, scriptFile, isWatched }) => {
  if (side === "callers") {
    process.send(await callersWork(parallel, runs));
    return;
  }
  const db = copyOf(folder, source, `${side}.db`);
  const times = [];
  let measured;
  if (side === "engine") {
    const onTurn = async (work) => {
      const began = performance.now();
      const done = await work();
      times.push(performance.now() - began);
      return done;
    };
    const work = () => (parallel === 1 ? engineWork(db, 1, runs, onTurn) : engineWork(db, parallel, runs));
    measured = isWatched === true ? await watched(work) : await work();
  } else {
    script ??= v8.deserialize(fs.readFileSync(scriptFile));
    measured = await controlWork(db, script, parallel === 1 ? (ms) => times.push(ms) : undefined);
  }
  const turns = turnsIn(db);
  db.close();
  process.send({ ...measured, turns, times });
});
