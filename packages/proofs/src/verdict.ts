/** @module Verdicts: holds, fails with evidence that anyone can check, or unknown with the limit that was reached. */
import type { Marking, PlaceIndex, TransitionIndex } from "@tessera/core";
import type { ReductionStep } from "./reduction/step.ts";

/** Of what a verdict speaks: the net with guards as free choice, or the workflow with its data. */
export type Level = "net" | "data";

/** The obligations that speak of a net alone; `bounded` and `deadlock` are diagnoses beside O1-O4. */
export type NetObligationId = "O1" | "O2" | "O3" | "O4" | "deadlock" | "bounded";

/**
 * What supports a `holds`.
 *
 * compact: a small certificate (a run for each element, a structural argument). enumerated: the whole set of
 * reachable markings was built; a checker builds it again with the plain firing rule. recomputable: no checker. solver:
 * beside other things it rests on what a solver said, which is not checked here; `questions` are those to which it said
 * that nothing fits, in SMT-LIB 2.6, for any other solver.
 * `states` is the number of markings that were looked at.
 */
export interface Support {
  readonly class: "enumerated" | "compact" | "recomputable" | "solver";
  readonly method: string;
  readonly questions?: readonly string[];
  readonly states: number;
  /** For O3: a firing sequence for each element, in the order of the elements. */
  readonly runs?: readonly (readonly TransitionIndex[])[];
  /** For methods that reduce the net or look at its structure. */
  readonly certificate?: Certificate;
}

/** Why an obligation holds though the markings of the net were not enumerated. */
export type Certificate =
  | ReductionCertificate
  | TerminationCertificate
  | EquationCertificate
  | WeightCertificate
  | StubbornCertificate;

/** It holds in the reduced net, whose reachable markings are as many as `states` of the support says (T13.1). */
export interface ReductionCertificate {
  readonly kind: "reduction";
  readonly steps: readonly ReductionStep[];
  /** Where the reduced net is not enumerated: it has one of these certificates. */
  readonly rank?: RankCertificate;
  readonly stubborn?: StubbornCertificate;
  readonly equation?: EquationCertificate | WeightCertificate;
}

/** A fault of single markings that a search is directed to (D25.4). */
export type Goal =
  | { readonly kind: "improper" }
  | { readonly kind: "crowded"; readonly place: PlaceIndex }
  | { readonly kind: "enabled"; readonly transition: TransitionIndex };

/**
 * A reduced graph (D25.3), the start first. With a goal every set is directed to it, and no marking has it (T25.1); with
 * `goal: null` the graph is terminal (D25.5).
 */
export interface ReducedStates {
  readonly goal: Goal | null;
  readonly states: readonly { readonly marking: Marking; readonly set: readonly TransitionIndex[] }[];
}

/** Reduced graphs that show one or more obligations (T25.2 to T25.5); and a run for each element, which shows O3. */
export interface StubbornCertificate {
  readonly kind: "stubborn";
  readonly graphs: readonly ReducedStates[];
  readonly runs?: readonly (readonly TransitionIndex[])[];
}

/**
 * What does nothing but terminate the run (D13.14): the transitions of `exits` do it at once, or lead to `places`, from
 * which nothing else is possible.
 */
export interface TerminatingPart {
  readonly exits: readonly TransitionIndex[];
  readonly places: readonly PlaceIndex[];
}

/** It holds in what is left of the net without the terminating part, as `inner` shows (T13.6). */
export interface TerminationCertificate {
  readonly kind: "terminating";
  readonly part: TerminatingPart;
  readonly inner: Support;
  /** Where O2 is needed too and `inner` does not show it: what does. */
  readonly proper?: Support;
}

/**
 * One step of an argument that no reachable marking is in a set (D24.3), in depth-first order. siphon: it starts empty, so what
 * needs it never fires. trap: it starts marked and stays so. value: at most `at` tokens, or more. either: one constraint
 * of a clause after the other. farkas: the constraints by number, times `factors`, contradict the weighted sum of tokens,
 * which never falls.
 */
export type EquationStep =
  | { readonly kind: "siphon" | "trap"; readonly places: readonly PlaceIndex[] }
  | { readonly kind: "value"; readonly place: PlaceIndex; readonly at: number }
  | { readonly kind: "either"; readonly clause: number }
  | FarkasStep;

/** The end of a case: factors of constraints, and weights of places. */
export interface FarkasStep {
  readonly kind: "farkas";
  readonly constraints: readonly number[];
  readonly factors: readonly number[];
  readonly places: readonly PlaceIndex[];
  readonly weights: readonly number[];
}

/** A positive weight for each place such that no transition makes the weighted sum of tokens larger (D24.5). */
export interface WeightCertificate {
  readonly kind: "weights";
  readonly weights: readonly number[];
}

/** No reachable marking is in one of the sets that are asked, each with its argument. */
export interface EquationCertificate {
  readonly kind: "state-equation";
  readonly proofs: readonly (readonly EquationStep[])[];
}

/**
 * One step of an argument about siphons (D24.10), in depth-first order. place: with it, or without. within: what is in contains
 * this set of the list. none: no siphon is in the case.
 */
export type SiphonStep =
  | { readonly kind: "place"; readonly place: PlaceIndex }
  | { readonly kind: "within"; readonly set: number }
  | { readonly kind: "none" };

/** Minimal siphons or traps, and the argument that these are all (T24.5). */
export interface SiphonArgument {
  readonly sets: readonly (readonly PlaceIndex[])[];
  readonly steps: readonly SiphonStep[];
}

/** Each siphon, but for isolated places, contains one of `siphons`, which contains the marked trap of the same number (D24.11). */
export interface SiphonTraps {
  readonly kind: "siphon-traps";
  readonly siphons: readonly (readonly PlaceIndex[])[];
  readonly traps: readonly (readonly PlaceIndex[])[];
  readonly steps: readonly SiphonStep[];
}

/**
 * Why a net with one source and one sink is not sound for many tokens (D24.6). gain: firings that with so many more tokens on the
 * source leave more than they must. drift: weighted sums that never fall and rise once, and are no greater at the end.
 * lasting-trap: it can be marked, stays so, and is not marked at the end. stuck: a run from one token after which the end
 * is out of reach, also for any multiple.
 */
export type ManyTokens =
  | { readonly kind: "gain"; readonly firings: readonly number[]; readonly tokens: number }
  | { readonly kind: "drift"; readonly weights: readonly number[] }
  | { readonly kind: "lasting-trap"; readonly places: readonly PlaceIndex[] }
  | { readonly kind: "stuck"; readonly run: Run; readonly steps: readonly EquationStep[] };

/**
 * The certificate of the rank theorem (D13.12). The transitions are those of the net and, last, the one that leads back
 * from its sink to its source. weights: a positive S-invariant. firings: a positive T-invariant. kernel: a basis of the
 * T-invariants. order: transitions that empty the set of all places but the source.
 */
export interface RankCertificate {
  readonly kind: "rank";
  readonly weights: readonly number[];
  readonly firings: readonly number[];
  readonly kernel: readonly (readonly number[])[];
  readonly order: readonly TransitionIndex[];
}

/**
 * Why the rank theorem refutes soundness (T13.5). siphon: unmarked at the start. rank-large, rank-small: beside the
 * number of clusters; `kernel` are more independent T-invariants than a sound net has. gain: firings that add tokens
 * and take none away, in sum. drift: weighted sums of tokens that never fall and can rise.
 */
export type IllFormed =
  | { readonly kind: "siphon"; readonly places: readonly PlaceIndex[] }
  | { readonly kind: "rank-large" }
  | { readonly kind: "rank-small"; readonly kernel: readonly (readonly number[])[] }
  | { readonly kind: "gain"; readonly firings: readonly number[] }
  | { readonly kind: "drift"; readonly weights: readonly number[] };

/**
 * Why a question stays open. `at` is the limit that was reached: states, milliseconds, bytes, or the states seen when the
 * caller aborted. `tokens`: a place would hold more than 2^31 - 1. `no-finals`: the net states no final marking.
 * `method`: no method here decides this case; `reason` says why.
 */
export type Limit =
  | { readonly kind: "states"; readonly at: number }
  | { readonly kind: "bytes"; readonly at: number }
  | { readonly kind: "time"; readonly at: number }
  | { readonly kind: "aborted"; readonly at: number }
  | { readonly kind: "tokens"; readonly at: number }
  | { readonly kind: "no-finals" }
  | { readonly kind: "method"; readonly reason: string };

/**
 * The answer to one obligation. A failure without evidence cannot be built.
 *
 * @definition D8.9
 */
export type Verdict<E> =
  | { readonly kind: "holds"; readonly evidence: Support }
  | { readonly kind: "fails"; readonly evidence: E }
  | { readonly kind: "unknown"; readonly limit: Limit };

/** A firing sequence from the initial marking, as transition indices, and the marking that it reaches. */
export interface Run {
  readonly sequence: readonly TransitionIndex[];
  readonly marking: Marking;
}

/** What is wrong with the marking that an E1 run reaches. `from` counts the firings before the pump starts. */
export type Finding =
  | { readonly kind: "second-token"; readonly place: PlaceIndex }
  | { readonly kind: "beyond-final"; readonly final: Marking }
  | { readonly kind: "unsafe"; readonly place: PlaceIndex }
  | { readonly kind: "deadlock" }
  | { readonly kind: "pump"; readonly from: number };

/**
 * Why no final marking can be reached from M.
 *
 * closed-set: the markings reachable from M, none of them final; listed up to a size limit, else only counted.
 * covers-final: M is more than the only final marking (L8.1). overfull: a place that nothing empties holds more
 * than any final marking has there (L8.2). trap: marked places that stay marked, none of which is marked in a final
 * marking (L8.3). empty-siphon: places that stay empty, one of which every final marking marks (L8.4). state-equation:
 * an argument for the final markings (T24.1).
 */
export type NoCompletion =
  | EquationCertificate
  | { readonly kind: "closed-set"; readonly size: number; readonly markings: readonly Marking[] | null }
  | { readonly kind: "covers-final"; readonly final: Marking }
  | { readonly kind: "overfull"; readonly place: PlaceIndex }
  | { readonly kind: "trap"; readonly places: readonly PlaceIndex[] }
  | { readonly kind: "empty-siphon"; readonly places: readonly PlaceIndex[] };

/**
 * Why transitions never fire: all reachable markings enable none of them, or they need a siphon that starts empty,
 * or a reduced graph directed to each is without it (T25.1); or all that carries them in the reduced net is never
 * enabled, which has `size` reachable markings, or (0) such graphs; or that is so without the terminating part, and those of
 * the part would need a token that only such transitions make (T13.7); or the state equation excludes, for one after the
 * other, the markings that enable it (T24.1).
 */
export type NeverFires =
  | EquationCertificate
  | { readonly kind: "terminating"; readonly part: TerminatingPart; readonly inner: NeverFires }
  | {
      readonly kind: "reduced";
      readonly size: number;
      readonly steps: readonly ReductionStep[];
      readonly stubborn?: StubbornCertificate;
    }
  | StubbornCertificate
  | { readonly kind: "closed-set"; readonly size: number; readonly markings: readonly Marking[] | null }
  | { readonly kind: "empty-siphon"; readonly places: readonly PlaceIndex[] };

/** E1: a run to a marking whose fault is visible. */
export interface RunEvidence {
  readonly kind: "E1";
  readonly run: Run;
  readonly finding: Finding;
}
/** E2: a run to a marking with a certificate that no final marking is reachable from it. */
export interface StuckEvidence {
  readonly kind: "E2";
  readonly run: Run;
  readonly certificate: NoCompletion;
}
/** E3: dead elements (see `elements.ts`) with a universal certificate. */
export interface DeadEvidence {
  readonly kind: "E3";
  readonly dead: readonly DeadElement[];
  readonly certificate: NeverFires;
}
/**
 * E3: a pump in a net of the class of T8.1 or T8.2. Under T8.1 it refutes O1, under T8.2 O1 and O2 together;
 * which of the two fails is not said.
 */
export interface PumpEvidence {
  readonly kind: "E3-pump";
  readonly run: Run;
  readonly from: number;
}

/** E3: the net is free-choice and breaks a condition of T13.5. It refutes soundness; which part fails is not said. */
export interface IllFormedEvidence {
  readonly kind: "E3-ill-formed";
  readonly reason: IllFormed;
}

/** An element of a net none of whose transitions ever fires. */
export interface DeadElement {
  readonly element: Element;
  readonly transitions: readonly TransitionIndex[];
}

/**
 * What O3 asks of: a transition, or, where the compiler made variants, the node with phase and outcome, or the arc,
 * that the variants share (indices of the workflow).
 */
export type Element =
  | { readonly kind: "transition"; readonly transition: TransitionIndex }
  | {
      readonly kind: "outcome";
      readonly node: number;
      readonly phase: string;
      readonly outcome: string | null;
    }
  | { readonly kind: "arc"; readonly arc: number };

/** Evidence against an obligation of a net. */
export type NetEvidence = RunEvidence | StuckEvidence | DeadEvidence | PumpEvidence | IllFormedEvidence;

/** One line of a report. `method` names how the verdict was found. */
export interface ObligationResult<Id extends string = NetObligationId, E = NetEvidence> {
  readonly id: Id;
  readonly verdict: Verdict<E>;
  readonly level: Level;
  readonly method: string;
}

/** The verdict `unknown`. */
export function unknown(limit: Limit): Verdict<never> {
  return { kind: "unknown", limit };
}

/** The verdict `holds`. */
export function holds(evidence: Support): Verdict<never> {
  return { kind: "holds", evidence };
}

/** The verdict `fails`. */
export function fails<E>(evidence: E): Verdict<E> {
  return { kind: "fails", evidence };
}
