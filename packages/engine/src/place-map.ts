/** @module The mapping h of a migration on tokens: which place of another definition stands for a place. */
import { arcOutcome, type Marking, type NodeId, type Place, type PlaceIndex } from "@tessera/core";
import { loopOf } from "@tessera/gateways";
import type { Plan } from "./plan.ts";

/**
 * Where things go: nodes by id (absent: the node of the same id) and, where that does not settle a place, places by id.
 * `data`: keys of D that are renamed, then set, then (null) taken out.
 */
export interface Mapping {
  readonly nodes?: Readonly<Record<NodeId, NodeId>>;
  readonly places?: Readonly<Record<string, string>>;
  readonly data?: {
    readonly rename?: Readonly<Record<string, string>>;
    readonly set?: { readonly [key: string]: unknown };
    readonly unset?: readonly string[];
  };
}

/** The node that stands for `node`. */
export function mappedNode({ nodes = {} }: Mapping, node: NodeId): NodeId {
  return Object.hasOwn(nodes, node) ? (nodes[node] as NodeId) : node;
}

/** h(M), or the marked places that h says nothing of. */
export type MappedMarking =
  | { readonly kind: "mapped"; readonly marking: Marking }
  | { readonly kind: "unmapped"; readonly places: readonly string[] };

/** h over markings of one definition: tables are built once. */
export type MarkingMap = (marking: Marking) => MappedMarking;

/**
 * The mapping of markings from one definition to another. A place is known by what it stands for: the rest place of a
 * node, an arc by its ends and its label (the first, the second ... of equal ones), an end, a skipped branch. Control
 * places keep their tokens. The counters of a loop that the run is in keep the failed rounds, as far as the new budget
 * goes: spent' = min(spent, b') and left' = b' - spent'. A marked place that stands for nothing in the other definition
 * is named; every other place of it is empty.
 *
 * @definition D9.23
 */
export function markingMap(from: Plan, to: Plan, mapping: Mapping): MarkingMap {
  const target = targetOf(from, to, mapping);
  const { places } = from.program.net;
  const size = to.program.net.places.length;
  return (marking) => {
    const next = new Array<number>(size).fill(0);
    const lost: string[] = [];
    for (const [place, tokens] of marking.entries()) {
      if (tokens === 0) continue;
      const at = target[place] ?? -1;
      if (at === -1) lost.push(places[place]?.id ?? String(place));
      else next[at] = (next[at] ?? 0) + tokens;
    }
    if (lost.length > 0) return { kind: "unmapped", places: lost };
    fitCounters(to, next);
    return { kind: "mapped", marking: next };
  };
}

function targetOf(from: Plan, to: Plan, mapping: Mapping): readonly PlaceIndex[] {
  const { places } = to.program.net;
  const byId = new Map(places.map(({ id }, index) => [id, index]));
  const identity = (id: NodeId): NodeId => id;
  const byKey = new Map(placeKeys(to, identity).map((key, index) => [key, index]));
  const keys = placeKeys(from, (id) => mappedNode(mapping, id));
  return from.program.net.places.map(({ id }, index) => {
    const named =
      mapping.places !== undefined && Object.hasOwn(mapping.places, id) ? mapping.places[id] : undefined;
    if (named !== undefined) return byId.get(named) ?? -1;
    return byKey.get(keys[index] ?? "") ?? -1;
  });
}

/** What each place stands for, as a text, in the names that `nameOf` gives to nodes. */
function placeKeys({ program }: Plan, nameOf: (id: NodeId) => NodeId): readonly string[] {
  const { compiled, net } = program;
  if (compiled.kind === "net") return net.places.map(({ id }) => JSON.stringify(["place", nameOf(id)]));
  const { nodes, arcs } = compiled.definition;
  const node = (index: number | null): NodeId | null =>
    index === null ? null : nameOf(nodes[index]?.id ?? "");
  const seen = new Map<string, number>();
  const arcKeys = arcs.map((arc) => {
    const ends = JSON.stringify([nameOf(arc.from), nameOf(arc.to), arcOutcome(arc)]);
    const count = seen.get(ends) ?? 0;
    seen.set(ends, count + 1);
    return `${ends}#${count}`;
  });
  const keyOf = ({ origin, id }: Place): unknown => {
    switch (origin?.kind) {
      case undefined:
        return ["place", id];
      case "source":
        return ["source", node(origin.scope)];
      case "arc":
        return ["arc", arcKeys[origin.arc]];
      case "skip":
        return ["skip", node(origin.node), arcKeys[origin.arc]];
      case "chain":
        return ["chain", node(origin.node), origin.outcome, origin.taken, origin.position];
      default:
        return [origin?.kind, node(origin?.node ?? -1)];
    }
  };
  return net.places.map((place) => JSON.stringify(keyOf(place)));
}

/** Counters of a loop that the run is in sum up to its budget. */
function fitCounters({ program, nodes }: Plan, marking: number[]): void {
  const counters = new Map<number, { left: PlaceIndex; spent: PlaceIndex }>();
  for (const [place, { origin }] of program.net.places.entries()) {
    if (origin?.kind !== "left" && origin?.kind !== "spent") continue;
    const pair = counters.get(origin.node) ?? { left: -1, spent: -1 };
    pair[origin.kind] = place;
    counters.set(origin.node, pair);
  }
  for (const [index, { left, spent }] of counters) {
    const node = nodes[index];
    const budget = node === undefined ? undefined : loopOf(node)?.budget;
    const sum = (marking[left] ?? 0) + (marking[spent] ?? 0);
    if (budget === undefined || sum === 0) continue;
    const used = Math.min(marking[spent] ?? 0, budget);
    marking[spent] = used;
    marking[left] = budget - used;
  }
}
