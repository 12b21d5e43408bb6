import {
  applyTurn,
  enabledTransitions,
  type ItemKind,
  initialState,
  type OpenItem,
  type Program,
  type RunState,
  type StepRecord,
  type TurnRecord,
  tokenNodes,
  type WorkflowDefinition,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { smallWorkflow } from "./workflow-arbitrary.ts";
import { programOf } from "./workflow-text.ts";

const STATES_MAX = 250;

/** The item that a token on the rest place of a node of this kind waits for. */
const ITEM: Readonly<Record<string, ItemKind>> = { human: "work-item", tool: "job", timer: "timer" };

/** Every sequence of transitions that is one step from `state`: a transition, with each way through the chain behind it. */
function stepsFrom({ net }: Program, marking: RunState["marking"]): readonly (readonly number[])[] {
  const isChain = (t: number) => ["take", "skip"].includes(net.transitions[t]?.origin?.phase ?? "");
  const through = (from: readonly number[], at: RunState["marking"]): readonly (readonly number[])[] => {
    const moves = enabledTransitions(net, at).filter(isChain);
    return moves.length === 0 ? [from] : moves.flatMap((t) => through([...from, t], after(at, t)));
  };
  const after = (at: RunState["marking"], t: number) => {
    const next = Array.from(at);
    for (const [place, weight] of net.transitions[t]?.pre ?? []) next[place] = (next[place] ?? 0) - weight;
    for (const place of net.transitions[t]?.reset ?? []) next[place] = 0;
    for (const [place, weight] of net.transitions[t]?.post ?? []) next[place] = (next[place] ?? 0) + weight;
    return next;
  };
  return enabledTransitions(net, marking).flatMap((t) => through([t], after(marking, t)));
}

/** The turn of one step: a start opens the node's item, a finish closes it, a reset closes those that it emptied. */
function turnOf(
  program: Program,
  definition: WorkflowDefinition,
  state: RunState,
  fired: readonly number[],
): TurnRecord {
  const sequence = state.sequence + 1;
  const transition = program.net.transitions[fired[0] ?? -1];
  const node = definition.nodes[transition?.origin?.node ?? -1];
  const phase = transition?.origin?.phase;
  const kind = ITEM[node?.kind ?? ""];
  const isOpening = phase === "start" && node !== undefined && kind !== undefined;
  const opened: readonly OpenItem[] = isOpening
    ? [{ id: `${sequence}.0`, kind, node: node.id, openedAt: 0 }]
    : [];
  const emptied = new Set((transition?.reset ?? []).map((place) => program.restNode.get(place)));
  const closed = state.items.filter((item) => {
    const index = definition.nodes.findIndex(({ id }) => id === item.node);
    return (phase === "finish" && item.node === node?.id) || emptied.has(index);
  });
  const step: StepRecord = { fired, opened, closed: closed.map(({ id }) => id) };
  return {
    semantics: 1,
    sequence,
    at: 0,
    input: sequence === 1 ? { kind: "start", data: {} } : { kind: "continue" },
    steps: [step],
  };
}

/** The status by the words of the definition, from the marked places and the kinds of the nodes they belong to. */
function literalStatus(program: Program, definition: WorkflowDefinition, state: RunState): string {
  const { net } = program;
  const markedIn = (kind: string) =>
    net.places.filter(({ origin }, place) => origin?.kind === kind && (state.marking[place] ?? 0) > 0);
  const resting = markedIn("rest").map(
    ({ origin }) => definition.nodes[origin?.kind === "rest" ? origin.node : -1]?.kind ?? "",
  );
  const isOnlyEnds = net.places.every(({ origin }, place) => {
    const tokens = state.marking[place] ?? 0;
    const isRootEnd = origin?.kind === "end" && definition.nodes[origin.node]?.scope === undefined;
    return isRootEnd ? tokens <= 1 : tokens === 0;
  });
  if (isOnlyEnds && markedIn("end").length > 0) return "completed";
  const byItself = enabledTransitions(net, state.marking).some(
    (t) => net.transitions[t]?.origin?.phase !== "finish",
  );
  if (byItself || resting.includes("tool")) return "running";
  const modes = [
    ...(resting.includes("human") ? ["waiting_human"] : []),
    ...(resting.includes("timer") ? ["waiting_timer"] : []),
  ];
  return modes.length === 0 ? "failed" : `waiting ${modes.join(" ")}`;
}

/**
 * Law: in every state that turns of one step reach, the status is the one that the definition's words give, each
 * resting token has one item, and tok is the set of nodes with a token before, on or behind them. Oracle: a scan of
 * the places. Generated: workflows of nested blocks, all their runs up to STATES_MAX states.
 */
function statusLaw(apply: typeof applyTurn): void {
  const seenStatuses = new Set<string>();
  fc.assert(
    fc.property(smallWorkflow, (definition) => {
      const program = programOf(definition);
      const keyOf = ({ marking, items }: RunState) =>
        JSON.stringify([marking, items.map(({ node }) => node).sort()]);
      const first = initialState(program);
      const states = new Map([[keyOf(first), first]]);
      for (const state of states.values()) {
        if (states.size > STATES_MAX) break;
        const isOver = state.status === "completed";
        for (const fired of stepsFrom(program, state.marking)) {
          const result = apply(program, state, turnOf(program, definition, state, fired));
          expect(isOver).toBe(false);
          if (result.kind !== "applied") throw new Error(JSON.stringify(result));
          const next = result.state;
          const status = next.modes.length === 0 ? next.status : `${next.status} ${next.modes.join(" ")}`;
          seenStatuses.add(status);
          expect(status).toBe(literalStatus(program, definition, next));
          const resting = program.net.places.flatMap(({ origin }, place) =>
            origin?.kind === "rest" && (next.marking[place] ?? 0) > 0
              ? [definition.nodes[origin.node]?.id]
              : [],
          );
          expect(next.items.map(({ node }) => node).sort()).toEqual(resting.sort());
          for (const id of tokenNodes(program, next.marking))
            expect(program.compiled.kind === "workflow" && program.compiled.graph.nodeIndex.has(id)).toBe(
              true,
            );
          states.set(keyOf(next), states.get(keyOf(next)) ?? next);
        }
      }
    }),
    { numRuns: 60 },
  );
  for (const status of ["completed", "running", "waiting waiting_human"])
    expect(seenStatuses).toContain(status);
}

describe("[D3.2] status on every reachable state", () => {
  it("[D3.2] [C20-09] [C20-13] [C20-81] [C20-82] follows from marking and items alone", () =>
    statusLaw(applyTurn));

  it("[D3.2] the law catches a status that calls a job waiting, or one that lags a turn behind", () => {
    const idle: typeof applyTurn = (...args) => {
      const result = applyTurn(...args);
      const hasJob = result.kind === "applied" && result.state.items.some(({ kind }) => kind === "job");
      return hasJob
        ? { kind: "applied", state: { ...result.state, status: "waiting", modes: ["waiting_external"] } }
        : result;
    };
    const late: typeof applyTurn = (program, state, turn, rules) => {
      const result = applyTurn(program, state, turn, rules);
      return result.kind === "applied"
        ? { kind: "applied", state: { ...result.state, status: state.status, modes: state.modes } }
        : result;
    };
    for (const broken of [idle, late]) expect(() => statusLaw(broken)).toThrow();
  });

  it("[D3.3] [C20-10] a token before a node is the node's: tok is what a scan of the places finds", () => {
    fc.assert(
      fc.property(smallWorkflow, fc.array(fc.nat({ max: 99 }), { maxLength: 12 }), (definition, choices) => {
        const program = programOf(definition);
        let state = initialState(program);
        for (const choice of choices) {
          const steps = stepsFrom(program, state.marking);
          const fired = steps[choice % Math.max(1, steps.length)];
          if (fired === undefined) break;
          const result = applyTurn(program, state, turnOf(program, definition, state, fired));
          if (result.kind !== "applied") throw new Error(JSON.stringify(result));
          state = result.state;
          const expected = program.net.places.flatMap((place, index) => {
            if ((state.marking[index] ?? 0) === 0 || place.role === "counter") return [];
            const { origin } = place;
            if (origin?.kind === "arc") return [definition.arcs[origin.arc]?.to];
            if (origin?.kind === "source") {
              const scope = definition.nodes[origin.scope ?? -1];
              return [scope === undefined ? definition.entry : scope.meta?.entry];
            }
            return [definition.nodes[origin === undefined ? -1 : origin.node]?.id];
          });
          expect([...tokenNodes(program, state.marking)].sort()).toEqual([...new Set(expected)].sort());
        }
      }),
    );
  });
});
