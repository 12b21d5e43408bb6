/** @module Answers as claims of a certificate file, where they show what a checker can follow, or that can be found. */
import { type Net, netClass, type PlaceIndex } from "@tessera/core";
import type { QuestionClaim, QuestionEvidence } from "../certificate/question-claims.ts";
import { askedGoals } from "../certificate/question-goals.ts";
import { reachableMarkings } from "../reachability.ts";
import { type NeverProver, neverProver } from "../state-equation/never.ts";
import type { EquationCertificate } from "../verdict.ts";
import type { Answer, Shown } from "./answer.ts";
import { neverIn, stablePlace } from "./ask-equation.ts";
import { byCommoner } from "./ask-siphons.ts";
import { byWalks } from "./ask-walks.ts";
import { parseQuestion, type Question } from "./question.ts";

/** What is looked for when a claim is written: little, as the answer is there. */
const STEPS_MAX = 20_000;
const WORK_MAX = 20_000_000;
/** As many markings as the checker builds again. */
const STATES_MAX = 20_000;

/** An answer that is not open. */
type Given = Exclude<Answer, { readonly kind: "unknown" }>;

/**
 * The claim of an answer to the question `text`; null where it is open or nothing is found that a file can state. For what a search of all
 * markings has shown other evidence is looked for, within limits.
 */
export function claimOf(net: Net, text: string, answer: Answer): QuestionClaim | null {
  const kind = netClass(net);
  if (answer.kind === "unknown" || (kind !== "plain" && kind !== "weighted")) return null;
  const parsed = parseQuestion(text);
  if (parsed.kind === "wrong") return null;
  const { question } = parsed;
  // A run answers other questions too, where it is not all that is needed.
  const isEnough = question.kind === "live" || askedGoals(net, question) !== null;
  if (answer.shown.kind === "run" && !isEnough) return null;
  const evidence = evidenceOf(net, question, answer) ?? found(net, question, answer);
  return evidence === null ? null : { question: text, verdict: answer.kind, evidence };
}

function evidenceOf(net: Net, question: Question, { kind, shown }: Given): QuestionEvidence | null {
  switch (shown.kind) {
    case "never":
    case "weights":
    case "siphon-traps":
      return shown.certificate;
    case "run":
    case "many-tokens":
    case "bare-siphon":
      return shown;
    case "minimal-sets":
      return { kind: shown.kind, ...shown.argument };
    case "semiflows": {
      const { semiflows, covering } = shown;
      return { kind: semiflows.of === "places" ? "p-invariant" : "t-invariant", numbers: covering };
    }
    case "firings":
      return { kind: "gain", numbers: shown.firings };
    case "rising":
      return { kind: "drift", numbers: shown.weights };
    case "changes":
    case "enables":
      return { kind: shown.kind, sequences: shown.runs.map(({ sequence }) => sequence) };
    case "terminal":
      return shown.states > STATES_MAX ? null : { kind: "terminal", states: shown.graph.states };
    case "places":
      return question.kind === "stable-place" && kind === "holds" ? stable(net, shown) : null;
    case "evidence": {
      const { evidence } = shown;
      // Of soundness an element is asked, which may be more than one transition.
      if (question.kind !== "quasi-live" && question.kind !== "live") return null;
      if (evidence.kind !== "E3" || evidence.certificate.kind !== "state-equation") return null;
      const [transition] = evidence.dead.flatMap(({ transitions }) => transitions);
      const [proof] = evidence.certificate.proofs;
      return transition === undefined || proof === undefined
        ? null
        : { kind: "never-fires", transition, proof };
    }
    default:
      return null;
  }
}

/** One of the places, by the state equation, else by all markings if they are not too many. */
function stable(
  net: Net,
  { places, certificate }: Extract<Shown, { readonly kind: "places" }>,
): QuestionEvidence | null {
  const [first] = places;
  if (first === undefined) return null;
  const claim = (place: PlaceIndex, by: EquationCertificate) =>
    ({ kind: "stable-place", place, by }) as const;
  if (certificate !== undefined) return claim(first, certificate);
  const answer = stablePlace(net, proverFor(net), places);
  if (answer?.kind === "holds" && answer.shown.kind === "places" && answer.shown.certificate !== undefined)
    return claim(answer.shown.places[0]!, answer.shown.certificate);
  const { markings, complete } = reachableMarkings(net, net.initial, STATES_MAX);
  if (!complete) return null;
  const by = { kind: "closed-set", size: markings.length, markings: null } as const;
  return { kind: "stable-place", place: first, by };
}

/** Evidence of another kind for an answer that shows none. */
function found(net: Net, question: Question, answer: Given): QuestionEvidence | null {
  if (question.kind === "live" || (question.kind === "deadlock-free" && answer.kind === "holds")) {
    const shown = byCommoner(net, question.kind, { stepsMax: STEPS_MAX });
    if (shown?.kind === answer.kind) return evidenceOf(net, question, shown);
  }
  const walked = byWalks(net, question, { stepsMax: STEPS_MAX, isOver: () => false });
  if (walked?.kind === answer.kind) return evidenceOf(net, question, walked);
  const asked = askedGoals(net, question);
  if (asked?.verdict !== answer.kind) return null;
  const shown = neverIn(asked, proverFor(net));
  return shown === null || shown.kind === "unknown" ? null : evidenceOf(net, question, shown);
}

function proverFor(net: Net): NeverProver {
  return neverProver(net, net.initial, { workMax: WORK_MAX });
}
