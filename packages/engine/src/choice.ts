/** @module The choice between transitions of a bare net that compete for a token. */
import {
  type Data,
  diff,
  type Json,
  type Net,
  type Patch,
  type PlaceIndex,
  sha256Hex,
  type TransitionIndex,
} from "@tessera/core";

/** The key of D that a net definition reads: ids of transitions, taken in order whenever there is a conflict. */
export const CHOICES_KEY = "choices";

/** The places that a transition takes from, optional inputs included. */
function inputsOf(net: Net, t: TransitionIndex): readonly PlaceIndex[] {
  const { pre = [], any = [] } = net.transitions[t] ?? {};
  return [...pre.map(([place]) => place), ...any];
}

/** The transition to fire (-1: none is enabled); where it used up a given choice, D without it and the patch that says so. */
export interface Choice {
  readonly transition: TransitionIndex;
  readonly data: Data;
  readonly patch: Patch | null;
}

/**
 * Chooses among `enabled` (document order): the first one, unless another enabled transition shares an input place
 * with it; then the head of D.choices if it is one of those, else by the seed, which the turn records.
 *
 * @definition D9.3
 */
export function chooseInConflict(
  net: Net,
  enabled: readonly TransitionIndex[],
  data: Data,
  seed: string,
): Choice {
  const [leader] = enabled;
  if (leader === undefined) return { transition: -1, data, patch: null };
  const places = new Set(inputsOf(net, leader));
  const rivals = enabled.filter((t) => t === leader || inputsOf(net, t).some((place) => places.has(place)));
  if (rivals.length === 1) return { transition: leader, data, patch: null };
  const choices: Json | undefined = Object.hasOwn(data, CHOICES_KEY) ? data[CHOICES_KEY] : undefined;
  if (Array.isArray(choices)) {
    const wanted = rivals.find(
      (t) => net.transitions[t]?.id === choices[0] || net.transitions[t]?.label === choices[0],
    );
    if (wanted !== undefined) {
      const next: Data = { ...data, [CHOICES_KEY]: choices.slice(1) };
      return { transition: wanted, data: next, patch: diff(data, next) };
    }
  }
  const draw = Number.parseInt(sha256Hex(seed).slice(0, 12), 16);
  return { transition: rivals[draw % rivals.length] ?? leader, data, patch: null };
}
