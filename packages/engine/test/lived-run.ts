/** A run that has seen much: for the tests that look back. */
import { memoryStore, type RunStore } from "@tessera/persist";
import { expect } from "vitest";
import { accepted } from "../src/index.ts";
import { answers, scriptedPort, testEngine, throws } from "../src/testing.ts";
import { flow } from "./definitions.ts";

/** A job, a person, a mutation and a repeated timer. */
export const LONG = flow(
  "w",
  [
    ["s", "gateway", undefined, { split: "all" }],
    ["t", "tool", { retry: { attempts: 2, backoffMs: 1_000 } }],
    ["h", "human"],
    ["f", "transform"],
    ["m", "gateway"],
    ["n", "gateway"],
    ["j", "gateway", undefined, { join: "all" }],
    ["d", "timer", { cycle: "R2/PT1H" }],
    ["z", "end"],
  ],
  [
    ["s", "t"],
    ["s", "h"],
    ["t", "m"],
    ["t", "m", "error"],
    ["h", "f"],
    ["f", "n"],
    ["f", "n", "error"],
    ["n", "j"],
    ["m", "j"],
    ["j", "d"],
    ["d", "z"],
  ],
);

/** A run with a failed attempt, a claim, a completion, a mutation and a timer behind it. */
export async function lived(store: RunStore = memoryStore()) {
  const port = scriptedPort([throws(new Error("once")), answers({ patch: { t: 1 } })]);
  const test = testEngine({
    store,
    ports: { t: port.port },
    functions: {
      f: () => ({
        patch: { f: 1 },
        mutation: { create: [{ id: "o", type: "t", payload: {}, links: [] }], update: [], delete: [] },
      }),
    },
    limits: { snapshotTurns: 3 },
  });
  accepted(await test.engine.deploy(LONG));
  const run = accepted(await test.engine.start({ workflow: "w", id: "r", data: { a: 1 }, by: "app" }));
  await test.settle();
  accepted(await test.engine.workItems.claim({ task: "r/h.1", by: { id: "ann" } }));
  accepted(await test.engine.workItems.complete({ task: "r/h.1", by: { id: "ann" } }));
  await test.clock.advance(1_000);
  await test.clock.advance("PT2H");
  expect(await run.result()).toMatchObject({ status: "completed" });
  return { ...test, run };
}
