import type { CompiledWorkflow } from "@tessera/core";
import { describe, expect, it } from "vitest";
import {
  checkWorkflowEvidence,
  type Dishonesty,
  type Gap,
  proveWorkflow,
  type WorkflowEvidence,
  type WorkflowObligationId,
} from "../src/index.ts";
import { line } from "./report-lines.ts";
import { end, gateway, human, loop, start, transform, workflow } from "./workflow-text.ts";

/** The checker's answer to evidence against an obligation. */
function verdictOn(compiled: CompiledWorkflow, id: WorkflowObligationId, evidence: WorkflowEvidence): string {
  const checked = checkWorkflowEvidence(compiled, { id, verdict: { kind: "fails", evidence } });
  return checked.kind === "valid" ? "valid" : checked.reason;
}

const UNTRUE = "the claim is not true of the workflow";

describe("[D8.9] the checker of workflow evidence refuses", () => {
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

  it("[D8.12] cycles that are none, are governed or wait for a person", () => {
    const nodes = [start, gateway("again"), human("ask", "more", "enough"), { id: "try", kind: "tool" }, end];
    const cyclic = workflow(nodes, [
      "start -> again",
      "again -> ask",
      "ask: more -> again",
      "ask: enough -> try",
      "try -> end",
      "try: error -> try",
    ]);
    expect(verdictOn(cyclic, "O7", { kind: "cycle", nodes: [3] })).toBe("valid");
    expect(verdictOn(cyclic, "O7", { kind: "cycle", nodes: [1, 2] })).toBe(UNTRUE);
    expect(verdictOn(cyclic, "O7", { kind: "cycle", nodes: [3, 4] })).toBe(UNTRUE);
    expect(verdictOn(cyclic, "O7", { kind: "cycle", nodes: [] })).toBe(UNTRUE);
    expect(verdictOn(loop(1), "O7", { kind: "cycle", nodes: [1, 2, 3] })).toBe(UNTRUE);
  });

  it("[D8.13] an honest loop called dishonest", () => {
    const claims: readonly Dishonesty[] = [
      { kind: "no-verifier", decision: 3 },
      { kind: "no-verifier", decision: 1 },
      { kind: "foreign-writer", decision: 3, node: 1 },
      { kind: "stale-path", decision: 3, path: [1, 2, 3] },
      { kind: "stale-path", decision: 3, path: [3] },
      { kind: "stale-path", decision: 3, path: [1, 3] },
      { kind: "no-human", decision: 3, path: [3, 4, 5] },
      { kind: "no-human", decision: 3, path: [3, 5] },
    ];
    for (const claim of claims) {
      expect([claim, verdictOn(loop(1), "O8", { kind: "dishonest", found: [claim] })]).toEqual([
        claim,
        UNTRUE,
      ]);
    }
    expect(verdictOn(loop(1), "O8", { kind: "dishonest", found: [] })).toBe(UNTRUE);
  });

  const crossed = workflow(
    [start, gateway("choose"), human("a"), human("b"), gateway("both", { join: "all" }), end],
    ["start -> choose", "choose -> a", "choose -> b", "a -> both", "b -> both", "both -> end"],
  );

  it("[D8.11] joins that can be reached, tokens that are not there, sets of another size", () => {
    const { verdict } = line(proveWorkflow(crossed), "O6");
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "join") throw new Error(verdict.kind);
    const { evidence } = verdict;
    expect(verdictOn(crossed, "O6", evidence)).toBe("valid");
    expect(verdictOn(crossed, "O6", { ...evidence, size: 2 })).toBe("not 2 markings");
    expect(verdictOn(crossed, "O6", { ...evidence, size: 30_000 })).toBe("30000 markings");
    expect(verdictOn(crossed, "O6", { ...evidence, node: 1 })).toMatch(/not an input of an AND join/);
    expect(verdictOn(crossed, "O6", { ...evidence, place: 0 })).toMatch(/not an input of an AND join/);
    const early = { ...evidence, run: { sequence: [], marking: crossed.net.initial } };
    expect(verdictOn(crossed, "O6", early)).toBe("no token waits there");
    expect(verdictOn(crossed, "O6", { ...evidence, run: { ...evidence.run, sequence: [0] } })).toMatch(
      /another marking/,
    );
    expect(verdictOn(crossed, "O5", evidence)).toMatch(/no evidence against O5/);
    const parallel = workflow(
      [
        start,
        gateway("fork", { split: "all" }),
        human("a"),
        human("b"),
        gateway("both", { join: "all" }),
        end,
      ],
      ["start -> fork", "fork -> a", "fork -> b", "a -> both", "b -> both", "both -> end"],
    );
    expect(line(proveWorkflow(parallel), "O6").verdict.kind).toBe("holds");
  });

  it("[D8.14] labels that do not differ", () => {
    const { net } = crossed;
    const at = net.places.findIndex(({ origin }) => origin?.kind === "end");
    const marking = net.places.map((_, place) => (place === at ? 1 : 0));
    const run = { sequence: [], marking: net.initial };
    const claim = (made: typeof run): WorkflowEvidence => ({
      kind: "two-labels",
      node: null,
      labels: ["done", "x"],
      run: made,
    });
    expect(verdictOn(crossed, "O12", claim(run))).toBe(UNTRUE);
    expect(verdictOn(crossed, "O12", claim({ ...run, marking }))).toMatch(/another marking/);
    expect(verdictOn(crossed, "O12", { kind: "unexpected", node: 2, workflow: "w", label: "x" })).toBe(
      UNTRUE,
    );
  });

  it("[D8.9] lines about the net by the checker of nets; what is read off the definition is not checked", () => {
    const support = { class: "enumerated", method: "by hand", states: 1 } as const;
    const answer = (
      id: WorkflowObligationId,
      verdict: Parameters<typeof checkWorkflowEvidence>[1]["verdict"],
    ) => {
      const checked = checkWorkflowEvidence(crossed, { id, verdict });
      return checked.kind === "valid" ? "valid" : `${checked.kind}: ${checked.reason}`;
    };
    const run = { sequence: [], marking: [] };
    for (const id of ["O1", "O2", "O3", "O4", "deadlock", "bounded"] as const) {
      expect(answer(id, { kind: "holds", evidence: support })).toBe("invalid: not 1 reachable markings");
      const evidence = { kind: "E1", run, finding: { kind: "deadlock" } } as const;
      expect(answer(id, { kind: "fails", evidence })).toBe("invalid: the run reaches another marking");
    }
    for (const id of ["O5", "O6", "O7", "O8", "O9", "O12"] as const)
      expect(answer(id, { kind: "holds", evidence: support })).toBe("unchecked: recomputable");
    for (const id of ["O1", "O5"] as const)
      expect(answer(id, { kind: "unknown", limit: { kind: "states", at: 1 } })).toBe("valid");
  });

  it("[D8.9] evidence of one obligation held against another", () => {
    const { verdict } = line(proveWorkflow(crossed), "O1");
    if (verdict.kind !== "fails") throw new Error(verdict.kind);
    expect(verdictOn(crossed, "O1", verdict.evidence)).toBe("valid");
    for (const id of ["O2", "O5", "O6", "O7", "O8", "O12"] as const) {
      expect(verdictOn(crossed, id, verdict.evidence)).toMatch(/no evidence against/);
    }
    expect(verdictOn(crossed, "O1", { kind: "cycle", nodes: [1] })).toMatch(/no evidence against O1/);
  });
});
