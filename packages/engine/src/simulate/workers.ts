/** @module Simulated workers: engines over faulty stores, skewed clocks and scripted ports, which die and are started again. */
import {
  canonicalJson,
  ERROR,
  EXPIRED,
  type HandlerResult,
  type Json,
  type WorkflowNode,
} from "@tessera/core";
import type { RunStore } from "@tessera/persist";
import { type Engine, engineOver } from "../engine.ts";
import { makeHost } from "../host.ts";
import { DEFAULT_ENGINE_LIMITS } from "../limits.ts";
import { SILENT } from "../logger.ts";
import type { Port, PortContext } from "../port.ts";
import type { Registry } from "../registry.ts";
import type { Versions } from "../versions.ts";
import type { Checker } from "./checker.ts";
import { randomNumbers } from "./choices.ts";
import { faultyStore, type StoreWatch } from "./faulty-store.ts";
import { admitted, type ReadyScenario } from "./scenario.ts";
import { chosenFault, fault, tell, type World, workerClock } from "./world.ts";

/** How long a simulated lease is, and how often workers look for what others left, in ms. */
const LEASE_MS = 30_000;
const POLL_MS = 60_000;

/** Of the times that have passed so many start late. */
export const MISSED_MAX = 10;

/** Worker `worker` of a world. */
export function startWorker(
  world: World,
  worker: number,
  ready: ReadyScenario,
  inner: RunStore,
  { checker, watch }: { readonly checker: Checker; readonly watch: StoreWatch },
): Engine {
  tell(world, `worker ${worker} begins`);
  const random = randomNumbers(worker * 7919 + 1);
  let idCount = 0;
  const host = makeHost(
    {
      store: faultyStore(world, worker, inner, watch),
      registry: simulatedPorts(world, worker, ready.registry, checker),
      clock: workerClock(world, worker),
      ids: () => `w${worker}-${++idCount}`,
      random,
      logger: SILENT,
      limits: {
        ...DEFAULT_ENGINE_LIMITS,
        leaseMs: LEASE_MS,
        jobTimeoutMs: 4 * LEASE_MS,
        snapshotTurns: 3,
        missedStartsMax: MISSED_MAX,
      },
    },
    (flush) => void world.ready.push({ worker, label: "flush", happen: flush }),
  );
  const engine = engineOver(
    { ...host, versions: versionsOf(ready) },
    { prover: ready.prover, pollMs: POLL_MS },
  );
  engine.resume();
  return engine;
}

/** What a worker knows of versions: what it has read from the store, compiled for all simulations. */
function versionsOf(ready: ReadyScenario): Versions {
  const read = new Set<string>();
  return {
    known: (hash) => (read.has(hash) ? ready.versions.get(hash) : undefined),
    open: (row) => {
      read.add(row.hash);
      return admitted(ready, row);
    },
  };
}

/** An engine that does nothing but look. */
export function auditor({ registry, versions }: ReadyScenario, store: RunStore): Engine {
  const clock = { now: () => 0, schedule: () => () => {} };
  const host = makeHost({
    store,
    registry,
    clock,
    ids: () => "auditor",
    random: () => 0,
    logger: SILENT,
    limits: DEFAULT_ENGINE_LIMITS,
  });
  const known = { known: (hash: string) => versions.get(hash), open: host.versions.open };
  return engineOver({ ...host, versions: known }, { concurrency: 0 });
}

/** Every port, registered or not, answers when the world lets it, and may throw, hang, or be slower than a lease. */
function simulatedPorts(world: World, worker: number, registry: Registry, checker: Checker): Registry {
  return {
    ...registry,
    portOf: (owner, name) =>
      simulatedPort(world, worker, registry.portOf(owner, name) ?? anyAnswer(world, registry), checker),
  };
}

function simulatedPort(world: World, worker: number, port: Port, checker: Checker): Port {
  return (context) =>
    new Promise<HandlerResult | undefined>((resolve, reject) => {
      const { idempotencyKey: key, data } = context;
      tell(world, `worker ${worker} calls ${key}`);
      checker.called(key, canonicalJson(data as Json));
      const point = chosenFault(world, ["port:throw", "port:hang", "port:slow"], 0.1);
      if (point !== null) fault(world, point, worker);
      if (point === "port:hang") return;
      if (point === "port:throw") return reject(new Error("simulated: the port threw"));
      Promise.resolve()
        .then(() => port(context))
        .then(
          (value) =>
            answerLater(world, worker, point === "port:slow" ? 2 * LEASE_MS : 0, () => resolve(value)),
          (error) => answerLater(world, worker, 0, () => reject(error)),
        );
    });
}

function answerLater(world: World, worker: number, delayMs: number, happen: () => void): void {
  if (world.dead.has(worker)) return;
  if (delayMs === 0) world.ready.push({ worker, label: "port", happen });
  else world.wakes.add({ at: world.now + delayMs, worker, label: "port", happen });
}

/** A port that is not registered: some outcome of its node, mostly the first. */
function anyAnswer(world: World, { kinds }: Registry): Port {
  return ({ node }: PortContext) => {
    const outcomes = labelsOf(kinds, node);
    return { outcome: outcomes[world.choices.pick(outcomes.length, 0.7)] ?? "done" };
  };
}

function labelsOf(kinds: Registry["kinds"], node: WorkflowNode): readonly string[] {
  const alphabet = kinds.get(node.kind)?.alphabet(node) ?? [];
  return alphabet.filter((label) => label !== EXPIRED && label !== ERROR);
}
