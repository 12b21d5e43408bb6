/** @module O4, 1-safeness of the control places. Counter places carry budgets and are left out. */
import type { Marking, Net, PlaceIndex } from "@tessera/core";

/**
 * The first control place that carries more than one token in `M`, or null.
 *
 * @definition D8.5
 */
export function unsafePlace(net: Net, M: Marking): PlaceIndex | null {
  const place = M.findIndex((tokens, p) => tokens > 1 && net.places[p]!.role === "control");
  return place < 0 ? null : place;
}
