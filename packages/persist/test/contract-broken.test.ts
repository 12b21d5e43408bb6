/** The contract finds out stores that break it: each of these is right but for one thing. */
import { type CommitResult, memoryStore, type RunStore, type Turn } from "@tessera/persist";
import { storeContract } from "@tessera/persist/contract";
import { describe, expect, it } from "vitest";
import { BROKEN_PRUNABLE, type Break } from "./broken-prunable.ts";

const onTurns =
  (change: (turn: Turn, store: RunStore) => Turn | Promise<Turn>): Break =>
  (store) => ({
    commit: async (turns) => store.commit(await Promise.all(turns.map((turn) => change(turn, store)))),
  });

const without = <K extends keyof Turn>(key: K): Break =>
  onTurns((turn) => {
    const { [key]: _, ...rest } = turn;
    return rest as Turn;
  });

const BROKEN: Readonly<Record<string, Break>> = {
  "that checks no fence": without("fence"),
  "that takes whatever it is given for a run": (store) => ({
    load: (tenant, run, at) => store.load(tenant, String(run), at),
  }),
  "that lets everybody take a message": without("takes"),
  "that sends nothing": without("sends"),
  "that knows no duplicates": without("dedupe"),
  "that keeps no snapshots": without("snapshot"),
  "that keeps no effects": onTurns((turn) => ({ ...turn, effects: { add: [], done: [] } })),
  "that forgets to complete effects": onTurns((turn) => ({
    ...turn,
    effects: { ...turn.effects, done: [] },
  })),
  "that forgets to close items": onTurns((turn) => ({ ...turn, items: { ...turn.items, closed: [] } })),
  "that does not fence graphs": onTurns(async (turn, store) => {
    if (turn.graph === undefined) return turn;
    const { sequence } = await store.graph(turn.tenant, turn.graph.id);
    return { ...turn, graph: { ...turn.graph, expect: sequence } };
  }),
  "that fences no runs": onTurns(async (turn, store) => {
    const sequence = (await store.load(turn.tenant, turn.run))?.row.sequence ?? 0;
    const { created, ...rest } = turn;
    const start = sequence === 0 ? { created: created ?? { workflow: "order", graph: "g" } } : {};
    return { ...rest, ...start, expect: sequence, record: { ...turn.record, sequence: sequence + 1 } };
  }),
  "whose groups fail together": (store) => ({
    commit: async (turns) => {
      const results: CommitResult[] = [];
      for (const turn of turns) {
        const isBroken = results.some(({ kind }) => kind !== "ok");
        results.push(
          ...(await store.commit(isBroken ? [{ ...turn, fence: { effect: "", token: -1 } }] : [turn])),
        );
      }
      return results;
    },
  }),
  "whose groups are answered in another order": (store) => ({
    commit: async (turns) => [...(await store.commit(turns))].reverse(),
  }),
  "whose turns of a group do not see each other": (store) => ({
    commit: async (turns) => {
      const isFirst = ({ run }: Turn, at: number) => turns.findIndex((turn) => turn.run === run) === at;
      const apart = turns.map((turn, at) => (isFirst(turn, at) ? turn : null));
      const results = [...(await store.commit(apart.filter((turn) => turn !== null)))];
      return apart.map(
        (turn) => (turn === null ? undefined : results.shift()) ?? { kind: "duplicate", sequence: 1 },
      );
    },
  }),
  "with one tenant for all runs": (store) => ({
    ...onTurns((turn) => ({ ...turn, tenant: "default" }))(store),
    load: (_tenant, run, at) => store.load("default", run, at),
  }),
  "that lists the runs of another tenant": (store) => ({
    runs: (query) => store.runs({ ...query, tenant: "t2" }),
  }),
  "that lists the items of another tenant": (store) => ({
    items: (query) => store.items({ ...query, tenant: "t1" }),
  }),
  "that counts as far as there is": (store) => ({
    countItems: (query) => store.countItems({ ...query, max: 99 }),
  }),
  "that counts what another has claimed": (store) => ({
    countItems: async ({ max, ...query }) => {
      const mine = await store.items({ ...query, limit: 99 });
      const { actor, groups = [], ...rest } = query;
      if (actor === undefined && query.groups === undefined) return Math.min(max, mine.rows.length);
      const offered = await store.items({ ...rest, limit: 99 });
      const taken = offered.rows.filter(
        ({ item: { assignee, candidateGroups = [] } }) =>
          assignee !== undefined &&
          assignee !== actor &&
          candidateGroups.some((group) => groups.includes(group)),
      );
      return Math.min(max, mine.rows.length + taken.length);
    },
  }),
  "that counts twice what is offered twice": (store) => ({
    countItems: async ({ max, groups, ...query }) => {
      if (groups === undefined) return store.countItems({ ...query, max });
      const each = await Promise.all(
        groups.map((candidateGroup) => store.countItems({ ...query, candidateGroup, max })),
      );
      return Math.min(
        max,
        each.reduce((sum, count) => sum + count, 0),
      );
    },
  }),
  "that reads the graph of another tenant": (store) => ({
    graph: (_tenant, graph) => store.graph("t2", graph),
  }),
  "that shares names of definitions": (store) => ({
    newestDefinition: (_tenant, name) => store.newestDefinition("t1", name),
  }),
  "that leases for ever": (store) => ({
    claimEffects: (owner, now, _leaseMs, limit, kinds) => store.claimEffects(owner, now, 1e12, limit, kinds),
  }),
  "that leases for no time": (store) => ({
    claimEffects: (owner, now, _leaseMs, limit, kinds) => store.claimEffects(owner, now, 0, limit, kinds),
  }),
  "that claims nothing with a turn": onTurns((turn) => {
    const { claim: _, ...effects } = turn.effects;
    return { ...turn, effects };
  }),
  "that leases for ever what a turn claims": onTurns((turn) => {
    const { claim } = turn.effects;
    if (claim === undefined) return turn;
    return { ...turn, effects: { ...turn.effects, claim: { ...claim, leaseUntil: 1e12 } } };
  }),
  "that claims all that a turn adds": onTurns((turn) => {
    const { claim, add } = turn.effects;
    if (claim === undefined) return turn;
    const rest = add.map(({ id }) => id).filter((id) => !claim.effects.includes(id));
    const all = { ...claim, effects: [...claim.effects, ...rest] };
    return { ...turn, effects: { ...turn.effects, claim: all } };
  }),
  "that mixes up the tokens of a turn": (store) => ({
    commit: async (turns) =>
      (await store.commit(turns)).map((result) =>
        result.kind === "ok" && result.tokens !== undefined
          ? { ...result, tokens: [...result.tokens].reverse() }
          : result,
      ),
  }),
  "that claims every kind": (store) => ({
    claimEffects: (owner, now, leaseMs, limit) => store.claimEffects(owner, now, leaseMs, limit),
  }),
  "that renews for anybody": () => ({ renewLease: async () => true }),
  "that counts claims under which nothing was begun": (store) => ({
    releaseEffect: (effect, tenant, token, at) => store.releaseEffect(effect, tenant, token, at),
  }),
  "that counts no claim that was given back": (store) => ({
    releaseEffect: (effect, tenant, token, at) => store.releaseEffect(effect, tenant, token, at, false),
  }),
  "that drops for nobody": () => ({ dropEffect: async () => false }),
  "that finds due items in any order": (store) => ({
    dueItems: async (now, limit) => [...(await store.dueItems(now, limit))].reverse(),
  }),
  "that indexes nothing": without("indexed"),
  "that forgets to take values out": onTurns((turn) => ({
    ...turn,
    ...(turn.indexed === undefined
      ? {}
      : { indexed: turn.indexed.filter(({ value }) => value !== undefined) }),
  })),
  "that asks for one value only": (store) => ({
    runs: ({ data, ...query }) =>
      store.runs({ ...query, ...(data === undefined ? {} : { data: data.slice(0, 1) }) }),
  }),
  "that finds runs of any definition": (store) => ({
    runs: ({ definition: _, ...query }) => store.runs(query),
  }),
  "that indexes a run wherever it is": (store) => ({
    reindex: async (tenant, run, sequence, values) => {
      const loaded = await store.load(tenant, run, 0);
      return store.reindex(tenant, run, loaded?.row.sequence ?? sequence, values);
    },
  }),
  "that lists what is due in the order of its age": (store) => ({
    items: async (query) => {
      const page = await store.items(query);
      const byAge = [...page.rows].sort((a, b) => (a.item.id < b.item.id ? -1 : 1));
      return { ...page, rows: byAge };
    },
  }),
  "that lists as due what is due later": (store) => ({
    items: ({ dueBy, ...query }) => store.items({ ...query, ...(dueBy === undefined ? {} : { dueBy: 1e9 }) }),
  }),
  "that counts all tenants as one": (store) => ({ counts: () => store.counts() }),
  "that counts what has ended no more": (store) => ({
    counts: async (tenant) => {
      const counts = await store.counts(tenant);
      return { ...counts, runs: counts.runs.filter(({ status }) => status !== "completed") };
    },
  }),
  "that prunes nothing": () => ({ prune: async () => "pruned" as const }),
  "that prunes over an erasure": (store) => ({
    prune: async (...args) => {
      const result = await store.prune(...args);
      return result === "erased" ? "pruned" : result;
    },
  }),
  "that prunes one turn too few": (store) => ({
    prune: (tenant, run, pruning) => {
      const sequence = pruning.sequence - 1;
      return store.prune(tenant, run, { ...pruning, sequence, state: { ...pruning.state, sequence } });
    },
  }),
  "that prunes without an anchor": (store) => ({
    load: async (tenant, run, at) => {
      const loaded = await store.load(tenant, run, at);
      return loaded && { ...loaded, anchor: null };
    },
  }),
  "that takes a kept state on trust": (store) => ({
    load: async (tenant, run, at) => {
      const loaded = await store.load(tenant, run, at);
      const anchor = loaded?.anchor ?? null;
      return loaded && { ...loaded, anchor: anchor && { ...anchor, kept: anchor.state } };
    },
  }),
  ...BROKEN_PRUNABLE,
  "that shows items twice": (store) => ({
    items: async ({ after, ...query }) => {
      const earlier = after === undefined ? {} : { after: String(Number(after) - 1) };
      return store.items({ ...query, ...earlier });
    },
  }),
  "whose cursors are offsets": (store) => ({
    items: async ({ after = "0", limit, ...query }) => {
      const all = await store.items({ ...query, limit: 999 });
      const rows = all.rows.slice(Number(after), Number(after) + limit);
      const end = Number(after) + limit;
      return { rows, next: end < all.rows.length ? String(end) : null };
    },
  }),
  "that shows every turn in the present definition": (store) => ({
    load: async (tenant, run, at) => {
      const loaded = await store.load(tenant, run, at);
      return loaded && { ...loaded, definition: loaded.row.definition };
    },
  }),
  "that pauses nothing": onTurns((turn) => ({ ...turn, items: { ...turn.items, isPaused: false } })),
  "that travels one turn too far": (store) => ({
    load: (tenant, run, at) => store.load(tenant, run, at === undefined ? undefined : at + 1),
  }),
  "that loads the whole history": (store) => ({
    load: async (tenant, run, at) => {
      const loaded = await store.load(tenant, run, at);
      const rows = await store.journal(tenant, run, 0, at ?? 999);
      return loaded && { ...loaded, snapshot: null, tail: rows.flatMap(({ record }) => record ?? []) };
    },
  }),
  "that says it has erased": () => ({ erase: async () => "erased" }),
  "that erases what is still needed": (store) => ({
    erase: async (tenant, run, sequence, ...rest) => {
      const row = (await store.load(tenant, run))?.row;
      if (row !== undefined && row.status === "waiting") await store.commit([ending(row.run, row.sequence)]);
      return store.erase(tenant, run, sequence, ...rest);
    },
  }),
  "whose transactions commit what was thrown": (store) => ({
    transaction: (work) => {
      let thrown: { readonly fault: unknown } | null = null;
      const value = store.transaction?.((tx) => {
        try {
          return work(tx);
        } catch (fault) {
          thrown = { fault };
          return undefined;
        }
      });
      if (thrown !== null) throw (thrown as { readonly fault: unknown }).fault;
      return value as never;
    },
  }),
  "that cannot be closed": () => ({ close: async () => undefined }),
  "that lists timers of any tenant": (store) => ({
    startTimers: ({ dueBy = 1e12, limit }) => store.startTimers({ dueBy, limit }),
  }),
  "that finds timers that are not due": (store) => ({
    startTimers: ({ dueBy: _, ...query }) => store.startTimers(query),
  }),
  "that moves a timer from whatever time": (store) => ({
    moveStartTimer: async (row, next) => {
      const found = await store.startTimers({ tenant: row.tenant, limit: 9 });
      const there = found.find(({ workflow, event }) => workflow === row.workflow && event === row.event);
      return store.moveStartTimer({ ...row, ...there }, next);
    },
  }),
  "that counts timers anew with every deployment": (store) => ({
    putDefinition: async (tenant, row) => {
      const other = row.hash.replaceAll(/[de]/g, "f") as typeof row.hash;
      await store.putDefinition(tenant, { ...row, hash: other, timers: [] });
      return store.putDefinition(tenant, row);
    },
  }),
  "that keeps the timers of older versions": (store) => ({
    putDefinition: async (tenant, row) => {
      const kept = (await store.startTimers({ tenant, limit: 9 })).filter(
        ({ workflow, event }) =>
          workflow === row.name && !(row.timers ?? []).some((timer) => timer.event === event),
      );
      return store.putDefinition(tenant, { ...row, timers: [...(row.timers ?? []), ...kept] });
    },
  }),
  "that takes any turn": (store) => ({
    commit: async (turns) => {
      try {
        return await store.commit(turns);
      } catch {
        return turns.map(() => ({ kind: "duplicate", sequence: 0 }) as const);
      }
    },
  }),
};

function ending(run: string, sequence: number): Turn {
  const record = {
    semantics: 1,
    sequence: sequence + 1,
    at: 1,
    input: { kind: "continue" as const },
    steps: [],
  };
  return {
    tenant: "default",
    run,
    definition: "sha256:0" as Turn["definition"],
    expect: sequence,
    record,
    status: "completed",
    modes: [],
    items: { set: [], closed: [] },
    effects: { add: [], done: [] },
  };
}

/** Runs the contract on stores that `breakIt` breaks; the names of the cases that failed. */
async function failures(breakIt: Break): Promise<readonly string[]> {
  const cases: { name: string; body: () => Promise<void> }[] = [];
  const makeStore = async () => {
    const store = memoryStore();
    return { store: { ...store, ...breakIt(store) } };
  };
  storeContract("broken", makeStore, {
    describe: (_name, body) => body(),
    it: (name, body) => cases.push({ name, body }),
  });
  expect(cases.length).toBeGreaterThan(40);
  const failed: string[] = [];
  for (const { name, body } of cases) await body().catch(() => failed.push(name));
  return failed;
}

describe("the contract", () => {
  it("[D10.8] is kept by the store that the broken ones are made of", async () => {
    expect(await failures(() => ({}))).toEqual([]);
  });

  for (const [name, breakIt] of Object.entries(BROKEN)) {
    it(`[D10.8] is not kept by a store ${name}`, async () => {
      const failed = await failures(breakIt);
      expect(failed).not.toEqual([]);
      const isAboutTimers = name.includes(" timer");
      if (isAboutTimers) expect(failed).toContainEqual(expect.stringContaining("[D10.24]"));
    });
  }
});
