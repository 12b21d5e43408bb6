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
  if (!coversPreset(transition, M)) return lackingIn(transition, M);
  if (!marksSomeOf(transition.any, M)) return { kind: "not-enabled-any", places: transition.any };
  const { rule } = transition;
  return rule === undefined || isPermitted(net, M, t, rule, rules) ? null : { kind: "not-permitted", rule };
}

function coversPreset({ pre }: Transition, M: ArrayLike<number>): boolean {
  for (const arc of pre) if ((M[arc[0]] ?? 0) < arc[1]) return false;
  return true;
}

function lackingIn({ pre }: Transition, M: ArrayLike<number>): NotEnabled {
  const lacking = pre
    .map(([place, required]) => ({ place, required, present: M[place] ?? 0 }))
    .filter(({ required, present }) => present < required);
  return { kind: "not-enabled", lacking };
}

function marksSomeOf(any: readonly PlaceIndex[], M: ArrayLike<number>): boolean {
  return any.length === 0 || any.some((place) => (M[place] ?? 0) > 0);
}

function isPermitted(
  net: Net,
  M: ArrayLike<number>,
  t: TransitionIndex,
  name: string,
  rules: NonLocalRules,
): boolean {
  const rule = rules.get(name);
  invariant(rule !== undefined, "D1.3", () => ({ transition: net.transitions[t]?.id, missingRule: name }));
  return rule(net, M, t);
}

/** `enabling(...) === null`, without the facts. */
export function isEnabled(
  net: Net,
  M: ArrayLike<number>,
  t: TransitionIndex,
  rules: NonLocalRules = NO_RULES,
): boolean {
  const transition = transitionAt(net, t);
  if (!coversPreset(transition, M) || !marksSomeOf(transition.any, M)) return false;
  return transition.rule === undefined || isPermitted(net, M, t, transition.rule, rules);
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
  const next = Array.from(M);
  move(transitionAt(net, t), next);
  return { kind: "fired", marking: next };
}

/** The tokens that `t` moves when it fires in `M`, which is changed. */
function move({ pre, any, reset, post }: Transition, M: number[]): void {
  for (const arc of pre) M[arc[0]] = (M[arc[0]] ?? 0) - arc[1];
  for (const place of any) if ((M[place] ?? 0) > 0) M[place] = (M[place] ?? 0) - 1;
  for (const place of reset) M[place] = 0;
  for (const arc of post) M[arc[0]] = (M[arc[0]] ?? 0) + arc[1];
}

/** The transitions enabled in `M`, in document order. Cost: linear in the net. */
export function enabledTransitions(
  net: Net,
  M: ArrayLike<number>,
  rules: NonLocalRules = NO_RULES,
): readonly TransitionIndex[] {
  const enabled: TransitionIndex[] = [];
  for (let t = 0; t < net.transitions.length; t += 1) if (isEnabled(net, M, t, rules)) enabled.push(t);
  return enabled;
}

/**
 * Replays the firing sequence `sigma` from `M`: the marking reached, or the first position that is not enabled.
 * Every witness of a `fails` verdict is checked by this function. Cost: one copy of `M`, and the arcs of each firing.
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
  const marking = Array.from(M);
  for (let at = 0; at < sigma.length; at += 1) {
    const t = sigma[at] as TransitionIndex;
    const why = enabling(net, marking, t, rules);
    if (why !== null) return { kind: "stuck", at, why };
    move(transitionAt(net, t), marking);
  }
  return { kind: "fired", marking };
}

function transitionAt(net: Net, t: TransitionIndex): Transition {
  const transition = net.transitions[t];
  invariant(transition !== undefined, "D1.3", () => ({ t, transitions: net.transitions.length }));
  return transition;
}
