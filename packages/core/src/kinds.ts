/** @module The table of kinds: what core asks of a kind of node. `packages/gateways` holds the standard table. */
import type { Issue } from "./issue.ts";
import type { PlaceIndex, PlaceOrigin, Transition, TransitionOrigin, WeightedPlace } from "./net.ts";
import type { Arc, NodeId, Outcome, WorkflowDefinition, WorkflowNode } from "./workflow.ts";

/**
 * Who chooses the outcome of a node, and whether a token rests on it:
 * route: nobody, inline: a pure function in the turn, job: a worker, work-item: a person, timer: the clock,
 * external: somebody outside, event: the first of its events, child: a called workflow, scope: an embedded subprocess.
 */
export type BodyKind =
  | "route"
  | "inline"
  | "job"
  | "work-item"
  | "timer"
  | "external"
  | "event"
  | "child"
  | "scope";

/** A graph that has been indexed: what validation and fragments may look at. Indices are document positions. */
export interface WorkflowGraph {
  readonly definition: WorkflowDefinition;
  readonly nodeIndex: ReadonlyMap<NodeId, number>;
  /** Arc indices into / out of each node, document order. */
  readonly incoming: readonly (readonly number[])[];
  readonly outgoing: readonly (readonly number[])[];
}

/** A transition under construction: its reset set is filled in when all places exist. */
export interface DraftTransition extends Omit<Transition, "origin" | "reset" | "any"> {
  readonly origin: TransitionOrigin;
  /** Optional inputs, absent: none. */
  readonly any?: readonly PlaceIndex[];
  readonly reset?: ResetSet;
}

/** A token's way into a node: the arc it came by (null: the source place of the scope) and its place. */
export interface Input {
  readonly arc: number | null;
  readonly place: PlaceIndex;
}

/**
 * What a fragment may do to the net. `place` makes a place once: the same id with the same origin is the same place.
 */
export interface FragmentBuilder {
  readonly graph: WorkflowGraph;
  readonly node: WorkflowNode;
  readonly index: number;
  /** Incoming arcs with their places, the scope's source first when the node is the entry. */
  readonly inputs: readonly Input[];
  /** Outgoing arcs of one outcome, document order. */
  readonly outputs: (
    outcome: Outcome,
  ) => readonly { readonly arc: number; readonly place: PlaceIndex; readonly def: Arc }[];
  /** O(n) as declared by the kind. */
  readonly alphabet: readonly Outcome[];
  /** `scope`: where the place lies (default: with the node). */
  readonly place: (
    id: string,
    origin: PlaceOrigin,
    role?: "control" | "counter",
    scope?: NodeId | null,
  ) => PlaceIndex;
  readonly transition: (draft: DraftTransition) => void;
  /** The border of an embedded subprocess node: the source place of its content and the end places inside. */
  readonly content: () => ScopeContent;
}

/**
 * Every place inside the embedded subprocess `scope` (null: the whole workflow), nested ones and counters included;
 * the end places of that scope only with `ends`.
 */
export interface ResetSet {
  readonly scope: NodeId | null;
  readonly ends?: boolean;
}

/** What an embedded subprocess shows to its border. */
export interface ScopeContent {
  readonly source: PlaceIndex;
  readonly ends: readonly { readonly node: number; readonly place: PlaceIndex }[];
}

/**
 * A kind of node. `name@version` enters the hash of every definition that uses it: raise the version when the
 * fragment or the alphabet changes.
 */
export interface KindSpec {
  readonly name: string;
  readonly version: number;
  readonly body: (node: WorkflowNode) => BodyKind;
  /** Problems of this node's meta, arcs and joins, all at once. Pure. */
  readonly validate: (node: WorkflowNode, graph: WorkflowGraph) => readonly Issue[];
  /** O(n), with `error` where the node has a body and `expired` where it has a deadline; no duplicates. */
  readonly alphabet: (node: WorkflowNode) => readonly Outcome[];
  /** Arcs that are compiled away (the fail arc of a loop with budget 0). */
  readonly omits?: (node: WorkflowNode, arc: Arc) => boolean;
  /** Adds the node's places and transitions. */
  readonly fragment: (b: FragmentBuilder) => void;
  /**
   * Rewrites transitions of the whole net that cross the block of this node (governed loops: counters).
   * Called after all fragments, once per node in document order; rewrites of different blocks commute.
   */
  readonly rewrite?: (
    node: WorkflowNode,
    b: RewriteBuilder,
  ) => (t: DraftTransition) => readonly DraftTransition[];
}

/** What a rewrite may use. */
export interface RewriteBuilder {
  readonly graph: WorkflowGraph;
  readonly index: number;
  readonly place: (id: string, origin: PlaceOrigin, role?: "control" | "counter") => PlaceIndex;
}

/** Kinds by name. */
export type KindTable = ReadonlyMap<string, KindSpec>;

/**
 * A table of kinds: `base` with `kinds` added. Registering a name twice with another version replaces it.
 */
export function kindTable(kinds: readonly KindSpec[], base: KindTable = new Map()): KindTable {
  return new Map([...base, ...kinds.map((kind) => [kind.name, kind] as const)]);
}

/** Adds weights of equal places. */
export function addWeights(
  left: readonly WeightedPlace[],
  right: readonly WeightedPlace[],
): readonly WeightedPlace[] {
  const sum = new Map<PlaceIndex, number>();
  for (const [place, weight] of [...left, ...right])
    if (weight > 0) sum.set(place, (sum.get(place) ?? 0) + weight);
  return [...sum];
}
