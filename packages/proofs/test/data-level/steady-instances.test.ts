/** @module When a call of several instances can be relied on to end under done: what its condition asks, who writes its list. */
import type { CompiledWorkflow, JsonObject, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { frameOf } from "../../src/certificate/data-frame.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

const call = (multi: JsonObject): WorkflowNode => ({
  id: "each",
  kind: "subprocess",
  meta: { workflow: "w", multi },
});
const ERRS = ["each: error -> merge", "each: cancelled -> merge", "each -> merge"];

function isSteady(compiled: CompiledWorkflow): boolean {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  const node = compiled.definition.nodes.findIndex(({ id }) => id === "each");
  return frameOf(compiled, found.domain).several.get(node)!.isSteady;
}

/** The call alone, between start and end. */
const alone = (multi: JsonObject) =>
  workflow([start, call(multi), gateway("merge"), end], ["start -> each", ...ERRS, "merge -> end"], {
    x: { type: "number" },
  });

describe("[D23.8] a condition of completion", () => {
  const asking = (completion: JsonObject, more: JsonObject = { collection: "items" }) =>
    isSteady(alone({ mode: "parallel", ...more, completion }));
  const done = { key: "numberOfCompletedInstances", op: "atLeast", value: 1 };
  const open = { predicate: "open" };

  it.each<readonly [what: string, completion: JsonObject]>([
    ["an equality", { key: "x", op: "is", value: 1 }],
    ["an inequality with another key", { key: "x", op: "isNot", valueOf: "y" }],
    ["whether a key is assigned", { key: "x", op: "isAssigned" }],
    ["how many are done", done],
    ["how many there are", { key: "numberOfInstances", op: "greaterThan", value: 1 }],
    ["how many are active", { key: "numberOfActiveInstances", op: "lessThan", value: 1 }],
    ["how many were terminated", { key: "numberOfTerminatedInstances", op: "atMost", value: 1 }],
    ["one count against another", { ...done, value: undefined as never, valueOf: "numberOfInstances" }],
    ["not, of what has an answer", { not: done }],
    ["all of what have answers", { all: [done, { key: "x", op: "is", value: 1 }] }],
    ["any of what have answers", { any: [done, { key: "x", op: "is", value: 1 }] }],
  ])("[D23.8] always has an answer that asks %s", (_, completion) => {
    expect(asking(JSON.parse(JSON.stringify(completion)) as JsonObject)).toBe(true);
  });

  it.each<readonly [what: string, completion: JsonObject]>([
    ["the order of a key", { key: "x", op: "greaterThan", value: 0 }],
    ["the order of a count and a text", { ...done, value: "1" }],
    ["the order of a count and a key", { key: "numberOfInstances", op: "atLeast", valueOf: "x" }],
    ["the order of a key and a count", { key: "x", op: "atLeast", valueOf: "numberOfInstances" }],
    ["a part of what is named as a count", { ...done, path: ["part"] }],
    ["whether a count contains something", { ...done, op: "contains" }],
    ["one of some", { key: "x", op: "isOneOf", value: [1] }],
    ["a predicate", open],
    ["not a predicate", { not: open }],
    ["all, one of which is a predicate", { all: [done, open] }],
    ["any, one of which is a predicate", { any: [done, open] }],
  ])("[D23.8] may have no answer that asks %s", (_, completion) => {
    expect(asking(completion)).toBe(false);
  });

  it("[D23.8] is not asked where there is none, or one instance at most", () => {
    expect(isSteady(alone({ mode: "parallel", collection: "items" }))).toBe(true);
    for (const count of [0, 1]) expect(asking(open, { count })).toBe(true);
    expect(asking(open, { count: 2 })).toBe(false);
  });
});

describe("[D23.8] the list of instances that come one after the other", () => {
  const LIST = { mode: "sequential", collection: "items" };
  const writer = (more: Partial<WorkflowNode> = {}): WorkflowNode => ({
    ...human("ask"),
    writes: ["items"],
    ...more,
  });
  const beside = (other: WorkflowNode, multi: JsonObject = LIST) =>
    isSteady(
      workflow(
        [
          start,
          gateway("split", { split: "all" }),
          call(multi),
          other,
          gateway("merge"),
          gateway("join", { join: "all" }),
          end,
        ],
        [
          "start -> split",
          "split -> each",
          `split -> ${other.id}`,
          ...ERRS,
          "merge -> join",
          `${other.id} -> join`,
          "join -> end",
        ],
      ),
    );
  const inARow = (...ids: readonly string[]) => {
    const way = ids.flatMap((id, at) => {
      const next = ids[at + 1] ?? "end";
      return id === "each" ? [...ERRS, `merge -> ${next}`] : [`${id} -> ${next}`];
    });
    return isSteady(
      workflow([start, call(LIST), writer(), gateway("merge"), end], [`start -> ${ids[0]}`, ...way]),
    );
  };

  it("[D23.8] stays as it is where nobody writes it meanwhile", () => {
    expect(isSteady(alone(LIST))).toBe(true);
    expect(beside({ ...human("ask"), writes: ["other"] })).toBe(true);
    expect(inARow("ask", "each")).toBe(true);
    expect(inARow("each", "ask")).toBe(true);
  });

  it("[D23.8] may change where somebody can write it while the token rests", () => {
    expect(beside(writer())).toBe(false);
    expect(beside(human("ask"))).toBe(false);
    const form = { items: { type: "array" }, size: { type: "number" } };
    expect(beside(writer({ meta: { form } }))).toBe(false);
    const { items: _, ...other } = form;
    expect(beside(writer({ meta: { form: other } }))).toBe(true);
  });

  it("[D23.8] may change by the handler of an event, wherever it is", () => {
    const event = { id: "up", on: "message", name: "m", interrupting: false, workflow: "h" };
    const handled = (outputs: JsonObject): WorkflowNode => ({
      ...human("ask"),
      writes: ["items", "note"],
      meta: { events: [{ ...event, outputs }], form: { note: { type: "string", optional: true } } },
    });
    expect(beside(handled({ items: "v" }))).toBe(false);
    expect(beside(handled({ other: "v" }))).toBe(true);
    const before = isSteady(
      workflow(
        [start, handled({ items: "v" }), call(LIST), gateway("merge"), end],
        ["start -> ask", "ask -> each", ...ERRS, "merge -> end"],
      ),
    );
    expect(before).toBe(false);
  });

  it("[D23.8] changes nothing that its own end writes, and nothing where all begin at once, or are counted", () => {
    expect(beside({ ...human("ask"), writes: [] }, { ...LIST, result: "r", results: "items" })).toBe(true);
    expect(beside(writer(), { mode: "parallel", collection: "items" })).toBe(true);
    expect(beside(writer(), { mode: "sequential", count: 2 })).toBe(true);
  });
});
