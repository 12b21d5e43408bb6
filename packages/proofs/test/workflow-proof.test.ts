import type { Arc, CompiledWorkflow, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import {
  checkWorkflowEvidence,
  type ProofOptions,
  proveWorkflow,
  proveWorkflowAsync,
  type WorkflowObligationId,
  type WorkflowReport,
} from "../src/index.ts";
import { end, start, workflow } from "./workflow-text.ts";

function line(report: WorkflowReport, id: WorkflowObligationId) {
  return report.obligations.find((obligation) => obligation.id === id)!;
}

function kinds(report: WorkflowReport): Record<string, string> {
  return Object.fromEntries(report.obligations.map(({ id, verdict }) => [id, verdict.kind]));
}

/** The line of a failure, after the checker has accepted it. */
function failure(compiled: CompiledWorkflow, id: WorkflowObligationId, options: ProofOptions = {}) {
  const found = line(proveWorkflow(compiled, options), id);
  expect(found.verdict.kind).toBe("fails");
  const { children } = options;
  expect(checkWorkflowEvidence(compiled, found, children === undefined ? {} : { children })).toEqual({ kind: "valid" });
  return { message: found.message, witness: found.witness, level: found.level };
}

const human = (id: string, ...outcomes: string[]): WorkflowNode => ({
  id,
  kind: "human",
  meta: outcomes.length === 0 ? {} : { outcomes },
});
const gateway = (id: string, more: Partial<WorkflowNode> = {}): WorkflowNode => ({ id, kind: "gateway", ...more });
const transform = (id: string, more: Partial<WorkflowNode> = {}): WorkflowNode => ({ id, kind: "transform", ...more });

/** draft, verify, decide with a budget; a person decides when it is exhausted. */
function loop(budget: number, change: (nodes: WorkflowNode[], arcs: (string | Arc)[]) => void = () => {}): CompiledWorkflow {
  const nodes: WorkflowNode[] = [
    start,
    transform("draft", { writes: ["text"] }),
    { id: "verify", kind: "verifier", meta: { passKey: "ok" } },
    { id: "decide", kind: "decision", meta: { loop: { id: "l", budget, passKey: "ok", proves: "fine", body: ["draft", "verify"] } } },
    human("rescue"),
    end,
    { id: "failed", kind: "end", meta: { outcome: "failed" } },
  ];
  const arcs: (string | Arc)[] = [
    "start -> draft",
    "draft -> verify",
    "draft: error -> failed",
    "verify -> decide",
    "verify: error -> failed",
    "decide: pass -> end",
    "decide: fail -> draft",
    "decide: exhausted -> rescue",
    "decide: error -> failed",
    "rescue -> end",
  ];
  change(nodes, arcs);
  return workflow(nodes, arcs);
}

describe("a workflow that owes nothing", () => {
  it("[D8.8] a sequence with a person is sound at the level of data", () => {
    const report = proveWorkflow(workflow([start, human("ask"), end], ["start -> ask", "ask -> end"]));
    expect(new Set(Object.values(kinds(report)))).toEqual(new Set(["holds"]));
    expect(report).toMatchObject({ sound: true, complete: true, labels: ["done"], loops: { kind: "bounded", firingsMax: 3 } });
    expect(Object.fromEntries(report.obligations.map(({ id, level }) => [id, level]))).toEqual({
      O1: "data", O2: "data", O3: "net", O4: "data", O5: "data", O6: "net", O7: "data", O8: "data", O12: "data", deadlock: "net", bounded: "data",
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
      for (const found of report.obligations) expect(checkWorkflowEvidence(compiled, found).kind).not.toBe("invalid");
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
      message: "after start: done, choose: done, a, a: done the run cannot complete any more",
    });
    expect(failure(compiled, "O3").message).toMatch(/^never happens: both.step/);
    expect(failure(compiled, "O6")).toMatchObject({
      message: 'after start: done, choose: done, a a token waits before "both" for ever'.replace(", a a", ", a, a: done a"),
      witness: { node: "both", place: "a->both" },
    });
    expect(failure(compiled, "deadlock").message).toMatch(/nothing can happen/);
  });

  it("[D8.3] [D8.5] [C20-28] a merge after an AND split: the end gets a second token", () => {
    const compiled = workflow(
      [start, gateway("fork", { split: "all" }), transform("a"), transform("b"), gateway("merge"), end, { id: "failed", kind: "end", meta: { outcome: "failed" } }],
      ["start -> fork", "fork -> a", "fork -> b", "a -> merge", "b -> merge", "a: error -> failed", "b: error -> failed", "merge -> end"],
    );
    expect(failure(compiled, "O2").message).toMatch(/a second token on the end (end|failed).end$/);
    expect(failure(compiled, "O4").message).toMatch(/two tokens on /);
    expect(proveWorkflow(compiled).sound).toBe(false);
    expect(failure(compiled, "O12")).toMatchObject({ witness: { kind: "two-labels", node: null, labels: ["done", "failed"] } });
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
      ["start -> fork", "fork -> a", "fork -> b", "a: ok -> both", "a: stop -> halt", "b -> both", "both -> end"],
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

describe("[D8.10] outcome totality", () => {
  const decide = (arcs: readonly Omit<Arc, "from">[], data: Parameters<typeof workflow>[2] = undefined) =>
    workflow(
      [
        start,
        transform("n", { meta: { outcomes: ["go"] } }),
        end,
        ...["other", "third"].filter((id) => arcs.some(({ to }) => to === id)).map((id) => ({ id, kind: "end" })),
      ],
      ["start -> n", "n: error -> end", ...arcs.map((arc) => ({ ...arc, from: "n", outcome: "go" }))],
      data,
    );
  const key = "amount";

  it("[D8.10] [C20-20] an outcome without an arc", () => {
    const compiled = workflow([start, human("ask", "yes", "no"), transform("t"), end], ["start -> ask", "ask: yes -> t", "t -> end"]);
    expect(failure(compiled, "O5")).toMatchObject({
      level: "data",
      message: 'no arc leaves "ask" under "no"; no arc leaves "t" under "error"',
      witness: { gaps: [{ kind: "no-arc", node: "ask", outcome: "no" }, { kind: "no-arc", node: "t", outcome: "error" }] },
    });
    const report = proveWorkflow(compiled);
    expect(report.assumptions.at(-1)).toBe("O1 is modulo failure at ask (no), t (error)");
    expect(line(report, "O1")).toMatchObject({ level: "net", verdict: { kind: "holds" } });
  });

  it("[D8.10] guards with a gap on declared numbers: the boundary is the witness", () => {
    const compiled = decide(
      [
        { to: "end", guard: { key, op: "lessThan", value: 100 } },
        { to: "other", guard: { key, op: "greaterThan", value: 100 } },
      ],
      { amount: { type: "number" } },
    );
    expect(failure(compiled, "O5").message).toBe('no guard of "n" under "go" holds on {"amount":100}');
  });

  it("[D8.10] guards without a gap on declared data hold", () => {
    const numbers = decide(
      [
        { to: "end", guard: { key, op: "lessThan", value: 100 } },
        { to: "other", guard: { all: [{ key, op: "atLeast", value: 100 }, { key, op: "lessThan", value: 200 }] } },
        { to: "third", guard: { not: { key, op: "lessThan", value: 200 } } },
      ],
      { amount: { type: "number" } },
    );
    expect(kinds(proveWorkflow(numbers)).O5).toBe("holds");
    const integers = decide(
      [
        { to: "end", guard: { key, op: "atMost", value: 9.5 } },
        { to: "other", guard: { key, op: "atLeast", value: 10 } },
      ],
      { amount: { type: "integer" } },
    );
    expect(kinds(proveWorkflow(integers)).O5).toBe("holds");
    const listed = decide(
      [
        { to: "end", guard: { key: "size", op: "is", value: "S" } },
        { to: "other", guard: { key: "size", op: "isOneOf", value: ["M", "L"] } },
      ],
      { size: { type: "string", values: ["S", "M", "L"] } },
    );
    expect(kinds(proveWorkflow(listed)).O5).toBe("holds");
    const flags = decide(
      [
        { to: "end", guard: { key: "a", op: "is", value: true } },
        { to: "other", guard: { all: [{ key: "a", op: "is", value: false }, { key: "b", op: "is", value: true }] } },
        { to: "third", guard: { key: "b", op: "is", value: false } },
      ],
      { a: { type: "boolean" }, b: { type: "boolean" } },
    );
    expect(kinds(proveWorkflow(flags)).O5).toBe("holds");
  });

  it("[D8.10] a key that is not declared may be missing", () => {
    const compiled = decide([
      { to: "end", guard: { key, op: "lessThan", value: 100 } },
      { to: "other", guard: { key, op: "atLeast", value: 100 } },
    ]);
    expect(failure(compiled, "O5")).toMatchObject({
      message: expect.stringMatching(/holds on \{\} \(lessThan needs number/),
      witness: { gaps: [{ data: {} }] },
    });
  });

  it("[D8.10] a default arc, an arc without guard and an AND split need no proof", () => {
    const guarded = { to: "end", guard: { key, op: "is", value: 1 } } as const;
    expect(kinds(proveWorkflow(decide([guarded, { to: "other", default: true }]))).O5).toBe("holds");
    expect(kinds(proveWorkflow(decide([guarded, { to: "other" }]))).O5).toBe("holds");
  });

  it("[D8.10] predicates and expressions leave the question open, unless the other guards decide it", () => {
    const predicate = { to: "end", guard: { predicate: "isGood" } } as const;
    const report = proveWorkflow(decide([predicate]));
    expect(line(report, "O5")).toMatchObject({ verdict: { kind: "unknown" }, message: 'the guards of "n" under "go" cannot be decided here' });
    expect(report.assumptions.at(-1)).toBe("O1 is modulo failure where O5 is open");
    const total = decide(
      [predicate, { to: "other", guard: { key: "a", op: "is", value: true } }, { to: "third", guard: { key: "a", op: "is", value: false } }],
      { a: { type: "boolean" } },
    );
    expect(kinds(proveWorkflow(total)).O5).toBe("holds");
  });

  it("[D8.10] patterns and comparisons of two keys: a witness is found or the question is open", () => {
    const data = { name: { type: "string" }, a: { type: "number" }, b: { type: "number" } } as const;
    const pattern = decide([{ to: "end", guard: { key: "name", op: "matches", value: "^x" } }], data);
    expect(failure(pattern, "O5").message).toMatch(/holds on \{"name":""\}/);
    const two = decide([{ to: "end", guard: { key: "a", op: "lessThan", valueOf: "b" } }], data);
    expect(failure(two, "O5").message).toMatch(/holds on \{"a":0,"b":0\}/);
    const open = decide(
      [
        { to: "end", guard: { key: "a", op: "lessThan", valueOf: "b" } },
        { to: "other", guard: { key: "a", op: "atLeast", valueOf: "b" } },
      ],
      data,
    );
    expect(kinds(proveWorkflow(open)).O5).toBe("unknown");
  });
});

describe("[D8.12] loop grades", () => {
  it("[D8.12] a cycle that an outcome of a job leaves is ended by the fuse only", () => {
    const compiled = workflow(
      [start, gateway("again"), { id: "try", kind: "tool" }, end],
      ["start -> again", "again -> try", "try: error -> again", "try -> end"],
    );
    expect(failure(compiled, "O7")).toMatchObject({
      message: 'only the fuse ends the cycle "again", "try", "again"',
      witness: { nodes: ["again", "try"] },
    });
    expect(line(proveWorkflow(compiled), "O1")).toMatchObject({ level: "net", verdict: { kind: "holds" } });
  });

  it("[D8.12] a cycle through a person is fair, also when the person sits in a subprocess that cannot be passed otherwise", () => {
    const direct = workflow([start, transform("draft"), human("review", "approve", "reject"), end], [
      "start -> draft", "draft -> review", "draft: error -> end", "review: reject -> draft", "review: approve -> end",
    ]);
    expect(proveWorkflow(direct).loops).toEqual({ kind: "fair" });
    const inside = (withPerson: boolean) =>
      workflow(
        [
          start,
          { id: "sub", kind: "subprocess", meta: { entry: "inner", outcomes: ["ok", "again"] } },
          withPerson ? { ...human("inner", "ok", "again"), scope: "sub" } : { id: "inner", kind: "decision", scope: "sub", meta: { key: "k", branches: { ok: "ok" }, default: true } },
          { id: "ok", kind: "end", scope: "sub", meta: { outcome: "ok" } },
          { id: "more", kind: "end", scope: "sub", meta: { outcome: "again" } },
          end,
        ],
        ["start -> sub", "inner: ok -> ok", withPerson ? "inner: again -> more" : "inner: default -> more", "sub: ok -> end", "sub: again -> sub"],
      );
    expect(proveWorkflow(inside(true)).loops).toEqual({ kind: "fair" });
    expect(failure(inside(false), "O7").witness).toEqual({ kind: "cycle", nodes: ["sub"] });
  });

  it("[D8.12] [L8.5] the bound of a governed loop counts budget + 1 rounds", () => {
    // start, (draft, verify, decide) three times, rescue, and an end each: the three ways out share the rest.
    const { loops } = proveWorkflow(loop(2));
    expect(loops).toEqual({ kind: "bounded", firingsMax: 1 + 3 * 3 + 3 + (3 + 3) + (3 + 3 + 3) });
  });
});

describe("[D8.13] loop honesty", () => {
  it("[D8.13] [C20-62] a loop whose verdict nobody writes", () => {
    const compiled = loop(1, (nodes) => {
      nodes[2] = transform("verify");
    });
    expect(failure(compiled, "O8").message).toBe(
      'no verifier in the loop of "decide" writes its pass key; the verdict at "decide" can be stale or missing: "draft", "verify", "decide"',
    );
  });

  it("[D8.13] [C20-62] a body after the verifier makes its verdict stale", () => {
    const compiled = loop(1, (nodes, arcs) => {
      nodes.push(transform("polish"));
      const decision = nodes[3]!;
      const own = decision.meta!["loop"] as Record<string, unknown>;
      nodes[3] = { ...decision, meta: { loop: { ...own, body: ["draft", "verify", "polish"] } } } as WorkflowNode;
      arcs.splice(arcs.indexOf("verify -> decide"), 1, "verify -> polish", "polish -> decide", "polish: error -> failed");
    });
    expect(failure(compiled, "O8").witness).toEqual({
      kind: "dishonest",
      found: [{ kind: "stale-path", decision: "decide", path: ["polish", "decide"] }],
    });
  });

  it("[D8.13] a way around the verifier", () => {
    const compiled = loop(1, (nodes, arcs) => {
      nodes[1] = transform("draft", { meta: { outcomes: ["done", "hasty"] } });
      arcs.push("draft: hasty -> decide");
    });
    expect(failure(compiled, "O8").message).toMatch(/stale or missing: "draft", "decide"$/);
  });

  it("[D8.13] [C20-60] another node that declares the pass key", () => {
    const compiled = loop(1, (nodes) => {
      nodes[1] = transform("draft", { writes: ["text", "ok"] });
    });
    expect(failure(compiled, "O8").message).toBe('"draft" declares that it writes the pass key of "decide"');
  });

  it("[D8.13] [C20-66] an exhausted loop that meets no person", () => {
    const compiled = loop(1, (nodes, arcs) => {
      nodes[4] = gateway("rescue");
      arcs.push("rescue -> failed");
    });
    expect(failure(compiled, "O8").message).toBe(
      'the exhausted loop of "decide" can end without a person: "decide", "rescue", "end"',
    );
  });

  it("[D8.13] [C20-66] a person outside the embedded subprocess that the exhausted loop leaves is early enough", () => {
    const inScope = (id: string): WorkflowNode => ({ id, kind: "end", scope: "sub", meta: { outcome: id } });
    const compiled = (rescue: WorkflowNode) =>
      workflow(
        [
          start,
          { id: "sub", kind: "subprocess", meta: { entry: "draft", outcomes: ["good", "spent"] } },
          transform("draft", { scope: "sub" }),
          { id: "verify", kind: "verifier", scope: "sub", meta: { passKey: "ok" } },
          { id: "decide", kind: "decision", scope: "sub", meta: { loop: { id: "l", budget: 1, passKey: "ok", proves: "fine", body: ["draft", "verify"] } } },
          inScope("good"),
          inScope("spent"),
          rescue,
          end,
        ],
        [
          "start -> sub", "draft -> verify", "draft: error -> spent", "verify -> decide", "verify: error -> spent",
          "decide: pass -> good", "decide: fail -> draft", "decide: exhausted -> spent", "decide: error -> spent",
          "sub: good -> end", "sub: spent -> rescue", "rescue -> end",
        ],
      );
    expect(kinds(proveWorkflow(compiled(human("rescue"))))).toMatchObject({ O1: "holds", O5: "holds", O8: "holds" });
    expect(failure(compiled(gateway("rescue")), "O8").message).toMatch(/"decide", "spent", "rescue", "end"$/);
  });

  it("[D8.13] a verifier inside an embedded subprocess counts if it comes last there", () => {
    const nested = (order: "last" | "first") =>
      loop(1, (nodes, arcs) => {
        nodes[2] = { id: "verify", kind: "subprocess", meta: { entry: order === "last" ? "fix" : "judge" } };
        nodes.push(
          { id: "judge", kind: "verifier", scope: "verify", meta: { passKey: "ok" } },
          { ...transform("fix"), scope: "verify" },
          { id: "inner", kind: "end", scope: "verify" },
        );
        arcs.splice(arcs.indexOf("verify: error -> failed"), 1);
        if (order === "last") arcs.push("fix -> judge", "fix: error -> judge", "judge -> inner", "judge: error -> inner");
        else arcs.push("judge -> fix", "judge: error -> fix", "fix -> inner", "fix: error -> inner");
      });
    expect(kinds(proveWorkflow(nested("last"))).O8).toBe("holds");
    expect(failure(nested("first"), "O8").message).toMatch(/stale/);
  });
});

describe("[D8.14] subprocess return", () => {
  const calling = (...outcomes: string[]) =>
    workflow(
      [start, { id: "call", kind: "subprocess", meta: { workflow: "child", outcomes } }, end],
      ["start -> call", "call: error -> end", "call: cancelled -> end", ...outcomes.map((outcome) => `call: ${outcome} -> end`)],
    );

  it("[D8.14] the caller has exactly the child's labels", () => {
    const children = new Map([["child", ["yes", "no"]]]);
    expect(kinds(proveWorkflow(calling("yes", "no"), { children })).O12).toBe("holds");
    expect(failure(calling("yes"), "O12", { children }).message).toBe('"child" can end under "no", which "call" does not have');
    expect(failure(calling("yes", "no", "later"), "O12", { children }).message).toBe('"call" declares "later", under which "child" never ends');
  });

  it("[D8.14] a child whose proof is not given is an assumption", () => {
    const report = proveWorkflow(calling("yes"));
    expect(kinds(report).O12).toBe("holds");
    expect(report.assumptions).toContain("called workflows end, under the labels of their nodes: child");
  });

  it("[D8.14] an embedded subprocess that ends twice under different labels", () => {
    const compiled = workflow(
      [
        start,
        { id: "sub", kind: "subprocess", meta: { entry: "fork", outcomes: ["a", "b"] } },
        { ...gateway("fork", { split: "all" }), scope: "sub" },
        { id: "ea", kind: "end", scope: "sub", meta: { outcome: "a" } },
        { id: "eb", kind: "end", scope: "sub", meta: { outcome: "b" } },
        end,
      ],
      ["start -> sub", "fork -> ea", "fork -> eb", "sub: a -> end", "sub: b -> end"],
    );
    expect(failure(compiled, "O12")).toMatchObject({ witness: { kind: "two-labels", node: "sub", labels: ["a", "b"] } });
  });
});
