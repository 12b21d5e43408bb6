/** @module Checks that elements are dead (E3): by a closed set, a siphon that starts empty, or the reduced net. */
import type { Net, NonLocalRules } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import type { DeadEvidence } from "../verdict.ts";
import { type Checked, checkClosedSet, enabledInSet, invalid } from "./closed-set.ts";
import { checkSiphon, needs } from "./never-final.ts";
import { checkDeadInReduced, type Replays } from "./reduced-net.ts";

interface Settings {
  readonly rules: NonLocalRules;
  readonly statesMax: number;
  readonly replays: Replays;
}

/** Are the named elements elements of the net, and does the certificate show that none of their transitions fires? */
export function checkDead(net: Net, { dead, certificate }: DeadEvidence, options: Settings): Checked {
  const known = new Set(elementsOf(net).map((element) => JSON.stringify(element)));
  if (dead.length === 0) return invalid("no dead element is named");
  for (const element of dead)
    if (!known.has(JSON.stringify(element))) return invalid("not an element of the net");
  const transitions = new Set(dead.flatMap((element) => element.transitions));
  if (certificate.kind === "closed-set") {
    return checkClosedSet(
      net,
      net.initial,
      certificate,
      enabledInSet(net, transitions, options.rules),
      options,
    );
  }
  if (certificate.kind === "reduced") return checkDeadInReduced(net, transitions, certificate, options);
  const places = new Set(certificate.places);
  for (const index of transitions) {
    const t = net.transitions[index];
    if (t === undefined || !needs(t, places)) return invalid(`transition ${index} does not need the siphon`);
  }
  return checkSiphon(net, net.initial, places);
}
