/** @module How a token leaves a node on plain data: what it chooses, what is forgotten, what fires. For checkers. */
import {
  type Data,
  ERROR,
  enabledTransitions,
  fire,
  type Marking,
  type Outcome,
  type TransitionIndex,
} from "@tessera/core";
import { EXHAUSTED, FAIL } from "@tessera/gateways";
import { openAfter } from "./data-beside.ts";
import type { PlainState, World } from "./data-frame.ts";
import { answerOf, routeOn, underAllAnswers } from "./data-route.ts";

/** What a step leads to. */
export type PlainResult =
  | (PlainState & { readonly kind: "state"; readonly fired: readonly TransitionIndex[] })
  | { readonly kind: "failed" }
  | { readonly kind: "refused" };

/** A step that can come. `gap`: does it find no arc under its outcome, never, on some answers of open conditions or on all? */
export interface PlainStep {
  readonly node: number;
  readonly outcome: Outcome | null;
  readonly data: Data;
  readonly isOrdered: boolean;
  /** The world can choose it wherever the data are these; a run can bring it about. */
  readonly isSure: boolean;
  readonly isPlayable: boolean;
  readonly isProvision: boolean;
  /** A run beside a token begins or ends. */
  readonly isBeside?: true;
  readonly gap: "never" | "some" | "all";
  readonly results: readonly PlainResult[];
}

type Manner = Partial<Pick<PlainStep, "isSure" | "isPlayable" | "isProvision">> & {
  readonly isPerson?: boolean;
};

/** Where a token leaves: the enabled transitions of its group, and of that by which it leaves under error instead. */
export interface Leaving {
  readonly world: World;
  readonly marking: Marking;
  readonly open: readonly number[];
  readonly group: readonly TransitionIndex[];
  readonly repair?: readonly TransitionIndex[];
  readonly isOrdered: boolean;
}

const PLAIN = { isSure: true, isPlayable: true, isProvision: false, gap: "never" } as const;

/** A token moves on by itself. */
export function moved(
  { world, marking, open, isOrdered }: Leaving,
  node: number,
  t: TransitionIndex,
  data: Data,
): PlainStep {
  const { marking: next } = firedWith(world, marking, t, []);
  const after = { marking: next, data, open: openAfter(world, [t], open) };
  const results: readonly PlainResult[] = [{ kind: "state", ...after, fired: [t] }];
  return { ...PLAIN, node, outcome: null, data, isOrdered, results };
}

/** The token leaves with `after`; where it finds no arc, with `before` under error; else the run fails or a person is asked again. */
export function leave(
  { world, marking, open, group, repair = group, isOrdered }: Leaving,
  node: number,
  outcome: Outcome,
  after: Data,
  before: Data,
  { isSure = true, isPlayable = isSure, isProvision = false, isPerson = false }: Manner = {},
): PlainStep {
  const { compiled, guards } = world;
  const attempts = underAllAnswers((oracle) => {
    const go = (among: readonly TransitionIndex[], label: Outcome, data: Data): PlainResult | null => {
      const own = among.filter((t) => labelOf(world, t) === label);
      const arcs = routeOn(compiled, guards, node, label, (guard) =>
        answerOf(guard, data, world.open, oracle),
      );
      const chosen = (t: TransitionIndex) => String(world.program.net.transitions[t]!.origin!.chosen);
      const t = own.find((one) => chosen(one) === String(arcs)) ?? own.find((one) => chosen(one) === "");
      if (arcs === null || t === undefined) return null;
      const end = firedWith(world, marking, t, chosen(t) === "" ? arcs : []);
      const failed = end.fired.filter((one) => labelOf(world, one) === FAIL);
      const next = failed.reduce((now, one) => cleared(world, one, now), data);
      return { kind: "state", ...end, data: next, open: openAfter(world, end.fired, open) };
    };
    const direct = go(group, outcome, after) ?? (outcome === FAIL ? go(group, EXHAUSTED, after) : null);
    if (direct !== null) return { isGap: false, result: direct };
    const error = outcome === ERROR ? null : go(repair, ERROR, before);
    return { isGap: true, result: error ?? ({ kind: isPerson ? "refused" : "failed" } as const) };
  });
  const gaps = attempts.filter(({ isGap }) => isGap).length;
  const gap = gaps === 0 ? "never" : gaps < attempts.length ? "some" : "all";
  const byText = new Map(attempts.map(({ result }) => [JSON.stringify(result), result]));
  const step = { node, outcome, data: after, isOrdered, isSure, isPlayable, isProvision, gap } as const;
  return { ...step, results: [...byText.values()] };
}

/** Fires `t`, and the chain behind it to its end: what is in `arcs` is taken, the rest skipped. */
function firedWith(
  { program: { net, rules } }: World,
  marking: Marking,
  t: TransitionIndex,
  arcs: readonly number[],
): { readonly marking: Marking; readonly fired: readonly TransitionIndex[] } {
  const fired: TransitionIndex[] = [];
  let now = marking;
  let next: TransitionIndex | undefined = t;
  let rest = arcs.length;
  while (next !== undefined) {
    const result = fire(net, now, next, rules);
    if (result.kind !== "fired") break;
    now = result.marking;
    fired.push(next);
    if (arcs.length === 0) break;
    const { node } = net.transitions[t]!.origin!;
    const moves = enabledTransitions(net, now, rules).filter((move) => {
      const origin = net.transitions[move]!.origin!;
      return origin.node === node && origin.phase === (arcs.includes(origin.chosen[0]!) ? "take" : "skip");
    });
    const isStop = (move: TransitionIndex) => net.transitions[move]!.origin!.stops === true;
    next = (rest === 1 ? moves.find(isStop) : undefined) ?? moves.find((move) => !isStop(move));
    if (next !== undefined && net.transitions[next]!.origin!.phase === "take") rest -= 1;
  }
  return { marking: now, fired };
}

/** The label of a transition. */
export function labelOf({ program }: World, t: TransitionIndex): Outcome | undefined {
  return program.net.transitions[t]?.origin?.outcome;
}

/** The data without the verdicts that `t` clears. */
export function cleared({ clears }: World, t: TransitionIndex, data: Data): Data {
  const keys = clears.get(t) ?? [];
  if (keys.length === 0) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));
}
