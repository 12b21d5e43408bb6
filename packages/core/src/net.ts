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
  | { readonly kind: "chain"; readonly node: number; readonly outcome: string; readonly taken: boolean; readonly position: number }
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
 */
export type Phase = "step" | "start" | "finish" | "enter" | "leave" | "take" | "skip" | "settle";

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
  /** Number of failed rounds that this variant assumes, one for each loop that it leaves. */
  readonly counts?: readonly number[];
}

/** A transition. `id` is unique in the net. */
export interface Transition {
  readonly id: string;
  readonly label?: string;
  readonly pre: readonly WeightedPlace[];
  /** Places from each marked one of which the transition also takes one token; if non-empty, one must be marked. */
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
  if (net.transitions.some((t) => t.rule !== undefined || t.any.length > 0)) return "non-local";
  if (net.transitions.some((t) => t.reset.length > 0)) return "reset";
  const heavy = (side: readonly WeightedPlace[]) => side.some(([, weight]) => weight > 1);
  return net.transitions.some((t) => heavy(t.pre) || heavy(t.post)) ? "weighted" : "plain";
}

/**
 * Checks the shape of a net built by code (a parser reports issues instead): unique ids, indices in range,
 * positive integer weights, each place at most once a side, initial marking of the right length,
 * no reset of an end place. Returns the net. Errors: InvariantViolation "D1.1".
 */
export function makeNet(net: Net): Net {
  const count = net.places.length;
  const known = (place: PlaceIndex) => Number.isInteger(place) && place >= 0 && place < count;
  invariant(new Set(net.places.map((p) => p.id)).size === count, "D1.1", () => ({ duplicate: "place id" }));
  invariant(new Set(net.transitions.map((t) => t.id)).size === net.transitions.length, "D1.1", () => ({ duplicate: "transition id" }));
  invariant(net.initial.length === count, "D1.1", () => ({ places: count, initial: net.initial.length }));
  const ends = new Set(net.finals.kind === "ends" ? net.finals.ends : []);
  for (const t of net.transitions) {
    for (const side of [t.pre, t.post]) {
      invariant(new Set(side.map(([p]) => p)).size === side.length, "D1.1", () => ({ transition: t.id, repeated: "place" }));
      invariant(side.every(([p, w]) => known(p) && Number.isInteger(w) && w > 0), "D1.1", () => ({ transition: t.id }));
    }
    invariant([...t.any, ...t.reset].every(known), "D1.1", () => ({ transition: t.id }));
    invariant(!t.reset.some((p) => ends.has(p)), "D1.1", () => ({ transition: t.id, reset: "end place" }));
  }
  return net;
}
