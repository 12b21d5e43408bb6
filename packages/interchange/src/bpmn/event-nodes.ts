/** @module Events on the way and at the end: what is caught, thrown, and how tokens end. */
import { DONE, ERROR, type Json, type NodeId } from "@tessera/core";
import { errorCode, RESERVED } from "./boundaries.ts";
import { addArc, addNode, baseOf, CANCEL, failureEnd, labelOf, newId, scopeOf } from "./draft.ts";
import { escalationOf, escalationTaker } from "./escalations.ts";
import { isExpression, readEvent, sentName } from "./event-reading.ts";
import type { BpmnFlow, BpmnNode, EventDefinition } from "./model.ts";
import { addFlows, type Routing, splitOfNode } from "./routes.ts";
import { portOf, type TaskOptions } from "./tasks.ts";
import { timerMeta } from "./timers.ts";
import { refuse, refuseEvent } from "./unsupported.ts";
import { implementation } from "./vendor.ts";

const ENDING: ReadonlySet<string> = new Set([
  "terminateEventDefinition",
  "errorEventDefinition",
  "cancelEventDefinition",
]);

/** An end that several flows enter is a node for each of them, so that each has an end place of its own. */
export function targetOf({ target, id }: BpmnFlow): NodeId {
  return target.type === "endEvent" && target.incoming.length > 1 && !isEnding(target)
    ? endIdOf(target, id)
    : target.id;
}

function endIdOf(end: BpmnNode, flow: string): NodeId {
  return `${end.id}:${flow}`;
}

function isEnding(end: BpmnNode): boolean {
  return end.definitions.some(({ type }) => ENDING.has(type));
}

/**
 * Ends: none, terminate, error, cancel, and those that throw. Each incoming flow of an end that does not empty its scope
 * has an end of its own. A terminate end empties its scope; an error end does so under the error's code.
 *
 * @definition D14.13
 */
export function addEnd(routing: Routing, options: TaskOptions, node: BpmnNode): void {
  const { draft, scope } = routing;
  const [definition, ...more] = node.definitions;
  if (more.length > 0) {
    refuse(draft.log, node, "BPMN043", "several event definitions at one event are not supported here");
    return;
  }
  switch (definition?.type) {
    case "terminateEventDefinition":
      addNode(draft, { ...baseOf(node, scope), kind: "end", meta: { terminate: true } }, node);
      return;
    case "errorEventDefinition": {
      const label = errorCode(definition.raw) ?? ERROR;
      if (RESERVED.has(label) && label !== ERROR)
        refuse(
          draft.log,
          node,
          "BPMN046",
          `the error code "${label}" is the name of an outcome that every node has`,
        );
      leaveUnder(routing, node, node.id, label);
      return;
    }
    case "cancelEventDefinition":
      if (routing.isTransaction) leaveUnder(routing, node, node.id, CANCEL);
      else refuseEvent(draft.log, node, definition.type, "ending with");
      return;
    default:
  }
  const single = node.incoming.length <= 1;
  for (const flow of single ? [undefined] : node.incoming) {
    const id = flow === undefined ? node.id : endIdOf(node, flow.id);
    draft.taken.add(id);
    if (definition === undefined) {
      const label = flow === undefined ? labelOf(node.name) : labelOf(node.name ?? node.element.id);
      addNode(draft, { id, kind: "end", ...label, ...scopeOf(scope) }, node);
    } else addThrown(routing, options, node, id, definition);
  }
}

/** The token goes to the end of the scope for `label`. */
function leaveUnder({ draft, scope }: Routing, node: BpmnNode, id: NodeId, label: string): void {
  const end = failureEnd(draft, scope, label);
  addNode(draft, { ...baseOf(node, scope), id, kind: "gateway" }, node);
  addArc(draft, { from: id, to: end }, id, scope);
}

/**
 * An intermediate event that waits: a timer, a link, or a catch of a message or a signal. Behind an event-based gateway
 * it is where that gateway leads, and waits for nothing itself.
 */
export function addCatch(routing: Routing, node: BpmnNode): void {
  const { draft, scope } = routing;
  const [definition, ...more] = node.definitions;
  if (definition === undefined || more.length > 0 || node.raw["parallelMultiple"] === true) {
    refuse(draft.log, node, "BPMN043", "a catching event needs exactly one event definition here");
    return;
  }
  const base = baseOf(node, scope);
  const split = addFlows(routing, node);
  const isPassed = node.incoming.some(({ source }) => source.type === "eventBasedGateway");
  if (definition.type === "linkEventDefinition" || isPassed) {
    addNode(draft, { ...base, kind: "gateway", ...splitOfNode(split, false) }, node);
    return;
  }
  if (definition.type === "timerEventDefinition") {
    const meta = timerMeta(node, definition.raw, draft.log);
    if (meta === undefined) return;
    addNode(draft, { ...base, kind: "timer", ...splitOfNode(split, true), meta }, node);
    if (Object.hasOwn(meta, "key")) addError(routing, node);
    return;
  }
  const event = readEvent(node, definition, "catching", draft.log);
  if (event === undefined) return;
  const events: Json = [{ id: DONE, ...event.members }];
  addNode(draft, { ...base, kind: "catch", ...splitOfNode(split, true), meta: { events } }, node);
  if (event.canFail) addError(routing, node);
}

/** What goes wrong while a token waits at the node `from` (default: its own) ends the scope under `error`. */
export function addError({ draft, scope }: Routing, node: BpmnNode, from: NodeId = node.id): void {
  const end = failureEnd(draft, scope, ERROR);
  addArc(draft, { from, to: end, outcome: ERROR }, from, scope);
}

/** An intermediate event that throws, or that nothing happens at. */
export function addThrow(routing: Routing, options: TaskOptions, node: BpmnNode): void {
  const { draft, scope } = routing;
  const [definition, ...more] = node.definitions;
  if (more.length > 0) {
    refuse(draft.log, node, "BPMN043", "several event definitions at one event are not supported here");
  } else if (definition === undefined || definition.type === "linkEventDefinition") {
    const split = addFlows(routing, node);
    addNode(draft, { ...baseOf(node, scope), kind: "gateway", ...splitOfNode(split, false) }, node);
  } else addThrown(routing, options, node, node.id, definition);
}

/**
 * What is thrown: a message or a signal with a name is sent; where an engine is told how to send a message, a port does
 * it. An escalation goes to the innermost subprocess around it that catches it: to the end for it where the event
 * interrupts, else the subprocess takes it and the token goes on. What has no name, and an escalation that nobody
 * catches, is passed with a warning.
 *
 * @definition D14.22
 */
function addThrown(
  routing: Routing,
  options: TaskOptions,
  node: BpmnNode,
  id: NodeId,
  definition: EventDefinition,
): void {
  const { draft, scope } = routing;
  const base = { ...baseOf(node, scope), id };
  switch (definition.type) {
    case "messageEventDefinition":
    case "signalEventDefinition": {
      const isMessage = definition.type === "messageEventDefinition";
      const xml = definition.xml ?? node.xml;
      if (isMessage && (implementation(xml) ?? implementation(node.xml)) !== undefined) {
        const port = portOf({ ...node, xml: implementation(xml) === undefined ? node.xml : xml }, options);
        const split = goOn(routing, node, id);
        addNode(draft, { ...base, kind: "tool", ...splitOfNode(split, true), meta: { port } }, node);
        addArc(draft, { from: id, to: failureEnd(draft, scope, ERROR), outcome: ERROR }, id, scope);
        return;
      }
      const name = sentName(definition);
      if (name !== undefined && isExpression(name)) {
        const code = isMessage ? "BPMN032" : "BPMN033";
        refuse(draft.log, node, code, `its name "${name}" is an expression, which is not supported`);
        return;
      }
      if (name === undefined) passThrown(routing, node, id, `it says not what it throws, so nothing is sent`);
      else {
        const split = goOn(routing, node, id);
        const meta = { on: isMessage ? "message" : "signal", name };
        addNode(draft, { ...base, kind: "throw", ...splitOfNode(split, true), meta }, node);
      }
      return;
    }
    case "escalationEventDefinition": {
      const code = escalationOf(definition);
      const taker = escalationTaker(routing.around, code);
      if (taker === undefined) passThrown(routing, node, id, `nothing around it catches the escalation`);
      else {
        draft.escalations.set(
          taker.owner.id,
          new Set([...(draft.escalations.get(taker.owner.id) ?? []), code]),
        );
        if (taker.event.isInterrupting) {
          leaveUnder(routing, node, id, taker.label);
          // A run takes the first way; what stands behind the event is there, and is never reached.
          for (const flow of node.outgoing)
            addArc(draft, { from: id, to: routing.targetOf(flow) }, flow.id, scope);
          return;
        }
        const split = goOn(routing, node, id);
        const meta = { on: "escalation", name: code };
        addNode(draft, { ...base, kind: "throw", ...splitOfNode(split, true), meta }, node);
      }
      return;
    }
    default:
      refuseEvent(draft.log, node, definition.type, node.type === "endEvent" ? "ending with" : "throwing");
  }
}

/** The flows of an event on the way, or the end behind one that ends. */
function goOn(routing: Routing, node: BpmnNode, id: NodeId): ReturnType<typeof addFlows> {
  if (node.type !== "endEvent") return addFlows(routing, node);
  const { draft, scope } = routing;
  const end = newId(draft, `${id}:end`);
  addNode(draft, { id: end, kind: "end", ...labelOf(node.name), ...scopeOf(scope) }, node);
  addArc(draft, { from: id, to: end }, end, scope);
  return undefined;
}

function passThrown(routing: Routing, node: BpmnNode, id: NodeId, why: string): void {
  const { draft, scope } = routing;
  draft.log.warn("BPMN075", node.at, `${node.element.type} "${node.element.id}": ${why}`, {
    element: node.element.id,
  });
  const split = goOn(routing, node, id);
  addNode(draft, { ...baseOf(node, scope), id, kind: "gateway", ...splitOfNode(split, false) }, node);
}
