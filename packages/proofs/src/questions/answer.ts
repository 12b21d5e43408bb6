/** @module The answer to a question, with what shows it. */
import { type Marking, type PlaceIndex, type TransitionIndex, unreachable } from "@tessera/core";
import type { CheckOptions } from "../soundness.ts";
import type { SiphonKind } from "../state-equation/minimal-siphons.ts";
import type { Semiflows } from "../state-equation/semiflows.ts";
import type {
  EquationCertificate,
  Limit,
  ManyTokens,
  NetEvidence,
  ReducedStates,
  Run,
  SiphonArgument,
  SiphonTraps,
  Verdict,
  WeightCertificate,
} from "../verdict.ts";
import type { Lasso } from "./ltl.ts";

/** Markings that firing does not leave, with a run to one of them; not listed if they are many. */
export interface ClosedSet {
  readonly run: Run;
  readonly size: number;
  readonly markings: readonly Marking[] | null;
}

/**
 * What shows an answer. markings: all of them were looked at. run: where it leads. lasso: a run that goes on for ever.
 * transitions, places: those that the answer is about. closed: where runs can end up, the home markings or what refutes them. evidence: as for the obligations. tokens: so many on the source.
 * theorem: by a statement of the definitions, from a simpler answer. never: no reachable marking is in what was asked, by the
 * state equation. weights: of places, which no transition raises. many-tokens: why it is not sound for many tokens, or any.
 * semiflows: the invariants that cover the net, and one that does so by itself. changes, enables: runs on which each place changes, each transition is
 * enabled. terminal: a reduced graph that has every marking which enables nothing. firings: so many of each transition leave more than they take. rising: weights of places
 * whose sum never falls, and can rise. minimal-sets: all minimal siphons or traps. siphon-traps: each minimal siphon with a marked trap in it.
 * bare-siphon: one without.
 */
export type Shown =
  | { readonly kind: "markings"; readonly states: number }
  | { readonly kind: "run"; readonly run: Run }
  | { readonly kind: "lasso"; readonly lasso: Lasso }
  | { readonly kind: "transitions"; readonly transitions: readonly TransitionIndex[] }
  | {
      readonly kind: "places";
      readonly places: readonly PlaceIndex[];
      readonly certificate?: EquationCertificate;
    }
  | { readonly kind: "changes" | "enables"; readonly runs: readonly Run[] }
  | { readonly kind: "terminal"; readonly states: number; readonly graph: ReducedStates }
  | { readonly kind: "closed"; readonly sets: readonly ClosedSet[] }
  | { readonly kind: "evidence"; readonly evidence: NetEvidence }
  | { readonly kind: "tokens"; readonly tokens: number; readonly evidence: NetEvidence | null }
  | { readonly kind: "theorem"; readonly id: string }
  | { readonly kind: "never"; readonly certificate: EquationCertificate }
  | { readonly kind: "weights"; readonly certificate: WeightCertificate }
  | { readonly kind: "many-tokens"; readonly reason: ManyTokens }
  | { readonly kind: "semiflows"; readonly semiflows: Semiflows; readonly covering: readonly number[] }
  | { readonly kind: "firings"; readonly firings: readonly number[] }
  | { readonly kind: "rising"; readonly weights: readonly number[] }
  | { readonly kind: "minimal-sets"; readonly of: SiphonKind; readonly argument: SiphonArgument }
  | { readonly kind: "siphon-traps"; readonly certificate: SiphonTraps }
  | { readonly kind: "bare-siphon"; readonly places: readonly PlaceIndex[] };

/** The answer to a question. */
export type Answer =
  | { readonly kind: "holds"; readonly shown: Shown }
  | { readonly kind: "fails"; readonly shown: Shown }
  | { readonly kind: "unknown"; readonly limit: Limit };

/** Options: those of a check, and the greatest number of tokens that notions of soundness for many cases try. */
export interface AskOptions extends CheckOptions {
  readonly tokensMax?: number;
}

/** A verdict on an obligation as an answer. */
export function answerOf(verdict: Verdict<NetEvidence>): Answer {
  switch (verdict.kind) {
    case "holds":
      return { kind: "holds", shown: { kind: "markings", states: verdict.evidence.states } };
    case "fails":
      return { kind: "fails", shown: { kind: "evidence", evidence: verdict.evidence } };
    case "unknown":
      return verdict;
    default:
      return unreachable(verdict);
  }
}
