/** @module Timers that cannot fire just now, where nothing is polled: the others fire in time, and they themselves soon. */
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

const timed = (id: string, duration: string) =>
  flow(
    id,
    [
      ["t", "timer", { duration }],
      ["z", "end"],
    ],
    [["t", "z"]],
  );

const OP = { by: { id: "op" }, reason: "test" };

describe.each(STORES)("timers with setbacks, without polling, on %s", (_name, makeStore) => {
  /** Two runs: "a" is due after an hour, "b" ten seconds later. `failing` says which runs' turns the store fails. */
  const two = async () => {
    const inner = makeStore();
    const failing = new Set<string>();
    const looks = { failing: false };
    const store: RunStore = {
      ...inner,
      commit: async (turns) => {
        if (turns.some(({ run }) => failing.has(run))) throw new StoreError("io", "The disk has a fault.");
        return inner.commit(turns);
      },
      dueItems: async (now, limit) => {
        if (looks.failing) throw new StoreError("io", "The disk has a fault.");
        return inner.dueItems(now, limit);
      },
    };
    const kit = testEngine({ store });
    accepted(await kit.engine.deploy(timed("one", "PT1H")));
    accepted(await kit.engine.deploy(timed("two", "PT3610S")));
    accepted(await kit.engine.start({ workflow: "one", id: "a" }));
    accepted(await kit.engine.start({ workflow: "two", id: "b" }));
    const status = async (run: string) => accepted(await kit.engine.run(run).state()).status;
    return { ...kit, failing, looks, status };
  };

  it("[D9.29] one that fails for good keeps the other from nothing", async () => {
    const { clock, failing, status } = await two();
    failing.add("a");
    await clock.advance("PT1H");
    await clock.advance("PT10S");
    expect([await status("a"), await status("b")]).toEqual(["waiting", "completed"]);
  });

  it("[D9.29] one that failed once fires soon after", async () => {
    const { clock, failing, status } = await two();
    failing.add("a");
    await clock.advance("PT1H");
    failing.clear();
    expect(await status("a")).toBe("waiting");
    await clock.advance(50);
    expect(await status("a")).toBe("completed");
  });

  it("[D9.29] a look that failed is done again soon after", async () => {
    const { clock, looks, status } = await two();
    looks.failing = true;
    await clock.advance("PT1H");
    looks.failing = false;
    await clock.advance(50);
    expect(await status("a")).toBe("completed");
  });

  it("[D9.29] [D9.22] one that met the suspension of its run fires as soon as the run is resumed", async () => {
    const inner = makeStore();
    let onDue = async (): Promise<void> => {};
    const store: RunStore = {
      ...inner,
      dueItems: async (now, limit) => {
        const found = await inner.dueItems(now, limit);
        if (found.length > 0) await onDue();
        return found;
      },
    };
    const { engine, clock, settle } = testEngine({ store });
    accepted(await engine.deploy(timed("one", "PT1H")));
    accepted(await engine.start({ workflow: "one", id: "a" }));
    let count = 0;
    // Between the look and the turn somebody suspends the run.
    onDue = async () => {
      count += 1;
      if (count === 1) accepted(await engine.operations.suspend({ run: "a", ...OP }));
    };
    await clock.advance("PT1H");
    expect(accepted(await engine.run("a").state()).status).not.toBe("completed");
    accepted(await engine.operations.resume({ run: "a", ...OP }));
    await settle();
    expect(accepted(await engine.run("a").state()).status).toBe("completed");
  });
});
