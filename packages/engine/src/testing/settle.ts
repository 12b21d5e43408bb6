/** @module When has everything come to rest? When a store has not been asked for some rounds of the event loop. */
import { setImmediate } from "node:timers/promises";
import type { RunStore } from "@tessera/persist";

/** A store that counts how often it is asked. */
export interface CountedStore {
  readonly store: RunStore;
  /** Resolves when nothing has been asked for a while and nothing is being answered. */
  readonly settle: () => Promise<void>;
}

/** Rounds without a question after which nothing more is expected: more than any chain of promises here takes. */
const QUIET_ROUNDS = 8;
/** Rounds after which a test is told that its engine never rests. */
const ROUNDS_MAX = 1_000_000;

/** Counts the calls of `inner`. */
export function countedStore(inner: RunStore): CountedStore {
  let asked = 0;
  let answering = 0;
  const store = new Proxy(inner, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || name === "transaction" || name === "foreignVersion") return member;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        asked += 1;
        answering += 1;
        try {
          return await member.apply(target, args);
        } finally {
          answering -= 1;
        }
      };
    },
  });
  const settle = async (): Promise<void> => {
    let quiet = 0;
    for (let round = 0; quiet < QUIET_ROUNDS; round += 1) {
      if (round > ROUNDS_MAX) throw new Error("the engine never comes to rest");
      const before = asked;
      await setImmediate();
      quiet = asked === before && answering === 0 ? quiet + 1 : 0;
    }
  };
  return { store, settle };
}
