/** @module Deadlock: nothing can happen and the run is not complete. */

import type { Marking, Net, NonLocalRules } from "@tessera/core";
import { enabledTransitions, isFinal, NO_RULES } from "@tessera/core";

/**
 * Is `M` a deadlock: not final, and no transition enabled? A workflow that waits for somebody is none, since the
 * transition that finishes the wait is enabled in the net.
 *
 * @definition D8.6
 */
export function isDeadlock(net: Net, M: Marking, rules: NonLocalRules = NO_RULES): boolean {
  return !isFinal(net, M) && enabledTransitions(net, M, rules).length === 0;
}
