/** @module Random workflow definitions of nested blocks, written down here without the builder. */
import type { Arc, WorkflowNode } from "@tessera/core";
import fc from "fast-check";

export type Part =
  | { readonly kind: "step" | "person" | "job" }
  | { readonly kind: "sequence" | "parallel" | "choice"; readonly parts: readonly Part[] }
  | { readonly kind: "loop"; readonly budget: number; readonly body: Part }
  | { readonly kind: "redo"; readonly body: Part; readonly byPerson: boolean };

/** Blocks; `redo` is a cycle without a budget. */
export function arbitraryPart(depthMax: number, hasRedo: boolean): fc.Arbitrary<Part> {
  return fc.letrec<{ part: Part }>((tie) => ({
    part: fc.oneof(
      { maxDepth: depthMax, depthSize: "small" },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constantFrom("step" as const, "person" as const, "job" as const) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom("sequence" as const, "parallel" as const, "choice" as const),
          parts: fc.array(tie("part"), { minLength: 2, maxLength: 3 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("loop" as const),
          budget: fc.nat({ max: 2 }),
          body: tie("part"),
        }),
      },
      {
        weight: hasRedo ? 1 : 0,
        arbitrary: fc.record({
          kind: fc.constant("redo" as const),
          body: tie("part"),
          byPerson: fc.boolean(),
        }),
      },
    ),
  })).part;
}

/** The nodes and arcs of a workflow with the given body between `start` and `end`. */
export function definitionOf(part: Part): {
  readonly nodes: readonly WorkflowNode[];
  readonly arcs: readonly Arc[];
} {
  const nodes: WorkflowNode[] = [{ id: "start", kind: "start" }];
  const arcs: Arc[] = [];
  const add = (node: Omit<WorkflowNode, "id">, hint: string) => {
    const id = `${hint}${nodes.length}`;
    nodes.push({ id, ...node });
    return id;
  };
  const link = (from: string, to: string, outcome?: string) => {
    arcs.push(outcome === undefined ? { from, to } : { from, to, outcome });
  };
  /** Adds a block; returns its first node and the node whose outcome `done` leaves it. */
  const build = (block: Part): { first: string; last: string } => {
    switch (block.kind) {
      case "step":
      case "person":
      case "job": {
        const kind = { step: "gateway", person: "human", job: "timer" }[block.kind];
        const id = add({ kind, ...(kind === "timer" ? { meta: { duration: "PT1S" } } : {}) }, kind);
        return { first: id, last: id };
      }
      case "sequence": {
        const built = block.parts.map(build);
        built.slice(1).forEach(({ first }, at) => {
          link(built[at]!.last, first);
        });
        return { first: built[0]!.first, last: built.at(-1)!.last };
      }
      case "parallel":
      case "choice": {
        const isAll = block.kind === "parallel";
        const split = add({ kind: "gateway", ...(isAll ? { split: "all" } : {}) }, "split");
        const built = block.parts.map(build);
        const join = add({ kind: "gateway", ...(isAll ? { join: "all" } : {}) }, "join");
        for (const { first, last } of built) {
          link(split, first);
          link(last, join);
        }
        return { first: split, last: join };
      }
      case "loop": {
        const from = nodes.length;
        const head = add({ kind: "gateway" }, "head");
        const body = build(block.body);
        const passKey = `ok${from}`;
        const verify = add({ kind: "verifier", meta: { passKey } }, "verify");
        const inside = nodes.slice(from).map(({ id }) => id);
        const decide = add(
          {
            kind: "decision",
            meta: { loop: { id: `loop${from}`, budget: block.budget, passKey, proves: "x", body: inside } },
          },
          "decide",
        );
        const rescue = add({ kind: "human" }, "rescue");
        const last = add({ kind: "gateway" }, "out");
        link(head, body.first);
        link(body.last, verify);
        link(verify, decide);
        link(verify, decide, "error");
        link(decide, head, "fail");
        link(decide, last, "pass");
        link(decide, rescue, "exhausted");
        link(decide, rescue, "error");
        link(rescue, last);
        return { first: head, last };
      }
      case "redo": {
        const head = add({ kind: "gateway" }, "again");
        const body = build(block.body);
        const decide = add(
          block.byPerson
            ? { kind: "human", meta: { outcomes: ["more", "enough"] } }
            : { kind: "wait", meta: { outcomes: ["more", "enough"] } },
          "ask",
        );
        const last = add({ kind: "gateway" }, "out");
        link(head, body.first);
        link(body.last, decide);
        link(decide, head, "more");
        link(decide, last, "enough");
        return { first: head, last };
      }
    }
  };
  const built = build(part);
  link("start", built.first);
  nodes.push({ id: "end", kind: "end" });
  link(built.last, "end");
  return { nodes, arcs };
}
