/** @module A host that runs a fragment itself, turn by turn: it keeps the run as text between two steps, and nothing else is left. */
import {
  canonicalJson,
  type Definition,
  EMPTY_GRAPH,
  graphJson,
  initialState,
  type Json,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
  type RunState,
  type TurnRecord,
} from "@tessera/core";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { accepted, type Plan, step } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import type { InputEvent } from "../src/turn.ts";
import { flow } from "./definitions.ts";
import { arbitraryMoves, arbitraryStart, inputOf } from "./drive.ts";
import { type BareRun, completing, environment, planOf, result, starting } from "./host.ts";
import { arbitraryProgram, type Program } from "./workflow-arbitrary.ts";

type Step = typeof step;

/** What the host has between two turns. `plan` can be made again from the definition. */
interface Kept {
  readonly definition: Definition;
  readonly plan: Plan;
  readonly state: RunState;
  readonly graph: ProductGraph;
}

const asIs = (kept: Kept): Kept => kept;

/** Everything goes to text and comes back, the definition too. */
function throughText({ definition, state, graph }: Kept): Kept {
  const text = JSON.stringify({
    definition,
    state: { ...state, marking: Array.from(state.marking) },
    objects: objectsOf(graph),
  });
  const read = JSON.parse(text) as { definition: Definition; state: RunState; objects: ProductObject[] };
  const { definition: again } = read;
  return { definition: again, plan: planOf(again), state: read.state, graph: productGraph(read.objects) };
}

interface Ended {
  readonly records: readonly TurnRecord[];
  readonly state: RunState;
  readonly graph: ProductGraph;
}

/** Runs a program on recorded inputs, one firing a turn; `between` is what happens to the run between two turns. */
function played(
  { definition, functions }: Program,
  inputs: (run: BareRun) => InputEvent | null,
  between: (kept: Kept) => Kept,
  turn: Step = step,
): Ended {
  const plan = planOf(definition);
  let kept: Kept = { definition, plan, state: initialState(plan.program), graph: EMPTY_GRAPH };
  const records: TurnRecord[] = [];
  const run = { now: 1_000 } as BareRun;
  const submit = (event: InputEvent): boolean => {
    kept = between(kept);
    const env = environment({ functions, limits: { firingsMax: 1, stepsMax: 200 } }, run.now, kept.graph);
    const ready = turn(kept.plan, kept.state, event, env);
    if (ready.kind === "refused") return false;
    records.push(ready.record);
    kept = { ...kept, state: ready.state, graph: ready.graph };
    return ready.isUnfinished;
  };
  for (;;) {
    const event = inputs(Object.assign(run, { plan: kept.plan, state: kept.state }));
    if (event === null) return { records, state: kept.state, graph: kept.graph };
    for (let more = submit(event); more; ) more = submit({ input: { kind: "continue" } });
  }
}

const bytes = ({ records, state, graph }: Ended): string =>
  canonicalJson([
    records,
    { ...state, marking: Array.from(state.marking) },
    graphJson(graph),
  ] as unknown as Json);

/** Law: recorded inputs give the same bytes again, whether the run was kept in memory or as text between any two steps. */
function keepsNothing(turn: Step): void {
  fc.assert(
    fc.property(arbitraryProgram, arbitraryStart, arbitraryMoves, (program, data, moves) => {
      const recorded: { readonly event: InputEvent; readonly now: number }[] = [];
      let at = -1;
      const first = played(
        program,
        (run) => {
          for (; at < moves.length; ) {
            const move = moves[at];
            const event = at < 0 ? starting(data) : move === undefined ? null : inputOf(run, move);
            at += 1;
            if (event === null) continue;
            recorded.push({ event, now: run.now });
            return event;
          }
          return null;
        },
        asIs,
        turn,
      );
      const again = (between: (kept: Kept) => Kept) => {
        const left = [...recorded];
        return played(
          program,
          (run) => {
            const next = left.shift();
            if (next !== undefined) run.now = next.now;
            return next?.event ?? null;
          },
          between,
          turn,
        );
      };
      expect(bytes(again(asIs))).toBe(bytes(first));
      expect(bytes(again(throughText))).toBe(bytes(first));
    }),
    turn === step ? { numRuns: 40 } : { numRuns: 300, endOnFailure: true },
  );
}

/** A job, a person, a choice and a timer. */
const FIXTURE = flow(
  "w",
  [
    ["begin", "start"],
    ["price", "tool"],
    ["look", "human", { outcomes: ["yes", "no"] }],
    ["size", "decision"],
    ["pause", "timer", { duration: "PT1H" }],
    ["sold", "end", { outcome: "sold" }],
    ["kept", "end", { outcome: "kept" }],
  ],
  [
    ["begin", "price"],
    ["price", "look"],
    ["price", "kept", "error"],
    ["look", "size", "yes"],
    ["look", "kept", "no"],
    ["size", "pause", "done", { guard: { key: "price", op: "atLeast", value: 5 } }],
    ["size", "sold", "done", { default: true }],
    ["pause", "sold"],
  ],
);

/** The engine owns the loop: it calls the port, keeps the work list and the clock. */
async function fullLoop(price: number, answer: "yes" | "no") {
  const { engine, clock, settle, store } = testEngine({ ports: { price: () => ({ patch: { price } }) } });
  accepted(await engine.deploy(FIXTURE));
  const run = accepted(await engine.start({ workflow: "w", id: "r", data: { item: "chair" } }));
  await settle();
  accepted(
    await engine.workItems.complete({
      task: "r/look.1",
      by: { id: "ann" },
      outcome: answer,
      data: { note: answer },
    }),
  );
  await clock.advance("PT1H");
  expect(await run.result()).toMatchObject({ status: "completed" });
  const rows = await store.journal("default", "r", 0, 100);
  return { records: rows.flatMap(({ record }) => record ?? []), view: accepted(await run.state()) };
}

/** The host owns everything: it asks for a fragment when it has an answer, at the times and with the seeds of `script`. */
function byFragments(price: number, answer: "yes" | "no", script: readonly TurnRecord[]) {
  let state = initialState(planOf(FIXTURE).program);
  const records: TurnRecord[] = [];
  const answers: Readonly<Record<string, () => InputEvent>> = {
    start: () => starting({ item: "chair" }),
    result: () => result(item("price"), "done", { price }),
    complete: () => completing(item("look"), answer, { note: answer }),
    timer: () => ({ input: { kind: "timer", item: item("pause").id, dueAt: item("pause").dueAt ?? 0 } }),
  };
  const item = (node: string) => {
    const found = state.items.find((each) => each.node === node);
    if (found === undefined) throw new Error(`nothing is open at "${node}"`);
    return found;
  };
  for (const { input, at, seed } of script) {
    const event = answers[input.kind]?.();
    if (event === undefined) throw new Error(`no answer for "${input.kind}"`);
    const env = { ...environment({}, at), seed: seed ?? "none" };
    const ready = step(planOf(FIXTURE), state, event, env);
    if (ready.kind === "refused") throw new Error(ready.message);
    records.push(ready.record);
    state = ready.state;
    expect(vi.getTimerCount()).toBe(0);
  }
  return { records, state };
}

describe("fragments", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("[D9.1] [D3.1] [HZ-37] [HZ-38] between two steps there is nothing but the run: as text and back, it goes on to the same bytes", () => {
    keepsNothing(step);
  });

  it("[D9.1] the law catches a turn that remembers what it made", () => {
    const made = new WeakSet<RunState>();
    const remembering: Step = (plan, state, event, env) => {
      const isKnown = made.has(state) || state.sequence === 0;
      const ready = step(plan, state, event, { ...env, now: isKnown ? env.now : env.now + 1 });
      if (ready.kind === "turn") made.add(ready.state);
      return ready;
    };
    expect(() => keepsNothing(remembering)).toThrow("Property failed");
  });

  it("[D9.1] [HZ-03] a fragment is run at a decision point: it returns at a wait or an end, and nothing is scheduled", () => {
    vi.useFakeTimers();
    const plan = planOf(FIXTURE);
    const started = step(plan, initialState(plan.program), starting({ item: "chair" }), environment());
    if (started.kind === "refused") throw new Error(started.message);
    expect(started).toMatchObject({
      isUnfinished: false,
      state: { status: "running", items: [{ kind: "job" }] },
    });
    const [job] = started.state.items;
    if (job === undefined) throw new Error("no job");
    const priced = step(plan, started.state, result(job, "done", { price: 7 }), environment());
    if (priced.kind === "refused") throw new Error(priced.message);
    expect(priced.state).toMatchObject({ status: "waiting", modes: ["waiting_human"] });
    const [task] = priced.state.items;
    if (task === undefined) throw new Error("no task");
    const timed = step(plan, priced.state, completing(task, "yes"), environment());
    expect(timed).toMatchObject({ state: { status: "waiting", modes: ["waiting_timer"] } });
    expect(step(plan, priced.state, completing(task, "no"), environment())).toMatchObject({
      state: { status: "completed" },
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [7, "yes", ["start", "result", "complete", "timer"]],
    [2, "yes", ["start", "result", "complete"]],
    [7, "no", ["start", "result", "complete"]],
  ] as const)(
    "[D9.1] [HZ-05] one definition, by calls of fragments and by the engine's own loop: the same trace (price %i, %s)",
    async (price, answer, inputs) => {
      const { records, view } = await fullLoop(price, answer);
      expect(records.map(({ input }) => input.kind)).toEqual(inputs);
      vi.useFakeTimers();
      const host = byFragments(price, answer, records);
      const traces = (some: readonly TurnRecord[]) =>
        some.map(({ at, input, steps, terminal = null }) => ({
          at,
          kind: input.kind,
          steps,
          terminal,
        }));
      expect(traces(host.records)).toEqual(traces(records));
      expect(host.state).toMatchObject({ status: view.status, data: view.data });
    },
  );
});
