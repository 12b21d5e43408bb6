/** @module Timers that start workflows: what is declared, what is started, what an operator sees. */
import type { JsonObject } from "@tessera/core";
import { memoryStore, StoreError } from "@tessera/persist";
import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { accepted, type Engine } from "../src/index.ts";
import { leftOut, timedRunId } from "../src/start-timers.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const at = (minutes: number): string => new Date(START + minutes * MINUTE).toISOString();

/** A workflow that these events start, each before an end under its label; the entry is a start. */
const starting = (events: readonly JsonObject[], id = "w", end = "z") =>
  flow(
    id,
    [
      ["s", "start", { events: [...events] }],
      ...events.map((event) => [`${end}-${event["id"]}`, "end"] as const),
    ],
    events.map((event) => ["s", `${end}-${event["id"]}`, String(event["id"])] as const),
  );
const every = (minutes: number, id = "e"): JsonObject => ({ id, on: "timer", cycle: `R/PT${minutes}M` });
const runsOf = async (engine: Engine): Promise<readonly string[]> =>
  (await engine.runs({ limit: 99 })).rows.map(({ run }) => run).sort();

describe("a workflow that times start", () => {
  it("[D17.13] starts by itself once it is deployed, under the label of the event, without data", async () => {
    const { engine, clock } = testEngine();
    const timer: JsonObject = { id: "soon", on: "timer", duration: "PT2M" };
    expect(accepted(await engine.deploy(starting([every(3), timer]))).isTimed).toBe(true);
    await clock.advance(2 * MINUTE - 1);
    expect(await runsOf(engine)).toEqual([]);
    await clock.advance(1);
    expect(await runsOf(engine)).toEqual([`w/soon@${at(2)}`]);
    await clock.advance(4 * MINUTE);
    expect(await runsOf(engine)).toEqual([`w/e@${at(3)}`, `w/e@${at(6)}`, `w/soon@${at(2)}`]);
    const { events } = accepted(await engine.history(`w/e@${at(6)}`));
    expect(events[0]).toMatchObject({ kind: "input", input: { kind: "start", event: "e", data: {} } });
    expect(accepted(await engine.run(`w/soon@${at(2)}`).state())).toMatchObject({ status: "completed" });
    expect(await engine.startTimers()).toEqual([
      expect.objectContaining({ workflow: "w", event: "e", dueAt: START + 9 * MINUTE, remaining: -1 }),
    ]);
    expect(await engine.startTimers({ tenant: "other" })).toEqual([]);
  });

  it("[D17.13] [D9.7] does not start after the end of its cycle, whether that says a number or not", async () => {
    const { engine, clock } = testEngine();
    const until = (id: string, head: string): JsonObject => ({
      id,
      on: "timer",
      cycle: `${head}/PT1M/${at(2)}`,
    });
    accepted(await engine.deploy(starting([until("a", "R"), until("b", "R9")])));
    await clock.advance(10 * MINUTE);
    expect(await runsOf(engine)).toEqual(
      ["a", "b"].flatMap((id) => [`w/${id}@${at(1)}`, `w/${id}@${at(2)}`]),
    );
    expect(await engine.startTimers()).toEqual([]);
  });

  it("[D17.13] beside messages, and can be started by the application under any of its events", async () => {
    const { engine, clock } = testEngine();
    accepted(await engine.deploy(starting([{ id: "m", on: "message", name: "go" }, every(5)])));
    accepted(await engine.publish({ name: "go" }));
    accepted(await engine.start({ workflow: "w", id: "own", event: "e" }));
    expect(await engine.start({ workflow: "w", event: "x" })).toMatchObject({ code: "invalid" });
    await clock.advance(5 * MINUTE);
    const runs = await runsOf(engine);
    expect(runs).toHaveLength(3);
    expect(runs).toEqual(expect.arrayContaining(["own", `w/e@${at(5)}`]));
  });

  it("[D17.13] is not started by an engine that does no work in the background, and late by the next one", async () => {
    const store = memoryStore();
    const idle = testEngine({ store, concurrency: 0 });
    accepted(await idle.engine.deploy(starting([every(5)])));
    await idle.clock.advance(12 * MINUTE);
    expect(await runsOf(idle.engine)).toEqual([]);
    const working = testEngine({ store, clock: idle.clock });
    working.engine.resume();
    await working.settle();
    expect(await runsOf(working.engine)).toEqual([`w/e@${at(5)}`, `w/e@${at(10)}`]);
  });

  it("[D17.13] starts once at a time that two versions have, and at no time of the older one that fell away", async () => {
    const { engine, clock, store } = testEngine();
    const date: JsonObject = { id: "d", on: "timer", date: at(3) };
    accepted(await engine.deploy(starting([date, every(2)])));
    await clock.advance(3 * MINUTE);
    accepted(await engine.deploy(starting([date, every(5)], "w", "y")));
    await clock.advance(5 * MINUTE);
    expect(await runsOf(engine)).toEqual([`w/d@${at(3)}`, `w/e@${at(2)}`, `w/e@${at(8)}`]);
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["s", "start"],
            ["z", "end"],
          ],
          [["s", "z"]],
        ),
      ),
    );
    await clock.advance(60 * MINUTE);
    expect(await store.startTimers({ limit: 9 })).toEqual([]);
    expect(await runsOf(engine)).toHaveLength(3);
  });

  it("[D17.13] whose run is refused says so, and tries again later without waiting for it elsewhere", async () => {
    const told: unknown[] = [];
    const logger = {
      info: () => {},
      debug: () => {},
      error: () => {},
      warn: (_: string, facts: unknown) => told.push(facts),
    };
    const inner = memoryStore();
    let isThere = false;
    const store = {
      ...inner,
      definition: async (hash: Parameters<typeof inner.definition>[0]) =>
        isThere ? inner.definition(hash) : null,
    };
    const deployer = testEngine({ store: inner });
    accepted(await deployer.engine.deploy(starting([every(1)])));
    await deployer.engine.close();
    const { engine, clock } = testEngine({ store, logger: logger as never, clock: deployer.clock });
    engine.resume();
    await clock.advance(MINUTE);
    expect(told).toEqual([expect.objectContaining({ workflow: "w", event: "e", code: "not-found" })]);
    isThere = true;
    await clock.advance(MINUTE / 2);
    expect(await runsOf(engine)).toEqual([`w/e@${at(1)}`]);
  });

  it("[D17.13] goes on when somebody else has used the id of a time, and says so", async () => {
    const told: string[] = [];
    const logger = {
      info: () => {},
      debug: () => {},
      warn: () => {},
      error: (text: string) => told.push(text),
    };
    const { engine, clock } = testEngine({ logger: logger as never });
    accepted(await engine.deploy(starting([every(1)])));
    accepted(await engine.start({ workflow: "w", id: `w/e@${at(1)}`, businessKey: "another" }));
    await clock.advance(2 * MINUTE);
    expect(told).toEqual(["a timer found another run under the id of its own"]);
    expect(await runsOf(engine)).toEqual([`w/e@${at(1)}`, `w/e@${at(2)}`]);
  });

  it("[D17.13] a store that cannot be read for a while delays a start and loses none", async () => {
    const inner = memoryStore();
    let faults = 3;
    const store = {
      ...inner,
      startTimers: async (query: Parameters<typeof inner.startTimers>[0]) => {
        faults -= 1;
        if (faults >= 0) throw new StoreError("busy", "not now");
        return inner.startTimers(query);
      },
    };
    const { engine, clock } = testEngine({ store });
    accepted(await engine.deploy(starting([every(1)])));
    await clock.advance(3 * MINUTE);
    expect(await runsOf(engine)).toEqual([1, 2, 3].map((n) => `w/e@${at(n)}`));
  });
});

describe("what is declared", () => {
  it("KIND009 a start reads no time from D, and ENGINE007 its times are ISO 8601", async () => {
    const { engine } = testEngine();
    const refusal = async (event: JsonObject) => {
      const answer = await engine.deploy(starting([{ id: "e", on: "timer", ...event }]));
      return answer.kind === "refused" ? answer.message : "deployed";
    };
    expect(await refusal({ key: "when" })).toMatch(/KIND009.*no data/);
    expect(await refusal({ duration: "soon" })).toMatch(/ENGINE007/);
    expect(await refusal({ cycle: "PT1H" })).toMatch(/ENGINE007/);
    expect(await refusal({ cycle: "R/P1D/2030-01-01" })).toBe("deployed");
    expect(await refusal({ cycle: "R5/P1D/2030-01-01" })).toBe("deployed");
    expect(await refusal({ cycle: "R/2030-01-01/P1D" })).toBe("deployed");
    expect(await refusal({})).toMatch(/KIND009/);
  });

  it("[D17.13] what no time can reach is dead, and what a time leads into is proved as any start", async () => {
    const { engine } = testEngine();
    const join = (labels: readonly string[]) =>
      flow(
        "w",
        [
          ["s", "start", { events: labels.map((id) => every(1, id)) }],
          ["a", "gateway"],
          ["b", "gateway"],
          ["j", "gateway", undefined, { join: "all" }],
          ["z", "end"],
        ],
        [
          ...labels.map((id, n) => ["s", n === 0 ? "a" : "b", id] as const),
          ["a", "j"],
          ["b", "j"],
          ["j", "z"],
        ],
      );
    const answer = await engine.deploy(join(["e", "f"]));
    expect(answer).toMatchObject({ kind: "refused", code: "unproved" });
    expect(answer.kind === "refused" && answer.message).toMatch(/O1 fails.*O3 fails/);
  });

  it("[D17.13] ids differ where workflow, event or time do, and are short enough for a run", () => {
    const ids = [
      { workflow: "a/b", event: "c", dueAt: 0 },
      { workflow: "a", event: "b/c", dueAt: 0 },
      { workflow: "a", event: "b", dueAt: 0 },
      { workflow: "a", event: "b@c", dueAt: 0 },
      { workflow: "a", event: "b", dueAt: 1 },
      { workflow: "w".repeat(300), event: "b", dueAt: 0 },
      { workflow: "w".repeat(301), event: "b", dueAt: 0 },
      { workflow: "w".repeat(300), event: "c", dueAt: 0 },
    ].map(timedRunId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[2]).toBe("a/b@1970-01-01T00:00:00.000Z");
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(256);
  });
});

describe("times that passed while nobody looked", () => {
  const WEEK = 7 * 24 * 60 * MINUTE;
  /** An engine that begins a week after the workflow was deployed, with what its log says. */
  const afterAWeek = async (cycle: string, limits: object) => {
    const idle = testEngine({ concurrency: 0 });
    accepted(await idle.engine.deploy(starting([{ id: "e", on: "timer", cycle }])));
    await idle.clock.jumpTo(START + WEEK);
    const warned: unknown[] = [];
    const quiet = () => {};
    const logger = {
      info: quiet,
      debug: quiet,
      error: quiet,
      warn: (_: string, facts: unknown) => warned.push(facts),
    };
    // Of what the engine has under way: commits that have begun and not ended.
    const seen = { underWay: 0, most: 0 };
    const store = {
      ...idle.store,
      commit: async (turns: Parameters<typeof idle.store.commit>[0]) => {
        seen.underWay += turns.length;
        seen.most = Math.max(seen.most, seen.underWay);
        const results = await idle.store.commit(turns);
        seen.underWay -= turns.length;
        return results;
      },
    };
    const { engine, settle, clock } = testEngine({
      store,
      clock: idle.clock,
      limits,
      logger: logger as never,
    });
    engine.resume();
    await settle();
    return { engine, warned, seen, clock, settle };
  };

  it("[D17.13] of a timer of a second that nobody looked at for a week only the latest start, one at a time", async () => {
    const { engine, warned, seen, clock } = await afterAWeek("R/PT1S", { missedStartsMax: 20 });
    const second = (n: number) => `w/e@${new Date(START + WEEK - n * 1_000).toISOString()}`;
    const late = Array.from({ length: 20 }, (_, n) => second(n)).sort();
    expect(await runsOf(engine)).toEqual(late);
    expect(warned).toEqual([expect.objectContaining({ workflow: "w", event: "e", count: 604_780 })]);
    expect(seen.most).toBe(1);
    await clock.advance(1_000);
    expect(await runsOf(engine)).toEqual([...late, second(-1)]);
    expect(warned).toHaveLength(1);
  });

  it("[D17.13] at most a thousand are late unless the engine is told otherwise", async () => {
    const { engine, warned } = await afterAWeek("R/PT10M", {});
    // A week has 1,008 times of ten minutes.
    expect((await engine.counts()).runs.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
    expect(warned).toEqual([expect.objectContaining({ count: 8 })]);
  }, 60_000);

  it("[D17.13] every one starts where no more have passed than the limit, and a number of times counts those left out", async () => {
    const all = await afterAWeek("R/P1D", { missedStartsMax: 7 });
    expect(await runsOf(all.engine)).toHaveLength(7);
    expect(all.warned).toEqual([]);
    const five = await afterAWeek("R5/P1D", { missedStartsMax: 2 });
    expect(await runsOf(five.engine)).toEqual([4, 5].map((day) => `w/e@${at(day * 24 * 60)}`));
    expect(five.warned).toEqual([expect.objectContaining({ count: 3 })]);
    expect(await five.engine.startTimers()).toEqual([]);
  });

  it("[D17.13] [D9.7] what is left out is all but the latest, by counting (oracle)", () => {
    const every = fc.constantFrom(
      { text: "PT1S", plus: { seconds: 1 } },
      { text: "PT7M", plus: { minutes: 7 } },
      { text: "P1D", plus: { days: 1 } },
      { text: "P1M", plus: { months: 1 } },
    );
    fc.assert(
      fc.property(
        every,
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: -1, max: 60 }),
        fc.nat(999),
        ({ text, plus }, passed, max, remaining, beyond) => {
          const anchor = DateTime.fromISO("2026-01-31T00:00:00Z", { zone: "utc" });
          // Counted from the anchor: a month after 31 January and two months after it are the last of February and 31 March.
          const time = (k: number): number => {
            const [[unit, each]] = Object.entries(plus) as [[string, number]];
            return anchor.plus({ [unit]: each * k }).toMillis();
          };
          const timer = { event: "e", dueAt: time(0), remaining, repeat: `R/${anchor.toISO()}/${text}` };
          const now = time(passed) + (beyond % 1_000);
          // Oracle: the times that there are and have come, one by one.
          const come = Array.from({ length: passed + 1 }, (_, k) => k).filter(
            (k) => remaining === -1 || k <= remaining,
          );
          const first = come[Math.max(0, come.length - max)] ?? 0;
          const out = leftOut(timer, now, max);
          expect(out?.count ?? 0).toBe(first);
          if (out !== null) {
            expect(out.next.dueAt).toBe(time(first));
            expect(out.next.remaining).toBe(remaining === -1 ? -1 : remaining - first);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
