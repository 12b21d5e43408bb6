/** @module @tessera/engine/fast-check: your definitions on the real engine, under random answers, times and faults. */
import fc from "fast-check";
import { type ModelAction, scriptOf } from "./model-test/action.ts";
import { type Choice, type Chooser, chooseAction } from "./model-test/choose.ts";
import { checkLaws, checkNothingLost } from "./model-test/laws.ts";
import { perform } from "./model-test/perform.ts";
import { closeWorld, openWorld, type World } from "./model-test/world.ts";
import { type ReadyScenario, readyScenario, type Scenario } from "./simulate/scenario.ts";

export type { ModelAction } from "./model-test/action.ts";

/** What is tested: definitions with what they need. A port that is registered answers itself when its call is let go on. */
export interface ModelOptions
  extends Omit<Scenario, "starts" | "messages" | "mayCancel" | "answer">,
    Pick<Chooser, "startData" | "answer"> {
  /** Processes that share the store (default 2). */
  readonly processes?: number;
  /** A named graph that all runs share (default: each has its own). */
  readonly graph?: string;
  /** Runs that the application starts in one test (default 3). */
  readonly runsMax?: number;
}

/** One command: it asks what there is to do, and does it. */
export type WorkflowCommand = fc.AsyncCommand<World, World>;

/** A model of workflows, and the engine that must follow it. */
export interface WorkflowModel {
  /** Lists of commands for `run`; they shrink to fewer ones and plainer choices. `size`: at most so many (default 20). */
  readonly commands: (options?: { readonly size?: number }) => fc.Arbitrary<Iterable<WorkflowCommand>>;
  /** Runs commands on an engine of their own. Rejects with what was violated, and the actions as a script for `play`. */
  readonly run: (commands: Iterable<WorkflowCommand>) => Promise<void>;
  /** Plays a script, checked in the same way. */
  readonly play: (actions: readonly ModelAction[]) => Promise<void>;
}

const KINDS: readonly (readonly [kind: Choice["kind"], weight: number])[] = [
  ["start", 3],
  ["complete", 8],
  ["answer", 6],
  ["advance", 3],
  ["publish", 3],
  ["again", 2],
  ["rival", 2],
  ["together", 3],
  ["claim", 1],
  ["release", 1],
  ["throw", 1],
  ["hang", 1],
  ["crash", 1],
  ["crash-in", 2],
  ["cancel", 1],
];

/**
 * A model of the given definitions. Each command does one thing to the engine, on a store of its own (default: in
 * memory) and a clock that only commands move: it starts a run, completes a work item with its form filled, claims,
 * lets two people answer at once, sends an answer again, lets a job succeed, throw or hang, publishes what is awaited,
 * moves the clock, or kills a process, in one of its next calls of the store if need be. After each command the laws of
 * D26.2 are checked: the run is where the token game of its definition can be, and the audit passes.
 *
 * Rejects with RefusedError where a definition cannot be deployed, RangeError where a run cannot be started.
 */
export function workflowModel(options: ModelOptions): WorkflowModel {
  const { processes = 2, runsMax = 3, graph = null, startData, answer, ...scenario } = options;
  const chooser: Chooser = {
    runsMax,
    ...(startData === undefined ? {} : { startData }),
    ...(answer === undefined ? {} : { answer }),
  };
  let ready: Promise<ReadyScenario> | null = null;
  const within = async (work: (world: World) => Promise<void>): Promise<void> => {
    ready ??= readyScenario({ ...scenario, starts: [] });
    const world = await openWorld(await ready, processes, graph);
    try {
      await work(world);
      await checkNothingLost(world);
    } catch (thrown) {
      throw withScript(thrown, world.script);
    } finally {
      await closeWorld(world);
    }
  };
  return {
    commands: ({ size = 20 } = {}) =>
      fc.commands(
        KINDS.flatMap(([kind, weight]) => Array.from({ length: weight }, () => commandOf(kind, chooser))),
        // Few commands that do much find more than many short lists.
        { maxCommands: size, size: "max" },
      ),
    run: (commands) => within((world) => fc.asyncModelRun(() => ({ model: world, real: world }), commands)),
    play: (actions) =>
      within(async (world) => {
        for (const action of actions) await doAction(world, action);
      }),
  };
}

function commandOf(kind: Choice["kind"], chooser: Chooser): fc.Arbitrary<WorkflowCommand> {
  const number = fc.nat({ max: 255 });
  return fc.tuple(number, number, number, fc.nat({ max: 1 })).map((numbers): WorkflowCommand => {
    const choice = { kind, numbers };
    return {
      check: () => true,
      run: async (_model, world) => {
        const action = firstAction(world, choice, chooser);
        if (action !== null) await doAction(world, action);
      },
      toString: () => `${kind}(${numbers.join()})`,
    };
  });
}

/** The action of the choice, or of another kind where there is nothing to do it to: no command is lost. */
function firstAction(world: World, choice: Choice, chooser: Chooser): ModelAction | null {
  for (const kind of [choice.kind, "complete", "answer", "publish", "start", "advance"] as const) {
    const action = chooseAction(world, { ...choice, kind }, chooser);
    if (action !== null) return action;
  }
  return null;
}

async function doAction(world: World, action: ModelAction): Promise<void> {
  await perform(world, action);
  await checkLaws(world);
}

/** The message says what was violated, and how to see it again. */
function withScript(thrown: unknown, script: readonly ModelAction[]): Error {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Error(`${message}\n\n${scriptOf(script)}\n`, { cause: thrown });
}
