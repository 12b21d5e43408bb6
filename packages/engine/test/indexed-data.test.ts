/** Runs by what they hold. Oracle: the states of all runs, looked at one by one. */
import type { JsonObject } from "@tessera/core";
import { memoryStore, type RunStore } from "@tessera/persist";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { single } from "./definitions.ts";

const PATHS = ["city", "customer.age", "list.0"];
const HUMAN = single("w", ["h", "human"], ["done"]);
const BY = { by: { id: "ops" }, reason: "test" };

const scalar = fc.constantFrom(1, 2, "1", "Rome", true, null);
const data = fc.record(
  {
    city: fc.oneof(scalar, fc.constant({})),
    customer: fc.oneof(scalar, fc.record({ age: scalar }), fc.constant({})),
    list: fc.oneof(fc.array(scalar, { maxLength: 2 }), fc.constant([[1]])),
  },
  { requiredKeys: [] },
);
const edits = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), data), { maxLength: 6 });

/** The value that a query asks for, as one would read it by hand. */
function byHand(state: JsonObject, path: string): unknown {
  const customer = state["customer"];
  const list = state["list"];
  const found = {
    city: state["city"],
    "customer.age":
      typeof customer === "object" && customer !== null ? (customer as JsonObject)["age"] : undefined,
    "list.0": Array.isArray(list) ? list[0] : undefined,
  }[path];
  return typeof found === "object" && found !== null ? undefined : found;
}

async function lawOfQueries(store: () => RunStore): Promise<void> {
  await fc.assert(
    fc.asyncProperty(edits, async (list) => {
      const { engine } = testEngine({ store: store(), indexedData: { w: PATHS } });
      accepted(await engine.deploy(HUMAN));
      const ids = ["a", "b", "c"];
      for (const id of ids) accepted(await engine.start({ workflow: "w", id, data: { city: "Rome" } }));
      for (const [run, change] of list) {
        const all = { city: undefined, customer: undefined, list: undefined, ...change };
        accepted(await engine.operations.edit({ run, data: all, ...BY }));
      }
      const states = new Map<string, JsonObject>();
      for (const id of ids) states.set(id, accepted(await engine.run(id).state()).data as JsonObject);
      for (const path of PATHS) {
        for (const value of [1, 2, "1", "Rome", true, null]) {
          const found = await engine.runs({ limit: 9, workflow: "w", data: { [path]: value } });
          const expected = ids.filter((id) => byHand(states.get(id) ?? {}, path) === value).reverse();
          expect(found.rows.map(({ run }) => run)).toEqual(expected);
        }
      }
      await engine.close();
    }),
    { numRuns: 25 },
  );
}

describe("runs by data", () => {
  it("[D9.17] are those whose state has the value, after every turn", async () => {
    await lawOfQueries(memoryStore);
  });

  it("[D9.17] the law notices values that are never taken out", async () => {
    const keeping = (): RunStore => {
      const store = memoryStore();
      const commit: RunStore["commit"] = (turns) =>
        store.commit(
          turns.map(({ indexed, ...turn }) => ({
            ...turn,
            ...(indexed === undefined ? {} : { indexed: indexed.filter(({ value }) => value !== undefined) }),
          })),
        );
      return { ...store, commit };
    };
    await expect(lawOfQueries(keeping)).rejects.toThrow();
  });

  it("[D9.17] a path that nobody indexes is a mistake of the caller, not an empty answer", async () => {
    const { engine } = testEngine({ indexedData: { w: ["city"], v: ["sum"] } });
    await expect(engine.runs({ limit: 9, data: { age: 1 } })).rejects.toMatchObject({ code: "misuse" });
    await expect(engine.runs({ limit: 9, workflow: "w", data: { sum: 1 } })).rejects.toMatchObject({
      code: "misuse",
    });
    expect(await engine.runs({ limit: 9, data: { sum: 1 } })).toEqual({ rows: [], next: null });
  });

  it("[D9.17] runs from before are found once they are indexed anew", async () => {
    const store = memoryStore();
    const before = testEngine({ store });
    accepted(await before.engine.deploy(HUMAN));
    for (const id of ["a", "b"])
      accepted(await before.engine.start({ workflow: "w", id, data: { city: "Oslo" } }));
    const { engine } = testEngine({ store, indexedData: { w: ["city"] } });
    const found = async () =>
      (await engine.runs({ limit: 9, data: { city: "Oslo" } })).rows.map(({ run }) => run);
    expect(await found()).toEqual([]);
    expect(await engine.reindex({ workflow: "w" })).toEqual({ kind: "reindexed", runs: 2, unread: [] });
    expect(await found()).toEqual(["b", "a"]);
  });

  it("[D10.19] counts follow the runs", async () => {
    const { engine } = testEngine();
    const { hash } = accepted(await engine.deploy(HUMAN));
    for (const id of ["a", "b"]) accepted(await engine.start({ workflow: "w", id }));
    accepted(await engine.run("a").complete({ node: "h", by: { id: "ann" } }));
    const { runs, items } = await engine.counts({ tenant: "default" });
    const row = { tenant: "default", workflow: "w", definition: hash, count: 1 };
    expect([...runs].sort((x, y) => (x.status < y.status ? -1 : 1))).toEqual([
      { ...row, status: "completed" },
      { ...row, status: "waiting" },
    ]);
    expect(items).toEqual([{ tenant: "default", kind: "work-item", count: 1 }]);
  });
});
