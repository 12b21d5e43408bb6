/** @module Coverability: which markings can be covered, and where tokens grow without bound, in bounded nets or not. */
import { invariant, type Marking, type Net, netClass, type TransitionIndex } from "@tessera/core";

/** Tokens without bound. */
export const UNBOUNDED: number = Number.POSITIVE_INFINITY;

/** A marking with UNBOUNDED on some places: reachable markings have as many there as one likes. */
export type Limit = readonly number[];

/** What can be covered: each reachable marking is below one of `limits`, and each of them is approached. */
export interface Coverability {
  readonly limits: readonly Limit[];
  /** Transitions that no limit enables: they are dead. */
  readonly dead: readonly TransitionIndex[];
}

/**
 * The minimal coverability set of a plain or weighted net, by the tree of Karp and Miller; null past `nodesMax` nodes.
 * It is finite, and may be enormous. Resets would make it wrong: other classes break invariant D22.7.
 *
 * @definition D22.7
 */
export function coverability(net: Net, nodesMax: number): Coverability | null {
  const kind = netClass(net);
  invariant(kind === "plain" || kind === "weighted", "D22.7", () => ({ kind }));
  const nodes: Node[] = [{ limit: net.initial, parent: null }];
  const seen = new Set([net.initial.join()]);
  const isEnabled = new Uint8Array(net.transitions.length);
  for (const node of nodes) {
    for (const [t, { pre, post }] of net.transitions.entries()) {
      if (pre.some(([place, weight]) => node.limit[place]! < weight)) continue;
      isEnabled[t] = 1;
      const next = [...node.limit];
      for (const [place, weight] of pre) next[place]! -= weight;
      for (const [place, weight] of post) next[place]! += weight;
      accelerate(next, node);
      const key = next.join();
      if (seen.has(key)) continue;
      if (nodes.length >= nodesMax) return null;
      seen.add(key);
      nodes.push({ limit: next, parent: node });
    }
  }
  const limits = maximal(nodes.map(({ limit }) => limit));
  return { limits, dead: net.transitions.flatMap((_, t) => (isEnabled[t] === 1 ? [] : [t])) };
}

interface Node {
  readonly limit: Limit;
  readonly parent: Node | null;
}

/** Where `limit` strictly covers a node on the way to it, what it gained can be gained again. */
function accelerate(limit: number[], from: Node): void {
  for (let node: Node | null = from; node !== null; node = node.parent) {
    const before = node.limit;
    if (!limit.every((tokens, place) => tokens >= before[place]!)) continue;
    limit.forEach((tokens, place) => {
      if (tokens > before[place]!) limit[place] = UNBOUNDED;
    });
  }
}

function maximal(limits: readonly Limit[]): readonly Limit[] {
  const isBelow = (left: Limit, right: Limit) => left.every((tokens, place) => tokens <= right[place]!);
  return limits.filter((limit) => !limits.some((other) => other !== limit && isBelow(limit, other)));
}

/**
 * Can a marking with at least the tokens of `target` be reached? Backwards from the target, so that resets are allowed:
 * the bases of upward-closed sets grow until they hold the initial marking or nothing new comes. Null past `basisMax`.
 * Nets with optional inputs or rules break invariant D22.8.
 *
 * @definition D22.8
 */
export function isCoverable(net: Net, target: Marking, basisMax: number): boolean | null {
  invariant(netClass(net) !== "non-local", "D22.8", () => ({ kind: "non-local" }));
  const isBelow = (left: Marking, right: Marking) => left.every((tokens, place) => tokens <= right[place]!);
  let basis: Marking[] = [target];
  const open: Marking[] = [target];
  for (let least = open.pop(); least !== undefined; least = open.pop()) {
    if (isBelow(least, net.initial)) return true;
    const demanded = least;
    if (!basis.includes(demanded)) continue;
    for (const t of net.transitions.keys()) {
      const before = demandBefore(net, t, demanded);
      if (before === null || basis.some((other) => isBelow(other, before))) continue;
      basis = [...basis.filter((other) => !isBelow(before, other)), before];
      if (basis.length > basisMax) return null;
      open.push(before);
    }
  }
  return false;
}

/** The least marking from which firing `t` gives at least `after`; null if none does. */
function demandBefore(net: Net, t: TransitionIndex, after: Marking): Marking | null {
  const { pre, post, reset } = net.transitions[t]!;
  const before = [...after];
  for (const [place, weight] of post) before[place] = Math.max(0, before[place]! - weight);
  for (const place of reset) {
    if (before[place]! > 0) return null;
    before[place] = 0;
  }
  for (const [place, weight] of pre) before[place]! += weight;
  return before;
}
