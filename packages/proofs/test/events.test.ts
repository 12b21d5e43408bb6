/** @module Proofs of workflows with events: races, scopes that are emptied, paths beside a wait. */
import type { JsonObject, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkWorkflowEvidence, proveWorkflow } from "../src/index.ts";
import { failure, kinds } from "./report-lines.ts";
import { end, gateway, human as person, workflow } from "./workflow-text.ts";

/** A person who reads nothing and writes a key of their own: nobody is in their way. */
const human = (id: string): WorkflowNode => ({ ...person(id), reads: [], writes: [id] });

const late: JsonObject = { id: "late", on: "timer", duration: "P1D" };
const remind: JsonObject = { id: "remind", on: "timer", duration: "PT1H", interrupting: false };
const halt: JsonObject = { id: "halt", on: "signal", name: "halt" };
const withEvents = (
  id: string,
  kind: string,
  events: readonly JsonObject[],
  meta: JsonObject = {},
): WorkflowNode => ({
  id,
  reads: [],
  writes: [id],
  kind,
  meta: { ...meta, events: [...events] },
});
const inScope = (node: WorkflowNode): WorkflowNode => ({ ...node, scope: "s" });
const scope = (...events: readonly JsonObject[]) => [
  withEvents("s", "subprocess", events, { entry: "split" }),
  inScope(gateway("split", { split: "all" })),
  inScope(human("a")),
  inScope(human("b")),
  inScope(gateway("both", { join: "all" })),
  inScope({ id: "in", kind: "end" }),
];
const CONTENT = ["split -> a", "split -> b", "a -> both", "b -> both", "both -> in"];

describe("[D17.5] [D8.8] proofs of events", () => {
  it("[D17.5] an event-based gateway owes an arc for each of its events, and is sound with them", () => {
    const nodes = [withEvents("g", "catch", [late, halt]), end, { id: "other", kind: "end" }];
    const sound = proveWorkflow(workflow(nodes, ["g: late -> end", "g: halt -> other"]));
    expect(new Set(Object.values(kinds(sound)))).toEqual(new Set(["holds"]));
    expect(sound.assumptions).toEqual([
      "every outcome of these nodes can occur: g",
      "time is not modelled: a timer or deadline may come before or after anything else",
    ]);
    const gap = failure(workflow(nodes.slice(0, 2), ["g: late -> end"]), "O5");
    expect(gap.message).toBe('no arc leaves "g" under "halt"');
  });

  it("[D17.9] a subprocess that an event empties is sound, and each way out is alive", () => {
    const nodes = [...scope(late, halt), end, { id: "stopped", kind: "end" }];
    const compiled = workflow(nodes, [...CONTENT, "s -> end", "s: late -> stopped", "s: halt -> stopped"]);
    const report = proveWorkflow(compiled);
    expect(report.class).toBe("reset");
    expect(new Set(Object.values(kinds(report)))).toEqual(new Set(["holds"]));
    for (const found of report.obligations)
      expect(checkWorkflowEvidence(compiled, found).kind).not.toBe("invalid");
  });

  it("[D17.2] [D17.9] beside a task and beside a subprocess: sound and 1-safe, with both ends or one", () => {
    const task = workflow(
      [withEvents("n", "human", [remind, late]), human("r"), end, { id: "note", kind: "end" }],
      ["n -> end", "n: late -> end", "n: remind -> r", "r -> note"],
    );
    const whole = workflow(
      [...scope(remind, late), human("r"), end, { id: "note", kind: "end" }],
      [...CONTENT, "s -> end", "s: late -> end", "s: remind -> r", "r -> note"],
    );
    for (const compiled of [task, whole]) {
      const report = proveWorkflow(compiled);
      expect(new Set(Object.values(kinds(report)))).toEqual(new Set(["holds"]));
      expect(report.labels).toEqual(["done"]);
    }
  });

  it("[D17.2] a reminder that comes back to the end of its task is a second token there: O2 fails", () => {
    const compiled = workflow([withEvents("n", "human", [remind]), end], ["n -> end", "n: remind -> end"]);
    expect(failure(compiled, "O2").message).toBe(
      'after n, n: remind, end: done, n: done, end: done: a second token at "end"',
    );
  });

  it("[D17.3] an escalation beside its subprocess", () => {
    const compiled = workflow(
      [
        withEvents("s", "subprocess", [{ id: "up", on: "escalation", name: "E", interrupting: false }], {
          entry: "t",
        }),
        inScope({ id: "t", kind: "throw", meta: { on: "escalation", name: "E" } }),
        inScope({ id: "in", kind: "end" }),
        human("boss"),
        end,
        { id: "told", kind: "end" },
      ],
      ["t -> in", "s -> end", "s: up -> boss", "boss -> told"],
    );
    expect(new Set(Object.values(kinds(proveWorkflow(compiled))))).toEqual(new Set(["holds"]));
  });

  it("[D17.6] a handler is a called workflow beside the net: its bound is stated", () => {
    const ask = { id: "ask", on: "message", name: "q", interrupting: false, workflow: "answer", openMax: 3 };
    const report = proveWorkflow(workflow([withEvents("n", "human", [ask]), end], ["n -> end"]));
    expect(new Set(Object.values(kinds(report)))).toEqual(new Set(["holds"]));
    expect(report.assumptions).toContain(
      "at most 3 runs of answer handle ask of n at a time, and each of them ends",
    );
  });
});
