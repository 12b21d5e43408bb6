/** @module Several instances of a call on a case: how they begin, when their node is done, which lists they leave. */
import { DONE, ERROR, invariant, type Json, jsonEqual, type TransitionIndex } from "@tessera/core";
import type { MultiInstance } from "@tessera/gateways";
import { listAnswer } from "./conditions-read.ts";
import { type Domain, dataOf } from "./domain.ts";
import type { Instances } from "./instance-tables.ts";
import { type Choice, type Leaving, leave, plain, untold } from "./leaving.ts";
import type { Result } from "./stepper.ts";

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
