/** @module Values for a run of cases: a solver finds them along the run, and the evaluator confirms every answer. */
import {
  type CompiledWorkflow,
  type ConditionEnvironment,
  type Data,
  ERROR,
  type Json,
  jsonEqual,
} from "@tessera/core";
import { decisionOutcome } from "@tessera/gateways";
import { answersOn } from "../data-level/answers.ts";
import { isWrittenBy, type Writes, writesOf } from "../data-level/answers-of-nodes.ts";
import { type Field, isOfType, listAnswer } from "../data-level/conditions-read.ts";
import { type Answer, type RunEnd, runTo } from "../data-level/data-run.ts";
import type { RunGoal } from "../data-level/data-verdicts.ts";
import { type Domain, dataOf } from "../data-level/domain.ts";
import type { Choice } from "../data-level/leaving.ts";
import type { Product } from "../data-level/product.ts";
import { certain, type Step } from "../data-level/regions.ts";
import { leafAnswer, TOLD_PREFIX } from "../data-level/told-answers.ts";
import type { Limit } from "../verdict.ts";
import { saysAll } from "./combinations-of-group.ts";
import { and, encodeGuard, type Variable, type Vocabulary, vocabularyOf } from "./encode.ts";
import { isNear, withPlainNumbers } from "./plain-values.ts";
import { dataOfModel, problemOf, rangeOf } from "./problem.ts";
import type { SolverClock } from "./solver-clock.ts";

/** The run with values, or why none were found. */
export type Valued =
  | { readonly kind: "valued"; readonly end: RunEnd }
  | { readonly kind: "undecided"; readonly limit: Limit };

/** What the runs of a product are read from. */
export interface Explored {
  readonly compiled: CompiledWorkflow;
  readonly domain: Domain;
  readonly product: Product;
}

/** A moment of a run: its case, and the version of each key of a group that holds there. */
interface Moment {
  readonly cells: readonly number[];
  readonly versions: ReadonlyMap<string, number>;
}

/** What an answer writes: the keys of groups, and what a form asks of them. */
interface Written {
  readonly after: Moment;
  readonly settled: Moment;
  readonly isForgotten: boolean;
  readonly keys: ReadonlySet<string>;
  readonly fields: readonly Field[];
}

/** The moments of a run, and what is asked of versions besides the declarations. */
interface Story {
  readonly start: Moment;
  readonly written: readonly Written[];
  readonly count: number;
  readonly demands: readonly { readonly key: string; readonly version: number; readonly field: Field }[];
}

/**
 * The run to `goal` with values that give at every moment the answers that its cases tell. The solver names values; they
 * count only if the evaluator answers every guard on them as the case does. `isRead`: people will, so plainer values are
 * looked for.
 *
 * @definition D23.13
 */
export async function valuesOfRun(
  explored: Explored,
  goal: RunGoal,
  environment: ConditionEnvironment,
  clock: SolverClock,
  isRead: boolean,
): Promise<Valued> {
  const { compiled, domain, product } = explored;
  const last = certain(product);
  const path: Step[] = [];
  for (let step = last[goal.state]; step != null; step = last[path.at(-1)!.from]) path.push(step);
  path.reverse();
  const story = storyOf(explored, path[0]?.from ?? goal.state, path, goal.next);
  const { vocabulary, formula } = formulaOf(domain, story, clock);
  const { body } = problemOf(vocabulary, formula);
  const answer = await clock.ask(body);
  if (answer.kind === "undecided") return answer;
  if (answer.kind === "unsat") return undecided("no values give the answers of the run that was found");
  const model = dataOfModel(vocabulary, answer.model);
  const cases = runTo(compiled, domain, product, last, goal.state, goal.next);
  const endWith = (values: Data) => withValues(domain, cases, story, values);
  const isGood = (values: Data) => isConfirmed(domain, endWith(values), story, environment);
  if (!isGood(model)) return undecided("the solver names values on which the guards answer otherwise");
  if (!isRead) return { kind: "valued", end: endWith(model) };
  const near = await clock.ask(`${body}\n(assert ${isNear(vocabulary)})`);
  const nearer = near.kind === "sat" ? dataOfModel(vocabulary, near.model) : model;
  const plain = withPlainNumbers(isGood(nearer) ? nearer : model, isGood);
  return { kind: "valued", end: endWith(plain) };
}

function undecided(reason: string): Valued {
  return { kind: "undecided", limit: { kind: "method", reason } };
}

function keysOf({ told }: Domain): readonly string[] {
  return [...new Set(told?.groups.flatMap(({ keys }) => [...keys]))];
}

function storyOf(
  { compiled, domain, product }: Explored,
  from: number,
  path: readonly Step[],
  next: Choice | null,
): Story {
  const start: Moment = {
    cells: product.states[from]!.cells,
    versions: new Map(keysOf(domain).map((key) => [key, 0])),
  };
  let count = 0;
  let now = start;
  const demands: { readonly key: string; readonly version: number; readonly field: Field }[] = [];
  const answered = (
    choice: Choice,
    settledCells: readonly number[] | null,
    isForgotten: boolean,
  ): Written => {
    const writes = writesAt(compiled, domain, choice);
    const isWritten = writes === null ? () => false : isWrittenBy(domain, writes);
    const keys = new Set(keysOf(domain).filter(isWritten));
    count += 1;
    const versions = new Map([...now.versions].map(([key, old]) => [key, keys.has(key) ? count : old]));
    const fields = (writes?.fields ?? []).filter(({ key }) => keys.has(key));
    demands.push(...fields.map((field) => ({ key: field.key, version: count, field })));
    const after = { cells: choice.cells, versions };
    now = { cells: settledCells ?? choice.cells, versions: isForgotten ? now.versions : versions };
    return { after, settled: now, isForgotten, keys, fields };
  };
  const written = path.map(({ choice: { choice } }) => {
    const [result] = choice.results;
    const isState = result?.kind === "state";
    const isForgotten =
      isState && choice.outcome !== null && choice.outcome !== ERROR && result.outcome === ERROR;
    return answered(choice, isState ? result.cells : null, isForgotten);
  });
  if (next !== null) written.push(answered(next, null, false));
  return { start, written, count, demands };
}

/** What the answer of the choice may write; null where it writes nothing that is told. */
function writesAt(
  { definition, kinds }: CompiledWorkflow,
  { questions }: Domain,
  { node: index, outcome }: Choice,
): Writes | null {
  const node = definition.nodes[index]!;
  if (outcome === null || node.kind === "verifier") return null;
  return writesOf(questions, kinds[index]!.body(node), node, index, outcome);
}

/** At every moment the leaves of every group answer as its case says, each key in the version that holds there. */
function formulaOf(
  domain: Domain,
  { start, written, demands }: Story,
  { read }: SolverClock,
): { readonly vocabulary: Vocabulary; readonly formula: string } {
  const { declared } = domain.questions;
  const whole = vocabularyOf(declared, read);
  const variableOf = (key: string, version: number): Variable => {
    const name = nameOf(key, version);
    const known = whole.variables.get(name);
    if (known !== undefined) return known;
    // A vocabulary of its own says what sort the key has.
    const sample = vocabularyOf(declared, read);
    encodeGuard(sample, { kind: "isAssigned", left: { key, path: [] } });
    const variable = { ...sample.variables.get(key)!, key: name, symbol: `v${whole.variables.size}` };
    whole.variables.set(name, variable);
    return variable;
  };
  const parts = [start, ...written.flatMap(({ after, settled }) => [after, settled])].flatMap(
    ({ cells, versions }) => {
      const variables = new Map([...versions].map(([key, version]) => [key, variableOf(key, version)]));
      const vocabulary: Vocabulary = { ...whole, variables };
      return (domain.told?.groups ?? []).map(({ leaves, slot, combinations }) =>
        saysAll(
          leaves.map((leaf) => encodeGuard(vocabulary, leaf)!),
          combinations[cells[slot]!]!,
        ),
      );
    },
  );
  const asked = demands.map(({ key, version, field }) => {
    const variable = variableOf(key, version);
    return rangeOf(whole, {
      ...variable,
      type: field.type === "any" ? { ...field, type: variable.type.type } : field,
    });
  });
  return { vocabulary: whole, formula: and([...new Set([...parts, ...asked])]) };
}

function nameOf(key: string, version: number): string {
  return `${key} ${version}`;
}

/** The run with the values of the model for the keys of groups. */
function withValues(domain: Domain, plain: RunEnd, { start, written }: Story, model: Data): RunEnd {
  const keys = keysOf(domain);
  const at = ({ versions }: Moment, data: Data): Data => {
    const own = Object.fromEntries(keys.map((key) => [key, model[nameOf(key, versions.get(key)!)]!]));
    const other = Object.entries(data).filter(([key]) => !key.startsWith(TOLD_PREFIX) && !keys.includes(key));
    return { ...Object.fromEntries(other), ...own };
  };
  let before = start;
  const answerAt = (answer: Answer, index: number): Answer => {
    const { after, keys: own, fields, settled } = written[index]!;
    const set: { [key: string]: Json } = {};
    for (const [key, value] of Object.entries(answer.set))
      if (!key.startsWith(TOLD_PREFIX) && !keys.includes(key)) set[key] = value;
    for (const key of own) {
      const [old, young] = [before, after].map(({ versions }) => model[nameOf(key, versions.get(key)!)]!);
      const isAsked = fields.some((field) => field.key === key);
      if (isAsked || !jsonEqual(old!, young!)) set[key] = young!;
    }
    before = settled;
    const unset = answer.unset.filter((key) => !key.startsWith(TOLD_PREFIX) && !keys.includes(key));
    return { set, unset };
  };
  const { run } = plain;
  const steps = run.steps.map((step, index) => ({ ...step, answer: answerAt(step.answer, index) }));
  const end = written[run.steps.length - 1]?.settled ?? start;
  const valued = { ...run, start: at(start, run.start), steps, data: at(end, run.data) };
  const next = written[run.steps.length];
  if (next === undefined) return { run: valued, answer: plain.answer, data: valued.data };
  return { run: valued, answer: answerAt(plain.answer, run.steps.length), data: at(next.after, plain.data) };
}

/** Plays the values: every answer of a guard, a table and a form is that of the case, at every moment. */
function isConfirmed(
  domain: Domain,
  end: RunEnd,
  { start, written }: Story,
  environment: ConditionEnvironment,
): boolean {
  const { declared, passKeys } = domain.questions;
  // Verdicts of loops are cleared on the way; no group reads them.
  const told = ({ cells }: Moment, data: Data): Data => {
    const verdicts = Object.entries(dataOf(domain, cells)).filter(([key]) => passKeys.has(key));
    const others = Object.entries(data).filter(([key]) => !passKeys.has(key));
    return Object.fromEntries([...others, ...verdicts]);
  };
  const isTyped = (values: Data) =>
    Object.entries(values).every(
      ([key, value]) => !Object.hasOwn(declared, key) || isOfType(value, declared[key]!),
    );
  let data = end.run.start;
  if (!isTyped(data) || !isAlike(domain, start.cells, data, environment)) return false;
  const answers = [...end.run.steps.map(({ answer }) => answer), end.answer];
  return written.every(({ after, settled, isForgotten, fields }, index) => {
    const { set, unset } = answers[index]!;
    const isFilled = fields.every(
      (field) => set[field.key] !== undefined && isOfType(set[field.key]!, field),
    );
    const changed = Object.entries({ ...data, ...set }).filter(([key]) => !unset.includes(key));
    const left = told(after, Object.fromEntries(changed));
    if (!isTyped(set) || !isFilled || !isAlike(domain, after.cells, left, environment)) return false;
    data = told(settled, isForgotten ? data : left);
    return isAlike(domain, settled.cells, data, environment);
  });
}

/** Do the data answer all that is decided as the case does? */
function isAlike(
  domain: Domain,
  cells: readonly number[],
  data: Data,
  environment: ConditionEnvironment,
): boolean {
  const { questions, open } = domain;
  const seen = dataOf(domain, cells);
  const valueIn = (from: Data, key: string) => (Object.hasOwn(from, key) ? from[key] : undefined);
  const leaves = questions.leaves.every((leaf) => {
    if (open.has(leaf)) return true;
    return answersOn(domain, leaf, seen) === { t: 1, f: 2, e: 4 }[leafAnswer(leaf, data, environment)];
  });
  const tables = questions.keyed.every(
    ({ node, key }) =>
      decisionOutcome(node, valueIn(seen, key)) === decisionOutcome(node, valueIn(data, key)),
  );
  const lists = [...questions.lists].every(
    (key) => listAnswer(valueIn(seen, key)) === listAnswer(valueIn(data, key)),
  );
  return leaves && tables && lists;
}
