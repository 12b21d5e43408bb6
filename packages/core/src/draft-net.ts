/** @module A net under construction: places and transitions collected from the fragments of the nodes. */
import { entryOf, nodeOf, scopesOf } from "./graph.ts";
import type {
  DraftTransition,
  FragmentBuilder,
  Input,
  KindSpec,
  ResetSet,
  RewriteBuilder,
  ScopeContent,
  WorkflowGraph,
} from "./kinds.ts";
import { makeNet, type Net, type Place, type PlaceIndex, type PlaceOrigin, type Transition } from "./net.ts";
import { type Arc, arcOutcome, type NodeId, type WorkflowNode } from "./workflow.ts";

/** Places and transitions while they are collected; one per compilation, never shared. */
export interface DraftNet {
  readonly graph: WorkflowGraph;
  /** Kind of each node, by node index. */
  readonly kinds: readonly KindSpec[];
  readonly places: Place[];
  /** Scope of each place, by place index. */
  readonly placeScopes: (NodeId | null)[];
  readonly placeIds: Set<string>;
  /** Places by what the fragments asked for: id and origin together. */
  readonly placesByKey: Map<string, PlaceIndex>;
  /** Place of each arc, by arc index; null where the arc is compiled away. */
  readonly arcPlaces: (PlaceIndex | null)[];
  transitions: DraftTransition[];
}

/** The draft with its source place and the place of every arc that is not compiled away. */
export function draftNet(graph: WorkflowGraph, kinds: readonly KindSpec[]): DraftNet {
  const draft: DraftNet = {
    graph,
    kinds,
    places: [],
    placeScopes: [],
    placeIds: new Set(),
    placesByKey: new Map(),
    arcPlaces: [],
    transitions: [],
  };
  sourcePlace(draft, null);
  graph.definition.arcs.forEach((arc, index) => {
    draft.arcPlaces.push(isOmitted(draft, arc) ? null : arcPlace(draft, arc, index));
  });
  return draft;
}

/** What the fragment of the node at `index` may do to the draft. */
export function fragmentBuilder(draft: DraftNet, node: WorkflowNode, index: number): FragmentBuilder {
  const { graph } = draft;
  const scope = node.scope ?? null;
  return {
    graph,
    node,
    index,
    inputs: inputsOf(draft, node, index),
    outputs: (outcome) =>
      (graph.outgoing[index] ?? []).flatMap((arc) => {
        const def = graph.definition.arcs[arc];
        const place = draft.arcPlaces[arc] ?? null;
        return def === undefined || place === null || arcOutcome(def) !== outcome
          ? []
          : [{ arc, place, def }];
      }),
    alphabet: draft.kinds[index]?.alphabet(node) ?? [],
    place: (id, origin, role, within = scope) => placeOf(draft, within, id, origin, role),
    transition: (transition) => void draft.transitions.push(transition),
    content: () => contentOf(draft, node),
  };
}

/** What the rewrite of the node at `index` may do to the draft. */
export function rewriteBuilder(draft: DraftNet, node: WorkflowNode, index: number): RewriteBuilder {
  return {
    graph: draft.graph,
    index,
    place: (id, origin, role) => placeOf(draft, node.scope ?? null, id, origin, role),
  };
}

/** The finished net: reset sets filled in, ids unique, the root's end places as ends, one token on the source. */
export function netOf(draft: DraftNet): Net {
  const insides = new Map<string, readonly PlaceIndex[]>();
  const ids = new Set<string>();
  const transitions = draft.transitions.map((t) =>
    finished(t, uniqueId(t.id, ids), t.reset === undefined ? NOWHERE : insideOf(draft, t.reset, insides)),
  );
  const ends = draft.places.flatMap(({ origin }, place) =>
    origin?.kind === "end" && draft.placeScopes[place] === null ? [place] : [],
  );
  const initial = draft.places.map((_, place) => (place === 0 ? 1 : 0));
  return makeNet({ places: draft.places, transitions, initial, finals: { kind: "ends", ends } });
}

const NOWHERE: readonly PlaceIndex[] = [];

/** Written out field by field: engines keep copies of "the rest" in a form that is slow to read, and nets are read often. */
function finished(t: DraftTransition, id: string, reset: readonly PlaceIndex[]): Transition {
  const { any = NOWHERE, pre, post, origin, label, rule, generated } = t;
  const made: { -readonly [Key in keyof Transition]: Transition[Key] } = {
    id,
    pre,
    any,
    post,
    reset,
    origin,
  };
  if (generated !== undefined) made.generated = generated;
  if (rule !== undefined) made.rule = rule;
  if (label !== undefined) made.label = label;
  return made;
}

/** The place of `id` and `origin`, made at the first call. Two origins that ask for one id get two places. */
function placeOf(
  draft: DraftNet,
  scope: NodeId | null,
  id: string,
  origin: PlaceOrigin,
  role: Place["role"] = "control",
): PlaceIndex {
  const key = JSON.stringify([id, origin]);
  const known = draft.placesByKey.get(key);
  if (known !== undefined) return known;
  const index = draft.places.length;
  draft.places.push({ id: uniqueId(id, draft.placeIds), role, origin });
  draft.placeScopes.push(scope);
  draft.placesByKey.set(key, index);
  return index;
}

/** `id`, or `id` with the first number from 2 that makes it new; the answer is added to `taken`. */
function uniqueId(id: string, taken: Set<string>): string {
  let unique = id;
  for (let number = 2; taken.has(unique); number += 1) unique = `${id}#${number}`;
  taken.add(unique);
  return unique;
}

function sourcePlace(draft: DraftNet, scope: NodeId | null): PlaceIndex {
  const node = scope === null ? null : (draft.graph.nodeIndex.get(scope) ?? null);
  return placeOf(draft, scope, scope === null ? "source" : `${scope}.source`, {
    kind: "source",
    scope: node,
  });
}

function arcPlace(draft: DraftNet, arc: Arc, index: number): PlaceIndex {
  const label = arc.outcome === undefined ? "" : `:${arc.outcome}`;
  const scope = nodeOf(draft.graph, arc.from)?.scope ?? null;
  return placeOf(draft, scope, `${arc.from}${label}->${arc.to}`, { kind: "arc", arc: index });
}

function isOmitted(draft: DraftNet, arc: Arc): boolean {
  const index = draft.graph.nodeIndex.get(arc.from) ?? -1;
  const node = draft.graph.definition.nodes[index];
  return node !== undefined && (draft.kinds[index]?.omits?.(node, arc) ?? false);
}

function inputsOf(draft: DraftNet, node: WorkflowNode, index: number): readonly Input[] {
  const arcs = (draft.graph.incoming[index] ?? []).flatMap((arc) => {
    const place = draft.arcPlaces[arc] ?? null;
    return place === null ? [] : [{ arc, place }];
  });
  const isEntry = entryOf(draft.graph, node.scope) === node.id;
  return isEntry ? [{ arc: null, place: sourcePlace(draft, node.scope ?? null) }, ...arcs] : arcs;
}

function contentOf(draft: DraftNet, node: WorkflowNode): ScopeContent {
  const source = sourcePlace(draft, node.id);
  const ends = draft.graph.definition.nodes.flatMap((inner, index) => {
    if (inner.scope !== node.id || inner.kind !== "end") return [];
    return [{ node: index, place: placeOf(draft, node.id, `${inner.id}.end`, { kind: "end", node: index }) }];
  });
  return { source, ends };
}

function insideOf(
  draft: DraftNet,
  reset: ResetSet,
  cache: Map<string, readonly PlaceIndex[]>,
): readonly PlaceIndex[] {
  const key = JSON.stringify([reset.scope, reset.ends === true]);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const inside = draft.places.flatMap(({ origin }, place) => {
    const scope = draft.placeScopes[place] ?? null;
    const owner = scope === null ? undefined : nodeOf(draft.graph, scope);
    const isWithin =
      reset.scope === null ||
      scope === reset.scope ||
      (owner !== undefined && scopesOf(draft.graph, owner).includes(reset.scope));
    const isOwnEnd = origin?.kind === "end" && scope === reset.scope;
    return isWithin && (reset.ends === true || !isOwnEnd) ? [place] : [];
  });
  cache.set(key, inside);
  return inside;
}
