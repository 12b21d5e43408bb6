/** @module Places of D that are compared with each other, and what with, for checkers. */
import { type CompiledWorkflow, type DataReference, type Json, readData } from "@tessera/core";
import { type AskedOfData, constantsOf, type Leaf, placesOf } from "./data-asked.ts";
import { type ListedPlace, listedValues } from "./data-places.ts";

/** A comparison of two places. */
export interface Pair {
  readonly leaf: Leaf;
  readonly left: number;
  readonly right: number;
}

/** The places with what is asked of them. */
export interface Setting {
  readonly compiled: CompiledWorkflow;
  readonly asked: AskedOfData;
  readonly places: readonly ListedPlace[];
  readonly pairs: readonly Pair[];
  /** Leaves that ask of one place alone, by place. */
  readonly unary: readonly (readonly Leaf[])[];
}

/** Comparisons between places neither of which lists its values. */
function joined({ compiled, places, pairs }: Setting): readonly Pair[] {
  const isOpen = (place: number) => listedValues(compiled, places[place]!) === null;
  return pairs.filter(({ left, right }) => isOpen(left) && isOpen(right));
}

/** The places that are compared with `place`, directly or through others. */
export function partOf(setting: Setting, place: number): readonly number[] {
  const part = new Set([place]);
  for (const one of part)
    for (const { left, right } of joined(setting)) {
      if (left === one) part.add(right);
      if (right === one) part.add(left);
    }
  return [...part].sort((a, b) => a - b);
}

export function isOrdered(setting: Setting, part: readonly number[]): boolean {
  return joined(setting).some(
    ({ leaf, left }) => part.includes(left) && leaf.kind === "compare" && !leaf.op.startsWith("is"),
  );
}

/** Questions of nodes about the place itself. */
export function questionsOf({ asked, places }: Setting, place: number): AskedOfData["ofKeys"] {
  const { key, path } = places[place]!;
  return path.length > 0 ? [] : [...asked.ofKeys, ...asked.ofForms].filter((one) => one.key === key);
}

/** What the places of the part are compared with. */
export function constantsIn(setting: Setting, part: readonly number[]): readonly Json[] {
  const { compiled, pairs, unary } = setting;
  return part.flatMap((place) => [
    ...unary[place]!.flatMap(constantsOf),
    ...questionsOf(setting, place).flatMap(({ constants }) => constants),
    ...pairs.flatMap(({ leaf, left, right }) => {
      const [first, second] = placesOf(leaf);
      const other = left === place ? second! : first!;
      return left === place || right === place ? valuesAt(compiled, other) : [];
    }),
  ]);
}

/** What can be read there, if the key lists its values. */
function valuesAt(compiled: CompiledWorkflow, { key, path }: DataReference): readonly Json[] {
  const listed = listedValues(compiled, { key, path: [] }) ?? [];
  return listed.map((value) => readData({ [key]: value }, key, path)).filter((value) => value !== undefined);
}
