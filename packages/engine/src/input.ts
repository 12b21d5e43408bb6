/** @module What an input asks of a run: checked against the open items before anything changes. */
import { EXPIRED, type ItemId, type Json, type OpenItem, type Outcome, type StepRecord, type Terminal, type Trouble } from "@tessera/core";
import type { Plan } from "./plan.ts";
import type { InputEvent, InputPayload, InputRefusal, StepEnvironment } from "./turn.ts";

/** What the turn does first. */
export type Action =
  | { readonly kind: "start" }
  | { readonly kind: "continue" }
  | { readonly kind: "end"; readonly terminal: Terminal }
  | { readonly kind: "record"; readonly step: StepRecord }
  | { readonly kind: "finish"; readonly item: OpenItem; readonly outcome: Outcome; readonly payload: InputPayload; readonly trouble: Trouble | null };

type Input = InputEvent["input"];
type ItemInput = Exclude<Input, { readonly kind: "start" | "continue" | "cancel" }>;

/**
 * The action of `event` on a run with the open items `items`, or the refusal: a run starts once; everything else
 * names an item that is open and of the right kind; a timer is due; an outcome is in O(n). Result, completion and
 * expiry become finish(n, o).
 *
 * @definition D9.4
 */
export function readInput(plan: Plan, items: ReadonlyMap<ItemId, OpenItem>, isStarted: boolean, event: InputEvent, env: StepEnvironment): Action | InputRefusal {
  const { input, payload } = event;
  if ((input.kind === "start") === isStarted) return refuse("started", "a run starts once, with its first turn");
  if (input.kind === "start" || input.kind === "continue") return { kind: input.kind };
  if (input.kind === "cancel") {
    const by = input.by === undefined ? {} : { by: input.by };
    const reason = input.reason === undefined ? {} : { reason: input.reason };
    return { kind: "end", terminal: { kind: "cancelled", ...by, ...reason } };
  }
  const item = items.get(input.item);
  if (item === undefined) return refuse("not-open", `item "${input.item}" is not open`, { item: input.item });
  const accepted = KINDS[input.kind];
  if (!accepted.includes(item.kind)) {
    return refuse("wrong-kind", `item "${item.id}" is a ${item.kind}, not ${accepted.join(" or ")}`, { item: item.id, kind: item.kind });
  }
  return readItemInput(plan, item, input, payload ?? {}, env);
}

/** The kinds of item that each input speaks to. */
const KINDS: Readonly<Record<ItemInput["kind"], readonly OpenItem["kind"][]>> = {
  result: ["job", "child"],
  "attempt-failed": ["job"],
  complete: ["work-item", "external"],
  claim: ["work-item"],
  release: ["work-item"],
  reassign: ["work-item"],
  timer: ["timer", "work-item", "external", "job", "child"],
  "child-status": ["child"],
  retry: ["intervention"],
};

function readItemInput(plan: Plan, item: OpenItem, input: ItemInput, payload: InputPayload, env: StepEnvironment): Action | InputRefusal {
  const record = (step: StepRecord): Action => ({ kind: "record", step: { node: item.node, ...step } });
  switch (input.kind) {
    case "result":
      return finish(plan, item, input.outcome, payload, input.trouble ?? null);
    case "complete":
      return finish(plan, item, input.outcome, payload, null);
    case "timer":
      return readTimer(plan, item, input.dueAt, env);
    case "retry":
      return record({ closed: [item.id] });
    case "attempt-failed":
      return record({ changed: [{ ...item, attempt: input.attempt }], trouble: input.trouble });
    case "child-status":
      return record({ changed: [payload.child === undefined ? item : { ...item, child: payload.child }] });
    case "claim":
      return record({ changed: [assigned(item, input.by)] });
    case "release":
      return record({ changed: [assigned(item, undefined)] });
    case "reassign":
      return record({ changed: [assigned(item, input.to)] });
  }
}

function finish(plan: Plan, item: OpenItem, outcome: Outcome, payload: InputPayload, trouble: Trouble | null): Action | InputRefusal {
  const alphabet = alphabetOf(plan, item.node);
  if (alphabet.includes(outcome)) return { kind: "finish", item, outcome, payload, trouble };
  return refuse("unknown-outcome", `"${item.node}" has no outcome "${outcome}"`, { alphabet: [...alphabet] });
}

/** O(n) of a node of the plan, empty when there is no such node. */
export function alphabetOf(plan: Plan, id: string): readonly Outcome[] {
  const index = plan.nodeIndex.get(id) ?? -1;
  const node = plan.nodes[index];
  const { compiled } = plan.program;
  return node === undefined || compiled.kind === "net" ? [] : (compiled.kinds[index]?.alphabet(node) ?? []);
}

function readTimer(plan: Plan, item: OpenItem, dueAt: number, env: StepEnvironment): Action | InputRefusal {
  if (item.dueAt !== dueAt || dueAt > env.now) {
    return refuse("not-due", `item "${item.id}" is not due`, { dueAt: item.dueAt ?? null, now: env.now });
  }
  const next = item.kind === "timer" && (item.remaining ?? 0) > 0 ? nextOccurrence(plan, item, env) : null;
  if (next !== null) return { kind: "record", step: { node: item.node, changed: [next] } };
  return finish(plan, item, item.kind === "timer" ? "done" : EXPIRED, {}, null);
}

/** Counted from the occurrence that is due, so that late firing does not drift; occurrences missed meanwhile come due one by one. */
function nextOccurrence(plan: Plan, item: OpenItem, env: StepEnvironment): OpenItem | null {
  const { repeat, remaining: before = 0, dueAt, ...rest } = item;
  if (repeat === undefined || dueAt === undefined) return null;
  const due = env.due(repeat, dueAt);
  if (due.kind === "trouble") return null;
  const remaining = before - 1;
  return { ...rest, repeat, dueAt: due.at, ...(remaining > 0 ? { remaining } : {}) };
}

function assigned(item: OpenItem, assignee: string | undefined): OpenItem {
  const { assignee: _before, ...rest } = item;
  return assignee === undefined ? rest : { ...rest, assignee };
}

function refuse(code: InputRefusal["code"], message: string, facts: { readonly [key: string]: Json } = {}): InputRefusal {
  return { kind: "refused", code, message, facts };
}
