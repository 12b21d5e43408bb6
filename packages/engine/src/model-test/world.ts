/** @module What a test holds while it plays actions: one store, some processes, and a model of each run. */
import type { Marking, OpenItem, Outcome } from "@tessera/core";
import type { RunId, RunStore } from "@tessera/persist";
import { type RunModel, runModel } from "@tessera/proofs";
import { DEFAULT_ENGINE_LIMITS } from "../limits.ts";
import type { RunView } from "../run-view.ts";
import { type Checker, makeChecker } from "../simulate/checker.ts";
import { type ReadyScenario, scenarioStore } from "../simulate/scenario.ts";
import type { ManualClock } from "../testing/manual-clock.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { countedStore } from "../testing/settle.ts";
import type { Version } from "../versions.ts";
import type { ModelAction } from "./action.ts";
import { beginProcess, type Process } from "./process.ts";
import { type WaitingCall, type WaitingCalls, waitingCalls } from "./waiting-port.ts";
import { watchedStore } from "./watched-store.ts";

/** A run with its model. `markings`: where the model has it; one marking after each look. */
export interface ModelledRun {
  readonly version: Version;
  readonly model: RunModel;
  markings: readonly Marking[];
  /** As the store had it when it was looked at last. */
  view: RunView;
}

/** An answer that was given to a run. */
export interface GivenAnswer {
  readonly run: RunId;
  readonly node: string;
  readonly outcomes: readonly Outcome[];
  /** False where the process died before it said what became of it. */
  readonly isCertain: boolean;
}

/** A completion that was sent, to be sent again. `sequence`: of the turn that it was acknowledged for, else null. */
export interface SentCompletion {
  readonly action: ModelAction & { readonly do: "complete" };
  readonly node: string;
  sequence: number | null;
}

/** The state of a test. */
export interface World {
  readonly ready: ReadyScenario;
  readonly store: RunStore;
  /** Folds what the store was given, beside the engine. */
  readonly checker: Checker;
  readonly violation: () => unknown;
  readonly clock: ManualClock;
  readonly settle: () => Promise<void>;
  readonly ports: WaitingCalls;
  readonly processes: Process[];
  processCount: number;
  readonly runs: Map<RunId, ModelledRun>;
  readonly models: Map<string, RunModel>;
  /** Who has claimed which task, by the answers to claims; undefined where a process died over one. */
  readonly claims: Map<string, string | null>;
  readonly sent: Map<string, SentCompletion>;
  /** The named graph that all runs share; null: each has its own. */
  readonly graph: string | null;
  /** Names of messages and signals that came from outside. */
  readonly published: Set<string>;
  /** Every action so far. */
  readonly script: ModelAction[];
  /** Answers since the last look. */
  given: GivenAnswer[];
}

/** Opens a world with `processes` processes over a store of its own. */
export async function openWorld(
  ready: ReadyScenario,
  processes: number,
  graph: string | null,
): Promise<World> {
  let now = (): number => 0;
  const checker = makeChecker(ready, DEFAULT_ENGINE_LIMITS.missedStartsMax, () => now());
  for (const row of ready.rows) checker.deployed(row);
  const watched = watchedStore(await scenarioStore(ready), checker);
  const { store, settle } = countedStore(watched.store);
  const clock = manualClock(settle);
  now = clock.now;
  const world: World = {
    ready,
    store,
    checker,
    violation: watched.violation,
    clock,
    settle,
    ports: waitingCalls(),
    processes: [],
    processCount: 0,
    runs: new Map(),
    models: new Map(),
    claims: new Map(),
    sent: new Map(),
    graph,
    published: new Set(),
    script: [],
    given: [],
  };
  for (let count = 0; count < processes; count += 1) world.processes.push(nextProcess(world));
  return world;
}

/** Ends everything. */
export async function closeWorld({ processes, store }: World): Promise<void> {
  for (const { die } of processes) die();
  await store.close();
}

/** A new process in the place of each dead one; then lets everything that is due happen. */
export async function comeToRest(world: World): Promise<void> {
  const { processes, clock } = world;
  await clock.advance(0);
  for (let again = true; again; ) {
    again = false;
    for (const [place, process] of processes.entries()) {
      if (!process.isDead()) continue;
      processes[place] = nextProcess(world);
      again = true;
    }
    if (again) await clock.advance(0);
  }
}

function nextProcess(world: World): Process {
  world.processCount += 1;
  return beginProcess(world, world.processCount, world.ports.portsOf);
}

/** Calls that somebody still waits for. */
export function openCalls({ ports, processes }: World): readonly WaitingCall[] {
  const alive = new Set(processes.filter(({ isDead }) => !isDead()).map(({ number }) => number));
  return ports.calls.filter(({ process, context }) => alive.has(process) && !context.signal.aborted);
}

/** Open items of all runs, oldest run first. */
export function openItems(
  { runs }: World,
  isWanted: (item: OpenItem) => boolean,
): readonly { readonly run: RunId; readonly item: OpenItem; readonly version: Version }[] {
  return [...runs].flatMap(([run, { view, version }]) =>
    view.items.filter(isWanted).map((item) => ({ run, item, version })),
  );
}

/** The model of the runs of a version; made once. */
export function modelOf({ models }: World, { hash, plan }: Version): RunModel {
  const known = models.get(hash) ?? runModel(plan.program.compiled);
  models.set(hash, known);
  return known;
}

/** How many runs no other run has called. */
export function rootRuns({ runs }: World): number {
  return [...runs.values()].filter(({ view }) => view.parent === null).length;
}
