/** @module Random small workflows whose gateways ask about data. */
import type { Arc, CompiledWorkflow, ConditionData, DataType, WorkflowNode } from "@tessera/core";
import fc from "fast-check";
import { workflow } from "../workflow-text.ts";

export const COLOURS = ["red", "blue"];
export const TYPES: Readonly<Record<string, DataType>> = {
  x: { type: "number" },
  y: { type: "number" },
  n: { type: "integer" },
  c: { type: "string", values: COLOURS },
};

type Part =
  | {
      readonly kind: "ask";
      readonly writes: readonly string[];
      readonly isJob: boolean;
      readonly guard: ConditionData | null;
    }
  | { readonly kind: "compute"; readonly writes: readonly string[] }
  | { readonly kind: "sequence" | "parallel"; readonly parts: readonly Part[]; readonly isMixed: boolean }
  | {
      readonly kind: "choice" | "some";
      readonly branches: readonly Branch[];
      readonly hasDefault: boolean;
      readonly isMixed: boolean;
    }
  | { readonly kind: "again"; readonly guard: ConditionData; readonly body: Part };

interface Branch {
  readonly guard: ConditionData;
  readonly part: Part;
}

const order = fc.constantFrom("greaterThan", "atLeast", "lessThan", "atMost", "is", "isNot");
const comparison: fc.Arbitrary<ConditionData> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ key: fc.constantFrom("x", "y", "n"), op: order, value: fc.constantFrom(0, 2) }),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("x", "y")
      .chain((key) => order.map((op) => ({ key, op, valueOf: key === "x" ? "y" : "x" }))),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      key: fc.constant("c"),
      op: fc.constantFrom("is", "isNot"),
      value: fc.constantFrom(...COLOURS),
    }),
  },
) as fc.Arbitrary<ConditionData>;
const guard: fc.Arbitrary<ConditionData> = fc.oneof(
  { weight: 4, arbitrary: comparison },
  { weight: 1, arbitrary: fc.record({ all: fc.tuple(comparison, comparison) }) },
  { weight: 1, arbitrary: fc.record({ any: fc.tuple(comparison, comparison) }) },
  { weight: 1, arbitrary: fc.record({ not: comparison }) },
);
const writes = fc.subarray(["x", "y", "n", "c"], { maxLength: 2 });

/** Split and join of a block do not match. */
const isMixed = fc.integer({ min: 0, max: 2 }).map((number) => number === 0);

const part: fc.Arbitrary<Part> = fc.letrec<{ part: Part }>((tie) => {
  const branch = fc.record({ guard, part: tie("part") });
  return {
    part: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("ask" as const),
          writes,
          isJob: fc.boolean(),
          guard: fc.option(guard, { freq: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("compute" as const), writes }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("sequence" as const),
          parts: fc.array(tie("part"), { minLength: 2, maxLength: 2 }),
          isMixed,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("parallel" as const),
          parts: fc.array(tie("part"), { minLength: 2, maxLength: 2 }),
          isMixed,
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constantFrom("choice" as const, "choice" as const, "some" as const),
          branches: fc.array(branch, { minLength: 2, maxLength: 2 }),
          hasDefault: fc.boolean(),
          isMixed,
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("again" as const), guard, body: tie("part") }) },
    ),
  };
}).part;

/** Nodes and arcs of a workflow over the keys of TYPES; the first node is its entry. */
export interface Parts {
  readonly nodes: readonly WorkflowNode[];
  readonly arcs: readonly Arc[];
}

/** Workflows of nested blocks over the keys of TYPES. */
export const guardedWorkflow: fc.Arbitrary<Parts> = part.map((block) => {
  const nodes: WorkflowNode[] = [{ id: "start", kind: "start" }];
  const arcs: Arc[] = [];
  const add = (node: Omit<WorkflowNode, "id">, hint: string) => {
    const id = `${hint}${nodes.length}`;
    nodes.push({ id, ...node });
    return id;
  };
  const link = (from: string, to: string, more: Partial<Arc> = {}) => arcs.push({ from, to, ...more });
  const build = (one: Part): { readonly first: string; readonly last: string } => {
    switch (one.kind) {
      case "ask": {
        const id = add({ kind: one.isJob ? "tool" : "human", writes: one.writes }, "ask");
        const last = add({ kind: "gateway" }, "out");
        link(id, last, one.guard === null ? {} : { guard: one.guard });
        if (one.isJob) link(id, last, { outcome: "error" });
        return { first: id, last };
      }
      case "compute": {
        const id = add({ kind: "transform", writes: one.writes }, "compute");
        const last = add({ kind: "gateway" }, "out");
        link(id, last);
        link(id, last, { outcome: "error" });
        return { first: id, last };
      }
      case "sequence": {
        const [left, right] = one.parts.map(build);
        link(left!.last, right!.first);
        return { first: left!.first, last: right!.last };
      }
      case "parallel": {
        const first = add({ kind: "gateway", split: "all" }, "split");
        const built = one.parts.map(build);
        const last = add({ kind: "gateway", join: one.isMixed ? "any" : "all" }, "join");
        for (const inner of built) {
          link(first, inner.first);
          link(inner.last, last);
        }
        return { first, last };
      }
      case "choice":
      case "some": {
        const isOr = one.kind === "some";
        const first = add({ kind: "gateway", ...(isOr ? { split: "or" as const } : {}) }, one.kind);
        const built = one.branches.map(({ part: inner }) => build(inner));
        const last = add(
          {
            kind: "gateway",
            ...(isOr ? { join: "or" as const } : one.isMixed ? { join: "all" as const } : {}),
          },
          "merge",
        );
        built.forEach((inner, index) => {
          const isLast = index === built.length - 1;
          link(
            first,
            inner.first,
            one.hasDefault && isLast ? { default: true } : { guard: one.branches[index]!.guard },
          );
          link(inner.last, last);
        });
        return { first, last };
      }
      case "again": {
        const first = add({ kind: "gateway" }, "head");
        const built = build(one.body);
        const decide = add({ kind: "decision" }, "decide");
        const last = add({ kind: "gateway" }, "out");
        link(first, built.first);
        link(built.last, decide);
        link(decide, first, { guard: one.guard });
        link(decide, last, { default: true });
        return { first, last };
      }
    }
  };
  const built = build(block);
  link("start", built.first);
  nodes.push({ id: "end", kind: "end" });
  link(built.last, "end");
  return { nodes, arcs };
});

/** Compiles what `guardedWorkflow` gives. */
export function compiledOf({ nodes, arcs }: Parts): CompiledWorkflow {
  return workflow(nodes, arcs, TYPES);
}
