/** @module Claimed jobs: from the outbox row to the turn that its result opens. */
import { type Data, EMPTY_GRAPH, ERROR, type OpenItem, type Trouble, type WorkflowNode } from "@tessera/core";
import type { ClaimedEffect, TenantId } from "@tessera/persist";
import { effectId, hasEnded } from "./commands.ts";
import { visibleGraph } from "./graph-claim.ts";
import { heldView } from "./held.ts";
import { type Host, keyOf, type LiveRun, type Submitted, type TurnRequest } from "./host.ts";
import { callPort, type GoneReason, type JobCall, type JobEnd } from "./job.ts";
import { loadGraph, loadRun, runWith } from "./live-run.ts";
import { metaText } from "./plan.ts";
import { recentMap } from "./recent.ts";
import { refused } from "./refusal.ts";
import { backoffMs, isLost, retryPolicy } from "./retry.ts";
import { submit } from "./submit.ts";
import { thrownText } from "./trouble.ts";

/** The jobs of one engine. */
export interface Jobs {
  /** Works on a claimed job until its turn is committed, or somebody else must. Never rejects. */
  readonly run: (claimed: ClaimedEffect) => Promise<void>;
  /** Abandons the calls of effects, or of all. */
  readonly abandon: (why: GoneReason, tenant?: TenantId, effects?: readonly string[]) => void;
}

/** Data of recently opened jobs that are kept so that no run is loaded again. */
const OPENED_MAX = 1_000;
const OPENED_BYTES_MAX = 64 * 1_048_576;

/** Waits before the attempts to commit a result while the storage has a fault, in ms. */
const COMMIT_WAITS_MS: readonly number[] = [50, 500, 5_000];

/** Jobs over a host. */
export function makeJobs(host: Host): Jobs {
  const bench: Bench = { host, calls: new Map(), isShut: false, dataOf: (live, item) => dataOf(live, item) };
  const { calls } = bench;
  const opened = recentMap<LiveRun>(OPENED_MAX, OPENED_BYTES_MAX, (live) => live.state.dataBytesBound);
  host.listeners.push(({ live, turn }) => {
    if (turn.items.set.some((item) => item.kind === "job")) {
      opened.set(keyOf(live.tenant, `${live.run}/${live.state.sequence}`), live);
    }
  });
  const dataOf = async (live: LiveRun, item: OpenItem): Promise<Data | null> => {
    const sequence = item.turn ?? live.state.sequence;
    const known = opened.get(keyOf(live.tenant, `${live.run}/${sequence}`));
    if (known !== undefined) return dataFor(known, item);
    const then = await loadRun(host, live.tenant, live.run, sequence);
    return then.kind === "refused" ? null : dataFor(then, item);
  };
  return {
    run: async (claimed) => {
      try {
        await work(bench, claimed);
      } catch (fault) {
        const facts = { effect: claimed.effect.id, error: thrownText(fault) };
        host.logger.error("a job could not be worked on; it is tried again when its lease ends", facts);
      }
    },
    abandon: (why, tenant, effects) => {
      if (why === "shutdown") bench.isShut = true;
      if (tenant === undefined || effects === undefined) for (const call of calls.values()) call.abandon(why);
      else for (const id of effects) calls.get(keyOf(tenant, id))?.abandon(why);
    },
  };
}

/** D of a state as the node of an item sees it. */
function dataFor({ state, version: { plan } }: LiveRun, item: OpenItem): Data {
  const { overlays = [] } = state;
  const node = plan.nodeIndex.get(item.node) ?? -1;
  return heldView(plan, { ...state, graph: EMPTY_GRAPH, overlays }, node).data;
}

/** The calls that are under way, and whether new ones may begin. */
interface Bench {
  readonly host: Host;
  readonly calls: Map<string, JobCall>;
  isShut: boolean;
  /** D as the turn that opened the item left it; null when it is erased. */
  readonly dataOf: (live: LiveRun, item: OpenItem) => Promise<Data | null>;
}

/**
 * A claimed job, from its row to the turn that its result opens. The port is called outside any transaction with D as
 * the turn that opened the item left it. A job whose item is closed is dropped; one that nobody here can do is held.
 *
 * @definition D9.8
 */
async function work(bench: Bench, claimed: ClaimedEffect): Promise<void> {
  const { host, calls } = bench;
  const { tenant, run, effect, token } = claimed;
  const isAsked = (open: OpenItem): boolean =>
    open.kind === "job" && effectId(run, open.id, open.attempt) === effect.id;
  const live = await runWith(host, tenant, run, isAsked);
  if (live.kind === "refused") {
    if (live.code === "not-found") return void (await host.store.dropEffect(effect.id, tenant, token));
    return postpone(host, claimed, live.message, false);
  }
  // The turn that suspended the run has taken the row away; the one that resumes it asks again.
  if (live.state.suspension !== undefined) return;
  const { plan } = live.version;
  const item = live.state.items.find(isAsked);
  const node = plan.nodes[plan.nodeIndex.get(item?.node ?? "") ?? -1];
  if (item === undefined || node === undefined) {
    return void (await host.store.dropEffect(effect.id, tenant, token));
  }
  if (claimed.claimCount > host.limits.claimsMax) {
    const message = `the job was begun ${claimed.claimCount - 1} times and never answered`;
    return hold(host, claimed, { code: "JOB_LOST", message, facts: { claims: claimed.claimCount - 1 } });
  }
  const name = metaText(node, "port") ?? node.id;
  const port = host.registry.portOf(live.version.owner, name);
  if (port === undefined) {
    return hold(host, claimed, {
      code: "PORT_MISSING",
      message: `no port "${name}" is registered`,
      facts: { name },
    });
  }
  const data = await bench.dataOf(live, item);
  if (data === null) {
    return hold(host, claimed, {
      code: "DATA_ERASED",
      message: "the data that the job was to see are erased",
    });
  }
  const visible = plan.visible[plan.nodeIndex.get(node.id) ?? -1] ?? null;
  const own = structuredClone(
    visible === null ? data : Object.fromEntries(Object.entries(data).filter(([key]) => visible.has(key))),
  );
  // From here to the call nothing is awaited: what was closed meanwhile is not begun, what is begun can be abandoned.
  if (bench.isShut) return host.store.releaseEffect(effect.id, tenant, token, host.clock.now(), false);
  const now = host.runs.get(keyOf(tenant, run));
  if (now !== undefined && (now.state.suspension !== undefined || !now.state.items.some(isAsked))) return;
  const key = keyOf(tenant, effect.id);
  const graph = async () => {
    const { graph: G } = await loadGraph(host, tenant, live.graph);
    const index = plan.nodeIndex.get(node.id) ?? -1;
    const { overlays = [] } = live.state;
    const view = heldView(plan, { ...live.state, graph: G, overlays }, index);
    return visibleGraph(plan, index, data, view.graph);
  };
  const call = callPort(host, { claimed, node, item, data: own, port, graph });
  // The same job again in this process: the lease of the call before ended without a word, the new one counts.
  calls.get(key)?.abandon("lease");
  calls.set(key, call);
  const end = await call.end;
  if (calls.get(key) === call) calls.delete(key);
  try {
    await conclude(host, claimed, node, item, end);
  } finally {
    call.release();
  }
}

async function conclude(
  host: Host,
  claimed: ClaimedEffect,
  node: WorkflowNode,
  item: OpenItem,
  end: JobEnd,
): Promise<void> {
  const { tenant, effect, token } = claimed;
  switch (end.kind) {
    case "gone":
      if (end.why === "shutdown") await host.store.releaseEffect(effect.id, tenant, token, host.clock.now());
      return;
    case "answered": {
      const { outcome, patch, mutation } = end.answer;
      const input = { kind: "result", item: item.id, outcome } as const;
      const { reads } = end;
      const read = reads.length === 0 ? {} : { reads };
      const payload = { patch, ...(mutation === null ? {} : { mutation }), ...read };
      const stale = (trouble: Trouble) => conclude(host, claimed, node, item, { kind: "failed", trouble });
      return report(host, claimed, item, { event: { input, payload } }, stale);
    }
    case "invalid":
      return report(host, claimed, item, errorResult(item, end.trouble));
    case "failed": {
      const failed = (item.attempt ?? 0) + 1;
      const policy = retryPolicy(node);
      if (isLost(policy, failed, end.trouble)) {
        if (policy.deadLetter) return hold(host, claimed, end.trouble);
        return report(host, claimed, item, errorResult(item, end.trouble));
      }
      const retryAt = host.clock.now() + backoffMs(policy, failed, host.random());
      const input = {
        kind: "attempt-failed",
        item: item.id,
        attempt: failed,
        trouble: end.trouble,
        retryAt,
      } as const;
      return report(host, claimed, item, { event: { input } });
    }
  }
}

function errorResult(item: OpenItem, trouble: Trouble): TurnRequest {
  return { event: { input: { kind: "result", item: item.id, outcome: ERROR, trouble } } };
}

/**
 * Commits what came of a call, fenced by its lease and once: the row's id is the id of the command. An answer that rests
 * on reads of G which are stale is a failed attempt.
 */
async function report(
  host: Host,
  claimed: ClaimedEffect,
  item: OpenItem,
  request: TurnRequest,
  onStale?: (trouble: Trouble) => Promise<void>,
): Promise<void> {
  const { effect, token } = claimed;
  const submitted = await persistently(host, claimed, (live) => {
    const now = live.state.items.find(({ id }) => id === item.id);
    const isSame = now?.kind === "job" && (now.attempt ?? 0) === (item.attempt ?? 0);
    if (!isSame || hasEnded(live.state))
      return refused("not-open", `item "${item.id}" is not open`, { item: item.id });
    return { ...request, dedupe: effect.id, done: [effect.id], fence: { effect: effect.id, token } };
  });
  if (submitted.kind !== "refused") return;
  switch (submitted.code) {
    case "fenced":
      return;
    case "not-open":
    case "ended":
    case "not-found":
      return void (await host.store.dropEffect(effect.id, claimed.tenant, token));
    case "busy":
      return postpone(host, claimed, submitted.message);
    case "stale-read":
      return onStale?.({ code: "STALE_READ", message: submitted.message, facts: submitted.facts });
    default:
      return hold(host, claimed, {
        code: "RESULT_REFUSED",
        message: submitted.message,
        facts: { ...submitted.facts, refusal: submitted.code },
      });
  }
}

/** Gives the job to an operator: an intervention with a reason, never a failure. */
async function hold(host: Host, claimed: ClaimedEffect, trouble: Trouble): Promise<void> {
  const { effect, token } = claimed;
  host.logger.warn("a job is held for an operator", {
    run: claimed.run,
    effect: effect.id,
    code: trouble.code,
  });
  const submitted = await persistently(host, claimed, () => {
    const input = { kind: "hold", item: effect.item, trouble } as const;
    return { event: { input }, done: [effect.id], fence: { effect: effect.id, token } };
  });
  if (submitted.kind === "refused" && submitted.code !== "fenced")
    await postpone(host, claimed, submitted.message);
}

/** Submits; while the storage has a fault, again after some time: a result is not given up lightly. */
async function persistently(
  host: Host,
  { tenant, run }: ClaimedEffect,
  decide: Parameters<typeof submit>[3],
): Promise<Submitted> {
  for (const wait of COMMIT_WAITS_MS) {
    try {
      return await submit(host, tenant, run, decide);
    } catch (fault) {
      host.logger.warn("a result could not be stored", { run, error: thrownText(fault) });
      if (host.isClosed) throw fault;
      await new Promise<void>((resolve) => void host.clock.schedule(wait, resolve));
    }
  }
  return submit(host, tenant, run, decide);
}

/**
 * Gives the effect back, to be claimed again when a lease would have ended. `wasBegun` false: nothing was done of it, so
 * this claim says nothing of what may have happened and leads nobody to think it lost.
 */
export async function postpone(
  host: Host,
  claimed: ClaimedEffect,
  why: string,
  wasBegun = true,
): Promise<void> {
  const { effect, tenant, token } = claimed;
  host.logger.warn("a command is postponed", { effect: effect.id, why });
  const { clock, limits, store } = host;
  await store.releaseEffect(effect.id, tenant, token, clock.now() + limits.leaseMs, wasBegun);
}
