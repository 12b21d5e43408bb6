/**
 * @module Whole instances in memory: ten tasks in a row, and ten branches forked and joined, beside three peers.
 *
 * Tessera keeps its journal, hash chain and outbox in memory all the while; the peers keep nothing. `jobs`: each task is a
 * call outside the turn, as in bpmn-engine and libpetri. `in the turn`: pure functions, as in an XState machine.
 */
import { memoryStore } from "@tessera/persist";
import { compare } from "./harness.mjs";
import { forkJoinPeers, sequencePeers } from "./peers.mjs";
import { benchEngine, forkJoin, instancesOf, sequence } from "./tessera.mjs";

const SIZE = 10;

async function casesOf(shape, peers) {
  const engines = [benchEngine(memoryStore()), benchEngine(memoryStore())];
  const [jobs, inline] = await Promise.all([
    instancesOf(engines[0], shape(SIZE, "tool")),
    instancesOf(engines[1], shape(SIZE, "transform")),
  ]);
  return {
    "Tessera, jobs": { ...jobs, close: () => engines[0].close() },
    "Tessera, in the turn": { ...inline, close: () => engines[1].close() },
    ...(await peers(SIZE)),
  };
}

export async function* comparisons() {
  yield await compare({
    title: `${SIZE} tasks in a row, in memory`,
    unit: "instances",
    cases: await casesOf(sequence, sequencePeers),
    roundMs: 400,
  });
  yield await compare({
    title: `${SIZE} branches, forked and joined, in memory`,
    unit: "instances",
    cases: await casesOf(forkJoin, forkJoinPeers),
    roundMs: 400,
  });
}
