/** @module Several instances of a call on a case: how they begin, when their node is done, which lists they leave. */
import {
  type CompiledWorkflow,
  type Condition,
  type DataReference,
  DONE,
  ERROR,
  invariant,
  type Json,
  jsonEqual,
  type Operand,
  parseCondition,
  type TransitionIndex,
} from "@tessera/core";
import { eventsOf, fixedPoint, type MultiInstance, multiOf } from "@tessera/gateways";
import { endOfHandler, mayWrite } from "./answers-of-nodes.ts";
import { listAnswer } from "./conditions-read.ts";
import { type Domain, dataOf } from "./domain.ts";
import { type Choice, type Leaving, leave, plain, untold } from "./leaving.ts";
import type { Result } from "./stepper.ts";

/** `isSteady`: what begins can also be done, whatever comes meanwhile: no list shrinks, no condition lacks an answer. */
export interface Instances {
  readonly multi: MultiInstance;
  readonly isSteady: boolean;
}

/** The nodes that run several instances, by index. */
export function instancesOf(compiled: CompiledWorkflow, domain: Domain): ReadonlyMap<number, Instances> {
  const found = compiled.definition.nodes.flatMap(
    (node, index): readonly (readonly [number, Instances])[] => {
      const multi = multiOf(node);
      if (multi === null) return [];
      const mayShrink =
        multi.mode === "sequential" &&
        multi.collection !== null &&
        isWrittenBeside(compiled, domain, index, multi.collection);
      return [[index, { multi, isSteady: !mayShrink && !mayLackAnswer(multi) }]];
    },
  );
  return new Map(found);
}

/**
 * The token comes to rest with its instances, or leaves at once: done where there are none, under error where the
 * collection is no list.
 *
 * @definition D23.8
 */
export function beginningOf(
  leaving: Leaving,
  node: number,
  multi: MultiInstance,
  first: TransitionIndex,
  cells: readonly number[],
): Choice {
  const { stepper } = leaving;
  const begun = plain(leaving, node, first, cells);
  const [rested] = begun.results;
  invariant(rested?.kind === "state", "D23.8", () => ({ node }));
  const count = countOn(stepper.domain, multi, cells);
  const manner = { isPlayable: !isAsked(stepper.domain, multi) };
  if (count === "members") {
    const results = listsLeft(stepper.domain, multi, cells, false).map((after): Result => {
      return { ...rested, cells: after };
    });
    return { ...begun, ...manner, results };
  }
  const facts = stepper.factsOf(rested.marking);
  const group = stepper.program.finish.get(node) ?? [];
  const resting: Leaving = { stepper, facts, group };
  const left =
    count === "none"
      ? leave(resting, node, ERROR, cells, cells)
      : untold(
          nonEmpty(
            listsLeft(stepper.domain, multi, cells, true).map((after) =>
              leave(resting, node, DONE, after, cells, manner),
            ),
          ),
        );
  const results = left.results.map((result) =>
    result.kind === "state" ? { ...result, fired: [first, ...result.fired] } : result,
  );
  return { ...left, results };
}

/** The last instance is done, or an earlier one with which the node is; where results are asked for, also one of many. */
export function doneChoices(
  leaving: Leaving,
  node: number,
  { multi, isSteady }: Instances,
  before: readonly number[],
): readonly Choice[] {
  const { stepper, facts } = leaving;
  const lists = listsLeft(stepper.domain, multi, before, false);
  const manner = { isPlayable: !isAsked(stepper.domain, multi) };
  const done = lists.map((after) => leave(leaving, node, DONE, after, before, manner));
  const broken = isSteady ? [] : [leave(leaving, node, ERROR, before, before)];
  const end = untold(nonEmpty([...done, ...broken]));
  if (!isAsked(stepper.domain, multi)) return [end];
  const { marking } = facts;
  const results = lists.map((cells): Result => ({ kind: "state", marking, cells, fired: [], outcome: null }));
  return [end, { ...end, outcome: null, isSure: false, results, gap: null, isGapSure: false }];
}

function nonEmpty(choices: readonly Choice[]): readonly [Choice, ...Choice[]] {
  const [first, ...rest] = choices;
  invariant(first !== undefined, "D23.8", () => ({ choices: 0 }));
  return [first, ...rest];
}

function countOn(
  domain: Domain,
  { collection, count }: MultiInstance,
  cells: readonly number[],
): "none" | "empty" | "members" {
  if (collection === null) return count === 0 ? "empty" : "members";
  const data = dataOf(domain, cells);
  return listAnswer(Object.hasOwn(data, collection) ? data[collection] : undefined);
}

function isAsked({ slotsOfKey }: Domain, { results }: MultiInstance): boolean {
  return results !== null && slotsOfKey.has(results);
}

/** The cases in which the key of the results holds a list: the empty one, where `isEmpty` and it is told apart. */
function listsLeft(
  { slots, slotsOfKey }: Domain,
  { results }: MultiInstance,
  cells: readonly number[],
  isEmpty: boolean,
): readonly (readonly number[])[] {
  const own = results === null ? [] : (slotsOfKey.get(results) ?? []);
  return own.reduce<readonly (readonly number[])[]>(
    (all, slot) => {
      const { reference, values } = slots[slot]!;
      // A list has no members by name.
      const isPart = reference.path.length > 0;
      const isFit = (value: Json | undefined) => (isPart ? value === undefined : Array.isArray(value));
      const fit = [...values.keys()].filter((cell) => isFit(values[cell]));
      const empty = fit.filter((cell) => isEmpty && !isPart && jsonEqual(values[cell]!, []));
      const left = empty.length > 0 ? empty : fit;
      return all.flatMap((one) => left.map((cell) => one.with(slot, cell)));
    },
    [cells],
  );
}

const COUNTS: ReadonlySet<string> = new Set([
  "numberOfInstances",
  "numberOfActiveInstances",
  "numberOfCompletedInstances",
  "numberOfTerminatedInstances",
]);

/** Can the completion condition be without an answer? It is not asked after the last instance. */
function mayLackAnswer({ completion, collection, count }: MultiInstance): boolean {
  if (completion === null || (collection === null && count < 2)) return false;
  const parsed = parseCondition(completion);
  return parsed.ok && mayErr(parsed.value);
}

function mayErr(condition: Condition): boolean {
  switch (condition.kind) {
    case "all":
    case "any":
      return condition.conditions.some(mayErr);
    case "not":
      return mayErr(condition.condition);
    case "isAssigned":
      return false;
    case "compare":
      if (condition.op === "is" || condition.op === "isNot") return false;
      return !isCount(condition.left) || !isNumber(condition.right) || condition.op === "contains";
    default:
      return true;
  }
}

function isCount({ key, path }: DataReference): boolean {
  return COUNTS.has(key) && path.length === 0;
}

function isNumber(operand: Operand): boolean {
  return operand.kind === "constant" ? typeof operand.value === "number" : isCount(operand.reference);
}

/** May somebody write the key while a token rests at the node? Where tokens can be together is a safe guess (D16.1). */
function isWrittenBeside(
  { definition, net, kinds }: CompiledWorkflow,
  { questions }: Domain,
  own: number,
  key: string,
): boolean {
  const writes = (node: number, outcome: string): boolean => {
    const given = definition.nodes[node]!;
    return mayWrite(questions, kinds[node]!.body(given), given, node, outcome, key);
  };
  const isHandled = definition.nodes.some((node, index) =>
    eventsOf(node).some((event) => {
      const ended = endOfHandler(event);
      return ended !== null && writes(index, ended);
    }),
  );
  if (isHandled) return true;
  const rest = net.places.findIndex(({ origin }) => origin?.kind === "rest" && origin.node === own);
  const { areCoMarked } = fixedPoint(net);
  return net.transitions.some(({ origin, pre }) => {
    if (origin?.outcome === undefined || !writes(origin.node, origin.outcome)) return false;
    if (origin.node === own && origin.phase === "finish") return false;
    return pre.every(([place]) => place === rest || areCoMarked(place, rest));
  });
}
