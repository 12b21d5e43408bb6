/** @module Events of nodes in the builder: their options and their labels. */
import type { DataKey, Outcome } from "../workflow.ts";

/**
 * An event of a node, as `meta.events` has it (D17.1): its label, its type, and the members of that type. With
 * `interrupting: false` it leaves the wait open; then a `workflow` may handle it each time.
 */
export interface EventOptions {
  readonly id: Outcome;
  readonly on: "timer" | "message" | "signal" | "escalation";
  readonly name?: string;
  readonly date?: string;
  readonly duration?: string;
  readonly cycle?: string;
  readonly key?: DataKey;
  readonly payload?: Readonly<Record<DataKey, string>>;
  readonly interrupting?: boolean;
  readonly workflow?: string;
  readonly inputs?: Readonly<Record<string, DataKey>>;
  readonly outputs?: Readonly<Record<DataKey, string>>;
  readonly openMax?: number;
}

/** The labels that the events of the options add: of each that goes on along arcs, and error where D is read or written. */
export type EventLabels<S> = S extends { readonly events: readonly (infer E)[] } ? LabelOf<E> : never;

type LabelOf<E> = E extends { readonly workflow: string }
  ? Failure<E, { readonly key: string }>
  : E extends { readonly id: infer I extends Outcome }
    ? I | Failure<E, { readonly key: string } | { readonly payload: object }>
    : never;
type Failure<E, F> = E extends F ? "error" : never;

/** The labels that events add, as the kinds count them. */
export function eventLabels(events: readonly EventOptions[] = []): readonly Outcome[] {
  const canFail = events.some(
    ({ key, workflow, payload }) =>
      key !== undefined || (workflow === undefined && Object.keys(payload ?? {}).length > 0),
  );
  const labels = events.flatMap(({ id, workflow }) => (workflow === undefined ? [id] : []));
  return canFail ? [...labels, "error"] : labels;
}
