/** @module What must be true after every event of a simulation: checked on the turns that the store has taken, by folding them apart from the engine. */
import {
  applyTurn,
  type Constraint,
  commitMutation,
  EMPTY_GRAPH,
  initialState,
  type ProductGraph,
} from "@tessera/core";
import type { DefinitionRow, ItemQuery, ItemRow, Page, Turn } from "@tessera/persist";
import type { Version } from "../versions.ts";
import { weighed } from "./place-invariants.ts";
import { makePost, type Post } from "./post.ts";
import { type FoldedRun, openItems } from "./receivers.ts";
import { admitted, type ReadyScenario } from "./scenario.ts";
import { makeTimetable, type Timetable } from "./timetable.ts";
import { SimulationViolation } from "./violation.ts";

/** What has happened so far, folded from the turns that were taken. */
export interface Checker {
  readonly states: Map<string, FoldedRun>;
  /** Messages and signals. */
  readonly post: Post;
  /** Times that start workflows. */
  readonly timetable: Timetable;
  readonly deployed: (row: DefinitionRow) => void;
  /** A worker was shown a page of all open items of a kind, the first one. */
  readonly listed: (query: ItemQuery, page: Page<ItemRow>) => void;
  readonly committed: (turns: readonly Turn[]) => void;
  /** A caller was told that turn `sequence` of `run` is done. */
  readonly acknowledged: (run: string, sequence: number) => void;
  /** A port was called under this key with these data. */
  readonly called: (key: string, data: string) => void;
}

/** A checker of a scenario. `clock`: the one of all workers that is furthest ahead. */
export function makeChecker(ready: ReadyScenario, missedStartsMax: number, clock: () => number): Checker {
  const { versions, invariants, registry } = ready;
  const { constraints } = registry;
  const states: Checker["states"] = new Map();
  const newest = new Map<string, Version>();
  const post = makePost(states, versions, newest);
  const timetable = makeTimetable(states, versions, missedStartsMax, clock);
  const graphs = new Map<string, { graph: ProductGraph; sequence: number }>();
  const once = new Set<string>();
  const calls = new Map<string, string>();
  const onlyOnce = (what: string): void => {
    if (once.has(what)) throw new SimulationViolation(`twice: ${what}`);
    once.add(what);
  };
  const check = (turn: Turn): void => {
    const { run, record } = turn;
    const version = versions.get(turn.definition);
    if (version === undefined) throw new SimulationViolation(`${run} runs in an unknown definition`);
    const { program } = version.plan;
    const before = states.get(run)?.state ?? initialState(program);
    const applied = applyTurn(program, before, record);
    if (applied.kind === "refused")
      throw new SimulationViolation(
        `${run}@${record.sequence} does not follow: ${applied.code} ${JSON.stringify(applied.facts)}`,
      );
    const { state } = applied;
    states.set(run, { state, version });
    if (state.status !== turn.status || state.modes.join() !== turn.modes.join())
      throw new SimulationViolation(
        `${run}@${record.sequence} is stored as ${turn.status}, and its marking says ${state.status}`,
      );
    for (const what of unrepeatable(turn)) onlyOnce(what);
    for (const invariant of invariants.get(version.hash) ?? []) {
      if (weighed(invariant, state.marking) !== weighed(invariant, program.net.initial))
        throw new SimulationViolation(
          `${run}@${record.sequence} breaks a place invariant: tokens were lost or made`,
        );
    }
    checkGraph(turn, graphs, constraints);
    post.turned(turn, before, state);
    timetable.turned(turn);
  };
  return {
    states,
    post,
    timetable,
    deployed: (row) => {
      newest.set(row.name, admitted(ready, row));
      timetable.deployed(row);
    },
    listed: ({ kind }, { rows, next }) => {
      const open = [...states].flatMap(([run, { state }]) =>
        openItems(state)
          .filter((item) => item.kind === kind)
          .map(({ id }) => `${run}/${id}`),
      );
      const shown = rows.map(({ run, item }) => `${run}/${item.id}`);
      const closed = shown.find((task) => !open.includes(task));
      if (closed !== undefined) throw new SimulationViolation(`${closed} is listed, and is not open`);
      const hidden = open.find((task) => !shown.includes(task));
      if (next === null && hidden !== undefined)
        throw new SimulationViolation(`${hidden} is open, and not listed`);
    },
    committed: (turns) => turns.forEach(check),
    acknowledged: (run, sequence) => {
      const found = states.get(run)?.state.sequence ?? 0;
      if (found < sequence)
        throw new SimulationViolation(`${run}@${sequence} was acknowledged and is not stored`);
    },
    called: (key, data) => {
      const before = calls.get(key);
      if (before !== undefined && before !== data)
        throw new SimulationViolation(`a port was called twice under "${key}" with other data`);
      calls.set(key, data);
    },
  };
}

/** What a turn does that no other turn may do again. */
function unrepeatable({ run, record: { input }, dedupe }: Turn): readonly string[] {
  const command = dedupe === undefined ? [] : [`command ${dedupe} on ${run}`];
  switch (input.kind) {
    case "start":
      return [...command, `start of ${run}`];
    case "complete":
    case "result":
      return [...command, `${input.kind} of ${run}/${input.item}`];
    case "timer":
      return [...command, `timer ${run}/${input.item} due ${input.dueAt}`];
    case "attempt-failed":
      return [...command, `failed attempt ${input.attempt} of ${run}/${input.item}`];
    default:
      return command;
  }
}

/** G has no writer but the gate: what a turn did to it must pass on the graph as everybody else has left it. */
function checkGraph(
  { run, graph, record }: Turn,
  graphs: Map<string, { graph: ProductGraph; sequence: number }>,
  constraints: readonly Constraint[],
): void {
  if (graph === undefined || graph.mutations.length === 0) return;
  const before = graphs.get(graph.id) ?? { graph: EMPTY_GRAPH, sequence: 0 };
  let next = before.graph;
  for (const mutation of graph.mutations) {
    const gate = commitMutation(next, mutation, constraints);
    if (gate.kind !== "committed")
      throw new SimulationViolation(`${run}@${record.sequence} has put into the graph what the gate refuses`);
    next = gate.graph;
  }
  graphs.set(graph.id, { graph: next, sequence: before.sequence + 1 });
}
