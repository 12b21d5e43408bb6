/** @module Times and keys of messages that D holds: whether they can be waited for depends on the values that guards ask for. */
import type { DataType, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";
import { proveOnData as prove } from "./prove-on-data.ts";

/** A node that waits or sends, then a choice: a lone half of a join without the key, the end with it. */
const thenChosen = (node: WorkflowNode, key: string, label: string) =>
  workflow(
    [
      start,
      node,
      gateway("choice"),
      gateway("split", { split: "all" }),
      human("one"),
      human("other"),
      gateway("join", { join: "all" }),
      end,
    ],
    [
      `start -> ${node.id}`,
      { from: node.id, to: "choice", outcome: label },
      { from: node.id, to: "end", outcome: "error" },
      { from: "choice", to: "end", guard: { key, op: "isAssigned" } },
      { from: "choice", to: "split", guard: { not: { key, op: "isAssigned" } } },
      "split -> one",
      "split -> other",
      "one -> join",
      { from: "other", to: "end" },
      "join -> end",
    ],
  );

const timer: WorkflowNode = { id: "wait", kind: "timer", meta: { key: "when" } };
const message = { id: "paid", on: "message", name: "paid", key: "order" };
const waits: WorkflowNode = { id: "wait", kind: "catch", meta: { events: [message] } };
const asks: WorkflowNode = { id: "ask", kind: "human", meta: { events: [message] } };
const clock: WorkflowNode = {
  id: "wait",
  kind: "catch",
  meta: { events: [{ id: "late", on: "timer", key: "when" }] },
};
const sends: WorkflowNode = {
  id: "send",
  kind: "throw",
  meta: { on: "message", name: "paid", key: "order" },
};

describe("[D23.3] times and keys of messages that D holds", () => {
  it.each([
    ["a timer", timer, "when", "done"],
    ["a catch", waits, "order", "paid"],
    ["a clock", clock, "when", "late"],
    ["an event beside a task", asks, "order", "paid"],
    ["a throw", sends, "order", "done"],
  ] as const)(
    "[D23.3] %s: without a value it errs, so that no run goes on where a guard finds none",
    (_, node, key, label) => {
      const report = prove(thenChosen(node, key, label));
      // By the net alone a run without a value gets stuck behind the node. The engine never brings one there.
      expect(report.obligations.filter(({ verdict }) => verdict.kind === "fails")).toEqual([]);
      expect(report.obligations[0]?.message).toContain(
        `"${node.id}" takes from "${key}" what it waits for or sends, and a condition asks for it`,
      );
    },
  );

  it("[D23.3] what no guard asks for keeps nothing from being decided", () => {
    const report = prove(thenChosen(timer, "other", "done"));
    expect(report.obligations.find(({ id }) => id === "O1")?.verdict.kind).toBe("fails");
  });

  /** What is said where the key is declared so. */
  const declared = (node: WorkflowNode, key: string, label: string, type: DataType) => {
    const { nodes, arcs } = thenChosen(node, "other", label).definition;
    return prove(workflow(nodes, arcs, { [key]: type }));
  };

  it.each([
    ["a timer", timer, "when", "done", { type: "number" }],
    ["a clock", clock, "when", "late", { type: "object" }],
    ["a clock", clock, "when", "late", { type: "any", values: [1, null] }],
    ["a catch", waits, "order", "paid", { type: "array" }],
    ["a catch", waits, "order", "paid", { type: "string", values: [""] }],
    ["a throw", sends, "order", "done", { type: "object" }],
  ] as const)(
    "[D23.3] %s of a key that holds no such thing always errs: nothing is said",
    (_, node, key, label, type) => {
      const { obligations } = declared(node, key, label, type);
      expect(obligations.filter(({ verdict }) => verdict.kind !== "unknown")).toEqual([]);
      expect(obligations[0]?.message).toContain(
        `takes from "${key}" what it waits for or sends, and no value`,
      );
    },
  );

  it.each([
    ["a timer", timer, "when", "done", { type: "string" }],
    ["a clock", clock, "when", "late", { type: "any" }],
    ["a catch", waits, "order", "paid", { type: "integer" }],
    ["a catch", waits, "order", "paid", { type: "any", values: ["", false] }],
    ["a throw", sends, "order", "done", { type: "boolean" }],
  ] as const)(
    "[D23.3] %s of a key that may hold such a thing is reckoned with",
    (_, node, key, label, type) => {
      const { obligations } = declared(node, key, label, type);
      expect(obligations.find(({ id }) => id === "O1")?.verdict.kind).toBe("fails");
    },
  );
});
