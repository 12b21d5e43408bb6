/** @module The laws of a turn, on random workflows with unruly bodies, and on broken turns, which must not pass. */
import {
  applyTurn,
  canonicalJson,
  commitMutation,
  EMPTY_GRAPH,
  enabledTransitions,
  graphJson,
  initialState,
  isFinal,
  type Json,
  type OpenItem,
  type ProductGraph,
  type RunState,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { step } from "../src/step.ts";
import type { InputEvent, StepEnvironment, TurnReady } from "../src/turn.ts";
import { arbitraryMoves, arbitraryStart, inputOf } from "./drive.ts";
import { type BareRun, environment, planOf, starting } from "./host.ts";
import { arbitraryProgram } from "./workflow-arbitrary.ts";

type Step = typeof step;

/** One turn with everything around it. */
interface Observed {
  readonly run: BareRun;
  readonly before: RunState;
  readonly graphBefore: ProductGraph;
  readonly event: InputEvent;
  readonly env: StepEnvironment;
  readonly ready: TurnReady;
}

type Law = (observed: Observed, turn: Step) => void;

/** Drives random runs by `turn` and holds each of its turns against `law`. */
function check(law: Law, turn: Step = step): void {
  fc.assert(
    fc.property(
      arbitraryProgram,
      arbitraryStart,
      arbitraryMoves,
      ({ definition, functions }, data, moves) => {
        const plan = planOf(definition);
        let state = initialState(plan.program);
        let graph: ProductGraph = EMPTY_GRAPH;
        const run = { plan, now: 1_000 } as BareRun;
        const submit = (event: InputEvent): void => {
          const env = environment({ functions, limits: { firingsMax: 20, stepsMax: 400 } }, run.now, graph);
          const ready = turn(plan, state, event, env);
          if (ready.kind === "refused") return;
          law({ run, before: state, graphBefore: graph, event, env, ready }, turn);
          state = ready.state;
          graph = ready.graph;
          run.state = state;
          for (let more = ready.isUnfinished; more; ) {
            const next = turn(plan, state, { input: { kind: "continue" } }, { ...env, graph });
            if (next.kind === "refused") throw new Error(next.message);
            law(
              {
                run,
                before: state,
                graphBefore: graph,
                event: { input: { kind: "continue" } },
                env: { ...env, graph },
                ready: next,
              },
              turn,
            );
            state = next.state;
            graph = next.graph;
            run.state = state;
            more = next.isUnfinished;
          }
        };
        submit(starting(data));
        for (const move of moves) {
          const event = inputOf(run, move);
          if (event !== null) submit(event);
        }
      },
    ),
    turn === step ? { numRuns: 60 } : { numRuns: 300, endOnFailure: true },
  );
}

const replays: Law = ({ run, before, ready }) => {
  const applied = applyTurn(run.plan.program, before, ready.record);
  expect(applied).toEqual({ kind: "applied", state: ready.state });
};

const isDeterministic: Law = ({ run, before, event, env, ready }, turn) => {
  const again = turn(run.plan, before, event, env);
  const bytes = (made: typeof again) =>
    made.kind === "turn"
      ? canonicalJson([made.record, made.state, graphJson(made.graph)] as unknown as Json)
      : "refused";
  expect(bytes(again)).toBe(bytes(ready));
};

/** Oracle: the plain firing rule on the marking, and the items one by one. */
const statusAgrees: Law = ({ run, ready }) => {
  const { state } = ready;
  const { net, automatic } = run.plan.program;
  const held = new Set(state.items.filter(({ kind }) => kind === "intervention").map(({ node }) => node));
  const isFree = (t: number) =>
    automatic[t] === 1 && !held.has(run.plan.nodes[net.transitions[t]?.origin?.node ?? -1]?.id ?? "");
  const isMoving =
    enabledTransitions(net, state.marking).some(isFree) || state.items.some(({ kind }) => kind === "job");
  const expected =
    state.terminal !== null
      ? state.terminal.kind
      : isFinal(net, state.marking)
        ? "completed"
        : isMoving
          ? "running"
          : "waiting";
  expect(state.status).toBe(expected);
  expect(state.modes.length > 0).toBe(state.status === "waiting");
};

/** O11 and 20.4: each token at rest has exactly one item, each item its token. */
const itemsAreTokens: Law = ({ run, ready }) => {
  const { state } = ready;
  if (state.terminal !== null) return expect(state.items).toEqual([]);
  const { net, restNode, automatic } = run.plan.program;
  const resting = [...restNode]
    .filter(([place]) => (state.marking[place] ?? 0) > 0)
    .map(([, node]) => run.plan.nodes[node]?.id ?? "");
  const isResting = ({ node }: OpenItem) => resting.includes(node);
  const owners = state.items.filter(isResting).map(({ node }) => node);
  expect([...owners].sort()).toEqual([...resting].sort());
  const enabled = enabledTransitions(net, state.marking).filter((t) => automatic[t] === 1);
  const nodes = enabled.map((t) => run.plan.nodes[net.transitions[t]?.origin?.node ?? -1]?.id);
  for (const item of state.items.filter((each) => !isResting(each))) {
    expect(item.kind).toBe("intervention");
    expect(nodes).toContain(item.node);
  }
};

/** O10: G after the turn is G before it, through the gate, by the recorded mutations and nothing else. */
const graphIsGated: Law = ({ graphBefore, ready }) => {
  let graph = graphBefore;
  for (const recorded of ready.record.steps) {
    if (recorded.mutation === undefined) continue;
    const gate = commitMutation(graph, recorded.mutation, []);
    expect(gate.kind).toBe("committed");
    graph = gate.graph;
  }
  expect(graphJson(ready.graph)).toEqual(graphJson(graph));
  expect(ready.mutations).toEqual(
    ready.record.steps.flatMap(({ mutation }) => (mutation === undefined ? [] : [mutation])),
  );
};

/** O8: a pass key is set by its verifier only; a body, a job or a person that tries leaves no trace of it. */
const verdictsAreHonest: Law = ({ run, ready }) => {
  for (const recorded of ready.record.steps) {
    const verifier = run.plan.nodes[run.plan.nodeIndex.get(recorded.node ?? "") ?? -1];
    for (const op of recorded.patch?.ops ?? []) {
      const key = String(op.path[0]);
      if (!run.plan.passKeys.has(key) || op.kind === "unset") continue;
      expect(verifier?.kind).toBe("verifier");
      expect(verifier?.meta?.["passKey"]).toBe(key);
    }
  }
};

/** O11: an input on one item leaves every other item, and its token, as they are, unless a reset took them. */
const othersStay: Law = ({ run, before, event, ready }) => {
  if (ready.state.terminal !== null || !("item" in event.input)) return;
  const { item } = event.input;
  const { net } = run.plan.program;
  const fired = ready.record.steps.flatMap((each) => each.fired ?? []);
  if (fired.some((t) => (net.transitions[t]?.reset.length ?? 0) > 0)) return;
  for (const other of before.items.filter(({ id, kind }) => id !== item && kind !== "intervention")) {
    expect(ready.state.items).toContainEqual(other);
  }
  expect(ready.record.sequence).toBe(before.sequence + 1);
};

/** Tampers with the turns of the true step. */
function broken(tamper: (ready: TurnReady) => TurnReady): Step {
  return (plan, state, event, env) => {
    const ready = step(plan, state, event, env);
    return ready.kind === "turn" ? tamper(ready) : ready;
  };
}

describe("the laws of a turn", () => {
  it("[D9.1] [D3.1] [C20-12] the state of a turn is the fold of its record", () => check(replays));
  it("[D9.1] [C20-14] the same arguments give the same bytes", () => check(isDeterministic));
  it("[D9.1] [D3.2] [C20-82] [C20-81] [C20-13] O16: the status is that of the marking and the items", () =>
    check(statusAgrees));
  it("[D9.2] [C20-78] O11: each token at rest has exactly one open item, and each item its token", () =>
    check(itemsAreTokens));
  it("[D20.5] [C20-16] [C20-76] [C20-15] O10: G changes through the gate only", () => check(graphIsGated));
  it("[D20.5] [C20-60] only its verifier writes a pass key", () => check(verdictsAreHonest));
  it("[D9.4] [C20-78] O11: an input on one item leaves the others as they are", () => check(othersStay));
});

describe("broken turns do not pass the laws", () => {
  const cases: readonly (readonly [name: string, law: Law, turn: Step])[] = [
    [
      "a status set by hand",
      statusAgrees,
      broken((ready) => ({ ...ready, state: { ...ready.state, status: "running" } })),
    ],
    [
      "a status set by hand, seen by replay",
      replays,
      broken((ready) => ({ ...ready, state: { ...ready.state, status: "running" } })),
    ],
    [
      "an item that is forgotten",
      itemsAreTokens,
      broken((ready) => ({ ...ready, state: { ...ready.state, items: ready.state.items.slice(1) } })),
    ],
    [
      "a patch that is not recorded",
      replays,
      broken((ready) => ({
        ...ready,
        record: { ...ready.record, steps: ready.record.steps.map(({ patch: _, ...rest }) => rest) },
      })),
    ],
    [
      "a graph that is written past the gate",
      graphIsGated,
      broken((ready) => {
        const gate = commitMutation(
          ready.graph,
          {
            create: [{ id: `past-${ready.record.sequence}`, type: "t", payload: {}, links: [] }],
            update: [],
            delete: [],
          },
          [],
        );
        return { ...ready, graph: gate.graph };
      }),
    ],
    [
      "a verdict by whoever likes",
      verdictsAreHonest,
      (plan, state, event, env) => step({ ...plan, passKeys: new Set() }, state, event, env),
    ],
    [
      "a clock in the turn",
      isDeterministic,
      (() => {
        let tick = 0;
        return (plan, state, event, env) => {
          tick += 1;
          return step(plan, state, event, { ...env, now: env.now + tick });
        };
      })(),
    ],
    [
      "items that are all opened anew",
      othersStay,
      broken((ready) => ({
        ...ready,
        state: {
          ...ready.state,
          items: ready.state.items.map((item) => ({ ...item, openedAt: ready.record.sequence })),
        },
      })),
    ],
  ];
  for (const [name, law, turn] of cases) {
    it(`[D9.1] ${name} is caught`, () => {
      expect(() => check(law, turn)).toThrow();
    });
  }
});
