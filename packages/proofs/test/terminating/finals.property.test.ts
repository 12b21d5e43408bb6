/** @module The final markings that a proof knows without a search are those that a plain enumeration reaches. */
import type { Net, PlaceIndex } from "@tessera/core";
import { arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { proveSteps } from "../../src/pipeline.ts";
import { finish } from "../../src/soundness.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, isFinalByHand } from "../oracle.ts";
import { terminatingNets } from "./arbitrary-terminating.ts";

const STATES = 400;

type Finals = readonly (readonly PlaceIndex[])[] | undefined;
type Known = (net: Net) => Finals;
const known: Known = (net) => finish(proveSteps(net, {}), {}).finals;

const text = (finals: readonly (readonly PlaceIndex[])[]) => [...new Set(finals.map(String))].sort();

/** By hand: the end places that each reachable final marking marks; null beyond the limit. */
function byHand(net: Net): readonly string[] | null {
  const graph = graphOf(net, net.initial, STATES);
  if (graph === null || net.finals.kind !== "ends") return null;
  const { ends } = net.finals;
  const reached = [...graph.keys()].map((key) => JSON.parse(key) as readonly number[]);
  const finals = reached.filter((M) => isFinalByHand(net, M));
  return text(finals.map((M) => [...ends].sort((a, b) => a - b).filter((end) => M[end]! > 0)));
}

/** Law: where they are known, they are these. Tells whether they were. */
function isRight(implementation: Known, net: Net): boolean {
  const expected = byHand(net);
  const found = implementation(net);
  if (expected === null || found === undefined) return false;
  expect(text(found)).toEqual(expected);
  return true;
}

const nets = fc.oneof({ weight: 3, arbitrary: terminatingNets }, arbitraryWorkflowNet());

function forAll(implementation: Known): number {
  let count = 0;
  const law = fc.property(nets, (net) => {
    if (isRight(implementation, net)) count += 1;
  });
  fc.assert(law, { numRuns: 1000 });
  return count;
}

describe("final markings that are known without a search", () => {
  it("[T8.3] [T13.6] are all that are reached, and no others", () => {
    expect(forAll(known)).toBeGreaterThan(50);
  });

  it("[T13.6] the law catches a proof that forgets an end, and one that takes every end for reached", () => {
    const forgets: Known = (net) => known(net)?.slice(1);
    const takesAll: Known = (net) => {
      const { finals } = net;
      return finals.kind === "ends" && finals.ends.length > 1 ? finals.ends.map((end) => [end]) : known(net);
    };
    for (const broken of [forgets, takesAll]) expect(() => forAll(broken)).toThrow();
  });

  const TWO = { ends: ["o", "e"] } as const;
  const AWAY = "x: a -> e reset i a b";

  it.each([
    ["the end and the termination", `t: i -> a; u: a -> o; ${AWAY.replace(" b", "")}`, ["1"]],
    ["tokens on two places", `t: i -> a + b; u: a + b -> o; ${AWAY}`, ["2"]],
  ])("[T13.6] %s", (_, line) => {
    const net = parse(line, TWO);
    const ends = net.finals.kind === "ends" ? net.finals.ends : [];
    expect(known(net)).toEqual(ends.map((end) => [end]));
    expect(byHand(net)).toEqual(text(ends.map((end) => [end])));
  });

  it.each([
    ["an end is left unreached", "t: i -> a; u: a -> o; x: n -> e reset i a n"],
    ["the remainder gets stuck", `t: i -> a; w: a -> b; u: a -> o; ${AWAY}`],
    ["the remainder leaves tokens", `t: i -> a + b; u: a -> o; ${AWAY}`],
  ])("[T13.6] nothing is said where %s", (_, line) => {
    const net = parse(line, TWO);
    const found = known(net);
    if (found !== undefined) expect(text(found)).toEqual(byHand(net));
  });
});
