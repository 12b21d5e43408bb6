/** @module Migration: runs go on in another definition, by a mapping that is proved before it is applied. */
import {
  type Data,
  type Hash,
  type Json,
  jsonEqual,
  type Marking,
  markedPlaces,
  type OpenItem,
  type RunState,
  type StepRecord,
} from "@tessera/core";
import { DEFAULT_TENANT, type RunId, type RunRow, type TenantId } from "@tessera/persist";
import { type Actor, type Authorize, denial } from "./actor.ts";
import { hasEnded } from "./commands.ts";
import { markingRefusal } from "./completable.ts";
import type { Host, LiveRun, TurnRequest } from "./host.ts";
import { loadRun } from "./live-run.ts";
import { nodeMisfit } from "./node-fit.ts";
import { type Mapping, mappedNode, markingMap } from "./place-map.ts";
import type { Plan } from "./plan.ts";
import type { Prover } from "./prove.ts";
import { type Refused, refused } from "./refusal.ts";
import { resolveWorkflow, type WorkflowRef } from "./start.ts";
import { submit } from "./submit.ts";
import type { Version } from "./versions.ts";
import { commandTrouble, readMessage } from "./work-items.ts";

/** Which definition, by which mapping, who and why. `isDryRun`: nothing is recorded. */
export interface MigrationOrder {
  readonly to: WorkflowRef;
  readonly mapping?: Mapping;
  readonly by: Actor;
  readonly reason: string;
  readonly isDryRun?: boolean;
}

/** The migration of one run. */
export interface MigrateRequest extends MigrationOrder {
  readonly tenant?: TenantId;
  readonly run: RunId;
}

/** The migration of all runs that go on in a definition. */
export interface MigrateAllRequest extends MigrationOrder {
  readonly tenant?: TenantId;
  readonly from: Hash;
}

/** Where a run went, or (in a dry run) would go: places with their tokens before and after, items that changed, D. */
export interface Migrated {
  readonly kind: "migrated";
  readonly run: RunId;
  readonly isDryRun: boolean;
  readonly from: Hash;
  readonly to: Hash;
  /** The turn that moved it; of a dry run the one before. */
  readonly sequence: number;
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  readonly items: readonly OpenItem[];
  readonly data: Data;
}

/** What became of each run of a batch. */
export interface MigratedAll {
  readonly kind: "batch";
  readonly runs: readonly { readonly run: RunId; readonly result: Migrated | Refused }[];
}

/** What a run is in the other definition. */
interface Moved {
  readonly kind: "moved";
  readonly marking: Marking;
  readonly items: readonly OpenItem[];
  readonly values: { readonly [key: string]: Json | undefined };
  readonly data: Data;
  readonly visits: readonly number[];
}

/** Rows that are read at a time. */
const PAGE = 200;

/**
 * Moves a run. Its marking, open items, loop counters and D go where the mapping says (D9.23); the marking that this
 * gives is proved (D9.20). A marked place or an open item that has nowhere to go, an item whose new node cannot answer as
 * the old one could, data that the new declarations refuse, a marking from which the run could not complete: refused, with
 * the witness, and the run stays where it is. The items keep their ids, jobs their idempotency keys, timers their times,
 * called runs go on.
 *
 * @definition D9.24
 */
export async function migrateRun(
  host: Host,
  authorize: Authorize,
  prover: Prover,
  request: MigrateRequest,
): Promise<Migrated | Refused> {
  const { tenant = DEFAULT_TENANT, run, by, reason, mapping = {}, isDryRun = false } = request;
  const trouble = commandTrouble({ by, reason, commandId: undefined });
  if (trouble !== null) return trouble;
  const version = await resolveWorkflow(host, tenant, request.to);
  if (version.kind === "refused") return version;
  for (let attempt = 0; attempt < host.limits.conflictsMax; attempt += 1) {
    const live = await loadRun(host, tenant, run);
    if (live.kind === "refused") return live;
    const denied = denial(authorize, "migrate", by, { tenant, run, workflow: live.workflow });
    if (denied !== null) return denied;
    const moved = moveRun(host, live, version, mapping);
    if (moved.kind === "refused") return moved;
    const unproved = await markingRefusal(prover, version, moved.marking);
    if (unproved !== null) return refused(unproved.code, unproved.message, { ...unproved.facts, run });
    const answer = answerOf(live, version, moved, isDryRun);
    if (isDryRun) return answer;
    const submitted = await submit(host, tenant, run, (now): TurnRequest | Refused => {
      if (now.state.sequence !== live.state.sequence)
        return refused("stale", "the run has moved meanwhile", { run, sequence: live.state.sequence });
      const { hash: to } = version;
      const input = {
        kind: "migrate",
        from: now.state.definition,
        to,
        visits: moved.visits,
        by: by.id,
        reason,
      } as const;
      return {
        event: { input, payload: { placing: placingOf(now.state, moved), patch: moved.values } },
        version,
      };
    });
    if (submitted.kind === "committed") return { ...answer, sequence: submitted.record.sequence };
    if (submitted.kind === "refused" && submitted.code !== "stale") return submitted;
  }
  return refused("busy", "the run moved every time", { run });
}

/** Moves all runs of a definition that have not ended; each is moved or refused for itself, and a marking is proved once. */
export async function migrateAll(
  host: Host,
  authorize: Authorize,
  prover: Prover,
  { tenant = DEFAULT_TENANT, from, ...order }: MigrateAllRequest,
): Promise<MigratedAll | Refused> {
  const remembering = rememberingProver(prover);
  const rows: RunRow[] = [];
  for (const status of ["running", "waiting"] as const) {
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = await host.store.runs({
        tenant,
        status,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      rows.push(...page.rows.filter(({ definition }) => definition === from));
      after = page.next ?? undefined;
      isMore = page.next !== null;
    }
  }
  const runs: { run: RunId; result: Migrated | Refused }[] = [];
  for (const { run } of rows)
    runs.push({ run, result: await migrateRun(host, authorize, remembering, { ...order, tenant, run }) });
  return { kind: "batch", runs };
}

/** A prover that is asked once for each marking of each program. */
function rememberingProver(prover: Prover): Prover {
  const known = new Map<string, ReturnType<Prover>>();
  return (program, called) => {
    const key = `${program.hash} ${program.net.initial.join()}`;
    const proof = known.get(key) ?? prover(program, called);
    known.set(key, proof);
    return proof;
  };
}

/** The run in the other definition, or what has nowhere to go. No I/O. */
function moveRun(
  host: Host,
  { run, state, version: before }: LiveRun,
  version: Version,
  mapping: Mapping,
): Moved | Refused {
  if (hasEnded(state))
    return refused("ended", `run "${run}" is ${state.status}`, { run, status: state.status });
  const { plan: from } = before;
  const { plan: to } = version;
  const mapped = markingMap(from, to, mapping)(Array.from(state.marking));
  if (mapped.kind === "unmapped") {
    const message = `the mapping says nothing of places that run "${run}" has marked`;
    const facts = { run, places: [...mapped.places], marking: markedPlaces(from.program.net, state.marking) };
    return refused("unproved", message, facts);
  }
  const items: OpenItem[] = [];
  for (const item of state.items) {
    const node = mappedNode(mapping, item.node);
    const misfit = nodeMisfit(from, to, item.node, node);
    if (misfit !== null)
      return refused("unproved", misfit, { run, item: item.id, node: item.node, to: node });
    items.push(node === item.node ? item : { ...item, node });
  }
  const values = mappedData(host, state.data, mapping);
  if (values.kind === "refused") return values;
  const invalid = version.bodies().validate(values.data);
  if (invalid !== null)
    return refused("invalid-data", invalid.message, { ...invalid.facts, run, code: invalid.code });
  const passKeys = Object.keys(values.patch).filter((key) => to.passKeys.has(key));
  if (passKeys.length > 0)
    return refused("invalid-data", "a pass key is written by its verifier alone", { run, keys: passKeys });
  return {
    kind: "moved",
    marking: mapped.marking,
    items,
    values: values.patch,
    data: values.data,
    visits: mappedVisits(from, to, state),
  };
}

/** A node keeps its count of visits; one that had none begins above every count there was, so that no id comes twice. */
function mappedVisits(from: Plan, to: Plan, state: RunState): readonly number[] {
  return to.nodes.map(({ id }) => {
    const known = from.nodeIndex.get(id);
    return known === undefined ? state.stepCount : (state.visits[known] ?? 0);
  });
}

function mappedData(
  host: Host,
  data: Data,
  { data: { rename = {}, set = {}, unset = [] } = {} }: Mapping,
): { readonly kind: "data"; readonly data: Data; readonly patch: Moved["values"] } | Refused {
  const message = readMessage(host, set);
  if (message.kind === "refused") return message;
  const renamed = Object.entries(data).map(
    ([key, value]) => [Object.hasOwn(rename, key) ? (rename[key] ?? key) : key, value] as const,
  );
  const all: Data = { ...Object.fromEntries(renamed), ...message.data };
  const next: Data = Object.fromEntries(Object.entries(all).filter(([key]) => !unset.includes(key)));
  const keys = new Set([...Object.keys(data), ...Object.keys(next)]);
  const changed = [...keys].filter((key) => !isSame(data, next, key));
  return { kind: "data", data: next, patch: Object.fromEntries(changed.map((key) => [key, next[key]])) };
}

function isSame(before: Data, after: Data, key: string): boolean {
  const [left, right] = [before[key], after[key]];
  if (!Object.hasOwn(before, key) || !Object.hasOwn(after, key)) return false;
  return left !== undefined && right !== undefined && jsonEqual(left, right);
}

function placingOf({ items: before }: RunState, { marking, items }: Moved): StepRecord {
  const changed = items.filter((item, index) => item !== before[index]);
  return { marking, ...(changed.length === 0 ? {} : { changed }) };
}

function answerOf(
  { run, state, version: from }: LiveRun,
  to: Version,
  moved: Moved,
  isDryRun: boolean,
): Migrated {
  return {
    kind: "migrated",
    run,
    isDryRun,
    from: from.hash,
    to: to.hash,
    sequence: state.sequence,
    before: markedPlaces(from.plan.program.net, state.marking),
    after: markedPlaces(to.plan.program.net, moved.marking),
    items: moved.items,
    data: moved.data,
  };
}
