/** @module Fair scheduling, counted in turns: a run with very many steps keeps nobody waiting, and what can pile up has a limit. */
import { setImmediate } from "node:timers/promises";
import { memoryStore, type RunStore, type Turn } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type Engine, type Port } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

/** Firings after which a turn is committed and the run goes on with the next one. */
const FIRINGS = 50;
/** Turns of the long run. */
const LONG_TURNS = 400;

/** Goes round and round without ever waiting for anybody, until its fuse blows. */
const LONG = flow(
  "long",
  [
    ["s", "gateway"],
    ["f", "transform"],
    ["z", "end"],
  ],
  [
    ["s", "f"],
    ["f", "s", "done", { guard: { key: "stop", op: "isNot", value: true } }],
    ["f", "z", "done", { default: true }],
    ["f", "s", "error"],
  ],
);
/** A job between two turns. */
const SHORT = single("short", ["t", "tool"]);

/** An engine over a store that notes which runs committed, in order. `answered`: when a job has its answer. */
async function noted(answered: (order: readonly string[]) => Promise<void> = async () => {}) {
  const order: string[] = [];
  const inner = memoryStore();
  const store: RunStore = {
    ...inner,
    commit: async (turns: readonly Turn[]) => {
      const results = await inner.commit(turns);
      results.forEach((result, at) => {
        if (result.kind === "ok") order.push(turns[at]?.run ?? "");
      });
      return results;
    },
  };
  const port: Port = async () => {
    await answered(order);
    return undefined;
  };
  const { engine } = testEngine({
    store,
    ports: { t: port },
    functions: { f: () => undefined },
    limits: { firingsMax: FIRINGS, stepsMax: LONG_TURNS * FIRINGS },
  });
  const accept = ["O1", "O3", "O5", "O7"].map((obligation) => ({ obligation, reason: "test", by: "test" }));
  accepted(await engine.deploy(LONG, { accept }));
  accepted(await engine.deploy(SHORT));
  return { engine, order };
}

/** Of the long run: the turns that were committed while each short run was under way. */
function turnsBetween(order: readonly string[], shorts: readonly string[]): readonly number[] {
  return shorts.map((short) => {
    const own = order.slice(order.indexOf(short), order.lastIndexOf(short));
    return own.filter((run) => run === "long").length;
  });
}

const SHORTS = Array.from({ length: 10 }, (_, at) => `short-${at}`);

async function lived(engine: Engine, order: readonly string[]): Promise<void> {
  const long = accepted(await engine.start({ workflow: "long", id: "long" }));
  for (const id of SHORTS) {
    const run = accepted(await engine.start({ workflow: "short", id }));
    expect(await run.result()).toMatchObject({ status: "completed" });
  }
  // All of them are done, and the long one has hardly begun.
  expect(order.filter((run) => run === "long").length).toBeLessThan(LONG_TURNS);
  expect(await long.result()).toMatchObject({ status: "failed", trouble: { code: "FUSE" } });
}

describe("[D9.1] a run with very many steps", () => {
  it("[D9.1] keeps nobody waiting for more than a few of its turns", async () => {
    const { engine, order } = await noted();
    await lived(engine, order);
    expect(order.filter((run) => run === "long").length).toBeGreaterThanOrEqual(LONG_TURNS);
    const between = turnsBetween(order, SHORTS);
    // A short run has two turns, with a look at the outbox and a call of a port in between.
    expect(Math.max(...between)).toBeLessThanOrEqual(12);
    expect((await engine.audit()).isSound).toBe(true);
    await engine.close();
  }, 120_000);

  it("[D9.1] one sees it where the long run always goes first (planted)", async () => {
    const isOver = (order: readonly string[]) => order.filter((run) => run === "long").length >= LONG_TURNS;
    const { engine, order } = await noted(async (seen) => {
      while (!isOver(seen)) await setImmediate();
    });
    await expect(lived(engine, order)).rejects.toThrow();
    await engine.close();
  }, 120_000);
});
