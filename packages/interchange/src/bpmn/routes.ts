/** @module Ways out of a node: which arcs its sequence flows become, by the kind of node that they leave. */
import { type Arc, type ConditionData, DONE, type NodeId, type Outcome, type Split } from "@tessera/core";
import {
  addArc,
  addNode,
  type Draft,
  labelOf,
  newId,
  type PendingSplit,
  pushArc,
  scopeOf,
  type Way,
} from "./draft.ts";
import type { BpmnFlow, BpmnNode } from "./model.ts";
import { refuse } from "./unsupported.ts";

/** How flows of a node are written down. */
export interface Routing {
  readonly draft: Draft;
  readonly scope: NodeId | undefined;
  /** The activities around, innermost first. */
  readonly around: readonly BpmnNode[];
  /** Is the scope a transaction, so that it can be cancelled from inside? */
  readonly isTransaction: boolean;
  readonly conditionOf: (flow: BpmnFlow) => ConditionData | undefined;
  /** Errors that boundary events around this scope catch, so that every activity inside may raise them. */
  readonly raisable: readonly Outcome[];
  /** The node that a flow leads to: its target, or the end that is this flow's own. */
  readonly targetOf: (flow: BpmnFlow) => NodeId;
}

/** The split of a node's outcome `done`, where it is not the first arc whose guard holds. */
export type SplitChoice = Split | undefined;

/**
 * Adds the arcs of the flows that leave `node`, and gives the split of the node that they leave.
 * exclusive: the first whose condition holds, in document order. parallel: all, conditions ignored. inclusive: all
 * whose conditions hold. Any other node: every flow without condition, and those whose conditions hold; the default
 * where no condition holds.
 *
 * @definition D14.4
 */
export function addFlows(routing: Routing, node: BpmnNode): SplitChoice {
  const flows = node.outgoing;
  switch (node.type) {
    case "exclusiveGateway":
      return addExclusive(routing, node, flows);
    case "parallelGateway":
      return addParallel(routing, node, flows);
    case "inclusiveGateway":
      return addInclusive(routing, node, flows);
    default:
      return addActivity(routing, node, flows);
  }
}

function wayOf(routing: Routing, flow: BpmnFlow, isDefault: boolean): Way {
  const guard = isDefault ? undefined : routing.conditionOf(flow);
  if (isDefault && flow.condition !== undefined && flow.condition.text !== "") {
    routing.draft.log.warn("BPMN063", flow.at, `the condition of the default flow "${flow.id}" is ignored`, {
      element: flow.id,
    });
  }
  return { flow: flow.id, to: routing.targetOf(flow), guard };
}

function addExclusive(routing: Routing, node: BpmnNode, flows: readonly BpmnFlow[]): SplitChoice {
  const ways = flows.map((flow) => ({
    ...wayOf(routing, flow, flow === node.defaultFlow),
    isDefault: flow === node.defaultFlow,
  }));
  const free = ways.filter(({ guard, isDefault }) => guard === undefined && !isDefault);
  if (flows.length > 1 && free.length > 0) {
    const [first] = free;
    routing.draft.log.warn(
      "BPMN064",
      node.at,
      `flows of the exclusive gateway "${node.element.id}" have no condition: a run takes "${first?.flow}" before those after it; a verdict takes each as possible`,
      { element: node.element.id, flows: free.map(({ flow }) => flow) },
    );
  }
  for (const { to, guard, flow, isDefault } of ways) {
    // A single way out needs no default.
    addArc(routing.draft, arcOf(node.id, to, guard, isDefault && ways.length > 1), flow, routing.scope);
  }
  return undefined;
}

function addParallel(routing: Routing, node: BpmnNode, flows: readonly BpmnFlow[]): SplitChoice {
  for (const flow of flows) {
    if (flow.condition !== undefined)
      routing.draft.log.warn(
        "BPMN063",
        flow.at,
        `the condition of "${flow.id}" is ignored: it leaves a parallel gateway`,
        {
          element: flow.id,
        },
      );
    addArc(routing.draft, arcOf(node.id, routing.targetOf(flow), undefined, false), flow.id, routing.scope);
  }
  return flows.length > 1 ? "all" : undefined;
}

function addInclusive(routing: Routing, node: BpmnNode, flows: readonly BpmnFlow[]): SplitChoice {
  if (flows.length === 0) return undefined;
  const ways = flows.map((flow) => ({ way: wayOf(routing, flow, flow === node.defaultFlow), flow }));
  const [only] = ways;
  if (ways.length === 1 && only !== undefined) {
    addArc(routing.draft, arcOf(node.id, only.way.to, only.way.guard, false), only.flow.id, routing.scope);
    return undefined;
  }
  const chosen = ways.filter(({ flow }) => flow !== node.defaultFlow).map(({ way }) => way);
  const otherwise = ways.find(({ flow }) => flow === node.defaultFlow)?.way;
  return addPending(routing, node, {
    node: node.id,
    behind: node,
    scope: routing.scope,
    always: [],
    chosen,
    otherwise,
  });
}

function addActivity(routing: Routing, node: BpmnNode, flows: readonly BpmnFlow[]): SplitChoice {
  const { scope } = routing;
  const ways = flows.map((flow) => ({ way: wayOf(routing, flow, flow === node.defaultFlow), flow }));
  const chosen = ways.filter(({ way, flow }) => way.guard !== undefined && flow !== node.defaultFlow);
  const otherwise = ways.find(({ flow }) => flow === node.defaultFlow);
  const always = ways.filter(({ way, flow }) => way.guard === undefined && flow !== node.defaultFlow);
  // Where nothing is asked, no condition holds: the default is taken beside the flows without condition.
  if (chosen.length === 0) {
    for (const { way } of ways)
      addArc(routing.draft, arcOf(node.id, way.to, undefined, false), way.flow, routing.scope);
    return ways.length > 1 ? "all" : undefined;
  }
  if (always.length === 0 && chosen.length === 1) {
    for (const { way, flow } of ways) {
      const isDefault = flow === node.defaultFlow;
      addArc(routing.draft, arcOf(node.id, way.to, way.guard, isDefault), way.flow, routing.scope);
    }
    return undefined;
  }
  return addPending(routing, node, {
    node: node.id,
    behind: node,
    scope,
    always: always.map(({ way }) => way),
    chosen: chosen.map(({ way }) => way),
    otherwise: otherwise?.way,
  });
}

/** Writes the split down as an OR split for now, if it is one; `settleSplits` decides when the graph is known. */
function addPending(routing: Routing, node: BpmnNode, pending: PendingSplit): SplitChoice {
  const { draft, scope } = routing;
  if (pending.always.length > 0) {
    expandSplit(draft, pending);
    return undefined;
  }
  const targets = new Set<NodeId>();
  const apart = (way: Way): Way => {
    if (!targets.has(way.to)) {
      targets.add(way.to);
      return way;
    }
    const between = newId(draft, `${way.flow}:between`);
    addNode(draft, { id: between, kind: "gateway", ...scopeOf(scope) }, pending.behind);
    addArc(draft, { from: between, to: way.to }, way.flow, scope);
    return { ...way, to: between };
  };
  const chosen = pending.chosen.map(apart);
  const otherwise = pending.otherwise === undefined ? undefined : apart(pending.otherwise);
  draft.splits.push({ ...pending, chosen, otherwise, scope });
  for (const way of chosen) pushArc(draft, arcOf(node.id, way.to, way.guard, false), way.flow);
  if (otherwise !== undefined) pushArc(draft, arcOf(node.id, otherwise.to, undefined, true), otherwise.flow);
  return "or";
}

/** Flows with conditions that a split may have when it is written out subset by subset. */
export const CHOSEN_MAX = 6;

/**
 * A split written out, because some of its flows are always taken or because its branches bring several tokens to a
 * join that closes it: an XOR split over the non-empty subsets of the ways that may be
 * chosen, the larger first, each guarded by all of its conditions; so the first that holds is the set of exactly those
 * whose conditions hold. Each leads to a node that marks its ways and those that are always taken. Where no condition
 * holds: the default with those that are always taken, or these alone, or nothing.
 */
export function expandSplit(draft: Draft, split: PendingSplit): void {
  const { behind, always, chosen, otherwise } = split;
  if (chosen.length > CHOSEN_MAX) {
    refuse(
      draft.log,
      behind,
      "BPMN015",
      `it has ${chosen.length} flows with conditions that must be written out; ${CHOSEN_MAX} are supported`,
    );
    return;
  }
  for (const subset of subsetsOf(chosen)) {
    const guards = subset.flatMap(({ guard }) => (guard === undefined ? [] : [guard]));
    const [first, ...more] = guards;
    const guard = first === undefined ? undefined : more.length === 0 ? first : { all: guards };
    addBundle(draft, split, [...always, ...subset], guard, false);
  }
  const rest = otherwise === undefined ? always : [...always, otherwise];
  if (rest.length > 0) addBundle(draft, split, rest, undefined, true);
}

/** All non-empty subsets, the larger first, each in document order. */
function subsetsOf(ways: readonly Way[]): readonly (readonly Way[])[] {
  const subsets: Way[][] = [];
  for (let bits = 1; bits < 2 ** ways.length; bits += 1)
    subsets.push(ways.filter((_, index) => (bits & (1 << index)) !== 0));
  return subsets.sort((a, b) => b.length - a.length);
}

function addBundle(
  draft: Draft,
  { node, behind, scope }: PendingSplit,
  ways: readonly Way[],
  guard: ConditionData | undefined,
  isDefault: boolean,
): void {
  const [only, ...more] = ways;
  if (only === undefined) return;
  if (more.length === 0) {
    addArc(draft, arcOf(node, only.to, guard, isDefault), only.flow, scope);
    return;
  }
  const id = newId(draft, `${node}:${ways.map(({ flow }) => flow).join("+")}`.slice(0, 200));
  addNode(draft, { id, kind: "gateway", ...labelOf(behind.name), ...scopeOf(scope), split: "all" }, behind);
  addArc(draft, arcOf(node, id, guard, isDefault), id, scope);
  for (const way of ways) addArc(draft, arcOf(id, way.to, undefined, false), way.flow, scope);
}

function arcOf(from: NodeId, to: NodeId, guard: ConditionData | undefined, isDefault: boolean): Arc {
  return {
    from,
    to,
    ...(guard === undefined || isDefault ? {} : { guard }),
    ...(isDefault ? { default: true as const } : {}),
  };
}

/** The split of a node in the form that nodes take: of `done` alone where the node has other outcomes. */
export function splitOfNode(
  split: SplitChoice,
  hasOutcomes: boolean,
): { readonly split?: Split | Readonly<Record<string, Split>> } {
  if (split === undefined) return {};
  return { split: hasOutcomes ? { [DONE]: split } : split };
}
