/** @module The net: places, transitions with weighted arcs, resets and the port for non-local enabling. */
import { invariant } from "./invariant.ts";
import type { Marking } from "./marking.ts";

/** Index of a place in `Net.places`. */
export type PlaceIndex = number;
/** Index of a transition in `Net.transitions`. */
export type TransitionIndex = number;
/** A weighted arc end: place and weight (a positive integer, tokens). */
export type WeightedPlace = readonly [place: PlaceIndex, weight: number];

/** What a place of a compiled workflow stands for; absent on places of imported nets. */
export type PlaceOrigin =
  | { readonly kind: "source"; readonly scope: number | null }
  | { readonly kind: "end"; readonly node: number }
  | { readonly kind: "arc"; readonly arc: number }
  | { readonly kind: "rest"; readonly node: number }
  | { readonly kind: "armed" | "fired" | "raised"; readonly node: number; readonly event: string }
  | {
      readonly kind: "chain";
      readonly node: number;
      readonly outcome: string;
      readonly taken: boolean;
      readonly position: number;
    }
  | { readonly kind: "skip"; readonly node: number; readonly arc: number }
  | { readonly kind: "left" | "spent"; readonly node: number };

/**
 * A place. `control` places are meant to be 1-safe (O4); `counter` places carry budgets.
 * `id` is unique in the net.
 */
export interface Place {
  readonly id: string;
  readonly label?: string;
  readonly role: "control" | "counter";
  readonly origin?: PlaceOrigin;
}

/**
 * The role that a transition plays in the life of its node.
 *
 * step: inputs to outputs at once. start: inputs to the rest place. finish: rest place to outputs.
 * enter / leave: border of an embedded subprocess. take / skip / settle: the choice chain of an OR block.
 * trigger: a non-interrupting event sets its own arcs going beside the rest place. raise: the same for what was thrown inside.
 */
export type Phase =
  | "step"
  | "start"
  | "finish"
  | "enter"
  | "leave"
  | "take"
  | "skip"
  | "settle"
  | "trigger"
  | "raise";

/** What a transition of a compiled workflow stands for: node, phase, the arcs consumed, the label and the arcs chosen. */
export interface TransitionOrigin {
  readonly node: number;
  readonly phase: Phase;
  /** Arc indices consumed (document order); empty when the token comes from a source, rest, end or chain place. */
  readonly consumed: readonly number[];
  /** Outcome label; absent on start, enter and settle. */
  readonly outcome?: string;
  /** Arc indices produced (document order). */
  readonly chosen: readonly number[];
  /** True on a move of a chain that takes its arc and decides no further ones, where others could go on. */
  readonly stops?: boolean;
  /** Number of failed rounds that this variant assumes, one for each loop that it leaves. */
  readonly counts?: readonly number[];
}

/** A transition. `id` is unique in the net. */
export interface Transition {
  readonly id: string;
  readonly label?: string;
  readonly pre: readonly WeightedPlace[];
  /** Places, none of them in `pre`, from each marked one of which the transition also takes one token; if there are any, one must be marked. */
  readonly any: readonly PlaceIndex[];
  readonly post: readonly WeightedPlace[];
  /** Places emptied after consumption and before production. */
  readonly reset: readonly PlaceIndex[];
  /** Name of a non-local rule that must also permit the firing. */
  readonly rule?: string;
  /** True for variants that the compiler made (exempt from O3 one by one). */
  readonly generated?: boolean;
  readonly origin?: TransitionOrigin;
}

/** Which markings are final: `ends` (at least one end marked, at most one token each, nothing else) or an explicit list. */
export type FinalMarkings =
  | { readonly kind: "ends"; readonly ends: readonly PlaceIndex[] }
  | { readonly kind: "markings"; readonly markings: readonly Marking[] };

/**
 * A Petri net with weights, optional resets and optional non-local rules.
 *
 * @definition D1.1
 */
export interface Net {
  readonly places: readonly Place[];
  readonly transitions: readonly Transition[];
  readonly initial: Marking;
  readonly finals: FinalMarkings;
}

/** The classes of nets that methods check before they speak, from the narrowest. */
export type NetClass = "plain" | "weighted" | "reset" | "non-local";

/**
 * The class of `net`: non-local if a transition has a rule or optional inputs, else reset if one resets,
 * else weighted if a weight exceeds 1, else plain. Cost: linear in the arcs.
 *
 * @definition D1.6
 */
export function netClass(net: Net): NetClass {
  let found: NetClass = "plain";
  for (const { pre, any, post, reset, rule } of net.transitions) {
    if (rule !== undefined || any.length > 0) return "non-local";
    if (reset.length > 0) found = "reset";
    else if (found === "plain" && (isHeavy(pre) || isHeavy(post))) found = "weighted";
  }
  return found;
}

function isHeavy(side: readonly WeightedPlace[]): boolean {
  for (const arc of side) if (arc[1] > 1) return true;
  return false;
}

/**
 * Checks the shape of a net built by code (a parser reports issues instead) and returns it: unique ids; indices in
 * range; positive integer weights; each place at most once a side; optional inputs and resets are sets, and no
 * optional input is also in the preset; initial and explicit final markings count the tokens of every place; ends are
 * distinct places and none is reset. Errors: InvariantViolation "D1.1". Cost: linear in the arcs.
 */
export function makeNet(net: Net): Net {
  const { places, transitions, finals } = net;
  invariant(isSet(places.map((p) => p.id)), "D1.1", () => ({ repeated: "place id" }));
  invariant(isSet(transitions.map((t) => t.id)), "D1.1", () => ({ repeated: "transition id" }));
  const markings = finals.kind === "markings" ? [net.initial, ...finals.markings] : [net.initial];
  for (const marking of markings) {
    const isMarking = marking.length === places.length && marking.every(isTokenCount);
    invariant(isMarking, "D1.1", () => ({ places: places.length, marking }));
  }
  const ends = finals.kind === "ends" ? finals.ends : [];
  const isPlace = (index: PlaceIndex) => Number.isInteger(index) && index >= 0 && index < places.length;
  invariant(isSet(ends) && ends.every(isPlace), "D1.1", () => ({ ends }));
  const known = { ends: new Set(ends), resets: new Set<readonly PlaceIndex[]>() };
  for (const t of transitions) checkTransition(t, isPlace, known);
  return net;
}

function checkTransition(
  t: Transition,
  isPlace: (index: PlaceIndex) => boolean,
  { ends, resets }: { readonly ends: ReadonlySet<PlaceIndex>; readonly resets: Set<readonly PlaceIndex[]> },
): void {
  for (const side of [t.pre, t.post]) {
    const isSide = side.every(([place, weight]) => isPlace(place) && isTokenCount(weight) && weight > 0);
    invariant(isSide && isSet(side.map(([place]) => place)), "D1.1", () => ({ transition: t.id, side }));
  }
  const inputs = [...t.pre.map(([place]) => place), ...t.any];
  invariant(isSet(inputs) && t.any.every(isPlace), "D1.1", () => ({ transition: t.id, any: t.any }));
  // The transitions of a scope share their list.
  if (resets.has(t.reset)) return;
  resets.add(t.reset);
  invariant(isSet(t.reset) && t.reset.every(isPlace), "D1.1", () => ({ transition: t.id, reset: t.reset }));
  invariant(!t.reset.some((place) => ends.has(place)), "D1.1", () => ({
    transition: t.id,
    reset: "end place",
  }));
}

function isTokenCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0;
}

function isSet(members: readonly (string | number)[]): boolean {
  return new Set(members).size === members.length;
}
