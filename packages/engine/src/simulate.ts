/** @module @tessera/engine/simulate: your definitions under every crash point and many interleavings, in your own tests. */
import { listedChoices, seededChoices, shrinkChoices } from "./simulate/choices.ts";
import { type Plant, runSimulation, type SimulationLimits, type SimulationRun } from "./simulate/run.ts";
import { type ReadyScenario, readyScenario, type Scenario } from "./simulate/scenario.ts";

export { pointsOf, STORE_CALLS, WORLD_POINTS } from "./simulate/faulty-store.ts";
export type { Plant, SimulationLimits, SimulationRun } from "./simulate/run.ts";
export {
  type PersonAnswer,
  type ReadyScenario,
  readyScenario,
  type Scenario,
  type ScenarioMessage,
  type ScenarioStart,
} from "./simulate/scenario.ts";

/** How much to simulate. */
export interface SimulateOptions extends Partial<SimulationLimits> {
  /** Seeds (default 100), from `firstSeed` (default 1) on. */
  readonly seeds?: number;
  readonly firstSeed?: number;
  /** Simulations that are spent on making a failure smaller (default 300). */
  readonly shrinksMax?: number;
  /** Plants a bug under the engine: for tests of the simulation itself. */
  readonly plant?: Plant;
  /** Told after each seed. */
  readonly onSeed?: (seed: number, run: SimulationRun) => void;
}

/** The first failure. `choices` is the smallest list found under which it happens: `replaySimulation` shows it again. */
export interface SimulationFailure {
  readonly seed: number;
  readonly violation: string;
  readonly choices: readonly number[];
  readonly trace: readonly string[];
}

/** What was simulated. `faults`: how often each fault point was hit. */
export interface SimulationReport {
  readonly seeds: number;
  readonly events: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly failure: SimulationFailure | null;
}

const LIMITS: SimulationLimits = { faultsMax: 8, eventsMax: 20_000, workers: 2 };

/**
 * Runs a scenario once for each seed, until one fails. Two workers share a store; calls of the store fail, are answered
 * twice and out of order, processes die in any of them, ports throw, hang and are slow, clocks jump, leases expire,
 * people do what they want and send it again, messages and signals come early, late and twice, newer versions are deployed
 * while times start the older ones. After every event: the turns that were taken follow from each other and keep the place invariants of the net, statuses are those of the
 * markings, every item has one winner, timers fire once, G changes through the gate, messages keep their laws (D17.14),
 * times that start workflows theirs (D17.15), what was acknowledged is stored; at the end every run has ended, nothing is owed, and the audit passes. A failure is made smaller and can be replayed.
 *
 * Ports that answer by themselves must not use timers of the machine: the order of events would not be the seed's.
 */
export async function simulate(
  scenario: Scenario | ReadyScenario,
  options: SimulateOptions = {},
): Promise<SimulationReport> {
  const { seeds = 100, firstSeed = 1, shrinksMax = 300, plant, onSeed } = options;
  const limits = limitsOf(options);
  const ready = await prepared(scenario);
  const faults = new Map<string, number>();
  let events = 0;
  for (let count = 0; count < seeds; count += 1) {
    const seed = firstSeed + count;
    const run = await runSimulation(ready, seededChoices(seed), limits, plant);
    events += run.events;
    for (const [point, hits] of run.faults) faults.set(point, (faults.get(point) ?? 0) + hits);
    onSeed?.(seed, run);
    if (run.violation === null) continue;
    const failure = await smallest(ready, seed, run, limits, shrinksMax, plant);
    return { seeds: count + 1, events, faults, failure };
  }
  return { seeds, events, faults, failure: null };
}

/**
 * Runs a scenario with the death of the worker before, and after, each single call of the store: every crash point of one
 * order of events, a simulation each. `seeds`: the orders that are tried (default 1).
 */
export async function simulateCrashes(
  scenario: Scenario | ReadyScenario,
  options: SimulateOptions = {},
): Promise<SimulationReport> {
  const { seeds = 1, firstSeed = 1, plant } = options;
  const ready = await prepared(scenario);
  const faults = new Map<string, number>();
  let [events, count] = [0, 0];
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    for (let call = 1, isMore = true; isMore; call += 1) {
      for (const point of ["death-before", "death-after"] as const) {
        const limits = { ...limitsOf(options), faultsMax: 0, crashAt: { call, point } };
        const run = await runSimulation(ready, seededChoices(seed), limits, plant);
        count += 1;
        events += run.events;
        isMore = [...run.faults.keys()].some((name) => name.endsWith(point));
        for (const [name, hits] of run.faults) faults.set(name, (faults.get(name) ?? 0) + hits);
        if (run.violation === null) continue;
        const { violation, choices, trace } = run;
        return { seeds: count, events, faults, failure: { seed, violation, choices, trace } };
      }
    }
  }
  return { seeds: count, events, faults, failure: null };
}

/** Runs a scenario under the choices of a failure. */
export async function replaySimulation(
  scenario: Scenario | ReadyScenario,
  choices: readonly number[],
  options: SimulateOptions = {},
): Promise<SimulationRun> {
  return runSimulation(await prepared(scenario), listedChoices(choices), limitsOf(options), options.plant);
}

/** A failure in words: the seed, what was violated, the choices to replay it, and what happened. */
export function describeFailure({ seed, violation, choices, trace }: SimulationFailure): string {
  return [`seed ${seed}: ${violation}`, `choices: [${choices.join(", ")}]`, ...trace.slice(-60)].join("\n");
}

/** What was made ready before is not proved again. */
async function prepared(scenario: Scenario | ReadyScenario): Promise<ReadyScenario> {
  return "versions" in scenario ? scenario : readyScenario(scenario);
}

function limitsOf(options: SimulateOptions): SimulationLimits {
  const { faultsMax = LIMITS.faultsMax, eventsMax = LIMITS.eventsMax, workers = LIMITS.workers } = options;
  const { aimedAt } = options;
  return { faultsMax, eventsMax, workers, ...(aimedAt === undefined ? {} : { aimedAt }) };
}

async function smallest(
  ready: ReadyScenario,
  seed: number,
  found: SimulationRun,
  limits: SimulationLimits,
  shrinksMax: number,
  plant: Plant | undefined,
): Promise<SimulationFailure> {
  let best = found;
  const fails = async (candidate: readonly number[]): Promise<boolean> => {
    const run = await runSimulation(ready, listedChoices(candidate), limits, plant);
    if (run.violation !== null) best = run;
    return run.violation !== null;
  };
  const choices = await shrinkChoices(found.choices, fails, shrinksMax);
  return { seed, violation: best.violation ?? "", choices, trace: best.trace };
}
