/** @module A small sound definition, changed in one place, and what the reader says of it. */
import { type Issue, parseWorkflow, type WorkflowDefinition } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";

export const SOUND = {
  format: 1,
  kind: "workflow",
  id: "order",
  entry: "in",
  nodes: [
    { id: "in", kind: "start" },
    { id: "size", kind: "decision" },
    { id: "out", kind: "end" },
  ],
  arcs: [
    { from: "in", to: "size" },
    { from: "size", to: "out", guard: { key: "amount", op: "atLeast", value: 100 } },
    { from: "size", to: "out", default: true },
  ],
  data: { amount: { type: "number" } },
} satisfies WorkflowDefinition;

type Changed = { readonly [member: string]: unknown };

export function issuesOf(change: Changed): readonly Issue[] {
  const parsed = parseWorkflow({ ...SOUND, ...change }, STANDARD_KINDS);
  return parsed.ok ? [] : parsed.issues;
}

/** Code and path of each issue, and of each warning. */
export function found(change: Changed): readonly string[] {
  return issuesOf(change).map(({ code, path }) => `${code} ${path.join(".")}`);
}

export function warned(change: Changed): readonly Issue[] {
  return parseWorkflow({ ...SOUND, ...change }, STANDARD_KINDS).warnings;
}

export const node = (change: Changed): Changed => ({
  nodes: [...SOUND.nodes.slice(0, 2), { ...SOUND.nodes[2], ...change }],
});
export const lastArc = (change: Changed): Changed => ({
  arcs: [...SOUND.arcs.slice(0, 2), { ...SOUND.arcs[2], ...change }],
});
