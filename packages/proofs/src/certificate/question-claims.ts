/** @module Claims that answer questions about a net: their form, and whether their evidence supports them. */
import { type Net, netClass, type PlaceIndex } from "@tessera/core";
import { parseQuestion, type Question } from "../questions/question.ts";
import type { EquationCertificate, EquationStep, ManyTokens, Run, WeightCertificate } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { checkAllNever, checkWeights } from "./equation.ts";
import { equation, manyTokens, neverFires, weights } from "./equation-format.ts";
import { enabledGoals, type Goal, isInGoal } from "./goal.ts";
import { malformed } from "./malformed.ts";
import { checkManyTokens, type Ends } from "./many-tokens.ts";
import { askedGoals } from "./question-goals.ts";
import { checkRun } from "./run.ts";
import { either, list, named, type Shape } from "./shape.ts";
import { checkStructureClaim, type StructureEvidence } from "./structure-claims.ts";
import { structureEvidence } from "./structure-format.ts";

/**
 * What shows an answer. state-equation: no reachable marking is in what the question asks. run: it leads to one that is.
 * never-fires: a transition. weights: of places. many-tokens: why it is not sound for many. The others
 * are of siphons, invariants and places that never change.
 */
export type QuestionEvidence =
  | EquationCertificate
  | WeightCertificate
  | { readonly kind: "run"; readonly run: Run }
  | { readonly kind: "never-fires"; readonly transition: number; readonly proof: readonly EquationStep[] }
  | { readonly kind: "many-tokens"; readonly reason: ManyTokens }
  | StructureEvidence;

/** An answer as a file states it: the question in the words of `tessera prove`. */
export interface QuestionClaim {
  readonly question: string;
  readonly verdict: "holds" | "fails";
  readonly evidence: QuestionEvidence;
}

const run: Shape = {
  kind: "record",
  fields: { sequence: list({ kind: "transition" }), marking: { kind: "marking" } },
};

/** The form of a claim. */
export const QUESTION_CLAIM: Shape = {
  kind: "record",
  fields: {
    question: { kind: "text" },
    verdict: { kind: "text", values: ["holds", "fails"] },
    evidence: either(
      either(equation, weights, named(["run"], { run }), neverFires, manyTokens(run)),
      structureEvidence,
    ),
  },
};

/** Does the evidence support the answer? Of plain and weighted nets; every marking is computed anew, no more than `statesMax`. */
export function checkQuestion(
  net: Net,
  { question: text, verdict, evidence }: QuestionClaim,
  statesMax = 20_000,
): Checked {
  const parsed = parseQuestion(text);
  if (parsed.kind === "wrong") return invalid(parsed.message);
  const kind = netClass(net);
  if (kind !== "plain" && kind !== "weighted") return invalid("the evidence says nothing of this net");
  const fault = malformed(net);
  if (fault !== null) return fault;
  const { question } = parsed;
  switch (evidence.kind) {
    case "state-equation": {
      const asked = askedGoals(net, question);
      return asked?.verdict === verdict
        ? checkAllNever(net, net.initial, asked.goals, evidence)
        : invalid("the state equation does not answer this question so");
    }
    case "run":
      return checkWitness(net, question, verdict, evidence.run);
    case "never-fires": {
      const isAsked = question.kind === "quasi-live" || question.kind === "live";
      if (!isAsked || verdict !== "fails")
        return invalid("a dead transition does not answer this question so");
      const certificate = { kind: "state-equation", proofs: [evidence.proof] } as const;
      return checkAllNever(net, net.initial, enabledGoals(net, [evidence.transition]), certificate);
    }
    case "weights":
      return (question.kind === "bounded" || question.kind === "structurally-bounded") && verdict === "holds"
        ? checkWeights(net, evidence)
        : invalid("weights do not answer this question so");
    case "many-tokens": {
      const ends = endsOf(net);
      if (ends === null) return invalid("not one source and one sink");
      const isAsked = question.kind === "generalised-sound" || question.kind === "structurally-sound";
      return isAsked && verdict === "fails"
        ? checkManyTokens(net, ends, question.kind, evidence.reason)
        : invalid("it does not answer this question so");
    }
    default:
      return checkStructureClaim(net, question, verdict, evidence, statesMax);
  }
}

/** A run to a marking of which what was to be excluded is true. */
function checkWitness(net: Net, question: Question, verdict: "holds" | "fails", witness: Run): Checked {
  // A marking that enables nothing shows that a net with transitions is not live (T22.3).
  const isLive = question.kind === "live" && verdict === "fails" && net.transitions.length > 0;
  const asked = askedGoals(net, isLive ? { kind: "deadlock-free" } : question);
  const isAsked = isLive || (asked !== null && asked.verdict !== verdict);
  if (asked === null || !isAsked) return invalid("a run does not answer this question so");
  const replayed = checkRun(net, witness);
  if (replayed.kind !== "valid") return replayed;
  const isShown = asked.goals.some((goal: Goal) => isInGoal(goal, witness.marking));
  return isShown ? VALID : invalid("the run leads to another marking");
}

/** The only marked place, and the only end. */
function endsOf({ initial, finals }: Net): Ends | null {
  const marked = initial.flatMap((tokens, place): PlaceIndex[] => (tokens > 0 ? [place] : []));
  const [source] = marked;
  if (marked.length !== 1 || initial[source!] !== 1) return null;
  if (finals.kind !== "ends" || finals.ends.length !== 1) return null;
  return { source: source!, sink: finals.ends[0]! };
}
