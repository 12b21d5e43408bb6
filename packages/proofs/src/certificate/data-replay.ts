/** @module Replays a run with values on plain data: each step must be the engine's next, with an answer that the node may give. */
import { type Data, type Json, type Outcome, sameMarking } from "@tessera/core";
import { isOfType, typeOf } from "../data-level/conditions-read.ts";
import type { Answer, DataRun } from "../data-level/data-run.ts";
import { type Domain, isOptional } from "../data-level/domain.ts";
import type { Checked } from "./closed-set.ts";
import type { PlainState } from "./data-frame.ts";
import { type Frame, writesAt } from "./data-frame.ts";
import type { PlainStep } from "./data-leave.ts";
import { isSeen } from "./data-same.ts";
import { stepsAt } from "./data-steps.ts";

/** Where a run ends, or why it is none. */
export type Replayed =
  | { readonly kind: "end"; readonly end: PlainState }
  | Exclude<Checked, { kind: "valid" }>;

/** Plays the run from the start on its own values: it must reach the marking and the data that it states. */
export function replayData(frame: Frame, domain: Domain, run: DataRun): Replayed {
  const { net } = frame.program;
  if (!fitsDeclarations(domain, run.start)) return no("the start does not fit the declarations");
  let now: PlainState = { marking: net.initial, data: run.start, open: frame.beside.map(() => 0) };
  for (const [index, { node, outcome, answer, fired }] of run.steps.entries()) {
    const steps = stepsWith(frame, domain, now, node, outcome, answer);
    const found = steps
      ?.flatMap(({ results }) => (results.length === 1 ? results : []))
      .find((result) => result.kind === "state" && String(result.fired) === String(fired));
    if (found?.kind !== "state") return no(`step ${index} is not the engine's next`);
    now = found;
  }
  if (!sameMarking(now.marking, run.marking)) return no("the run reaches another marking");
  if (!isSeen(domain, now.data, run.data)) return no("the run reaches other data");
  return { kind: "end", end: now };
}

/** The next steps of the engine in which the node answers so; null if it may not. */
export function stepsWith(
  frame: Frame,
  domain: Domain,
  state: PlainState,
  node: number,
  outcome: Outcome | null,
  answer: Answer,
): readonly PlainStep[] | null {
  const isEmpty = Object.keys(answer.set).length === 0 && answer.unset.length === 0;
  let isAsked = false;
  const answersTo = (asked: number, label: Outcome, before: Data) => {
    if (asked !== node || label !== outcome) return [{ data: before, isSure: true }];
    isAsked = true;
    const data = answered(frame, domain, node, outcome, answer, before);
    return data === null ? [] : [{ data, isSure: true }];
  };
  const steps = stepsAt({ ...frame, answersTo }, state).filter(
    (step) =>
      step.node === node &&
      step.outcome === outcome &&
      step.isOrdered &&
      step.isPlayable &&
      !step.isProvision,
  );
  return isAsked || isEmpty ? steps : null;
}

/** The data after the answer; null if the node may not answer so. */
function answered(
  frame: Frame,
  domain: Domain,
  node: number,
  outcome: Outcome,
  { set, unset }: Answer,
  before: Data,
): Data | null {
  const { questions } = domain;
  const writable = writesAt(frame, questions, node, outcome);
  const keys = [...Object.keys(set), ...unset];
  if (!keys.every(writable.has)) return null;
  if (unset.length > 0 && !writable.mayUnset) return null;
  if (unset.some((key) => Object.hasOwn(set, key) || !isOptional(questions, key))) return null;
  const isFilled = (writable.fields ?? []).every((field) => {
    const value = Object.hasOwn(set, field.key) ? set[field.key] : undefined;
    if (value !== undefined) return isOfType(value, field);
    return field.isOptional || !writable.has(field.key);
  });
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => !unset.includes(key)));
  return isFilled && Object.entries(set).every((entry) => fitsType(domain, entry))
    ? { ...kept, ...set }
    : null;
}

function fitsType({ questions }: Domain, [key, value]: readonly [string, Json]): boolean {
  const type = typeOf(questions, key);
  return type === undefined || isOfType(value, type);
}

/** Has every key that conditions read a value of its type, where it must have one? */
function fitsDeclarations(domain: Domain, data: Data): boolean {
  const { questions, slots } = domain;
  return (
    slots.every(({ reference: { key } }) => Object.hasOwn(data, key) || isOptional(questions, key)) &&
    Object.entries(data).every((entry) => fitsType(domain, entry))
  );
}

const no = (reason: string): Replayed => ({ kind: "invalid", reason });
