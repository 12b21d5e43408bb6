/** @module Faults of the storage: a store that fails now and then, before or after it has written. */
import { memoryStore, type RunStore, StoreError } from "@tessera/persist";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepted, type Port, type Refused } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const CHILD = flow(
  "child",
  [
    ["t", "tool", { port: "p" }],
    ["z", "end"],
    ["e", "end", { outcome: "broken" }],
  ],
  [
    ["t", "z"],
    ["t", "e", "error"],
  ],
);
const MAIN = flow(
  "main",
  [
    ["t", "tool", { port: "p", retry: { attempts: 2, backoffMs: 100 } }],
    ["c", "subprocess", { workflow: "child", outcomes: ["done", "broken"], outputs: { out: "t" } }],
    ["h", "human"],
    ["d", "timer", { duration: "PT1H" }],
    ["z", "end"],
  ],
  [
    ["t", "c"],
    ["t", "c", "error"],
    ["c", "h"],
    ["c", "h", "broken"],
    ["c", "h", "error"],
    ["c", "h", "cancelled"],
    ["h", "d"],
    ["d", "z"],
  ],
);

/** How a call fails: not at all, before it did anything, or after it did everything. */
type Fault = "none" | "before" | "after";

const FAILING = new Set<string | symbol>([
  "commit",
  "claimEffects",
  "dueItems",
  "releaseEffect",
  "dropEffect",
  "renewLease",
  "load",
  "nextDue",
  "nextEffect",
]);

/** A store whose calls fail by the list, in the order of the calls, and are good when the list is over. */
function flaky(inner: RunStore, faults: readonly Fault[]): RunStore {
  let call = 0;
  return new Proxy(inner, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || !FAILING.has(name)) return member;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const fault = faults[call] ?? "none";
        call += 1;
        if (fault === "before") throw new StoreError("busy", "not now");
        const answer: unknown = await member.apply(target, args);
        if (fault === "after") throw new StoreError("io", "it is written, but nobody knows");
        return answer;
      };
    },
  });
}

/** Asks again until the storage answers. */
async function insist<T extends { readonly kind: string }>(
  ask: () => Promise<T | Refused>,
): Promise<T | Refused> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      return await ask();
    } catch (fault) {
      expect(fault).toBeInstanceOf(StoreError);
    }
  }
  throw new Error("the storage never answers");
}

describe("a store that fails now and then", () => {
  it("[D9.5] [D9.8] [C20-78] loses nothing and does nothing twice", async () => {
    const arbitraryFaults = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constant<Fault>("none") },
        { weight: 1, arbitrary: fc.constantFrom<Fault>("before", "after") },
      ),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(arbitraryFaults, async (faults) => {
        const disk = memoryStore();
        const keys: string[] = [];
        const port: Port = ({ idempotencyKey, attempt, run }) => {
          keys.push(idempotencyKey);
          if (run === "r" && attempt === 1) throw new Error("once");
          return { patch: { t: run } };
        };
        const deployer = testEngine({ store: disk });
        for (const definition of [CHILD, MAIN]) accepted(await deployer.engine.deploy(definition));
        const test = testEngine({ store: flaky(disk, faults), ports: { p: port }, pollMs: 30_000 });
        accepted(await insist(() => test.engine.start({ workflow: "main", id: "r" })));
        for (let round = 0; round < 40; round += 1) {
          await test.clock.advance("PT5M");
          const { rows } = await disk.items({ tenant: "default", kind: "work-item", limit: 9 });
          for (const { run, item } of rows) {
            accepted(
              await insist(() =>
                test.engine.workItems.complete({
                  task: `${run}/${item.id}`,
                  by: { id: "ann" },
                  data: { ok: 1 },
                  commandId: "c",
                }),
              ),
            );
          }
        }
        const state = accepted(await insist(() => test.engine.run("r").state()));
        expect(state).toMatchObject({ status: "completed", data: { t: "r", out: "r/c.1", ok: 1 } });
        expect([...new Set(keys)].sort()).toEqual(["r/c.1/t.1", "r/t.1"]);
        expect(await testEngine({ store: disk }).engine.audit()).toMatchObject({ isSound: true });
        expect(await disk.nextEffect()).toBeNull();
        await test.engine.close({ drainMs: 0 });
      }),
      { numRuns: 25 },
    );
  });
});
