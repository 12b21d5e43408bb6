/** @module The workflow graph W = (N, A, kappa, mu, n0) as JSON-serialisable data, and the net definition beside it. */
import type { ConditionData } from "./condition.ts";
import type { Json, JsonObject } from "./json.ts";

/** Id of a node; unique in its definition. */
export type NodeId = string;
/** An outcome label; the step's body chooses it and an arc must exist for it. */
export type Outcome = string;
/** A top-level key of the run's data D. */
export type DataKey = string;

/** The label of an arc that names none, and of a body that has nothing special to say. */
export const DONE: Outcome = "done";
/** The label of every body that threw, timed out or was refused. */
export const ERROR: Outcome = "error";
/** The label of a waiting node whose deadline passed. */
export const EXPIRED: Outcome = "expired";
/** The label of a called workflow that was cancelled. */
export const CANCELLED: Outcome = "cancelled";

/** How incoming arcs combine: any = one transition per arc (merge), all = one token per arc (AND), or = structured OR. */
export type Join = "any" | "all" | "or";
/** How the arcs of one outcome are taken: first whose guard holds (XOR), all (AND), or = every one whose guard holds. */
export type Split = "first" | "all" | "or";

/** Declared type of a key of D. `values` makes the domain finite. */
export interface DataType {
  readonly type: "string" | "number" | "integer" | "boolean" | "object" | "array" | "any";
  readonly values?: readonly Json[];
  readonly description?: string;
}

/**
 * Objects of G, by id and by type. `objects` are templates of ids: text with holes `{key}` that D fills.
 *
 * @definition D16.9
 */
export interface ObjectsClaim {
  readonly objects?: readonly string[];
  readonly types?: readonly string[];
}

/** Objects of G that a node may write. `payloadOnly`: it creates and deletes none and sets no links. */
export interface WritesClaim extends ObjectsClaim {
  readonly payloadOnly?: true;
}

/** What a node does with G; an absent member is everything. What it writes it may read as well. */
export interface GraphClaim {
  readonly reads?: ObjectsClaim;
  readonly writes?: WritesClaim;
}

/**
 * A node n of N: kappa(n) is `kind`, mu(n) is `meta`.
 * `reads` and `writes` name keys of D; a patch outside `writes` is refused (absent = any key). `graph` says the same
 * of G; a mutation outside is refused.
 * `scope` is the embedded subprocess node that contains it; absent at top level.
 */
export interface WorkflowNode {
  readonly id: NodeId;
  readonly kind: string;
  readonly label?: string;
  readonly join?: Join;
  readonly split?: Split | Readonly<Record<Outcome, Split>>;
  readonly reads?: readonly DataKey[];
  readonly writes?: readonly DataKey[];
  readonly graph?: GraphClaim;
  readonly scope?: NodeId;
  readonly meta?: JsonObject;
}

/** An arc of A: from one node to another, under an outcome label (default "done") and an optional guard on D. */
export interface Arc {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly outcome?: Outcome;
  readonly guard?: ConditionData;
  /** Taken when no guarded arc of the same outcome holds. */
  readonly default?: true;
}

/** The rule of OR joins that close no structured block: BPMN's by paths (the default), or YAWL's by reachable markings. */
export type JoinSemantics = "bpmn" | "yawl";

/** The catalogue tag of 20.14; it never changes behaviour. */
export type Facet = "process" | "agentic" | "hybrid";

/**
 * A workflow definition: JSON data, document order is meaning.
 * Node and arc arrays keep the author's order; `entry` is n0; `data` declares keys of D.
 *
 * @definition D20.2
 */
export interface WorkflowDefinition {
  readonly format: 1;
  readonly kind: "workflow";
  readonly id: string;
  readonly label?: string;
  readonly description?: string;
  readonly facet?: Facet;
  readonly entry: NodeId;
  readonly nodes: readonly WorkflowNode[];
  readonly arcs: readonly Arc[];
  readonly data?: Readonly<Record<DataKey, DataType>>;
  /** Names of constraints of I that gate this workflow's mutations of G. */
  readonly constraints?: readonly string[];
  readonly joinSemantics?: JoinSemantics;
  /** Asks that O9 holds before the workflow is deployed; absent: what it finds is a diagnosis. */
  readonly parallelSafety?: "checked";
}

/** A place of a net definition. `initial` counts tokens (default 0). */
export interface NetDefinitionPlace {
  readonly id: string;
  readonly label?: string;
  readonly initial?: number;
}

/**
 * A transition of a net definition: each is one automatic step. Arcs are [place id, weight]. With `orJoin` it is an OR
 * join of these places: it takes one token from each marked one, under the rule of the definition's `joinSemantics`.
 */
export interface NetDefinitionTransition {
  readonly id: string;
  readonly label?: string;
  readonly pre: readonly (readonly [place: string, weight: number])[];
  readonly post: readonly (readonly [place: string, weight: number])[];
  readonly reset?: readonly string[];
  readonly orJoin?: readonly string[];
}

/**
 * A bare Petri net as a definition (an imported PNML or LoLA file): every transition is an automatic step.
 * Between transitions in conflict the run takes the head of the list `choices` of its data when that transition is
 * enabled (and shortens the list), else a seeded choice that the journal records.
 */
export interface NetDefinition {
  readonly format: 1;
  readonly kind: "net";
  readonly id: string;
  readonly label?: string;
  readonly places: readonly NetDefinitionPlace[];
  readonly transitions: readonly NetDefinitionTransition[];
  /** Final markings, place id to tokens; absent: one token on some of the places without outgoing arcs, nothing else. */
  readonly finals?: readonly Readonly<Record<string, number>>[];
  readonly joinSemantics?: JoinSemantics;
}

/** What the store keeps by content hash and the engine runs. */
export type Definition = WorkflowDefinition | NetDefinition;

/** The outcome label of an arc. */
export function arcOutcome(arc: Arc): Outcome {
  return arc.outcome ?? DONE;
}

/** The split of `node` for `outcome`. */
export function splitOf(node: WorkflowNode, outcome: Outcome): Split {
  const { split } = node;
  if (split === undefined) return "first";
  return typeof split === "string"
    ? split
    : ((Object.hasOwn(split, outcome) ? split[outcome] : undefined) ?? "first");
}
