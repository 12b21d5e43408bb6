/** @module Conditions as data: one language for guards, requires, goals and rules. */

import type { Json, JsonObject, Path } from "./json.ts";

/** The operators that compare a value with another one. */
export type ComparisonOperator =
  | "is"
  | "isNot"
  | "isOneOf"
  | "isNoneOf"
  | "greaterThan"
  | "atLeast"
  | "lessThan"
  | "atMost"
  | "contains";

/** All eleven operators. */
export type Operator = ComparisonOperator | "isAssigned" | "matches";

/**
 * A condition as it stands in a definition: plain JSON.
 * `{ key, path?, op, value }` compares with a constant, `{ key, path?, op, valueOf, valuePath? }` with another key;
 * `isAssigned` takes neither; `all`, `any` and `not` combine; the last two are opaque to the proofs.
 */
export type ConditionData =
  | ComparisonData
  | { readonly all: readonly ConditionData[] }
  | { readonly any: readonly ConditionData[] }
  | { readonly not: ConditionData }
  | { readonly language: string; readonly text: string }
  | { readonly predicate: string };

/** One comparison as it stands in a definition. */
export type ComparisonData =
  | { readonly key: string; readonly path?: Path; readonly op: "isAssigned" }
  | {
      readonly key: string;
      readonly path?: Path;
      readonly op: Exclude<Operator, "isAssigned">;
      readonly value: Json;
    }
  | {
      readonly key: string;
      readonly path?: Path;
      readonly op: ComparisonOperator;
      readonly valueOf: string;
      readonly valuePath?: Path;
    };

/** A value in D: the key, and the path below it. */
export interface DataReference {
  readonly key: string;
  readonly path: Path;
}

/** What a value is compared with. */
export type Operand =
  | { readonly kind: "constant"; readonly value: Json }
  | { readonly kind: "reference"; readonly reference: DataReference };

/** A compiled pattern: matching takes time linear in the text. */
export interface Pattern {
  readonly source: string;
  /** Does some part of `text` match? (`^` and `$` anchor to the whole text.) */
  readonly test: (text: string) => boolean;
}

/**
 * A parsed condition, made by `parseCondition` only. It holds its compiled patterns, so it is not JSON: a definition
 * keeps the `ConditionData`.
 *
 * @definition D4.7
 */
export type Condition =
  | {
      readonly kind: "compare";
      readonly left: DataReference;
      readonly op: ComparisonOperator;
      readonly right: Operand;
    }
  | { readonly kind: "isAssigned"; readonly left: DataReference }
  | { readonly kind: "matches"; readonly left: DataReference; readonly pattern: Pattern }
  | { readonly kind: "all"; readonly conditions: readonly Condition[] }
  | { readonly kind: "any"; readonly conditions: readonly Condition[] }
  | { readonly kind: "not"; readonly condition: Condition }
  | { readonly kind: "opaque"; readonly language: string; readonly text: string }
  | { readonly kind: "predicate"; readonly name: string };

/** The answer of a condition: true, false, or an error, which is neither. `facts` hold names and types, no values. */
export type ConditionResult =
  | { readonly kind: "value"; readonly value: boolean }
  | { readonly kind: "error"; readonly code: string; readonly message: string; readonly facts: JsonObject };
