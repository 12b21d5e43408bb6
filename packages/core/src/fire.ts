/** @module The firing rule, in the plain form that is the definition. `compiled.ts` is the fast form. */
import { invariant } from "./invariant.ts";
import type { Marking } from "./marking.ts";
import type { Net, PlaceIndex, Transition, TransitionIndex } from "./net.ts";

/**
 * The port for non-local enabling: may `t`, whose local condition holds, fire in `marking`?
 * Pure and total. `packages/gateways` supplies the OR-join's.
 */
export type NonLocalRule = (net: Net, marking: ArrayLike<number>, t: TransitionIndex) => boolean;
/**
 * Rules by the name that transitions carry. `track` makes their incremental form for one token game on the net; absent:
 * each question is put to the rule itself.
 */
export type NonLocalRules = ReadonlyMap<string, NonLocalRule> & { readonly track?: TrackRules };
/** A new tracker for a game on `net` that starts in the empty marking, with nothing enabled. */
export type TrackRules = (net: Net) => RuleTracker;

/**
 * The rules of one token game, told of every change, so that a question costs nothing like a look at the marking.
 * Law: after any sequence of changes `permits(t)` is what the rule of `t` says of the marking that they lead to.
 */
export interface RuleTracker {
  /** The place has come to be marked, or to be empty. */
  readonly onMarked: (place: PlaceIndex, isMarked: boolean) => void;
  /** The transition has come to be enabled, or disabled, as far as its own places go. */
  readonly onEnabled: (t: TransitionIndex, isEnabled: boolean) => void;
  /** Does the rule of `t` permit it now? Asked only of transitions that have a rule. */
  readonly permits: (t: TransitionIndex) => boolean;
}

/** Why a transition is not enabled, with the facts. */
export type NotEnabled =
  | {
      readonly kind: "not-enabled";
      readonly lacking: readonly {
        readonly place: PlaceIndex;
        readonly required: number;
        readonly present: number;
      }[];
    }
  | { readonly kind: "not-enabled-any"; readonly places: readonly PlaceIndex[] }
  | { readonly kind: "not-permitted"; readonly rule: string };

/** The net without rules: the default of every function here. */
export const NO_RULES: NonLocalRules = new Map();

/**
 * Is transition `t` enabled in marking `M`? Every input place carries at least the arc's weight; if `any(t)` is
 * not empty one of its places is marked; the non-local rule, if there is one, permits it.
 * Returns null when enabled, else the refusal with the facts. Cost: linear in the preset, plus the rule's.
 *
 * @definition D1.3
 */
export function enabling(
  net: Net,
  M: ArrayLike<number>,
  t: TransitionIndex,
  rules: NonLocalRules = NO_RULES,
): NotEnabled | null {
  const transition = transitionAt(net, t);
  const lacking = transition.pre
    .map(([place, required]) => ({ place, required, present: M[place] ?? 0 }))
    .filter(({ required, present }) => present < required);
  if (lacking.length > 0) return { kind: "not-enabled", lacking };
  if (transition.any.length > 0 && !transition.any.some((place) => (M[place] ?? 0) > 0)) {
    return { kind: "not-enabled-any", places: transition.any };
  }
  if (transition.rule === undefined) return null;
  const rule = rules.get(transition.rule);
  invariant(rule !== undefined, "D1.3", () => ({ transition: transition.id, missingRule: transition.rule }));
  return rule(net, M, t) ? null : { kind: "not-permitted", rule: transition.rule };
}

/** `enabling(...) === null`. */
export function isEnabled(
  net: Net,
  M: ArrayLike<number>,
  t: TransitionIndex,
  rules: NonLocalRules = NO_RULES,
): boolean {
  return enabling(net, M, t, rules) === null;
}

/**
 * Fires `t` in `M`: takes the preset and one token from each marked place of `any(t)`, empties the reset set,
 * adds the postset. Returns the successor marking, or the refusal; `M` is not changed.
 *
 * @definition D1.4
 */
export function fire(
  net: Net,
  M: ArrayLike<number>,
  t: TransitionIndex,
  rules: NonLocalRules = NO_RULES,
): { readonly kind: "fired"; readonly marking: Marking } | NotEnabled {
  const refusal = enabling(net, M, t, rules);
  if (refusal !== null) return refusal;
  const { pre, any, reset, post } = transitionAt(net, t);
  const next = Array.from(M);
  for (const [place, weight] of pre) next[place] = (next[place] ?? 0) - weight;
  for (const place of any) if ((next[place] ?? 0) > 0) next[place] = (next[place] ?? 0) - 1;
  for (const place of reset) next[place] = 0;
  for (const [place, weight] of post) next[place] = (next[place] ?? 0) + weight;
  return { kind: "fired", marking: next };
}

/** The transitions enabled in `M`, in document order. Cost: linear in the net. */
export function enabledTransitions(
  net: Net,
  M: ArrayLike<number>,
  rules: NonLocalRules = NO_RULES,
): readonly TransitionIndex[] {
  return net.transitions.map((_, t) => t).filter((t) => isEnabled(net, M, t, rules));
}

/**
 * Replays the firing sequence `sigma` from `M`: the marking reached, or the first position that is not enabled.
 * Every witness of a `fails` verdict is checked by this function.
 *
 * @definition D1.5
 */
export function fireSequence(
  net: Net,
  M: Marking,
  sigma: readonly TransitionIndex[],
  rules: NonLocalRules = NO_RULES,
):
  | { readonly kind: "fired"; readonly marking: Marking }
  | { readonly kind: "stuck"; readonly at: number; readonly why: NotEnabled } {
  let marking = M;
  for (const [at, t] of sigma.entries()) {
    const result = fire(net, marking, t, rules);
    if (result.kind !== "fired") return { kind: "stuck", at, why: result };
    marking = result.marking;
  }
  return { kind: "fired", marking };
}

function transitionAt(net: Net, t: TransitionIndex): Transition {
  const transition = net.transitions[t];
  invariant(transition !== undefined, "D1.3", () => ({ t, transitions: net.transitions.length }));
  return transition;
}
