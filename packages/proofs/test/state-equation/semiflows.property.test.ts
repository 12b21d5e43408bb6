import type { Net } from "@tessera/core";
import { arbitraryNetOfClass } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, askNet, type Semiflows, semiflows } from "../../src/index.ts";
import { net as parse } from "../net-text.ts";

const nets = fc.oneof(arbitraryNetOfClass("plain"), arbitraryNetOfClass("weighted"));

/** What each transition does to each place, by hand. */
const effects = (net: Net) =>
  net.transitions.map(({ pre, post }) =>
    net.places.map((_, place) => {
      const tokens = (side: typeof pre) =>
        side.filter(([p]) => p === place).reduce((sum, [, w]) => sum + w, 0);
      return tokens(post) - tokens(pre);
    }),
  );

const dot = (left: readonly number[], right: readonly number[]) =>
  left.reduce((sum, value, index) => sum + value * right[index]!, 0);

/** Does the vector change nothing? */
const isFlow = (net: Net, of: Semiflows["of"], vector: readonly number[]) => {
  const matrix = effects(net);
  return of === "places"
    ? matrix.every((effect) => dot(effect, vector) === 0)
    : net.places.every(
        (_, place) =>
          dot(
            matrix.map((effect) => effect[place]!),
            vector,
          ) === 0,
      );
};

/** All vectors of numbers up to `most`. */
function* vectors(length: number, most: number): Generator<readonly number[]> {
  if (length === 0) yield [];
  else
    for (const rest of vectors(length - 1, most))
      for (let value = 0; value <= most; value += 1) yield [...rest, value];
}

const supportOf = (vector: readonly number[]) => vector.flatMap((value, at) => (value === 0 ? [] : [at]));

type Find = (net: Net, of: Semiflows["of"]) => Semiflows;

/** Law: flows, with minimal supports, of which each vector with small numbers that changes nothing has one in its own. */
function areMinimal(find: Find): void {
  fc.assert(
    fc.property(nets, fc.constantFrom("places", "transitions"), (net, of) => {
      const { flows, isComplete } = find(net, of);
      expect(isComplete).toBe(true);
      const supports = flows.map(supportOf);
      for (const [index, flow] of flows.entries()) {
        expect(isFlow(net, of, flow)).toBe(true);
        expect(flow.every((value) => Number.isInteger(value) && value >= 0)).toBe(true);
        const inside = supports.filter((other) => other.every((at) => supports[index]!.includes(at)));
        expect(inside.length).toBe(1);
      }
      if (net[of].length > 5) return;
      for (const vector of vectors(net[of].length, 2)) {
        if (!isFlow(net, of, vector)) continue;
        // It is a sum of the flows inside its support, so these cover it.
        const own = supportOf(vector);
        const inside = supports.filter((other) => other.every((at) => own.includes(at))).flat();
        expect([...new Set(inside)].sort((a, b) => a - b)).toEqual(own);
      }
    }),
    { numRuns: 200 },
  );
}

type Ask = (net: Net, kind: "structurally-bounded" | "conservative" | "consistent") => Answer;

/** Law: small positive vectors by hand are not denied, and what is shown is right. */
function structureIsRight(ask: Ask): void {
  fc.assert(
    fc.property(nets, (net) => {
      const matrix = effects(net);
      const flat = ask(net, "conservative");
      const bound = ask(net, "structurally-bounded");
      const even = ask(net, "consistent");
      if (net.places.length <= 5) {
        const positive = [...vectors(net.places.length, 2)].map((vector) => vector.map((value) => value + 1));
        if (positive.some((y) => isFlow(net, "places", y))) expect(flat.kind).toBe("holds");
        if (positive.some((y) => matrix.every((effect) => dot(effect, y) <= 0)))
          expect(bound.kind).toBe("holds");
      }
      for (const answer of [flat, bound, even]) {
        if (answer.kind === "unknown") throw new Error(answer.limit.kind);
        const { shown } = answer;
        if (shown.kind === "semiflows") {
          const { of, flows } = shown.semiflows;
          expect([...new Set(flows.flatMap(supportOf))].length).toBe(net[of].length);
        } else if (shown.kind === "firings") {
          const gains = net.places.map((_, place) =>
            dot(
              matrix.map((effect) => effect[place]!),
              shown.firings,
            ),
          );
          expect(gains.every((gain) => gain >= 0) && gains.some((gain) => gain > 0)).toBe(true);
        } else if (shown.kind === "rising") {
          const rises = matrix.map((effect) => dot(effect, shown.weights));
          expect(rises.every((rise) => rise >= 0) && rises.some((rise) => rise > 0)).toBe(true);
        } else expect(shown.kind).toBe("weights");
      }
      if (flat.kind === "holds") expect(bound.kind).toBe("holds");
    }),
    { numRuns: 300 },
  );
}

describe("semiflows", () => {
  it("[D24.7] are flows of minimal support, and cover every small flow by hand", () => {
    areMinimal(semiflows);
    const some: Find = (net, of) => ({ ...semiflows(net, of), flows: semiflows(net, of).flows.slice(1) });
    const doubled: Find = (net, of) => {
      const found = semiflows(net, of);
      return { ...found, flows: [...found.flows, ...found.flows] };
    };
    for (const broken of [some, doubled]) expect(() => areMinimal(broken)).toThrow();
  });

  it("[D24.7] past the limit none are given", () => {
    const net = parse("t: i -> a; u: i -> b; v: a -> o; w: b -> o");
    expect(semiflows(net, "places")).toEqual({ of: "places", flows: [[1, 1, 1, 1]], isComplete: true });
    const wide = parse("t: a + b + c -> d + e + f; u: d + e + f -> a + b + c", { ends: ["f"] });
    expect(semiflows(wide, "places").flows.length).toBe(10);
    expect(semiflows(wide, "places", { vectorsMax: 8 })).toEqual({
      of: "places",
      flows: [],
      isComplete: false,
    });
    expect(semiflows(wide, "places", { isOver: () => true })).toMatchObject({ flows: [], isComplete: false });
    expect(semiflows(wide, "transitions").flows).toEqual([[1, 1]]);
  });
});

describe("structural questions", () => {
  it("[D24.8] [T24.2] agree with small vectors by hand, and show what is right", () => {
    structureIsRight(askAll);
    const turned: Ask = (net, kind) => askAll(net, kind === "consistent" ? "conservative" : "consistent");
    expect(() => structureIsRight(turned)).toThrow();
  });

  it("[D24.8] nets with resets are not judged", () => {
    expect(askNet(parse("t: i -> o reset i"), { kind: "conservative" }).kind).toBe("unknown");
  });
});

const askAll: Ask = (net, kind) => askNet(net, { kind });
