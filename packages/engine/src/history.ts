/** @module What a run did: the journal as events that people can read. */
import type {
  Hash,
  ItemId,
  Mutation,
  NodeId,
  OpenItem,
  Outcome,
  Patch,
  StepRecord,
  Terminal,
  Trouble,
  TurnInput,
} from "@tessera/core";
import type { Anchor, JournalRow, RunId, TenantId } from "@tessera/persist";
import type { Host } from "./host.ts";
import { findVersion, rowOf } from "./live-run.ts";
import type { Plan } from "./plan.ts";
import { type Refused, refused } from "./refusal.ts";
import { versionAfter } from "./replay.ts";
import type { Version } from "./versions.ts";

/**
 * One event. `sequence` is the turn, `index` counts the events of the turn. Each turn has an `input` (who and what
 * opened it), its `step`s, and an `end` where it ended the run by an event; an erased one is `erased` and nothing else.
 * The turns up to that of a `pruned` one are gone, by whom and why it says.
 * One whose payload is not what was written, nobody having erased it, is `unreadable`: the audit says what is broken.
 */
export type HistoryEvent = EventPlace &
  (
    | { readonly kind: "input"; readonly input: TurnInput; readonly by: string | null }
    | StepEvent
    | { readonly kind: "end"; readonly terminal: Terminal }
    | { readonly kind: "erased"; readonly by: string; readonly reason: string }
    | { readonly kind: "pruned"; readonly by: string; readonly reason: string }
    | { readonly kind: "unreadable" }
  );

/** Where an event stands. `head` is the hash of the chain after its turn. */
export interface EventPlace {
  readonly sequence: number;
  readonly index: number;
  readonly at: number;
  readonly head: Hash;
}

/** A step: transitions by id, the labels and arcs that it took, what it changed. Absent members are empty. */
export interface StepEvent {
  readonly kind: "step";
  readonly node: NodeId | null;
  readonly fired: readonly string[];
  readonly outcome?: Outcome;
  /** The arcs that were marked, as "from -> to". */
  readonly arcs: readonly string[];
  readonly patch?: Patch;
  readonly mutation?: Mutation;
  readonly opened?: readonly OpenItem[];
  readonly closed?: readonly ItemId[];
  readonly changed?: readonly OpenItem[];
  readonly trouble?: Trouble;
}

/** A page of history: events of the turns after `after`, at most `turns` of them. `next` is the cursor of the rest. */
export interface History {
  readonly kind: "history";
  readonly run: RunId;
  readonly events: readonly HistoryEvent[];
  readonly next: number | null;
}

/** Which part of the history. */
export interface HistoryQuery {
  readonly after?: number;
  readonly turns?: number;
}

/** Turns of a page. */
const TURNS = 1_000;

/** The history of a run, oldest first. */
export async function historyOf(
  host: Host,
  tenant: TenantId,
  run: RunId,
  query: HistoryQuery = {},
): Promise<History | Refused> {
  const { after = 0, turns = TURNS } = query;
  const now = await rowOf(host, tenant, run);
  const loaded = await host.store.load(tenant, run, Math.max(after, now?.prunedTo ?? 0));
  if (loaded === null) return refused("not-found", `there is no run "${run}"`, { run });
  let version = await findVersion(host, loaded.definition);
  if (version.kind === "refused") return version;
  const rows = await host.store.journal(tenant, run, after, turns);
  const { anchor } = loaded;
  const isCut = anchor !== null && after < anchor.sequence;
  const last = rows.at(-1)?.sequence ?? Math.max(after, anchor?.sequence ?? 0);
  const events: HistoryEvent[] = isCut ? [prunedEvent(anchor)] : [];
  for (const row of rows) {
    version = await versionOfRow(host, tenant, run, version, row);
    if (version.kind === "refused") return version;
    events.push(...eventsOf(version.plan, row));
  }
  return { kind: "history", run, events, next: last < loaded.row.sequence ? last : null };
}

function prunedEvent({ sequence, head, by, reason, at }: Anchor): HistoryEvent {
  return { sequence, index: 0, at, head, kind: "pruned", by, reason };
}

/** An erased row may have been a migration: where it led the store knows. */
async function versionOfRow(
  host: Host,
  tenant: TenantId,
  run: RunId,
  version: Version,
  { record, sequence }: JournalRow,
): Promise<Version | Refused> {
  if (record !== null) return versionAfter(host, version, record);
  const loaded = await host.store.load(tenant, run, sequence);
  return loaded === null ? version : findVersion(host, loaded.definition);
}

/**
 * The events of a journal row: its input with who sent it, its steps in the names of the definition, its end.
 *
 * @definition D9.11
 */
export function eventsOf(plan: Plan, row: JournalRow): readonly HistoryEvent[] {
  const { sequence, head, record, erased } = row;
  if (record === null) {
    if (erased === null) return [{ sequence, index: 0, at: 0, head, kind: "unreadable" }];
    const { by, reason, at } = erased;
    return [{ sequence, index: 0, at, head, kind: "erased", by, reason }];
  }
  const { at, input, terminal } = record;
  const place = (index: number): EventPlace => ({ sequence, index, at, head });
  const steps = record.steps.map((step, index) => ({ ...place(index + 1), ...stepEvent(plan, step) }));
  const end = terminal === undefined ? [] : [{ ...place(steps.length + 1), kind: "end", terminal } as const];
  return [{ ...place(0), kind: "input", input, by: actorOf(input) }, ...steps, ...end];
}

function stepEvent(plan: Plan, step: StepRecord): StepEvent {
  const { node, fired = [], ...rest } = step;
  const { net, compiled } = plan.program;
  const arcs = compiled.kind === "net" ? [] : compiled.definition.arcs;
  const taken = fired.flatMap((t) => {
    const origin = net.transitions[t]?.origin;
    return origin === undefined || origin.phase === "skip" ? [] : origin.chosen;
  });
  return {
    kind: "step",
    node: node ?? null,
    fired: fired.map((t) => net.transitions[t]?.id ?? String(t)),
    arcs: taken.map((arc) => `${arcs[arc]?.from} -> ${arcs[arc]?.to}`),
    ...rest,
  };
}

/** Who opened the turn; null for the clock, a worker, or an application that did not say. */
export function actorOf(input: TurnInput): string | null {
  return "by" in input && input.by !== undefined ? input.by : null;
}
