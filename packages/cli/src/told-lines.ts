/** @module Evidence for people, in lines: what is wrong, in the elements of the file, and the steps that lead there. */
import type { CompiledWorkflow } from "@tessera/core";
import { type Names, stepWords, type ToldStep, tellEvidence, type WorkflowEvidence } from "@tessera/proofs";

/** Steps of a run that are printed: the first ones and the last ones of a longer run. */
const FIRST = 5;
const LAST = 25;

/** What is wrong, a line each, and the steps that lead there, none where no run does. */
export interface ToldLines {
  readonly what: readonly string[];
  readonly steps: readonly string[];
}

/** The evidence in lines. `names`: the elements of the file. */
export function toldLines(
  compiled: CompiledWorkflow,
  evidence: WorkflowEvidence,
  names: Names = {},
): ToldLines {
  const { what, steps } = tellEvidence(compiled, evidence, names);
  return { what: what.split("; "), steps: stepLines(steps) };
}

function stepLines(steps: readonly ToldStep[]): readonly string[] {
  const line = (step: ToldStep) => `${String(step.number).padStart(5)}  ${stepWords(step)}`;
  if (steps.length <= FIRST + LAST) return steps.map(line);
  const between = `  ...  ${steps.length - FIRST - LAST} steps more`;
  return [...steps.slice(0, FIRST).map(line), between, ...steps.slice(-LAST).map(line)];
}
