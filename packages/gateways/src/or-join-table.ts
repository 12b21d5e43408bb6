/** @module The OR-join's rule in bits: what each place can reach is computed once for a join, and places alike are one class. */
import type { CompiledWorkflow, Net, PlaceIndex } from "@tessera/core";
import { arcPlaces, isPlaced, joinInputs, standing } from "./or-join.ts";

/** One join. Inputs and classes are numbered; a class is the set of the inputs that its places reach, never empty. */
export interface JoinTable {
  /** The number of each input, by its place. */
  readonly inputs: ReadonlyMap<PlaceIndex, number>;
  /** Places, no inputs, whose tokens can reach some input. */
  readonly places: readonly PlaceIndex[];
  /** Class of each place of the net, -1 where it is none of `places`. */
  readonly classOf: Int32Array;
  readonly classCount: number;
  /** For each input the classes that it is in. */
  readonly classesOf: readonly (readonly number[])[];
}

/**
 * Is the join enabled in `M`: is an input marked, and does every marked place that reaches an input reach a marked one?
 * Cost: the places that can reach the join, and the classes of its marked inputs.
 *
 * @refines D15.3
 */
export function isJoinEnabled(
  { inputs, places, classOf, classCount, classesOf }: JoinTable,
  M: ArrayLike<number>,
): boolean {
  const meetsMarked = new Uint8Array(classCount);
  let isSomeMarked = false;
  for (const [place, input] of inputs) {
    if ((M[place] as number) === 0) continue;
    isSomeMarked = true;
    for (const own of classesOf[input] as readonly number[]) meetsMarked[own] = 1;
  }
  return (
    isSomeMarked &&
    places.every((place) => (M[place] as number) === 0 || meetsMarked[classOf[place] as number] === 1)
  );
}

/** The table of the OR-join at node `join` of a workflow. Cost: the arcs times the inputs / 32, a few times over. */
export function workflowJoinTable(workflow: CompiledWorkflow, join: number): JoinTable {
  const { graph, net, definition } = workflow;
  const placed = arcPlaces(workflow);
  const arcs = joinInputs(workflow, join);
  const bitOf = new Map(arcs.map((arc, bit) => [arc, bit]));
  const onward = graph.outgoing.map((out) => out.filter((arc) => isPlaced(workflow, arc)));
  const targetOf = (arc: number) => graph.nodeIndex.get(definition.arcs[arc]!.to)!;
  const sets = reachedFrom({
    words: wordsFor(arcs.length),
    successors: onward.map((out) => out.filter((arc) => !bitOf.has(arc)).map(targetOf)),
    own: onward.map((out) => out.flatMap((arc) => bitOf.get(arc) ?? [])),
  });
  const setOf = (arc: number): BitSet => {
    const bit = bitOf.get(arc);
    return bit === undefined ? (sets[targetOf(arc)] as BitSet) : unit(bit, wordsFor(arcs.length));
  };
  const scope = definition.nodes[join]!.scope;
  return tableOf(
    arcs.map((arc) => placed.get(arc) as PlaceIndex),
    net.places.map((_, place) => standing(workflow, place, scope).map(setOf)),
  );
}

/**
 * The table of the OR-join `rule` of a bare net: what a place reaches by arcs of the net without the join's own
 * transitions. Resets are no arcs.
 *
 * @definition D15.6
 */
export function netJoinTable(net: Net, rule: string): JoinTable {
  const own = net.transitions.filter((t) => t.rule === rule);
  const inputs = [...new Set(own.flatMap(({ any }) => any))];
  const others = net.transitions.filter((t) => t.rule !== rule);
  const first = net.places.length;
  const consumers: number[][] = net.places.map(() => []);
  others.forEach(({ pre, any }, t) => {
    for (const place of [...pre.map(([from]) => from), ...any]) consumers[place]!.push(first + t);
  });
  const words = wordsFor(inputs.length);
  const sets = reachedFrom({
    words,
    successors: [...consumers, ...others.map(({ post }) => post.map(([place]) => place))],
    own: net.places.map((_, place) => (inputs.includes(place) ? [inputs.indexOf(place)] : [])),
  });
  return tableOf(
    inputs,
    net.places.map((_, place) => [sets[place] as BitSet]),
  );
}

type BitSet = Int32Array;

function wordsFor(bits: number): number {
  return Math.max(1, Math.ceil(bits / 32));
}

function unit(bit: number, words: number): BitSet {
  const set = new Int32Array(words);
  set[bit >>> 5] = 1 << (bit & 31);
  return set;
}

/** A graph whose vertices have bits of their own. */
interface BitGraph {
  readonly words: number;
  readonly successors: readonly (readonly number[])[];
  /** Bits of each vertex; absent: none. */
  readonly own: readonly (readonly number[])[];
}

/** For each vertex the bits of the vertices that it reaches, itself included: the least fixed point, targets first. */
function reachedFrom({ words, successors, own }: BitGraph): readonly BitSet[] {
  const sets = successors.map((_, vertex) => {
    const set = new Int32Array(words);
    for (const bit of own[vertex] ?? []) addTo(set, unit(bit, words));
    return set;
  });
  const order = targetsFirst(successors);
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const vertex of order)
      for (const next of successors[vertex] as readonly number[])
        if (addTo(sets[vertex] as BitSet, sets[next] as BitSet)) isStable = false;
  }
  return sets;
}

/** All vertices, each behind those that it leads to as far as there are no cycles: then one round of `reachedFrom` does. */
function targetsFirst(successors: readonly (readonly number[])[]): readonly number[] {
  const seen = new Uint8Array(successors.length);
  const order: number[] = [];
  for (const root of successors.keys()) {
    const path = seen[root] === 1 ? [] : [{ vertex: root, next: 0 }];
    seen[root] = 1;
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = (successors[top.vertex] as readonly number[])[top.next];
      top.next += 1;
      if (target === undefined) order.push((path.pop() as { vertex: number }).vertex);
      else if (seen[target] === 0) {
        seen[target] = 1;
        path.push({ vertex: target, next: 0 });
      }
    }
  }
  return order;
}

/** Adds `other` to `set`; true if that changed it. */
function addTo(set: BitSet, other: BitSet): boolean {
  let isChanged = false;
  for (let word = 0; word < set.length; word += 1) {
    const before = set[word] as number;
    const after = before | (other[word] as number);
    set[word] = after;
    if (after !== before) isChanged = true;
  }
  return isChanged;
}

/** Groups the places by the union of their sets. Inputs, and places that reach none, are in no class. */
function tableOf(joined: readonly PlaceIndex[], setsOf: readonly (readonly BitSet[])[]): JoinTable {
  const inputs = new Map(joined.map((place, input) => [place, input]));
  const classOf = new Int32Array(setsOf.length).fill(-1);
  const classes = new Map<string, number>();
  const classesOf: number[][] = joined.map(() => []);
  const places: PlaceIndex[] = [];
  setsOf.forEach((sets, place) => {
    if (inputs.has(place)) return;
    const union = new Int32Array(wordsFor(joined.length));
    for (const set of sets) addTo(union, set);
    if (union.every((word) => word === 0)) return;
    const key = union.join();
    const known = classes.get(key) ?? classes.size;
    if (known === classes.size) {
      classes.set(key, known);
      for (const input of joined.keys())
        if (((union[input >>> 5] as number) & (1 << (input & 31))) !== 0) classesOf[input]!.push(known);
    }
    classOf[place] = known;
    places.push(place);
  });
  return { inputs, places, classOf, classCount: classes.size, classesOf };
}
