/** @module Jobs that are claimed with the turn that opens them, and those that must be looked for. */
import { memoryStore, type RunStore, type Turn } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type Port } from "../src/index.ts";
import { answers, HANGS, scriptedPort, testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

/** A person, then `count` jobs in a row. */
const jobs = (count: number) => {
  const ids = Array.from({ length: count }, (_, index) => `t${index}`);
  const path = ["ask", ...ids, "z"];
  return flow(
    "w",
    [
      ["ask", "human", {}],
      ...ids.map((id) => [id, "tool", { port: "p" }] as const),
      ["z", "end"],
      ["broken", "end", { terminate: true }],
    ],
    [
      ...path.slice(1).map((id, index) => [path[index] ?? "", id] as const),
      ...ids.map((id) => [id, "broken", "error"] as const),
    ],
  );
};

/** One job. */
const straight = flow(
  "s",
  [
    ["t", "tool", { port: "p" }],
    ["z", "end"],
    ["broken", "end", { terminate: true }],
  ],
  [
    ["t", "z"],
    ["t", "broken", "error"],
  ],
);

/** A store that notes what is claimed, by looking and with turns. */
function noting(store: RunStore) {
  const looked: string[] = [];
  const claimed: string[] = [];
  let jobLooks = 0;
  const noted: RunStore = {
    ...store,
    claimEffects: async (owner, now, leaseMs, limit, kinds) => {
      if (kinds?.includes("job") === true) jobLooks += 1;
      const found = await store.claimEffects(owner, now, leaseMs, limit, kinds);
      looked.push(...found.map(({ effect }) => effect.id));
      return found;
    },
    commit: async (turns: readonly Turn[]) => {
      const results = await store.commit(turns);
      turns.forEach(({ effects }, at) => {
        if (results[at]?.kind === "ok") claimed.push(...(effects.claim?.effects ?? []));
      });
      return results;
    },
  };
  return { noted, looked, claimed, looks: () => jobLooks };
}

async function asked(store: RunStore, port: Port, more: Parameters<typeof testEngine>[0] = {}, count = 4) {
  const test = testEngine({ store, ports: { p: port }, ...more });
  accepted(await test.engine.deploy(jobs(count)));
  test.engine.resume();
  const run = accepted(await test.engine.start({ workflow: "w", id: "r" }));
  await test.settle();
  const answer = () =>
    test.engine.workItems.complete({ task: "r/ask.1", by: { id: "ann" }, outcome: "done" });
  return { ...test, run, answer };
}

describe("jobs that a turn opens", () => {
  it("[D10.25] are claimed with it by an engine that has slots, and no look is needed", async () => {
    const store = noting(memoryStore());
    const { run, answer, settle } = await asked(store.noted, scriptedPort([answers()]).port);
    const before = store.looks();
    accepted(await answer());
    await settle();
    expect(await run.result({ timeoutMs: 0 })).toMatchObject({ status: "completed" });
    expect(store.claimed).toEqual(["r/t0.1", "r/t1.1", "r/t2.1", "r/t3.1"]);
    expect(store.looked).toEqual([]);
    expect(store.looks()).toBe(before);
  });

  it("[D10.25] are looked for where the only slot is taken by the job before", async () => {
    const store = noting(memoryStore());
    const { run, answer, settle } = await asked(store.noted, scriptedPort([answers()]).port, {
      concurrency: 1,
    });
    accepted(await answer());
    await settle();
    expect(await run.result({ timeoutMs: 0 })).toMatchObject({ status: "completed" });
    expect(store.claimed).toEqual(["r/t0.1"]);
    expect(store.looked).toEqual(["r/t1.1", "r/t2.1", "r/t3.1"]);
  });

  it("[D10.25] are looked for in a store that knows no claims", async () => {
    const inner = memoryStore();
    const plain: RunStore = {
      ...inner,
      commit: (turns) =>
        inner.commit(
          turns.map((turn) => {
            const { claim: _, ...effects } = turn.effects;
            return { ...turn, effects };
          }),
        ),
    };
    const store = noting(plain);
    const { run, answer, settle } = await asked(store.noted, scriptedPort([answers()]).port, {
      concurrency: 2,
    });
    accepted(await answer());
    await settle();
    expect(await run.result({ timeoutMs: 0 })).toMatchObject({ status: "completed" });
    expect(store.looked).toEqual(["r/t0.1", "r/t1.1", "r/t2.1", "r/t3.1"]);
  });

  it("[D10.25] are left to others by an engine that does no work", async () => {
    const store = noting(memoryStore());
    const { answer, clock } = await asked(store.noted, scriptedPort([answers()]).port, { concurrency: 0 });
    accepted(await answer());
    expect(store.claimed).toEqual([]);
    expect(await store.noted.claimEffects("other", clock.now(), 1, 9, ["job"])).toHaveLength(1);
  });

  it("[D10.25] are somebody else's when the lease ends and the engine that claimed them is gone", async () => {
    const store = memoryStore();
    const dead = await asked(store, scriptedPort([HANGS]).port, { limits: { leaseMs: 9_000 } });
    accepted(await dead.answer());
    const until = dead.clock.now() + 9_000;
    expect(await store.claimEffects("other", until - 1, 50, 9)).toEqual([]);
    expect(await store.claimEffects("other", until, 50, 9)).toMatchObject([
      { effect: { id: "r/t0.1" }, claimCount: 2 },
    ]);
  });

  it("[D10.25] give their slots back when the turn is not committed", async () => {
    const inner = memoryStore();
    let isFailing = false;
    const store: RunStore = {
      ...inner,
      commit: async (turns) => {
        if (!isFailing) return inner.commit(turns);
        isFailing = false;
        return turns.map(() => ({ kind: "conflict" as const, on: "run" as const, expected: 1, found: 1 }));
      },
    };
    const noted = noting(store);
    const { run, answer, settle } = await asked(noted.noted, scriptedPort([answers()]).port, {
      concurrency: 2,
    });
    isFailing = true;
    accepted(await answer());
    await settle();
    expect(await run.result({ timeoutMs: 0 })).toMatchObject({ status: "completed" });
    expect(noted.claimed).toEqual(["r/t0.1", "r/t1.1", "r/t2.1", "r/t3.1"]);
  });

  it("[D10.25] are given back at once when the engine closes in the same moment", async () => {
    const inner = memoryStore();
    let onCommit = (): void => {};
    const store: RunStore = {
      ...inner,
      commit: async (turns) => {
        const results = await inner.commit(turns);
        onCommit();
        return results;
      },
    };
    const port = scriptedPort([answers()]);
    const { engine, answer, settle, clock } = await asked(store, port.port);
    let closing: Promise<void> | null = null;
    onCommit = () => {
      closing ??= engine.close({ drainMs: 0 });
    };
    accepted(await answer());
    await settle();
    await closing;
    expect(port.calls).toHaveLength(0);
    expect(await inner.claimEffects("other", clock.now(), 50, 9)).toMatchObject([
      { effect: { id: "r/t0.1" } },
    ]);
  });

  it("[D10.25] do not go before those that wait for a slot, however many turns open more of them", async () => {
    const done: string[] = [];
    let finish = (): void => {};
    const port: Port = ({ run }) => {
      done.push(run);
      return new Promise((resolve) => {
        finish = () => resolve({ outcome: "done" });
      });
    };
    let isFlooding = false;
    let flood = async (): Promise<void> => {};
    const inner = memoryStore();
    const store: RunStore = {
      ...inner,
      // Between the look for commands and the look for jobs a slot may be free: then a turn comes.
      claimEffects: async (owner, now, leaseMs, limit, kinds) => {
        if (isFlooding && kinds?.includes("job") !== true) await flood();
        return inner.claimEffects(owner, now, leaseMs, limit, kinds);
      },
    };
    const { engine, settle } = testEngine({ store, ports: { p: port }, concurrency: 1 });
    accepted(await engine.deploy(straight));
    engine.resume();
    for (const id of ["old1", "old2", "old3"]) accepted(await engine.start({ workflow: "s", id }));
    await settle();
    let count = 0;
    flood = async () => {
      if (count < 9) accepted(await engine.start({ workflow: "s", id: `new${++count}` }));
    };
    isFlooding = true;
    for (let round = 0; round < 12; round += 1) {
      finish();
      await settle();
    }
    expect(count).toBe(9);
    expect(done.slice(0, 3)).toEqual(["old1", "old2", "old3"]);
    expect(done).toHaveLength(12);
  });

  it("[D10.25] have been given back when the engine is closed, however slow the store is", async () => {
    const inner = memoryStore();
    let onCommit = (): void => {};
    let givenBack = 0;
    const store: RunStore = {
      ...inner,
      commit: async (turns) => {
        const results = await inner.commit(turns);
        onCommit();
        return results;
      },
      releaseEffect: async (...effect) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await inner.releaseEffect(...effect);
        givenBack += 1;
      },
    };
    const { engine, answer } = await asked(store, scriptedPort([answers()]).port);
    let closing: Promise<void> | null = null;
    onCommit = () => {
      closing ??= engine.close({ drainMs: 0 });
    };
    accepted(await answer());
    await closing;
    expect(givenBack).toBe(1);
  });
});
