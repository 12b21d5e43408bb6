/** @module A run of a workflow with its values: what it starts with, what each node answers, what fires. */
import {
  type CompiledWorkflow,
  type Data,
  type DataType,
  DONE,
  ERROR,
  type Json,
  type JsonObject,
  jsonEqual,
  type Marking,
  type Outcome,
  type TransitionIndex,
  unreachable,
} from "@tessera/core";
import { allowedCells, writesOf } from "./answers-of-nodes.ts";
import { isOfType, typeOf } from "./conditions-read.ts";
import { type Domain, dataWith, type Value } from "./domain.ts";
import type { Choice } from "./leaving.ts";
import { numbersFor } from "./order-part.ts";
import type { Product } from "./product.ts";
import type { Step } from "./regions.ts";
import type { Result } from "./stepper.ts";

/** One step: the node (index), its outcome, the values that its answer sets and the keys that it unsets. */
export interface DataStep {
  readonly node: number;
  /** Absent on a step that only moves a token on. */
  readonly outcome: Outcome | null;
  readonly answer: Answer;
  readonly fired: readonly TransitionIndex[];
}

/** What an answer changes of D, as far as conditions and forms ask for it. */
export interface Answer {
  readonly set: JsonObject;
  readonly unset: readonly string[];
}

/** A run that the engine makes, with the marking and the data (as far as conditions read them) that it reaches. */
export interface DataRun {
  readonly start: Data;
  readonly steps: readonly DataStep[];
  readonly marking: Marking;
  readonly data: Data;
}

const NOTHING: Answer = { set: {}, unset: [] };

/** The values of all slots at some moment of a run. */
type Values = readonly Value[];

/** A run with what an answer at its end would leave, if there is one. */
export interface RunEnd {
  readonly run: DataRun;
  readonly answer: Answer;
  readonly data: Data;
}

/**
 * The shortest certain run to `state`, and `next` as answer there. Cases stand for values up to their order, so the
 * values of keys that are compared with each other are chosen along the run.
 */
export function runTo(
  compiled: CompiledWorkflow,
  domain: Domain,
  product: Product,
  last: readonly (Step | null | undefined)[],
  state: number,
  next: Choice | null = null,
): RunEnd {
  const path: Step[] = [];
  for (let step = last[state]; step != null; step = last[path.at(-1)!.from]) path.push(step);
  path.reverse();
  const first = product.states[path[0]?.from ?? state]!;
  const start = domain.slots.map(({ values }, slot) => values[first.cells[slot]!]);
  let now: Values = start;
  const steps = path.map(({ choice: { choice } }): DataStep => {
    const after = valuesAfter(compiled, domain, now, choice);
    const answer = answerOf(compiled, domain, choice, now, after);
    const [result] = choice.results;
    const fired = result?.kind === "state" ? result.fired : [];
    now = result?.kind === "state" ? settled(domain, now, after, choice, result) : now;
    return { node: choice.node, outcome: choice.outcome, answer, fired };
  });
  const { marking } = product.states[state]!.facts;
  const run = { start: dataWith(domain, start), steps, marking, data: dataWith(domain, now) };
  if (next === null) return { run, answer: NOTHING, data: run.data };
  const after = valuesAfter(compiled, domain, now, next);
  return { run, answer: answerOf(compiled, domain, next, now, after), data: dataWith(domain, after) };
}

/** The slots that the answer of a choice may overwrite. */
function writtenSlots(
  { definition, kinds }: CompiledWorkflow,
  domain: Domain,
  choice: Choice,
): readonly boolean[] {
  const node = definition.nodes[choice.node]!;
  if (choice.outcome === null || node.kind === "verifier") return domain.slots.map(() => false);
  const writes = writesOf(
    domain.questions,
    kinds[choice.node]!.body(node),
    node,
    choice.node,
    choice.outcome,
  );
  return allowedCells(domain, writes).map((list) => list !== null);
}

/** The values that the answer of the choice leaves. */
function valuesAfter(compiled: CompiledWorkflow, domain: Domain, before: Values, choice: Choice): Values {
  const written = writtenSlots(compiled, domain, choice);
  const after = domain.slots.map(({ values }, slot) => values[choice.cells[slot]!]);
  for (const part of domain.orders) {
    const given = part.slots.map((slot) => before[slot] as number | undefined);
    const cells = part.slots.map((slot) => choice.cells[slot]!);
    const numbers = numbersFor(
      part,
      given,
      cells,
      part.slots.map((slot) => written[slot] === true),
    );
    part.slots.forEach((slot, index) => {
      after[slot] = numbers[index];
    });
  }
  return after;
}

/** The values when the step is done: an answer that no arc could take is forgotten, and verdicts may be cleared. */
function settled(
  domain: Domain,
  before: Values,
  after: Values,
  { outcome }: Choice,
  result: Result & { readonly kind: "state" },
): Values {
  const isForgotten = outcome !== null && outcome !== ERROR && result.outcome === ERROR;
  const kept = isForgotten ? before : after;
  const isOrdered = (slot: number) => domain.orders.some((part) => part.slots.includes(slot));
  return kept.map((value, slot) =>
    isOrdered(slot) ? value : domain.slots[slot]!.values[result.cells[slot]!],
  );
}

/** What the answer of `choice` changes: of a form all fields that must be filled. */
function answerOf(
  { definition, kinds }: CompiledWorkflow,
  domain: Domain,
  { node: index, outcome }: Choice,
  before: Values,
  after: Values,
): Answer {
  const node = definition.nodes[index]!;
  if (outcome === null) return NOTHING;
  const data = dataWith(domain, after);
  if (node.kind === "verifier") {
    const key = String(node.meta?.passKey);
    const value = data[key];
    return typeof value === "boolean" && outcome === DONE ? { set: { [key]: value }, unset: [] } : NOTHING;
  }
  const writes = writesOf(domain.questions, kinds[index]!.body(node), node, index, outcome);
  const written = new Set(
    allowedCells(domain, writes).flatMap((list, slot) => {
      const isChanged = list !== null && !isSame(before[slot], after[slot]);
      return isChanged ? [domain.slots[slot]!.reference.key] : [];
    }),
  );
  const set: { [key: string]: Json } = {};
  const unset: string[] = [];
  for (const key of written) {
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    if (value === undefined) unset.push(key);
    else set[key] = value;
  }
  for (const field of writes.fields?.filter(({ isOptional }) => !isOptional) ?? []) {
    if (writes.keys !== null && !writes.keys.includes(field.key)) continue;
    const known = Object.hasOwn(data, field.key) ? data[field.key] : undefined;
    set[field.key] ??= known ?? fillerOf(field, typeOf(domain.questions, field.key) ?? { type: "any" });
  }
  return { set, unset };
}

function isSame(left: Value, right: Value): boolean {
  return left === undefined || right === undefined ? left === right : jsonEqual(left, right);
}

/** Some value that the field takes and the declaration allows; there is one where forms can be filled (D23.3). */
function fillerOf(field: DataType, declared: DataType): Json {
  const listed = [field, declared].flatMap(({ values = [] }) => values);
  const all = [...listed, sampleOf(field), sampleOf(declared)];
  return all.find((value) => isOfType(value, field) && isOfType(value, declared)) ?? sampleOf(field);
}

/** Some value of the type. */
export function sampleOf({ type, values }: DataType): Json {
  if (values?.[0] !== undefined) return values[0];
  switch (type) {
    case "string":
      return "";
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    case "object":
      return {};
    case "array":
      return [];
    case "any":
      return null;
    default:
      return unreachable(type);
  }
}
