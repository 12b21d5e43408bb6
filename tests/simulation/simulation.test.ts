/** @module The simulation of the whole engine, a little of it; `npm run simulate` is the long form. */
import {
  describeFailure,
  pointsOf,
  readyScenario,
  replaySimulation,
  STORE_CALLS,
  simulate,
  WORLD_POINTS,
} from "@tessera/engine/simulate";
import { beforeAll, describe, expect, it } from "vitest";
import { CORRESPONDENCE } from "./correspondence.mjs";
import { PLANTED } from "./planted.mjs";
import { PLANTED_MESSAGES } from "./planted-messages.mjs";
import { PLANTED_SCHEDULE } from "./planted-schedule.mjs";
import { onSqlite, SCENARIO, SMALL } from "./scenarios.mjs";
import { SCHEDULE } from "./schedule.mjs";

/** Seeds within which every planted fault must be found; the worst of them needs 24. */
const SEEDS_TO_FIND = 100;

let small: Awaited<ReturnType<typeof readyScenario>>;
let posted: typeof small;
let timed: typeof small;
beforeAll(async () => {
  small = await readyScenario(SMALL);
  posted = await readyScenario(CORRESPONDENCE);
  timed = await readyScenario(SCHEDULE);
});

describe("[O11] [O14] [O16] the engine in a simulated world", () => {
  it.each([
    ["in memory", SCENARIO, 12],
    ["over SQLite", onSqlite(SMALL), 3],
  ] as const)("keeps every invariant %s", async (_, scenario, seeds) => {
    const { failure, faults } = await simulate(scenario, { seeds });
    expect(failure === null ? "" : describeFailure(failure)).toBe("");
    expect(faults.size).toBeGreaterThan(10);
  });

  it.each(Object.entries(PLANTED))("finds the fault that is planted: %s", async (_, plant) => {
    const { failure } = await simulate(small, {
      seeds: SEEDS_TO_FIND,
      plant,
      shrinksMax: 0,
      eventsMax: 3_000,
    });
    expect(failure).not.toBeNull();
  });

  it("makes a failure smaller, and shows it again by its choices", async () => {
    const plant = PLANTED["dropped write: a group is answered and not written, now and then"];
    const options = { seeds: SEEDS_TO_FIND, plant, eventsMax: 3_000 };
    const whole = await simulate(small, { ...options, shrinksMax: 0 });
    const { failure } = await simulate(small, { ...options, shrinksMax: 40 });
    expect(failure?.choices.length).toBeLessThan(whole.failure?.choices.length ?? 0);
    const again = await replaySimulation(small, failure?.choices ?? [], options);
    expect(again.violation).toBe(failure?.violation);
    expect(again.trace).toEqual(failure?.trace);
  });
});

describe("[D17.10] [D17.11] [D17.14] messages and signals in a simulated world", () => {
  it.each([
    ["in memory", CORRESPONDENCE, 15],
    ["over SQLite", onSqlite(CORRESPONDENCE), 3],
  ] as const)("[D17.14] keep their laws %s", async (_, scenario, seeds) => {
    const { failure, faults } = await simulate(scenario, { seeds });
    expect(failure === null ? "" : describeFailure(failure)).toBe("");
    expect(faults.get("message:twice")).toBeGreaterThan(0);
  });

  it.each(Object.entries(PLANTED_MESSAGES))(
    "[D17.14] one finds the fault that is planted: %s",
    async (_, plant) => {
      const { failure } = await simulate(posted, {
        seeds: SEEDS_TO_FIND,
        plant,
        shrinksMax: 0,
        eventsMax: 3_000,
      });
      expect(failure).not.toBeNull();
    },
  );
});

describe("[D17.13] [D17.15] times that start workflows in a simulated world", () => {
  it.each([
    ["in memory", SCHEDULE, 10],
    ["over SQLite", onSqlite(SCHEDULE), 2],
  ] as const)(
    "[D17.15] [D10.24] keep their laws %s",
    async (_, scenario, seeds) => {
      const { failure, faults } = await simulate(scenario, { seeds });
      expect(failure === null ? "" : describeFailure(failure)).toBe("");
      expect(faults.get("workers:several")).toBeGreaterThan(0);
    },
    120_000,
  );

  it.each(Object.entries(PLANTED_SCHEDULE))(
    "[D17.15] one finds the fault that is planted: %s",
    async (_, plant) => {
      const { failure } = await simulate(timed, {
        seeds: SEEDS_TO_FIND,
        plant,
        shrinksMax: 0,
        // Without a fault none of them needs 1,500.
        eventsMax: 5_000,
      });
      expect(failure).not.toBeNull();
    },
    60_000,
  );
});

describe("the points at which faults happen", () => {
  /** Calls that only the scenario of times makes often. */
  const OF_SCHEDULES = ["journal", "putDefinition", "definitionVersions", "renewLease", "moveStartTimer"];
  const OF_MESSAGES = ["publish", "broadcast"];
  /** Seeds within which a point must be hit, in the scenario that makes the call. */
  const SEEDS_TO_HIT = 30;

  it("are hit, every one that has a name, and nothing is violated", async () => {
    const hits = new Map<string, number>();
    for (const point of STORE_CALLS.flatMap(pointsOf)) {
      const [call = ""] = point.split(":");
      const scenario = OF_SCHEDULES.includes(call) ? timed : OF_MESSAGES.includes(call) ? posted : small;
      for (let seed = 1; seed <= SEEDS_TO_HIT && !hits.has(point); seed += 1) {
        const options = { seeds: 1, firstSeed: seed, aimedAt: point, shrinksMax: 0 };
        const { failure, faults } = await simulate(scenario, options);
        expect(failure === null ? "" : describeFailure(failure)).toBe("");
        for (const [name, count] of faults) hits.set(name, (hits.get(name) ?? 0) + count);
      }
    }
    const missed = [...STORE_CALLS.flatMap(pointsOf), ...WORLD_POINTS].filter((point) => !hits.has(point));
    expect(missed).toEqual([]);
  }, 300_000);
});
