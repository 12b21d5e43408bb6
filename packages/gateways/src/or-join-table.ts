/** @module The OR-join's rule in its fast form: what each place can reach is computed once, as sets of bits. */
import {
  type Compiled,
  type CompiledWorkflow,
  type Net,
  NO_RULES,
  type NonLocalRules,
  type PlaceIndex,
  type TransitionIndex,
} from "@tessera/core";
import { arcPlaces, goesFirst, isPlaced, joinInputs, orJoinRule, standing } from "./or-join.ts";

/** One join: bit k of a set stands for its k-th input. */
interface JoinTable {
  /** Places of the inputs. */
  readonly inputs: readonly PlaceIndex[];
  /** Words of a set. */
  readonly words: number;
  /** Places, no inputs, whose tokens can reach some input. */
  readonly places: Int32Array;
  /** The set of each of `places`, `words` apart. */
  readonly reached: Int32Array;
}

/**
 * The rules of the non-local OR-joins of a compiled definition, by the names that its transitions carry: permitted
 * when the join is enabled and nothing that goes first is. Empty where there are none. Cost: once, for each join the
 * graph and its inputs times the arcs; then for each question the places that can reach the join, and the transitions
 * that take from marked places.
 *
 * @refines D15.3
 */
export function orJoinRules(compiled: Compiled): NonLocalRules {
  if (compiled.kind === "net") return NO_RULES;
  const { net, definition } = compiled;
  const names = new Set(net.transitions.flatMap(({ rule }) => (rule === undefined ? [] : [rule])));
  const joins = definition.nodes.flatMap(({ id }, join) => (names.has(orJoinRule(id)) ? [join] : []));
  if (joins.length === 0) return NO_RULES;
  const isQuiet = quietTest(net);
  return new Map(
    joins.map((join) => {
      const table = joinTable(compiled, join);
      const name = orJoinRule(definition.nodes[join]?.id ?? "");
      return [name, (_net: Net, M: ArrayLike<number>) => permits(table, M) && isQuiet(M)] as const;
    }),
  );
}

function permits({ inputs, words, places, reached }: JoinTable, M: ArrayLike<number>): boolean {
  const marked = new Int32Array(words);
  let isSomeMarked = false;
  for (let k = 0; k < inputs.length; k += 1) {
    if ((M[inputs[k] as number] as number) === 0) continue;
    marked[k >>> 5] = (marked[k >>> 5] as number) | (1 << (k & 31));
    isSomeMarked = true;
  }
  if (!isSomeMarked) return false;
  for (let row = 0; row < places.length; row += 1) {
    if (M[places[row] as number] === 0) continue;
    let meetsMarked = 0;
    let meetsUnmarked = 0;
    for (let word = 0; word < words; word += 1) {
      const set = reached[row * words + word] as number;
      meetsMarked |= set & (marked[word] as number);
      meetsUnmarked |= set & ~(marked[word] as number);
    }
    if (meetsUnmarked !== 0 && meetsMarked === 0) return false;
  }
  return true;
}

function joinTable(workflow: CompiledWorkflow, join: number): JoinTable {
  const placed = arcPlaces(workflow);
  const arcs = joinInputs(workflow, join);
  const words = Math.max(1, Math.ceil(arcs.length / 32));
  const sets = reachOfArcs(workflow, join, arcs, words);
  const inputs = arcs.map((arc) => placed.get(arc) as PlaceIndex);
  const scope = workflow.definition.nodes[join]?.scope;
  const isInput = new Set(inputs);
  const rows = workflow.net.places.flatMap((_, place) => {
    if (isInput.has(place)) return [];
    const set = new Int32Array(words);
    for (const arc of standing(workflow, place, scope)) unite(set, sets.get(arc));
    return set.some((word) => word !== 0) ? [{ place, set }] : [];
  });
  const reached = new Int32Array(rows.length * words);
  rows.forEach(({ set }, row) => {
    reached.set(set, row * words);
  });
  return { inputs, words, places: Int32Array.from(rows, ({ place }) => place), reached };
}

/** R_J of every arc that has one: from each input backwards, never through the join. */
function reachOfArcs(
  workflow: CompiledWorkflow,
  join: number,
  inputs: readonly number[],
  words: number,
): ReadonlyMap<number, Int32Array> {
  const { graph } = workflow;
  const sets = new Map<number, Int32Array>();
  inputs.forEach((input, bit) => {
    const seen = new Set([input]);
    for (const arc of seen) {
      const set = sets.get(arc) ?? new Int32Array(words);
      sets.set(arc, set);
      set[bit >>> 5] = (set[bit >>> 5] as number) | (1 << (bit & 31));
      const source = graph.nodeIndex.get(graph.definition.arcs[arc]?.from ?? "") ?? -1;
      if (source === join) continue;
      for (const before of graph.incoming[source] ?? []) if (isPlaced(workflow, before)) seen.add(before);
    }
  });
  return sets;
}

function unite(set: Int32Array, other: Int32Array | undefined): void {
  if (other === undefined) return;
  for (let word = 0; word < set.length; word += 1)
    set[word] = (set[word] as number) | (other[word] as number);
}

/** `isQuiet` by way of the marked places: each transition that goes first is looked for at one place of its preset. */
function quietTest(net: Net): (M: ArrayLike<number>) => boolean {
  const watchers: TransitionIndex[][] = net.places.map(() => []);
  net.transitions.forEach((t, index) => {
    const watched = t.pre[0]?.[0];
    if (goesFirst(t) && watched !== undefined) watchers[watched]?.push(index);
  });
  const isReady = (M: ArrayLike<number>) => (t: TransitionIndex) =>
    net.transitions[t]?.pre.every(([place, weight]) => (M[place] ?? 0) >= weight) === true;
  return (M) => {
    for (let place = 0; place < M.length; place += 1)
      if (M[place] !== 0 && watchers[place]?.some(isReady(M)) === true) return false;
    return true;
  };
}
