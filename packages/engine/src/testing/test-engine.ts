/** @module An engine for tests: in memory, on a manual clock, with ids that count, so that the same test is the same run. */
import { memoryStore, type RunStore } from "@tessera/persist";
import { createEngine, type Engine, type EngineOptions } from "../engine.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import { countedStore } from "./settle.ts";

/** An engine with what a test holds of it. */
export interface TestEngine {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly store: RunStore;
  /** Lets everything that can happen without time passing happen. */
  readonly settle: () => Promise<void>;
}

/** Settings; those of an engine, with the store and the start of the clock (ms since the epoch) left to choose. */
export type TestOptions = Partial<Omit<EngineOptions, "clock">> & {
  readonly startAt?: number;
  readonly clock?: ManualClock;
};

/** Makes one. Two made alike behave alike, byte by byte. */
export function testEngine(options: TestOptions = {}): TestEngine {
  const { startAt, ...rest } = options;
  const { store, settle } = countedStore(options.store ?? memoryStore());
  const clock = options.clock ?? manualClock(settle, startAt);
  let idCount = 0;
  let seed = 1;
  const engine = createEngine({
    ids: () => {
      idCount += 1;
      return `id-${idCount}`;
    },
    // A linear congruence (Numerical Recipes): any fixed sequence does.
    random: () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed / 4_294_967_296;
    },
    pollMs: Number.POSITIVE_INFINITY,
    ...rest,
    store,
    clock,
  });
  return { engine, clock, store, settle };
}
