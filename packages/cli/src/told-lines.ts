/** @module Evidence for people, in lines: what is wrong, in the elements of the file, and the steps that lead there. */
import type { CompiledWorkflow } from "@tessera/core";
import {
  type Names,
  type Run,
  type Shown,
  stepWords,
  type Told,
  type ToldStep,
  tellEvidence,
  toldSteps,
  type WorkflowEvidence,
  whereOf,
} from "@tessera/proofs";

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
  return linesOfTold(tellEvidence(compiled, evidence, names));
}

/** Told evidence in lines. */
export function linesOfTold({ what, steps }: Told): ToldLines {
  return { what: what.split("; "), steps: stepLines(steps) };
}

/** What an answer to a question shows of a workflow, in lines; none where it shows nothing of its elements. */
export function shownLines(
  { compiled, names }: { readonly compiled: CompiledWorkflow; readonly names: Names },
  shown: Shown,
): readonly string[] {
  const steps = (sequence: readonly number[]) => stepLines(toldSteps(compiled, names, named(sequence)));
  switch (shown.kind) {
    case "run":
      return steps(shown.run.sequence);
    case "closed":
      return shown.sets.flatMap(({ run, size }) => [...steps(run.sequence), stay(size)]);
    case "lasso":
      return [...steps(shown.lasso.stem), "again and again:", ...steps(shown.lasso.loop)];
    case "places":
    case "bare-siphon":
      return shown.places.map((place) => whereOf(compiled, names, place).where);
    case "transitions":
      return [...new Set(toldSteps(compiled, names, named(shown.transitions)).map(stepWords))];
    case "evidence":
      return linesOf(toldLines(compiled, shown.evidence, names));
    case "tokens":
      return shown.evidence === null ? [] : linesOf(toldLines(compiled, shown.evidence, names));
    default:
      return [];
  }
}

function stay(size: number): string {
  return size === 1 ? "and there it stays" : `and on within ${size} markings`;
}

/** Transitions that are to be named: where they lead does not matter. */
function named(sequence: readonly number[]): Run {
  return { sequence, marking: [] };
}

function linesOf({ what, steps }: ToldLines): readonly string[] {
  return [...what, ...steps];
}

function stepLines(steps: readonly ToldStep[]): readonly string[] {
  const line = (step: ToldStep) => `${String(step.number).padStart(5)}  ${stepWords(step)}`;
  if (steps.length <= FIRST + LAST) return steps.map(line);
  const between = `  ...  ${steps.length - FIRST - LAST} steps more`;
  return [...steps.slice(0, FIRST).map(line), between, ...steps.slice(-LAST).map(line)];
}
