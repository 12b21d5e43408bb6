/** @module A message that cannot be received, with very many behind it: those of its key wait, nobody else does. */
import { memoryStore, type RunStore, StoreError } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFile } from "../../persist/test/temporary.ts";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const STORES: readonly (readonly [name: string, make: () => RunStore])[] = [
  ["memory", memoryStore],
  [
    "SQLite",
    () => {
      const store = sqliteStore({ path: temporaryFile() });
      onTestFinished(() => store.close());
      return store;
    },
  ],
];

/** An order starts it, and takes what belongs to the same case. */
const CASE = flow(
  "case",
  [
    [
      "s",
      "start",
      {
        events: [{ id: "order", on: "message", name: "order", key: "number", payload: { number: "number" } }],
      },
    ],
    ["c", "catch", { events: [{ id: "more", on: "message", name: "order", key: "number" }] }],
    ["z", "end"],
    ["bad", "end", { outcome: "error" }],
  ],
  [
    ["s", "c", "order"],
    ["c", "z", "more"],
    ["c", "bad", "error"],
  ],
);

/** Waits for a message of its own. */
const OTHER = flow(
  "other",
  [
    ["c", "catch", { events: [{ id: "paid", on: "message", name: "paid" }] }],
    ["z", "end"],
  ],
  [["c", "z", "paid"]],
);

const accept = ["O1", "O7"].map((obligation) => ({ obligation, reason: "test", by: "test" }));

const BEHIND = 250;

describe.each(STORES)("a message that is not received, on %s", (_name, makeStore) => {
  it.each([
    ["that works in the background", 16],
    ["that does no background work", 0],
  ])("[D17.11] keeps its key waiting and nobody else, in an engine %s", async (_how, concurrency) => {
    const inner = makeStore();
    let isFailing = true;
    const tried: number[] = [];
    const store: RunStore = {
      ...inner,
      commit: async (turns) => {
        for (const turn of turns) {
          if (turn.created === undefined || turn.takes === undefined) continue;
          tried.push(turn.takes);
          if (isFailing) throw new StoreError("io", "The disk has a fault.");
        }
        return inner.commit(turns);
      },
    };
    const { engine, clock, settle } = testEngine({ store, concurrency });
    accepted(await engine.deploy(CASE, { accept }));
    accepted(await engine.deploy(OTHER, { accept }));
    accepted(await engine.start({ workflow: "other", id: "other" }));
    for (let count = 0; count < BEHIND; count += 1)
      await inner.publish(
        "default",
        { name: "order", key: "7", data: { number: "7" }, expiresAt: 9e15 },
        clock.now(),
      );
    accepted(await engine.publish({ name: "paid" }));
    await settle();
    expect(accepted(await engine.run("other").state()).status).toBe("completed");
    expect(new Set(tried).size).toBe(1);
    isFailing = false;
    if (concurrency === 0) return;
    await clock.advance("PT1M");
    await settle();
    // Each order starts a run, which takes the next one.
    const { rows } = await engine.runs({ workflow: "case", limit: 1_000 });
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => "completed"));
    expect(rows).toHaveLength(BEHIND / 2);
    expect([...tried].sort((a, b) => a - b)).toEqual(tried);
  });
});
