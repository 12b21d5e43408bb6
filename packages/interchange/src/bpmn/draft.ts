/** @module The workflow under construction: nodes and arcs, ids that are new, ends for errors, and who stands behind a node. */
import {
  type Arc,
  type ConditionData,
  ERROR,
  type NodeId,
  type Outcome,
  type WorkflowNode,
} from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import type { BpmnNode } from "./model.ts";

/** The label under which a transaction ends that is cancelled from inside. */
export const CANCEL: Outcome = "cancel";

/** An inclusive split whose form is decided when the whole graph is known. */
export interface PendingSplit {
  readonly node: NodeId;
  readonly behind: BpmnNode;
  readonly scope: NodeId | undefined;
  /** always: taken in every case; chosen: by their guards; otherwise: where no guard of `chosen` holds. */
  readonly always: readonly Way[];
  readonly chosen: readonly Way[];
  readonly otherwise: Way | undefined;
}

/** One way out of a split: its flow, where it leads, and its guard. */
export interface Way {
  readonly flow: string;
  readonly to: NodeId;
  readonly guard: ConditionData | undefined;
}

/** One per process; never shared. */
export interface Draft {
  readonly nodes: WorkflowNode[];
  readonly arcs: Arc[];
  readonly log: IssueLog;
  readonly taken: Set<string>;
  /** The arcs by what they say. */
  readonly arcKeys: Set<string>;
  /** The flow node behind each node of the workflow. */
  readonly behind: Map<NodeId, BpmnNode>;
  /** The id of the sequence flow that each arc stands for; of what else it was made, where there is none. */
  readonly flowOf: Map<Arc, string>;
  readonly splits: PendingSplit[];
  /** Ends for uncaught errors: scope ("" at top level), label, node. */
  readonly failures: Map<string, Map<Outcome, NodeId>>;
  readonly processId: string;
  /** Escalations that are thrown inside a subprocess which takes them and goes on: its id, their codes. */
  readonly escalations: Map<string, ReadonlySet<string>>;
  /** Labels under which called processes of the same file can end, beside done and error. */
  readonly calledLabels: ReadonlyMap<string, readonly Outcome[]>;
}

/** An empty draft. `ids` are those of the file, which generated ids avoid. */
export function startDraft(
  processId: string,
  ids: ReadonlySet<string>,
  log: IssueLog,
  calledLabels: ReadonlyMap<string, readonly Outcome[]>,
): Draft {
  return {
    nodes: [],
    arcs: [],
    log,
    taken: new Set(ids),
    arcKeys: new Set(),
    behind: new Map(),
    flowOf: new Map(),
    splits: [],
    failures: new Map(),
    escalations: new Map(),
    processId,
    calledLabels,
  };
}

/** An id that nothing in the file has. A colon is in no id of BPMN, so the wish is granted but for odd files. */
export function newId(draft: Draft, wish: string): NodeId {
  let id = wish;
  for (let number = 2; draft.taken.has(id); number += 1) id = `${wish}:${number}`;
  draft.taken.add(id);
  return id;
}

/** Adds a node. */
export function addNode(draft: Draft, node: WorkflowNode, behind: BpmnNode | undefined): void {
  draft.nodes.push(node);
  if (behind !== undefined) draft.behind.set(node.id, behind);
}

/** Properties shared by the nodes of a flow node. */
export function baseOf(
  node: BpmnNode,
  scope: NodeId | undefined,
): Pick<WorkflowNode, "id" | "label" | "scope"> {
  return { id: node.id, ...labelOf(node.name), ...scopeOf(scope) };
}

export function labelOf(name: string | undefined): { readonly label?: string } {
  return name === undefined || name === "" ? {} : { label: name };
}

export function scopeOf(scope: NodeId | undefined): { readonly scope?: NodeId } {
  return scope === undefined ? {} : { scope };
}

/**
 * Adds an arc. Two arcs that say the same between the same nodes are told apart by a node of the second one's own: two
 * flows are two tokens.
 */
export function addArc(draft: Draft, arc: Arc, flow: string, scope: NodeId | undefined): void {
  const key = JSON.stringify([arc.from, arc.to, arc.outcome ?? null, arc.guard ?? null]);
  if (!draft.arcKeys.has(key)) {
    draft.arcKeys.add(key);
    pushArc(draft, arc, flow);
    return;
  }
  const between = newId(draft, draft.taken.has(flow) ? `${flow}:between` : flow);
  addNode(draft, { id: between, kind: "gateway", ...scopeOf(scope) }, draft.behind.get(arc.from));
  pushArc(draft, { ...arc, to: between }, flow);
  pushArc(draft, { from: between, to: arc.to }, flow);
}

/** Adds an arc that stands for the flow. */
export function pushArc(draft: Draft, arc: Arc, flow: string): void {
  draft.arcs.push(arc);
  draft.flowOf.set(arc, flow);
}

/**
 * The terminate end of a scope for errors under `label` that nothing inside catches; made at the first call.
 *
 * @definition D14.9
 */
export function failureEnd(draft: Draft, scope: NodeId | undefined, label: Outcome): NodeId {
  const ofScope = draft.failures.get(scope ?? "") ?? new Map<Outcome, NodeId>();
  draft.failures.set(scope ?? "", ofScope);
  const known = ofScope.get(label);
  if (known !== undefined) return known;
  const wish = `${scope ?? draft.processId}:error${label === ERROR ? "" : `:${label}`}`;
  const id = newId(draft, wish);
  ofScope.set(label, id);
  addNode(
    draft,
    { id, kind: "end", label: "error", ...scopeOf(scope), meta: { outcome: label, terminate: true } },
    undefined,
  );
  return id;
}
