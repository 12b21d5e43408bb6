/** @module Answers questions about a net, each with what shows it, or the limit that was reached. */
import { fire, type Net, sameMarking, type TransitionIndex, unreachable } from "@tessera/core";
import { askedGoals } from "../certificate/question-goals.ts";
import { coverability, UNBOUNDED } from "../coverability.ts";
import { exploreNet } from "../explicit/explore-net.ts";
import { isMonotone } from "../obligations/boundedness.ts";
import { proveNet } from "../pipeline.ts";
import type { CheckOptions } from "../soundness.ts";
import { placeWeights } from "../state-equation/weights.ts";
import type { Run } from "../verdict.ts";
import { type Answer, type AskOptions, answerOf } from "./answer.ts";
import { inStages } from "./ask-equation.ts";
import { askFormula } from "./ask-formula.ts";
import { askHomeMarking, askHomeSpace } from "./ask-home.ts";
import { askSiphons } from "./ask-siphons.ts";
import { askSoundness } from "./ask-soundness.ts";
import { askStructure } from "./ask-structure.ts";
import {
  finalStates,
  markingOfState,
  reaches,
  runToState,
  type StateGraph,
  stateGraph,
  targetsOf,
} from "./graph.ts";
import type { Question } from "./question.ts";

/** Nodes of the tree behind a coverability set. */
const NODES_MAX = 5000;

/** Answers `question` of `net` within limits. Ids in a formula that the net does not have give `unknown`. */
export function askNet(net: Net, question: Question, options: AskOptions = {}): Answer {
  switch (question.kind) {
    case "k-sound":
      return askSoundness(net, question, options);
    case "sound":
    case "weakly-sound":
    case "generalised-sound":
    case "structurally-sound":
      return askSoundness(net, { kind: question.kind }, options);
    case "relaxed-sound":
      return relaxed(stateGraph(net, options));
    case "easy-sound":
      return inStages(net, question, options, (given) => easy(stateGraph(net, given)));
    case "structurally-bounded":
    case "conservative":
    case "consistent":
      return askStructure(net, question.kind, options);
    case "minimal-siphons":
    case "minimal-traps":
    case "commoner":
      return askSiphons(net, question.kind, options);
    case "bounded":
      return bounded(net, options);
    case "safe":
      return inStages(net, question, options, (given) => bounds(net, 1, given));
    case "k-bounded":
      return inStages(net, question, options, (given) => bounds(net, question.k, given));
    case "deadlock-free":
      return inStages(net, question, options, (given) => deadlockFree(net, given));
    case "live":
      return inStages(net, question, options, (given) => live(stateGraph(net, given)));
    case "quasi-live":
      return inStages(net, question, options, (given) => quasiLive(net, given));
    case "reversible":
      return reversible(stateGraph(net, options));
    case "stable-place":
      return inStages(net, question, options, (given) => stablePlace(stateGraph(net, given)));
    case "home-marking":
      return askHomeMarking(net, options);
    case "home":
      return askHomeSpace(net, question.formula, options);
    case "formula":
      return askedGoals(net, question) === null
        ? askFormula(net, question, options)
        : inStages(net, question, options, (given) => askFormula(net, question, given));
    default:
      return unreachable(question);
  }
}

const all = (graph: StateGraph): Answer => ({
  kind: "holds",
  shown: { kind: "markings", states: graph.count },
});

/** Every transition lies on some run to a final marking. */
function relaxed(graph: StateGraph): Answer {
  if (graph.limit !== null) return { kind: "unknown", limit: graph.limit };
  const completing = reaches(graph, finalStates(graph));
  const missing = new Set(graph.net.transitions.keys());
  for (let state = 0; state < graph.count && missing.size > 0; state += 1) {
    const goals = new Set(targetsOf(graph, state).filter((to) => completing[to] === 1));
    for (const to of goals) for (const t of [...missing]) if (leads(graph, state, t, to)) missing.delete(t);
  }
  if (missing.size === 0) return all(graph);
  return { kind: "fails", shown: { kind: "transitions", transitions: [...missing] } };
}

function leads(graph: StateGraph, from: number, t: TransitionIndex, to: number): boolean {
  if (graph.space.enabledAt[t] === -1) return false;
  const next = fire(graph.net, markingOfState(graph, from), t, graph.space.rules);
  return next.kind === "fired" && sameMarking(next.marking, markingOfState(graph, to));
}

/** Some final marking is reachable. */
function easy(graph: StateGraph): Answer {
  const state = finalStates(graph).indexOf(1);
  if (state >= 0) return { kind: "holds", shown: { kind: "run", run: runToState(graph, state) } };
  if (graph.limit !== null) return { kind: "unknown", limit: graph.limit };
  return { kind: "fails", shown: { kind: "markings", states: graph.count } };
}

/** Where the search is inconclusive weights or the coverability set decide, in nets without resets. */
function bounded(net: Net, options: CheckOptions): Answer {
  const { verdict } = proveNet(net, options).obligations.find(({ id }) => id === "bounded")!;
  const certificate = verdict.kind === "holds" ? verdict.evidence.certificate : undefined;
  if (certificate?.kind === "weights") return { kind: "holds", shown: { kind: "weights", certificate } };
  if (certificate?.kind === "reduction" && certificate.equation !== undefined) {
    // The reduced net has weights: the net itself mostly has some, too.
    const found = placeWeights(net);
    if (found.kind === "weights")
      return { kind: "holds", shown: { kind: "weights", certificate: found.certificate } };
  }
  const covered = verdict.kind === "unknown" && isMonotone(net) ? coverability(net, NODES_MAX) : null;
  if (covered === null) return answerOf(verdict);
  const places = net.places.flatMap((_, place) =>
    covered.limits.some((limit) => limit[place] === UNBOUNDED) ? [place] : [],
  );
  if (places.length > 0) return { kind: "fails", shown: { kind: "places", places } };
  return { kind: "holds", shown: { kind: "markings", states: covered.limits.length } };
}

function bounds(net: Net, k: number, options: CheckOptions): Answer {
  const facts = exploreNet(net, options);
  const over = facts.bounds.flatMap((bound, place) => (bound > k ? [place] : []));
  if (over.length > 0) return { kind: "fails", shown: { kind: "places", places: over } };
  if (facts.limit !== null) return { kind: "unknown", limit: facts.limit };
  return { kind: "holds", shown: { kind: "markings", states: facts.states } };
}

/** Every reachable marking enables something, final or not. */
function deadlockFree(net: Net, options: CheckOptions): Answer {
  const { deadRun, limit, states } = exploreNet(net, options);
  if (deadRun !== null) return { kind: "fails", shown: { kind: "run", run: deadRun } };
  if (limit !== null) return { kind: "unknown", limit };
  return { kind: "holds", shown: { kind: "markings", states } };
}

function quasiLive(net: Net, options: CheckOptions): Answer {
  const { neverEnabled, limit, states } = exploreNet(net, options);
  if (neverEnabled.length === 0) return { kind: "holds", shown: { kind: "markings", states } };
  if (limit === null) return { kind: "fails", shown: { kind: "transitions", transitions: neverEnabled } };
  const covered = isMonotone(net) ? coverability(net, NODES_MAX) : null;
  if (covered === null) return { kind: "unknown", limit };
  if (covered.dead.length > 0)
    return { kind: "fails", shown: { kind: "transitions", transitions: covered.dead } };
  return { kind: "holds", shown: { kind: "markings", states: covered.limits.length } };
}

/** From every reachable marking each transition can be enabled again. */
function live(graph: StateGraph): Answer {
  if (graph.limit !== null) return { kind: "unknown", limit: graph.limit };
  const notLive = graph.net.transitions.flatMap((_, t) => {
    const enabling = new Uint8Array(graph.count);
    for (let state = 0; state < graph.count; state += 1)
      if ([...targetsOf(graph, state)].some((to) => leads(graph, state, t, to))) enabling[state] = 1;
    return reaches(graph, enabling).includes(0) ? [t] : [];
  });
  return notLive.length === 0
    ? all(graph)
    : { kind: "fails", shown: { kind: "transitions", transitions: notLive } };
}

/** From every reachable marking the initial one can be reached. */
function reversible(graph: StateGraph): Answer {
  if (graph.limit !== null) return { kind: "unknown", limit: graph.limit };
  const home = new Uint8Array(graph.count);
  home[0] = 1;
  const away = reaches(graph, home).indexOf(0);
  return away < 0 ? all(graph) : { kind: "fails", shown: { kind: "run", run: runToState(graph, away) } };
}

/** Some place has the same tokens in every reachable marking. */
function stablePlace(graph: StateGraph): Answer {
  const { cells, stride, placeCount } = graph.space.store;
  const stable = Array.from({ length: placeCount }, (_, place) => place).filter((place) => {
    for (let state = 1; state < graph.count; state += 1)
      if (cells[state * stride + place] !== cells[place]) return false;
    return true;
  });
  if (stable.length === 0) return { kind: "fails", shown: { kind: "changes", runs: changesOf(graph) } };
  if (graph.limit !== null) return { kind: "unknown", limit: graph.limit };
  return { kind: "holds", shown: { kind: "places", places: stable } };
}

/** Runs to markings of which each place has other tokens than at the start in one. */
function changesOf(graph: StateGraph): readonly Run[] {
  const open = new Set(graph.net.places.keys());
  const runs: Run[] = [];
  for (let state = 1; state < graph.count && open.size > 0; state += 1) {
    const changed = [...open].filter((place) => {
      const { cells, stride } = graph.space.store;
      return cells[state * stride + place] !== cells[place];
    });
    if (changed.length > 0) runs.push(runToState(graph, state));
    for (const place of changed) open.delete(place);
  }
  return runs;
}
