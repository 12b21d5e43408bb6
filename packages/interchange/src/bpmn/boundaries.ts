/** @module Boundary events: the outcomes and the events that they give their activity. */
import { CANCELLED, DONE, ERROR, EXPIRED, type Json, type Outcome } from "@tessera/core";
import { CANCEL, type Draft } from "./draft.ts";
import { catcherAt, escalationLabel } from "./escalations.ts";
import { ALL, readEvent } from "./event-reading.ts";
import type { BpmnNode, EventDefinition } from "./model.ts";
import { childOf, textOf } from "./raw.ts";
import { TASKS } from "./tasks.ts";
import { readTimer } from "./timers.ts";
import { refuse, refuseEvent } from "./unsupported.ts";

/** Labels that a port or a person may not use for an error of their own. */
export const RESERVED: ReadonlySet<Outcome> = new Set([DONE, ERROR, EXPIRED, CANCELLED, CANCEL]);

/** What the boundary events of an activity give it. */
export interface Catches {
  readonly byCode: ReadonlyMap<Outcome, BpmnNode>;
  readonly anyError: BpmnNode | undefined;
  readonly deadline: { readonly text: string; readonly event: BpmnNode } | undefined;
  /** Members of `meta.events`, and the boundary event that each leads to; null where a process of its own handles it. */
  readonly events: readonly {
    readonly member: { readonly [key: string]: Json };
    readonly to: BpmnNode | null;
  }[];
  /** Can an event itself go wrong? Then the activity can end under `error`. */
  readonly canFail: boolean;
}

/** What of the catches the node under construction reads, while they are collected. */
interface Collected {
  readonly byCode: Map<Outcome, BpmnNode>;
  anyError: BpmnNode | undefined;
  deadline: Catches["deadline"];
  readonly events: { readonly member: { readonly [key: string]: Json }; readonly to: BpmnNode | null }[];
  canFail: boolean;
}

/**
 * What the boundary events of `node` catch. An error event catches the label that is its code, or, without code, every
 * error that no other catches; a cancel event the cancelling of its transaction; an interrupting timer with a constant
 * date or duration on a task is its deadline. Timers, messages and signals else are events of the node, each under its id,
 * an escalation that does not interrupt one for each code that is thrown inside. `thrown`: these codes.
 *
 * @definition D14.10
 */
export function readBoundaries(draft: Draft, node: BpmnNode, thrown: ReadonlySet<string>): Catches {
  const catches: Collected = {
    byCode: new Map(),
    anyError: undefined,
    deadline: undefined,
    events: [],
    canFail: false,
  };
  for (const event of node.boundaries) {
    const [definition, ...more] = event.definitions;
    if (definition === undefined || more.length > 0)
      refuse(draft.log, event, "BPMN043", "a boundary event needs exactly one event definition here");
    else addCatch(draft, node, event, definition, catches, thrown);
  }
  return catches;
}

function addCatch(
  draft: Draft,
  node: BpmnNode,
  event: BpmnNode,
  definition: EventDefinition,
  catches: Collected,
  thrown: ReadonlySet<string>,
): void {
  const { log } = draft;
  switch (definition.type) {
    case "errorEventDefinition":
      addError(draft, event, definition, catches);
      return;
    case "cancelEventDefinition":
      if (node.type === "transaction" && !catches.byCode.has(CANCEL)) catches.byCode.set(CANCEL, event);
      else refuseEvent(log, event, definition.type, "at this border, catching");
      return;
    case "escalationEventDefinition":
      addEscalations(draft, node, event, catches, thrown);
      return;
    default:
  }
  if (isDeadline(node, event, definition) && catches.deadline === undefined) {
    const reading = readTimer(definition.raw);
    if (reading.kind === "constant") catches.deadline = { text: reading.text, event };
    return;
  }
  const reading = readEvent(event, definition, "at this border, catching", log);
  if (reading === undefined) return;
  const beside = event.isInterrupting ? {} : { interrupting: false };
  const { handler } = event;
  if (handler === undefined) {
    catches.events.push({ member: { id: event.id, ...reading.members, ...beside }, to: event });
    catches.canFail ||= reading.canFail;
    return;
  }
  const member = { id: event.id, ...reading.members, ...beside, workflow: handler, inputs: ALL };
  catches.events.push({ member, to: null });
  log.warn(
    "BPMN076",
    event.at,
    `the path of "${event.element.id}" is a run of its own each time: it works on a copy of the data`,
    { element: event.element.id },
  );
}

/** A constant time on a task that a person, a port or an outside answer is waited for at. */
function isDeadline(node: BpmnNode, event: BpmnNode, { type, raw }: EventDefinition): boolean {
  if (type !== "timerEventDefinition" || !event.isInterrupting) return false;
  if (!TASKS.has(node.type) || node.instances !== undefined) return false;
  const reading = readTimer(raw);
  return reading.kind === "constant" && reading.name !== "cycle";
}

function addError({ log }: Draft, event: BpmnNode, { raw }: EventDefinition, catches: Collected): void {
  const code = errorCode(raw);
  if (code === undefined && catches.anyError === undefined) catches.anyError = event;
  else if (code === undefined || catches.byCode.has(code))
    refuse(log, event, "BPMN030", "another boundary event catches the same error");
  else if (RESERVED.has(code))
    refuse(log, event, "BPMN046", `the error code "${code}" is the name of an outcome that every node has`);
  else catches.byCode.set(code, event);
}

/** The code of an error definition; undefined catches everything. */
export function errorCode(definition: BpmnNode["raw"]): string | undefined {
  const error = childOf(definition, "errorRef");
  return error === undefined ? undefined : textOf(error, "errorCode")?.trim();
}

function addEscalations(
  draft: Draft,
  node: BpmnNode,
  event: BpmnNode,
  catches: Collected,
  thrown: ReadonlySet<string>,
): void {
  if (node.content === undefined) {
    refuse(draft.log, event, "BPMN034", "an escalation is caught at the border of a subprocess only");
    return;
  }
  const codes = [...thrown].filter((code) => catcherAt(node, code) === event);
  if (codes.length === 0) {
    refuse(draft.log, event, "BPMN047", "nothing inside throws the escalation that it waits for");
    return;
  }
  for (const code of codes) {
    if (event.isInterrupting) catches.byCode.set(escalationLabel(code), event);
    else {
      const id = codes.length === 1 ? event.id : `${event.id}:${code}`;
      catches.events.push({ member: { id, on: "escalation", name: code, interrupting: false }, to: event });
    }
  }
}
