/** @module Workflows of `guardedWorkflow` read by brute force on concrete values, and runs played on theirs. */
import {
  type CompiledWorkflow,
  type Condition,
  type ConditionData,
  type Data,
  evaluateCondition,
  fire,
  isEnabled,
  isFinal,
  type Json,
  type Marking,
  NO_RULES,
  parseCondition,
} from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";
import type { DataRun } from "../../src/index.ts";
import { COLOURS } from "./guarded-workflow.ts";

/** The integers that stand for all where the constants are 0 and 2. */
const INTEGERS = [-2, -1, 0, 1, 2, 3, 4];
const VALUES: Readonly<Record<string, readonly Json[]>> = { n: INTEGERS, c: COLOURS };

export type Kind = "holds" | "fails" | "unknown";

/** What brute force says, and how many concrete states it looked at; null if they are too many. */
export interface Truth {
  readonly verdicts: Readonly<Record<"O1" | "O2" | "O3" | "O4" | "O5" | "deadlock", Kind>>;
  readonly states: number;
}

interface Edge {
  readonly to: number | "failed" | "refused";
  readonly isOrdered: boolean;
  readonly fired: readonly number[];
  readonly isGap: boolean;
}

/** The workflow read on concrete values: every marking with every D, transition by transition. */
export function bruteForce(compiled: CompiledWorkflow, statesMax: number): Truth | null {
  // OR joins of unstructured blocks have rules of their own.
  if (compiled.net.transitions.some(({ rule }) => rule !== undefined)) return null;
  const guards = compiled.definition.arcs.map((arc) => {
    const parsed = arc.guard === undefined ? null : parseCondition(arc.guard);
    return parsed?.ok === true ? parsed.value : null;
  });
  const keys = [
    ...new Set(compiled.definition.arcs.flatMap(({ guard: one }) => (one === undefined ? [] : keysIn(one)))),
  ];
  const states: { readonly marking: Marking; readonly data: Data }[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (marking: Marking, data: Data) => {
    const name = `${marking.join()} ${keys.map((key) => data[key]).join()}`;
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, states.length);
    states.push({ marking, data });
    return states.length - 1;
  };
  for (const data of assignments(keys, {})) numberOf(compiled.net.initial, data);
  const initial = states.length;
  const edges: (readonly Edge[])[] = [];
  const memory = new Map<string, readonly number[]>();
  for (let state = 0; state < states.length; state += 1) {
    if (states.length > statesMax) return null;
    const { marking, data } = states[state]!;
    edges.push(successors(compiled, guards, keys, marking, data, numberOf, memory));
  }
  return { verdicts: judge(compiled, states, initial, edges), states: states.length };
}

function keysIn(condition: ConditionData): readonly string[] {
  // Every object inherits a valueOf.
  if ("key" in condition)
    return Object.hasOwn(condition, "valueOf") ? [condition.key, String(condition.valueOf)] : [condition.key];
  if ("not" in condition) return keysIn(condition.not);
  const parts = "all" in condition ? condition.all : "any" in condition ? condition.any : [];
  return parts.flatMap(keysIn);
}

/**
 * Every way to give `keys` new values. Numbers lie dense: x and y get their values one after the other, each on a point, in
 * the middle between two, or outside; what matters of them is their order among each other and to 0 and 2.
 */
function assignments(keys: readonly string[], base: Data): readonly Data[] {
  const kept = Object.fromEntries(Object.entries(base).filter(([key]) => !keys.includes(key)));
  const all = keys.reduce<readonly Data[]>(
    (some, key) =>
      some.flatMap((data) => (VALUES[key] ?? dense(data)).map((value) => ({ ...data, [key]: value }))),
    [kept],
  );
  return all.map(rescaled);
}

function pointsOf({ x, y }: Data): readonly number[] {
  const points = [0, 2, x, y].filter((value) => typeof value === "number");
  return [...new Set(points)].sort((a, b) => a - b);
}

function dense(data: Data): readonly number[] {
  const points = pointsOf(data);
  const between = points.slice(1).map((point, index) => (point + points[index]!) / 2);
  return [points[0]! - 1, ...points, ...between, points.at(-1)! + 1];
}

/** The same order with the same numbers for it. */
function rescaled(data: Data): Data {
  const points = pointsOf(data);
  const below = points.filter((point) => point < 0);
  const inside = points.filter((point) => point > 0 && point < 2);
  const scaled = (value: number) => {
    if (value === 0 || value === 2) return value;
    if (value < 0) return below.indexOf(value) - below.length;
    if (value > 2) return 3 + points.filter((point) => point > 2 && point < value).length;
    return (2 * (inside.indexOf(value) + 1)) / (inside.length + 1);
  };
  const numbers = Object.entries(data).map(([key, value]) => [
    key,
    (key === "x" || key === "y") && typeof value === "number" ? scaled(value) : value,
  ]);
  return Object.fromEntries(numbers);
}

/** Which arcs an outcome takes on D: null for none. */
function route(
  compiled: CompiledWorkflow,
  guards: readonly (Condition | null)[],
  node: number,
  outcome: string,
  data: Data,
): readonly number[] | null {
  const { definition, graph } = compiled;
  const arcs = graph.outgoing[node]!.filter((arc) => (definition.arcs[arc]!.outcome ?? "done") === outcome);
  const { split } = definition.nodes[node]!;
  if (split === "all") return arcs.length === 0 ? null : arcs;
  const isTrue = (arc: number) => {
    const guarded = guards[arc];
    if (guarded == null) return definition.arcs[arc]!.default !== true;
    const answer = evaluateCondition(guarded, data);
    return answer.kind === "value" && answer.value;
  };
  const holding = arcs.filter(isTrue);
  const taken = split === "or" ? holding : holding.slice(0, 1);
  if (taken.length > 0) return taken;
  const fallback = arcs.filter((arc) => definition.arcs[arc]!.default === true);
  return fallback.length > 0 ? fallback : null;
}

function successors(
  compiled: CompiledWorkflow,
  guards: readonly (Condition | null)[],
  keys: readonly string[],
  marking: Marking,
  data: Data,
  numberOf: (marking: Marking, data: Data) => number,
  memory: Map<string, readonly number[]>,
): readonly Edge[] {
  const { net, definition } = compiled;
  const name = marking.join();
  const enabled =
    memory.get(name) ?? net.transitions.map((_, t) => t).filter((t) => isEnabled(net, marking, t));
  memory.set(name, enabled);
  const automatic = enabled.filter(
    (t) => !["finish", "take", "skip"].includes(net.transitions[t]!.origin!.phase),
  );
  const tokenOf = (t: number) => JSON.stringify([net.transitions[t]!.origin!.node, net.transitions[t]!.pre]);
  const found: Edge[] = [];
  const edge = (t: number, after: Data, arcs: readonly number[], isOrdered: boolean, isGap = false) => {
    const fired = [t];
    let now = fired1(net, marking, t);
    // Behind an OR split its chain is played to the end: take what was chosen, skip the rest.
    if (net.transitions[t]!.origin!.chosen.length === 0 && arcs.length > 0) {
      for (let moved = true; moved; ) {
        const move = net.transitions.findIndex(({ origin }, index) => {
          if (origin?.node !== net.transitions[t]!.origin!.node || !isEnabled(net, now, index)) return false;
          return origin.phase === (arcs.includes(origin.chosen[0]!) ? "take" : "skip");
        });
        moved = move >= 0;
        if (moved) {
          now = fired1(net, now, move);
          fired.push(move);
        }
      }
    }
    found.push({ to: numberOf(now, after), isOrdered, fired, isGap });
  };
  const groups = new Map<string, number[]>();
  for (const t of enabled) {
    if (["take", "skip"].includes(net.transitions[t]!.origin!.phase)) continue;
    groups.set(tokenOf(t), [...(groups.get(tokenOf(t)) ?? []), t]);
  }
  for (const group of groups.values()) {
    const { node, phase } = net.transitions[group[0]!]!.origin!;
    const kind = definition.nodes[node]!.kind;
    const isOrdered =
      phase === "finish" ? automatic.length === 0 : tokenOf(automatic[0]!) === tokenOf(group[0]!);
    if (phase === "start" || phase === "settle" || kind === "end") {
      edge(group[0]!, data, [], isOrdered);
      continue;
    }
    const outcomes = kind === "tool" || kind === "transform" ? ["done", "error"] : ["done"];
    const written = phase === "finish" || kind === "transform" ? (definition.nodes[node]!.writes ?? []) : [];
    const take = (outcome: string, after: Data, isGap: boolean): boolean => {
      const arcs = route(compiled, guards, node, outcome, after);
      const own = group.filter((t) => net.transitions[t]!.origin!.outcome === outcome);
      if (arcs === null || own.length === 0) return false;
      const exact = own.find((t) => net.transitions[t]!.origin!.chosen.join() === arcs.join());
      edge(
        exact ?? own.find((t) => net.transitions[t]!.origin!.chosen.length === 0)!,
        after,
        arcs,
        isOrdered,
        isGap,
      );
      return true;
    };
    for (const outcome of outcomes) {
      for (const after of assignments(
        written.filter((key) => keys.includes(key)),
        data,
      )) {
        if (take(outcome, after, false)) continue;
        // What the node answered is forgotten, and it ends under error; a person is asked again.
        if (kind === "human") found.push({ to: "refused", isOrdered, fired: [], isGap: true });
        else if (!take("error", data, true)) found.push({ to: "failed", isOrdered, fired: [], isGap: true });
      }
    }
  }
  return found;
}

function fired1(net: CompiledWorkflow["net"], marking: Marking, t: number, rules = NO_RULES): Marking {
  const result = fire(net, marking, t, rules);
  if (result.kind !== "fired") throw new Error(`${net.transitions[t]?.id} is not enabled`);
  return result.marking;
}

function judge(
  { net }: CompiledWorkflow,
  states: readonly { readonly marking: Marking }[],
  initial: number,
  edges: readonly (readonly Edge[])[],
): Truth["verdicts"] {
  const reach = (isUsed: (edge: Edge) => boolean) => {
    const seen = new Set([...states.keys()].filter((state) => state < initial));
    for (const state of seen)
      for (const one of edges[state]!) if (isUsed(one) && typeof one.to === "number") seen.add(one.to);
    return seen;
  };
  const ordered = reach(({ isOrdered }) => isOrdered);
  const any = reach(() => true);
  const done = new Set([...states.keys()].filter((state) => isFinal(net, states[state]!.marking)));
  for (let before = -1; before < done.size; ) {
    before = done.size;
    for (const [state, own] of edges.entries())
      if (
        own.some(
          ({ to, isOrdered }) => isOrdered && (to === "failed" || (typeof to === "number" && done.has(to))),
        )
      )
        done.add(state);
  }
  const verdict = (isBad: (state: number) => boolean): Kind =>
    [...ordered].some(isBad) ? "fails" : [...any].some(isBad) ? "unknown" : "holds";
  const isFinalState = (state: number) => isFinal(net, states[state]!.marking);
  const fired = (among: ReadonlySet<number>, isUsed: (edge: Edge) => boolean) =>
    new Set([...among].flatMap((state) => edges[state]!.filter(isUsed).flatMap((one) => one.fired)));
  const alive = (used: ReadonlySet<number>) => {
    const arcsOf = (t: number) => {
      const { consumed, chosen, phase } = net.transitions[t]!.origin!;
      return phase === "skip" ? [] : [...consumed, ...chosen];
    };
    const kindOf = (t: number) => {
      const { node, phase, outcome } = net.transitions[t]!.origin!;
      return `${node} ${phase} ${outcome}`;
    };
    const usedArcs = new Set([...used].flatMap(arcsOf));
    const usedKinds = new Set([...used].map(kindOf));
    return net.transitions.every(({ origin }, t) => {
      const isLive = origin!.phase === "skip" || usedKinds.has(kindOf(t));
      return isLive && arcsOf(t).every((arc) => usedArcs.has(arc));
    });
  };
  const gap = (of: ReadonlySet<number>, isUsed: (edge: Edge) => boolean) =>
    [...of].some((state) => edges[state]!.some((one) => one.isGap && isUsed(one)));
  const isOrdered = (one: Edge) => one.isOrdered;
  const all = () => true;
  return {
    O1: verdict((state) => !done.has(state)),
    O2: verdict((state) =>
      net.places.some(({ origin }, place) => origin?.kind === "end" && states[state]!.marking[place]! > 1),
    ),
    O3: alive(fired(ordered, isOrdered)) ? "holds" : alive(fired(any, all)) ? "unknown" : "fails",
    O4: verdict((state) => states[state]!.marking.some((tokens) => tokens > 1)),
    O5: gap(ordered, isOrdered) ? "fails" : gap(any, all) ? "unknown" : "holds",
    deadlock: verdict((state) => !isFinalState(state) && !edges[state]!.some(({ to }) => to !== "refused")),
  };
}

/** Plays a run on its own values, as the engine would, and says what is wrong with it; null if it is a run. */
export function replayTrouble(
  compiled: CompiledWorkflow,
  { start, steps, marking, data }: DataRun,
): string | null {
  const { net, definition } = compiled;
  const guards = definition.arcs.map((arc) => {
    const parsed = arc.guard === undefined ? null : parseCondition(arc.guard);
    return parsed?.ok === true ? parsed.value : null;
  });
  const rules = orJoinRules(compiled);
  let now = net.initial;
  let values = start;
  for (const { node, outcome, answer, fired } of steps) {
    const { id, kind, writes = [] } = definition.nodes[node]!;
    const origin = net.transitions[fired[0]!]!.origin!;
    const automatic = net.transitions.findIndex(
      ({ origin: other }, t) =>
        !["finish", "take", "skip"].includes(other!.phase) && isEnabled(net, now, t, rules),
    );
    const first = net.transitions[automatic]?.origin;
    if (origin.phase === "finish" ? automatic >= 0 : first?.node !== node) return `${id} is not next`;
    if (Object.keys(answer.set).some((key) => !writes.includes(key))) return `${id} writes too much`;
    const after = { ...values, ...answer.set };
    if (outcome !== null) {
      const wanted = route(compiled, guards, node, outcome, after);
      const arcs = wanted ?? route(compiled, guards, node, "error", values);
      const taken = fired.flatMap((t) => {
        const { phase, chosen } = net.transitions[t]!.origin!;
        return phase === "skip" ? [] : chosen;
      });
      if (String([...taken].sort()) !== String([...(arcs ?? [])].sort()))
        return `${id} takes ${taken}, not ${arcs}`;
      if (wanted !== null) values = after;
      else if (kind === "human") return `${id} would be asked again`;
    }
    for (const t of fired) now = fired1(net, now, t, rules);
  }
  if (String(now) !== String(marking)) return "it ends elsewhere";
  const isSame = Object.keys(data).every((key) => data[key] === values[key]);
  return isSame ? null : `it ends with ${JSON.stringify(values)}, not ${JSON.stringify(data)}`;
}
