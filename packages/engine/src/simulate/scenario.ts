/** @module A scenario made ready: its definitions proved and compiled once, to be run under any number of seeds. */
import type { Json } from "@tessera/core";
import { DEFAULT_TENANT, type DefinitionRow, memoryStore, type RunStore } from "@tessera/persist";
import type { Deployable, DeployOptions } from "../deploy.ts";
import { createEngine } from "../engine.ts";
import { accepted } from "../refusal.ts";
import { makeRegistry, type Registrations, type Registry } from "../registry.ts";
import type { WorkItem } from "../task.ts";
import { makeVersions, type Version } from "../versions.ts";
import { type PlaceInvariant, placeInvariants } from "./place-invariants.ts";

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
  readonly versions: ReadonlyMap<string, Version>;
  /** Place invariants of each version's net. */
  readonly invariants: ReadonlyMap<string, readonly PlaceInvariant[]>;
}

/** Deploys the definitions once, with the proofs that every deployment has. Throws RefusedError where that is refused. */
export async function readyScenario(scenario: Scenario): Promise<ReadyScenario> {
  const store = memoryStore();
  const {
    definitions,
    accept,
    starts: _starts,
    messages: _messages,
    answer: _answer,
    mayCancel: _cancel,
    store: _store,
    ...registrations
  } = scenario;
  const engine = createEngine({ ...registrations, store, concurrency: 0 });
  const registry = makeRegistry(registrations);
  const versions = new Map<string, Version>();
  const rows: DefinitionRow[] = [];
  const open = makeVersions(registry);
  for (const definition of definitions) {
    const deployed = accepted(await engine.deploy(definition, accept === undefined ? {} : { accept }));
    const built = "functions" in definition && definition.functions instanceof Map;
    if (built) registry.register(definition as Parameters<Registry["register"]>[0]);
    const row = await store.definition(deployed.hash);
    const version = row === null ? null : accepted(open.open(row));
    if (row === null || version === null) continue;
    rows.push(row);
    versions.set(row.hash, version);
  }
  await engine.close();
  const invariants = new Map(
    [...versions.values()].map(({ hash, plan }) => [hash, placeInvariants(plan.program.net)] as const),
  );
  return { scenario, registry, rows, versions, invariants };
}

/** The store of one simulation, with the definitions in it. */
export async function scenarioStore({ scenario, rows }: ReadyScenario): Promise<RunStore> {
  const store = scenario.store === undefined ? memoryStore() : await scenario.store();
  for (const row of rows) await store.putDefinition(DEFAULT_TENANT, row);
  return store;
}
