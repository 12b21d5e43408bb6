/** @module The checker of gaps in routing: each on data judged by hand, and its forgeries. */
import type { Arc, CompiledWorkflow, Data, DataType } from "@tessera/core";
import { describe, expect, it } from "vitest";
import {
  checkWorkflowEvidence,
  type Gap,
  type WorkflowEvidence,
  type WorkflowObligationId,
} from "../../src/index.ts";
import { end, start, transform, workflow } from "../workflow-text.ts";

/** The checker's answer to evidence against an obligation. */
function verdictOn(compiled: CompiledWorkflow, id: WorkflowObligationId, evidence: WorkflowEvidence): string {
  const checked = checkWorkflowEvidence(compiled, { id, verdict: { kind: "fails", evidence } });
  return checked.kind === "valid" ? "valid" : checked.reason;
}

const UNTRUE = "the claim is not true of the workflow";

describe("[D8.9] [D8.10] the checker of gaps refuses", () => {
  const routed = workflow(
    [start, transform("n", { meta: { outcomes: ["go", "stay"] } }), end],
    [
      "start -> n",
      "n: error -> end",
      "n: stay -> end",
      { from: "n", to: "end", outcome: "go", guard: { key: "x", op: "is", value: 1 } },
    ],
  );

  it("[D8.10] gaps that are none", () => {
    const node = 1;
    const gap = (more: Partial<Gap>): WorkflowEvidence => ({
      kind: "gaps",
      gaps: [{ kind: "no-true-arc", node, outcome: "go", data: { x: 2 }, trouble: null, ...more } as Gap],
    });
    expect(verdictOn(routed, "O5", gap({}))).toBe("valid");
    expect(verdictOn(routed, "O5", gap({ data: { x: 1 } } as Partial<Gap>))).toBe(UNTRUE);
    expect(verdictOn(routed, "O5", gap({ outcome: "stay" }))).toBe(UNTRUE);
    expect(verdictOn(routed, "O5", gap({ kind: "no-arc" }))).toBe(UNTRUE);
    expect(verdictOn(routed, "O5", gap({ outcome: "other" }))).toBe(UNTRUE);
    expect(verdictOn(routed, "O5", { kind: "gaps", gaps: [] })).toBe(UNTRUE);
    const [good, bad] = [gap({}), gap({ outcome: "stay" })];
    if (good.kind !== "gaps" || bad.kind !== "gaps") throw new Error("gaps");
    expect(verdictOn(routed, "O5", { kind: "gaps", gaps: [...good.gaps, ...bad.gaps] })).toBe(UNTRUE);
    expect(verdictOn(routed, "O7", gap({}))).toMatch(/no evidence against O7/);
  });

  /** Routing from `n` under go along these arcs, all to the end. */
  const routing = (arcs: readonly Omit<Arc, "from" | "to">[], data?: Readonly<Record<string, DataType>>) =>
    workflow(
      [start, transform("n", { meta: { outcomes: ["go"] } }), end],
      [
        "start -> n",
        "n: error -> end",
        ...arcs.map((arc) => ({ ...arc, from: "n", to: "end", outcome: "go" })),
      ],
      data,
    );
  const noArcOn = (compiled: CompiledWorkflow, data: Data, trouble: string | null = null) =>
    verdictOn(compiled, "O5", {
      kind: "gaps",
      gaps: [{ kind: "no-true-arc", node: 1, outcome: "go", data, trouble }],
    });

  it("[D8.10] gaps on data that do not fit the declarations", () => {
    const is = (key: string, value: boolean | number) => ({ guard: { key, op: "is", value } }) as const;
    const either = routing([is("x", true), is("x", false)], { x: { type: "boolean" } });
    expect(noArcOn(either, {})).toBe(UNTRUE);
    expect(noArcOn(either, { x: 3 })).toBe(UNTRUE);
    const listed = routing([is("x", 1), is("x", 2)], { x: { type: "number", values: [1, 2] } });
    expect(noArcOn(listed, { x: 3 })).toBe(UNTRUE);
    // One that is declared and not read may be left out, and no other may be there with a value that it cannot have.
    const one = routing([is("x", 1)], { x: { type: "number" }, y: { type: "string" } });
    expect(noArcOn(one, { x: 2 })).toBe("valid");
    expect(noArcOn(one, { x: 2, y: "", z: null })).toBe("valid");
    expect(noArcOn(one, { x: 2, y: 1 })).toBe(UNTRUE);
    const below = { guard: { key: "x", path: ["b"], op: "is", value: 1 } } as const;
    const inside = routing([below], { x: { type: "object" } });
    expect(noArcOn(inside, { x: {} })).toBe("valid");
    expect(noArcOn(inside, { x: { b: 1 } })).toBe(UNTRUE);
    expect(noArcOn(inside, {})).toBe(UNTRUE);
    const two = { guard: { key: "x", op: "lessThan", valueOf: "y" } } as const;
    const compared = routing([two], { y: { type: "number" } });
    expect(noArcOn(compared, { x: 1, y: 0 })).toBe("valid");
    expect(noArcOn(compared, { x: 1 }, "lessThan needs number, but y has no value there.")).toBe(UNTRUE);
  });

  it("[D8.10] gaps that come from guards nobody computes, or that a default arc excuses", () => {
    const opaque = { guard: { predicate: "good" } } as const;
    const less = { guard: { key: "x", op: "lessThan", value: 1 } } as const;
    const trouble = "lessThan needs number, but x is of type string.";
    expect(noArcOn(routing([opaque]), {})).toBe(UNTRUE);
    expect(noArcOn(routing([opaque, { default: true }]), {})).toBe(UNTRUE);
    expect(noArcOn(routing([{ guard: { language: "feel", text: "x" } }]), {})).toBe(UNTRUE);
    expect(noArcOn(routing([less]), { x: "s" }, trouble)).toBe("valid");
    expect(noArcOn(routing([less, { default: true }]), { x: "s" }, trouble)).toBe(UNTRUE);
    expect(noArcOn(routing([less, { default: true }]), { x: 2 })).toBe(UNTRUE);
    const typed = routing([less, { default: true }], { x: { type: "string" } });
    expect(noArcOn(typed, { x: "s" }, trouble)).toBe("valid");
    // What is asked only if a predicate is false refutes nothing; what is asked before it does.
    expect(noArcOn(routing([opaque, less]), { x: "s" }, trouble)).toBe(UNTRUE);
    expect(noArcOn(routing([less, opaque]), { x: "s" }, trouble)).toBe("valid");
    expect(noArcOn(routing([less, opaque]), { x: 2 })).toBe(UNTRUE);
  });

  it("[D8.10] gaps with another trouble than there is", () => {
    const less = routing([{ guard: { key: "x", op: "lessThan", value: 1 } }]);
    expect(noArcOn(less, {}, "lessThan needs number, but x has no value there.")).toBe("valid");
    expect(noArcOn(less, {}, "lessThan needs number, but x is of type string.")).toBe(UNTRUE);
    expect(noArcOn(less, {})).toBe(UNTRUE);
    expect(noArcOn(less, { x: 1 })).toBe("valid");
    expect(noArcOn(less, { x: 1 }, "")).toBe(UNTRUE);
  });
});
