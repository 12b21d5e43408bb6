/** @module Runs that the first of several messages starts and that then wait for the others: each message to its run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject, WorkflowDefinition } from "@tessera/core";
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepted, type Engine } from "../src/index.ts";
import { type TestEngine, testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

/** A start for all of `names`, whichever comes first: under each what stands behind it, and a catch for the others. */
function together(names: readonly string[], key: string | null): WorkflowDefinition {
  const keyed = key === null ? {} : { key };
  const event = (id: string, name: string): JsonObject => ({
    id,
    on: "message",
    name,
    ...keyed,
    payload: { [`${name}Number`]: "number" },
  });
  return flow(
    "w",
    [
      [
        "s",
        "start",
        { events: names.map((name) => event(name, name)) },
        { split: Object.fromEntries(names.map((name) => [name, "all" as const])) },
      ],
      ...names.map((name) => [`await ${name}`, "catch", { events: [event("done", name)] }] as const),
      ...names.map((name) => [name, "gateway"] as const),
      ["j", "gateway", undefined, { join: "all" as const }],
      ["z", "end"],
      ["bad", "end", { outcome: "bad", terminate: true }],
    ],
    [
      ...names.flatMap((came) =>
        names.map((name) => ["s", name === came ? name : `await ${name}`, came] as const),
      ),
      ...names.flatMap((name) => [
        [`await ${name}`, name] as const,
        [`await ${name}`, "bad", "error"] as const,
        [name, "j"] as const,
      ]),
      ["j", "z"],
    ],
  );
}

const accept = ["O1", "O7"].map((obligation) => ({ obligation, reason: "test", by: "test" }));

interface Sent {
  readonly name: string;
  readonly key: string;
  /** Do the engines look before the next one is sent? */
  readonly isSettled: boolean;
}

/** Oracle: a message goes to the oldest run of its key that still waits for its name, else it starts one. */
function expected(names: readonly string[], sent: readonly Sent[]): readonly string[] {
  const runs: { readonly key: string; readonly got: Map<string, number> }[] = [];
  for (const [number, { name, key }] of sent.entries()) {
    const waiting = runs.find((run) => run.key === key && !run.got.has(name));
    if (waiting === undefined) runs.push({ key, got: new Map([[name, number]]) });
    else waiting.got.set(name, number);
  }
  return runs.map(({ key, got }) => {
    const numbers = names.map((name) => got.get(name) ?? "-");
    return `${key}: ${numbers.join(" ")} ${got.size === names.length ? "completed" : "waiting"}`;
  });
}

/** The same of the runs that are there. */
async function observed(engine: Engine, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = await engine.runs({ limit: 100 });
  return Promise.all(
    rows.map(async ({ run, businessKey }) => {
      const { data, status } = accepted(await engine.run(run).state());
      const numbers = names.map((name) => data[`${name}Number`] ?? "-");
      return `${businessKey ?? ""}: ${numbers.join(" ")} ${status}`;
    }),
  );
}

const names = ["order", "payment", "address"] as const;
const sending = fc.record({
  count: fc.constantFrom(2, 3),
  isKeyed: fc.boolean(),
  engines: fc.constantFrom(1, 2),
  sent: fc.array(fc.record({ name: fc.nat(2), key: fc.constantFrom("1", "2"), isSettled: fc.boolean() }), {
    minLength: 1,
    maxLength: 9,
  }),
});

/** Two handles of one storage. */
type Pair = readonly [RunStore, RunStore];

const inMemory = (second: (store: RunStore) => RunStore) => (): Pair => {
  const store = memoryStore();
  return [store, second(store)];
};

/** Law: whoever sends what how close together, on one or two engines, the runs are those of the oracle. */
async function togetherLaw(open: () => Pair, numRuns: number): Promise<void> {
  const seen = { close: 0, completed: 0, several: 0 };
  await fc.assert(
    fc.asyncProperty(sending, async ({ count, isKeyed, engines, sent: given }) => {
      const used = names.slice(0, count);
      const sent = given.map(({ name, key, isSettled }): Sent => {
        return { name: used[name % count] ?? "order", key: isKeyed ? key : "", isSettled };
      });
      const stores = open();
      const kits: TestEngine[] = stores
        .slice(0, engines)
        .map((store, at) => testEngine({ store, ids: counting(`e${at}`) }));
      const [kit] = kits;
      if (kit === undefined) return;
      accepted(await kit.engine.deploy(together(used, isKeyed ? "caseNumber" : null), { accept }));
      for (const { engine } of kits) engine.resume();
      const settle = async () => {
        // Both look at the same time.
        for (let round = 0; round < 3; round += 1) {
          for (const { engine } of kits) engine.resume();
          await Promise.all(kits.map((each) => each.settle()));
        }
      };
      for (const [number, { name, key, isSettled }] of sent.entries()) {
        const message = { name, data: { number }, ...(isKeyed ? { key } : {}) };
        const to = kits[number % kits.length] ?? kit;
        accepted(await to.engine.publish(message));
        if (isSettled) await settle();
        else seen.close += 1;
      }
      await settle();
      const runs = await observed(kit.engine, used);
      expect([...runs].sort()).toEqual([...expected(used, sent)].sort());
      expect(accepted(await kit.engine.audit()).isSound).toBe(true);
      seen.completed += runs.filter((run) => run.endsWith("completed")).length;
      seen.several += Number(engines > 1);
      for (const { engine } of kits) await engine.close();
      if (stores[1] !== stores[0]) for (const store of stores) await store.close();
    }),
    { numRuns, endOnFailure: true },
  );
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(numRuns / 6);
}

function counting(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}

describe("[D17.12] the first of several messages starts a run, the others belong to it", () => {
  it(
    "[D17.12] [D17.11] each message is taken by the run that the first of its key has started",
    () =>
      togetherLaw(
        inMemory((store) => store),
        120,
      ),
    120_000,
  );

  it("[D17.12] [D17.11] so it is where two engines share a file of SQLite, each with a connection of its own", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "tessera-together-"));
    let count = 0;
    try {
      await togetherLaw(() => {
        count += 1;
        const file = path.join(folder, `${count}.db`);
        return [sqliteStore({ path: file }), sqliteStore({ path: file })];
      }, 40);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);

  it("[D17.12] the law catches a look that misses what came first", async () => {
    const blind = (store: RunStore): RunStore => ({
      ...store,
      deliveries: async (now, limit) => (await store.deliveries(now, limit + 1)).slice(1),
    });
    await expect(togetherLaw(inMemory(blind), 200)).rejects.toThrow();
  }, 120_000);

  it("[D17.12] the key of the message is there, as it came where the payload says the same", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(together(["order", "payment"], "caseNumber"), { accept }));
    accepted(await engine.publish({ name: "order", key: 7, data: { number: 1 } }));
    await settle();
    const [row] = (await engine.runs({ limit: 9 })).rows;
    expect(accepted(await engine.run(row?.run ?? "").state()).data).toEqual({
      caseNumber: "7",
      orderNumber: 1,
    });

    const typed = together(["order", "payment"], "orderNumber");
    accepted(await engine.deploy({ ...typed, id: "typed" }, { accept }));
    const second = testEngine();
    accepted(await second.engine.deploy(typed, { accept }));
    accepted(await second.engine.publish({ name: "order", key: 7, data: { number: 7 } }));
    accepted(await second.engine.publish({ name: "payment", key: 7, data: { number: 8 } }));
    await second.settle();
    const [run] = (await second.engine.runs({ limit: 9 })).rows;
    expect(accepted(await second.engine.run(run?.run ?? "").state())).toMatchObject({
      status: "completed",
      data: { orderNumber: 7, paymentNumber: 8 },
    });
  });

  it("[D17.12] a message without the key starts nothing, says so, and holds up no other", async () => {
    const warnings: unknown[] = [];
    const logger = {
      info: () => {},
      error: () => {},
      debug: () => {},
      warn: (_: string, facts: unknown) => warnings.push(facts),
    };
    const { engine, settle } = testEngine({ logger: logger as never });
    accepted(await engine.deploy(together(["order", "payment"], "caseNumber"), { accept }));
    accepted(await engine.publish({ name: "order", data: { number: 0 } }));
    accepted(await engine.publish({ name: "order", key: "k", data: { number: 1 } }));
    accepted(await engine.publish({ name: "payment", key: "k", data: { number: 2 } }));
    await settle();
    expect(await observed(engine, ["order", "payment"])).toEqual(["k: 1 2 completed"]);
    expect(warnings).toEqual([expect.objectContaining({ name: "order", code: "invalid" })]);
  });
});
