/** @module The transition table of a machine: what the engine asks, so that no machine runs inside a turn. */
import { type AnyStateMachine, getNextSnapshot } from "xstate";

/** The next state by state and event. An event that a state does not take has no entry. */
export type LifecycleTable<S extends string, E extends string> = ReadonlyMap<S, ReadonlyMap<E, S>>;

/**
 * The table of a flat machine without guards and actions, derived from it once. Law: for every state and event the
 * entry is the state that an actor of the machine goes to; there is none where the actor ignores the event.
 *
 * @definition D9.10
 */
export function tableOf<S extends string, E extends string>(machine: AnyStateMachine): LifecycleTable<S, E> {
  const states = Object.keys(machine.states) as S[];
  const events = machine.events as readonly E[];
  return new Map(
    states.map((state) => {
      const snapshot = machine.resolveState({ value: state, context: {} });
      const taken = events.filter((type) => snapshot.can({ type }));
      const next = (type: E) => String(getNextSnapshot(machine, snapshot, { type }).value) as S;
      return [state, new Map(taken.map((type) => [type, next(type)]))] as const;
    }),
  );
}

/** The state after `event`, undefined where the state does not take it. */
export function nextState<S extends string, E extends string>(
  table: LifecycleTable<S, E>,
  state: S,
  event: E,
): S | undefined {
  return table.get(state)?.get(event);
}
