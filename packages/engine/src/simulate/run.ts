/** @module One simulation: a scenario in a world until its runs have ended, with everything checked on the way. */
import { setImmediate } from "node:timers/promises";
import { InvariantViolation, type OpenItem } from "@tessera/core";
import { DEFAULT_TENANT, type RunStore } from "@tessera/persist";
import { hasEnded } from "../commands.ts";
import type { Engine } from "../engine.ts";
import { answerLabels } from "../input.ts";
import type { Refused } from "../refusal.ts";
import { taskId } from "../task.ts";
import { type Checker, makeChecker } from "./checker.ts";
import type { Choices } from "./choices.ts";
import { type Deployers, makeDeployers } from "./deployers.ts";
import { RARE_CALLS, type StoreWatch } from "./faulty-store.ts";
import { type LateStarts, watchTimes } from "./late-starts.ts";
import { makePublishers, type Publishers } from "./publishers.ts";
import { type RestWatch, watchRest } from "./rest.ts";
import { type ReadyScenario, scenarioStore } from "./scenario.ts";
import { SimulationViolation } from "./violation.ts";
import { auditor, MISSED_MAX, startWorker } from "./workers.ts";
import {
  type CrashPoint,
  chosenFault,
  clocksOf,
  count,
  fault,
  happenNext,
  killWorker,
  newWorld,
  START,
  tell,
  type World,
} from "./world.ts";

/** How one simulation went. `violation` is null when nothing was wrong. */
export interface SimulationRun {
  readonly violation: string | null;
  readonly choices: readonly number[];
  readonly faults: ReadonlyMap<string, number>;
  readonly events: number;
  readonly trace: readonly string[];
}

/** How much may happen. */
export interface SimulationLimits {
  /** Faults of one simulation. */
  readonly faultsMax: number;
  /** Events after which a run that has not ended never will. */
  readonly eventsMax: number;
  readonly workers: number;
  readonly crashAt?: CrashPoint;
  /** A fault point around a call of the store, such as "commit:after": the first such call meets it. */
  readonly aimedAt?: string;
}

/** The store under a simulation, seen by a bug that a test plants in it. */
export type Plant = (store: RunStore, pick: (count: number) => number) => RunStore;

/** A command of a person that may come again, late, and to another worker. */
interface Command {
  readonly label: string;
  /** Carries an id: once it was done, it is answered as done however often it comes. */
  readonly isRepeatable?: boolean;
  readonly give: (engine: Engine) => Promise<{ readonly kind: string }>;
}

interface Simulation {
  readonly world: World;
  readonly ready: ReadyScenario;
  readonly inner: RunStore;
  readonly planted: RunStore;
  readonly checker: Checker;
  readonly publishers: Publishers;
  readonly deployers: Deployers;
  readonly rest: RestWatch;
  readonly lateStarts: LateStarts;
  readonly engines: Map<number, Engine>;
  readonly given: Command[];
  readonly done: Set<Command>;
  readonly limits: SimulationLimits;
  /** The first violation that a callback met. */
  violation: unknown;
  workerCount: number;
  commandCount: number;
}

/** Runs a scenario under `choices`. The same choices give the same trace. */
export async function runSimulation(
  ready: ReadyScenario,
  choices: Choices,
  limits: SimulationLimits,
  plant: Plant = (store) => store,
): Promise<SimulationRun> {
  const world = newWorld(choices, limits.faultsMax, RARE_CALLS, limits.crashAt ?? null);
  world.aimedAt = limits.aimedAt ?? null;
  const inner = await scenarioStore(ready);
  const checker = makeChecker(ready, MISSED_MAX, () => Math.max(...clocksOf(world)));
  for (const row of ready.rows) checker.deployed(row);
  const simulation: Simulation = {
    world,
    ready,
    inner,
    planted: plant(inner, (count) => choices.pick(count, 0.9)),
    checker,
    publishers: makePublishers(
      world,
      ready.scenario.messages ?? [],
      checker.states,
      checker.post,
      (publication) => command(simulation, publication),
    ),
    deployers: makeDeployers(world, ready.scenario, ready.lastsMs, (deployment) => {
      const workers = [...simulation.engines.keys()];
      give(simulation, deployment, workers[world.choices.pick(workers.length)] ?? 0);
    }),
    rest: watchRest(world, checker.post, inner),
    lateStarts: watchTimes(world, checker.timetable),
    engines: new Map(),
    given: [],
    done: new Set(),
    limits,
    violation: null,
    workerCount: 0,
    commandCount: 0,
  };
  let events = 0;
  let violation: string | null = null;
  try {
    for (let count = 0; count < limits.workers; count += 1) beginWorker(simulation);
    for (const start of ready.scenario.starts) {
      command(simulation, { label: `start ${start.id}`, give: (engine) => engine.start(start) });
    }
    for (;;) {
      await setImmediate();
      if (simulation.violation !== null) throw simulation.violation;
      await simulation.rest.look();
      await simulation.lateStarts.look();
      if (isOver(simulation) && (await isSettled(simulation))) break;
      if (events >= limits.eventsMax)
        throw new SimulationViolation(`not over after ${events} events: ${stuck(simulation)}`);
      events += 1;
      disturb(simulation);
      if (!publish(simulation) && !act(simulation)) happenNext(world);
    }
    checker.post.settled();
    await audit(simulation);
  } catch (thrown) {
    if (!(thrown instanceof SimulationViolation || thrown instanceof InvariantViolation)) throw thrown;
    violation = thrown.message;
  } finally {
    for (const worker of simulation.engines.keys()) world.dead.add(worker);
    await inner.close();
  }
  return { violation, choices: choices.taken, faults: world.faults, events, trace: world.trace };
}

function beginWorker(simulation: Simulation): void {
  const { world, ready, planted, checker, rest, lateStarts } = simulation;
  simulation.workerCount += 1;
  const worker = simulation.workerCount;
  const done = (check: () => void): void => {
    attempt(simulation, check);
    rest.meet();
    lateStarts.meet();
  };
  const watch: StoreWatch = {
    committed: (turns) => done(() => checker.committed(turns)),
    published: (...what) => done(() => checker.post.published(...what)),
    broadcast: (...what) => done(() => checker.post.broadcast(...what)),
    looked: (...what) => attempt(simulation, () => checker.post.looked(...what)),
    listed: (...what) => attempt(simulation, () => checker.listed(...what)),
    deployed: (row) => done(() => checker.deployed(row)),
    timersLooked: (...what) => done(() => checker.timetable.looked(...what)),
    timerMoved: (...what) => done(() => checker.timetable.moved(...what)),
    died: (dead) => {
      simulation.engines.delete(dead);
      replaceWorker(simulation);
    },
  };
  if (simulation.engines.size > 0) count(world, "workers:several");
  const watched = {
    ...checker,
    called: (key: string, data: string) => attempt(simulation, () => checker.called(key, data)),
  };
  simulation.engines.set(worker, startWorker(world, worker, ready, planted, { checker: watched, watch }));
}

/** Somebody begins another worker, some time later. */
function replaceWorker(simulation: Simulation): void {
  const { world } = simulation;
  const delay = [1_000, 10_000, 60_000][world.choices.pick(3)] ?? 1_000;
  const happen = (): void => beginWorker(simulation);
  world.wakes.add({ at: world.now + delay, worker: 0, label: "restart", happen });
}

/** A worker is closed in order: it lets go of what it holds, unless it dies before. */
function closeWorker(simulation: Simulation, worker: number): void {
  const { world, engines } = simulation;
  const engine = engines.get(worker);
  if (engine === undefined) return;
  engines.delete(worker);
  world.closing.add(worker);
  void engine.close({ drainMs: [0, 5_000][world.choices.pick(2)] ?? 0 }).then(() => {
    if (world.dead.has(worker)) return;
    killWorker(world, worker);
    replaceWorker(simulation);
  });
}

function attempt(simulation: Simulation, check: () => void): void {
  try {
    check();
  } catch (thrown) {
    simulation.violation ??= thrown;
  }
}

/** Clocks jump, both ways; what a person sent comes twice, and late. */
function disturb(simulation: Simulation): void {
  const { world, engines, given } = simulation;
  const point = chosenFault(
    world,
    ["clock:forward", "clock:backward", "command:again", "command:late", "worker:closed"],
    0.03,
  );
  if (point === null) return;
  const workers = [...engines.keys()];
  const worker = workers[world.choices.pick(workers.length)] ?? 0;
  const [what] = point.split(":");
  if (what === "worker") {
    fault(world, point, worker);
    closeWorker(simulation, worker);
    return;
  }
  if (what === "clock") {
    const ms = [1_000, 60_000, 600_000][world.choices.pick(3)] ?? 1_000;
    world.skew.set(worker, (world.skew.get(worker) ?? 0) + (point === "clock:forward" ? ms : -ms));
    fault(world, point, worker);
    return;
  }
  const again = point === "command:again" ? given.at(-1) : given[world.choices.pick(given.length)];
  if (again === undefined) return;
  fault(world, point, worker);
  give(simulation, again, worker);
}

/** Somebody publishes something. */
function publish({ engines, publishers, world }: Simulation): boolean {
  return engines.size > 0 && publishers.act(world.ready.length === 0);
}

/** A person does something, sometimes; always when nothing else can happen. True if they did. */
function act(simulation: Simulation): boolean {
  const { world, checker } = simulation;
  if (simulation.engines.size === 0) return false;
  const open = [...checker.states].flatMap(([run, { state, version }]) =>
    state.items.filter(isForPeople).map((item) => ({ run, item, version })),
  );
  if (open.length === 0) return false;
  const isIdle = world.ready.length === 0;
  if (world.choices.pick(6, isIdle ? 0 : 0.7) === 0 && !isIdle) return false;
  const chosen = open[world.choices.pick(open.length)];
  if (chosen === undefined) return false;
  const { run, item, version } = chosen;
  if (world.choices.pick(4, 0.5) === 3) {
    browse(simulation, item.kind);
    return true;
  }
  if (item.kind === "intervention") {
    command(simulation, {
      label: `retry ${run}/${item.id}`,
      give: (engine) =>
        engine.workItems.retry({ task: taskId(run, item.id), by: { id: "op" }, reason: "simulated" }),
    });
    return true;
  }
  if (simulation.ready.scenario.mayCancel !== false && world.choices.pick(16, 0.5) === 15) {
    command(simulation, {
      label: `cancel ${run}`,
      give: (engine) => engine.run(run).cancel({ by: { id: "op" }, reason: "simulated" }),
    });
    return true;
  }
  const outcomes = answerLabels(version.plan, item.node).filter((label) => label !== "error");
  const answer = simulation.ready.scenario.answer?.({ run, node: item.node, outcomes }, (count) =>
    world.choices.pick(count, 0.5),
  );
  const outcome = answer?.outcome ?? outcomes[world.choices.pick(outcomes.length, 0.5)] ?? "done";
  simulation.commandCount += 1;
  const request = {
    task: taskId(run, item.id),
    by: { id: `person-${simulation.commandCount}`, groups: item.candidateGroups ?? [] },
    outcome,
    data: answer?.data ?? {},
    commandId: `c-${simulation.commandCount}`,
  };
  const label = `complete ${request.task} (${request.commandId})`;
  command(simulation, { label, isRepeatable: true, give: (engine) => engine.workItems.complete(request) });
  return true;
}

/** Somebody looks at what is open of a kind. */
function browse({ engines, world }: Simulation, kind: OpenItem["kind"]): void {
  const workers = [...engines.keys()];
  const worker = workers[world.choices.pick(workers.length)] ?? 0;
  tell(world, `worker ${worker} is asked for the open items`);
  engines
    .get(worker)
    ?.workItems.list({ kind, limit: 100 })
    .catch(() => undefined);
}

function isForPeople({ kind }: OpenItem): boolean {
  return kind === "work-item" || kind === "external" || kind === "intervention";
}

/** Gives a command to some worker; one that the worker does not live to answer is given again. */
function command(simulation: Simulation, order: Command): void {
  const { engines, world, given } = simulation;
  given.push(order);
  const workers = [...engines.keys()];
  give(simulation, order, workers[world.choices.pick(workers.length)] ?? 0);
}

function give(simulation: Simulation, order: Command, worker: number): void {
  const { engines, world, checker } = simulation;
  const engine = engines.get(worker);
  if (engine === undefined) return;
  tell(world, `worker ${worker} is told: ${order.label}`);
  const wasDone = simulation.done.has(order);
  order.give(engine).then(
    (answer) => {
      const done = answer as { readonly kind: string; readonly run?: string; readonly sequence?: number };
      if (done.kind === "done" && done.run !== undefined)
        attempt(simulation, () => checker.acknowledged(done.run ?? "", done.sequence ?? 0));
      if (done.kind === "done" || done.kind === "published") simulation.done.add(order);
      if ((answer as { readonly kind: string }).kind === "started")
        attempt(simulation, () => checker.acknowledged((answer as unknown as { readonly id: string }).id, 1));
      const { code } = answer as Partial<Refused>;
      if (
        code !== undefined &&
        code !== "busy" &&
        code !== "closed" &&
        order.isRepeatable === true &&
        wasDone
      )
        simulation.violation ??= new SimulationViolation(
          `${order.label} was done, and is refused now: ${code}`,
        );
      if (code !== undefined) tell(world, `worker ${worker} refuses ${order.label}: ${code}`);
    },
    (thrown) => {
      if (thrown instanceof InvariantViolation) simulation.violation ??= thrown;
    },
  );
}

/** Every run that was to start is there, and everything that is there has ended; a start that was lost is given again. */
function isOver(simulation: Simulation): boolean {
  const { checker, ready, world, engines } = simulation;
  const missing = ready.scenario.starts.filter(({ id }) => !checker.states.has(id));
  if (missing.length > 0 && world.ready.length === 0 && engines.size > 0) {
    for (const start of missing)
      command(simulation, { label: `start ${start.id}`, give: (engine) => engine.start(start) });
  }
  if (!simulation.publishers.areDone() || !simulation.rest.isQuiet()) return false;
  const end = START + ready.lastsMs;
  if (world.now < end || !simulation.deployers.areDone() || checker.timetable.overdue(end) !== null)
    return false;
  return missing.length === 0 && [...checker.states.values()].every(({ state }) => hasEnded(state));
}

/** Nothing is owed any more: no command between runs is left. Asked of the store itself. */
async function isSettled({ inner }: Simulation): Promise<boolean> {
  return (await inner.nextEffect()) === null && (await inner.nextDue()) === null;
}

function stuck({ checker }: Simulation): string {
  const waiting = [...checker.states].filter(([, { state }]) => !hasEnded(state));
  const lines = waiting.map(
    ([run, { state }]) => `${run} is ${state.status} at ${state.items.map(({ id }) => id).join(" ")}`,
  );
  return lines.length === 0 ? "all runs have ended, and something is still owed" : lines.join("; ");
}

/** The whole audit, by an engine that has seen nothing of it. */
async function audit({ inner, ready }: Simulation): Promise<void> {
  const engine = auditor(ready, inner);
  const { runs, graphs } = await engine.audit();
  const broken = [...runs, ...graphs].filter(({ verdict }) => verdict !== "ok");
  await engine.close();
  const findings = broken.flatMap(({ findings: all }) =>
    all.map(({ check, message }) => `${check}: ${message}`),
  );
  if (broken.length > 0) throw new SimulationViolation(`the audit fails: ${findings.join("; ")}`);
  const stored = await inner.runs({ tenant: DEFAULT_TENANT, limit: 1_000 });
  if (stored.rows.length !== runs.length) throw new SimulationViolation("the audit has not seen every run");
}
