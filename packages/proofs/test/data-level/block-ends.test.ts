/** @module What a checker reads of blocks that hold back: can their end be refused, can they hold nothing back (D23.10). */
import type { DataType, JsonObject, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { endsOf } from "../../src/certificate/data-ends.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { end, gateway, human, loop, start, transform, workflow } from "../workflow-text.ts";

const DATA: Readonly<Record<string, DataType>> = { tags: { type: "array" }, note: { type: "string" } };
const STAGED: JsonObject = { stage: true };
const MERGED: JsonObject = { merge: { tags: "append" } };
const BOTH: JsonObject = { stage: true, merge: { tags: "last" } };

type Writes = (node: string, outcome: string, key: string) => boolean;

/** The end of a block with `part` and a person who writes nothing as its branches. */
function endOf(
  meta: JsonObject,
  part: Omit<WorkflowNode, "id">,
  outcomes: readonly string[] = ["done"],
  writes: Writes = () => false,
) {
  const arcs = outcomes.map((outcome) => ({ from: "part", to: "merge", outcome }));
  const compiled = workflow(
    [
      start,
      gateway("split", { split: "all" }),
      { id: "part", ...part },
      { ...human("other"), writes: [] },
      gateway("merge"),
      gateway("join", { join: "all", meta }),
      end,
    ],
    [
      "start -> split",
      "split -> part",
      "split -> other",
      ...arcs,
      "merge -> join",
      "other -> join",
      "join -> end",
      "join: error -> end",
    ],
    DATA,
  );
  const { nodes } = compiled.definition;
  const found = endsOf(compiled, questionsOf(compiled).forms, (node, outcome, key) =>
    writes(nodes[node]!.id, outcome, key),
  );
  expect([...found.keys()].map((node) => nodes[node]!.id)).toEqual(["join"]);
  return [...found.values()][0]!;
}

const person = (more: Partial<WorkflowNode> = {}): Omit<WorkflowNode, "id"> => ({
  kind: "human",
  writes: [],
  ...more,
});
const { id: _, ...aFunction } = transform("part", { writes: [] });
const job = { kind: "tool", writes: [], meta: {} };
const decision = { kind: "decision", meta: { key: "note", branches: { a: "odd" } } };
const ERRS = ["done", "error"];

describe("[D23.10] the end of a block that holds back", () => {
  it.each([
    ["people propose nothing", STAGED, person(), ["done"], false],
    ["a function in the turn may propose", STAGED, aFunction, ERRS, true],
    ["a job may propose", STAGED, job, ERRS, true],
    ["a decision proposes nothing", STAGED, decision, ["odd", "error"], false],
    ["what is proposed is not held back where only keys are", MERGED, aFunction, ERRS, false],
    ["nor is what a job proposes", MERGED, job, ERRS, false],
  ] as const)("[D23.10] %s", (_name, meta, part, outcomes, mayRefuse) => {
    expect(endOf(meta, part, outcomes).mayRefuse).toBe(mayRefuse);
  });

  it("[D23.10] a merged key may not be merged: if a branch may write it under one of its outcomes", () => {
    const asked = person({ meta: { outcomes: ["yes", "no"] } });
    const outcomes = ["yes", "no"];
    const under =
      (outcome: string, key: string): Writes =>
      (node, label, written) =>
        node === "part" && label === outcome && written === key;
    for (const meta of [MERGED, BOTH]) {
      expect(endOf(meta, asked, outcomes, under("no", "tags")).mayRefuse).toBe(true);
      expect(endOf(meta, asked, outcomes, under("yes", "tags")).mayRefuse).toBe(true);
      expect(endOf(meta, asked, outcomes, under("yes", "note")).mayRefuse).toBe(false);
      expect(endOf(meta, asked, outcomes).mayRefuse).toBe(false);
    }
    expect(endOf(STAGED, asked, outcomes, under("no", "tags")).mayRefuse).toBe(false);
  });

  it("[D23.10] nothing is held back only if no form asks for a merged key", () => {
    const form = (fields: JsonObject) => person({ writes: ["tags", "note"], meta: { form: fields } });
    const free = (meta: JsonObject, fields: JsonObject) => endOf(meta, form(fields)).isFree;
    const [tags, note] = [{ type: "array" }, { type: "string" }];
    for (const meta of [MERGED, BOTH]) {
      expect(free(meta, { tags })).toBe(false);
      expect(free(meta, { tags: { ...tags, optional: true } })).toBe(true);
      expect(free(meta, { note })).toBe(true);
      expect(free(meta, { note, tags })).toBe(false);
      expect(endOf(meta, person()).isFree).toBe(true);
    }
    expect(free(STAGED, { tags })).toBe(true);
  });

  it("[D23.10] a loop holds back what its body proposes; its verifier and its decision propose nothing", () => {
    const ends = (draft: Partial<WorkflowNode>) => {
      const compiled = loop(2, (nodes, arcs) => {
        const at = (id: string) => nodes.findIndex((node) => node.id === id);
        const { meta = {}, ...decide } = nodes[at("decide")]!;
        nodes[at("decide")] = { ...decide, meta: { loop: { ...(meta["loop"] as JsonObject), stage: true } } };
        nodes[at("draft")] = { ...nodes[at("draft")]!, ...draft };
        if (draft.kind === "human") arcs.splice(arcs.indexOf("draft: error -> failed"), 1);
      });
      return [...endsOf(compiled, questionsOf(compiled).forms, () => true)];
    };
    // The decision is the fourth node.
    expect(ends({})).toEqual([[3, { mayRefuse: true, isFree: true }]]);
    expect(ends({ kind: "human" })).toEqual([[3, { mayRefuse: false, isFree: true }]]);
  });
});
