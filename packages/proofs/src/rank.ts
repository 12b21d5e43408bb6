/** @module Stage 2: soundness of free-choice workflow nets by the rank theorem, in polynomial time, with a certificate. */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import { kernelBasis, rankModulo } from "./linear/elimination.ts";
import { feasible } from "./linear/feasible.ts";
import { incidence, type Sparse, transposed } from "./linear/incidence.ts";
import { netShape } from "./net-shape.ts";
import type { IllFormed, RankCertificate } from "./verdict.ts";

/** What the rank theorem says of a net. `skipped`: another class, or numbers or matrices too large. */
export type RankAnswer =
  | { readonly kind: "sound"; readonly certificate: RankCertificate }
  | { readonly kind: "unsound"; readonly reason: IllFormed }
  | { readonly kind: "skipped" };

/** The largest matrix that is looked at: places times transitions. */
const CELLS_MAX = 20_000;

const SKIPPED: RankAnswer = { kind: "skipped" };

/**
 * Decides a plain free-choice workflow net by T13.4 and T13.5. Cost: polynomial; the greatest part are two exact linear
 * programs in the size of the net.
 *
 * @refines D13.12
 */
export function rankTheorem(net: Net): RankAnswer {
  const { places, transitions } = net;
  if ((places.length + 1) * (transitions.length + 1) > CELLS_MAX) return SKIPPED;
  const { isFreeChoice, sink } = netShape(net);
  if (!isFreeChoice || sink === null || net.initial.some((tokens) => tokens > 1)) return SKIPPED;
  const closed = shortCircuit(net, sink);
  if (!isStronglyConnected(closed)) return SKIPPED;
  const { order, left } = emptying(closed);
  if (left.length > 0) return { kind: "unsound", reason: { kind: "siphon", places: left } };
  const columns = incidence(closed);
  const rows = transposed(columns, places.length);
  const clusters = clusterCount(closed);
  if (rankModulo(columns) >= clusters) return { kind: "unsound", reason: { kind: "rank-large" } };
  const kernel = kernelBasis(rows, columns.length);
  if (kernel === null) return SKIPPED;
  const expected = columns.length - clusters + 1;
  if (kernel.length > expected) return { kind: "unsound", reason: { kind: "rank-small", kernel } };
  // The prime divides a minor: what is true could not be checked.
  if (kernel.length < expected || rankModulo(columns) !== clusters - 1) return SKIPPED;
  const placeWeights = positiveKernel(columns, places.length);
  if (placeWeights === null) return SKIPPED;
  if (placeWeights.kind === "none")
    return { kind: "unsound", reason: { kind: "gain", firings: placeWeights.refutation } };
  const firings = positiveKernel(rows, columns.length);
  // With the weights and the rank there are firings (T13.5): only a limit can keep them from us.
  if (firings?.kind !== "vector") return SKIPPED;
  const certificate = { weights: placeWeights.vector, firings: firings.vector, kernel, order };
  return { kind: "sound", certificate: { kind: "rank", ...certificate } };
}

/** The net with one more transition, from `sink` to the places that are marked at the start. */
export function shortCircuit(net: Net, sink: PlaceIndex): Net {
  const starts = net.initial.flatMap((tokens, place) => (tokens > 0 ? [[place, 1] as const] : []));
  const back = { id: "*", pre: [[sink, 1] as const], any: [], post: starts, reset: [] };
  return { ...net, transitions: [...net.transitions, back] };
}

/** Can every node be reached from every other? Asked from the last transition on, forth and back. */
function isStronglyConnected({ places, transitions }: Net): boolean {
  const reaches = (isForth: boolean) => {
    const met = new Set([transitions.length - 1]);
    const seen = new Set<PlaceIndex>();
    const next: TransitionIndex[][] = places.map(() => []);
    transitions.forEach(({ pre, post }, t) => {
      for (const [place] of isForth ? pre : post) next[place]!.push(t);
    });
    for (const t of met) {
      for (const [place] of isForth ? transitions[t]!.post : transitions[t]!.pre) {
        // Stryker disable next-line ConditionalExpression: a place that is looked at again adds nothing to the sets
        if (seen.has(place)) continue;
        seen.add(place);
        for (const after of next[place]!) met.add(after);
      }
    }
    return met.size === transitions.length && seen.size === places.length;
  };
  return reaches(true) && reaches(false);
}

/** How many clusters a free-choice net has: classes of places with common consumers, and transitions without inputs. */
export function clusterCount({ places, transitions }: Net): number {
  const clusterOf = new Array<number>(places.length).fill(-1);
  let count = 0;
  for (const { pre } of transitions) {
    const [first] = pre;
    if (first !== undefined && clusterOf[first[0]] !== -1) continue;
    for (const [place] of pre) clusterOf[place] = count;
    count += 1;
  }
  return count + clusterOf.filter((cluster) => cluster === -1).length;
}

/** Empties the set of all places that start unmarked by an order of transitions; `left` is a siphon. */
function emptying(net: Net): {
  readonly order: readonly TransitionIndex[];
  readonly left: readonly PlaceIndex[];
} {
  const inSet = net.initial.map((tokens) => tokens === 0);
  const order: TransitionIndex[] = [];
  const inputs = net.transitions.map(({ pre }) => pre.filter(([place]) => inSet[place]).length);
  const ready = net.transitions.flatMap((_, t) => (inputs[t] === 0 ? [t] : []));
  for (const t of ready) {
    const leaving = net.transitions[t]!.post.filter(([place]) => inSet[place]).map(([place]) => place);
    if (leaving.length > 0) order.push(t);
    for (const place of leaving) {
      inSet[place] = false;
      net.transitions.forEach(({ pre }, consumer) => {
        if (!pre.some(([input]) => input === place)) return;
        inputs[consumer]! -= 1;
        if (inputs[consumer] === 0) ready.push(consumer);
      });
    }
  }
  return { order, left: net.places.flatMap((_, place) => (inSet[place] ? [place] : [])) };
}

/** A positive integer vector annihilated by each of `rows`; or a vector `y` with `y * rows >= 0`, not zero; null: limit. */
function positiveKernel(
  rows: readonly Sparse[],
  columnCount: number,
):
  | { readonly kind: "vector"; readonly vector: readonly number[] }
  | { readonly kind: "none"; readonly refutation: readonly number[] }
  | null {
  // v = 1 + z with z >= 0: the rows applied to z must give what they give to the ones, negated.
  const right = rows.map((row) => -row.reduce((sum, [, value]) => sum + value, 0));
  const found = feasible(rows, right, columnCount);
  if (found.kind === "limit") return null;
  if (found.kind === "infeasible") return { kind: "none", refutation: found.y };
  return { kind: "vector", vector: found.x.map((value) => value + found.scale) };
}
