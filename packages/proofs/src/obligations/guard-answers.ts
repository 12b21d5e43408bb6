/** @module Whether guards have an answer on all data that fit the declarations. */
import { type Condition, type Data, type DataType, evaluateCondition } from "@tessera/core";
import { isOfType, leavesOf, referencesOf } from "../data-level/conditions-read.ts";
import { guardCases } from "../guard-cases.ts";

type Declared = Readonly<Record<string, DataType>>;

/** Is a part of the guard an expression or a predicate, whose answer nobody here can compute? */
export function isOpaque(guard: Condition): boolean {
  return leavesOf(guard).some(({ kind }) => kind === "opaque" || kind === "predicate");
}

/** Do the data fit the declarations: what is there, and what is declared and the guards read? */
export function isFitting(declared: Declared, guards: readonly Condition[], data: Data): boolean {
  const read = guards.flatMap((guard) => leavesOf(guard).flatMap(referencesOf));
  return [...Object.keys(data), ...read.map(({ key }) => key)].every((key) => {
    if (!Object.hasOwn(declared, key)) return true;
    return Object.hasOwn(data, key) && isOfType(data[key]!, declared[key]!);
  });
}

/** Does the guard read whole keys alone that are declared with a type? Then its errors are what the declarations say. */
export function isTyped(declared: Declared, guard: Condition): boolean {
  return leavesOf(guard).every((leaf) => {
    if (leaf.kind === "opaque" || leaf.kind === "predicate") return false;
    return referencesOf(leaf).every(
      ({ key, path }) => path.length === 0 && Object.hasOwn(declared, key) && declared[key]!.type !== "any",
    );
  });
}

/** Can a part of the guard lack an answer: is it opaque, or does some value of the types that it may meet not fit it? */
export function mayLackAnswer(declared: Declared, guard: Condition): boolean {
  return leavesOf(guard).some((leaf) => {
    const { cases, hasOpaque } = guardCases([leaf], declared);
    return hasOpaque || cases.some((data) => evaluateCondition(leaf, data).kind === "error");
  });
}
