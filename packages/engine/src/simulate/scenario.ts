/** @module A scenario made ready: its definitions proved and compiled once, to be run under any number of seeds. */
import type { Json } from "@tessera/core";
import { DEFAULT_TENANT, type DefinitionRow, memoryStore, type RunStore } from "@tessera/persist";
import type { Deployable, DeployOptions } from "../deploy.ts";
import { createEngine } from "../engine.ts";
import { type Prover, staticProver } from "../prove.ts";
import { accepted } from "../refusal.ts";
import { makeRegistry, type Registrations, type Registry } from "../registry.ts";
import type { WorkItem } from "../task.ts";
import { makeVersions, type Version } from "../versions.ts";
import { type PlaceInvariant, placeInvariants } from "./place-invariants.ts";
import { START } from "./world.ts";

/** A run that a scenario starts. */
export interface ScenarioStart {
  readonly workflow: string;
  readonly id: string;
  readonly data?: { readonly [key: string]: Json };
  readonly graph?: string;
}

/**
 * A message, or with `on` a signal, that somebody publishes once the simulation has begun: at any time, in any order,
 * more than once. Without `ttlMs` it lives as long as the engine says, or only a moment.
 */
export interface ScenarioMessage {
  readonly on?: "message" | "signal";
  readonly name: string;
  readonly key?: string | number | boolean;
  readonly data?: { readonly [key: string]: Json };
  readonly ttlMs?: number;
  readonly id?: string;
}

/** What a person does with a work item. */
export interface PersonAnswer {
  readonly outcome?: string;
  readonly data?: { readonly [key: string]: Json };
}

/**
 * What is simulated: definitions (called ones first), what they need, the runs to start. A port that is not registered
 * answers under some outcome of its node; `answer` is what people do with a work item (default: some outcome, no data).
 */
export interface Scenario extends Registrations {
  readonly definitions: readonly Deployable[];
  readonly accept?: DeployOptions["accept"];
  readonly starts: readonly ScenarioStart[];
  /** What is deployed while the simulation goes on, in this order: later versions, and earlier ones again. */
  readonly deployments?: readonly Deployable[];
  /**
   * How long the world goes on at least, in ms: every time up to then at which a workflow is to start has its run. Default:
   * an hour if times start one of the workflows, else 0.
   */
  readonly lastsMs?: number;
  /** What is published while the runs go on; what a run still waits for then is published again. */
  readonly messages?: readonly ScenarioMessage[];
  readonly answer?: (
    item: Pick<WorkItem, "run" | "node" | "outcomes">,
    pick: (count: number) => number,
  ) => PersonAnswer;
  /** May people cancel runs? Default true. */
  readonly mayCancel?: boolean;
  /** The store under all workers (default: a memory store). */
  readonly store?: () => RunStore | Promise<RunStore>;
}

/** A scenario that is ready. */
export interface ReadyScenario {
  readonly scenario: Scenario;
  readonly registry: Registry;
  readonly rows: readonly DefinitionRow[];
  readonly versions: Map<string, Version>;
  /** Place invariants of each version's net. */
  readonly invariants: Map<string, readonly PlaceInvariant[]>;
  /** What was proved of each version: a worker that deploys it does not prove it again. */
  readonly prover: Prover;
  readonly lastsMs: number;
}

/** How long a world lasts that times start something in. */
const TIMED_MS = 3_600_000;

/**
 * Deploys the definitions once, and what is deployed later, with the proofs that every deployment has; at the time at
 * which every simulation begins. Throws RefusedError where that is refused.
 */
export async function readyScenario(scenario: Scenario): Promise<ReadyScenario> {
  const { definitions, deployments = [], accept, lastsMs } = scenario;
  const registrations = registrationsOf(scenario);
  const registry = makeRegistry(registrations);
  const prover = remembering(staticProver());
  const open = makeVersions(registry);
  const ready = {
    scenario,
    registry,
    prover,
    versions: new Map<string, Version>(),
    invariants: new Map<string, readonly PlaceInvariant[]>(),
  };
  const put: DefinitionRow[] = [];
  const inner = memoryStore();
  const store: RunStore = {
    ...inner,
    putDefinition: (tenant, row) => {
      put.push(row);
      return inner.putDefinition(tenant, row);
    },
  };
  const clock = { now: () => START, schedule: () => () => {} };
  const engine = createEngine({ ...registrations, store, prover, clock, concurrency: 0 });
  for (const definition of [...definitions, ...deployments]) {
    const built = "functions" in definition && definition.functions instanceof Map;
    if (built) registry.register(definition as Parameters<Registry["register"]>[0]);
    accepted(await engine.deploy(definition, accept === undefined ? {} : { accept }));
  }
  await engine.close();
  for (const row of put) admit(ready, accepted(open.open(row)));
  const isTimed = put.some(({ timers = [] }) => timers.length > 0);
  return { ...ready, rows: put.slice(0, definitions.length), lastsMs: lastsMs ?? (isTimed ? TIMED_MS : 0) };
}

/** The version of a row that somebody deploys; one that calls what is another version by now is new. */
export function admitted(ready: ReadyScenario, row: DefinitionRow): Version {
  const known = ready.versions.get(row.hash);
  return known ?? admit(ready, accepted(makeVersions(ready.registry).open(row)));
}

function admit(
  { versions, invariants }: Pick<ReadyScenario, "versions" | "invariants">,
  version: Version,
): Version {
  versions.set(version.hash, version);
  invariants.set(version.hash, placeInvariants(version.plan.program.net));
  return version;
}

/** A prover that proves the same once. */
function remembering(prover: Prover): Prover {
  const proofs = new Map<string, ReturnType<Prover>>();
  return (program, labels, footprints) => {
    const known = proofs.get(program.hash) ?? prover(program, labels, footprints);
    proofs.set(program.hash, known);
    return known;
  };
}

/** A scenario without what only simulations know. */
function registrationsOf(scenario: Scenario): Registrations {
  const {
    definitions: _definitions,
    deployments: _deployments,
    lastsMs: _lasts,
    accept: _accept,
    starts: _starts,
    messages: _messages,
    answer: _answer,
    mayCancel: _cancel,
    store: _store,
    ...registrations
  } = scenario;
  return registrations;
}

/** The store of one simulation, with the definitions in it. */
export async function scenarioStore({ scenario, rows }: ReadyScenario): Promise<RunStore> {
  const store = scenario.store === undefined ? memoryStore() : await scenario.store();
  for (const row of rows) await store.putDefinition(DEFAULT_TENANT, row);
  return store;
}
