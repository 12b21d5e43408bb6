/** @module Jobs that a process claims and gives back before it calls their port: nothing has begun, so nothing is lost. */
import { STANDARD_KINDS } from "@tessera/gateways";
import { memoryStore, type RunStore } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFile } from "../../persist/test/temporary.ts";
import { accepted, reconciled } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

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

const TIMES = 4;

describe.each(STORES)("a job that is given back unbegun, on %s", (_name, makeStore) => {
  /** The store as one engine has it, with something that happens in the moment of each claim of jobs. */
  const onJobs = (inner: RunStore, happen: () => void): RunStore => ({
    ...inner,
    claimEffects: async (owner, now, leaseMs, limit, kinds) => {
      const found = await inner.claimEffects(owner, now, leaseMs, limit, kinds);
      if (found.some(({ effect }) => effect.kind === "job")) happen();
      return found;
    },
    close: async () => undefined,
  });

  /** A run whose job waits, and `TIMES` engines that are closed in the moment in which they claim it. */
  const closedWhileClaiming = async (store: RunStore) => {
    const first = testEngine({ store, concurrency: 0 });
    accepted(await first.engine.deploy(single("w", ["t", "tool"])));
    accepted(await first.engine.start({ workflow: "w", id: "r" }));
    for (let time = 0; time < TIMES; time += 1) {
      let closing: Promise<void> | null = null;
      const stopping = testEngine({
        store: onJobs(store, () => {
          closing ??= stopping.engine.close({ drainMs: 0 });
        }),
        clock: first.clock,
        ports: { t: () => expect.unreachable("it was to be given back") },
        limits: { claimsMax: 1 },
      });
      stopping.engine.resume();
      await stopping.settle();
      expect(closing).not.toBeNull();
      await closing;
    }
    return first.clock;
  };

  it("[D10.11] is not lost, however many processes closed in the moment in which they had claimed it", async () => {
    const store = makeStore();
    const clock = await closedWhileClaiming(store);
    const asked = { call: 0, lookedUp: 0 };
    const t = reconciled(
      () => {
        asked.call += 1;
        return {};
      },
      () => {
        asked.lookedUp += 1;
        return null;
      },
    );
    const { engine, settle } = testEngine({ store, clock, ports: { t }, limits: { claimsMax: 1 } });
    engine.resume();
    await settle();
    expect(accepted(await engine.run("r").state())).toMatchObject({ status: "completed" });
    expect(asked).toEqual({ call: 1, lookedUp: 0 });
    await engine.close();
  });

  it("[D9.8] is not lost to processes that cannot open its version", async () => {
    const store = makeStore();
    const tool = STANDARD_KINDS.get("tool");
    if (tool === undefined) throw new Error("no such kind");
    const own = { ...tool, name: "own", version: 3 };
    const first = testEngine({ store, kinds: [own], concurrency: 0 });
    const definition = flow(
      "w",
      [
        ["t", "own"],
        ["z", "end"],
        ["broken", "end", { terminate: true }],
      ],
      [
        ["t", "z"],
        ["t", "broken", "error"],
      ],
    );
    accepted(await first.engine.deploy(definition));
    accepted(await first.engine.start({ workflow: "w", id: "r" }));
    const { clock } = first;
    const leaseMs = 1_000;
    const old = testEngine({ store, clock, limits: { leaseMs } });
    old.engine.resume();
    await clock.advance(TIMES * leaseMs);
    await old.settle();
    await old.engine.close();
    await clock.advance(leaseMs);
    const able = testEngine({
      store,
      clock,
      kinds: [own],
      ports: { t: () => ({}) },
      limits: { claimsMax: 1 },
    });
    able.engine.resume();
    await able.settle();
    expect(accepted(await able.engine.run("r").state())).toMatchObject({ status: "completed" });
  });

  it("[D9.8] was begun when its call was abandoned: the next process asks what became of it", async () => {
    const store = makeStore();
    const first = testEngine({ store, ports: { t: () => new Promise<never>(() => {}) } });
    accepted(await first.engine.deploy(single("w", ["t", "tool"])));
    accepted(await first.engine.start({ workflow: "w", id: "r" }));
    await first.settle();
    await first.engine.close({ drainMs: 0 });
    const t = reconciled(
      () => expect.unreachable("its effect is done"),
      () => ({ patch: { found: true } }),
    );
    const { engine, settle } = testEngine({ store, clock: first.clock, ports: { t } });
    engine.resume();
    await settle();
    expect(accepted(await engine.run("r").state())).toMatchObject({ data: { found: true } });
  });
});
