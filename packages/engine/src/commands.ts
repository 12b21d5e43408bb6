/** @module What a turn asks of the store: the row of the journal with the items, the outbox and the graph that go with it. Pure. */
import {
  CANCELLED,
  ERROR,
  type Hash,
  type ItemId,
  type JsonObject,
  type OpenItem,
  type Outcome,
  type RunState,
  type StepRecord,
} from "@tessera/core";
import { endLabel } from "@tessera/gateways";
import type { EffectCommand, GraphId, NewRun, ParentLink, RunId, TenantId, Turn } from "@tessera/persist";
import { handledEvent } from "./handlers.ts";
import { indexedChanges } from "./indexed-data.ts";
import type { InTheMaking } from "./making.ts";
import { mapData } from "./mapping.ts";
import { metaText, type Plan } from "./plan.ts";
import type { TurnReady } from "./turn.ts";

/** The run that a turn is of, and what the host knows that the run does not. */
export interface TurnContext {
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly plan: Plan;
  /** Versions to which called workflows are pinned, by name. */
  readonly pins: Readonly<Record<string, Hash>>;
  readonly parent: ParentLink | null;
  readonly graph: { readonly id: GraphId; readonly sequence: number };
  readonly created: NewRun | null;
  /** Effects that the turn completes: the command that brought its input. */
  readonly done: readonly string[];
  readonly dedupe: string | null;
  /** The buffered message that the turn takes. */
  readonly takes: number | null;
  /** What the clock says: from then on what the turn asks for can be done, and what it sends is there. */
  readonly now: number;
  /** How long a message waits that does not say it, in ms. */
  readonly messageTtlMs: number;
  readonly fence: { readonly effect: string; readonly token: number } | null;
  /** Did the turn before this one leave automatic steps undone? */
  readonly wasUnfinished: boolean;
  /** After how long another worker takes up an unfinished run whose process died, in ms. */
  readonly continueAfterMs: number;
  readonly isSnapshotDue: boolean;
  /** The paths of D by which the run is found. */
  readonly indexed: readonly string[];
}

/** Has the run ended? */
export function hasEnded({ status }: Pick<RunState, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** The id of the outbox row of an item; an attempt after the first has its own, so that each is answered once. */
export function effectId(run: RunId, item: ItemId, attempt = 0): string {
  return attempt === 0 ? `${run}/${item}` : `${run}/${item}#${attempt}`;
}

/** The id of the run that a child item calls: the same whoever asks, so that it starts once. */
export function childRunId(run: RunId, item: ItemId): RunId {
  return `${run}/${item}`;
}

/**
 * The turn as the store takes it: items opened, changed and closed; outbox rows for jobs, called runs and the parent;
 * the rows that it completes; the graph with the sequence that was read; a snapshot if one is due.
 *
 * @definition D9.5
 */
export function storeTurn(context: TurnContext, before: RunState, ready: TurnReady): Turn {
  const { record, state, mutations, hasReadGraph } = ready;
  const { graph, created, dedupe, fence, takes } = context;
  const changes = itemChanges(before, state);
  const isStopped = state.suspension !== undefined;
  const isTurned = isStopped !== (before.suspension !== undefined);
  const turn: InTheMaking<Turn> = {
    tenant: context.tenant,
    run: context.run,
    definition: state.definition,
    expect: before.sequence,
    record,
    status: state.status,
    modes: state.modes,
    items: itemsOf(isTurned ? state.items : changes.set, changes.closed, isStopped),
    effects: effectsOf(context, before, ready, changes),
  };
  if (created !== null) turn.created = created;
  if (dedupe !== null) turn.dedupe = dedupe;
  if (fence !== null) turn.fence = fence;
  if (takes !== null) turn.takes = takes;
  const sends = sendsOf(context, ready);
  if (sends !== null) turn.sends = sends;
  const { indexed: paths } = context;
  const indexed = paths.length === 0 ? NOTHING : indexedChanges(paths, before.data, state.data);
  if (indexed.length > 0) turn.indexed = indexed;
  // A fork has a graph that nobody has written, also where it begins with an empty one.
  const isGraphAsked = mutations.length > 0 || hasReadGraph || record.input.kind === "fork";
  if (isGraphAsked) turn.graph = { id: graph.id, expect: graph.sequence, mutations };
  if (context.isSnapshotDue) turn.snapshot = state;
  return turn;
}

const NOTHING: readonly never[] = [];

function itemsOf(set: readonly OpenItem[], gone: readonly OpenItem[], isPaused: boolean): Turn["items"] {
  const closed = gone.length === 0 ? NOTHING : gone.map(({ id }) => id);
  return isPaused ? { set, closed, isPaused } : { set, closed };
}

const sendsSomething = ({ sent }: StepRecord): boolean => sent !== undefined;

/** What the steps of the turn send, as the store takes it. */
function sendsOf(
  { messageTtlMs, now }: TurnContext,
  { record }: TurnReady,
): Exclude<Turn["sends"], undefined> | null {
  if (!record.steps.some(sendsSomething)) return null;
  const sent = record.steps.flatMap((step) => step.sent ?? []);
  const messages = sent.flatMap(({ on, name, key, data, ttlMs = messageTtlMs }) =>
    on === "message" ? [{ name, data, expiresAt: now + ttlMs, ...(key === undefined ? {} : { key }) }] : [],
  );
  const signals = sent.flatMap(({ on, name, data }) => (on === "signal" ? [{ name, data, at: now }] : []));
  return { messages, signals, now };
}

/** What a turn did to the open items; `before` and `after` of a changed one side by side. */
interface ItemChanges {
  readonly set: readonly OpenItem[];
  readonly closed: readonly OpenItem[];
  readonly changed: readonly { readonly before: OpenItem; readonly after: OpenItem }[];
  readonly opened: readonly OpenItem[];
}

function itemChanges(before: RunState, after: RunState): ItemChanges {
  const known = before.items.length <= FEW ? null : tableOf(before.items);
  const open = after.items.length <= FEW ? null : tableOf(after.items);
  let set = NO_ITEMS;
  let opened = NO_ITEMS;
  let closed = NO_ITEMS;
  const changed: { readonly before: OpenItem; readonly after: OpenItem }[] = [];
  for (const item of after.items) {
    const earlier = known === null ? withId(before.items, item.id) : known.get(item.id);
    if (earlier === item) continue;
    set = appended(set, item);
    if (earlier === undefined) opened = appended(opened, item);
    else changed.push({ before: earlier, after: item });
  }
  for (const item of before.items) {
    const later = open === null ? withId(after.items, item.id) : open.get(item.id);
    if (later === undefined) closed = appended(closed, item);
  }
  return { set, closed, changed, opened };
}

const NO_ITEMS: OpenItem[] = [];

/** The list with one more; a turn mostly has one of a kind, and a list that begins with it takes no room for more. */
function appended(list: OpenItem[], item: OpenItem): OpenItem[] {
  if (list === NO_ITEMS) return [item];
  list.push(item);
  return list;
}

/** Up to how many items looking at each is quicker than a table of them. */
const FEW = 8;

function withId(items: readonly OpenItem[], wanted: ItemId): OpenItem | undefined {
  for (const item of items) if (item.id === wanted) return item;
  return undefined;
}

function tableOf(items: readonly OpenItem[]): ReadonlyMap<ItemId, OpenItem> {
  return new Map(items.map((item) => [item.id, item]));
}

function effectsOf(
  context: TurnContext,
  before: RunState,
  ready: TurnReady,
  { closed, changed, opened }: ItemChanges,
): Turn["effects"] {
  const { run } = context;
  const { record } = ready;
  const add: EffectCommand[] = [];
  const done = [...context.done];
  if (context.wasUnfinished) done.push(continueId(run, before.sequence));
  const answered = record.input.kind === "result" ? record.input.item : null;
  for (const item of closed) {
    done.push(...pendingEffects(run, item));
    if (callsRun(context.plan, item) && item.id !== answered) add.push(cancelChild(run, item, context.now));
  }
  for (const { before: earlier, after } of changed) {
    const isAsked = after.kind !== earlier.kind || (after.attempt ?? 0) !== (earlier.attempt ?? 0);
    if (!isAsked) continue;
    done.push(...pendingEffects(run, earlier));
    add.push(...asked(context, after, ready, AGAIN));
  }
  for (const item of opened) add.push(...asked(context, item, ready));
  // A suspended run owes nobody anything; what it owed before is asked again, under the same ids, when it goes on.
  const isStopped = ready.state.suspension !== undefined;
  if (isStopped && before.suspension === undefined) {
    for (const item of before.items) done.push(...pendingEffects(run, item));
  }
  if (!isStopped && before.suspension !== undefined) {
    for (const item of ready.state.items)
      if (!add.some(({ item: id }) => id === item.id)) add.push(...asked(context, item, ready, AGAIN));
  }
  if (ready.isUnfinished) add.push(continueCommand(context, ready));
  if (context.parent !== null) add.push(...news(context, context.parent, before, ready));
  return { add, done: done.length === 0 ? NOTHING : [...new Set(done)] };
}

function pendingEffects(run: RunId, item: OpenItem): readonly string[] {
  return item.kind === "job" || item.kind === "child" ? [effectId(run, item.id, item.attempt)] : NOTHING;
}

function callsRun(plan: Plan, item: OpenItem): boolean {
  if (item.event !== undefined || item.instance !== undefined) return true;
  if (item.instances !== undefined) return false;
  return plan.bodies[plan.nodeIndex.get(item.node) ?? -1] === "child";
}

/** Of a job that an earlier row asked for: a call may have been made under its key, whatever became of it. */
const AGAIN = { isAgain: true } as const;

/** May the call of a job repeat one that an earlier row of the outbox asked for? */
export function isAskedAgain({ payload }: Pick<EffectCommand, "payload">): boolean {
  return payload["isAgain"] === true;
}

/** The command that an item stands for, if it is one that a worker answers. */
function asked(
  context: TurnContext,
  item: OpenItem,
  { record, state }: TurnReady,
  again: Partial<typeof AGAIN> = {},
): readonly EffectCommand[] {
  if (item.kind !== "job" && item.kind !== "child") return NOTHING;
  const id = effectId(context.run, item.id, item.attempt);
  const { input } = record;
  if (item.kind === "job") {
    const availableAt =
      input.kind === "attempt-failed" && input.item === item.id ? input.retryAt : context.now;
    return [{ id, kind: "job", item: item.id, availableAt, payload: { node: item.node, ...again } }];
  }
  const node = context.plan.nodes[context.plan.nodeIndex.get(item.node) ?? -1];
  const handler = handledEvent(context.plan, item)?.handler ?? null;
  const workflow = handler?.workflow ?? (node === undefined ? "" : (metaText(node, "workflow") ?? ""));
  const payload: JsonObject = {
    child: childRunId(context.run, item.id),
    workflow,
    definition: Object.hasOwn(context.pins, workflow) ? (context.pins[workflow] as string) : null,
    data: { ...mapData(handler?.inputs ?? node?.meta?.["inputs"], state.data), ...item.data },
    graph: context.graph.id,
  };
  return [{ id, kind: "start-child", item: item.id, availableAt: context.now, payload }];
}

function cancelChild(run: RunId, item: OpenItem, at: number): EffectCommand {
  const payload = { child: childRunId(run, item.id) };
  return {
    id: `${effectId(run, item.id)}/cancel`,
    kind: "cancel-child",
    item: item.id,
    availableAt: at,
    payload,
  };
}

function continueId(run: RunId, sequence: number): string {
  return `${run}/continue@${sequence}`;
}

function continueCommand({ run, now, continueAfterMs }: TurnContext, { record }: TurnReady): EffectCommand {
  const availableAt = now + continueAfterMs;
  return { id: continueId(run, record.sequence), kind: "continue", item: "", availableAt, payload: {} };
}

/** What the parent must hear: the end, or that the run waits for others than before. A parent that cancelled knows. */
function news(
  { run, now }: TurnContext,
  parent: ParentLink,
  before: RunState,
  { record, state }: TurnReady,
): readonly EffectCommand[] {
  const { input, sequence } = record;
  const to = { run: parent.run, item: parent.item };
  if (hasEnded(state)) {
    const isByParent = input.kind === "cancel" && input.by === parentActor(parent);
    if (isByParent) return [];
    return [{ id: `${run}/done`, kind: "child-done", item: parent.item, availableAt: now, payload: to }];
  }
  const isSame = state.status === before.status && sameTexts(state.modes, before.modes);
  if (isSame) return [];
  const payload: JsonObject = { ...to, sequence, status: state.status, modes: [...state.modes] };
  return [
    { id: `${run}/status@${sequence}`, kind: "child-status", item: parent.item, availableAt: now, payload },
  ];
}

/** Who cancels a called run when its parent no longer waits for it. */
export function parentActor(parent: ParentLink): string {
  return `${RUN_ACTOR}${parent.run}/${parent.item}`;
}

/** Is it the name of a run that acts? No person may have such a name. */
export function isRunActor(id: string): boolean {
  return id.startsWith(RUN_ACTOR);
}

const RUN_ACTOR = "run:";

/**
 * The labels under which a completed run ended, document order without repetition: those of its marked ends; empty
 * for a bare net and for a run that did not complete.
 */
export function endLabels(plan: Plan, state: RunState): readonly Outcome[] {
  if (state.status !== "completed") return [];
  const labels = plan.program.net.places.flatMap((place, index) => {
    const node =
      place.origin?.kind === "end" && (state.marking[index] ?? 0) > 0
        ? plan.nodes[place.origin.node]
        : undefined;
    return node === undefined ? [] : [endLabel(node)];
  });
  return [...new Set(labels)];
}

/**
 * The outcome of a called run for its caller: the one label of its ends, `error` if it failed or ended under several
 * labels (O12 excludes that), `cancelled` if it was cancelled.
 */
export function childOutcome(plan: Plan, state: RunState): Outcome {
  if (state.status === "cancelled") return CANCELLED;
  if (state.status !== "completed") return ERROR;
  const labels = endLabels(plan, state);
  if (labels.length > 1) return ERROR;
  return labels[0] ?? "done";
}

/** How much of a run's journal lies behind its newest snapshot. */
export interface TailSize {
  readonly turns: number;
  readonly bytes: number;
}

/**
 * Is a snapshot worth its bytes? Loading costs the snapshot and the tail, so the tail is kept about as large as the
 * state: the bytes written stay within a constant factor of the bytes that the turns themselves need.
 */
export function isSnapshotDue(tail: TailSize, stateBytes: number, turnsMax: number): boolean {
  if (tail.turns < turnsMax) return tail.bytes >= Math.max(SNAPSHOT_BYTES, stateBytes);
  return tail.bytes * 4 >= stateBytes || tail.turns >= turnsMax * 40;
}

/** Below this a long tail of bytes alone is no reason. */
const SNAPSHOT_BYTES = 1_048_576;

function sameTexts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}
