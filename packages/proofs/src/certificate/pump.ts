/** @module Checks a pump: a run that comes back to more than it started from, and what that refutes (T8.1, T8.2). */

import type { Net, PlaceIndex } from "@tessera/core";
import { fireSequence } from "@tessera/core";
import type { Run } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";

/** Is `run` from firing `from` on a pump of a plain or weighted net? Then the net is unbounded. */
export function checkPump(net: Net, run: Run, from: number): Checked {
  if (net.transitions.some((t) => t.reset.length > 0 || t.any.length > 0 || t.rule !== undefined)) {
    return invalid("the net is not monotone: it has resets, optional inputs or rules");
  }
  const before = fireSequence(net, net.initial, run.sequence.slice(0, from));
  if (before.kind !== "fired") return invalid(`stuck at firing ${before.at}`);
  const isLess = run.marking.some((tokens, place) => tokens < (before.marking[place] ?? 0));
  const isMore = run.marking.some((tokens, place) => tokens > (before.marking[place] ?? 0));
  return isMore && !isLess ? VALID : invalid("the run does not gain");
}

/** May a pump be held against O1 (T8.1), or only against O1 and O2 together (T8.2)? */
export function checkPumpTheorem(net: Net, against: "O1" | "sound"): Checked {
  if (net.transitions.some((t) => t.post.length === 0)) return invalid("a transition produces nothing");
  const taken = new Set<PlaceIndex>(net.transitions.flatMap((t) => t.pre.map(([place]) => place)));
  const { finals } = net;
  const isSole = finals.kind === "ends" ? finals.ends.length === 1 : finals.markings.length === 1;
  if (against === "O1" && !isSole) return invalid("more than one final marking");
  if (!isSole && finals.kind === "markings") return invalid("a list of several final markings");
  const places =
    finals.kind === "ends"
      ? finals.ends
      : (finals.markings[0] ?? []).flatMap((tokens, place) => (tokens > 0 ? [place] : []));
  if (finals.kind === "ends" && places.length === 0) return invalid("no end place");
  return places.some((place) => taken.has(place))
    ? invalid("a transition takes from a final marking")
    : VALID;
}
