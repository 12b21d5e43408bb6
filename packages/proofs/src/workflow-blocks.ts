/** @module Workflow definitions of nested blocks with data, sound by construction, and the mistakes that people make in them. */
import type { Arc, ConditionData, DataType, Json, WorkflowDefinition, WorkflowNode } from "@tessera/core";

/** A step: a person without or with a form, a job that writes a key, the clock. */
export type BlockStep = "ask" | "fill" | "job" | "wait";

/** A block: one entry, one exit. choice, some: an XOR and an OR split on data; again: a person says how often. */
export type WorkflowBlock =
  | { readonly kind: "step"; readonly step: BlockStep; readonly key: BlockKey }
  | { readonly kind: "sequence" | "parallel"; readonly parts: readonly WorkflowBlock[] }
  | {
      readonly kind: "choice" | "some";
      readonly branches: readonly { readonly guard: BlockGuard; readonly part: WorkflowBlock }[];
      readonly otherwise: WorkflowBlock;
    }
  | { readonly kind: "again"; readonly body: WorkflowBlock };

/** The keys of D, their types, and the constants that guards compare them with. */
export const BLOCK_DATA: Readonly<Record<BlockKey, DataType>> = {
  count: { type: "integer", values: [0, 1, 2] },
  fair: { type: "boolean" },
  colour: { type: "string", values: ["red", "blue"] },
};

/** A key of D. */
export type BlockKey = "count" | "fair" | "colour";

/** A guard: the key is, or is not, one of its values. */
export interface BlockGuard {
  readonly key: BlockKey;
  readonly op: "is" | "isNot";
  readonly value: Json;
}

/**
 * A mistake around a whole workflow. no-default: a choice leaves a value out. choose: a split starts one branch, and its
 * join waits for both. merge: a split starts two branches, and what follows them happens twice.
 */
export type WorkflowDefect = "no-default" | "choose" | "merge";

/** What each mistake breaks, whatever is inside. */
export const BROKEN_WORKFLOW: Readonly<Record<WorkflowDefect, "O1" | "O4" | "O5">> = {
  "no-default": "O5",
  choose: "O1",
  merge: "O4",
};

interface Draft {
  readonly nodes: WorkflowNode[];
  readonly arcs: Arc[];
}

interface Ends {
  readonly first: string;
  readonly last: string;
}

/** The definition of a block between a start and an end, with a mistake around it if one is asked for. */
export function blockWorkflow(
  block: WorkflowBlock,
  defect: WorkflowDefect | null = null,
): WorkflowDefinition {
  const draft: Draft = { nodes: [{ id: "start", kind: "start" }], arcs: [] };
  const { first, last } = defect === null ? build(draft, block) : mistaken(draft, block, defect);
  draft.nodes.push({ id: "end", kind: "end" });
  link(draft, "start", first);
  link(draft, last, "end");
  return { format: 1, kind: "workflow", id: "blocks", entry: "start", ...draft, data: BLOCK_DATA };
}

function add({ nodes }: Draft, hint: string, node: Omit<WorkflowNode, "id">): string {
  const id = `${hint}${nodes.length}`;
  nodes.push({ id, ...node });
  return id;
}

function link({ arcs }: Draft, from: string, to: string, more: Partial<Arc> = {}): void {
  arcs.push({ from, to, ...more });
}

function build(draft: Draft, block: WorkflowBlock): Ends {
  switch (block.kind) {
    case "step":
      return buildStep(draft, block.step, block.key);
    case "sequence": {
      const built = block.parts.map((part) => build(draft, part));
      for (const [at, { first }] of built.slice(1).entries()) link(draft, built[at]!.last, first);
      return { first: built[0]!.first, last: built.at(-1)!.last };
    }
    case "parallel":
      return around(
        draft,
        { split: "all" },
        { join: "all" },
        block.parts.map((part) => ({ part, arc: {} })),
      );
    case "choice":
    case "some": {
      const guarded = block.branches.map(({ guard, part }) => ({
        part,
        arc: { guard: { ...guard } as ConditionData },
      }));
      const ways = [...guarded, { part: block.otherwise, arc: { default: true as const } }];
      return block.kind === "choice"
        ? around(draft, {}, {}, ways)
        : around(draft, { split: "or" }, { join: "or" }, ways);
    }
    case "again": {
      const head = add(draft, "again", { kind: "gateway" });
      const { first, last } = build(draft, block.body);
      const ask = add(draft, "enough", { kind: "human", meta: { outcomes: ["enough", "more"] } });
      const out = add(draft, "out", { kind: "gateway" });
      link(draft, head, first);
      link(draft, last, ask);
      link(draft, ask, out, { outcome: "enough" });
      link(draft, ask, head, { outcome: "more" });
      return { first: head, last: out };
    }
  }
}

function buildStep(draft: Draft, step: BlockStep, key: BlockKey): Ends {
  const type = BLOCK_DATA[key];
  const field = type.values === undefined ? type.type : { type: type.type, values: type.values };
  const shapes: Readonly<Record<BlockStep, Omit<WorkflowNode, "id">>> = {
    ask: { kind: "human" },
    fill: { kind: "human", writes: [key], meta: { form: { [key]: field } } },
    job: { kind: "tool", writes: [key] },
    wait: { kind: "timer", meta: { duration: "PT1M" } },
  };
  const first = add(draft, step, shapes[step]);
  if (step !== "job") return { first, last: first };
  const last = add(draft, "out", { kind: "gateway" });
  link(draft, first, last);
  link(draft, first, last, { outcome: "error" });
  return { first, last };
}

/** A split, branches, a join. */
function around(
  draft: Draft,
  split: Pick<WorkflowNode, "split">,
  join: Pick<WorkflowNode, "join">,
  ways: readonly { readonly part: WorkflowBlock; readonly arc: Partial<Arc> }[],
): Ends {
  const first = add(draft, "split", { kind: "gateway", ...split });
  const built = ways.map(({ part, arc }) => ({ ...build(draft, part), arc }));
  const last = add(draft, "join", { kind: "gateway", ...join });
  for (const { first: inner, last: end, arc } of built) {
    link(draft, first, inner, arc);
    link(draft, end, last);
  }
  return { first, last };
}

function mistaken(draft: Draft, block: WorkflowBlock, defect: WorkflowDefect): Ends {
  const step: WorkflowBlock = { kind: "step", step: "ask", key: "count" };
  const guard = (value: number): Partial<Arc> => ({ guard: { key: "count", op: "is", value } });
  switch (defect) {
    case "no-default":
      return around(draft, {}, {}, [
        { part: block, arc: guard(0) },
        { part: step, arc: guard(1) },
      ]);
    case "choose":
      return around(draft, {}, { join: "all" }, [
        { part: block, arc: guard(0) },
        { part: step, arc: { default: true } },
      ]);
    case "merge":
      return around(draft, { split: "all" }, {}, [
        { part: block, arc: {} },
        { part: step, arc: {} },
      ]);
  }
}
