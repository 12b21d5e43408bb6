/** @module The transition that an outcome takes: the label, the arcs that its guards choose, the counters' variant. */
import { canPlay, type Data, type Outcome, type TransitionIndex, type Trouble } from "@tessera/core";
import { EXHAUSTED, FAIL } from "@tessera/gateways";
import type { Draft } from "./draft.ts";
import { routeOutcome } from "./route.ts";

/** A transition that is enabled now, or why the outcome has none. */
export type Branch = Chosen | { readonly kind: "trouble"; readonly trouble: Trouble };

/** The transition of an outcome. */
export interface Chosen {
  readonly kind: "chosen";
  readonly transition: TransitionIndex;
  readonly outcome: Outcome;
  /** Arcs that an OR split takes; empty where the transition marks its arcs itself. */
  readonly chain: readonly number[];
}

/**
 * The transition of `group` (the variants of one node's next step) by which a token leaves `node` under `outcome`
 * with the data `data`. A failed round is `fail` while the loop's budget lasts, then `exhausted`: the counters say
 * which of the two is enabled.
 */
export function chooseBranch(
  draft: Draft,
  node: number,
  group: readonly TransitionIndex[],
  outcome: Outcome,
  data: Data,
): Branch {
  const isRound = outcome === FAIL;
  let trouble: Trouble | null = null;
  for (let index = 0; index < (isRound ? 2 : 1); index += 1) {
    const label = index === 0 ? outcome : EXHAUSTED;
    const candidates = candidatesOf(draft, group, label);
    if (candidates.length === 0 && isRound && index === 0) continue;
    const route = routeOutcome(draft.plan, node, label, data, draft.env);
    if (route.kind === "trouble") {
      trouble = route.trouble;
      continue;
    }
    const own = candidates.find((t) => sameArcs(originOf(draft, t)?.chosen ?? NOTHING, route.arcs));
    if (own !== undefined) return { kind: "chosen", transition: own, outcome: label, chain: NOTHING };
    const head = candidates.find((t) => originOf(draft, t)?.chosen.length === 0);
    if (head !== undefined) return { kind: "chosen", transition: head, outcome: label, chain: route.arcs };
  }
  return {
    kind: "trouble",
    trouble: trouble ?? { code: "NO_ARC", message: `no arc for outcome "${outcome}"` },
  };
}

const NOTHING: readonly never[] = [];

function candidatesOf(
  draft: Draft,
  group: readonly TransitionIndex[],
  label: Outcome,
): readonly TransitionIndex[] {
  let candidates: TransitionIndex[] | null = null;
  for (const t of group) {
    if (originOf(draft, t)?.outcome !== label || !canPlay(draft.game, t)) continue;
    // Most often there is one: a list that begins with it takes no room for more.
    if (candidates === null) candidates = [t];
    else candidates.push(t);
  }
  return candidates ?? NOTHING;
}

/** Is the trouble that a guard's predicate or language is not registered here? It says nothing about the run. */
export function isUnavailable(trouble: Trouble): boolean {
  return ["COND103", "COND104", "FUNCTION_MISSING"].includes(trouble.code);
}

function originOf(draft: Draft, t: TransitionIndex) {
  return draft.plan.program.net.transitions[t]?.origin;
}

function sameArcs(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((arc, index) => arc === right[index]);
}
