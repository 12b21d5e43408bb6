/** @module Which open items a reset takes: those whose token is gone. Fires nothing. */
import { type ItemId, nodeIdOf, type OpenItem, playable, type TransitionIndex } from "@tessera/core";
import type { Draft } from "./draft.ts";

/**
 * The items, besides `closed`, that the firing of `fired` closes because it reset their places: the token that they
 * stand for is no longer there. A handler goes with the place at which its node rests, whether or not it is marked.
 */
export function takenByReset(
  { plan, game, items }: Draft,
  fired: readonly TransitionIndex[],
  closed: readonly ItemId[],
): readonly ItemId[] {
  const { net, restNode } = plan.program;
  if (fired.every((t) => (net.transitions[t]?.reset.length ?? 0) === 0)) return NOTHING;
  const reset = new Set(fired.flatMap((t) => net.transitions[t]?.reset ?? []));
  const resting = new Set<string>();
  const emptied = new Set<string>();
  for (const [place, node] of restNode) {
    const id = plan.nodes[node]?.id ?? "";
    if ((game.marking[place] ?? 0) > 0) resting.add(id);
    if (reset.has(place)) emptied.add(id);
  }
  const waiting = new Set(playable(game).map((t) => nodeIdOf(plan.program, t)));
  const isGone = (item: OpenItem): boolean => {
    if (item.event !== undefined) return emptied.has(item.node);
    return !resting.has(item.node) && !(item.kind === "intervention" && waiting.has(item.node));
  };
  return [...items.values()].flatMap((item) => (isGone(item) && !closed.includes(item.id) ? [item.id] : []));
}

const NOTHING: readonly never[] = [];
