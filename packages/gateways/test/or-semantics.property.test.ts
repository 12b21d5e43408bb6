import type { Arc, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orJoinRules } from "../src/index.ts";
import { soundnessOf } from "./explore.ts";
import { arcs, compiledOf, node, workflow } from "./workflow-text.ts";

/** good: one token to the join. fork: two by one arc. stuck: none. stop: one, or the end of everything. ways: by one of two arcs. */
const BRANCHES = ["good", "good", "ways", "fork", "stuck", "stop"] as const;
type Branch = (typeof BRANCHES)[number];

interface Piece {
  readonly nodes: readonly WorkflowNode[];
  readonly arcs: readonly Arc[];
}

/** A copy of a branch, its ids behind `p`, from the arc into `${p}` to the node `to`. */
function piece(branch: Branch, p: string, to: string): Piece {
  const gate = (id: string, change: Partial<WorkflowNode> = {}) => node(`${p}${id}`, "gateway", change);
  switch (branch) {
    case "good":
      return { nodes: [node(p, "wait")], arcs: arcs(`${p} -> ${to}`) };
    case "ways":
      return {
        nodes: [gate(""), node(`${p}w`, "wait")],
        arcs: arcs(`${p} -> ${to}, ${p} -> ${p}w, ${p}w -> ${to}`),
      };
    case "fork":
      return {
        nodes: [gate("", { split: "all" }), node(`${p}a`, "wait"), node(`${p}b`, "wait"), gate("m")],
        arcs: arcs(`${p} -> ${p}a, ${p} -> ${p}b, ${p}a -> ${p}m, ${p}b -> ${p}m, ${p}m -> ${to}`),
      };
    case "stuck":
      return {
        nodes: [gate(""), gate("a"), gate("b"), gate("j", { join: "all" })],
        arcs: arcs(`${p} -> ${p}a, ${p} -> ${p}b, ${p}a -> ${p}j, ${p}b -> ${p}j, ${p}j -> ${to}`),
      };
    case "stop":
      return {
        nodes: [node(p, "tool"), node(`${p}t`, "end", { meta: { terminate: true } })],
        arcs: arcs(`${p} -> ${to}, ${p}:error -> ${p}t`),
      };
  }
}

/** The OR block itself. */
function block(
  branches: readonly Branch[],
  fallback: number | null,
  join: "or" | "all" | "any" = "or",
): WorkflowDefinition {
  const pieces = branches.map((branch, k) => piece(branch, `b${k}`, "j"));
  const into = branches.map(
    (_, k): Arc => ({ from: "s", to: `b${k}`, ...(k === fallback ? { default: true } : {}) }),
  );
  return workflow(
    [
      node("s", "gateway", { split: "or" }),
      ...pieces.flatMap((own) => own.nodes),
      node("j", "gateway", { join }),
      node("e", "end"),
    ],
    [...into, ...pieces.flatMap((own) => own.arcs), ...arcs("j -> e")],
  );
}

/** The same by its meaning: a choice of the subset, and for each subset copies of its branches that an AND join waits for. */
function unfolded(branches: readonly Branch[], fallback: number | null): WorkflowDefinition {
  const nodes: WorkflowNode[] = [node("s", "gateway"), node("e", "end")];
  const list: Arc[] = [];
  for (let bits = 1; bits < 2 ** branches.length; bits += 1) {
    const subset = [...branches.keys()].filter((k) => (bits >> k) % 2 === 1);
    if (fallback !== null && subset.includes(fallback) && subset.length > 1) continue;
    nodes.push(node(`s${bits}`, "gateway", { split: "all" }), node(`j${bits}`, "gateway", { join: "all" }));
    list.push({ from: "s", to: `s${bits}` }, { from: `j${bits}`, to: "e" });
    for (const k of subset) {
      const own = piece(branches[k] ?? "good", `b${k}x${bits}y`, `m${k}x${bits}`);
      nodes.push(...own.nodes, node(`m${k}x${bits}`, "gateway"));
      list.push({ from: `s${bits}`, to: `b${k}x${bits}y` }, ...own.arcs, {
        from: `m${k}x${bits}`,
        to: `j${bits}`,
      });
    }
  }
  return workflow(nodes, list);
}

function isCorrect(definition: WorkflowDefinition): boolean {
  const compiled = compiledOf(definition);
  const { optionToComplete, properCompletion, safe } = soundnessOf(compiled.net, orJoinRules(compiled));
  return optionToComplete && properCompletion && safe;
}

/** Law: an OR block is as sound as its unfolding over the subsets. Generated: 2 to 3 branches, sound or not, a default or none. */
function subsetLaw(made: typeof block, endOnFailure = false) {
  const seen = { sound: 0, unsound: 0, stop: 0 };
  const branches = fc.array(fc.constantFrom(...BRANCHES), { minLength: 2, maxLength: 3 });
  fc.assert(
    fc.property(branches, fc.option(fc.nat({ max: 1 })), (list, fallback) => {
      const expected = isCorrect(unfolded(list, fallback));
      expect(isCorrect(made(list, fallback))).toBe(expected);
      expect(expected).toBe(!list.includes("fork") && !list.includes("stuck"));
      seen[expected ? "sound" : "unsound"] += 1;
      if (expected && list.includes("stop")) seen.stop += 1;
    }),
    { numRuns: 150, endOnFailure },
  );
  return seen;
}

describe("[D6.2] [D20.8] an OR block against the subsets of its branches", () => {
  it("[D6.2] [D20.8] [D6.8] [C20-26] [C20-27] is as sound as a choice of the subset, with branches that deadlock, double or terminate", () => {
    const seen = subsetLaw(block);
    for (const count of [seen.sound, seen.unsound, seen.stop]) expect(count).toBeGreaterThan(20);
  });

  it("[D6.2] the law catches joins that wait for all or for none, and a split that takes every branch", () => {
    const joined = (join: "all" | "any") => (list: readonly Branch[], fallback: number | null) =>
      block(list, fallback, join);
    for (const broken of [joined("all"), joined("any")]) expect(() => subsetLaw(broken, true)).toThrow();
  });

  it("[D6.8] [D15.3] [C20-27] an AND split in a branch whose arms enter the join one by one makes the join non-local, and sound", () => {
    const definition = workflow(
      [
        node("s", "gateway", { split: "or" }),
        node("p", "gateway", { split: "all" }),
        node("a", "wait"),
        node("b", "wait"),
        node("c", "wait"),
        node("j", "gateway", { join: "or" }),
        node("e", "end"),
      ],
      arcs("s -> p, s -> c, p -> a, p -> b, a -> j, b -> j, c -> j, j -> e"),
    );
    const compiled = compiledOf(definition);
    expect(compiled.net.transitions.some(({ rule }) => rule === "or-join:j")).toBe(true);
    expect(soundnessOf(compiled.net, orJoinRules(compiled))).toEqual({
      optionToComplete: true,
      properCompletion: true,
      dead: [],
      safe: true,
      deadlocks: [],
    });
  });
});
