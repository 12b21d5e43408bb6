/** @module A scope (a process or an embedded subprocess) as nodes and arcs: its entry, its events, its ends. */
import type { ConditionData, NodeId, Outcome } from "@tessera/core";
import { addActivityNode } from "./activities.ts";
import { addComplex } from "./complex.ts";
import { addArc, addNode, baseOf, type Draft, labelOf, newId, scopeOf } from "./draft.ts";
import { addEventGateway, addStartingTask, isStarting } from "./event-gateways.ts";
import { addCatch, addEnd, addThrow, targetOf } from "./event-nodes.ts";
import { linkName } from "./links.ts";
import type { BpmnFlow, BpmnNode, BpmnScope } from "./model.ts";
import { addFlows, type Routing, splitOfNode } from "./routes.ts";
import {
  addChoiceOfStart,
  addStartOfSeveral,
  checkStart,
  isStartedByEvent,
  metaOfStart,
} from "./start-events.ts";
import { TASKS, type TaskOptions } from "./tasks.ts";
import { refuse, refuseUnsupported } from "./unsupported.ts";

const SCOPES: ReadonlySet<string> = new Set(["subProcess", "transaction"]);
const WITHOUT_END: ReadonlySet<string> = new Set(["endEvent", "eventBasedGateway"]);

/** What a scope needs to know beside its content. */
export interface ScopeContext {
  readonly draft: Draft;
  readonly options: TaskOptions;
  readonly conditionOf: (flow: BpmnFlow) => ConditionData | undefined;
}

/** The entry of a scope, and the outcomes beside `done` that escape from it. */
export interface ScopeBorder {
  readonly entry: NodeId;
  readonly labels: readonly Outcome[];
}

/** Adds everything in `content`; `scope` is the subprocess that holds it. */
export function addScope(
  context: ScopeContext,
  content: BpmnScope,
  scope: BpmnNode | undefined,
  raisable: readonly Outcome[],
  around: readonly BpmnNode[],
): ScopeBorder {
  const { draft } = context;
  const routing: Routing = {
    draft,
    scope: scope?.id,
    around,
    isTransaction: scope?.type === "transaction",
    raisable,
    conditionOf: context.conditionOf,
    targetOf: targetOf,
  };
  const entry = addEntry(routing, content, scope);
  const startCount = content.nodes.filter(({ type }) => type === "startEvent").length;
  for (const node of content.nodes) {
    if (node.id === "" || refuseUnsupported(draft.log, node)) continue;
    // Each of several start events is entered by the choice between them, which a start node cannot be.
    addFlowNode(context, routing, node, startCount > 1 || node.incoming.length > 0);
  }
  linkPairs(routing, content);
  return { entry, labels: [...(draft.failures.get(scope?.id ?? "")?.keys() ?? [])] };
}

/**
 * The entry: the start event; where a process has several, a start by the message, signal or time of each, or else a choice by
 * the key `startEvent` of D; where there is none, a fork to every flow node that no flow enters.
 *
 * @definition D14.2
 */
function addEntry(routing: Routing, content: BpmnScope, scope: BpmnNode | undefined): NodeId {
  const { draft } = routing;
  const starts = content.nodes.filter(({ type }) => type === "startEvent");
  const [only, ...others] = starts;
  const orphans = content.nodes.filter((node) => isOrphan(node) && node.type !== "startEvent");
  if (only !== undefined) {
    for (const orphan of orphans)
      refuse(draft.log, orphan, "BPMN008", "no sequence flow enters it, so it can never start");
    const isStarted = starts.every(isStartedByEvent);
    for (const start of starts) checkStart(draft, start, scope, isStarted);
    if (others.length === 0) return only.id;
    if (scope !== undefined)
      refuse(draft.log, others[0] ?? only, "BPMN010", `"${scope.element.id}" has several start events`);
    const wish = newId(draft, `${draft.processId}:start`);
    if (isStarted) addStartOfSeveral(routing, starts, wish);
    else addChoiceOfStart(routing, starts, wish);
    return wish;
  }
  const gateways = scope === undefined ? orphans.filter(isStarting) : [];
  const [gateway] = gateways;
  if (gateway !== undefined && orphans.length === 1) return gateway.id;
  for (const each of gateways)
    refuse(draft.log, each, "BPMN048", "something else can start the process beside it");
  const entry = newId(draft, `${scope?.id ?? draft.processId}:start`);
  addNode(
    draft,
    { id: entry, kind: "start", ...scopeOf(scope?.id), ...(orphans.length > 1 ? { split: "all" } : {}) },
    scope,
  );
  for (const orphan of orphans) addArc(draft, { from: entry, to: orphan.id }, orphan.id, scope?.id);
  if (orphans.length === 0) {
    if (content.nodes.length > 0 && scope !== undefined)
      refuse(draft.log, scope, "BPMN008", "every flow node inside is entered by a flow, so none can start");
    else if (scope !== undefined) {
      // An empty subprocess does nothing.
      const end = newId(draft, `${scope.id}:end`);
      addNode(draft, { id: end, kind: "end", scope: scope.id }, scope);
      addArc(draft, { from: entry, to: end }, end, scope.id);
    } else if (content.nodes.length > 0) {
      const [first] = content.nodes;
      if (first !== undefined)
        refuse(
          draft.log,
          first,
          "BPMN008",
          "every flow node of the process is entered by a flow, so none can start",
        );
    }
  }
  return entry;
}

/** Does nothing lead to the node? Boundary events, link catches and handlers start otherwise. */
function isOrphan(node: BpmnNode): boolean {
  if (node.incoming.length > 0 || node.type === "boundaryEvent") return false;
  if (node.isEventSubprocess || node.raw["isForCompensation"] === true) return false;
  return !(node.type === "intermediateCatchEvent" && linkName(node) !== undefined);
}

function addFlowNode(context: ScopeContext, routing: Routing, node: BpmnNode, isOneOfSeveral: boolean): void {
  const { draft } = routing;
  const { type } = node;
  if (node.boundaries.length > 0 && !TASKS.has(type) && type !== "callActivity" && !SCOPES.has(type)) {
    refuse(draft.log, node, "BPMN030", "boundary events stand at activities only");
    return;
  }
  if (type === "boundaryEvent") return;
  if (type !== "eventBasedGateway" && isStarting(node)) {
    addStartingTask(routing, node);
    if (node.outgoing.length === 0) addImplicitEnd(routing, node);
    return;
  }
  if (TASKS.has(type) || type === "callActivity" || node.instances !== undefined)
    addActivityNode(routing, node, context.options, undefined);
  else if (SCOPES.has(type) && node.content !== undefined) {
    const { content } = node;
    addActivityNode(routing, node, context.options, (raisable) =>
      addScope(context, content, node, raisable, [node, ...routing.around]),
    );
  } else if (type === "endEvent") addEnd(routing, context.options, node);
  else if (type === "intermediateCatchEvent") addCatch(routing, node);
  else if (type === "eventBasedGateway") addEventGateway(routing, node);
  else if (type === "intermediateThrowEvent") addThrow(routing, context.options, node);
  else if (type === "startEvent") addRoute(routing, node, isOneOfSeveral ? "gateway" : "start");
  else if (/^(?:exclusive|parallel|inclusive)Gateway$/u.test(type)) addRoute(routing, node, "gateway");
  else if (type === "complexGateway") addComplex(routing, node);
  else {
    refuse(draft.log, node, "BPMN045", "elements of this type are not supported");
    return;
  }
  if (node.outgoing.length === 0 && !WITHOUT_END.has(type) && linkName(node) === undefined)
    addImplicitEnd(routing, node);
  for (const event of node.boundaries)
    if (event.outgoing.length === 0 && event.handler === undefined) addImplicitEnd(routing, event);
}

function addRoute(routing: Routing, node: BpmnNode, kind: string): void {
  const { draft, scope } = routing;
  const split = addFlows(routing, node);
  const joins = { parallelGateway: "all", inclusiveGateway: "or" } as const;
  const join =
    node.incoming.length > 1 && Object.hasOwn(joins, node.type)
      ? { join: joins[node.type as keyof typeof joins] }
      : {};
  const started = kind === "start" ? metaOfStart(draft, node, scope) : {};
  addNode(draft, { ...baseOf(node, scope), kind, ...join, ...splitOfNode(split, false), ...started }, node);
}

/** A flow node that nothing leaves ends its token: the implicit end of BPMN. */
function addImplicitEnd(routing: Routing, node: BpmnNode): void {
  const { draft, scope } = routing;
  const id = newId(draft, `${node.id}:end`);
  addNode(draft, { id, kind: "end", ...labelOf(node.name), ...scopeOf(scope) }, node);
  addArc(draft, { from: node.id, to: id }, id, scope);
}

/**
 * Link events of one scope with one name are one virtual flow from each that throws to the one that catches.
 *
 * @definition D14.14
 */
function linkPairs(routing: Routing, content: BpmnScope): void {
  const { draft, scope } = routing;
  const links = content.nodes.flatMap((node) => {
    const name = linkName(node);
    return name === undefined ? [] : [{ node, name }];
  });
  const catches = links.filter(({ node }) => node.type === "intermediateCatchEvent");
  const throws = links.filter(({ node }) => node.type === "intermediateThrowEvent");
  for (const { node, name } of throws) {
    const [target, ...others] = catches.filter((link) => link.name === name);
    if (target === undefined || others.length > 0)
      refuse(
        draft.log,
        node,
        "BPMN019",
        `the link "${name}" has ${target === undefined ? "no" : "more than one"} event that catches it`,
      );
    else addArc(draft, { from: node.id, to: target.node.id }, node.id, scope);
  }
  for (const { node, name } of catches) {
    if (!throws.some((link) => link.name === name))
      refuse(draft.log, node, "BPMN019", `no event throws the link "${name}"`);
  }
}
