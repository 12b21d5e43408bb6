/** @module Boundedness: a run that reproduces its marking with something left over can be repeated for ever. */

import type { Net } from "@tessera/core";
import { netClass } from "@tessera/core";
import type { Structure } from "../structure.ts";

/**
 * Does `later` strictly cover `earlier`: at least as many tokens everywhere, more somewhere? In plain and weighted
 * nets a run from one to the other is a pump. With resets, rules or optional inputs it says nothing.
 *
 * @definition D8.7
 */
export function strictlyCovers(later: ArrayLike<number>, earlier: ArrayLike<number>): boolean {
  let isMore = false;
  for (let place = 0; place < later.length; place += 1) {
    const difference = (later[place] ?? 0) - (earlier[place] ?? 0);
    if (difference < 0) return false;
    if (difference > 0) isMore = true;
  }
  return isMore;
}

/** Do covering markings mean unboundedness in this net? */
export function isMonotone(net: Net): boolean {
  const kind = netClass(net);
  return kind === "plain" || kind === "weighted";
}

/** What a pump refutes: option to complete (T8.1), option to complete or proper completion (T8.2), or neither. */
export function pumpRefutes(net: Net, structure: Structure): "O1" | "O1 or O2" | "nothing" {
  if (!isMonotone(net) || !structure.alwaysProduces) return "nothing";
  if (structure.soleFinal !== null) return "O1";
  const isEnded =
    net.finals.kind === "ends" &&
    net.finals.ends.length > 0 &&
    net.finals.ends.every((end) => structure.isNeverTaken[end] === 1);
  return isEnded ? "O1 or O2" : "nothing";
}
