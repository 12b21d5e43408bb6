/** @module Workflows with guards that compute, and what reads and answers their expressions. */
import type { ConditionEnvironment, Data } from "@tessera/core";
import { FEEL, readFeelTerm } from "@tessera/interchange";
import type { ReadTerm } from "@tessera/proofs/smt";

/** What FEEL expressions compute, for the solver. */
export const read: ReadTerm = (language, text) => (language === "feel" ? readFeelTerm(text) : null);

/** The evaluator of FEEL, as an application registers it. */
export const environment: ConditionEnvironment = {
  evaluate: (language: string, text: string, data: Data) =>
    language === "feel" ? FEEL.run(text, data, 0) : undefined,
};

/** A guard in FEEL. */
export const feel = (text: string): { readonly language: "feel"; readonly text: string } => ({
  language: "feel",
  text,
});
