import type { Marking, Net } from "@tessera/core";
import { arbitraryMistakenWorkflowNet, arbitraryNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { strictlyCovers } from "../src/obligations/boundedness.ts";
import { noCompletion, trapCertificate } from "../src/obligations/option-to-complete.ts";
import { greatestEmptySiphon, smallTrap, structureOf } from "../src/structure.ts";
import { graphOf, isFinalByHand, successorsOf } from "./oracle.ts";

const STATES_MAX = 150;

const nets = fc.oneof(
  arbitraryNet({ weightMax: 2 }),
  arbitraryNet({ weightMax: 2, hasResets: true, hasOptional: true }),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
);

type Certify = (net: Net, M: Marking) => string | null;

const certify: Certify = (net, M) => {
  const structure = structureOf(net);
  return (noCompletion(structure, M) ?? trapCertificate(net, structure, M))?.kind ?? null;
};

/** Law: from a marking with a certificate no final marking is reachable, as far as a naive search sees. */
function certificatesAreRight(decide: Certify, kinds: Set<string> = new Set()): void {
  fc.assert(
    fc.property(nets, (net) => {
      for (const M of markingsOf(net)) {
        const kind = decide(net, M);
        if (kind === null) continue;
        kinds.add(kind);
        const final = markingsFrom(net, M).find((reached) => isFinalByHand(net, reached));
        expect({ M, kind, final }).toEqual({ M, kind, final: undefined });
      }
    }),
    { numRuns: 300 },
  );
}

function markingsOf(net: Net): readonly number[][] {
  return markingsFrom(net, net.initial).slice(0, 12);
}

function markingsFrom(net: Net, M: readonly number[]): number[][] {
  const graph = graphOf(net, M, STATES_MAX);
  if (graph !== null) return [...graph.keys()].map((key) => JSON.parse(key) as number[]);
  const seen = new Set([JSON.stringify(M)]);
  for (const key of seen) {
    if (seen.size > STATES_MAX) break;
    for (const { next } of successorsOf(net, JSON.parse(key) as number[])) seen.add(JSON.stringify(next));
  }
  return [...seen].map((key) => JSON.parse(key) as number[]);
}

/** Law: places of the siphon stay empty, and what needs them never fires; all other places could be marked. */
function siphonStaysEmpty(find: (net: Net, M: Marking) => readonly number[]): void {
  fc.assert(
    fc.property(nets, (net) => {
      const siphon = new Set(find(net, net.initial));
      for (const M of markingsFrom(net, net.initial)) {
        expect(M.filter((tokens, place) => tokens > 0 && siphon.has(place))).toEqual([]);
      }
      // The greatest one: with tokens that are never used up everything outside gets marked.
      const rich = net.initial.map((tokens, place) => (siphon.has(place) ? 0 : 1000 + tokens));
      const fired = successorsOf(net, rich).flatMap(({ next }) =>
        next.map((tokens, place) => (tokens > 0 ? place : -1)),
      );
      expect(fired.filter((place) => siphon.has(place))).toEqual([]);
    }),
    { numRuns: 300 },
  );
}

/** Is the set a trap? What takes from it, or empties a place of it, puts a token on it. */
const isTrapOf = (net: Net, set: ReadonlySet<number>) =>
  net.transitions.every(
    ({ pre, any, post, reset }) =>
      ![...pre.map(([p]) => p), ...any, ...reset].some((p) => set.has(p)) || post.some(([p]) => set.has(p)),
  );

type Small = typeof smallTrap;

/** Law: a trap that the marking marks, and no set strictly inside is one (oracle: every set of places). */
function smallTrapsAreMinimal(small: Small): number {
  let judged = 0;
  fc.assert(
    fc.property(nets, fc.array(fc.nat({ max: 2 }), { minLength: 8, maxLength: 8 }), (net, tokens) => {
      if (net.places.length > 8) return;
      const M = net.places.map((_, place) => tokens[place]!);
      const { trap } = structureOf(net);
      const isMarked = (set: ReadonlySet<number>) => [...set].some((p) => M[p]! > 0);
      const whole = new Set([...trap.keys()].filter((p) => trap[p] === 1));
      if (!isMarked(whole)) return;
      judged += 1;
      const found = small(net, trap, M);
      const set = new Set(found);
      expect({ found, isTrap: isTrapOf(net, set), isMarked: isMarked(set) }).toEqual({
        found,
        isTrap: true,
        isMarked: true,
      });
      for (let bits = 0; bits < 2 ** found.length - 1; bits += 1) {
        const part = new Set(found.filter((_, at) => ((bits >> at) & 1) === 1));
        expect(isMarked(part) && isTrapOf(net, part)).toBe(false);
      }
    }),
    { numRuns: 600 },
  );
  return judged;
}

describe("structural certificates", () => {
  it("[L8.1] [L8.2] [L8.3] a certified marking never completes", () => {
    const kinds = new Set<string>();
    certificatesAreRight(certify, kinds);
    expect([...kinds].sort()).toEqual(["covers-final", "overfull", "trap"]);
  });

  it("[L8.1] [L8.2] [L8.3] the law refuses certificates without their conditions", () => {
    const covering: Certify = (net, M) =>
      net.finals.kind === "markings" && net.finals.markings.some((F) => strictlyCovers(M, F))
        ? "covers-final"
        : null;
    const anyPlace: Certify = (net, M) => {
      const { finalMax } = structureOf(net);
      return M.some((tokens, place) => tokens > (finalMax[place] ?? 0)) ? "overfull" : null;
    };
    const anyTrap: Certify = (net, M) => {
      const { finalMax } = structureOf(net);
      const isTrap = (place: number) =>
        net.transitions.every((t) => !t.pre.some(([p]) => p === place) || t.post.length > 0);
      return M.some((tokens, place) => tokens > 0 && finalMax[place] === 0 && isTrap(place)) ? "trap" : null;
    };
    for (const broken of [covering, anyPlace, anyTrap]) expect(() => certificatesAreRight(broken)).toThrow();
  });

  it("[L8.4] the greatest empty siphon stays empty", () => {
    siphonStaysEmpty(greatestEmptySiphon);
  });

  it("[L8.4] the law refuses the set of all unmarked places", () => {
    expect(() =>
      siphonStaysEmpty((net, M) => net.places.flatMap((_, p) => (M[p] === 0 ? [p] : []))),
    ).toThrow();
  });

  it("[L8.3] a small trap is a trap, marked, and has none inside that is", () => {
    expect(smallTrapsAreMinimal(smallTrap)).toBeGreaterThan(60);
  });

  it("[L8.3] the law refuses the whole trap, and a place that is none", () => {
    expect(() =>
      smallTrapsAreMinimal((net, trap) => net.places.flatMap((_, p) => (trap[p] === 1 ? [p] : []))),
    ).toThrow();
    expect(() => smallTrapsAreMinimal((_, __, M) => [M.findIndex((tokens) => tokens > 0)])).toThrow();
  });
});
