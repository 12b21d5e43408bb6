/** @module Paths of events that may come again and again beside an activity: each time is a run of its own. */
import type { IssueLog } from "../issue-log.ts";
import { linkName } from "./links.ts";
import type { BpmnNode } from "./model.ts";
import {
  madeNode,
  moveOutgoing,
  type OpenFlow,
  type OpenNode,
  type OpenScope,
  type Rewriting,
} from "./open-model.ts";
import { readTimer } from "./timers.ts";
import { refuse } from "./unsupported.ts";

/**
 * Takes the path of every boundary event that does not interrupt and can come more than once (a repetition, a message, a
 * signal) out of the scope and makes it a process `p:x` of its own, if nothing else leads into it and it leads nowhere
 * else; ordinary ends that it shares are parted. Else the event is reported.
 *
 * @definition D14.19
 */
export function takeOutHandlers(rewriting: Rewriting, scope: OpenScope, log: IssueLog): void {
  for (const host of [...scope.nodes]) {
    for (const event of host.boundaries) if (isRepeatable(event)) takeOut(rewriting, scope, event, log);
  }
}

function isRepeatable({ isInterrupting, definitions }: BpmnNode): boolean {
  const [definition] = definitions;
  if (isInterrupting || definition === undefined) return false;
  if (definition.type === "messageEventDefinition" || definition.type === "signalEventDefinition")
    return true;
  if (definition.type !== "timerEventDefinition") return false;
  const reading = readTimer(definition.raw);
  return reading.kind === "constant" && reading.name === "cycle";
}

function takeOut(rewriting: Rewriting, scope: OpenScope, event: OpenNode, log: IssueLog): void {
  const path = pathOf(scope, event);
  partEnds(rewriting, scope, event, path);
  const foreign = [...path].find((node) => !isEnteredFrom(scope, node, path, event));
  if (foreign !== undefined) {
    const message = `it may come several times, and its path joins the flow that it comes beside at "${foreign.element.id}"; only a path of its own is supported`;
    refuse(log, event, "BPMN030", message);
    return;
  }
  const deadly = [...path].find(({ definitions }) =>
    definitions.some(({ type }) => type === "terminateEventDefinition"),
  );
  if (deadly !== undefined) {
    refuse(
      log,
      event,
      "BPMN030",
      `it may come several times, and "${deadly.element.id}" on its path ends the scope that it comes beside`,
    );
    return;
  }
  const start = madeNode(event, rewriting.fresh(`${event.id}:start`), "startEvent");
  moveOutgoing(event, start);
  const flows = scope.flows.filter(({ source }) => source === start || path.has(source));
  const taken = new Set<OpenFlow>(flows);
  const nodes = scope.nodes.filter((node) => path.has(node));
  scope.flows.splice(0, scope.flows.length, ...scope.flows.filter((flow) => !taken.has(flow)));
  scope.nodes.splice(0, scope.nodes.length, ...scope.nodes.filter((node) => !path.has(node)));
  const id = `${rewriting.processId}:${event.element.id}`;
  event.handler = id;
  rewriting.handlers.push({
    id,
    name: event.name,
    isExecutable: undefined,
    isCalledOnly: true,
    raisable: [],
    raw: event.raw,
    at: event.at,
    content: { nodes: [start, ...nodes], flows },
  });
}

/** Everything that the event leads to, boundary events of that included. */
function pathOf(scope: OpenScope, event: OpenNode): Set<OpenNode> {
  const path = new Set(event.outgoing.map(({ target }) => target));
  for (const node of path) {
    for (const { target } of node.outgoing) path.add(target);
    for (const border of node.boundaries) path.add(border);
    const link = node.type === "intermediateThrowEvent" ? linkName(node) : undefined;
    if (link !== undefined)
      for (const other of scope.nodes)
        if (other.type === "intermediateCatchEvent" && linkName(other) === link) path.add(other);
  }
  return path;
}

function isEnteredFrom(
  scope: OpenScope,
  node: OpenNode,
  path: ReadonlySet<OpenNode>,
  event: OpenNode,
): boolean {
  const isInside = node.incoming.every(({ source }) => source === event || path.has(source));
  if (!isInside) return false;
  if (node.type === "boundaryEvent")
    return scope.nodes.some((host) => path.has(host) && host.boundaries.includes(node));
  const link = node.type === "intermediateCatchEvent" ? linkName(node) : undefined;
  return (
    link === undefined ||
    scope.nodes.every(
      (other) => other.type !== "intermediateThrowEvent" || linkName(other) !== link || path.has(other),
    )
  );
}

/** An ordinary end is an end for each flow that enters it: the flows of the path get one of their own. */
function partEnds(rewriting: Rewriting, scope: OpenScope, event: OpenNode, path: Set<OpenNode>): void {
  for (const end of [...path]) {
    if (end.type !== "endEvent" || end.definitions.length > 0) continue;
    const own = end.incoming.filter(({ source }) => source === event || path.has(source));
    if (own.length === end.incoming.length) continue;
    const parted = madeNode(end, rewriting.fresh(`${end.id}:${event.id}`), "endEvent");
    for (const flow of own) {
      end.incoming.splice(end.incoming.indexOf(flow), 1);
      flow.target = parted;
      parted.incoming.push(flow);
    }
    scope.nodes.push(parted);
    path.delete(end);
    path.add(parted);
  }
}
