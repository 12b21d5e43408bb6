/** @module What an input asks of a run: checked against the open items before anything changes. */
import { ERROR, EXPIRED, type ItemId, type OpenItem, type Outcome, type Trouble } from "@tessera/core";
import { isEventLabel } from "@tessera/gateways";
import { type Action, refuse } from "./action.ts";
import { readEvent, readTimes } from "./event-input.ts";
import { metaTexts, type Plan } from "./plan.ts";
import type { InputEvent, InputPayload, InputRefusal, StepEnvironment } from "./turn.ts";

type Input = InputEvent["input"];
type RunInput = "start" | "continue" | "cancel" | "edit" | "suspend" | "resume" | "migrate" | "fork";
type ItemInput = Exclude<Input, { readonly kind: RunInput }>;

/**
 * The action of `event` on a run with the open items `items`, or the refusal: a run starts once; everything else
 * names an item that is open and of the right kind; a timer is due; an event is awaited; an outcome is in O(n). Result,
 * completion, expiry and an interrupting event become finish(n, o).
 *
 * @definition D9.4
 */
export function readInput(
  plan: Plan,
  items: ReadonlyMap<ItemId, OpenItem>,
  sequence: number,
  event: InputEvent,
  env: StepEnvironment,
): Action | InputRefusal {
  const { input, payload } = event;
  if ((input.kind === "start" || input.kind === "fork") === sequence > 0)
    return refuse("started", "a run starts once, with its first turn");
  if (input.kind === "start" || input.kind === "continue" || input.kind === "edit")
    return { kind: input.kind };
  if (input.kind === "suspend" || input.kind === "resume") return { kind: "continue" };
  if (input.kind === "migrate" || input.kind === "fork")
    return { kind: "place", step: payload?.placing ?? {} };
  if (input.kind === "cancel") {
    const by = input.by === undefined ? {} : { by: input.by };
    const reason = input.reason === undefined ? {} : { reason: input.reason };
    return { kind: "end", terminal: { kind: "cancelled", ...by, ...reason } };
  }
  const item = items.get(input.item);
  if (item === undefined) return refuse("not-open", `item "${input.item}" is not open`, { item: input.item });
  const accepted = KINDS[input.kind];
  if (!accepted.includes(item.kind)) {
    const facts = { item: item.id, kind: item.kind };
    return refuse("wrong-kind", `item "${item.id}" is a ${item.kind}, not ${accepted.join(" or ")}`, facts);
  }
  return readItemInput(plan, item, input, payload ?? {}, env, sequence + 1);
}

/** The kinds of item that each input speaks to. */
const KINDS: Readonly<Record<ItemInput["kind"], readonly OpenItem["kind"][]>> = {
  result: ["job", "child"],
  "attempt-failed": ["job"],
  hold: ["job", "child"],
  complete: ["work-item", "external"],
  claim: ["work-item"],
  release: ["work-item"],
  reassign: ["work-item"],
  timer: ["timer", "work-item", "external", "job", "child", "event", "intervention"],
  event: ["work-item", "external", "job", "child", "event", "intervention"],
  "child-status": ["child"],
  retry: ["intervention"],
  skip: ["intervention"],
  reroute: ["intervention"],
};

function readItemInput(
  plan: Plan,
  item: OpenItem,
  input: ItemInput,
  payload: InputPayload,
  env: StepEnvironment,
  turn: number,
): Action | InputRefusal {
  switch (input.kind) {
    case "result":
      return finishByResult(plan, item, input, payload);
    case "skip":
      if (isBeside(item)) return { kind: "settle", item, outcome: input.outcome, payload, trouble: null };
      return finishByPerson(plan, item, input.outcome, payload);
    case "complete":
      return finishByPerson(plan, item, input.outcome, payload);
    case "reroute":
      return { kind: "place", step: payload.placing ?? {} };
    case "timer":
      return item.subscriptions === undefined
        ? readTimer(item, input.dueAt, env)
        : readTimes(plan, item, input.dueAt, env);
    case "event":
      return readEvent(plan, item, input, payload);
    case "retry":
      return change(item, retried(plan, item, turn));
    case "hold":
      return change(item, { ...item, kind: "intervention", reason: input.trouble }, input.trouble);
    case "attempt-failed":
      return change(item, { ...item, attempt: input.attempt }, input.trouble);
    case "child-status":
      return readChildStatus(item, payload);
    case "claim":
      return change(item, assigned(item, input.by));
    case "release":
      return change(item, assigned(item, undefined));
    case "reassign":
      return change(
        item,
        input.toGroup === undefined ? assigned(item, input.to) : offered(item, input.toGroup),
      );
  }
}

/** Records the item as it is from now on; null closes it. */
function change(item: OpenItem, after: OpenItem | null, trouble?: Trouble): Action {
  const step = after === null ? { closed: [item.id] } : { changed: [after] };
  return {
    kind: "record",
    step: { node: item.node, ...step, ...(trouble === undefined ? {} : { trouble }) },
  };
}

/** A worker's answer is history: a label that the node does not have is its error, not a refusal that nobody hears. */
function finishByResult(
  plan: Plan,
  item: OpenItem,
  { outcome, trouble }: Input & { readonly kind: "result" },
  payload: InputPayload,
): Action {
  if (isBeside(item)) return { kind: "settle", item, outcome, payload, trouble: trouble ?? null };
  const labels = answerLabels(plan, item.node);
  if (labels.includes(outcome)) return { kind: "finish", item, outcome, payload, trouble: trouble ?? null };
  const facts = { outcome, labels: [...labels] };
  const unknown = { code: "OUTCOME_UNKNOWN", message: `"${item.node}" has no outcome "${outcome}"`, facts };
  return { kind: "finish", item, outcome: ERROR, payload: {}, trouble: unknown };
}

function finishByPerson(
  plan: Plan,
  item: OpenItem,
  outcome: Outcome,
  payload: InputPayload,
): Action | InputRefusal {
  const labels = answerLabels(plan, item.node);
  if (labels.includes(outcome)) return { kind: "finish", item, outcome, payload, trouble: null };
  return refuse("unknown-outcome", `"${item.node}" has no outcome "${outcome}"`, { labels: [...labels] });
}

/** O(n) of a node of the plan, empty when there is no such node. */
export function alphabetOf(plan: Plan, id: string): readonly Outcome[] {
  const index = plan.nodeIndex.get(id) ?? -1;
  const node = plan.nodes[index];
  const { compiled } = plan.program;
  return node === undefined || compiled.kind === "net" ? [] : (compiled.kinds[index]?.alphabet(node) ?? []);
}

/** Does the item speak of a called run beside its node's token, not of the token? */
function isBeside({ event, instance }: OpenItem): boolean {
  return event !== undefined || instance !== undefined;
}

/** The labels of each node of a plan, once somebody asked: a plan does not change. */
const known = new WeakMap<Plan, Map<string, readonly Outcome[]>>();

/** The labels that somebody may answer with: O(n) without those of events and the clock's `expired`, unless the author lists it. */
export function answerLabels(plan: Plan, id: string): readonly Outcome[] {
  const ofPlan = known.get(plan) ?? new Map<string, readonly Outcome[]>();
  const found = ofPlan.get(id);
  if (found !== undefined) return found;
  const labels = labelsOf(plan, id);
  // Only nodes of the plan: their number is bounded, that of ids in requests is not.
  if (plan.nodeIndex.has(id)) known.set(plan, ofPlan.set(id, labels));
  return labels;
}

function labelsOf(plan: Plan, id: string): readonly Outcome[] {
  const node = plan.nodes[plan.nodeIndex.get(id) ?? -1];
  const isDeclared = node !== undefined && (metaTexts(node, "outcomes") ?? []).includes(EXPIRED);
  return alphabetOf(plan, id).filter(
    (outcome) => (outcome !== EXPIRED || isDeclared) && (node === undefined || !isEventLabel(node, outcome)),
  );
}

/**
 * A held job or call is asked again under its own id, a job on D as it is now, which may have been repaired; an inline
 * body has no rest place, so its token simply goes on.
 */
function retried(plan: Plan, item: OpenItem, turn: number): OpenItem | null {
  const body = isBeside(item) ? "child" : plan.bodies[plan.nodeIndex.get(item.node) ?? -1];
  if (body !== "job" && body !== "child") return null;
  const { reason: _held, ...rest } = item;
  return { ...rest, kind: body, ...(body === "job" ? { turn } : {}) };
}

function readChildStatus(item: OpenItem, { child }: InputPayload): Action | InputRefusal {
  const known = item.child?.sequence ?? 0;
  if (child === undefined || child.sequence <= known) {
    return refuse("stale", `item "${item.id}" has heard of turn ${known} of its run`, { known });
  }
  return change(item, { ...item, child });
}

function readTimer(item: OpenItem, dueAt: number, env: StepEnvironment): Action | InputRefusal {
  if (item.dueAt !== dueAt || dueAt > env.now) {
    return refuse("not-due", `item "${item.id}" is not due`, { dueAt: item.dueAt ?? null, now: env.now });
  }
  const next = item.kind === "timer" && (item.remaining ?? 0) > 0 ? nextOccurrence(item, env) : null;
  if (next !== null) return change(item, next);
  return {
    kind: "finish",
    item,
    outcome: item.kind === "timer" ? "done" : EXPIRED,
    payload: {},
    trouble: null,
  };
}

/** Counted from the occurrence that is due, so that late firing does not drift; those missed meanwhile come due one by one. */
function nextOccurrence(item: OpenItem, env: StepEnvironment): OpenItem | null {
  const { repeat, remaining: before = 0, dueAt, ...rest } = item;
  if (repeat === undefined || dueAt === undefined) return null;
  const due = env.due(repeat, dueAt);
  if (due.kind === "trouble") return null;
  const remaining = before - 1;
  return { ...rest, repeat, dueAt: due.at, ...(remaining > 0 ? { remaining } : {}) };
}

/** Offered to a group, and to nobody else whom it named before. */
function offered(item: OpenItem, group: string): OpenItem {
  const { assignee: _claimed, assignees: _named, ...rest } = item;
  return { ...rest, candidateGroups: [group] };
}

function assigned(item: OpenItem, assignee: string | undefined): OpenItem {
  const { assignee: _before, ...rest } = item;
  return assignee === undefined ? rest : { ...rest, assignee };
}
