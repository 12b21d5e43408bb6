/** @module The end of a block that holds back, on a case: it ends, or is refused. */
import { ERROR, type Outcome } from "@tessera/core";
import type { BlockEnd } from "./block-ends.ts";
import { type Choice, type Leaving, leave, untold } from "./leaving.ts";

/**
 * The closer of a block leaves under `outcome`, or under error where what its branches hold back is refused. A run in
 * which they hold nothing back is not refused.
 *
 * @definition D23.10
 */
export function endChoices(
  leaving: Leaving,
  node: number,
  { mayRefuse, isFree }: BlockEnd,
  outcome: Outcome,
  cells: readonly number[],
): readonly Choice[] {
  const provision = leave(leaving, node, ERROR, cells, cells, { isProvision: true });
  if (!mayRefuse) return [leave(leaving, node, outcome, cells, cells), provision];
  const refused = leave(leaving, node, ERROR, cells, cells, { isPlayable: false });
  const accepted = leave(leaving, node, outcome, cells, cells, { isSure: false, isPlayable: isFree });
  return [untold([leave(leaving, node, outcome, cells, cells, { isPlayable: false }), refused]), accepted];
}
