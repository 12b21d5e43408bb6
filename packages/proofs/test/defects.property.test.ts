import type { Net } from "@tessera/core";
import {
  arbitraryBlock,
  arbitraryDefectiveNet,
  arbitraryRun,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockNet } from "../src/block-net.ts";
import { BROKEN, type Defect, defectiveNet } from "../src/defects.ts";
import { proveNet } from "../src/index.ts";
import { net as parse } from "./net-text.ts";
import { judge, successorsOf } from "./oracle.ts";

const STATES_MAX = 3000;
type Make = (block: Parameters<typeof defectiveNet>[0], defect: Defect, nth: number) => Net;

/** Law: the defect breaks the obligation that it is said to break, by an enumeration by hand and by the prover. */
function breaksWhatItSays(make: Make): void {
  const seen = new Set<Defect>();
  const defects = Object.keys(BROKEN) as Defect[];
  fc.assert(
    fc.property(arbitraryBlock(2), fc.constantFrom(...defects), fc.nat({ max: 20 }), (block, defect, nth) => {
      const net = make(block, defect, nth);
      const truth = judge(net, STATES_MAX);
      if (truth === null) return;
      seen.add(defect);
      const broken = BROKEN[defect] as "O1" | "O2" | "O3" | "O4";
      expect({ defect, holds: truth[broken] }).toEqual({ defect, holds: false });
    }),
    { numRuns: 300 },
  );
  expect(seen.size).toBe(defects.length);
}

describe("defects", () => {
  it("[D8.8] each breaks its obligation, whatever the net around it", () => {
    breaksWhatItSays(defectiveNet);
  });

  it("[D8.8] the law refuses nets without the defect", () => {
    expect(() => breaksWhatItSays((block) => blockNet(block))).toThrow();
  });

  it("[D8.8] the prover finds each, and says which obligation it breaks", () => {
    fc.assert(
      fc.property(arbitraryDefectiveNet(), ({ net, breaks }) => {
        const verdict = proveNet(net).obligations.find(({ id }) => id === breaks)!.verdict;
        expect({ breaks, kind: verdict.kind }).toEqual({ breaks, kind: "fails" });
      }),
      { numRuns: 150 },
    );
  });
});

describe("runs", () => {
  it("[D1.5] fire from the start and reach the marking that they say", () => {
    const nets = arbitraryWorkflowNet(2).chain((net) =>
      fc.tuple(fc.constant(net), arbitraryRun(net, { lengthMax: 12 })),
    );
    let longest = 0;
    fc.assert(
      fc.property(nets, ([net, { sequence, marking }]) => {
        let M: readonly number[] = net.initial;
        for (const t of sequence) M = successorsOf(net, M).find((step) => step.t === t)!.next;
        expect(M).toEqual(marking);
        expect(sequence.length).toBeLessThanOrEqual(12);
        longest = Math.max(longest, sequence.length);
      }),
    );
    expect(longest).toBeGreaterThan(4);
  });

  it("[D1.5] end where nothing is enabled, and ask the rules", () => {
    const net = parse("t: i -> o");
    expect(fc.sample(arbitraryRun(net), 20).every(({ sequence }) => sequence.length <= 1)).toBe(true);
    const ruled: Net = { ...net, transitions: net.transitions.map((t) => ({ ...t, rule: "never" })) };
    const rules = new Map([["never", () => false]]);
    expect(fc.sample(arbitraryRun(ruled, { rules }), 20).every(({ sequence }) => sequence.length === 0)).toBe(
      true,
    );
  });
});
