/** @module Checks that elements are dead (E3): by a closed set, a siphon that starts empty, or the reduced net. */
import { type Net, type NonLocalRules, type TransitionIndex, unreachable } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import type { DeadEvidence, NeverFires } from "../verdict.ts";
import { type Checked, checkClosedSet, enabledInSet, invalid } from "./closed-set.ts";
import { checkSiphon, needs } from "./never-final.ts";
import { checkDeadInReduced, type Replays } from "./reduced-net.ts";
import { deadInRemainder, type Remainders, remainderOf } from "./terminating.ts";

interface Settings {
  readonly rules: NonLocalRules;
  readonly statesMax: number;
  readonly replays: Replays;
  readonly remainders: Remainders;
}

/** Are the named elements elements of the net, and does the certificate show that none of their transitions fires? */
export function checkDead(net: Net, { dead, certificate }: DeadEvidence, options: Settings): Checked {
  const known = new Set(elementsOf(net).map((element) => JSON.stringify(element)));
  if (dead.length === 0) return invalid("no dead element is named");
  for (const element of dead)
    if (!known.has(JSON.stringify(element))) return invalid("not an element of the net");
  const transitions = new Set(dead.flatMap((element) => element.transitions));
  return checkNeverFires(net, transitions, certificate, options);
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
