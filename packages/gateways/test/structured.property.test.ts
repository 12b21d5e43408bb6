import { indexGraph, type WorkflowDefinition, type WorkflowGraph } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forksOf, regionsOf } from "../src/block-regions.ts";
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

const graphOf = ({ nodes, arcs }: Draft): WorkflowGraph =>
  indexGraph({ format: 1, kind: "workflow", id: "w", entry: "s", nodes, arcs } as WorkflowDefinition);

const bent: fc.Arbitrary<WorkflowGraph> = fc
  .record({
    sequence: fc.array(tree, { minLength: 1, maxLength: 3 }),
    changes: fc.array(fc.record({ what: fc.nat(7), arc: fc.nat(), node: fc.nat() }), { maxLength: 3 }),
  })
  .map(({ sequence, changes }) => {
    const draft: Draft = { nodes: [{ id: "s", kind: "start" }], arcs: [] };
    let from = "s";
    for (const part of sequence) from = place(part, from, draft);
    draft.nodes.push({ id: "e", kind: "end" }, { id: "t", kind: "end", meta: { terminate: true } });
    draft.arcs.push({ from, to: "e" });
    for (const change of changes) mangle(draft, change);
    return graphOf(draft);
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
  else if (what === 5) other.split = "or";
  // No way out any more, or no way in: rings, and parts that nothing leaves or enters.
  else
    for (const each of draft.arcs) {
      if (what === 6 && each.to === "e") each.to = other.id;
      if (what === 7 && each.from === "s") each.from = other.id;
    }
}

/** Arcs between any nodes: ladders, rings, several ways in, parts that nothing enters or leaves. */
const wild: fc.Arbitrary<WorkflowGraph> = fc
  .record({
    splits: fc.array(fc.constantFrom("or", "or", "all", "first"), { minLength: 2, maxLength: 7 }),
    joins: fc.array(fc.constantFrom("or", "or", "all", "any"), { minLength: 7, maxLength: 7 }),
    steps: fc.array(fc.record({ from: fc.nat(6), over: fc.integer({ min: -1, max: 3 }), label: fc.nat(9) }), {
      minLength: 3,
      maxLength: 14,
    }),
    isRing: fc.boolean(),
  })
  .map(({ splits, joins, steps, isRing }) => {
    const count = splits.length;
    const nodes: Draft["nodes"] = splits.map((split, i) => ({
      id: `n${i}`,
      kind: "gateway",
      split: split as "or",
      join: joins[i] as "or",
    }));
    nodes.push({ id: "s", kind: "start" }, { id: "e", kind: "end" });
    nodes.push({ id: "t", kind: "end", meta: { terminate: true } });
    const arcs: Draft["arcs"] = isRing ? [] : [{ from: "s", to: "n0" }];
    for (const { from, over, label } of steps) {
      const at = from % count;
      const to = isRing ? (at + over + count) % count : at + over;
      const target = to < 0 ? "n0" : to < count ? `n${to}` : label === 8 ? "t" : "e";
      arcs.push({ from: `n${at}`, to: target, ...(label === 9 ? { outcome: "error" } : {}) });
    }
    return graphOf({ nodes, arcs });
  });

/** Two blocks each of which lies in a branch of the other, on a ring that nothing enters. */
const embrace: fc.Arbitrary<WorkflowGraph> = fc
  .record({
    kinds: fc.tuple(fc.constantFrom("or", "all"), fc.constantFrom("or", "all")),
    order: fc.shuffledSubarray(["A", "B", "jA", "jB", "s", "e"], { minLength: 6 }),
    extra: fc.boolean(),
  })
  .map(({ kinds: [a, b], order, extra }) => {
    const own = {
      A: { split: a },
      B: { split: b },
      jA: { join: a },
      jB: { join: b },
      s: { kind: "start" },
      e: { kind: "end" },
    };
    const nodes = order.map((id) => ({ id, kind: "gateway", ...own[id as "A"] })) as Draft["nodes"][number][];
    const pairs = ["s e", "A jB", "A jA", "jB B", "B jA", "B jB", "jA A", ...(extra ? ["s A"] : [])];
    const arcs = pairs.map((pair) => {
      const [from = "", to = ""] = pair.split(" ");
      return { from, to };
    });
    return graphOf({ nodes, arcs });
  });

const graphs = fc.oneof(
  { weight: 6, arbitrary: bent },
  { weight: 3, arbitrary: wild },
  { weight: 1, arbitrary: embrace },
);

/** Law: the blocks of all nodes are those that the plain search finds, for joins of either rule. Oracle: the plain search. */
function sameBlocks(block: typeof structuredBlock, closed: typeof blockClosedBy, endOnFailure = false) {
  const seen = { structured: 0, parallel: 0, open: 0 };
  fc.assert(
    fc.property(graphs, fc.boolean(), (graph, isBackward) => {
      const nodes = graph.definition.nodes.map((_, node) => node);
      for (const node of isBackward ? nodes.toReversed() : nodes) {
        for (const rule of ["or", "all"] as const) {
          const [expected, found] = [plainBlock(graph, node, "done", rule), block(graph, node, "done", rule)];
          expect([node, rule, found.kind]).toEqual([node, rule, expected.kind]);
          if (expected.kind === "unstructured" && expected.reason === "a branch may bring several tokens")
            seen.open += 1;
          if (expected.kind !== "structured" || found.kind !== "structured") continue;
          seen[rule === "or" ? "structured" : "parallel"] += 1;
          expect(found.join).toBe(expected.join);
          expect([...found.branchOf].sort()).toEqual([...expected.branchOf].sort());
        }
        expect(closed(graph, node)?.join).toEqual(plainBlockClosedBy(graph, node)?.join);
      }
    }),
    { numRuns: 3000, endOnFailure },
  );
  return seen;
}

/** A search that takes the exit of a region for the join of a block without walking its branches. */
const byRegionAlone: typeof structuredBlock = (graph, split, outcome, rule = "or") => {
  const forks = forksOf(graph);
  const index = forks.findIndex((fork) => fork.split === split && fork.outcome === outcome);
  const region = index < 0 ? undefined : regionsOf(graph, forks)[index];
  return region?.kind === "closed" && graph.definition.nodes[region.exit]?.join === rule
    ? { kind: "structured", join: region.exit, branchOf: new Map() }
    : { kind: "unstructured", reason: "", node: split };
};

/** A search in which regions are the only blocks there are, even where the graph around says too little. */
const byRegionOnly: typeof structuredBlock = (graph, split, outcome, rule) => {
  const forks = forksOf(graph);
  const index = forks.findIndex((fork) => fork.split === split && fork.outcome === outcome);
  return index < 0 || regionsOf(graph, forks)[index]?.kind === "closed"
    ? structuredBlock(graph, split, outcome, rule)
    : { kind: "unstructured", reason: "", node: split };
};

/** Are all nodes but terminate ends on ways from the start to the end? */
function isThrough(graph: WorkflowGraph): boolean {
  const { nodes, arcs } = graph.definition;
  const closure = (from: string, own: "from" | "to", other: "from" | "to") => {
    const seen = new Set([from]);
    for (const id of seen) for (const arc of arcs) if (arc[own] === id) seen.add(arc[other]);
    return seen;
  };
  const [ahead, back] = [closure("s", "from", "to"), closure("e", "to", "from")];
  return nodes.every(({ id, meta }) => meta?.["terminate"] === true || (ahead.has(id) && back.has(id)));
}

/**
 * Law: no search beyond the regions is needed there. The block of a split (oracle: the search for each alone) lies in its
 * region; one inside another in a smaller one; a tree of blocks has no other regions.
 */
function regionLaw(find: typeof regionsOf): void {
  let blocks = 0;
  fc.assert(
    fc.property(fc.oneof(bent, wild), (graph) => {
      if (!isThrough(graph)) return;
      const forks = forksOf(graph);
      const regions = find(graph, forks);
      const found = forks.map(({ split, outcome }) =>
        (["or", "all", "any"] as const)
          .map((rule) => plainBlock(graph, split, outcome, rule))
          .find(({ kind }) => kind === "structured"),
      );
      for (const [index, region] of regions.entries()) {
        // Arcs to terminate ends are left out: a fork with no others leads nowhere.
        const goesOn = forks[index]?.arcs.some((arc) => graph.definition.arcs[arc]?.to !== "t");
        if (goesOn) expect(region.kind).not.toBe("unknown");
        const block = found[index];
        if (block?.kind !== "structured") continue;
        blocks += 1;
        expect(region).toMatchObject({ kind: "closed", exit: block.join });
      }
    }),
    { numRuns: 1_500 },
  );
  expect(blocks).toBeGreaterThan(500);
  fc.assert(
    fc.property(tree, (root) => {
      const draft: Draft = { nodes: [{ id: "s", kind: "start" }], arcs: [] };
      const last = place(root, "s", draft);
      draft.nodes.push({ id: "e", kind: "end" });
      draft.arcs.push({ from: last, to: "e" });
      const graph = graphOf(draft);
      const regions = find(graph, forksOf(graph));
      const joins = draft.nodes.flatMap(({ join }, index) => (join === undefined ? [] : [index]));
      expect(
        regions.map((region) => (region.kind === "closed" ? region.exit : -1)).sort((a, b) => a - b),
      ).toEqual(
        forksOf(graph)
          .map(({ split }) => closerOf(draft, split))
          .sort((a, b) => a - b),
      );
      expect(joins.length).toBeGreaterThanOrEqual(regions.length);
      // Nodes are numbered as they are placed: the split, what is inside, the join.
      const spans = forksOf(graph).map(
        ({ split }, index) => [split, closerOf(draft, split), regions[index]] as const,
      );
      for (const [from, to, outer] of spans)
        for (const [split, , inner] of spans)
          if (from < split && split < to && outer?.kind === "closed" && inner?.kind === "closed")
            expect(inner.size).toBeLessThan(outer.size);
    }),
    { numRuns: 500 },
  );
}

/** The join of a split of an unbent tree: the first one after it behind as many joins as splits. */
function closerOf({ nodes }: Draft, split: number): number {
  let depth = 0;
  for (let at = split; at < nodes.length; at += 1) {
    if (nodes[at]?.split !== undefined) depth += 1;
    if (nodes[at]?.join !== undefined) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

describe("[D6.8] blocks of all splits at once", () => {
  it("[D6.8] are those that a search for each split alone finds", () => {
    const seen = sameBlocks(structuredBlock, blockClosedBy);
    expect(seen.structured).toBeGreaterThan(1000);
    expect(seen.parallel).toBeGreaterThan(300);
    expect(seen.open).toBeGreaterThan(100);
  });

  it("[D6.10] lie in the closed regions of their splits, where every node is on a way from a start to an end", () => {
    expect(() => regionLaw(regionsOf)).not.toThrow();
    const nowhere: typeof regionsOf = (_, forks) => forks.map(() => ({ kind: "unknown" }));
    const open: typeof regionsOf = (_, forks) => forks.map(() => ({ kind: "open" }));
    const late: typeof regionsOf = (graph, forks) =>
      regionsOf(graph, forks).map((region) =>
        region.kind === "closed" ? { ...region, exit: region.exit + 1 } : region,
      );
    const flat: typeof regionsOf = (graph, forks) =>
      regionsOf(graph, forks).map((region) => ({ ...region, size: 1 }));
    for (const broken of [nowhere, open, late, flat]) expect(() => regionLaw(broken)).toThrow();
  });

  it("[D6.8] the law fails for a search that takes any join, or forgets the border", () => {
    const alone = (node: number): ReturnType<typeof structuredBlock> => ({
      kind: "unstructured",
      reason: "",
      node,
    });
    expect(() => sameBlocks((_, node) => alone(node), blockClosedBy, true)).toThrow();
    expect(() => sameBlocks(structuredBlock, () => null, true)).toThrow();
  });

  it("[D6.10] the law fails for a search that trusts the region of a split, or that knows no block without one", () => {
    expect(() => sameBlocks(byRegionAlone, blockClosedBy, true)).toThrow();
    expect(() => sameBlocks(byRegionOnly, blockClosedBy, true)).toThrow();
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
