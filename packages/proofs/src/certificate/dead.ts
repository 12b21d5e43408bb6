/** @module Checks that elements are dead (E3): by a closed set, a siphon that starts empty, stubborn sets, or the reduced net. */
import { type Net, type NonLocalRules, type TransitionIndex, unreachable } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import type { DeadElement, DeadEvidence, NeverFires } from "../verdict.ts";
import { type Checked, checkClosedSet, enabledInSet, invalid } from "./closed-set.ts";
import { checkAllNever } from "./equation.ts";
import { enabledGoals } from "./goal.ts";
import { checkSiphon, needs } from "./never-final.ts";
import type { Enumerations } from "./recompute.ts";
import { checkDeadInReduced, type Replays } from "./reduced-net.ts";
import { type CheckedGraphs, checkNeverEnabled } from "./stubborn.ts";
import { deadInRemainder, type Remainders, remainderOf } from "./terminating.ts";

interface Settings {
  readonly rules: NonLocalRules;
  readonly statesMax: number;
  readonly replays: Replays;
  readonly remainders: Remainders;
  readonly enumerations: Enumerations;
  readonly graphs: CheckedGraphs;
}

/** Are the named elements elements of the net, and does the certificate show that none of their transitions fires? */
export function checkDead(net: Net, { dead, certificate }: DeadEvidence, options: Settings): Checked {
  if (dead.length === 0) return invalid("no dead element is named");
  const known = new Map(elementsOf(net).map((element) => [keyOf(element), element]));
  for (const element of dead) {
    const own = known.get(keyOf(element));
    if (own === undefined || !isSame(own.transitions, element.transitions))
      return invalid("not an element of the net");
  }
  const transitions = new Set(dead.flatMap((element) => element.transitions));
  return checkNeverFires(net, transitions, certificate, options);
}

function keyOf({ element }: DeadElement): string | number {
  switch (element.kind) {
    case "transition":
      return element.transition;
    case "arc":
      return `arc ${element.arc}`;
    case "outcome":
      return JSON.stringify([element.node, element.phase, element.outcome]);
    default:
      return unreachable(element);
  }
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((item, at) => item === right[at]);
}

function checkNeverFires(
  net: Net,
  dead: ReadonlySet<TransitionIndex>,
  certificate: NeverFires,
  options: Settings,
): Checked {
  switch (certificate.kind) {
    case "closed-set":
      return checkClosedSet(net, net.initial, certificate, enabledInSet(net, dead, options.rules), options);
    case "state-equation":
      return checkAllNever(net, net.initial, enabledGoals(net, dead), certificate);
    case "stubborn":
      return checkNeverEnabled(net, dead, certificate, options);
    case "reduced":
      return checkDeadInReduced(net, dead, certificate, options);
    case "terminating": {
      const { part, inner } = certificate;
      if (inner.kind === "terminating") return invalid("a part within a part");
      const left = remainderOf(net, part, options.remainders);
      if (typeof left === "string") return invalid(left);
      const inside = deadInRemainder(net, dead, left);
      return typeof inside === "string" ? invalid(inside) : checkNeverFires(left.net, inside, inner, options);
    }
    case "empty-siphon": {
      const places = new Set(certificate.places);
      for (const index of dead) {
        const t = net.transitions[index];
        if (t === undefined || !needs(t, places))
          return invalid(`transition ${index} does not need the siphon`);
      }
      return checkSiphon(net, net.initial, places);
    }
    default:
      return unreachable(certificate);
  }
}
