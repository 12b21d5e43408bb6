/** @module The times of a history, whatever the clocks of the processes say: they never decrease, and nothing is late for it. */
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryFile } from "../../persist/test/temporary.ts";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

/** A person, again and again, then a timer and a job. */
const ROUNDS = flow(
  "rounds",
  [
    ["begin", "start"],
    ["h", "human", { outcomes: ["again", "done"] }],
    ["t", "timer", { duration: "PT1H" }],
    ["j", "tool", { port: "p" }],
    ["z", "end"],
    ["broken", "end", { outcome: "broken" }],
  ],
  [
    ["begin", "h"],
    ["h", "h", "again"],
    ["h", "t", "done"],
    ["t", "j"],
    ["j", "z"],
    ["j", "broken", "error"],
  ],
);

/** One of two processes, after its clock was set this far from the beginning, completes what waits for a person. */
interface Move {
  readonly who: 0 | 1;
  readonly clockAt: number;
}

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({ who: fc.constantFrom(0 as const, 1 as const), clockAt: fc.integer({ min: -DAY, max: DAY }) }),
  { minLength: 2, maxLength: 8 },
);

const isAscending = (times: readonly number[]): boolean =>
  times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0));

/** Plays the moves on two engines over one store, each with a clock of its own, and holds the history against the law. */
async function play(store: RunStore, all: readonly Move[]): Promise<void> {
  const kits = [0, 1].map(() => testEngine({ store, startAt: START, concurrency: 0 }));
  const [first] = kits;
  if (first === undefined) throw new Error("no engine");
  accepted(await first.engine.deploy(ROUNDS));
  accepted(await first.engine.start({ workflow: "rounds", id: "r" }));
  const opened: number[] = [];
  for (const { who, clockAt } of all) {
    const kit = kits[who];
    await kit?.clock.jumpTo(START + clockAt);
    const run = kit?.engine.run("r");
    const [item] = accepted((await run?.state()) ?? expect.unreachable()).items;
    opened.push(item?.openedAt ?? Number.NaN);
    accepted(
      (await run?.complete({ node: "h", by: { id: "ann" }, outcome: "again" })) ?? expect.unreachable(),
    );
  }
  const { events } = accepted(await first.engine.history("r"));
  expect(isAscending(events.map(({ at }) => at))).toBe(true);
  expect(isAscending(opened)).toBe(true);
  expect((await first.engine.audit()).isSound).toBe(true);
}

describe("[OH-17] the times of a history", () => {
  it("[D9.30] [OH-17] never decrease, however the clocks of two processes are set", async () => {
    await fc.assert(
      fc.asyncProperty(moves, (all) => play(memoryStore(), all)),
      { numRuns: 60 },
    );
  }, 60_000);

  it("[D9.30] [OH-17] nor do they on SQLite", async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        const store = sqliteStore({ path: temporaryFile() });
        try {
          await play(store, all);
        } finally {
          await store.close();
        }
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  it("[D9.30] the law catches engines that do not know when the turn before was", async () => {
    const forgetful = (inner: RunStore): RunStore => ({
      ...inner,
      load: async (...args) => {
        const loaded = await inner.load(...args);
        return loaded === null ? null : { ...loaded, row: { ...loaded.row, updatedAt: 0 } };
      },
    });
    const law = fc.asyncProperty(moves, (all) => play(forgetful(memoryStore()), all));
    await expect(fc.assert(law, { numRuns: 60 })).rejects.toMatchObject({
      cause: { message: expect.stringContaining("expected false to be true") },
    });
  }, 60_000);

  it("[D9.30] [D9.7] a clock that was a year ahead for one turn makes no timer and no job late", async () => {
    for (const store of [memoryStore(), sqliteStore({ path: temporaryFile() })]) {
      const wrong = testEngine({ store, startAt: START, concurrency: 0 });
      accepted(await wrong.engine.deploy(ROUNDS));
      await wrong.clock.jumpTo(START + 365 * DAY);
      accepted(await wrong.engine.start({ workflow: "rounds", id: "r" }));
      const done: number[] = [];
      const { engine, clock, settle } = testEngine({
        store,
        startAt: START,
        ports: {
          p: () => {
            done.push(clock.now());
            return {};
          },
        },
      });
      engine.resume();
      accepted(await engine.run("r").complete({ node: "h", by: { id: "ann" }, outcome: "done" }));
      await settle();
      await clock.advance("PT1H");
      await settle();
      expect(done).toEqual([START + 3_600_000]);
      expect(accepted(await engine.run("r").state()).status).toBe("completed");
      const { events } = accepted(await engine.history("r"));
      expect(new Set(events.map(({ at }) => at))).toEqual(new Set([START + 365 * DAY]));
      expect((await engine.audit()).isSound).toBe(true);
      await engine.close();
      await store.close();
    }
  });
});
