import { describe, expect, it } from "vitest";
import { checkWorkflowEvidence, proveWorkflow, proveWorkflowAsync } from "../src/index.ts";
import { failure, kinds, line } from "./report-lines.ts";
import { end, gateway, human, loop, start, transform, workflow } from "./workflow-text.ts";

describe("a workflow that owes nothing", () => {
  it("[D8.8] a sequence with a person is sound at the level of data", () => {
    const report = proveWorkflow(workflow([start, human("ask"), end], ["start -> ask", "ask -> end"]));
    expect(new Set(Object.values(kinds(report)))).toEqual(new Set(["holds"]));
    expect(report).toMatchObject({
      sound: true,
      complete: true,
      labels: ["done"],
      loops: { kind: "bounded", firingsMax: 3 },
    });
    expect(Object.fromEntries(report.obligations.map(({ id, level }) => [id, level]))).toEqual({
      O1: "data",
      O2: "data",
      O3: "net",
      O4: "data",
      O5: "data",
      O6: "net",
      O7: "data",
      O8: "data",
      O9: "data",
      O12: "data",
      deadlock: "net",
      bounded: "data",
    });
    expect(report.assumptions).toEqual([
      "every outcome of these nodes can occur: ask",
      "somebody is entitled to complete each work item of ask",
    ]);
    expect(report.fairness).toMatch(/strong fairness/);
  });

  it("[D8.8] [D8.13] a governed loop with its exits is sound, honest and bounded, for each budget", () => {
    for (const budget of [0, 1, 2, 5]) {
      const compiled = loop(budget);
      const report = proveWorkflow(compiled);
      expect([budget, new Set(Object.values(kinds(report)))]).toEqual([budget, new Set(["holds"])]);
      expect(report.labels).toEqual(["done", "failed"]);
      for (const found of report.obligations)
        expect(checkWorkflowEvidence(compiled, found).kind).not.toBe("invalid");
    }
  });

  it("[D8.9] the asynchronous proof gives the same report", async () => {
    const compiled = loop(2);
    expect(await proveWorkflowAsync(compiled)).toEqual(proveWorkflow(compiled));
  });

  it("[D8.4] a structured OR block: all generated variants count by node, outcome and arc", () => {
    const report = proveWorkflow(
      workflow(
        [start, gateway("s", { split: "or" }), human("a"), human("b"), gateway("j", { join: "or" }), end],
        ["start -> s", "s -> a", "s -> b", "a -> j", "b -> j", "j -> end"],
      ),
    );
    expect(report.sound).toBe(true);
    expect(kinds(report)).toMatchObject({ O3: "holds", O4: "holds", O6: "holds" });
  });
});

describe("faults of the net in words of the workflow", () => {
  it("[D8.2] [D8.11] [C20-24] [C20-28] an AND join after a choice: O1, O3 and O6 fail, in node ids", () => {
    const compiled = workflow(
      [start, gateway("choose"), human("a"), human("b"), gateway("both", { join: "all" }), end],
      ["start -> choose", "choose -> a", "choose -> b", "a -> both", "b -> both", "both -> end"],
    );
    expect(failure(compiled, "O1")).toMatchObject({
      level: "net",
      message:
        'after start: done, choose: done, a, a: done: the run cannot complete any more: a token on the way from "a" to "both"',
    });
    expect(failure(compiled, "O3").message).toBe('"both" is never reached; "end" is never reached');
    expect(failure(compiled, "O6")).toMatchObject({
      message: 'after start: done, choose: done, a, a: done: a token waits before "both" for ever',
      witness: { node: "both", place: "a->both" },
    });
    expect(failure(compiled, "deadlock").message).toMatch(/nothing can happen/);
  });

  it("[D8.3] [D8.5] [C20-28] a merge after an AND split: the end gets a second token", () => {
    const compiled = workflow(
      [
        start,
        gateway("fork", { split: "all" }),
        transform("a"),
        transform("b"),
        gateway("merge"),
        end,
        { id: "failed", kind: "end", meta: { outcome: "failed" } },
      ],
      [
        "start -> fork",
        "fork -> a",
        "fork -> b",
        "a -> merge",
        "b -> merge",
        "a: error -> failed",
        "b: error -> failed",
        "merge -> end",
      ],
    );
    expect(failure(compiled, "O2").message).toMatch(/a second token at "(?:end|failed)"$/);
    expect(failure(compiled, "O4").message).toMatch(/two tokens (?:on|at) /);
    expect(proveWorkflow(compiled).sound).toBe(false);
    expect(failure(compiled, "O12")).toMatchObject({
      witness: { kind: "two-labels", node: null, labels: ["done", "failed"] },
    });
  });

  it("[D8.11] a token that a terminate end clears does not wait for ever", () => {
    const compiled = workflow(
      [
        start,
        gateway("fork", { split: "all" }),
        human("a", "ok", "stop"),
        human("b"),
        gateway("both", { join: "all" }),
        end,
        { id: "halt", kind: "end", meta: { terminate: true } },
      ],
      [
        "start -> fork",
        "fork -> a",
        "fork -> b",
        "a: ok -> both",
        "a: stop -> halt",
        "b -> both",
        "both -> end",
      ],
    );
    const report = proveWorkflow(compiled);
    expect(report.class).toBe("reset");
    expect(kinds(report)).toMatchObject({ O1: "holds", O2: "holds", O3: "holds", O4: "holds", O6: "holds" });
  });

  it("[D8.9] limits leave O6 and the labels open", () => {
    const compiled = loop(3);
    const report = proveWorkflow(compiled, { limits: { statesMax: 3 } });
    expect(kinds(report)).toMatchObject({ O1: "unknown", O6: "unknown", O12: "unknown", O7: "holds" });
    expect(report.labels).toBeNull();
    expect(line(report, "O6").message).toBe("more than 3 markings");
  });
});
