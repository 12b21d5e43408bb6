/** @module The stage of stubborn sets: what a search has left open, asked by a reduced graph for each question. */
import { type Net, netClass, type PlaceIndex, type TransitionIndex } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import type { Budget } from "../limits.ts";
import { improperCompletion } from "../obligations/proper-completion.ts";
import { stuckFrom } from "../reduction/lift.ts";
import type { Search } from "../search.ts";
import { sequenceTo } from "../state-space.ts";
import { hasFinals, structureOf } from "../structure.ts";
import {
  type DeadElement,
  fails,
  type Goal,
  holds,
  type NetEvidence,
  type NetObligationId,
  type ReducedStates,
  type Run,
  type StubbornCertificate,
  type Verdict,
} from "../verdict.ts";
import { endingOf, finalsIn } from "./ending.ts";
import {
  type GrowthStatus,
  grow,
  type ReducedGraph,
  reducedGraph,
  runTo,
  setAt,
  stateMarking,
} from "./graph.ts";
import { type Relations, relationsOf } from "./relations.ts";

/** Markings in all graphs together: as many as the checker takes. */
const STATES_MAX = 20_000;
/** States expanded between two looks at the clock. */
const SLICE = 256;

/** What the reduced graphs tell. */
export interface StubbornAnswers {
  readonly verdicts: ReadonlyMap<NetObligationId, Verdict<NetEvidence>>;
  /** Markings in all graphs. */
  readonly states: number;
  /** The end places that each reachable final marking marks, where all of these are known. */
  readonly finals: readonly (readonly PlaceIndex[])[] | null;
}

interface Work {
  readonly net: Net;
  readonly relations: Relations;
  readonly budget: Budget;
  readonly statesMax: number;
  readonly found: Search;
  /** The graphs that are complete and have not met their goal, and those that are good for runs only. */
  readonly shown: ReducedStates[];
  readonly grown: ReducedGraph[];
  readonly failures: Map<NetObligationId, NetEvidence>;
  readonly held: Set<NetObligationId>;
  states: number;
}

/** Are stubborn sets stated for `net`? */
export function hasStubbornSets(net: Net): boolean {
  const kind = netClass(net);
  return kind === "plain" || kind === "weighted";
}

/**
 * Verdicts on the obligations in `open` of a plain or weighted net, as far as limits go; `found` is a search that was not
 * complete. At most `statesMax` markings are stored in all. What holds has all graphs as its certificate. Yields the number of markings between slices.
 */
export function* stubbornAnswers(
  found: Search,
  open: ReadonlySet<NetObligationId>,
  budget: Budget,
  statesMax: number,
): Generator<number, StubbornAnswers> {
  const { net } = found.space;
  const relations = relationsOf(net);
  const lists = { shown: [], grown: [], failures: new Map(), held: new Set<NetObligationId>() };
  const most = Math.min(STATES_MAX, statesMax);
  const work: Work = { net, relations, budget, statesMax: most, found, ...lists, states: 0 };
  const asks = (...ids: readonly NetObligationId[]) => ids.some((id) => open.has(id));
  const finals = asks("O1", "deadlock") ? yield* askEnding(work) : null;
  if (asks("O2") && hasFinals(net)) yield* askProper(work);
  if (asks("O4", "bounded")) yield* askSafe(work);
  // O1 and O2 show soundness together with the runs.
  const isSound = work.held.has("O1") && work.held.has("O2");
  const alive = asks("O3") || isSound ? yield* askAlive(work) : null;
  return { verdicts: verdictsOf(work, open, alive), states: work.states, finals };
}

function verdictsOf(
  { shown, failures, held, states }: Work,
  open: ReadonlySet<NetObligationId>,
  runs: readonly (readonly TransitionIndex[])[] | null,
): ReadonlyMap<NetObligationId, Verdict<NetEvidence>> {
  const verdicts = new Map<NetObligationId, Verdict<NetEvidence>>();
  const certificate: StubbornCertificate = { kind: "stubborn", graphs: shown, ...(runs && { runs }) };
  const support = { class: "enumerated", method: "stubborn sets", states, certificate } as const;
  for (const id of held) verdicts.set(id, holds(support));
  if (runs !== null)
    verdicts.set("O3", holds({ class: "compact", method: "one run for each element", states, runs }));
  for (const [id, evidence] of failures) verdicts.set(id, fails(evidence));
  return new Map([...verdicts].filter(([id]) => open.has(id)));
}

/** O1 and deadlock by the terminal graph. */
function* askEnding(work: Work): Generator<number, StubbornAnswers["finals"]> {
  const { net, failures, held } = work;
  const graph = reducedGraph(work.relations, null);
  if ((yield* grown(work, graph)) !== "complete") return null;
  const ending = endingOf(graph);
  const finals = finalsIn(graph);
  if (finals.deadlock === null) held.add("deadlock");
  else
    failures.set("deadlock", {
      kind: "E1",
      run: runIn(graph, finals.deadlock),
      finding: { kind: "deadlock" },
    });
  if (hasFinals(net) && ending.kind === "completes") held.add("O1");
  if (hasFinals(net) && ending.kind === "stuck") {
    const stuck = stuckFrom(net, structureOf(net), runIn(graph, ending.state));
    if (stuck !== null) failures.set("O1", stuck);
  }
  work.shown.push(listed(graph));
  return finals.all;
}

/** O2. */
function* askProper(work: Work): Generator<number, void> {
  const { graph, status } = yield* ask(work, { kind: "improper" });
  if (status === "complete") work.held.add("O2");
  if (status !== "goal") return;
  const run = runIn(graph, graph.found);
  const finding = improperCompletion(work.net, run.marking);
  if (finding !== null) work.failures.set("O2", { kind: "E1", run, finding });
}

/** O4, place by place, and with it that the net is bounded. */
function* askSafe(work: Work): Generator<number, void> {
  const { places } = work.net;
  for (const [place, { role }] of places.entries()) {
    if (role !== "control") continue;
    const { graph, status } = yield* ask(work, { kind: "crowded", place });
    if (status === "complete") continue;
    if (status === "goal")
      work.failures.set("O4", {
        kind: "E1",
        run: runIn(graph, graph.found),
        finding: { kind: "unsafe", place },
      });
    return;
  }
  work.held.add("O4");
  if (places.every(({ role }) => role === "control")) work.held.add("bounded");
}

/** O3: a run for each element, or null. Elements that are shown to be dead go to the failures. */
function* askAlive(work: Work): Generator<number, readonly (readonly TransitionIndex[])[] | null> {
  const dead: DeadElement[] = [];
  const graphs: ReducedStates[] = [];
  const runs: (readonly TransitionIndex[])[] = [];
  for (const element of elementsOf(work.net)) {
    const run = shortestRun(work, element) ?? (yield* firstRun(work, element, graphs));
    if (run === "dead") dead.push(element);
    else if (run !== null) runs.push(run);
  }
  if (dead.length > 0)
    work.failures.set("O3", { kind: "E3", dead, certificate: { kind: "stubborn", graphs } });
  return runs.length === elementsOf(work.net).length ? runs : null;
}

/** A run to a transition of the element by graphs directed to each; null where limits end one. */
function* firstRun(
  work: Work,
  { transitions }: DeadElement,
  graphs: ReducedStates[],
): Generator<number, readonly TransitionIndex[] | "dead" | null> {
  let isDead = true;
  for (const t of transitions) {
    // Elements may share transitions: a variant stands for its outcome and for its arcs.
    const isKnown = graphs.some(({ goal }) => goal?.kind === "enabled" && goal.transition === t);
    if (isKnown) continue;
    const { graph, status } = yield* ask(work, { kind: "enabled", transition: t }, graphs);
    if (status === "goal") return [...runTo(graph, graph.found), t];
    if (status !== "complete") isDead = false;
  }
  return isDead ? "dead" : null;
}

/** The shortest run to a transition of the element that was seen anywhere. */
function shortestRun(
  { found, grown: graphs }: Work,
  { transitions }: DeadElement,
): readonly TransitionIndex[] | null {
  let least = Number.POSITIVE_INFINITY;
  let shortest: (() => readonly TransitionIndex[]) | null = null;
  const spaces = [found.space, ...(found.walked === null ? [] : [found.walked])];
  const consider = (length: number, run: () => readonly TransitionIndex[]) => {
    if (length < least) [least, shortest] = [length, run];
  };
  for (const t of transitions) {
    for (const space of spaces) {
      const state = space.enabledAt[t]!;
      if (state >= 0) consider(depthOf(space, state), () => [...sequenceTo(space, state), t]);
    }
    for (const graph of graphs) {
      const state = graph.enabledAt[t]!;
      if (state >= 0) consider(depthOf(graph, state), () => [...runTo(graph, state), t]);
    }
  }
  return shortest === null ? null : (shortest as () => readonly TransitionIndex[])();
}

/** How many firings lead to a state along the way on which it was found. */
function depthOf({ parent }: { readonly parent: Int32Array }, state: number): number {
  let depth = 0;
  for (let at = state; at > 0; at = parent[at]!) depth += 1;
  return depth;
}

/** A graph directed to `goal`, grown as far as it may; one that is complete is kept in `graphs`. */
function* ask(
  work: Work,
  goal: Goal,
  graphs: ReducedStates[] = work.shown,
): Generator<number, { readonly graph: ReducedGraph; readonly status: GrowthStatus }> {
  const graph = reducedGraph(work.relations, goal);
  const status = yield* grown(work, graph);
  if (status === "complete") graphs.push(listed(graph));
  return { graph, status };
}

/** Grows `graph` to at most half of the markings that are left, so that one question does not use up all. */
function* grown(work: Work, graph: ReducedGraph): Generator<number, GrowthStatus> {
  const { budget } = work;
  const statesMax = Math.ceil((work.statesMax - work.states) / 2);
  let status: GrowthStatus = "paused";
  while (status === "paused" && budget.exhausted(work.states) === null) {
    status = grow(graph, statesMax, SLICE);
    yield work.states + graph.store.count;
  }
  work.states += graph.store.count;
  work.grown.push(graph);
  return status;
}

function runIn(graph: ReducedGraph, state: number): Run {
  return { sequence: runTo(graph, state), marking: stateMarking(graph, state) };
}

/** The graph as its certificate lists it, written out when it is first read. */
export function listed(graph: ReducedGraph): ReducedStates {
  let states: ReducedStates["states"] | null = null;
  return {
    goal: graph.goal,
    get states() {
      states ??= Array.from({ length: graph.store.count }, (_, state) => ({
        marking: stateMarking(graph, state),
        set: setAt(graph, state),
      }));
      return states;
    },
  };
}
