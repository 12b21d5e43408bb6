/** @module A process of a test: an engine that can die in any call of its store, of which nothing is heard afterwards. */

import type { RunStore } from "@tessera/persist";
import type { Clock } from "../clock.ts";
import { type Engine, engineOver } from "../engine.ts";
import { makeHost } from "../host.ts";
import { DEFAULT_ENGINE_LIMITS } from "../limits.ts";
import { SILENT } from "../logger.ts";
import { staticProver } from "../prove.ts";
import type { Registry } from "../registry.ts";
import { randomNumbers } from "../simulate/choices.ts";
import type { ReadyScenario } from "../simulate/scenario.ts";

/** How often processes look for what others have left, in ms. */
export const POLL_MS = 60_000;

/** One process. `died` resolves when it dies. */
export interface Process {
  readonly number: number;
  readonly engine: Engine;
  readonly isDead: () => boolean;
  readonly die: () => void;
  /** It dies before or after the `calls`-th of its next calls of the store. */
  readonly dieAt: (calls: number, point: "before" | "after") => void;
  readonly died: Promise<void>;
}

/** What processes share. */
export interface Ground {
  readonly ready: ReadyScenario;
  readonly store: RunStore;
  readonly clock: Clock;
}

/** Begins process `number` with ports of its own. */
export function beginProcess(
  { ready, store, clock }: Ground,
  number: number,
  portsOf: (process: number, registry: Registry) => Registry,
): Process {
  let isDead = false;
  let fuse: { left: number; readonly point: "before" | "after" } | null = null;
  let tellDeath = (): void => {};
  const died = new Promise<void>((resolve) => {
    tellDeath = resolve;
  });
  const die = (): void => {
    isDead = true;
    tellDeath();
  };
  const burn = (point: "before" | "after"): void => {
    if (fuse?.point !== point) return;
    fuse.left -= 1;
    if (fuse.left <= 0) die();
  };
  const mortal = new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      // Without these an engine asks for everything by calls, in which it can die.
      if (typeof method !== "function" || name === "transaction" || name === "foreignVersion")
        return undefined;
      if (name === "close") return async () => undefined;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        if (!isDead) burn("before");
        if (isDead) return silence();
        const answer: unknown = await method.apply(target, args);
        if (!isDead) burn("after");
        return isDead ? silence() : answer;
      };
    },
  });
  let idCount = 0;
  const host = makeHost({
    store: mortal,
    registry: portsOf(number, ready.registry),
    clock,
    ids: () => `process${number}-${++idCount}`,
    random: randomNumbers(number + 1),
    logger: SILENT,
    limits: { ...DEFAULT_ENGINE_LIMITS, snapshotTurns: 5 },
  });
  const engine = engineOver(
    { ...host, versions: { known: ready.versions.get.bind(ready.versions), open: host.versions.open } },
    { prover: staticProver(), pollMs: POLL_MS },
  );
  engine.resume();
  return {
    number,
    engine,
    isDead: () => isDead,
    die,
    dieAt: (calls, point) => {
      fuse = { left: calls, point };
    },
    died,
  };
}

/** What a dead process says. */
function silence(): Promise<never> {
  return new Promise(() => {});
}
