import { describe, expect, it } from "vitest";
import { facetIssues, facetOf } from "../src/facet.ts";
import type { Facet } from "../src/workflow.ts";
import { workflow } from "./small-kinds.ts";

const KINDS = [
  "start",
  "end",
  "collect",
  "decision",
  "gateway",
  "human",
  "agent",
  "tool",
  "transform",
  "integration",
  "subprocess",
  "wait",
  "timer",
];

const nodes = (kinds: readonly string[]) => kinds.map((kind, index) => ({ id: `n${index}`, kind }));

/** The definition with quantifiers, on a truth table over all subsets of kinds. */
function literalFacet(kinds: readonly string[]): Facet {
  const hasPeople =
    ["collect", "human", "gateway", "integration"].filter((kind) => kinds.includes(kind)).length > 0;
  const hasAgent = kinds.indexOf("agent") !== -1;
  return hasAgent && hasPeople ? "hybrid" : hasAgent ? "agentic" : "process";
}

describe("[D20.14] facet", () => {
  it("[D20.14] [C20-53] agrees with the definition on every subset of the 13 kinds", () => {
    for (let bits = 0; bits < 2 ** KINDS.length; bits += 1) {
      const kinds = KINDS.filter((_, index) => (bits >> index) % 2 === 1);
      expect(facetOf(nodes(kinds))).toBe(literalFacet(kinds));
    }
  });

  it("[D20.14] [C20-53] the truth table of the four process kinds and agent, one by one", () => {
    for (const kind of ["collect", "human", "gateway", "integration"]) {
      expect(facetOf(nodes([kind]))).toBe("process");
      expect(facetOf(nodes([kind, "agent"]))).toBe("hybrid");
      expect(facetOf(nodes(["agent", "agent", kind]))).toBe("hybrid");
    }
    expect(facetOf(nodes(["agent", "tool", "decision", "wait", "timer"]))).toBe("agentic");
    expect(facetOf([])).toBe("process");
  });

  it("[D20.14] [C20-07] [C20-53] WF013 warns of a stated facet that disagrees, and only then", () => {
    const stated = (facet: Facet, kinds: readonly string[]) =>
      facetIssues(workflow(nodes(kinds), [], { facet }));
    for (const facet of ["process", "agentic", "hybrid"] as const) {
      for (const kinds of [["human"], ["agent"], ["agent", "human"]]) {
        const found = stated(facet, kinds);
        const computed = literalFacet(kinds);
        expect(found.map(({ code, severity }) => [code, severity])).toEqual(
          facet === computed ? [] : [["WF013", "warning"]],
        );
        if (facet !== computed) {
          expect(found[0]).toMatchObject({ path: ["facet"], facts: { stated: facet, computed } });
        }
      }
    }
    expect(facetIssues(workflow(nodes(["agent"]), []))).toEqual([]);
  });
});
