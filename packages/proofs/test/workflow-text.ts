/** @module Workflow definitions in short form, for tests. */
import {
  type Arc,
  type CompiledWorkflow,
  compileWorkflow,
  type DataType,
  parseWorkflow,
  type WorkflowDefinition,
  type WorkflowNode,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";

/** A definition whose entry is its first node. Arcs: "a -> b", "a: outcome -> b", or an object. */
export function workflow(
  nodes: readonly WorkflowNode[],
  arcs: readonly (string | Arc)[],
  data?: Readonly<Record<string, DataType>>,
): CompiledWorkflow {
  const definition: WorkflowDefinition = {
    format: 1,
    kind: "workflow",
    id: "test",
    entry: nodes[0]?.id ?? "",
    nodes,
    arcs: arcs.map((arc) => (typeof arc === "string" ? arcOf(arc) : arc)),
    ...(data === undefined ? {} : { data }),
  };
  const parsed = parseWorkflow(definition, STANDARD_KINDS);
  if (!parsed.ok) throw new Error(parsed.issues.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  const compiled = compileWorkflow(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new Error(compiled.issues.map(({ message }) => message).join("\n"));
  return compiled.value;
}

function arcOf(text: string): Arc {
  const [, from, outcome, to] = /^\s*([\w.]+)(?::\s*([\w-]+))?\s*->\s*([\w.]+)\s*$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new Error(text);
  return { from, to, ...(outcome === undefined ? {} : { outcome }) };
}

export const start: WorkflowNode = { id: "start", kind: "start" };
export const end: WorkflowNode = { id: "end", kind: "end" };

export const human = (id: string, ...outcomes: string[]): WorkflowNode => ({
  id,
  kind: "human",
  meta: outcomes.length === 0 ? {} : { outcomes },
});
export const gateway = (id: string, more: Partial<WorkflowNode> = {}): WorkflowNode => ({
  id,
  kind: "gateway",
  ...more,
});
export const transform = (id: string, more: Partial<WorkflowNode> = {}): WorkflowNode => ({
  id,
  kind: "transform",
  ...more,
});

/** draft, verify, decide with a budget; a person decides when it is exhausted. */
export function loop(
  budget: number,
  change: (nodes: WorkflowNode[], arcs: (string | Arc)[]) => void = () => {},
): CompiledWorkflow {
  const nodes: WorkflowNode[] = [
    start,
    transform("draft", { writes: ["text"] }),
    { id: "verify", kind: "verifier", meta: { passKey: "ok" } },
    {
      id: "decide",
      kind: "decision",
      meta: { loop: { id: "l", budget, passKey: "ok", proves: "fine", body: ["draft", "verify"] } },
    },
    human("rescue"),
    end,
    { id: "failed", kind: "end", meta: { outcome: "failed" } },
  ];
  const arcs: (string | Arc)[] = [
    "start -> draft",
    "draft -> verify",
    "draft: error -> failed",
    "verify -> decide",
    "verify: error -> failed",
    "decide: pass -> end",
    "decide: fail -> draft",
    "decide: exhausted -> rescue",
    "decide: error -> failed",
    "rescue -> end",
  ];
  change(nodes, arcs);
  return workflow(nodes, arcs);
}
