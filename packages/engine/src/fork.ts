/** @module Time travel: a new run that begins where another one was after one of its turns. */
import {
  applyMutation,
  EMPTY_GRAPH,
  type Hash,
  type Mutation,
  type OpenItem,
  objectsOf,
  type ProductGraph,
  type RunState,
  type StepRecord,
} from "@tessera/core";
import { DEFAULT_TENANT, type NewRun, type RunId, type TenantId } from "@tessera/persist";
import { type Actor, type Authorize, denial } from "./actor.ts";
import { hasEnded } from "./commands.ts";
import { type Host, keyOf, type LiveRun } from "./host.ts";
import { loadGraph, loadRun, rowOf, unbornRun } from "./live-run.ts";
import { type Refused, refused } from "./refusal.ts";
import { adopt, commit, computeTurn } from "./submit.ts";
import { commandTrouble } from "./work-items.ts";

/** Which run after which of its turns, and under which id the new one begins (default: a new id). */
export interface ForkRequest {
  readonly tenant?: TenantId;
  readonly run: RunId;
  readonly at: number;
  readonly id?: RunId;
  readonly by: Actor;
  readonly reason: string;
}

/** The new run. `isNew` is false when an earlier fork with the same id made it. */
export interface Forked {
  readonly kind: "forked";
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly isNew: boolean;
}

/** Rows of a graph's journal that are read at a time. */
const PAGE = 500;

/**
 * The new run has the marking, D, visits and open items that the other one had after turn `at`, the definition that it
 * was in then, and a graph of its own with the objects that its graph had then. Its jobs are asked for again under keys of
 * their own, its calls call anew; what is due keeps its time. Where the other run had ended after `at`, or its turns up to
 * `at` are erased, it is refused.
 *
 * @definition D9.21
 */
export async function forkRun(
  host: Host,
  authorize: Authorize,
  request: ForkRequest,
): Promise<Forked | Refused> {
  const { tenant = DEFAULT_TENANT, run: origin, at, by, reason } = request;
  const run = request.id ?? host.ids();
  const trouble = commandTrouble({ by, reason, commandId: run });
  if (trouble !== null) return trouble;
  const live = await loadRun(host, tenant, origin, at);
  if (live.kind === "refused") return live;
  const denied = denial(authorize, "fork", by, { tenant, run: origin, workflow: live.workflow });
  if (denied !== null) return denied;
  const { state } = live;
  if (!Number.isSafeInteger(at) || at < 1 || state.sequence !== at)
    return refused("not-found", `run "${origin}" has no turn ${at}`, { run: origin, at });
  if (hasEnded(state))
    return refused("ended", `run "${origin}" had ended after turn ${at}`, { run: origin, at });
  const head = await headAt(host, tenant, origin, at);
  const objects = await graphAt(host, live, at);
  if (head === null || objects === null)
    return refused("erased", `the graph of run "${origin}" at turn ${at} cannot be folded`, {
      run: origin,
      at,
    });
  const created: NewRun = {
    workflow: live.workflow,
    graph: run,
    ...(live.businessKey === null ? {} : { businessKey: live.businessKey }),
  };
  const input = {
    kind: "fork",
    run: origin,
    at,
    head,
    data: state.data,
    visits: visitsBefore(live),
    by: by.id,
    reason,
  } as const;
  const event = { input, payload: { placing: placingOf(state, objects) } };
  return host.mailboxes.exclusive(keyOf(tenant, run), async () => {
    const unborn = unbornRun(tenant, run, live.version, created);
    for (let attempt = 0; attempt < host.limits.conflictsMax; attempt += 1) {
      const existing = await existingFork(host, { tenant, run, origin, at, workflow: live.workflow });
      if (existing !== null) return existing;
      const graph = await loadGraph(host, tenant, run);
      if (graph.sequence > 0) return graphTaken(run);
      const computed = computeTurn(host, unborn, created, graph, { event });
      if (computed.kind === "refused") return computed;
      const result = await commit(host, computed);
      if (result.kind === "ok") {
        adopt(host, null, computed, result.claimed ?? []);
        return { kind: "forked", tenant, run, isNew: true };
      }
      host.graphs.delete(keyOf(tenant, run));
    }
    return refused("busy", "other writers were faster every time", { run });
  });
}

/** The head of the chain of a run after its turn `at`: of the row, or of the anchor that stands for it. */
async function headAt(host: Host, tenant: TenantId, run: RunId, at: number): Promise<Hash | null> {
  const [row] = await host.store.journal(tenant, run, at - 1, 1);
  if (row?.sequence === at) return row.head;
  const loaded = await host.store.load(tenant, run, at);
  return loaded?.anchor?.sequence === at ? loaded.anchor.head : null;
}

/** The first step: every item is open again as it was, but a call, which has called nobody yet. */
function placingOf({ marking, items }: RunState, graph: ProductGraph): StepRecord {
  const opened = items.map((item): OpenItem => {
    const { child: _news, childId: _called, ...rest } = item;
    return rest.kind === "job" || rest.turn !== undefined ? { ...rest, turn: 1 } : rest;
  });
  const create = [...objectsOf(graph)];
  const mutation: Mutation = { create, update: [], delete: [] };
  return {
    marking: Array.from(marking),
    ...(opened.length === 0 ? {} : { opened }),
    ...(create.length === 0 ? {} : { mutation }),
  };
}

/** The visits before the items were opened that the first step opens again. */
function visitsBefore({ state, version }: LiveRun): readonly number[] {
  const visits = state.visits.slice();
  for (const { node } of state.items) {
    const index = version.plan.nodeIndex.get(node) ?? -1;
    if (index >= 0) visits[index] = (visits[index] ?? 0) - 1;
  }
  return visits;
}

/**
 * The graph of a run as it was after its turn `at`: of a graph that other runs write as well, with what they wrote before
 * this run's next write. Null when a payload that it is folded from is erased.
 */
async function graphAt(
  host: Host,
  { tenant, run, graph }: LiveRun,
  at: number,
): Promise<ProductGraph | null> {
  let folded = EMPTY_GRAPH;
  for (let after = 0; ; ) {
    const rows = await host.store.graphJournal(tenant, graph, after, PAGE);
    for (const row of rows) {
      if (row.run === run && row.runSequence > at) return folded;
      if (row.mutations === null) return null;
      folded = row.mutations.reduce(applyMutation, folded);
      after = row.sequence;
    }
    if (rows.length < PAGE) return folded;
  }
}

/** The fork has a graph of its own: one under its id that somebody has written already is not. */
function graphTaken(run: RunId): Refused {
  const message = `there is no run "${run}", but a graph of this name that other runs have written: fork under another id`;
  return refused("exists", message, { graph: run });
}

interface ForkKey {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly origin: RunId;
  readonly at: number;
  readonly workflow: string;
}

/** What a run that has the id already is to this fork: made by it, or another one. Null: no run has the id. */
async function existingFork(
  host: Host,
  { tenant, run, origin, at, workflow }: ForkKey,
): Promise<Forked | Refused | null> {
  const row = await rowOf(host, tenant, run);
  if (row === null) return null;
  const [first] = await host.store.journal(tenant, run, 0, 1);
  const input = first?.sequence === 1 ? first.record?.input : undefined;
  // What is erased or pruned cannot be compared: it is known by its id, its workflow and its graph.
  const isSame =
    input === undefined
      ? row.workflow === workflow && row.graph === run
      : input.kind === "fork" && input.run === origin && input.at === at;
  if (isSame) return { kind: "forked", tenant, run, isNew: false };
  const how =
    input?.kind === "fork" ? `run "${input.run}" after its turn ${input.at}` : "no fork of this run";
  return refused("exists", `there is a run "${run}" already: it is ${how}`, { run });
}
