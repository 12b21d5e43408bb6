/** @module Checks a rank certificate (D13.12), and what the rank theorem refutes (T13.5), with arithmetic of its own. */
import type { Net } from "@tessera/core";
import type { IllFormed, RankCertificate } from "../verdict.ts";
import { closedMatrix, isOnPaths } from "./closed-matrix.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { dot, isAnnihilated, isPositive, isSemiPositive, rankModulo } from "./integer-vectors.ts";

/**
 * Is `certificate` right for `net`? Then the net is sound and safe (T13.4).
 *
 * @definition D13.12
 */
export function checkRank(net: Net, certificate: RankCertificate): Checked {
  const closed = closedMatrix(net);
  if (typeof closed === "string") return invalid(closed);
  const { columns, clusters } = closed;
  const { weights, firings, kernel, order } = certificate;
  if (weights.length !== net.places.length || !weights.every(isPositive))
    return invalid("weights are not positive");
  if (columns.some((column) => dot(column, weights) !== 0n)) return invalid("the weights are no S-invariant");
  if (firings.length !== columns.length || !firings.every(isPositive))
    return invalid("firings are not positive");
  if (!isAnnihilated(columns, firings)) return invalid("the firings are no T-invariant");
  if (kernel.length !== columns.length - clusters + 1) return invalid("the kernel has another dimension");
  if (!kernel.every((vector) => isAnnihilated(columns, vector))) return invalid("not in the kernel");
  if (rankModulo(kernel) !== kernel.length) return invalid("the kernel is dependent");
  if (rankModulo(columns) !== clusters - 1) return invalid("another rank");
  return emptiesAll(net, order) ? VALID : invalid("the order leaves a siphon");
}

/** Does `reason` show that `net` is not sound (T13.5)? */
export function checkIllFormed(net: Net, reason: IllFormed): Checked {
  const closed = closedMatrix(net);
  if (typeof closed === "string") return invalid(closed);
  const { columns, clusters } = closed;
  if (!isOnPaths(net, closed.sink)) return invalid("a node is on no path from the start to the sink");
  const verified = (isTrue: boolean) => (isTrue ? VALID : invalid(`${reason.kind} is not shown`));
  switch (reason.kind) {
    case "siphon": {
      // The transition that leads back needs no look: it puts tokens on places that start marked, which are not in the set.
      const inSet = new Set(reason.places);
      const isSiphon = net.transitions.every(
        ({ pre, post }) => !post.some(([p]) => inSet.has(p)) || pre.some(([p]) => inSet.has(p)),
      );
      return verified(inSet.size > 0 && isSiphon && reason.places.every((place) => net.initial[place] === 0));
    }
    case "rank-large":
      return verified(rankModulo(columns) >= clusters);
    case "rank-small": {
      const { kernel } = reason;
      const isKernel = kernel.every((vector) => isAnnihilated(columns, vector));
      const isMore = kernel.length > columns.length - clusters + 1;
      return verified(isKernel && isMore && rankModulo(kernel) === kernel.length);
    }
    case "gain": {
      if (reason.firings.length !== columns.length || !reason.firings.every(Number.isSafeInteger))
        return verified(false);
      return verified(
        isSemiPositive(
          net.places.map((_, place) =>
            dot(
              columns.map((c) => c[place]!),
              reason.firings,
            ),
          ),
        ),
      );
    }
    case "drift": {
      if (reason.weights.length !== net.places.length || !reason.weights.every(Number.isSafeInteger))
        return verified(false);
      return verified(isSemiPositive(columns.map((column) => dot(column, reason.weights))));
    }
  }
}

function emptiesAll({ initial, transitions }: Net, order: readonly number[]): boolean {
  const rest = new Set([...initial.keys()].filter((place) => initial[place] === 0));
  for (const t of order) {
    // The last transition, which leads back, puts nothing into the set.
    const transition = transitions[t];
    if (transition === undefined || transition.pre.some(([place]) => rest.has(place))) return false;
    for (const [place] of transition.post) rest.delete(place);
  }
  return rest.size === 0;
}
