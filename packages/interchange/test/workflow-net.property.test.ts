import type { Net } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { workflowNetFacts } from "../src/index.ts";
import { lolaNet, pnmlNet } from "./random-net.ts";

/** The definition read literally: reachability by squaring the relation, paths by its rows and columns. */
function literal(net: Net): ReturnType<typeof workflowNetFacts> {
  const count = net.places.length + net.transitions.length;
  const isArc = (from: number, to: number) => {
    const t = net.transitions[Math.max(from, to) - net.places.length];
    const p = Math.min(from, to);
    if (t === undefined || p >= net.places.length) return false;
    return from < to ? t.pre.some(([q]) => q === p) : t.post.some(([q]) => q === p);
  };
  const nodes = Array.from({ length: count }, (_, node) => node);
  let reach = nodes.map((from) => nodes.map((to) => from === to || isArc(from, to)));
  for (const via of nodes) {
    reach = reach.map((row, from) =>
      row.map((is, to) => is || (reach[from]?.[via] === true && reach[via]?.[to] === true)),
    );
  }
  const places = net.places.map((_, p) => p);
  const sources = places.filter((p) => !nodes.some((from) => isArc(from, p)));
  const sinks = places.filter(
    (p) => !nodes.some((to) => isArc(p, to)) && !net.transitions.some((t) => t.reset.includes(p)),
  );
  const isOn = (node: number) => sources.some((i) => reach[i]?.[node]) && sinks.some((o) => reach[node]?.[o]);
  const off = nodes.filter((node) => !isOn(node));
  return {
    sources,
    sinks,
    isWorkflowNet: sources.length === 1 && sinks.length === 1 && off.length === 0,
    offPath: {
      places: off.filter((node) => node < net.places.length),
      transitions: off.filter((node) => node >= net.places.length).map((node) => node - net.places.length),
    },
  };
}

function law(facts: typeof workflowNetFacts): void {
  fc.assert(
    fc.property(fc.oneof(pnmlNet, lolaNet), (net) => {
      expect(facts(net)).toEqual(literal(net));
    }),
    { numRuns: 500 },
  );
}

describe("[D11.5] workflow nets", () => {
  it("[D11.5] agrees with the definition read literally (oracle: closure of the arc relation)", () => {
    law(workflowNetFacts);
  });

  it("[D11.5] the law fails if nodes that only the source reaches count as on a path", () => {
    expect(() =>
      law((net) => ({ ...workflowNetFacts(net), offPath: { places: [], transitions: [] } })),
    ).toThrow();
  });
});
