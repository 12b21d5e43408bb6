/** @module What a block may hold back until its end, as options of the builder: a stage, and rules for keys that are merged. */
import type { DataKey } from "../workflow.ts";

/** How the values that branches give to a key become one (D21.10); a function is one that the host registers. */
export type MergeOption = "append" | "sum" | "max" | { readonly function: string };

/** Holds back mutations of G and the keys that `merge` names; `last` takes the value of the last branch in document order. */
export interface StageOptions {
  readonly stage: true;
  readonly merge?: { readonly [key: DataKey]: MergeOption | "last" };
}

/** Holds back the keys that `merge` names, and nothing of G. */
export interface MergeOptions {
  readonly stage?: false;
  readonly merge: { readonly [key: DataKey]: MergeOption };
}
