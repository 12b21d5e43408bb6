/** @module What a condition depends on: the keys that it reads and the constants that it compares with. */

import type { Condition, DataReference, Operator } from "./condition.ts";
import { unreachable } from "./invariant.ts";
import type { Json, Path } from "./json.ts";

/** The keys of D that a condition reads. */
export interface KeysRead {
  /** In code-unit order, each once. */
  readonly keys: readonly string[];
  /** False if a part is opaque: then it may read any key. */
  readonly isComplete: boolean;
}

/** A constant that a condition compares a value with. */
export interface ConditionConstant {
  /** Where the value stands below its key. */
  readonly path: Path;
  readonly op: Operator;
  /** For `isOneOf` and `isNoneOf` the whole list, for `matches` the pattern. */
  readonly value: Json;
}

/**
 * The keys that `condition` reads.
 * Law: if they are complete, data that agree on these keys get the same answer.
 * Cost: linear in the condition, and the sorting of the keys.
 *
 * @definition D4.9
 */
export function keysRead(condition: Condition): KeysRead {
  const keys = new Set<string>();
  let isComplete = true;
  for (const leaf of leaves(condition)) {
    for (const reference of referencesOf(leaf)) {
      keys.add(reference.key);
    }
    isComplete &&= leaf.kind !== "opaque" && leaf.kind !== "predicate";
  }
  return { keys: [...keys].sort(), isComplete };
}

/**
 * The constants that `condition` compares each key with, in document order; the map in code-unit order of the keys.
 * They are where its answer can change: the search for data that make it true tries them and their neighbours.
 */
export function conditionConstants(condition: Condition): ReadonlyMap<string, readonly ConditionConstant[]> {
  const constants = new Map<string, ConditionConstant[]>();
  for (const leaf of leaves(condition)) {
    const constant = constantOf(leaf);
    if (constant !== undefined) {
      const list = constants.get(constant.left.key) ?? [];
      list.push({ path: constant.left.path, op: constant.op, value: constant.value });
      constants.set(constant.left.key, list);
    }
  }
  return new Map([...constants].sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Leaf = Exclude<Condition, { readonly kind: "all" | "any" | "not" }>;

/** The parts that do not combine others, in document order. */
function leaves(condition: Condition): readonly Leaf[] {
  switch (condition.kind) {
    case "all":
    case "any":
      return condition.conditions.flatMap(leaves);
    case "not":
      return leaves(condition.condition);
    default:
      return [condition];
  }
}

function referencesOf(leaf: Leaf): readonly DataReference[] {
  switch (leaf.kind) {
    case "compare":
      return leaf.right.kind === "reference" ? [leaf.left, leaf.right.reference] : [leaf.left];
    case "isAssigned":
    case "matches":
      return [leaf.left];
    case "opaque":
    case "predicate":
      return [];
    default:
      return unreachable(leaf);
  }
}

function constantOf(
  leaf: Leaf,
): { readonly left: DataReference; readonly op: Operator; readonly value: Json } | undefined {
  if (leaf.kind === "matches") {
    return { left: leaf.left, op: "matches", value: leaf.pattern.source };
  }
  return leaf.kind === "compare" && leaf.right.kind === "constant"
    ? { left: leaf.left, op: leaf.op, value: leaf.right.value }
    : undefined;
}
