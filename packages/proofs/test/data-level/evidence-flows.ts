/** @module Small workflows that between them bring every kind of evidence on data. */
import type { Arc, CompiledWorkflow, ConditionData, WorkflowNode } from "@tessera/core";
import { end, gateway, human, start, transform, workflow } from "../workflow-text.ts";
import { TYPES } from "./guarded-workflow.ts";

/** A guard on the number `x`. */
export const x = (op: string, value: number): ConditionData => ({ key: "x", op, value }) as ConditionData;
const c = (value: string): ConditionData => ({ key: "c", op: "is", value });
const arc = (from: string, to: string, guard?: ConditionData): Arc => ({
  from,
  to,
  ...(guard === undefined ? {} : { guard }),
});
const flow = (nodes: readonly WorkflowNode[], arcs: readonly (string | Arc)[]) =>
  workflow(nodes, arcs, TYPES);

/** Workflows that between them bring every kind of evidence on data; brute force knows all their nodes. */
export const FLOWS: Readonly<Record<string, CompiledWorkflow>> = {
  sound: flow(
    [start, human("ask"), gateway("fork"), human("left"), end],
    [
      "start -> ask",
      "ask -> fork",
      arc("fork", "left", x("lessThan", 2)),
      arc("fork", "end", x("atLeast", 2)),
      "left -> end",
    ],
  ),
  gap: flow(
    [start, { ...human("ask"), kind: "tool", writes: ["x"], meta: {} }, gateway("fork"), end],
    [
      "start -> ask",
      "ask -> fork",
      "ask: error -> end",
      arc("fork", "end", x("lessThan", 2)),
      arc("fork", "end", x("greaterThan", 2)),
    ],
  ),
  twice: flow(
    [start, gateway("split", { split: "all" }), human("ask"), gateway("merge"), end],
    ["start -> split", arc("split", "merge"), "split -> ask", arc("ask", "merge", c("red")), "merge -> end"],
  ),
  dead: flow(
    [start, gateway("fork"), human("left"), human("never"), end],
    [
      "start -> fork",
      arc("fork", "left", x("lessThan", 2)),
      arc("fork", "never", x("lessThan", 0)),
      { from: "fork", to: "end", default: true },
      "left -> end",
      "never -> end",
    ],
  ),
  waits: flow([start, { ...human("ask"), writes: [] }, end], ["start -> ask", arc("ask", "end", c("blue"))]),
  round: flow(
    [start, transform("work", { writes: [] }), { id: "again", kind: "decision" }, end],
    [
      "start -> work",
      "work -> again",
      "work: error -> again",
      arc("again", "work", x("lessThan", 2)),
      { from: "again", to: "end", default: true },
    ],
  ),
};

/** A block that merges what its branches write to `x`, by their sum; a guard behind it asks. */
export const merging = (guard: ConditionData): CompiledWorkflow =>
  workflow(
    [
      start,
      gateway("a", { split: "all" }),
      { ...human("l"), writes: ["x"] },
      human("r"),
      gateway("j", { join: "all", meta: { merge: { x: "sum" } } }),
      end,
    ],
    [
      "start -> a",
      "a -> l",
      "a -> r",
      "l -> j",
      "r -> j",
      arc("j", "end", guard),
      { from: "j", to: "end", default: true },
      "j: error -> end",
    ],
    { x: { type: "number" }, other: { type: "number" } },
  );
