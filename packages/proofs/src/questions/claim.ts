/** @module Answers as claims of a certificate file, where they show what a checker can follow. */
import { type Net, netClass } from "@tessera/core";
import type { QuestionClaim, QuestionEvidence } from "../certificate/question-claims.ts";
import { askedGoals } from "../certificate/question-goals.ts";
import type { Answer, Shown } from "./answer.ts";
import { parseQuestion } from "./question.ts";

/** The claim of an answer to the question `text`; null where it is open or shows nothing that a file can state. */
export function claimOf(net: Net, text: string, answer: Answer): QuestionClaim | null {
  const kind = netClass(net);
  if (answer.kind === "unknown" || (kind !== "plain" && kind !== "weighted")) return null;
  const parsed = parseQuestion(text);
  if (parsed.kind === "wrong") return null;
  // A run answers other questions too, where it is not all that is needed.
  if (answer.shown.kind === "run" && askedGoals(net, parsed.question) === null) return null;
  const evidence = evidenceOf(answer.shown);
  return evidence === null ? null : { question: text, verdict: answer.kind, evidence };
}

function evidenceOf(shown: Shown): QuestionEvidence | null {
  switch (shown.kind) {
    case "never":
    case "weights":
      return shown.certificate;
    case "run":
    case "many-tokens":
      return shown;
    case "evidence": {
      const { evidence } = shown;
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
