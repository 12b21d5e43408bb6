/** @module The simulation of the whole engine, a little of it; `npm run simulate` is the long form. */
import { describeFailure, readyScenario, replaySimulation, simulate } from "@tessera/engine/simulate";
import { beforeAll, describe, expect, it } from "vitest";
import { CORRESPONDENCE } from "./correspondence.mjs";
import { PLANTED } from "./planted.mjs";
import { PLANTED_MESSAGES } from "./planted-messages.mjs";
import { onSqlite, SCENARIO, SMALL } from "./scenarios.mjs";

/** Seeds within which every planted fault must be found; the worst of them needs 24. */
const SEEDS_TO_FIND = 100;

let small: Awaited<ReturnType<typeof readyScenario>>;
let posted: typeof small;
beforeAll(async () => {
  small = await readyScenario(SMALL);
  posted = await readyScenario(CORRESPONDENCE);
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
