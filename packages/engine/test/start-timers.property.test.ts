/** @module Timers that start workflows: one run for each time that has come, over engines, restarts, faults and versions. */
import type { Json, WorkflowDefinition } from "@tessera/core";
import { memoryStore, type RunStore, StoreError } from "@tessera/persist";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepted, type Engine } from "../src/index.ts";
import { countedStore, manualClock, testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const SECOND = 1_000;
const START = Date.UTC(2026, 0, 1);
const iso = (at: number): string => new Date(at).toISOString();

/** A timer of the oracle: its members in a definition, and its times up to `until` if it is deployed at `from`. */
interface Timed {
  readonly members: { readonly [key: string]: Json };
  readonly times: (from: number, until: number) => readonly number[];
}

/** first, first + every, ..., at most `count` of them and not after `until`. */
function series(first: number, every: number, count: number, until: number): readonly number[] {
  const times: number[] = [];
  for (let at = first; at <= until && times.length < count; at += every) times.push(at);
  return times;
}

const seconds = (min: number, max: number) => fc.integer({ min, max });
/** Around the beginning, so that some have passed when they are deployed. */
const moment = seconds(-40, 120).map((offset) => START + offset * SECOND);
const every = seconds(4, 40);

const timed: fc.Arbitrary<Timed> = fc.oneof(
  moment.map((at): Timed => {
    return { members: { date: iso(at) }, times: (_, until) => series(at, 1, 1, until) };
  }),
  every.map((s): Timed => {
    return {
      members: { duration: `PT${s}S` },
      times: (from, until) => series(from + s * SECOND, 1, 1, until),
    };
  }),
  every.map((s): Timed => {
    const times: Timed["times"] = (from, until) => series(from + s * SECOND, s * SECOND, Infinity, until);
    return { members: { cycle: `R/PT${s}S` }, times };
  }),
  fc.tuple(every, seconds(1, 4)).map(([s, n]): Timed => {
    const times: Timed["times"] = (from, until) => series(from + s * SECOND, s * SECOND, n, until);
    return { members: { cycle: `R${n}/PT${s}S` }, times };
  }),
  fc.tuple(every, seconds(1, 4), moment).map(([s, n, at]): Timed => {
    const times: Timed["times"] = (_, until) => series(at, s * SECOND, n, until);
    return { members: { cycle: `R${n}/${iso(at)}/PT${s}S` }, times };
  }),
  fc.tuple(every, moment).map(([s, at]): Timed => {
    // Without a number only what comes after the deployment counts.
    const times: Timed["times"] = (from, until) =>
      series(at, s * SECOND, Infinity, until).filter((each) => each > from);
    return { members: { cycle: `R/${iso(at)}/PT${s}S` }, times };
  }),
  fc.tuple(every, moment, fc.constantFrom("R1000", "R")).map(([s, end, head]): Timed => {
    const times: Timed["times"] = (from, until) =>
      series(from + s * SECOND, s * SECOND, 1_000, Math.min(until, end));
    return { members: { cycle: `${head}/PT${s}S/${iso(end)}` }, times };
  }),
);

/** Version `n` of the workflow: a start with these timers, under the labels e0, e1, ... */
function version(timers: readonly Timed[], n: number): WorkflowDefinition {
  const labels = timers.map((_, at) => `e${at}`);
  return flow(
    "w",
    [
      [
        "s",
        "start",
        { events: timers.map(({ members }, at) => ({ id: `e${at}`, on: "timer", ...members })) },
      ],
      ...labels.map((label) => [`z-${label}-${n}`, "end"] as const),
    ],
    labels.map((label) => ["s", `z-${label}-${n}`, label] as const),
  );
}

type Move =
  | { readonly kind: "advance" | "jump"; readonly ms: number }
  | { readonly kind: "restart" | "stop" | "begin"; readonly engine: number }
  | { readonly kind: "deploy"; readonly version: number }
  | { readonly kind: "fault"; readonly isDone: boolean };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("advance" as const, "jump" as const),
    ms: fc.integer({ min: 1, max: 60_000 }),
  }),
  fc.record({
    kind: fc.constantFrom("restart" as const, "stop" as const, "begin" as const),
    engine: fc.nat(1),
  }),
  fc.record({ kind: fc.constant("deploy" as const), version: fc.nat(2) }),
  fc.record({ kind: fc.constant("fault" as const), isDone: fc.boolean() }),
);
const life = fc.record({
  versions: fc.array(fc.array(timed, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
  moves: fc.array(move, { minLength: 3, maxLength: 14 }),
});
type Life = typeof life extends fc.Arbitrary<infer T> ? T : never;

/** Makes a store, as an engine has it, of the one that all share. */
type Break = (store: RunStore, now: () => number) => RunStore;

/** Two engines on one store and one clock, with the oracle's account of what has been started. */
class World {
  readonly counted = countedStore(memoryStore());
  readonly clock = manualClock(this.counted.settle, START);
  readonly engines: (Engine | null)[] = [null, null];
  readonly expected = new Set<string>();
  /** Calls that move a timer and fail, before or after it is moved. */
  readonly faults: ("before" | "after")[] = [];
  readonly seen = { faults: 0, missed: 0, replaced: 0, both: 0 };
  newest: { readonly version: number; readonly at: number } | null = null;
  ids = 0;

  readonly given: Life;
  readonly breakIt: Break;

  constructor(given: Life, breakIt: Break) {
    this.given = given;
    this.breakIt = breakIt;
  }

  /** A store whose moves of timers fail as `faults` says. */
  store(): RunStore {
    const inner = this.breakIt(this.counted.store, () => this.clock.now());
    return {
      ...inner,
      moveStartTimer: async (row, next) => {
        const fault = this.faults.shift();
        if (fault !== undefined) this.seen.faults += 1;
        if (fault === "before") throw new StoreError("busy", "not now");
        const isMoved = await inner.moveStartTimer(row, next);
        if (fault === "after") throw new StoreError("io", "it is written, but nobody knows");
        return isMoved;
      },
    };
  }

  make(): Engine {
    const ids = () => {
      this.ids += 1;
      return `id-${this.ids}`;
    };
    return testEngine({ store: this.store(), clock: this.clock, pollMs: 5_000, ids }).engine;
  }

  begin(at: number): void {
    this.engines[at] ??= this.make();
    this.engines[at]?.resume();
  }

  async end(at: number): Promise<void> {
    await this.engines[at]?.close();
    this.engines[at] = null;
  }

  get isAlive(): boolean {
    return this.engines.some((engine) => engine !== null);
  }

  /** Lets those who are there do what is due, begun anew so that nobody waits before trying again. */
  async catchUp(): Promise<void> {
    if (!this.isAlive) return;
    this.faults.length = 0;
    for (const at of this.engines.keys()) {
      if (this.engines[at] === null) continue;
      await this.end(at);
      this.begin(at);
    }
    await this.counted.settle();
    this.account();
  }

  /** Oracle: the ids of all times of the newest version that have come by now. */
  account(): void {
    if (this.newest === null) return;
    const { version: n, at } = this.newest;
    for (const [event, { times }] of (this.given.versions[n] ?? []).entries())
      for (const due of times(at, this.clock.now())) this.expected.add(`w/e${event}@${iso(due)}`);
  }

  async deploy(wish: number): Promise<void> {
    const n = wish % this.given.versions.length;
    await this.catchUp();
    const deployer = this.make();
    accepted(await deployer.deploy(version(this.given.versions[n] ?? [], n)));
    const isOther = this.newest !== null && this.newest.version !== n;
    if (isOther) this.seen.replaced += 1;
    if (this.newest === null || isOther) this.newest = { version: n, at: this.clock.now() };
    await this.counted.settle();
    // It works in the background until it is closed.
    this.account();
    this.faults.length = 0;
    await deployer.close();
  }

  async step(given: Move): Promise<void> {
    switch (given.kind) {
      case "advance":
        await this.clock.advance(given.ms);
        break;
      case "jump":
        if (!this.isAlive) this.seen.missed += 1;
        await this.clock.jumpTo(this.clock.now() + given.ms);
        break;
      case "begin":
        this.begin(given.engine);
        await this.counted.settle();
        break;
      case "stop":
        await this.catchUp();
        await this.end(given.engine);
        break;
      case "restart":
        await this.end(given.engine);
        this.begin(given.engine);
        break;
      case "deploy":
        await this.deploy(given.version);
        break;
      case "fault":
        this.faults.push(given.isDone ? "after" : "before");
        break;
    }
    if (this.engines.every((engine) => engine !== null)) this.seen.both += 1;
  }
}

/** Law: there is one run for each time that has come, and no other. */
async function timesLaw(breakIt: Break, numRuns: number, isById = true): Promise<void> {
  const seen = { faults: 0, missed: 0, replaced: 0, both: 0, runs: 0 };
  await fc.assert(
    fc.asyncProperty(life, async (given) => {
      const world = new World(given, breakIt);
      await world.deploy(0);
      for (const each of given.moves) await world.step(each);
      world.begin(0);
      await world.catchUp();
      for (const at of world.engines.keys()) await world.end(at);
      const asker = world.make();
      const ids: string[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page = await asker.runs({ limit: 100, ...(after === undefined ? {} : { after }) });
        ids.push(...page.rows.map(({ run }) => run));
        after = page.next;
      }
      expect(ids.length).toBe(world.expected.size);
      if (isById) {
        expect(ids.sort()).toEqual([...world.expected].sort());
        expect(accepted(await asker.audit()).isSound).toBe(true);
      }
      await asker.close();
      for (const key of ["faults", "missed", "replaced", "both"] as const) seen[key] += world.seen[key];
      seen.runs += ids.length;
    }),
    { numRuns, endOnFailure: true },
  );
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
}

describe("[D17.13] at each time of its start a workflow starts one run", () => {
  it(
    "[D17.13] [D10.24] [D9.7] whatever engines begin, stop, fail and deploy, and however the clock jumps forwards",
    () => timesLaw((store) => store, 100),
    120_000,
  );

  it("[D17.13] the law catches runs whose id is not that of their time", async () => {
    let count = 0;
    const another: Break = (store) => ({
      ...store,
      commit: (turns) =>
        store.commit(
          turns.map((turn) => {
            count += 1;
            return turn.created === undefined ? turn : { ...turn, run: `${turn.run}#${count}` };
          }),
        ),
    });
    await expect(timesLaw(another, 300, false)).rejects.toThrow(/Property failed/);
  }, 120_000);

  it("[D17.13] the law catches times that are left out because they have passed", async () => {
    const hasty: Break = (store, now) => ({
      ...store,
      moveStartTimer: (row, next) =>
        store.moveStartTimer(row, next === null ? null : { ...next, dueAt: Math.max(next.dueAt, now()) }),
    });
    await expect(timesLaw(hasty, 300)).rejects.toThrow(/Property failed/);
  }, 120_000);

  it("[D17.13] [D10.24] the law catches times that are counted anew with every deployment", async () => {
    const anew: Break = (store) => ({
      ...store,
      putDefinition: async (tenant, row) => {
        const known = await store.putDefinition(tenant, row);
        for (const timer of await store.startTimers({ limit: 9 })) await store.moveStartTimer(timer, null);
        const other = row.hash.replaceAll(/[0-9]/g, "a") as typeof row.hash;
        await store.putDefinition(tenant, { ...row, hash: other, timers: [] });
        await store.putDefinition(tenant, row);
        return known;
      },
    });
    await expect(timesLaw(anew, 300)).rejects.toThrow(/Property failed/);
  }, 120_000);
});
