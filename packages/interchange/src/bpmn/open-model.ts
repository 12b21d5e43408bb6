/** @module The model while it is being read: nodes and flows that can still be joined otherwise. */
import type { BpmnFlow, BpmnNode, BpmnProcess, EventDefinition, Instances } from "./model.ts";
import type { Raw } from "./raw.ts";

/** A node whose lists are not final yet. */
export interface OpenNode extends BpmnNode {
  type: string;
  readonly incoming: OpenFlow[];
  readonly outgoing: OpenFlow[];
  readonly boundaries: OpenNode[];
  defaultFlow: OpenFlow | undefined;
  definitions: readonly EventDefinition[];
  content: OpenScope | undefined;
  loop: Raw | undefined;
  completionQuantity: unknown;
  isEventSubprocess: boolean;
  handler: string | undefined;
  instances: Instances | undefined;
  /** Of a receive or a send task: the message that it says. */
  message: EventDefinition | undefined;
}

/** A flow whose ends are not final yet. */
export interface OpenFlow extends BpmnFlow {
  source: OpenNode;
  target: OpenNode;
}

/** What a process or a subprocess contains, while it is being read. */
export interface OpenScope {
  readonly nodes: OpenNode[];
  readonly flows: OpenFlow[];
}

/** What rewriting needs beside the scope: new ids, and a place for what becomes a process of its own. */
export interface Rewriting {
  readonly processId: string;
  /** An id that nothing in the file has; the wish, if nothing has that. */
  readonly fresh: (wish: string) => string;
  readonly handlers: BpmnProcess[];
}

/** A node that the file does not have, in the name of one that it has. */
export function madeNode(
  of: Pick<BpmnNode, "name" | "element" | "at" | "lane">,
  id: string,
  type: string,
): OpenNode {
  return {
    id,
    type,
    name: of.name,
    element: of.element,
    raw: { $type: "tessera:made" },
    xml: undefined,
    at: of.at,
    incoming: [],
    outgoing: [],
    defaultFlow: undefined,
    boundaries: [],
    definitions: [],
    content: undefined,
    lane: of.lane,
    loop: undefined,
    completionQuantity: undefined,
    isEventSubprocess: false,
    isInterrupting: true,
    handler: undefined,
    instances: undefined,
    message: undefined,
  };
}

/** Joins two nodes by a new flow. */
export function connect(
  { fresh }: Rewriting,
  scope: OpenScope,
  source: OpenNode,
  target: OpenNode,
  condition?: BpmnFlow["condition"],
): OpenFlow {
  const id = fresh(`${source.id}:to:${target.id}`.slice(0, 200));
  const flow: OpenFlow = { id, name: undefined, source, target, condition, at: source.at };
  scope.flows.push(flow);
  source.outgoing.push(flow);
  target.incoming.push(flow);
  return flow;
}

/** All flows that leave `from` leave `to` instead, the default among them. */
export function moveOutgoing(from: OpenNode, to: OpenNode): void {
  for (const flow of from.outgoing.splice(0)) {
    flow.source = to;
    to.outgoing.push(flow);
  }
  to.defaultFlow = from.defaultFlow;
  from.defaultFlow = undefined;
}

/** All flows that enter `from` enter `to` instead. */
export function moveIncoming(from: OpenNode, to: OpenNode): void {
  for (const flow of from.incoming.splice(0)) {
    flow.target = to;
    to.incoming.push(flow);
  }
}

/** Puts `made` into the scope right behind `node`. */
export function insertAfter({ nodes }: OpenScope, node: OpenNode, ...made: readonly OpenNode[]): void {
  nodes.splice(nodes.indexOf(node) + 1, 0, ...made);
}
