/** @module Whether guards have an answer on all data that fit the declarations. */
import { type Condition, type DataType, evaluateCondition } from "@tessera/core";
import { leavesOf, referencesOf } from "../data-level/conditions-read.ts";
import { guardCases } from "../guard-cases.ts";

type Declared = Readonly<Record<string, DataType>>;

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
