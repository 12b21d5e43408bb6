import {
  acyclicConstraint,
  type CompiledWorkflow,
  enabledTransitions,
  fire,
  type WorkflowNode,
} from "@tessera/core";
import { orJoinRules } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import {
  checkWorkflowEvidence,
  type Dishonesty,
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
    expect(verdictOn(cyclic, "O5", { kind: "cycle", nodes: [3] })).toBe("cycle is no evidence against O5");
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
      { kind: "no-human", decision: 3, path: [99, 5] },
      { kind: "no-human", decision: 3, path: [4, 5] },
      { kind: "no-human", decision: 3, path: [] },
    ];
    for (const claim of claims) {
      expect([claim, verdictOn(loop(1), "O8", { kind: "dishonest", found: [claim] })]).toEqual([
        claim,
        UNTRUE,
      ]);
    }
    expect(verdictOn(loop(1), "O8", { kind: "dishonest", found: [] })).toBe(UNTRUE);
    const unverified = loop(1, (nodes) => {
      nodes[2] = transform("verify");
    });
    const [fault, none] = claims;
    const found = (...list: (Dishonesty | undefined)[]): WorkflowEvidence => ({
      kind: "dishonest",
      found: list.flatMap((claim) => claim ?? []),
    });
    expect(verdictOn(unverified, "O8", found(fault))).toBe("valid");
    expect(verdictOn(unverified, "O8", found(fault, none))).toBe(UNTRUE);
    expect(verdictOn(unverified, "O5", found(fault))).toBe("dishonest is no evidence against O5");
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
    // After start, fork and a: b is not begun, at work, done; joined; at the end. The third helps.
    const { net } = parallel;
    const sequence: number[] = [];
    let M = net.initial;
    for (const id of ["start", "fork", "a", "a"]) {
      const at = parallel.definition.nodes.findIndex((node) => node.id === id);
      const next = enabledTransitions(net, M).find((t) => net.transitions[t]?.origin?.node === at)!;
      sequence.push(next);
      const fired = fire(net, M, next);
      if (fired.kind !== "fired") throw new Error(id);
      M = fired.marking;
    }
    const place = net.places.findIndex(
      ({ origin }, p) => origin?.kind === "arc" && origin.arc === 3 && M[p] === 1,
    );
    const waits = { kind: "join", node: 4, place, size: 5, run: { sequence, marking: M } } as const;
    expect(verdictOn(parallel, "O6", waits)).toBe("the join can be reached");
    expect(verdictOn(parallel, "O6", { ...waits, size: 4 })).toBe("not 4 markings");
    expect(verdictOn(parallel, "O6", { ...waits, size: 6 })).toBe("not 6 markings");
  });

  it("[D8.11] sets larger than the caller lets be built", () => {
    const { verdict } = line(proveWorkflow(crossed), "O6");
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "join") throw new Error(verdict.kind);
    const { size } = verdict.evidence;
    const checked = (statesMax: number) =>
      checkWorkflowEvidence(crossed, { id: "O6", verdict }, { statesMax });
    expect(checked(size)).toEqual({ kind: "valid" });
    expect(checked(size - 1)).toEqual({ kind: "unchecked", reason: `${size} markings` });
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

  it("[D8.14] two labels, with other labels, on another scope or against another obligation", () => {
    const split = workflow(
      [
        start,
        gateway("fork", { split: "all" }),
        end,
        { id: "other", kind: "end", meta: { outcome: "other" } },
      ],
      ["start -> fork", "fork -> end", "fork -> other"],
    );
    const { verdict } = line(proveWorkflow(split), "O12");
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "two-labels") throw new Error(verdict.kind);
    const { evidence } = verdict;
    expect(evidence.labels).toEqual(["done", "other"]);
    const answer = (change: Partial<typeof evidence>) => verdictOn(split, "O12", { ...evidence, ...change });
    expect(answer({})).toBe("valid");
    expect(answer({ labels: ["done"] })).toBe(UNTRUE);
    expect(answer({ labels: ["done", "else"] })).toBe(UNTRUE);
    expect(answer({ labels: ["done", "other", "else"] })).toBe(UNTRUE);
    expect(answer({ node: 1 })).toBe(UNTRUE);
    expect(answer({ run: { sequence: [], marking: split.net.initial } })).toBe(UNTRUE);
    expect(verdictOn(split, "O5", evidence)).toBe("two-labels is no evidence against O5");
  });

  it("[D8.14] labels of called workflows other than those given for them", () => {
    const calling = workflow(
      [
        start,
        { id: "call", kind: "subprocess", meta: { workflow: "child", outcomes: ["yes", "late"] } },
        end,
      ],
      [
        "start -> call",
        "call: error -> end",
        "call: cancelled -> end",
        "call: yes -> end",
        "call: late -> end",
      ],
    );
    const children = new Map([["child", ["yes", "no"]]]);
    const claim = { kind: "unexpected", node: 1, workflow: "child", label: "no" } as const;
    const answer = (evidence: WorkflowEvidence, id: WorkflowObligationId = "O12") => {
      const checked = checkWorkflowEvidence(
        calling,
        { id, verdict: { kind: "fails", evidence } },
        { children },
      );
      return checked.kind === "valid" ? "valid" : checked.reason;
    };
    expect(answer(claim)).toBe("valid");
    expect(answer({ ...claim, kind: "impossible", label: "late" })).toBe("valid");
    for (const forged of [
      { ...claim, label: "yes" },
      { ...claim, label: "late" },
      { ...claim, kind: "impossible" },
      { ...claim, node: 0 },
      { ...claim, workflow: "other" },
    ] as const)
      expect(answer(forged), JSON.stringify(forged)).toBe(UNTRUE);
    expect(answer(claim, "O5")).toBe("unexpected is no evidence against O5");
    expect(answer({ ...claim, kind: "impossible", label: "late" }, "O5")).toBe(
      "impossible is no evidence against O5",
    );
    // What is not known of a called workflow refutes nothing.
    expect(verdictOn(calling, "O12", claim)).toBe(UNTRUE);
  });

  it("[D16.15] conflicts that are none", () => {
    const job = (id: string, key: string): WorkflowNode => ({
      id,
      kind: "human",
      reads: [],
      writes: [key],
      graph: { reads: {}, writes: {} },
    });
    const racing = workflow(
      [
        start,
        gateway("fork", { split: "all" }),
        job("a", "k"),
        job("b", "k"),
        job("c", "l"),
        gateway("both", { join: "all" }),
        end,
      ],
      [
        "start -> fork",
        ...["a", "b", "c"].flatMap((id) => [`fork -> ${id}`, `${id} -> both`]),
        "both -> end",
      ],
    );
    const { verdict } = line(proveWorkflow(racing), "O9");
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "conflicts") throw new Error(verdict.kind);
    const [conflict] = verdict.evidence.conflicts;
    if (conflict === undefined) throw new Error("conflict");
    const answer = (...conflicts: (typeof conflict)[]) =>
      verdictOn(racing, "O9", { kind: "conflicts", conflicts });
    const { net } = racing;
    expect(conflict.nodes).toEqual(["a", "b"]);
    expect(answer(conflict)).toBe("valid");
    expect(answer()).toBe(UNTRUE);
    const forged = { ...conflict, nodes: ["a", "c"] } as const;
    expect(answer(forged)).toBe(UNTRUE);
    expect(answer(conflict, forged)).toBe(UNTRUE);
    const elsewhere = { ...conflict, run: { ...conflict.run, marking: net.initial } };
    expect(answer(elsewhere)).toMatch(/another marking/);
    expect(answer(conflict, elsewhere)).toMatch(/another marking/);
    expect(answer({ ...conflict, run: { sequence: [], marking: net.initial } })).toBe(UNTRUE);
    expect(verdictOn(racing, "O8", { kind: "conflicts", conflicts: [conflict] })).toBe(
      "conflicts is no evidence against O8",
    );
    // Writers of different objects meet only where a constraint speaks of all links.
    const linking = (id: string, object: string): WorkflowNode => {
      return { ...job(id, id), kind: "tool", graph: { reads: {}, writes: { objects: [object] } } };
    };
    const linked = workflow(
      [
        start,
        gateway("fork", { split: "all" }),
        linking("a", "x/{k}"),
        linking("b", "y/{k}"),
        gateway("both", { join: "all" }),
        end,
      ],
      [
        "start -> fork",
        ...["a", "b"].flatMap((id) => [`fork -> ${id}`, `${id} -> both`, `${id}: error -> end`]),
        "both -> end",
      ],
    );
    const footprints = { constraints: [acyclicConstraint("r")] };
    const found = line(proveWorkflow(linked, { footprints }), "O9");
    expect(found.verdict.kind).toBe("fails");
    expect(checkWorkflowEvidence(linked, found, { footprints })).toEqual({ kind: "valid" });
    expect(checkWorkflowEvidence(linked, found)).toMatchObject({ kind: "invalid" });
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
    const dead = line(proveWorkflow(crossed), "O3").verdict;
    if (dead.kind !== "fails") throw new Error(dead.kind);
    expect(dead.evidence.kind).toBe("E3");
    expect(verdictOn(crossed, "O3", dead.evidence)).toBe("valid");
    for (const id of ["O2", "O5", "O6", "O7", "O8", "O12"] as const) {
      expect(verdictOn(crossed, id, verdict.evidence)).toMatch(/no evidence against/);
    }
    expect(verdictOn(crossed, "O1", { kind: "cycle", nodes: [1] })).toMatch(/no evidence against O1/);
  });

  it("[D8.9] evidence about the net held against what is no question of it, and evidence of no kind", () => {
    const run = { sequence: [], marking: crossed.net.initial };
    const about: readonly WorkflowEvidence[] = [
      { kind: "E1", run, finding: { kind: "deadlock" } },
      { kind: "E2", run, certificate: { kind: "closed-set", members: [run.marking] } as never },
      { kind: "E3", transitions: [0] } as never,
      { kind: "E3-pump", run, from: 0 },
      { kind: "E3-ill-formed", reason: "rank" } as never,
    ];
    for (const evidence of about) {
      expect(verdictOn(crossed, "O5", evidence)).toBe(`${evidence.kind} is no evidence against O5`);
      // The checker of nets is asked, and gives a reason of its own.
      expect(verdictOn(crossed, "bounded", evidence)).not.toBe("valid");
    }
    expect(verdictOn(crossed, "bounded", about[3]!)).toBe("a pump is no evidence against bounded");
    expect(verdictOn(crossed, "bounded", about[4]!)).toBe("an ill-formed net is no evidence against bounded");
    expect(() => verdictOn(crossed, "O5", { kind: "other" } as never)).toThrow("unreachable");
  });

  it("[D15.3] runs are fired by the rules of OR-joins, unless others are given", () => {
    // Each join waits for the other: a deadlock, but for whoever does not know the rule.
    const waiting = workflow(
      [
        gateway("p", { split: "all" }),
        gateway("j1", { join: "or" }),
        gateway("x1"),
        gateway("j2", { join: "or" }),
        gateway("x2"),
        { id: "e1", kind: "end" },
        { id: "e2", kind: "end" },
      ],
      ["p -> j1", "p -> j2", "j1 -> x1", "x1 -> j2", "x1 -> e1", "j2 -> x2", "x2 -> j1", "x2 -> e2"],
    );
    const found = line(proveWorkflow(waiting), "deadlock");
    expect(found.verdict.kind).toBe("fails");
    expect(checkWorkflowEvidence(waiting, found)).toEqual({ kind: "valid" });
    const rules = new Map([...orJoinRules(waiting).keys()].map((name) => [name, () => true]));
    expect(checkWorkflowEvidence(waiting, found, { rules })).toMatchObject({ kind: "invalid" });
  });
});
