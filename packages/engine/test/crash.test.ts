/** @module Crashes: an engine dies after any commit, another one takes over, and nothing is lost or done by half. */
import type { Json } from "@tessera/core";
import { type ClaimedEffect, memoryStore, type RunStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type Engine, type Port } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

/** A job, two parallel jobs, a call, a person, a timer, a loop: everything that can be half done. */
const CHILD = flow(
  "child",
  [
    ["work", "tool", { port: "p" }],
    ["z", "end"],
    ["e", "end", { outcome: "broken" }],
  ],
  [
    ["work", "z"],
    ["work", "e", "error"],
  ],
);
const MAIN = flow(
  "main",
  [
    ["s", "gateway", undefined, { split: "all" }],
    ["a", "tool", { port: "p", retry: { attempts: 2, backoffMs: 500 } }],
    ["b", "tool", { port: "p" }],
    ["ga", "gateway"],
    ["gb", "gateway"],
    ["j", "gateway", undefined, { join: "all" }],
    ["c", "subprocess", { workflow: "child", outcomes: ["done", "broken"], outputs: { out: "work" } }],
    ["h", "human"],
    ["d", "timer", { duration: "PT1H" }],
    ["head", "gateway"],
    ["count", "transform"],
    ["check", "verifier", { passKey: "ok" }],
    [
      "decide",
      "decision",
      { loop: { id: "l", budget: 2, passKey: "ok", proves: "n", body: ["head", "count", "check"] } },
    ],
    ["help", "human"],
    ["z", "end"],
  ],
  [
    ["s", "a"],
    ["s", "b"],
    ["a", "ga"],
    ["a", "ga", "error"],
    ["b", "gb"],
    ["b", "gb", "error"],
    ["ga", "j"],
    ["gb", "j"],
    ["j", "c"],
    ["c", "h"],
    ["c", "h", "broken"],
    ["c", "h", "error"],
    ["c", "h", "cancelled"],
    ["h", "d"],
    ["d", "head"],
    ["head", "count"],
    ["count", "check"],
    ["count", "check", "error"],
    ["check", "decide"],
    ["check", "decide", "error"],
    ["decide", "head", "fail"],
    ["decide", "z", "pass"],
    ["decide", "help", "exhausted"],
    ["decide", "help", "error"],
    ["help", "z"],
  ],
);

const functions = {
  count: ({ data }: { data: { readonly [key: string]: Json } }) => ({
    patch: { n: Number(data["n"] ?? 0) + 1 },
  }),
  check: ({ data }: { data: { readonly [key: string]: Json } }) => data["n"] === 2,
};

/** Effects outside: the keys of the calls, as a world would see them. */
function world() {
  const keys: string[] = [];
  const port: Port = ({ idempotencyKey, attempt, node }) => {
    keys.push(idempotencyKey);
    if (node.id === "a" && attempt === 1) throw new Error("once");
    return { patch: { [node.id]: idempotencyKey } };
  };
  return { keys, port };
}

/** A store of a process that dies when it has committed `commits` groups: then it never answers again. */
function mortal(
  inner: RunStore,
  commits: number,
): { readonly store: RunStore; readonly isDead: () => boolean } {
  let left = commits;
  const store = new Proxy(inner, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...args: readonly unknown[]) => {
        if (left <= 0) return new Promise(() => {});
        const answer: unknown = await member.apply(target, args);
        if (name === "commit") left -= 1;
        return left <= 0 && name === "commit" ? new Promise(() => {}) : answer;
      };
    },
  });
  return { store, isDead: () => left <= 0 };
}

type Wrap = (store: RunStore) => RunStore;

/** Drives a run to its end: completes what people must do, lets time pass. */
async function driveToEnd(
  engine: Engine,
  advance: (by: string | number) => Promise<void>,
  settle: () => Promise<void>,
): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    await settle();
    for (const { id, kind } of (await engine.workItems.list({ limit: 50 })).rows) {
      if (kind === "work-item")
        await engine.workItems.complete({ task: id, by: { id: "ann" }, data: { approved: true } });
    }
    await advance("PT30M");
  }
}

/** How the run stands: where a run that was lost would still wait. */
async function endOf(engine: Engine) {
  const { status, data, outcomes, marking } = accepted(await engine.run("r").state());
  return { status, data, outcomes, marking };
}

async function undisturbed() {
  const { keys, port } = world();
  const test = testEngine({ ports: { p: port }, functions });
  for (const definition of [CHILD, MAIN]) accepted(await test.engine.deploy(definition));
  accepted(await test.engine.start({ workflow: "main", id: "r" }));
  await driveToEnd(test.engine, test.clock.advance, test.settle);
  return { keys: [...new Set(keys)].sort(), end: await endOf(test.engine) };
}

/** Kills the first engine after `commits` commits and lets a second one finish. `wrap` is each process's own view of the store. */
async function killedAfter(commits: number, wrap: Wrap = (store) => store) {
  const disk = memoryStore();
  const { keys, port } = world();
  const deployer = testEngine({ store: disk, functions });
  for (const definition of [CHILD, MAIN]) accepted(await deployer.engine.deploy(definition));
  const { store, isDead } = mortal(wrap(disk), commits);
  const victim = testEngine({ store, ports: { p: port }, functions });
  void victim.engine.start({ workflow: "main", id: "r" });
  // The victim's store may be dead at any time: what it asks then is never answered.
  const drive = driveToEnd(victim.engine, victim.clock.advance, deployer.settle);
  await Promise.race([drive, dies(isDead)]);
  const heir = testEngine({ store: wrap(disk), startAt: victim.clock.now(), ports: { p: port }, functions });
  heir.engine.resume();
  await driveToEnd(heir.engine, heir.clock.advance, heir.settle);
  const end = await endOf(heir.engine);
  const audit = await heir.engine.audit();
  return {
    keys: [...new Set(keys)].sort(),
    end,
    isSound: audit.isSound,
    isDead: isDead(),
    left: await disk.nextEffect(),
  };
}

async function dies(isDead: () => boolean): Promise<void> {
  while (!isDead()) await new Promise((resolve) => setImmediate(resolve));
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Law: whenever the first process dies, the run ends as it would have, and the world has seen the same keys. */
async function holds(wrap?: Wrap): Promise<number> {
  const expected = await undisturbed();
  expect(expected.end).toMatchObject({ status: "completed", data: { approved: true, n: 2 } });
  let deaths = 0;
  for (let commits = 1; commits <= 25; commits += 1) {
    const { keys, end, isSound, isDead, left } = await killedAfter(commits, wrap);
    if (!isDead) break;
    deaths += 1;
    expect({ commits, end, keys, isSound, left }).toEqual({
      commits,
      end: expected.end,
      keys: expected.keys,
      isSound: true,
      left: null,
    });
  }
  return deaths;
}

/** A host that keeps its outbox in memory and writes it "after the commit": what it had not written is lost with it. */
const outboxAfterCommit: Wrap = (store) => {
  const pending: ClaimedEffect[] = [];
  return {
    ...store,
    commit: async (turns) => {
      const results = await store.commit(
        turns.map((turn) => ({ ...turn, effects: { ...turn.effects, add: [] } })),
      );
      for (const { tenant, run, effects } of turns) {
        for (const effect of effects.add)
          pending.push({ tenant, run, effect, token: 0, leaseUntil: 0, claimCount: 1 });
      }
      return results;
    },
    claimEffects: async (_owner, now, _leaseMs, limit, kinds) => {
      const ready = pending
        .filter(({ effect }) => effect.availableAt <= now && (kinds ?? [effect.kind]).includes(effect.kind))
        .slice(0, limit);
      for (const each of ready) pending.splice(pending.indexOf(each), 1);
      return ready;
    },
    nextEffect: async () =>
      pending.length === 0 ? null : Math.min(...pending.map(({ effect }) => effect.availableAt)),
  };
};

describe("crashes", () => {
  it("[D9.5] after every commit of a run: the heir brings it to the same end", async () => {
    expect(await holds()).toBeGreaterThanOrEqual(8);
  }, 120_000);

  it("[D9.5] a host that writes its outbox after the commit loses work, and is caught", async () => {
    await expect(holds(outboxAfterCommit)).rejects.toThrow("to deeply equal");
  }, 120_000);
});
