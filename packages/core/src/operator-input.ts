/** @module What an operator does to a run: inputs that say who did it and why, and the state of being suspended. */
import type { Hash } from "./hash.ts";
import type { ItemId } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { NodeId, Outcome } from "./workflow.ts";

/** Who, and why. */
interface ByOperator {
  readonly by: string;
  readonly reason: string;
}

/**
 * An operator's input, as recorded.
 *
 * edit: keys of D. suspend, resume: nothing automatic happens in between. skip: what an intervention holds leaves its
 * node under an outcome. reroute: it goes on at another node. migrate: the run goes on in another definition. fork: the
 * first turn of a run that begins where another one was after turn `at`, whose head is recorded.
 * The turn of a reroute, a migration or a fork begins on the marking that its first step records (`StepRecord.marking`);
 * `visits` are those of the nodes of the definition in which it goes on.
 */
export type OperatorInput =
  | ({ readonly kind: "edit" } & ByOperator)
  | ({ readonly kind: "suspend" } & ByOperator)
  | ({ readonly kind: "resume" } & ByOperator)
  | ({ readonly kind: "skip"; readonly item: ItemId; readonly outcome: Outcome } & ByOperator)
  | ({ readonly kind: "reroute"; readonly item: ItemId; readonly to: NodeId } & ByOperator)
  | ({
      readonly kind: "migrate";
      readonly from: Hash;
      readonly to: Hash;
      readonly visits: readonly number[];
    } & ByOperator)
  | ({
      readonly kind: "fork";
      readonly run: string;
      readonly at: number;
      readonly head: Hash;
      readonly data: JsonObject;
      readonly visits: readonly number[];
    } & ByOperator);

/** Since when, by whom and why nothing automatic happens in a run. */
export interface Suspension extends ByOperator {
  readonly at: number;
}

/** Does the turn of this input begin on a marking of its own? */
export function placesTokens(kind: string): boolean {
  return kind === "reroute" || kind === "migrate" || kind === "fork";
}
