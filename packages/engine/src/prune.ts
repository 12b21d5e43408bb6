/** @module Pruning: turns that nobody needs any more go; an anchor and the state after them stay. */
import { DEFAULT_TENANT, type RunId, type RunRow, type TenantId } from "@tessera/persist";
import { type Actor, type Authorize, denial } from "./actor.ts";
import type { Host } from "./host.ts";
import { loadRun, rowOf } from "./live-run.ts";
import { type Refused, refused } from "./refusal.ts";
import { commandTrouble } from "./work-items.ts";

/**
 * Which turns go. `run`: of this run those up to turn `at` (default: its last), whether it has ended or not. `before`: of
 * every run that ended before this time (ms since the epoch) and by now, all.
 */
export type PruneRequest = {
  readonly tenant?: TenantId;
  readonly by: Actor;
  readonly reason: string;
} & ({ readonly run: RunId; readonly at?: number } | { readonly before: number });

/** Which runs were pruned, up to which turn, and which were not and why. Those that were pruned before are in neither. */
export interface Pruned {
  readonly kind: "pruned";
  readonly runs: readonly { readonly run: RunId; readonly sequence: number }[];
  readonly refused: readonly { readonly run: RunId; readonly refusal: Refused }[];
}

/** Runs that are looked at in one page. */
const PAGE = 200;

/**
 * Prunes a run, or all that ended before a time. Authorized (`prune`), with a reason; recorded in the anchor, and the
 * first event of the history from then on. One run that is refused does not keep the others. Cost: the turns that go, and
 * the runs that are refused; what was pruned before costs nothing.
 *
 * @definition D9.18
 */
export async function pruneRuns(
  host: Host,
  authorize: Authorize,
  request: PruneRequest,
): Promise<Pruned | Refused> {
  const { tenant = DEFAULT_TENANT, by, reason } = request;
  const trouble = commandTrouble({ by, reason, commandId: undefined });
  if (trouble !== null) return trouble;
  const order = { tenant, by, reason };
  if ("run" in request) {
    const row = await rowOf(host, tenant, request.run);
    if (row === null) return refused("not-found", `there is no run "${request.run}"`, { run: request.run });
    const sequence = await pruneRun(host, authorize, order, row, request.at ?? row.sequence);
    if (typeof sequence === "object") return sequence;
    return { kind: "pruned", runs: sequence === 0 ? [] : [{ run: row.run, sequence }], refused: [] };
  }
  if (!Number.isFinite(request.before))
    return refused("invalid", "before must be a time in ms since the epoch", { name: "before" });
  const runs: { run: RunId; sequence: number }[] = [];
  const failed: { run: RunId; refusal: Refused }[] = [];
  for await (const row of endedBefore(host, tenant, request.before)) {
    const done = await pruneRun(host, authorize, order, row, row.sequence);
    if (typeof done === "object") failed.push({ run: row.run, refusal: done });
    else if (done > 0) runs.push({ run: row.run, sequence: done });
  }
  return { kind: "pruned", runs, refused: failed };
}

/** Runs that are to be pruned (D10.28), each once. What ends from now on is left: else there might be no end of it. */
async function* endedBefore(host: Host, tenant: TenantId, time: number): AsyncGenerator<RunRow> {
  const before = Math.min(time, host.clock.now() + 1);
  for (let after: string | null | undefined; after !== null; ) {
    const query = { tenant, before, limit: PAGE, ...(after === undefined ? {} : { after }) };
    const page = await host.store.prunable(query);
    yield* page.rows;
    after = page.next;
  }
}

/** The turn up to which the run is pruned now; 0 when it was before. */
async function pruneRun(
  host: Host,
  authorize: Authorize,
  { tenant, by, reason }: { readonly tenant: TenantId; readonly by: Actor; readonly reason: string },
  { run, workflow, sequence: last }: RunRow,
  at: number,
): Promise<number | Refused> {
  const denied = denial(authorize, "prune", by, { tenant, run, workflow });
  if (denied !== null) return denied;
  if (!Number.isSafeInteger(at) || at < 1 || at > last)
    return refused("not-found", `run "${run}" has no turn ${at}`, { run, at, turns: last });
  const live = await loadRun(host, tenant, run, at);
  if (live.kind === "refused") return live.code === "pruned" ? 0 : live;
  const { state } = live;
  const pruning = { sequence: at, state, by: by.id, reason, at: host.clock.now() };
  const result = await host.store.prune(tenant, run, pruning);
  if (result === "absent") return refused("not-found", `run "${run}" has no turn ${at}`, { run, at });
  if (result === "erased")
    return refused("erased", `a turn of run "${run}" was erased while it was pruned`, { run, at });
  return result === "pruned" ? at : 0;
}
