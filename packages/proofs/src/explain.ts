/** @module Runs and evidence in the net's own names, for people and for JSON. */

import type { JsonObject, Net, NonLocalRules, PlaceIndex, TransitionIndex } from "@tessera/core";
import { fire, invariant, markedPlaces, NO_RULES, unreachable } from "@tessera/core";
import type {
  Element,
  Finding,
  IllFormed,
  Limit,
  ManyTokens,
  NetEvidence,
  NeverFires,
  NoCompletion,
} from "./verdict.ts";

/** One firing of a run: the transition with its label, and the marking that it reaches (marked places only). */
export interface ExplainedStep {
  readonly transition: string;
  readonly label?: string;
  readonly marking: Readonly<Record<string, number>>;
}

/** The firing sequence step by step, from the initial marking. It must be enabled, else InvariantViolation "D1.5". */
export function explainRun(
  net: Net,
  sequence: readonly TransitionIndex[],
  rules: NonLocalRules = NO_RULES,
): readonly ExplainedStep[] {
  let marking = net.initial;
  return sequence.map((t): ExplainedStep => {
    const result = fire(net, marking, t, rules);
    invariant(result.kind === "fired", "D1.5", () => ({ transition: t }));
    marking = result.marking;
    const transition = net.transitions[t];
    return {
      transition: transition?.id ?? String(t),
      ...(transition?.label === undefined ? {} : { label: transition.label }),
      marking: markedPlaces(net, marking),
    };
  });
}

/**
 * Evidence as JSON in ids: the run as a list of transition ids and the marking that it reaches, where there is one,
 * and what is wrong there or why nothing helps. Large closed sets are given by size only.
 */
export function explainEvidence(net: Net, evidence: NetEvidence): JsonObject {
  if (evidence.kind === "E3") {
    const dead = evidence.dead.map(({ element, transitions }) => ({
      ...explainElement(net, element),
      transitions: transitionIds(net, transitions),
    }));
    return { kind: evidence.kind, dead, certificate: explainCertificate(net, evidence.certificate) };
  }
  if (evidence.kind === "E3-ill-formed")
    return { kind: evidence.kind, reason: explainIllFormed(net, evidence.reason) };
  const { run } = evidence;
  const reached = { run: transitionIds(net, run.sequence), marking: markedPlaces(net, run.marking) };
  switch (evidence.kind) {
    case "E1":
      return { kind: evidence.kind, ...reached, finding: explainFinding(net, evidence.finding) };
    case "E2":
      return { kind: evidence.kind, ...reached, certificate: explainCertificate(net, evidence.certificate) };
    case "E3-pump":
      return { kind: evidence.kind, ...reached, pumpFrom: evidence.from };
    default:
      return unreachable(evidence);
  }
}

/** Why a question stayed open, in a few words. */
export function describeLimit(limit: Limit): string {
  switch (limit.kind) {
    case "states":
      return `more than ${limit.at} markings`;
    case "time":
      return `more than ${limit.at} ms`;
    case "bytes":
      return `more than ${limit.at} bytes`;
    case "aborted":
      return `stopped by the caller at ${limit.at} markings`;
    case "tokens":
      return "a place would hold more than 2^31 - 1 tokens";
    case "no-finals":
      return "the net states no final marking";
    case "method":
      return limit.reason;
    default:
      return unreachable(limit);
  }
}

function explainFinding(net: Net, finding: Finding): JsonObject {
  switch (finding.kind) {
    case "second-token":
    case "unsafe":
      return { kind: finding.kind, place: placeId(net, finding.place) };
    case "beyond-final":
      return { kind: finding.kind, final: markedPlaces(net, finding.final) };
    case "deadlock":
      return { kind: finding.kind };
    case "pump":
      return { kind: finding.kind, from: finding.from };
    default:
      return unreachable(finding);
  }
}

function explainCertificate(net: Net, certificate: NoCompletion | NeverFires): JsonObject {
  switch (certificate.kind) {
    case "closed-set":
      return { kind: certificate.kind, size: certificate.size };
    case "reduced":
      return { kind: certificate.kind, size: certificate.size, steps: certificate.steps.length };
    case "stubborn": {
      const size = certificate.graphs.reduce((sum, { states }) => sum + states.length, 0);
      return { kind: certificate.kind, size };
    }
    case "terminating":
      return {
        kind: certificate.kind,
        exits: transitionIds(net, certificate.part.exits),
        by: certificate.inner.kind,
      };
    case "state-equation":
      return { kind: certificate.kind, steps: certificate.proofs.flat().length };
    case "covers-final":
      return { kind: certificate.kind, final: markedPlaces(net, certificate.final) };
    case "overfull":
      return { kind: certificate.kind, place: placeId(net, certificate.place) };
    case "trap":
    case "empty-siphon":
      return { kind: certificate.kind, places: certificate.places.map((place) => placeId(net, place)) };
    default:
      return unreachable(certificate);
  }
}

/** The numbers that are not zero, by the ids of what they belong to. */
export function namedNumbers(
  list: readonly { readonly id: string }[],
  numbers: readonly number[],
): JsonObject {
  return Object.fromEntries(
    list.flatMap(({ id }, index) => (numbers[index] === 0 ? [] : [[id, numbers[index]!]])),
  );
}

/** Why a net is not sound for many tokens, in names: counts of transitions, weights of places, a run. */
export function explainManyTokens(net: Net, reason: ManyTokens): JsonObject {
  switch (reason.kind) {
    case "gain":
      return {
        kind: reason.kind,
        tokens: reason.tokens,
        firings: namedNumbers(net.transitions, reason.firings),
      };
    case "drift":
      return { kind: reason.kind, weights: namedNumbers(net.places, reason.weights) };
    case "lasting-trap":
      return { kind: reason.kind, places: reason.places.map((place) => placeId(net, place)) };
    case "stuck":
      return { kind: reason.kind, run: transitionIds(net, reason.run.sequence), steps: reason.steps.length };
    default:
      return unreachable(reason);
  }
}

function explainIllFormed(net: Net, reason: IllFormed): JsonObject {
  switch (reason.kind) {
    case "siphon":
      return { kind: reason.kind, places: reason.places.map((place) => placeId(net, place)) };
    case "rank-small":
      return { kind: reason.kind, invariants: reason.kernel.length };
    case "rank-large":
    case "gain":
    case "drift":
      return { ...reason };
    default:
      return unreachable(reason);
  }
}

function explainElement(net: Net, element: Element): JsonObject {
  return element.kind === "transition"
    ? { kind: element.kind, transition: transitionId(net, element.transition) }
    : { ...element };
}

/** Ids of transitions, in the given order. */
export function transitionIds(net: Net, transitions: readonly TransitionIndex[]): readonly string[] {
  return transitions.map((t) => transitionId(net, t));
}

function transitionId(net: Net, t: TransitionIndex): string {
  return net.transitions[t]?.id ?? String(t);
}

function placeId(net: Net, place: PlaceIndex): string {
  return net.places[place]?.id ?? String(place);
}
