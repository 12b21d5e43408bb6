/** @module The notions of soundness, for one case and for many at once. */
import type { Marking, Net, PlaceIndex } from "@tessera/core";
import { netShape } from "../net-shape.ts";
import { proveNet } from "../pipeline.ts";
import { conclusion } from "../soundness.ts";
import { refuteGeneralised, refuteStructural } from "../state-equation/many-tokens.ts";
import type { NetEvidence, Run, Verdict } from "../verdict.ts";
import { holds } from "../verdict.ts";
import { type Answer, type AskOptions, answerOf } from "./answer.ts";
import { runToState, stateGraph, targetsOf } from "./graph.ts";

/** How many cases at once are tried where no theorem answers for all. */
const TOKENS_MAX = 3;

/** Markings from which it is asked whether the end is out of reach for any number of tokens. */
const RUNS_MAX = 200;

/** The questions of this file. */
export type SoundnessQuestion =
  | { readonly kind: "k-sound"; readonly k: number }
  | { readonly kind: "sound" | "weakly-sound" | "generalised-sound" | "structurally-sound" };

/**
 * k-sound: with k tokens on the source, k tokens on the sink can be reached from whatever is reachable. Generalised:
 * for every k. Structural: for some k. Weak: O1 and O2. Nets of other shapes than one source and one sink have no
 * notion for many cases: unknown.
 *
 * @definition D22.6
 */
export function askSoundness(net: Net, question: SoundnessQuestion, options: AskOptions): Answer {
  if (question.kind === "sound") return answerOf(proveNet(net, options).soundness);
  if (question.kind === "weakly-sound") return answerOf(weak(net, options));
  const { source, sink, isWorkflowNet, isFreeChoice } = netShape(net);
  const isEntered = net.transitions.some(({ post }) => post.some(([place]) => place === source));
  if (source === null || sink === null || isEntered)
    return {
      kind: "unknown",
      limit: { kind: "method", reason: "not one source that is never filled and one sink" },
    };
  if (question.kind === "k-sound") return answerOf(forTokens(net, source, sink, question.k, options));
  if (isWorkflowNet && isFreeChoice) {
    // T22.1: one case decides for all.
    const { soundness } = proveNet(net, options);
    if (soundness.kind === "holds") return { kind: "holds", shown: { kind: "theorem", id: "T22.1" } };
    if (soundness.kind === "fails")
      return { kind: "fails", shown: { kind: "tokens", tokens: 1, evidence: soundness.evidence } };
    return soundness;
  }
  return question.kind === "generalised-sound"
    ? generalised(net, source, sink, options)
    : structural(net, source, sink, options);
}

function weak(net: Net, options: AskOptions): Verdict<NetEvidence> {
  const lines = new Map(proveNet(net, options).obligations.map(({ id, verdict }) => [id, verdict]));
  const yes = holds({ class: "recomputable", method: "not asked", states: 0 });
  return conclusion({ O1: lines.get("O1")!, O2: lines.get("O2")!, O3: yes });
}

function forTokens(
  net: Net,
  source: PlaceIndex,
  sink: PlaceIndex,
  k: number,
  options: AskOptions,
): Verdict<NetEvidence> {
  const at = (place: PlaceIndex): Marking => net.places.map((_, p) => (p === place ? k : 0));
  const many: Net = { ...net, initial: at(source), finals: { kind: "markings", markings: [at(sink)] } };
  return proveNet(many, options).obligations.find(({ id }) => id === "O1")!.verdict;
}

function generalised(net: Net, source: PlaceIndex, sink: PlaceIndex, options: AskOptions): Answer {
  const { tokensMax = TOKENS_MAX } = options;
  let open: Answer = {
    kind: "unknown",
    limit: { kind: "method", reason: `sound for 1 to ${tokensMax} tokens; more were not tried` },
  };
  for (let k = 1; k <= tokensMax; k += 1) {
    const verdict = forTokens(net, source, sink, k, options);
    if (verdict.kind === "fails")
      return { kind: "fails", shown: { kind: "tokens", tokens: k, evidence: verdict.evidence } };
    if (verdict.kind === "unknown") {
      open = verdict;
      break;
    }
  }
  const reason = refuteGeneralised(net, { source, sink });
  return reason === null ? open : { kind: "fails", shown: { kind: "many-tokens", reason } };
}

function structural(net: Net, source: PlaceIndex, sink: PlaceIndex, options: AskOptions): Answer {
  const { tokensMax = TOKENS_MAX } = options;
  for (let k = 1; k <= tokensMax; k += 1) {
    const verdict = forTokens(net, source, sink, k, options);
    if (verdict.kind === "holds")
      return { kind: "holds", shown: { kind: "tokens", tokens: k, evidence: null } };
  }
  const reason = refuteStructural(net, { source, sink }, runsFromOne(net, source, options));
  if (reason !== null) return { kind: "fails", shown: { kind: "many-tokens", reason } };
  return {
    kind: "unknown",
    limit: { kind: "method", reason: `sound for none of 1 to ${tokensMax} tokens; more were not tried` },
  };
}

/** Runs from one token on the source: first the empty one, then to markings that enable nothing, then to others. */
function* runsFromOne(net: Net, source: PlaceIndex, options: AskOptions): Generator<Run> {
  const initial = net.places.map((_, place) => (place === source ? 1 : 0));
  yield { sequence: [], marking: initial };
  const limits = { ...options.limits, statesMax: RUNS_MAX };
  const graph = stateGraph({ ...net, initial }, { ...options, limits });
  const states = Array.from({ length: graph.count }, (_, state) => state);
  const isDead = (state: number) => state < graph.space.expanded && targetsOf(graph, state).length === 0;
  for (const state of states) if (isDead(state)) yield runToState(graph, state);
  for (const state of states) if (!isDead(state)) yield runToState(graph, state);
}
