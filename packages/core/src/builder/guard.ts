/** @module Guards whose keys are known: conditions as data, with the keys in their type. */
import type { ComparisonOperator, Operator } from "../condition.ts";
import type { Json, Path } from "../json.ts";
import type { DataKey } from "../workflow.ts";

/** A condition (`ConditionData`) over the keys `K`. */
export type Guard<K extends DataKey = DataKey> =
  | { readonly key: K; readonly path?: Path; readonly op: "isAssigned" }
  | {
      readonly key: K;
      readonly path?: Path;
      readonly op: Exclude<Operator, "isAssigned">;
      readonly value: Json;
    }
  | {
      readonly key: K;
      readonly path?: Path;
      readonly op: ComparisonOperator;
      readonly valueOf: K;
      readonly valuePath?: Path;
    }
  | { readonly all: readonly Guard<K>[] }
  | { readonly any: readonly Guard<K>[] }
  | { readonly not: Guard<K> }
  | { readonly language: string; readonly text: string }
  | { readonly predicate: string };
