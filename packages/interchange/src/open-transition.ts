/** @module A transition while its arcs are read: arcs that only test wait until all arcs are there. */
import type { PlaceIndex } from "@tessera/core";
import { addWeight, type Bound, type TransitionPart } from "./imported-net.ts";
import type { IssueLog } from "./issue-log.ts";

/** `read` and `inhibitors` hold the arcs that test, of parallel ones the one that decides. */
export interface OpenTransition extends TransitionPart {
  readonly read: Map<PlaceIndex, Bound>;
  readonly inhibitors: Map<PlaceIndex, Bound>;
}

/** Parallel read arcs test the same tokens: the largest weight decides. */
export function addRead(transition: OpenTransition, place: PlaceIndex, bound: Bound): void {
  if (bound.tokens > (transition.read.get(place)?.tokens ?? 0)) transition.read.set(place, bound);
}

/** Parallel inhibitor arcs test the same tokens: the smallest weight decides. */
export function addInhibitor(transition: OpenTransition, place: PlaceIndex, bound: Bound): void {
  const known = transition.inhibitors.get(place);
  if (known === undefined || bound.tokens < known.tokens) transition.inhibitors.set(place, bound);
}

/**
 * A read arc of weight r beside a consuming arc of weight c asks for max(r, c) tokens and takes c: it is written as
 * an input of max(r, c) and an output of max(r, c) - c more. On a place that the transition also resets, the
 * tokens given back would survive the reset, so only the requirement remains.
 */
export function applyReads({ pre, post, reset, read }: OpenTransition, log: IssueLog): void {
  for (const [place, { tokens, where }] of read) {
    const consumed = pre.get(place) ?? 0;
    const required = Math.max(tokens, consumed);
    pre.set(place, required);
    if (required === consumed || reset.has(place)) continue;
    if (!addWeight(post, place, required - consumed)) {
      log.error("IMP007", where, "a read arc makes the weight too large");
    }
  }
}
