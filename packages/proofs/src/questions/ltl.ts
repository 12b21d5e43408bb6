/** @module Linear time over a whole state graph: a run that breaks the formula, as a lasso, or none. */
import { fire, type TransitionIndex } from "@tessera/core";
import { type Budget, DEFAULT_LIMITS, startBudget } from "../limits.ts";
import type { Limit } from "../verdict.ts";
import { type Automaton, automatonOf, type Literal } from "./buchi.ts";
import { componentsOf } from "./components.ts";
import type { Formula } from "./formula.ts";
import { markingOfState, type StateGraph, statesWhere, targetsOf, transitionBetween } from "./graph.ts";
import { testOf } from "./predicate.ts";

/** Which runs count. weak: a transition that stays enabled for ever fires; strong: one that is enabled again and again. */
export interface Fairness {
  readonly weak: readonly TransitionIndex[];
  readonly strong: readonly TransitionIndex[];
}

/** Every run counts. */
export const UNFAIR: Fairness = { weak: [], strong: [] };

/** A run that goes on for ever: `stem`, then `loop` again and again. An empty loop: the run ends, nothing is enabled. */
export interface Lasso {
  readonly stem: readonly TransitionIndex[];
  readonly loop: readonly TransitionIndex[];
}

/** Limits of a call that gives none: the size of the product, but no time. */
const ANY_TIME: Budget = startBudget(DEFAULT_LIMITS, () => 0, null);

/**
 * A fair run of the whole graph that does not satisfy the formula; null if all do; else the limit that was reached first,
 * of time, of bytes, or of the automaton. A run that ends stays in its last marking for ever. Cost: linear in the edges
 * times the automaton, for each strong fairness at most that much again for each component. The clock is looked at
 * between the components, so a call may overrun by one.
 *
 * @definition D22.5
 */
export function counterexample(
  graph: StateGraph,
  formula: Formula,
  fairness: Fairness = UNFAIR,
  budget: Budget = ANY_TIME,
): Lasso | null | Limit {
  const over = () => budget.exhausted(graph.count);
  const automaton = automatonOf({ kind: "not", of: formula }, () => over() !== null);
  if (automaton === null) return over() ?? TOO_LARGE;
  const product = productOf(graph, automaton, budget);
  if ("kind" in product) return product;
  const open: number[][] = [...componentsOf(product.count, product.next, null)];
  for (let members = open.pop(); members !== undefined; members = open.pop()) {
    const limit = over();
    if (limit !== null) return limit;
    const inside = new Set(members);
    if (!hasCycle(product, inside)) continue;
    const goals = goalsOf(graph, automaton, product, inside, fairness);
    if (goals === null) continue;
    if (goals.kind === "goals") return lassoOf(graph, product, inside, goals.goals);
    open.push(...componentsOf(product.count, product.next, goals.rest));
  }
  return null;
}

const TOO_LARGE: Limit = { kind: "method", reason: "the automaton of the formula is too large" };

/** Pairs of a state and a state of the automaton whose literals it satisfies, those that are reachable. */
interface Product {
  readonly count: number;
  readonly initial: readonly number[];
  readonly state: readonly number[];
  readonly node: readonly number[];
  readonly next: readonly (readonly number[])[];
}

/** Pairs between two looks at the clock. */
const SLICE = 1024;
/** What a pair and an edge take, about, and a state of the automaton for each marking that is met. */
const BYTES = { pair: 96, edge: 8, state: 4 } as const;

function productOf(graph: StateGraph, automaton: Automaton, budget: Budget): Product | Limit {
  const satisfied = automaton.states.map(({ literals }) => satisfying(graph, literals));
  const width = automaton.states.length;
  const { bytesMax } = budget.limits;
  const numbers: (Int32Array | undefined)[] = [];
  const state: number[] = [];
  const node: number[] = [];
  let bytes = 0;
  const pair = (s: number, q: number) => {
    const row = numbers[s] ?? new Int32Array(width);
    if (numbers[s] === undefined) {
      numbers[s] = row;
      bytes += width * BYTES.state;
    }
    if (row[q] === 0) {
      node.push(q);
      row[q] = state.push(s);
      bytes += BYTES.pair;
    }
    return row[q]! - 1;
  };
  const initial = automaton.initial.filter((q) => satisfied[q]![0] === 1).map((q) => pair(0, q));
  const next: number[][] = [];
  for (let at = 0; at < state.length; at += 1) {
    const limit = at % SLICE === 0 ? budget.exhausted(graph.count) : null;
    if (limit !== null) return limit;
    if (bytes > bytesMax) return { kind: "bytes", at: bytesMax };
    const targets = targetsOf(graph, state[at]!);
    const after = targets.length === 0 ? [state[at]!] : [...new Set(targets)];
    const to = after.flatMap((s) =>
      automaton.states[node[at]!]!.next.filter((q) => satisfied[q]![s] === 1).map((q) => pair(s, q)),
    );
    bytes += to.length * BYTES.edge;
    next.push(to);
  }
  return { count: state.length, initial, state, node, next };
}

function satisfying(graph: StateGraph, literals: readonly Literal[]): Uint8Array {
  const tests = literals.map(({ atom, isNegated }) => {
    const test = testOf(graph.net, atom, graph.space.rules);
    return (M: readonly number[]) => test(M) !== isNegated;
  });
  return statesWhere(graph, (M) => tests.every((test) => test(M)));
}

function hasCycle({ next }: Product, inside: ReadonlySet<number>): boolean {
  const [only] = inside;
  return inside.size > 1 || (only !== undefined && next[only]!.includes(only));
}

/** What a loop must pass: a pair, or an edge on which a transition fires. */
type Goal =
  | { readonly kind: "pair"; readonly isGoal: (at: number) => boolean }
  | { readonly kind: "edge"; readonly transition: TransitionIndex };

/** The goals of a loop in the component; null if none can be accepted there; the rest where strong fairness forbids some pairs. */
function goalsOf(
  graph: StateGraph,
  { accepting }: Automaton,
  product: Product,
  inside: ReadonlySet<number>,
  { weak, strong }: Fairness,
):
  | { readonly kind: "goals"; readonly goals: readonly Goal[] }
  | { readonly kind: "rest"; readonly rest: ReadonlySet<number> }
  | null {
  const members = [...inside];
  const goals: Goal[] = [];
  for (const set of accepting) {
    const isGoal = (at: number) => set[product.node[at]!] === 1;
    if (!members.some(isGoal)) return null;
    goals.push({ kind: "pair", isGoal });
  }
  const enables = (at: number, t: TransitionIndex) => {
    const M = markingOfState(graph, product.state[at]!);
    return fire(graph.net, M, t, graph.space.rules).kind === "fired";
  };
  for (const t of weak) {
    const isGoal = (at: number) => !enables(at, t);
    if (members.some(isGoal)) goals.push({ kind: "pair", isGoal });
    else if (firesInside(graph, product, inside, t)) goals.push({ kind: "edge", transition: t });
    else return null;
  }
  for (const t of strong) {
    if (!members.some((at) => enables(at, t))) continue;
    if (firesInside(graph, product, inside, t)) goals.push({ kind: "edge", transition: t });
    else return { kind: "rest", rest: new Set(members.filter((at) => !enables(at, t))) };
  }
  return { kind: "goals", goals };
}

function firesInside(
  graph: StateGraph,
  product: Product,
  inside: ReadonlySet<number>,
  t: TransitionIndex,
): boolean {
  return [...inside].some((from) => edgeOf(graph, product, inside, from, t) !== null);
}

/** A pair inside that firing `t` in the pair `from` leads to; null if there is none. */
function edgeOf(
  graph: StateGraph,
  product: Product,
  inside: ReadonlySet<number>,
  from: number,
  t: TransitionIndex,
): number | null {
  const after = fire(graph.net, markingOfState(graph, product.state[from]!), t, graph.space.rules);
  if (after.kind !== "fired") return null;
  const key = after.marking.join();
  const found = product.next[from]!.find(
    (to) => inside.has(to) && markingOfState(graph, product.state[to]!).join() === key,
  );
  return found ?? null;
}

function lassoOf(
  graph: StateGraph,
  product: Product,
  inside: ReadonlySet<number>,
  goals: readonly Goal[],
): Lasso {
  const toStart = path(product, product.initial, null, (at) => inside.has(at));
  const start = toStart.at(-1)!;
  const loop: number[] = [start];
  const forced = new Map<number, TransitionIndex>();
  for (const goal of goals) {
    if (goal.kind === "pair") {
      loop.push(...path(product, [loop.at(-1)!], inside, goal.isGoal).slice(1));
      continue;
    }
    const leads = (at: number) => edgeOf(graph, product, inside, at, goal.transition) !== null;
    loop.push(...path(product, [loop.at(-1)!], inside, leads).slice(1));
    forced.set(loop.length, goal.transition);
    loop.push(edgeOf(graph, product, inside, loop.at(-1)!, goal.transition)!);
  }
  const back = closing(product, inside, loop.at(-1)!, start, loop.length > 1);
  loop.push(...back);
  return { stem: steps(graph, product, toStart, new Map()), loop: steps(graph, product, loop, forced) };
}

/** The pairs after `from` on a shortest way to `to`; at least one step, unless the loop has some already and is there. */
function closing(
  product: Product,
  inside: ReadonlySet<number>,
  from: number,
  to: number,
  isLoop: boolean,
): readonly number[] {
  if (isLoop && from === to) return [];
  const first = product.next[from]!.filter((at) => inside.has(at));
  return path(product, first, inside, (at) => at === to);
}

/** A shortest path of pairs from one of `starts` to a goal, both included; inside a component if one is given. */
function path(
  { next }: Product,
  starts: readonly number[],
  inside: ReadonlySet<number> | null,
  isGoal: (at: number) => boolean,
): readonly number[] {
  const parent = new Map<number, number>(starts.map((at) => [at, -1]));
  for (const at of parent.keys()) {
    if (isGoal(at)) {
      const found: number[] = [];
      for (let back = at; back !== -1; back = parent.get(back)!) found.push(back);
      return found.reverse();
    }
    for (const to of next[at]!) if (!parent.has(to) && (inside?.has(to) ?? true)) parent.set(to, at);
  }
  return [];
}

/** The transitions between the states of a path; staying in a state that enables nothing is none. */
function steps(
  graph: StateGraph,
  { state }: Product,
  pairs: readonly number[],
  forced: ReadonlyMap<number, TransitionIndex>,
): readonly TransitionIndex[] {
  return pairs.slice(1).flatMap((to, index) => {
    const from = state[pairs[index]!]!;
    if (targetsOf(graph, from).length === 0) return [];
    return [forced.get(index + 1) ?? transitionBetween(graph, from, state[to]!)];
  });
}
