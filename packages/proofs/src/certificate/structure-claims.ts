/** @module Which questions siphons, invariants and places that never change answer, and how. */
import { type Net, netClass, type PlaceIndex, type TransitionIndex, type WeightedPlace } from "@tessera/core";
import type { Question } from "../questions/question.ts";
import type { ReducedStates, SiphonArgument, SiphonTraps } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { checkedGraph } from "./reduced-graph.ts";
import { checkBareSiphon, checkMinimalSets, checkSiphonTraps } from "./siphons.ts";
import {
  checkChanges,
  checkDrift,
  checkEnables,
  checkFiringInvariant,
  checkGain,
  checkPlaceInvariant,
  checkStablePlace,
  type StablePlace,
} from "./structure.ts";

/**
 * minimal-sets: all minimal siphons or traps. siphon-traps: Commoner's condition is met. bare-siphon: it is not. p-invariant, t-invariant: positive
 * numbers that come to nothing. gain, drift: what excludes them (T24.8). stable-place: it never changes. changes, enables: firing sequences that change
 * each place, that enable each transition. terminal: a reduced graph with all that ends (T25.3).
 */
export type StructureEvidence =
  | ({ readonly kind: "minimal-sets" } & SiphonArgument)
  | SiphonTraps
  | { readonly kind: "bare-siphon"; readonly places: readonly PlaceIndex[] }
  | { readonly kind: "p-invariant" | "t-invariant" | "gain" | "drift"; readonly numbers: readonly number[] }
  | StablePlace
  | { readonly kind: "terminal"; readonly states: ReducedStates["states"] }
  | { readonly kind: "changes" | "enables"; readonly sequences: readonly (readonly TransitionIndex[])[] };

/** Does the evidence support this answer? Of plain and weighted nets. Closed sets are built again up to `statesMax` markings. */
export function checkStructureClaim(
  net: Net,
  question: Question,
  verdict: "holds" | "fails",
  evidence: StructureEvidence,
  statesMax: number,
): Checked {
  const asked = `${question.kind} ${verdict}`;
  switch (evidence.kind) {
    case "minimal-sets":
      if (asked === "minimal-siphons holds") return checkMinimalSets(net, "siphons", evidence);
      return asked === "minimal-traps holds" ? checkMinimalSets(net, "traps", evidence) : OTHER;
    case "siphon-traps":
      return isShownByTraps(net, asked) ? checkSiphonTraps(net, evidence) : OTHER;
    case "bare-siphon":
      return asked === "commoner fails" || (asked === "live fails" && isFreeChoice(net))
        ? checkBareSiphon(net, evidence.places)
        : OTHER;
    case "p-invariant":
      return asked === "conservative holds" ? checkPlaceInvariant(net, evidence.numbers) : OTHER;
    case "t-invariant":
      return asked === "consistent holds" ? checkFiringInvariant(net, evidence.numbers) : OTHER;
    case "gain":
      if (asked === "conservative fails") return checkGain(net, evidence.numbers, false);
      return asked === "structurally-bounded fails" ? checkGain(net, evidence.numbers, true) : OTHER;
    case "drift":
      return asked === "consistent fails" ? checkDrift(net, evidence.numbers) : OTHER;
    case "stable-place":
      return asked === "stable-place holds" ? checkStablePlace(net, evidence, statesMax) : OTHER;
    case "changes":
      return asked === "stable-place fails" ? checkChanges(net, evidence.sequences) : OTHER;
    case "enables":
      return asked === "quasi-live holds" ? checkEnables(net, evidence.sequences) : OTHER;
    case "terminal":
      return asked === "deadlock-free holds" ? checkTerminal(net, evidence.states, statesMax) : OTHER;
  }
}

/** A terminal graph has every marking that enables nothing (T25.3); this one has none. */
function checkTerminal(net: Net, states: ReducedStates["states"], statesMax: number): Checked {
  if (states.length > statesMax) return { kind: "unchecked", reason: `${states.length} markings` };
  const graph = checkedGraph(net, { goal: null, states });
  if (typeof graph === "string") return invalid(graph);
  return graph.enabled.every((can) => can.length > 0) ? VALID : invalid("a marking enables nothing");
}

const OTHER = invalid("it does not answer this question so");

/** T24.6, T24.7. */
function isShownByTraps(net: Net, asked: string): boolean {
  if (asked === "commoner holds") return true;
  if (asked === "live holds") return isFreeChoice(net);
  return asked === "deadlock-free holds" && netClass(net) === "plain" && net.transitions.length > 0;
}

/** Plain, and transitions that share an input place have equal presets (D13.2). */
function isFreeChoice(net: Net): boolean {
  if (netClass(net) !== "plain") return false;
  const presets = new Map<PlaceIndex, string>();
  const keyOf = (pre: readonly WeightedPlace[]) =>
    pre
      .map(([place]) => place)
      .sort((a, b) => a - b)
      .join();
  return net.transitions.every(({ pre }) => {
    const key = keyOf(pre);
    return pre.every(([place]) => {
      const known = presets.get(place) ?? key;
      presets.set(place, known);
      return known === key;
    });
  });
}
