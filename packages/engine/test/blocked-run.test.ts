/** @module Turns of a run that a transaction of somebody else's holds: what they keep from other runs, which is nothing. */
import { memoryStore, type RunStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type Observer } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const ANN = { id: "ann" };

/** A person, then a job. */
const TWO = flow(
  "two",
  [
    ["begin", "start"],
    ["h", "human", { outcomes: ["ok"] }],
    ["j", "tool", { port: "p" }],
    ["z", "end"],
    ["broken", "end", { outcome: "broken" }],
  ],
  [
    ["begin", "h"],
    ["h", "j", "ok"],
    ["j", "z"],
    ["j", "broken", "error"],
  ],
);

/** A store whose runs somebody else can hold, with the turns that were committed. */
function holding() {
  const inner = memoryStore();
  const held = new Set<string>();
  const leases: number[] = [];
  const commit: RunStore["commit"] = async (turns, onBlocked) => {
    const free = turns.filter(({ run }, at) => {
      if (held.has(run)) onBlocked?.(at);
      return !held.has(run);
    });
    for (const { effects } of free) if (effects.claim !== undefined) leases.push(effects.claim.leaseUntil);
    return free.length === 0 ? [] : inner.commit(free);
  };
  return { store: { ...inner, commit }, held, leases };
}

describe("a run that a transaction of somebody else's holds", () => {
  it("[D10.25] [D10.26] keeps no slot from the jobs of other runs", async () => {
    const { store, held, leases } = holding();
    const began: string[] = [];
    const { engine, clock, settle } = testEngine({
      store,
      concurrency: 1,
      ports: {
        p: ({ run }) => {
          began.push(run);
          return {};
        },
      },
    });
    accepted(await engine.deploy(TWO));
    for (const id of ["a", "b"]) accepted(await engine.start({ workflow: "two", id }));
    engine.resume();
    await settle();
    held.add("a");
    const complete = (id: string) => engine.run(id).complete({ node: "h", by: ANN, outcome: "ok" });
    const waiting = complete("a");
    await settle();
    accepted(await complete("b"));
    await settle();
    expect(began).toEqual(["b"]);
    expect(accepted(await engine.run("b").state()).status).toBe("completed");
    // Longer than the lease that it would have had; then its job is begun like any other.
    await clock.advance("PT1M");
    held.clear();
    accepted(await waiting);
    await settle();
    expect(began).toEqual(["b", "a"]);
    expect(leases.every((until) => until > clock.now() - 60_000)).toBe(true);
    expect(accepted(await engine.run("a").state()).status).toBe("completed");
    expect((await engine.audit()).isSound).toBe(true);
    await engine.close();
  });

  it("[D9.8] [D10.26] has the port of a job called once, however long its result waits", async () => {
    const { store, held } = holding();
    let calls = 0;
    let answer = (): void => {};
    const ports = {
      p: () => {
        calls += 1;
        if (calls > 1) return {};
        return new Promise<object>((resolve) => {
          answer = () => resolve({});
        });
      },
    };
    const first = testEngine({ store, ports, limits: { leaseMs: 1_000 } });
    accepted(await first.engine.deploy(TWO));
    accepted(await first.engine.start({ workflow: "two", id: "a" }));
    first.engine.resume();
    accepted(await first.engine.run("a").complete({ node: "h", by: ANN, outcome: "ok" }));
    await first.settle();
    const second = testEngine({ store: first.store, ports, clock: first.clock, limits: { leaseMs: 1_000 } });
    accepted(await second.engine.deploy(TWO));
    second.engine.resume();
    held.add("a");
    answer();
    for (let lease = 0; lease < 5; lease += 1) {
      await first.settle();
      await first.clock.advance("PT1S");
    }
    held.clear();
    expect(await first.engine.run("a").result()).toMatchObject({ status: "completed" });
    expect(calls).toBe(1);
    expect((await first.engine.audit()).isSound).toBe(true);
    await first.engine.close();
    await second.engine.close();
  });

  it("[D9.27] is counted among the commits when it is committed, and not whenever that is tried", async () => {
    const { store, held } = holding();
    const groups: number[] = [];
    const observer: Observer = { commit: ({ turns }) => void groups.push(turns) };
    const { engine, settle } = testEngine({ store, observer, concurrency: 0 });
    accepted(await engine.deploy(TWO));
    accepted(await engine.start({ workflow: "two", id: "a" }));
    held.add("a");
    const waiting = engine.run("a").complete({ node: "h", by: ANN, outcome: "ok" });
    await settle();
    held.clear();
    accepted(await waiting);
    expect(groups).toEqual([1, 1]);
    await engine.close();
  });
});
