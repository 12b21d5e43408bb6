import type { Net, NonLocalRules } from "@tessera/core";
import { NO_RULES } from "@tessera/core";
import { arbitraryNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkClosedSet } from "../../src/certificate/closed-set.ts";
import { findRow, keepRow, markingTable, writeRow } from "../../src/certificate/marking-table.ts";
import { markingsOf, reached, reaching } from "../../src/certificate/reached.ts";
import { reachableMarkings } from "../../src/reachability.ts";
import { graphOf } from "../oracle.ts";

const STATES_MAX = 120;

/** `t` is refused while more than two tokens are about: a rule that no local condition expresses. */
const RULES: NonLocalRules = new Map([["few", (_net, M) => Array.from(M).reduce((a, b) => a + b, 0) <= 2]]);

const ruled = arbitraryNet().map((net): Net => {
  const transitions = net.transitions.map((t, index) => (index % 2 === 0 ? { ...t, rule: "few" } : t));
  return { ...net, transitions };
});

type Build = typeof reached;

/** Law: the checker's enumeration is the plain one, marking for marking, and null exactly where that is cut. */
function equalsPlain(build: Build, nets: fc.Arbitrary<Net>, rules: NonLocalRules): void {
  fc.assert(
    fc.property(nets, fc.integer({ min: 1, max: STATES_MAX }), (net, max) => {
      const plain = reachableMarkings(net, net.initial, max, rules);
      const all = build(net, net.initial, max, rules);
      expect(all === null).toBe(!plain.complete);
      if (all !== null) expect(markingsOf(all)).toEqual(plain.markings);
    }),
    { numRuns: 300 },
  );
}

describe("what the checker builds again", () => {
  it("[D8.1] [D1.4] is what the plain search reaches, with resets, optional inputs, weights and rules", () => {
    equalsPlain(reached, arbitraryNet(), NO_RULES);
    equalsPlain(reached, arbitraryWorkflowNet(), NO_RULES);
    equalsPlain(reached, ruled, RULES);
  });

  it("[D8.1] has the edges of the state space, and goes back along them", () => {
    fc.assert(
      fc.property(arbitraryNet(), fc.nat(), (net, choice) => {
        const graph = graphOf(net, net.initial, STATES_MAX);
        const all = reached(net, net.initial, STATES_MAX, NO_RULES);
        expect(all === null).toBe(graph === null);
        if (all === null || graph === null) return;
        const keys = markingsOf(all).map((M) => JSON.stringify(M));
        const edges = all.source.map((from, edge) => `${keys[from]} ${keys[all.target[edge]!]}`).sort();
        const plain = [...graph].flatMap(([key, steps]) => steps.map(({ next }) => `${key} ${next}`));
        expect(edges).toEqual(plain.sort());
        const fired = new Set([...graph.values()].flat().map(({ t }) => t));
        expect(net.transitions.map((_, t) => all.isEnabled[t] === 1)).toEqual(
          net.transitions.map((_, t) => fired.has(t)),
        );
        const goal = choice % keys.length;
        const from = reaching(
          all,
          Uint8Array.from(keys, (_, row) => (row === goal ? 1 : 0)),
        );
        // Forwards, by hand: whoever sees the goal among all that comes after it.
        const sees = keys.map((key) => {
          const after = new Set([key]);
          for (const at of after) for (const { next } of graph.get(at) ?? []) after.add(next);
          return after.has(keys[goal]!) ? 1 : 0;
        });
        expect([...from]).toEqual(sees);
      }),
      { numRuns: 200 },
    );
  });

  it("[D8.1] the law refuses an enumeration that forgets the last transition", () => {
    const forgetful: Build = (net, from, max, rules) =>
      reached({ ...net, transitions: net.transitions.slice(0, -1) }, from, max, rules);
    expect(() => equalsPlain(forgetful, arbitraryNet(), NO_RULES)).toThrow();
  });

  it("[D8.1] counts of a certificate do not wrap round: 2^32 tokens are not none", () => {
    const table = markingTable(2);
    keepRow(table, writeRow(table, [0, 1]));
    for (const [M, row] of [
      [[0, 1], 0],
      [[2 ** 32, 1], -1],
      [[0.5, 1], -1],
      [[Number.NaN, 1], -1],
    ] as const) {
      expect([M, findRow(table, writeRow(table, M))]).toEqual([M, row]);
    }
  });

  it("[D8.2] a set is closed iff no firing leaves it (oracle: the graph); members may be named twice", () => {
    let open = 0;
    fc.assert(
      fc.property(fc.oneof(arbitraryNet(), arbitraryWorkflowNet()), fc.nat(), (net, choice) => {
        const graph = graphOf(net, net.initial, STATES_MAX);
        if (graph === null) return;
        const members = [...graph.keys()].filter((_, at) => at === 0 || (choice >> (at % 30)) % 2 === 0);
        const markings = members.map((key) => JSON.parse(key) as number[]);
        const known = new Set(members);
        const isClosed = members.every((key) => graph.get(key)!.every(({ next }) => known.has(next)));
        const listed = { kind: "closed-set", size: markings.length, markings } as const;
        const again = {
          kind: "closed-set",
          size: markings.length + 1,
          markings: [...markings, net.initial],
        } as const;
        const options = { rules: NO_RULES, statesMax: 1000 };
        const isFine = () => null;
        for (const set of [listed, again])
          expect(checkClosedSet(net, net.initial, set, isFine, options).kind).toBe(
            isClosed ? "valid" : "invalid",
          );
        if (!isClosed) open += 1;
      }),
      { numRuns: 200 },
    );
    expect(open).toBeGreaterThan(20);
  });
});
