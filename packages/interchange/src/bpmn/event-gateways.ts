/** @module Event-based gateways, and receive tasks that start a process: on the way the first of their events counts; at the beginning of a process they start it. */
import { DONE, type JsonObject, type NodeId } from "@tessera/core";
import { addArc, addNode, baseOf, newId } from "./draft.ts";
import { addError } from "./event-nodes.ts";
import { type EventReading, readEvent } from "./event-reading.ts";
import type { BpmnFlow, BpmnNode, EventDefinition } from "./model.ts";
import { addFlows, type Routing, splitOfNode } from "./routes.ts";
import { addChoiceOfStart, checkStart, eventOfStart, isStartedByEvent } from "./start-events.ts";
import { refuse } from "./unsupported.ts";

/** An event behind a gateway: the flow to it, and what it waits for. */
interface EventBehind extends EventReading {
  readonly flow: BpmnFlow;
}

/**
 * An event-based gateway is a catch of all the events that stand behind it, each under its id.
 *
 * @definition D14.21
 */
export function addEventGateway(routing: Routing, node: BpmnNode): void {
  if (isStarting(node)) {
    addStartingGateway(routing, node);
    return;
  }
  const { draft, scope } = routing;
  if (isParallel(node)) {
    const why =
      "a parallel one starts a process (instantiate), on the way a parallel gateway does what it says";
    refuse(draft.log, node, "BPMN048", why);
    return;
  }
  const behind = eventsBehind(routing, node);
  for (const { flow } of behind)
    addArc(draft, { from: node.id, to: flow.target.id, outcome: flow.target.id }, flow.id, scope);
  const events = behind.map(({ flow, members }) => ({ id: flow.target.id, ...members }));
  addNode(draft, { ...baseOf(node, scope), kind: "catch", meta: { events } }, node);
  if (behind.some(({ canFail }) => canFail)) addError(routing, node);
}

/** Does the node say that it starts processes: an event-based gateway, or a receive task with a message? */
export function isStarting({ type, raw, content }: BpmnNode): boolean {
  const isEvent = type === "eventBasedGateway" || type === "intermediateCatchEvent" || content !== undefined;
  return isEvent && raw["instantiate"] === true;
}

/**
 * A receive task that starts the process (BPMN 2.0.2, clauses 13.3.3 and 13.5.1) is a start by its message. By now it is
 * an event that catches, or a subprocess around one if it has boundary events.
 */
export function addStartingTask(routing: Routing, node: BpmnNode): void {
  const { draft, scope } = routing;
  const why = misplaced(routing, node) ?? (node.content === undefined ? null : "boundary events stand at it");
  if (why !== null) {
    refuse(draft.log, node, "BPMN048", `${why}, so it cannot start the process`);
    return;
  }
  if (!isStartedByEvent(node)) refuse(draft.log, node, "BPMN032", "the name of its message is an expression");
  const event = eventOfStart(draft, node, DONE);
  if (event === undefined) return;
  const split = addFlows(routing, node);
  const meta = { events: [event] };
  addNode(draft, { ...baseOf(node, scope), kind: "start", ...splitOfNode(split, false), meta }, node);
}

/** Why what stands here cannot be the entry of the process; null: it can. */
function misplaced({ scope }: Routing, { incoming }: BpmnNode): string | null {
  if (scope !== undefined) return "it stands in a subprocess";
  return incoming.length > 0 ? "a flow leads to it" : null;
}

function isParallel({ raw }: BpmnNode): boolean {
  return raw["eventGatewayType"] === "Parallel";
}

/** What stands behind a gateway, in the order of its flows; what is no event that catches is refused. */
function catchesBehind(
  { draft }: Routing,
  node: BpmnNode,
): readonly { readonly flow: BpmnFlow; readonly definition: EventDefinition }[] {
  if (node.outgoing.length === 0) refuse(draft.log, node, "BPMN031", "no event stands behind it");
  return node.outgoing.flatMap((flow) => {
    const { target } = flow;
    const [definition, ...more] = target.definitions;
    const isCatch = target.type === "intermediateCatchEvent" && definition !== undefined && more.length === 0;
    if (isCatch && definition.type !== "linkEventDefinition" && target.incoming.length === 1)
      return [{ flow, definition }];
    const why =
      "behind an event-based gateway stand events that catch, or receive tasks with a message, which nothing else leads to";
    refuse(draft.log, target, "BPMN031", why);
    return [];
  });
}

/** The events behind a gateway, read; what cannot be read is refused. */
function eventsBehind(routing: Routing, node: BpmnNode): readonly EventBehind[] {
  const { log } = routing.draft;
  return catchesBehind(routing, node).flatMap(({ flow, definition }): readonly EventBehind[] => {
    const event = readEvent(flow.target, definition, "behind an event-based gateway, catching", log);
    return event === undefined ? [] : [{ ...event, flow }];
  });
}

/**
 * An event-based gateway that starts a process (BPMN 2.0.2, clauses 10.6.6, 13.2 and 13.5.1) is a start with the events
 * behind it. An exclusive one waits for no other when one has come. A parallel one marks, under each of its events, what
 * stands behind it and a catch for every other one.
 *
 * @definition D14.25
 */
function addStartingGateway(routing: Routing, node: BpmnNode): void {
  const { draft, scope } = routing;
  const why = misplaced(routing, node);
  if (why !== null) {
    refuse(draft.log, node, "BPMN048", `${why}, so it cannot start the process`);
    return;
  }
  const starts = node.outgoing.map(({ target }) => ({ ...target, incoming: [] }));
  if (!isParallel(node) && !starts.every(isStartedByEvent)) {
    if (catchesBehind(routing, node).length < starts.length) return;
    for (const start of starts) checkStart(draft, start, undefined, false);
    addChoiceOfStart(routing, starts, node.id);
    return;
  }
  const behind = eventsBehind(routing, node);
  if (isParallel(node)) addStartOfAll(routing, node, behind);
  else {
    for (const { flow } of behind)
      addArc(draft, { from: node.id, to: flow.target.id, outcome: flow.target.id }, flow.id, scope);
    const events = behind.map(({ flow, members: { key: _unread, ...members } }) => ({
      id: flow.target.id,
      ...members,
    }));
    addNode(draft, { ...baseOf(node, scope), kind: "start", meta: { events } }, node);
  }
}

function addStartOfAll(routing: Routing, node: BpmnNode, behind: readonly EventBehind[]): void {
  const { draft, scope } = routing;
  if (!isTogether(routing, node, behind)) return;
  const awaits = behind.map(({ flow, members }): NodeId => {
    const id = newId(draft, `${flow.target.id}:await`);
    const events: readonly JsonObject[] = [{ id: DONE, ...members }];
    addNode(draft, { ...baseOf(flow.target, scope), id, kind: "catch", meta: { events } }, flow.target);
    return id;
  });
  for (const [at, { flow }] of behind.entries()) {
    const outcome = flow.target.id;
    const others = awaits.filter((_, index) => index !== at);
    for (const to of [...others, flow.target.id])
      addArc(draft, { from: node.id, to, outcome }, flow.id, scope);
  }
  for (const [at, { flow }] of behind.entries()) {
    const from = awaits[at] as NodeId;
    addArc(draft, { from, to: flow.target.id }, flow.id, scope);
    addError(routing, flow.target, from);
  }
  const events = behind.map(({ flow, members }) => ({ id: flow.target.id, ...members }));
  const split = Object.fromEntries(behind.map(({ flow }) => [flow.target.id, "all" as const]));
  addNode(draft, { ...baseOf(node, scope), kind: "start", split, meta: { events } }, node);
}

/** Can one run wait for all of them: messages, at least two, under one key? Reports what stands against it. */
function isTogether({ draft }: Routing, node: BpmnNode, behind: readonly EventBehind[]): boolean {
  const problems: string[] = [];
  for (const { flow, members } of behind)
    if (members["on"] !== "message")
      problems.push(
        `"${flow.target.element.id}" is a ${String(members["on"])}, which belongs to no single run`,
      );
  if (node.outgoing.length < 2) problems.push("it has fewer than two events");
  const keys = new Set(behind.map(({ members }) => members["key"] ?? null));
  if (keys.size > 1)
    problems.push("its messages have not one correlation key, so the others cannot be told to be of the run");
  for (const problem of problems) refuse(draft.log, node, "BPMN048", problem);
  return problems.length === 0 && behind.length === node.outgoing.length;
}
