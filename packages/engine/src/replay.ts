/** @module Replay: the state of a run after any turn, folded from its journal alone. Nobody is asked and nothing is evaluated. */
import { applyTurn, initialState, type RunState, type TurnRecord } from "@tessera/core";
import type { JournalRow, RunId, TenantId } from "@tessera/persist";
import type { Host, LiveRun } from "./host.ts";
import { findVersion, liveRun, loadRun, prunedAway, rowOf } from "./live-run.ts";
import { type Refused, refused } from "./refusal.ts";
import type { Version } from "./versions.ts";

/** Rows that are read at a time. */
const PAGE = 500;

/** The rows of a journal behind `from` up to `at`, in pages. */
export async function* journalPages(
  host: Host,
  tenant: TenantId,
  run: RunId,
  at: number,
  from = 0,
): AsyncGenerator<readonly JournalRow[]> {
  for (let after = from; after < at; ) {
    const rows = await host.store.journal(tenant, run, after, Math.min(PAGE, at - after));
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1)?.sequence ?? at;
  }
}

/** The version in which a turn is folded: another one than before it if it is a migration. */
export async function versionAfter(
  host: Host,
  version: Version,
  { input }: TurnRecord,
): Promise<Version | Refused> {
  return input.kind === "migrate" ? findVersion(host, input.to) : version;
}

/**
 * The run after turn `at` (default: the last), as the fold of its turns from the initial state, or from the state of its
 * anchor if turns are pruned; no other snapshot is used. Refused (`erased`) at a turn whose payload is gone, `pruned` before
 * the anchor, `not-found` past the last turn.
 *
 * @definition D9.12
 */
export async function replayRun(
  host: Host,
  tenant: TenantId,
  run: RunId,
  at?: number,
): Promise<LiveRun | Refused> {
  const live = await loadRun(host, tenant, run);
  const last = live.kind === "refused" ? null : live.state.sequence;
  const until = at ?? last ?? Number.MAX_SAFE_INTEGER;
  if (live.kind === "refused" && live.code !== "erased") return live;
  if (last !== null && (until > last || until < 0)) {
    return refused("not-found", `run "${run}" has ${last} turns`, { run, at: until, turns: last });
  }
  const row = await rowOf(host, tenant, run);
  const from = row?.prunedTo ?? 0;
  const loaded = await host.store.load(tenant, run, from);
  let version = loaded === null ? null : await findVersion(host, loaded.definition);
  if (loaded === null || version === null) return refused("not-found", `there is no run "${run}"`, { run });
  if (version.kind === "refused") return version;
  if (until < from) return prunedAway(run, from);
  const begin = from === 0 ? { state: initialState(version.plan.program) } : liveRun(loaded, version);
  if ("kind" in begin && begin.kind === "refused") return begin;
  let { state }: { readonly state: RunState } = begin;
  for await (const rows of journalPages(host, tenant, run, until, from)) {
    for (const row of rows) {
      const { sequence, record } = row;
      if (record === null) return unreadable(run, row);
      version = await versionAfter(host, version, record);
      if (version.kind === "refused") return version;
      const applied = applyTurn(version.plan.program, state, record);
      if (applied.kind === "refused") {
        const facts = { run, sequence, code: applied.code, step: applied.step, ...applied.facts };
        return refused("invalid", `turn ${sequence} does not follow from the turns before it`, facts);
      }
      state = applied.state;
    }
  }
  const { workflow, businessKey, parent, graph } = loaded.row;
  return {
    kind: "live",
    tenant,
    run,
    workflow,
    businessKey,
    parent,
    graph,
    version,
    state,
    at: loaded.row.updatedAt,
    tail: { turns: 0, bytes: 0 },
    wasUnfinished: true,
  };
}

function unreadable(run: RunId, { sequence, erased }: JournalRow): Refused {
  return erased === null
    ? refused("invalid", `turn ${sequence} of run "${run}" is not what was written`, { run, sequence })
    : refused("erased", `turn ${sequence} of run "${run}" was erased`, { run, sequence });
}
