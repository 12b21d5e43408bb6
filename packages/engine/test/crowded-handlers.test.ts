/** @module Two tokens that rest at one node beside the runs that handle its events. */
import type { Arc, WorkflowDefinition } from "@tessera/core";
import { checkDataLines, proveWorkflow } from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { falsehoods } from "./data-falsehoods.ts";
import { compiledOf } from "./data-worlds.ts";
import { flow } from "./definitions.ts";
import { seenByStep } from "./step-oracle.ts";

const c = (value: string): Partial<Arc> => ({ guard: { key: "c", op: "is", value } });
const HANDLER = {
  id: "e",
  on: "message",
  name: "m",
  interrupting: false,
  workflow: "h",
  outputs: { c: "v" },
};

/**
 * Two tokens rest at `wait`, and both are gone behind `join`; then `reset` makes c a z, and only if a handler makes it an
 * "a" and another one a "b" no arc leaves `last`.
 */
const crowded: WorkflowDefinition = flow(
  "w",
  [
    ["start", "start"],
    ["split", "gateway", {}, { split: "all" }],
    ["left", "gateway"],
    ["right", "gateway"],
    ["both", "gateway"],
    ["wait", "human", { outcomes: ["p", "q"], events: [HANDLER] }, { writes: ["c"] }],
    ["join", "gateway", {}, { join: "all" }],
    ["reset", "human", { form: { c: { type: "string", values: ["z"] } } }, { writes: ["c"] }],
    ["first", "human", {}, { writes: [] }],
    ["last", "human", {}, { writes: [] }],
    ["end", "end"],
  ],
  [
    ["start", "split"],
    ["split", "left"],
    ["split", "right"],
    ["left", "both"],
    ["right", "both"],
    ["both", "wait"],
    ["wait", "join", "p"],
    ["wait", "join", "q"],
    ["join", "reset"],
    ["reset", "first"],
    ["first", "last", undefined, c("a")],
    ["first", "end", undefined, { default: true }],
    ["last", "end", undefined, c("a")],
    ["last", "end", undefined, c("z")],
  ],
  { data: { c: { type: "string", values: ["a", "b", "z"] } } },
);

describe("[D23.9] two tokens beside handlers", () => {
  it("[D23.9] what is said of it is what every run of the real step shows", () => {
    const compiled = compiledOf(crowded);
    const seen = seenByStep(compiled, { c: ["a", "b", "z"] }, 5_000);
    expect(seen).toMatchObject({ hasGap: true, isUnsafe: true });
    const report = proveWorkflow(compiled, { level: "data" }).data!;
    expect(falsehoods(compiled, report, seen!)).toEqual([]);
    expect(report.obligations.find(({ id }) => id === "O4")?.verdict.kind).toBe("fails");
    expect(checkDataLines(compiled, report.obligations).every(({ kind }) => kind === "valid")).toBe(true);
  });

  it("[D23.9] nothing is said to hold where they await events that are no handlers': the second is failed by one", () => {
    const beside = { id: "e", on: "message", name: "m", interrupting: false, payload: { c: "v" } };
    const events = flow(
      "w",
      [
        ["start", "start"],
        ["split", "gateway", {}, { split: "all" }],
        ["left", "gateway"],
        ["right", "gateway"],
        ["both", "gateway"],
        ["wait", "human", { events: [beside] }, { writes: ["c"] }],
        ["side", "end"],
        ["end", "end"],
      ],
      [
        ["start", "split"],
        ["split", "left"],
        ["split", "right"],
        ["left", "both"],
        ["right", "both"],
        ["both", "wait"],
        ["wait", "end"],
        ["wait", "side", "e"],
        ["wait", "end", "error", c("a")],
        ["wait", "end", "error", { default: true }],
      ],
      { data: { c: { type: "string", values: ["a", "b", "z"] } } },
    );
    const compiled = compiledOf(events);
    const seen = seenByStep(compiled, { c: ["a", "b", "z"] }, 5_000)!;
    expect(seen).toMatchObject({ hasGap: true, isUnsafe: true });
    const report = proveWorkflow(compiled, { level: "data" }).data!;
    expect(falsehoods(compiled, report, seen)).toEqual([]);
    expect(report.obligations.find(({ id }) => id === "O5")?.verdict).toEqual({
      kind: "unknown",
      limit: { kind: "method", reason: 'two tokens may rest at "wait", which awaits events beside them' },
    });
    expect(checkDataLines(compiled, report.obligations).every(({ kind }) => kind === "valid")).toBe(true);
    const evidence = { class: "enumerated", method: "product of net and data", states: 1 } as const;
    expect(checkDataLines(compiled, [{ id: "O5", verdict: { kind: "holds", evidence } }])).toEqual([
      { kind: "unchecked", reason: "two tokens rest where events are awaited beside them" },
    ]);
  });
});
