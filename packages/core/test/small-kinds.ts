/** @module A table of kinds small enough to read at once, so that the tests of core need no other package. */
import { type FragmentBuilder, type KindSpec, kindTable } from "../src/kinds.ts";
import type { Phase } from "../src/net.ts";
import type { Arc, NodeId, WorkflowDefinition, WorkflowNode } from "../src/workflow.ts";

/** One transition for each way in, outcome and arc out. */
function produce(b: FragmentBuilder, phase: Phase, inputs: FragmentBuilder["inputs"]): void {
  for (const outcome of b.alphabet)
    for (const { place: from, arc: consumed } of inputs)
      for (const { place: to, arc } of b.outputs(outcome))
        b.transition({
          id: `${b.node.id}:${outcome}`,
          pre: [[from, 1]],
          post: [[to, 1]],
          origin: {
            node: b.index,
            phase,
            consumed: consumed === null ? [] : [consumed],
            outcome,
            chosen: [arc],
          },
        });
}

const spec = (name: string, fragment: KindSpec["fragment"], change: Partial<KindSpec> = {}): KindSpec => ({
  name,
  version: 1,
  body: () => "route",
  alphabet: () => ["done"],
  validate: () => [],
  fragment,
  ...change,
});

/** task: outcomes done and error, inline. */
const TASK = spec("task", (b) => produce(b, "step", b.inputs), {
  body: () => "inline",
  alphabet: () => ["done", "error"],
});

/** pause: rests until somebody completes it. */
const PAUSE = spec(
  "pause",
  (b) => {
    const rest = b.place(`${b.node.id}.active`, { kind: "rest", node: b.index });
    for (const { place, arc } of b.inputs)
      b.transition({
        id: `${b.node.id}.start`,
        pre: [[place, 1]],
        post: [[rest, 1]],
        origin: { node: b.index, phase: "start", consumed: arc === null ? [] : [arc], chosen: [] },
      });
    produce(b, "finish", [{ place: rest, arc: null }]);
  },
  { body: () => "work-item" },
);

const END = spec(
  "end",
  (b) => {
    const end = b.place(`${b.node.id}.end`, { kind: "end", node: b.index });
    for (const { place, arc } of b.inputs)
      b.transition({
        id: `${b.node.id}.step`,
        pre: [[place, 1]],
        post: [[end, 1]],
        ...(b.node.meta?.terminate === true ? { reset: { scope: b.node.scope ?? null } } : {}),
        origin: {
          node: b.index,
          phase: "step",
          consumed: arc === null ? [] : [arc],
          outcome: "done",
          chosen: [],
        },
      });
  },
  { alphabet: () => [] },
);

/** box: an embedded subprocess. */
const BOX = spec(
  "box",
  (b) => {
    const { source, ends } = b.content();
    for (const { place, arc } of b.inputs)
      b.transition({
        id: `${b.node.id}.enter`,
        pre: [[place, 1]],
        post: [[source, 1]],
        origin: { node: b.index, phase: "enter", consumed: arc === null ? [] : [arc], chosen: [] },
      });
    for (const { place } of ends) produce(b, "leave", [{ place, arc: null }]);
  },
  { body: () => "scope" },
);

export const SMALL_KINDS = kindTable([TASK, PAUSE, END, BOX]);

/** A node; the kind is the first letters of the id where none is given: `e` end, `p` pause, `b` box, else task. */
export function node(id: NodeId, change: Partial<WorkflowNode> = {}): WorkflowNode {
  const kind = { e: "end", p: "pause", b: "box" }[id[0] ?? ""] ?? "task";
  return { id, kind, ...change };
}

/** An arc written `from -> to` or `from:outcome -> to`. */
export function arc(text: string, change: Partial<Arc> = {}): Arc {
  const [left = "", to = ""] = text.split("->").map((part) => part.trim());
  const [from = "", outcome] = left.split(":");
  return { from, to, ...(outcome === undefined ? {} : { outcome }), ...change };
}

/** A workflow whose entry is its first node. */
export function workflow(
  nodes: readonly WorkflowNode[],
  arcs: readonly Arc[],
  change: Partial<WorkflowDefinition> = {},
): WorkflowDefinition {
  return { format: 1, kind: "workflow", id: "w", entry: nodes[0]?.id ?? "", nodes, arcs, ...change };
}
