/**
 * @module A patch of one key on 1 KB of data and on 10 MB: what a turn costs must not depend on how large D is.
 *
 * It depends on how wide D is, the number of its keys, since a turn copies the containers above what it changes. So the
 * last case is slow by design: thousands of values belong in a list or an object under one key, or in G.
 */
import { memoryStore } from "@tessera/persist";
import { compare } from "./harness.mjs";
import { askAgain, asking, benchEngine, deployed } from "./tessera.mjs";

const KIB = 1024;
const TURNS = 200;
const LIMITS = { messageBytesMax: 16 * KIB * KIB, stepsMax: 10_000_000 };

const textOf = (bytes) => "x".repeat(bytes);
const keys = (count, bytes) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, textOf(bytes)]));

/** Turns of a run with `data`; each sets the key `n`. */
async function patched(data) {
  const engine = benchEngine(memoryStore(), { limits: LIMITS, concurrency: 0 });
  const run = await asking(engine, await deployed(engine, askAgain()), "run", data);
  let n = 0;
  return {
    async run(count) {
      for (let turn = 0; turn < count; turn += 1) await run.turn({ n: n++ });
      return count;
    },
    close: () => engine.close(),
  };
}

export async function* comparisons() {
  yield await compare({
    title: "A patch of one key (the ratio should stay near 1, but for the last, whose D is 10,000 keys wide)",
    unit: "turns",
    cases: {
      "1 KB": await patched(keys(1, KIB)),
      "10 MB, in 160 keys": await patched(keys(160, 64 * KIB)),
      "10 MB, in one value": await patched({ k: textOf(10 * KIB * KIB) }),
      "10 MB, in 10,000 keys": await patched(keys(10_000, KIB)),
    },
    fixedCount: TURNS,
  });
}
