import { indexGraph, type WorkflowDefinition, type WorkflowGraph } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockClosedBy, orBlocks, structuredBlock } from "../src/index.ts";
import { plainBlock, plainBlockClosedBy } from "./plain-structured.ts";

/** A tree of blocks, and a few arcs drawn, moved or cut by hand afterwards. */
type Tree = { readonly kind: "step" | "or" | "all" | "first"; readonly parts: readonly Tree[] };

const { tree } = fc.letrec<{ tree: Tree; parts: Tree[] }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant<Tree>({ kind: "step", parts: [] }),
    fc.record({
      kind: fc.constantFrom("or" as const, "or" as const, "all" as const, "first" as const),
      parts: tie("parts"),
    }),
  ),
  parts: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
}));

interface Draft {
  readonly nodes: {
    id: string;
    kind: string;
    split?: "or" | "all" | "first";
    join?: "or" | "all" | "any";
    meta?: { terminate: true };
  }[];
  readonly arcs: { from: string; to: string; outcome?: string }[];
}

/** Places `part` behind `from`; returns the node from which it goes on. */
function place(part: Tree, from: string, draft: Draft): string {
  const id = `n${draft.nodes.length}`;
  if (part.kind === "step") {
    draft.nodes.push({ id, kind: "human" });
    draft.arcs.push({ from, to: id });
    return id;
  }
  draft.nodes.push({ id, kind: "gateway", split: part.kind });
  draft.arcs.push({ from, to: id });
  const last = part.parts.map((inner) => place(inner, id, draft));
  // One more branch that goes straight to the join.
  last.push(id);
  const join = `n${draft.nodes.length}`;
  draft.nodes.push({ id: join, kind: "gateway", join: part.kind === "first" ? "any" : part.kind });
  for (const end of last) draft.arcs.push({ from: end, to: join });
  return join;
}

const graphs: fc.Arbitrary<WorkflowGraph> = fc
  .record({
    sequence: fc.array(tree, { minLength: 1, maxLength: 3 }),
    changes: fc.array(fc.record({ what: fc.nat(5), arc: fc.nat(), node: fc.nat() }), { maxLength: 3 }),
  })
  .map(({ sequence, changes }) => {
    const draft: Draft = { nodes: [{ id: "s", kind: "start" }], arcs: [] };
    let from = "s";
    for (const part of sequence) from = place(part, from, draft);
    draft.nodes.push({ id: "e", kind: "end" }, { id: "t", kind: "end", meta: { terminate: true } });
    draft.arcs.push({ from, to: "e" });
    for (const change of changes) mangle(draft, change);
    const definition = {
      format: 1,
      kind: "workflow",
      id: "w",
      entry: "s",
      nodes: draft.nodes,
      arcs: draft.arcs,
    };
    return indexGraph(definition as WorkflowDefinition);
  });

function mangle(draft: Draft, { what, arc, node }: { what: number; arc: number; node: number }): void {
  const own = draft.arcs[arc % draft.arcs.length];
  const other = draft.nodes[1 + (node % (draft.nodes.length - 1))];
  if (own === undefined || other === undefined) return;
  if (what === 0) own.to = other.id;
  else if (what === 1) draft.arcs.push({ from: own.from, to: other.id });
  else if (what === 2)
    draft.arcs.push({ from: own.to === "e" ? own.from : own.to, to: "t", outcome: "error" });
  else if (what === 3)
    draft.arcs.push({ from: own.to === "e" ? own.from : own.to, to: other.id, outcome: "error" });
  else if (what === 4) other.join = "or";
  else other.split = "or";
}

/** Law: the blocks of all nodes are those that the plain search finds. Oracle: the plain search. */
function sameBlocks(block: typeof structuredBlock, closed: typeof blockClosedBy): void {
  let structured = 0;
  fc.assert(
    fc.property(graphs, fc.boolean(), (graph, isBackward) => {
      const nodes = graph.definition.nodes.map((_, node) => node);
      for (const node of isBackward ? nodes.toReversed() : nodes) {
        const [expected, found] = [plainBlock(graph, node, "done"), block(graph, node, "done")];
        expect([node, found.kind]).toEqual([node, expected.kind]);
        if (expected.kind === "structured" && found.kind === "structured") {
          structured += 1;
          expect(found.join).toBe(expected.join);
          expect([...found.branchOf].sort()).toEqual([...expected.branchOf].sort());
        }
        expect(closed(graph, node)?.join).toEqual(plainBlockClosedBy(graph, node)?.join);
      }
    }),
    { numRuns: 2000 },
  );
  expect(structured).toBeGreaterThan(1000);
}

describe("[D6.8] blocks of all splits at once", () => {
  it("[D6.8] are those that a search for each split alone finds", () => {
    sameBlocks(structuredBlock, blockClosedBy);
  });

  it("[D6.8] the law fails for a search that takes any join, or forgets the border", () => {
    const alone = (node: number): ReturnType<typeof structuredBlock> => ({
      kind: "unstructured",
      reason: "",
      node,
    });
    expect(() => sameBlocks((_, node) => alone(node), blockClosedBy)).toThrow();
    expect(() => sameBlocks(structuredBlock, () => null)).toThrow();
  });

  it("[D6.8] a block inside another is listed before it", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const listed = orBlocks(graph);
        const inside = new Map(listed.map(({ split }, i) => [split, i] as const));
        for (const [i, { block }] of listed.entries()) {
          if (block.kind !== "structured") continue;
          const starts = [...block.branchOf.values()].map((arc) => graph.definition.arcs[arc]?.to ?? "");
          for (const start of starts) {
            const inner = inside.get(graph.nodeIndex.get(start) ?? -1);
            if (inner !== undefined && graph.nodeIndex.get(start) !== block.join)
              expect(inner).toBeLessThan(i);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
