import type { ConditionData, DataType, Json } from "@tessera/core";
import { describe, expect, it } from "vitest";
import type { DataObligationId, DataReport } from "../../src/index.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";
import { merging } from "./evidence-flows.ts";
import { proveOnData as prove } from "./prove-on-data.ts";

const lineOf = (report: DataReport, id: DataObligationId) =>
  report.obligations.find((line) => line.id === id);
const kinds = (report: DataReport) =>
  Object.fromEntries(report.obligations.map(({ id, verdict }) => [id, verdict.kind]));

describe("[D23.5] calls and blocks on their data", () => {
  it("[D23.8] several instances: without a list the call errs, without members it is done at once", () => {
    const ERRS = ["each: error -> end", "each: cancelled -> end"];
    const over = (data?: Readonly<Record<string, DataType>>, more: readonly string[] = []) =>
      workflow(
        [
          start,
          {
            id: "each",
            kind: "subprocess",
            meta: { workflow: "w", multi: { mode: "sequential", collection: "items" } },
          },
          end,
        ],
        ["start -> each", "each -> end", ...more],
        data,
      );
    const undeclared = prove(over());
    expect(lineOf(undeclared, "O5")?.message).toContain('no arc of "each" under "error" can be taken');
    expect(kinds(prove(over(undefined, ERRS)))).toMatchObject({
      O1: "holds",
      O3: "holds",
      O5: "holds",
    });
    const listed = prove(over({ items: { type: "array" } }, ERRS));
    expect(kinds(listed)).toMatchObject({ O1: "holds", O5: "holds", deadlock: "holds" });
    expect(listed.assumptions.join()).toContain(
      "no list has more members than there may be instances: items",
    );
  });

  it("[D23.3] a mapping of every key writes every key, one of every key to a single one writes none", () => {
    const calling = (outputs: Readonly<Record<string, string>>) =>
      workflow(
        [
          start,
          { ...human("ask"), meta: { form: { x: { type: "number", values: [1] } } } },
          { id: "call", kind: "subprocess", meta: { workflow: "w", outputs } },
          gateway("go"),
          end,
        ],
        [
          "start -> ask",
          "ask -> call",
          "call -> go",
          "call: error -> go",
          "call: cancelled -> go",
          { from: "go", to: "end", guard: { key: "x", op: "is", value: 1 } },
        ],
        { x: { type: "number" } },
      );
    expect(lineOf(prove(calling({ "*": "*" })), "O5")?.verdict.kind).toBe("fails");
    expect(lineOf(prove(calling({ "*": "v" })), "O5")?.verdict.kind).toBe("holds");
    expect(lineOf(prove(calling({ "*": "v", x: "v" })), "O5")?.verdict.kind).toBe("fails");
  });

  it("[D23.8] a list that may change under sequential instances: whether all are done is not told", () => {
    const beside = (mode: string, writes: readonly string[]) =>
      workflow(
        [
          start,
          gateway("split", { split: "all" }),
          { id: "each", kind: "subprocess", meta: { workflow: "w", multi: { mode, collection: "items" } } },
          { ...human("ask"), writes },
          human("repair"),
          gateway("merge"),
          gateway("join", { join: "all" }),
          end,
        ],
        [
          "start -> split",
          "split -> each",
          "split -> ask",
          "each -> merge",
          "each: error -> repair",
          "each: cancelled -> repair",
          "repair -> merge",
          "merge -> join",
          "ask -> join",
          "join -> end",
        ],
        { items: { type: "array" } },
      );
    expect(kinds(prove(beside("parallel", ["items"])))).toMatchObject({ O1: "holds", O3: "holds" });
    expect(kinds(prove(beside("sequential", [])))).toMatchObject({ O1: "holds", O3: "holds" });
    expect(kinds(prove(beside("sequential", ["items"])))).toMatchObject({ O1: "holds", O5: "holds" });
  });

  it.each([
    ["R/PT1H", "holds"],
    ["R/2026-01-01/PT1H", "holds"],
    ["R/2026-01-01/2026-01-02", "holds"],
    ["R/PT1H/2026-02-01", "unknown"],
    ["R9/PT1H", "unknown"],
  ])("[D23.9] [D9.7] what a handler of %s alone brings about: O1 %s", (cycle, kind) => {
    const event = { id: "look", on: "timer", cycle, interrupting: false, workflow: "h", outputs: { x: "v" } };
    const waits = workflow(
      [
        start,
        { ...human("ask"), writes: ["x", "note"], meta: { events: [event], form: { note: "string" } } },
        end,
      ],
      ["start -> ask", { from: "ask", to: "end", guard: { key: "x", op: "greaterThan", value: 0 } }],
      { x: { type: "number" } },
    );
    expect(kinds(prove(waits))).toMatchObject({ O1: kind });
  });

  const asking = (more: Readonly<Record<string, Json>>, guard: ConditionData) =>
    workflow(
      [start, { ...human("ask"), writes: ["x", "note"], meta: { form: { note: "string" }, ...more } }, end],
      ["start -> ask", { from: "ask", to: "end", guard }],
      { x: { type: "number" }, y: { type: "number" } },
    );
  const handled = (more: Readonly<Record<string, Json>>) => ({
    events: [{ id: "look", interrupting: false, workflow: "h", outputs: { x: "v" }, ...more }],
  });

  it("[D23.5] [D23.9] no deadlock is said to be out of reach where times may have passed, or an open condition may refuse", () => {
    const positive = { key: "x", op: "greaterThan", value: 0 } as const;
    const deadlockOf = (more: Readonly<Record<string, Json>>, guard: ConditionData) =>
      kinds(prove(asking(more, guard))).deadlock;
    expect(deadlockOf({}, positive)).toBe("fails");
    expect(deadlockOf(handled({ on: "timer", cycle: "R/PT1H" }), positive)).toBe("holds");
    expect(deadlockOf(handled({ on: "timer", cycle: "R9/PT1H" }), positive)).toBe("unknown");
    expect(deadlockOf({}, { predicate: "isGood" })).toBe("unknown");
  });

  it("[D23.6] [D23.9] a run that rests beside its handlers is accepted as one that cannot complete", () => {
    const never = {
      all: [
        { key: "y", op: "greaterThan", value: 0 },
        { key: "x", op: "greaterThan", value: 0 },
      ],
    };
    const report = prove(asking(handled({ on: "message", name: "m" }), never as unknown as ConditionData));
    expect(kinds(report)).toMatchObject({ O1: "fails", deadlock: "holds" });
  });

  it("[D23.10] what a staged block holds back may be refused at its end, and no run shows that", () => {
    const staged = (kind: string) =>
      workflow(
        [
          start,
          gateway("a", { split: "all" }),
          { id: "l", kind, meta: {} },
          gateway("m"),
          human("r"),
          gateway("j", { join: "all", meta: { stage: true } }),
          end,
          human("repair"),
        ],
        [
          "start -> a",
          "a -> l",
          "a -> r",
          "l -> m",
          ...(kind === "tool" ? ["l: error -> m"] : []),
          "m -> j",
          "r -> j",
          "j -> end",
          "j: error -> repair",
          "repair -> end",
        ],
      );
    expect(kinds(prove(staged("tool")))).toMatchObject({
      O1: "holds",
      O2: "holds",
      O3: "unknown",
      O5: "holds",
    });
    const people = prove(staged("human"));
    expect(kinds(people)).toMatchObject({ O1: "holds", O3: "holds", O5: "holds" });
    expect(people.assumptions).toContain('"repair" is there for an error only');
  });

  it("[D23.10] a key that a block merges and a guard asks for is named, and nothing is decided", () => {
    const report = prove(merging({ key: "x", op: "atLeast", value: 0 }));
    expect(new Set(Object.values(kinds(report)))).toEqual(new Set(["unknown"]));
    expect(report.obligations[0]?.message).toContain(
      '"j" merges what its branches write to "x", and a condition asks for it',
    );
    expect(kinds(prove(merging({ key: "other", op: "atLeast", value: 0 })))).toMatchObject({
      O1: "holds",
      O3: "unknown",
      O5: "holds",
    });
  });
});
