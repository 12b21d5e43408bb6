/** @module O4, 1-safeness of the control places. Counter places carry budgets and are left out. */
import type { Marking, Net, PlaceIndex } from "@tessera/core";

/**
 * The first control place that carries more than one token in `M`, or null.
 *
 * @definition D8.5
 */
export function unsafePlace(net: Net, M: Marking): PlaceIndex | null {
  for (let place = 0; place < M.length; place += 1)
    if (M[place]! > 1 && net.places[place]?.role === "control") return place;
  return null;
}
