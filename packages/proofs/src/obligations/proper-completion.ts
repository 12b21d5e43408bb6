/** @module O2, proper completion: completion leaves nothing behind and happens once. */

import type { Marking, Net } from "@tessera/core";
import { isFinal } from "@tessera/core";
import type { Finding } from "../verdict.ts";

/**
 * How `M` violates proper completion, or null. Nets with end places: an end place with a second token. Nets with a
 * list of final markings: a marking that is not final and strictly covers a final one.
 *
 * @definition D8.3
 */
export function improperCompletion(net: Net, M: Marking): Finding | null {
  if (net.finals.kind === "ends") {
    const place = net.finals.ends.find((end) => (M[end] ?? 0) > 1);
    return place === undefined ? null : { kind: "second-token", place };
  }
  if (isFinal(net, M)) return null;
  const final = net.finals.markings.find((F) => F.every((tokens, place) => (M[place] ?? 0) >= tokens));
  return final === undefined ? null : { kind: "beyond-final", final };
}
