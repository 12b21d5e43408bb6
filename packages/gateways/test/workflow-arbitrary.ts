/** @module Random small workflows of nested blocks: sequence, choice, AND, OR, governed loop, embedded subprocess. */
import type { Arc, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import fc from "fast-check";

/** A block with one way in and one way out. */
export type Block =
  | {
      readonly kind: "task";
      readonly of: "transform" | "human" | "tool" | "timer" | "gateway";
      readonly escapes: boolean;
    }
  | { readonly kind: "sequence" | "choice" | "parallel"; readonly parts: readonly Block[] }
  | { readonly kind: "inclusive"; readonly parts: readonly Block[]; readonly fallback: number | null }
  | { readonly kind: "loop"; readonly body: Block; readonly repair: Block | null; readonly budget: number }
  | { readonly kind: "scope"; readonly content: Block };

const task = fc.record({
  kind: fc.constant("task" as const),
  of: fc.constantFrom(
    "transform" as const,
    "human" as const,
    "tool" as const,
    "timer" as const,
    "gateway" as const,
  ),
  escapes: fc.boolean(),
});

/** Blocks up to `depth` levels; `loops` makes the outermost a governed loop. */
export function blockUpTo(depth: number): fc.Arbitrary<Block> {
  if (depth === 0) return task;
  const inner = blockUpTo(depth - 1);
  const parts = fc.array(inner, { minLength: 2, maxLength: depth > 1 ? 2 : 3 });
  return fc.oneof(
    { weight: 1, arbitrary: task },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom("sequence" as const, "choice" as const, "parallel" as const),
        parts,
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(parts, fc.option(fc.nat({ max: 1 })))
        .map(([branches, fallback]): Block => ({ kind: "inclusive", parts: branches, fallback })),
    },
    { weight: 2, arbitrary: loopOver(inner) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("scope" as const), content: inner }) },
  );
}

/** Governed loops with budgets 1 to 3 over `inner`. */
export function loopOver(inner: fc.Arbitrary<Block>): fc.Arbitrary<Block> {
  return fc
    .tuple(inner, fc.option(task), fc.integer({ min: 1, max: 3 }))
    .map(([body, repair, budget]): Block => ({ kind: "loop", body, repair, budget }));
}

/** What is being built. */
interface Draft {
  readonly nodes: WorkflowNode[];
  readonly arcs: Arc[];
  readonly scopes: Map<string | undefined, string>;
}

interface Ends {
  readonly first: string;
  readonly last: string;
}

function add(
  draft: Draft,
  kind: string,
  scope: string | undefined,
  change: Partial<WorkflowNode> = {},
): string {
  const id = `n${draft.nodes.length}`;
  draft.nodes.push({ id, kind, ...(scope === undefined ? {} : { scope }), ...change });
  return id;
}

function link(draft: Draft, from: string, to: string, change: Partial<Arc> = {}): void {
  draft.arcs.push({ from, to, ...change });
}

/** The terminate end of a scope, made when the first tool there escapes to it. */
function escapeOf(draft: Draft, scope: string | undefined): string {
  const known = draft.scopes.get(scope);
  if (known !== undefined) return known;
  const made = add(draft, "end", scope, { meta: { terminate: true } });
  draft.scopes.set(scope, made);
  return made;
}

function build(draft: Draft, block: Block, scope: string | undefined): Ends {
  switch (block.kind) {
    case "task": {
      const meta = block.of === "timer" ? { meta: { duration: "PT1H" } } : {};
      const id = add(draft, block.of, scope, meta);
      if (block.of === "tool" && block.escapes) link(draft, id, escapeOf(draft, scope), { outcome: "error" });
      return { first: id, last: id };
    }
    case "sequence": {
      const ends = block.parts.map((part) => build(draft, part, scope));
      for (const [index, { first }] of ends.entries()) {
        const before = ends[index - 1];
        if (before !== undefined) link(draft, before.last, first);
      }
      return { first: ends[0]?.first ?? "", last: ends.at(-1)?.last ?? "" };
    }
    case "choice":
      return branching(draft, block.parts, scope, {}, {}, null);
    case "parallel":
      return branching(draft, block.parts, scope, { split: "all" }, { join: "all" }, null);
    case "inclusive":
      return branching(draft, block.parts, scope, { split: "or" }, { join: "or" }, block.fallback);
    case "loop":
      return loop(draft, block, scope);
    case "scope": {
      const id = add(draft, "subprocess", scope);
      const { first, last } = build(draft, block.content, id);
      link(draft, last, add(draft, "end", id));
      replace(draft, id, { meta: { entry: first } });
      return { first: id, last: id };
    }
  }
}

function branching(
  draft: Draft,
  parts: readonly Block[],
  scope: string | undefined,
  split: Partial<WorkflowNode>,
  join: Partial<WorkflowNode>,
  fallback: number | null,
): Ends {
  const first = add(draft, "gateway", scope, split);
  const ends = parts.map((part) => build(draft, part, scope));
  const last = add(draft, "gateway", scope, join);
  ends.forEach((end, index) => {
    link(draft, first, end.first, index === fallback ? { default: true } : {});
    link(draft, end.last, last);
  });
  return { first, last };
}

function loop(draft: Draft, block: Block & { readonly kind: "loop" }, scope: string | undefined): Ends {
  const from = draft.nodes.length;
  const head = add(draft, "gateway", scope);
  const body = build(draft, block.body, scope);
  const key = `ok${head}`;
  const verifier = add(draft, "verifier", scope, { meta: { passKey: key } });
  const repair = block.repair === null ? null : build(draft, block.repair, scope);
  const inside = draft.nodes.slice(from).filter((node) => node.scope === scope && node.kind !== "end");
  const meta = {
    loop: { id: head, budget: block.budget, passKey: key, proves: "x", body: inside.map(({ id }) => id) },
  };
  const decision = add(draft, "decision", scope, { meta });
  const person = add(draft, "human", scope);
  const last = add(draft, "gateway", scope);
  link(draft, head, body.first);
  link(draft, body.last, verifier);
  link(draft, verifier, decision);
  link(draft, decision, last, { outcome: "pass" });
  link(draft, decision, repair?.first ?? head, { outcome: "fail" });
  if (repair !== null) link(draft, repair.last, head);
  link(draft, decision, person, { outcome: "exhausted" });
  link(draft, person, last);
  return { first: head, last };
}

function replace(draft: Draft, id: string, change: Partial<WorkflowNode>): void {
  const index = draft.nodes.findIndex((node) => node.id === id);
  const node = draft.nodes[index];
  if (node !== undefined) draft.nodes[index] = { ...node, ...change };
}

/** The workflow of a block, with one end behind it. */
export function workflowOf(block: Block): WorkflowDefinition {
  const draft: Draft = { nodes: [], arcs: [], scopes: new Map() };
  const { first, last } = build(draft, block, undefined);
  link(draft, last, add(draft, "end", undefined));
  return { format: 1, kind: "workflow", id: "w", entry: first, nodes: draft.nodes, arcs: draft.arcs };
}

/** Random workflows of blocks. */
export const smallWorkflow: fc.Arbitrary<WorkflowDefinition> = blockUpTo(2).map(workflowOf);
