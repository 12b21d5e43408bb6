import { fireSequence, type NetClass } from "@tessera/core";
import { arbitraryNetOfClass } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { expect, it } from "vitest";
import { spreadRun } from "../src/spread-run.ts";

const CLASSES: readonly NetClass[] = ["plain", "weighted", "reset", "non-local"];

it.each(CLASSES)(
  "[D1.5] on %s nets the run that leaves much under way is a run, by the plain firing rule",
  (kind) => {
    fc.assert(
      fc.property(arbitraryNetOfClass(kind), (net) => {
        // Some places count as those at which a node is under way.
        const places = net.places.map((place, index) =>
          index % 2 === 0 ? place : { ...place, origin: { kind: "rest", node: index } as const },
        );
        const { sequence, marking } = spreadRun({ ...net, places });
        expect(fireSequence(net, net.initial, sequence)).toEqual({ kind: "fired", marking });
        expect(new Set(sequence).size).toBe(sequence.length);
      }),
    );
  },
);
