import { type Arc, indexGraph, type WorkflowDefinition, type WorkflowGraph } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { structuredBlock } from "../src/index.ts";
import { orGraph } from "./or-join-arbitrary.ts";
import { type Block, blockUpTo, workflowOf } from "./workflow-arbitrary.ts";

/** The node that closes the block of `split` under `outcome`, by the words of the definition; undefined: no block. */
type Detect = (definition: WorkflowDefinition, split: string, outcome: string) => string | undefined;

const detect: Detect = (definition, split, outcome) => {
  const graph: WorkflowGraph = indexGraph(definition);
  const block = structuredBlock(graph, graph.nodeIndex.get(split) ?? -1, outcome);
  return block.kind === "structured" ? definition.nodes[block.join]?.id : undefined;
};

const labelOf = ({ outcome = "done" }: Arc) => outcome;
const splitOf = ({ nodes }: WorkflowDefinition, id: string, outcome: string) => {
  const split = nodes.find((node) => node.id === id)?.split ?? "first";
  return typeof split === "string" ? split : (split[outcome] ?? "first");
};
const isTerminate = ({ nodes }: WorkflowDefinition, id: string) =>
  nodes.some((node) => node.id === id && node.kind === "end" && node.meta?.terminate === true);

/** Clauses 1 to 4 of D6.8 for one candidate `join`, with sets; then `inner` for what lies in the branches. */
function isBlock(
  definition: WorkflowDefinition,
  split: string,
  outcome: string,
  join: string,
  inner: (node: string) => boolean,
): boolean {
  const { arcs } = definition;
  const own = arcs.filter((arc) => arc.from === split && labelOf(arc) === outcome);
  const branches = own.map((arc) => {
    const nodes = new Set<string>();
    const visit = (id: string): void => {
      if (id === join || isTerminate(definition, id) || nodes.has(id)) return;
      nodes.add(id);
      for (const next of arcs.filter(({ from }) => from === id)) visit(next.to);
    };
    visit(arc.to);
    return { arc, nodes };
  });
  const all = branches.flatMap(({ nodes }) => [...nodes]);
  const leaves = (arc: Arc) => own.includes(arc) || all.includes(arc.from);
  return (
    new Set(all).size === all.length &&
    !all.includes(split) &&
    all.every((id) => arcs.some(({ from }) => from === id)) &&
    branches.every(({ arc, nodes }) =>
      arcs.some((into) => into.to === join && (into === arc || nodes.has(into.from))),
    ) &&
    arcs.every((arc) => (arc.to !== join && !all.includes(arc.to)) || leaves(arc)) &&
    all.every(inner)
  );
}

/** Outcomes under which a node is a split of the sort with several arcs. */
const outcomesOf = (definition: WorkflowDefinition, id: string, kind: "all" | "or") => {
  const labels = definition.arcs.filter(({ from }) => from === id).map(labelOf);
  return [...new Set(labels)].filter(
    (label) => splitOf(definition, id, label) === kind && labels.filter((own) => own === label).length > 1,
  );
};
const joinsOf = ({ nodes }: WorkflowDefinition, kind: "all" | "or") =>
  nodes.filter((node) => node.join === kind).map(({ id }) => id);

const oracle: Detect = (definition, split, outcome) => {
  const closes = (id: string) =>
    (["all", "or"] as const).every((kind) =>
      outcomesOf(definition, id, kind).every((label) =>
        joinsOf(definition, kind).some((join) => isBlock(definition, id, label, join, () => true)),
      ),
    );
  const found = joinsOf(definition, "or").filter((join) => isBlock(definition, split, outcome, join, closes));
  expect(found.length).toBeLessThan(2);
  return found[0];
};

const inclusive = fc.tuple(fc.array(blockUpTo(1), { minLength: 2, maxLength: 3 }), blockUpTo(1)).map(
  ([parts, behind]): Block => ({
    kind: "sequence",
    parts: [{ kind: "inclusive", parts, fallback: null }, behind],
  }),
);

/** A workflow of blocks with one change: an arc more, less or elsewhere, another split or join, a terminate end. */
const bent: fc.Arbitrary<WorkflowDefinition> = fc
  .tuple(
    inclusive.map(workflowOf),
    fc.constantFrom("none", "add", "move", "drop", "split", "join", "stop"),
    fc.nat(),
    fc.nat(),
    fc.nat(),
  )
  .map(([definition, how, a, b, c]): WorkflowDefinition => {
    const { nodes, arcs } = definition;
    const id = (n: number) => nodes[n % nodes.length]?.id ?? "";
    const replace = <T>(list: readonly T[], n: number, made: (old: T) => T): readonly T[] =>
      list.map((old, index) => (index === n % list.length ? made(old) : old));
    switch (how) {
      case "add":
        return { ...definition, arcs: [...arcs, { from: id(a), to: id(b) }] };
      case "move":
        return { ...definition, arcs: replace(arcs, a, (arc) => ({ ...arc, to: id(b) })) };
      case "drop":
        return { ...definition, arcs: arcs.filter((_, index) => index !== a % arcs.length) };
      case "split":
        return {
          ...definition,
          nodes: replace(nodes, a, (node) => ({
            ...node,
            split: (["first", "all", "or"] as const)[b % 3] ?? "or",
          })),
        };
      case "join":
        return {
          ...definition,
          nodes: replace(nodes, a, (node) => ({
            ...node,
            join: (["any", "all", "or"] as const)[b % 3] ?? "or",
          })),
        };
      case "stop": {
        const stop = { id: "stop", kind: "end", meta: { terminate: c % 2 === 0 } };
        return {
          ...definition,
          nodes: [...nodes, stop],
          arcs: [...arcs, { from: id(a), to: "stop", ...(b % 2 === 0 ? {} : { outcome: "error" }) }],
        };
      }
      default:
        return definition;
    }
  });

/** Law: the block that is found is the one that the definition names. Oracle: every join tried, clause by clause. */
function detectLaw(found: Detect, endOnFailure = false) {
  const seen = { structured: 0, unstructured: 0, inner: 0 };
  fc.assert(
    fc.property(fc.oneof({ weight: 3, arbitrary: bent }, orGraph), (definition) => {
      for (const { id } of definition.nodes) {
        for (const outcome of outcomesOf(definition, id, "or")) {
          const expected = oracle(definition, id, outcome);
          expect(found(definition, id, outcome)).toBe(expected);
          seen[expected === undefined ? "unstructured" : "structured"] += 1;
          const isOpen = joinsOf(definition, "or").some((join) =>
            isBlock(definition, id, outcome, join, () => true),
          );
          if (expected === undefined && isOpen) seen.inner += 1;
        }
      }
    }),
    { numRuns: 1_500, endOnFailure },
  );
  return seen;
}

describe("[D6.8] which OR splits have a structured block", () => {
  it("[D6.8] [C20-26] [C20-27] is found exactly, on blocks bent in one place and on graphs without any order", () => {
    const seen = detectLaw(detect);
    expect(seen.structured).toBeGreaterThan(300);
    expect(seen.unstructured).toBeGreaterThan(300);
    expect(seen.inner).toBeGreaterThan(10);
  });

  it("[D6.8] the law catches a search that takes any join, one that looks at the shape alone, and one that finds nothing", () => {
    const anyJoin: Detect = (definition) => joinsOf(definition, "or")[0];
    const shape: Detect = (definition, split, outcome) =>
      joinsOf(definition, "or").find((join) => isBlock(definition, split, outcome, join, () => true));
    for (const broken of [anyJoin, shape, () => undefined]) expect(() => detectLaw(broken, true)).toThrow();
  });
});
