/** @module Random commands for two stores at once, and all that can be asked of them: what one answers the other must. */
import { type Hash, type Mutation, objectsOf, type RunStatus, sourcesOf } from "@tessera/core";
import {
  type CommitResult,
  EFFECT_KINDS,
  type EffectKind,
  type IndexedScalar,
  type IndexedValue,
  type ItemQuery,
  type PrunableQuery,
  type RunRow,
  type RunStore,
  type StoreCounts,
  type Turn,
} from "@tessera/persist";
import fc from "fast-check";
import { effect, item, mutation, object, stateAt, turn } from "../src/contract/sample.ts";

const TENANTS = ["t1", "t2"] as const;
const RUNS = ["a", "b"] as const;
const NAMES = ["ann", "bob"] as const;
const GROUPS = ["sales", "legal"] as const;
const OTHER = `sha256:${"e".repeat(64)}` as Hash;
const IDS = ["1", "2", "3"] as const;

const sketch = fc.record({
  tenant: fc.constantFrom(...TENANTS),
  run: fc.constantFrom(...RUNS),
  /** How far the expected sequence is off, mostly not. */
  off: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1) }),
  graphOff: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  status: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<RunStatus>("waiting", "running") },
    { weight: 1, arbitrary: fc.constant<RunStatus>("completed") },
  ),
  indexed: fc.option(
    fc.uniqueArray(
      fc.record({
        path: fc.constantFrom("p", "q"),
        value: fc.constantFrom(1, "1", null, true, "x".repeat(300), undefined),
      }),
      { maxLength: 2, selector: ({ path }) => path },
    ),
    { nil: undefined },
  ),
  isMoved: fc.oneof(
    { weight: 6, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  dedupe: fc.option(fc.constantFrom(...IDS), { nil: undefined }),
  hasSnapshot: fc.boolean(),
  set: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...IDS),
      kind: fc.constantFrom("work-item" as const, "timer" as const, "child" as const),
      dueAt: fc.option(fc.nat(50), { nil: undefined }),
      assignee: fc.option(fc.constantFrom(...NAMES), { nil: undefined }),
      assignees: fc.option(fc.subarray([...NAMES]), { nil: undefined }),
      candidateGroups: fc.option(fc.subarray([...GROUPS]), { nil: undefined }),
      isLarge: fc.oneof(
        { weight: 9, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    }),
    { maxLength: 2, selector: ({ id }) => id },
  ),
  closed: fc.subarray([...IDS], { maxLength: 2 }),
  add: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...IDS),
      kind: fc.constantFrom<EffectKind>(...EFFECT_KINDS),
      availableAt: fc.nat(50),
    }),
    { maxLength: 2, selector: ({ id }) => id },
  ),
  done: fc.subarray([...IDS], { maxLength: 1 }),
  /** The ids that the turn claims, of those that it adds, and until when. */
  claim: fc.option(fc.record({ ids: fc.subarray([...IDS]), leaseUntil: fc.nat(70) }), {
    nil: undefined,
    freq: 2,
  }),
  mutation: fc.option(
    fc.record({
      create: fc.uniqueArray(fc.tuple(fc.constantFrom(...IDS), fc.subarray([...IDS])), {
        maxLength: 2,
        selector: ([id]) => id,
      }),
      update: fc.uniqueArray(fc.tuple(fc.constantFrom(...IDS), fc.subarray([...IDS])), {
        maxLength: 1,
        selector: ([id]) => id,
      }),
      gone: fc.subarray([...IDS], { maxLength: 1 }),
    }),
    { nil: undefined },
  ),
  parent: fc.option(fc.tuple(fc.constantFrom(...RUNS), fc.constantFrom(...IDS)), { nil: undefined, freq: 4 }),
  /** Which of the claims so far fences the turn. */
  fence: fc.option(fc.nat(), { nil: undefined, freq: 3 }),
  data: fc.constantFrom({}, { n: 1 }, { text: "x".repeat(70_000) }, { 10: true, 9: [null], z: "\u00e9" }),
});

type Sketch = typeof sketch extends fc.Arbitrary<infer T> ? T : never;

/** A command. Leases name one of the claims so far. */
export type Command =
  | { readonly kind: "commit"; readonly turns: readonly Sketch[] }
  | {
      readonly kind: "claim";
      readonly now: number;
      readonly leaseMs: number;
      readonly limit: number;
      readonly kinds: readonly EffectKind[] | undefined;
    }
  | { readonly kind: "renew" | "release" | "drop"; readonly claim: number; readonly at: number }
  | { readonly kind: "prune"; readonly tenant: string; readonly run: string; readonly sequence: number }
  | { readonly kind: "erase"; readonly tenant: string; readonly run: string; readonly sequence: number };

/** Commands as they might come. */
export const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("commit" as const),
        turns: fc.array(sketch, { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("claim" as const),
        now: fc.nat(60),
        leaseMs: fc.nat(20),
        limit: fc.integer({ min: 1, max: 3 }),
        kinds: fc.option(fc.subarray([...EFFECT_KINDS]), { nil: undefined }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom("renew" as const, "release" as const, "drop" as const),
        claim: fc.nat(),
        at: fc.nat(80),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("erase" as const, "prune" as const),
        tenant: fc.constantFrom(...TENANTS),
        run: fc.constantFrom(...RUNS),
        sequence: fc.integer({ min: 1, max: 4 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 14 },
);

interface Claim {
  readonly tenant: string;
  readonly effect: string;
  readonly token: number;
}

/** A store under commands: what it knows of its claims, and the sequences that turns should expect. */
export interface Driven {
  readonly store: RunStore;
  readonly claims: Claim[];
  readonly sequences: Map<string, number>;
}

/** A store before the first command. */
export function driven(store: RunStore): Driven {
  return { store, claims: [], sequences: new Map() };
}

/** Gives one command; the answer, with tokens replaced by the number of their claim. */
export async function give(on: Driven, command: Command): Promise<unknown> {
  const { store, claims } = on;
  switch (command.kind) {
    case "commit": {
      const turns = turnsOf(on, command.turns);
      const results = await store.commit(turns);
      return results.map((result, at) => {
        const answer = withoutTokens(claims, result);
        noteClaims(claims, turns[at], result);
        return answer;
      });
    }
    case "claim": {
      const { now, leaseMs, limit, kinds } = command;
      const found = await store.claimEffects("w", now, leaseMs, limit, kinds);
      for (const {
        tenant,
        effect: { id },
        token,
      } of found)
        claims.push({ tenant, effect: id, token });
      return found.map(({ token: _, ...claim }) => claim);
    }
    case "renew":
    case "release":
    case "drop": {
      const claim = claims[command.claim % Math.max(1, claims.length)];
      if (claim === undefined) return null;
      const { effect: id, tenant, token } = claim;
      if (command.kind === "renew") return store.renewLease(id, tenant, token, command.at);
      if (command.kind === "drop") return store.dropEffect(id, tenant, token);
      return store.releaseEffect(id, tenant, token, command.at, command.at % 2 === 0);
    }
    case "prune": {
      const { tenant, run, sequence } = command;
      const state = stateAt(sequence, { text: "z".repeat(70_000) });
      return store.prune(tenant, run, { sequence, state, by: "ops", reason: "old", at: 8 });
    }
    case "erase":
      return store.erase(command.tenant, command.run, command.sequence, "dpo", "r", 7);
  }
}

/** Everything that can be asked of a store after some commands, without cursors and tokens. */
export async function askAll(store: RunStore): Promise<unknown> {
  const answers: unknown[] = [await store.nextDue(), await store.nextEffect(), await store.dueItems(40, 3)];
  for (const kind of EFFECT_KINDS) answers.push(await store.nextEffect([kind]));
  for (const tenant of TENANTS) {
    for (const run of RUNS) {
      for (const at of [undefined, 0, 1, 2, 3]) answers.push(await store.load(tenant, run, at));
      answers.push(await store.journal(tenant, run, 0, 99), await store.journal(tenant, run, 1, 1));
      answers.push(await graphOf(store, tenant, run), await store.graphJournal(tenant, run, 0, 99));
    }
    const queries: Partial<ItemQuery>[] = [
      {},
      { run: "a" },
      { kind: "timer" },
      { assignee: "ann" },
      { candidateGroup: "sales", run: "b" },
      { actor: "ann", groups: ["sales"] },
      { groups: ["legal"], kind: "work-item" },
      { dueBy: 30 },
      { dueBy: 50, assignee: "ann" },
      { dueBy: 50, run: "a", actor: "bob", groups: ["legal"] },
    ];
    for (const query of queries) {
      answers.push(await allItems(store, { tenant, limit: 2, ...query }));
      for (const max of [2, 99]) answers.push(await store.countItems({ tenant, max, ...query }));
    }
    for (const status of ["waiting", "running", "completed"] as const) {
      answers.push((await store.runs({ tenant, limit: 9, status })).rows);
    }
    for (const [before, limit] of [
      [1_500, 1],
      [2_500, 1],
      [9_000, 2],
    ] as const) {
      await demandPrunable(store, tenant, before);
      answers.push(await allPrunable(store, { tenant, before, limit }));
    }
    const values: readonly IndexedScalar[] = [1, "1", null, true, "x".repeat(300)];
    for (const value of values) {
      answers.push((await store.runs({ tenant, limit: 9, data: [{ path: "p", value }] })).rows);
    }
    const both = [
      { path: "q", value: 1 },
      { path: "p", value: 1 },
    ] as const;
    answers.push((await store.runs({ tenant, limit: 9, data: both })).rows);
    answers.push((await store.runs({ tenant, limit: 9, definition: OTHER })).rows);
    answers.push(sortedCounts(await store.counts(tenant)), sortedCounts(await store.counts()));
    answers.push(
      (await store.runs({ tenant, limit: 1 })).rows,
      (await store.runs({ tenant, limit: 9, parent: "a" })).rows,
    );
  }
  return answers;
}

/** The runs that are to be pruned, page by page. */
async function allPrunable(store: RunStore, query: PrunableQuery): Promise<readonly (readonly RunRow[])[]> {
  const { rows, next } = await store.prunable(query);
  return next === null ? [rows] : [rows, ...(await allPrunable(store, { ...query, after: next }))];
}

/** Throws if the runs that are to be pruned are not those that are so by D10.28. Oracle: the definition, asked of each run. */
async function demandPrunable(store: RunStore, tenant: string, before: number): Promise<void> {
  const { rows } = await store.runs({ tenant, limit: 99 });
  const expected = rows
    .filter((row) => ["completed", "failed", "cancelled"].includes(row.status))
    .filter((row) => row.updatedAt < before && row.prunedTo !== row.sequence)
    .map(({ run }) => run);
  const found = (await allPrunable(store, { tenant, before, limit: 1 })).flat().map(({ run }) => run);
  if (JSON.stringify(found.sort()) !== JSON.stringify(expected.sort()))
    throw new Error(`to be pruned are ${expected}, listed are ${found}`);
}

/** Counts in one order. */
function sortedCounts({ runs, items }: StoreCounts): unknown {
  return [runs, items].map((rows) => rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort());
}

/** A graph without the shape of its trees, which depends on how it came to be. */
async function graphOf(store: RunStore, tenant: string, id: string): Promise<unknown> {
  const { sequence, graph } = await store.graph(tenant, id);
  return { sequence, objects: objectsOf(graph), sources: IDS.map((target) => sourcesOf(graph, target)) };
}

async function allItems(store: RunStore, query: ItemQuery): Promise<unknown> {
  const { rows, next } = await store.items(query);
  return next === null ? [rows] : [rows, await allItems(store, { ...query, after: next })];
}

/** The turns of a group, each expecting what those before it make, if they are taken. */
function turnsOf({ claims, sequences }: Driven, sketches: readonly Sketch[]) {
  return sketches.map((each) => {
    const { tenant, run, status } = each;
    const runKey = `${tenant}/${run}`;
    const graphKey = `${runKey}/g`;
    const expect = Math.max(0, (sequences.get(runKey) ?? 0) + each.off);
    const claim = each.fence === undefined ? undefined : claims[each.fence % Math.max(1, claims.length)];
    const graphExpect = (sequences.get(graphKey) ?? 0) + each.graphOff;
    sequences.set(runKey, expect + 1);
    if (each.mutation !== undefined) sequences.set(graphKey, graphExpect + 1);
    return turn({
      tenant,
      run,
      expect,
      status,
      data: each.data,
      hasSnapshot: each.hasSnapshot,
      set: each.set.map(({ isLarge, ...members }) => itemOf(members, isLarge)),
      closed: each.closed,
      effects: {
        add: each.add.map(({ id, ...members }) => effect(`${run}/${id}`, { ...members, payload: each.data })),
        done: each.done.map((id) => `${run}/${id}`),
        ...claimOf(each),
      },
      ...(each.indexed === undefined ? {} : { indexed: each.indexed as readonly IndexedValue[] }),
      ...(each.isMoved ? { definition: OTHER } : {}),
      ...(each.dedupe === undefined ? {} : { dedupe: each.dedupe }),
      ...(each.parent === undefined
        ? {}
        : { created: { graph: run, parent: { run: each.parent[0], item: each.parent[1] } } }),
      ...(claim === undefined || claim.tenant !== tenant
        ? {}
        : { fence: { effect: claim.effect, token: claim.token } }),
      ...(each.mutation === undefined
        ? {}
        : { graph: { id: run, expect: graphExpect, mutations: [mutationOf(each.mutation)] } }),
    });
  });
}

function claimOf({ run, add, claim }: Sketch): Pick<Turn["effects"], "claim"> {
  if (claim === undefined) return {};
  const added = new Set(add.map(({ id }) => id));
  const effects = claim.ids.filter((id) => added.has(id)).map((id) => `${run}/${id}`);
  return { claim: { owner: "w", leaseUntil: claim.leaseUntil, effects } };
}

/** What a turn has claimed can be renewed, given back and brought a result of like any other claim. */
function noteClaims(claims: Claim[], by: Turn | undefined, result: CommitResult): void {
  if (by === undefined || result.kind !== "ok") return;
  const { claim } = by.effects;
  const tokens = result.tokens ?? [];
  for (const [at, id] of (claim?.effects ?? []).entries())
    claims.push({ tenant: by.tenant, effect: id, token: tokens[at] ?? -1 });
}

function itemOf(members: Omit<Sketch["set"][number], "isLarge">, isLarge: boolean) {
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const reason = { code: "X", message: "m", facts: { text: "y".repeat(70_000) } };
  return item(members.id, { ...given, ...(isLarge ? { reason } : {}) });
}

function mutationOf({ create, update, gone }: NonNullable<Sketch["mutation"]>): Mutation {
  return mutation({
    create: create.map(([id, to]) => object(id, { n: to.length }, to)),
    update: update.map(([id, to]) => ({ id, links: to.map((target) => ({ to: target })) })),
    delete: gone,
  });
}

function withoutTokens(claims: readonly Claim[], result: CommitResult): unknown {
  if (result.kind === "ok" && result.tokens !== undefined) return { ...result, tokens: result.tokens.length };
  if (result.kind !== "conflict" || result.on !== "fence") return result;
  const claimOf = (token: number) =>
    token === 0 ? "none" : claims.findIndex((claim) => claim.token === token);
  return { ...result, expected: claimOf(result.expected), found: claimOf(result.found) };
}
