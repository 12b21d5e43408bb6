/** @module Very many commands between runs at once: no more are claimed than can be worked on, and none keeps others waiting. */
import { type ClaimedEffect, memoryStore, type RunStore, type Turn } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const waits = single(
  "w",
  ["t", "wait", { events: [{ id: "halt", on: "signal", name: "halt" }] }],
  ["done", "halt"],
);

/** A store that counts the commands that are claimed and not done, and notes the runs of its turns. */
function counting(inner: RunStore) {
  const held = new Set<string>();
  const turns: string[] = [];
  const seen = { most: 0, claims: 0 };
  let toDo = { after: Number.POSITIVE_INFINITY, act: () => {} };
  const store: RunStore = {
    ...inner,
    claimEffects: async (...args): Promise<readonly ClaimedEffect[]> => {
      const found = await inner.claimEffects(...args);
      seen.claims += found.length;
      for (const { effect } of found) held.add(effect.id);
      seen.most = Math.max(seen.most, held.size);
      return found;
    },
    commit: async (group: readonly Turn[]) => {
      const results = await inner.commit(group);
      for (const { run, effects } of group) {
        turns.push(run);
        for (const id of effects.done) held.delete(id);
      }
      if (turns.length < toDo.after) return results;
      toDo.after = Number.POSITIVE_INFINITY;
      toDo.act();
      return results;
    },
  };
  const afterTurns = (after: number, act: () => void): void => {
    toDo = { after, act };
  };
  return { store, seen, turns, afterTurns };
}

describe("a backlog of commands", () => {
  it("[D9.5] a signal for very many runs is not claimed for all of them at once, and reaches each", async () => {
    const { store, seen } = counting(memoryStore());
    const { engine, settle } = testEngine({ store });
    accepted(await engine.deploy(waits));
    const starts = Array.from({ length: 1_000 }, (_, n) => engine.start({ workflow: "w", id: `r${n}` }));
    for (const started of await Promise.all(starts)) accepted(started);
    await settle();
    accepted(await engine.signal({ name: "halt" }));
    await settle();
    expect(seen).toEqual({ most: expect.any(Number), claims: 1_000 });
    expect(seen.most).toBeLessThanOrEqual(256);
    expect(seen.most).toBeGreaterThan(32);
    expect((await engine.counts()).runs).toMatchObject([{ status: "completed", count: 1_000 }]);
  }, 60_000);

  it("[D9.5] the many that wait for one run keep nobody else waiting", async () => {
    const { store, turns, afterTurns } = counting(memoryStore());
    const { engine, settle } = testEngine({ store });
    const child = flow(
      "c",
      [
        ["b", "start"],
        ["z", "end"],
      ],
      [["b", "z"]],
    );
    accepted(await engine.deploy(child));
    accepted(await engine.deploy(waits));
    const called = { workflow: "c", multi: { mode: "parallel", count: 600 } };
    accepted(
      await engine.deploy(single("m", ["call", "subprocess", called], ["done", "error", "cancelled"])),
    );
    accepted(await engine.start({ workflow: "w", id: "other" }));
    const run = accepted(await engine.start({ workflow: "m", id: "many" }));
    // Every called run has begun, and ended with its first turn: what they have to say waits for the run that called them.
    let given = 0;
    afterTurns(700, () => {
      given = turns.length;
      void engine.signal({ name: "halt" });
    });
    expect(await run.result()).toMatchObject({ status: "completed" });
    await settle();
    expect(turns.slice(given).filter((each) => each === "many").length).toBeGreaterThan(300);
    expect(turns.lastIndexOf("other") - given).toBeLessThan(50);
  }, 60_000);
});
