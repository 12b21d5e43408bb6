/** @module A loan whose guards compute: open without a solver, decided with it, and a gap that the engine falls into. */
import {
  type Arc,
  type CompiledWorkflow,
  compileWorkflow,
  type DataType,
  type WorkflowNode,
} from "@tessera/core";
import { accepted } from "@tessera/engine";
import { testEngine } from "@tessera/engine/testing";
import { STANDARD_KINDS } from "@tessera/gateways";
import { FEEL } from "@tessera/interchange";
import {
  checkDataLines,
  type DataObligation,
  type DataReport,
  dataCertificate,
  type Limits,
  proveWorkflow,
} from "@tessera/proofs";
import { proveWorkflowWithSolver, type Solver, z3Solver } from "@tessera/proofs/smt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment, feel, read } from "./expressions.ts";

const DATA: Readonly<Record<string, DataType>> = {
  income: { type: "integer" },
  debt: { type: "integer" },
  rate: { type: "number" },
};

function workflow(
  nodes: readonly WorkflowNode[],
  arcs: readonly Arc[],
  data: Readonly<Record<string, DataType>> = DATA,
): CompiledWorkflow {
  const definition = { format: 1, kind: "workflow", id: "loan", entry: "start", data, nodes, arcs } as const;
  const compiled = compileWorkflow(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value;
}

const node = (id: string, kind: string, more: Partial<WorkflowNode> = {}): WorkflowNode => ({
  id,
  kind,
  ...more,
});
const form = (...keys: string[]): Partial<WorkflowNode> => ({
  meta: { form: Object.fromEntries(keys.map((key) => [key, DATA[key]!.type])) },
});

/** An application is granted, looked at or rejected by how debt and income stand to each other. */
const loan = (between: string): CompiledWorkflow =>
  workflow(
    [
      node("start", "start"),
      node("apply", "human", form("income", "debt")),
      node("assess", "gateway"),
      node("review", "human", { writes: [] }),
      node("sign", "human", { writes: [] }),
      node("rejected", "end"),
      node("granted", "end"),
    ],
    [
      { from: "start", to: "apply" },
      { from: "apply", to: "assess" },
      { from: "assess", to: "sign", guard: feel("debt * 3 <= income") },
      { from: "assess", to: "review", guard: feel(between) },
      { from: "assess", to: "rejected", guard: feel("debt > income and debt * 3 > income") },
      { from: "review", to: "sign" },
      { from: "sign", to: "granted" },
    ],
  );

const lineOf = ({ obligations }: DataReport, id: string): DataObligation =>
  obligations.find((line) => line.id === id)!;
const kinds = (report: DataReport) =>
  Object.fromEntries(report.obligations.map(({ id, verdict }) => [id, verdict.kind]));
const ALL_HOLD = {
  O1: "holds",
  O2: "holds",
  O3: "holds",
  O4: "holds",
  O5: "holds",
  O7: "holds",
  deadlock: "holds",
};

describe("[D23.13] a loan", () => {
  let z3: Solver;
  beforeAll(async () => {
    z3 = await z3Solver();
  }, 120_000);
  afterAll(() => z3.close());
  const prove = (
    compiled: CompiledWorkflow,
    more: { readonly timeoutMs?: number; readonly solver?: Solver; readonly limits?: Partial<Limits> } = {},
  ) =>
    proveWorkflowWithSolver(compiled, {
      read,
      environment,
      solver: z3,
      timeoutMs: 100_000,
      limits: { timeoutMs: 300_000 },
      ...more,
    });

  it("[D23.12] is open without a solver, and holds with it; the report says what rests on its word", async () => {
    const compiled = loan("debt * 3 > income and debt <= income");
    const alone = proveWorkflow(compiled, { level: "data" }).data!;
    expect(kinds(alone)).toMatchObject({ O1: "holds", O3: "unknown", O5: "unknown" });
    const { data, guards } = await prove(compiled);
    expect(kinds(data)).toEqual(ALL_HOLD);
    expect(lineOf(data, "O1").solver).toBeUndefined();
    expect(lineOf(data, "O5")).toMatchObject({
      verdict: { evidence: { class: "solver", questions: [expect.stringContaining("(check-sat)")] } },
      solver: { name: z3.name, isTrusted: true },
    });
    expect(data.assumptions.join("\n")).toContain(
      `${z3.name} is right where it says that no data give other answers`,
    );
    // O1 is not the solver's: that nothing fails at the gateway is O5's matter.
    expect(alone.assumptions).toContain("O1 is modulo failure at assess (done)");
    expect(data.assumptions).toContain("O1 is modulo failure at assess (done)");
    expect(data.open).toEqual([]);
    // The checker of certificates takes nobody's word.
    const checked = checkDataLines(compiled, data.obligations);
    data.obligations.forEach(({ id, solver }, index) => {
      expect({ id, isValid: checked[index]!.kind === "valid" }).toEqual({
        id,
        isValid: solver === undefined,
      });
    });
    expect(JSON.stringify(dataCertificate(compiled, data.obligations)!["claims"])).not.toContain('"O5"');
    expect(guards.findings.map(({ question, verdict }) => [question, verdict.kind])).toEqual([
      ["total", "holds"],
      ["exclusive", "holds"],
    ]);
  }, 500_000);

  it("[D23.13] what holds without the solver keeps what it leaves to errors, where told cases are too many", async () => {
    const { definition } = workflow(
      [
        node("start", "start"),
        node("pick", "decision", { meta: { key: "kind", branches: { a: "one", b: "other" } } }),
        node("assess", "gateway"),
        node("end", "end"),
      ],
      [
        ...["one", "other", "error"].map((outcome) => ({ from: "pick", to: "assess", outcome })),
        { from: "start", to: "pick" },
        {
          from: "assess",
          to: "end",
          guard: {
            all: [
              { key: "isNew", op: "is", value: false },
              { key: "kind", op: "is", value: "a" },
            ],
          },
        },
        {
          from: "assess",
          to: "end",
          guard: { any: [{ key: "isNew", op: "is", value: true }, feel("debt > income")] },
        },
      ],
      { ...DATA, kind: { type: "string", values: ["a", "b"] }, isNew: { type: "boolean" } },
    );
    const compiled = compileWorkflow(definition, STANDARD_KINDS);
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
    const alone = proveWorkflow(compiled.value, { level: "data" }).data!;
    expect(kinds(alone)).toMatchObject({ O3: "holds", O5: "unknown" });
    const left = alone.assumptions.filter((text) => text.endsWith("is there for an error only"));
    expect(left).not.toEqual([]);
    const limits = { timeoutMs: 300_000, statesMax: alone.states };
    const { data } = await prove(compiled.value, { limits });
    expect(kinds(data)).toMatchObject({ O3: "holds", O5: "unknown" });
    expect(data.states).toBeGreaterThan(alone.states);
    expect(data.assumptions).toEqual(expect.arrayContaining(left));
  }, 500_000);

  it("[D23.13] a gap comes with values that were put to the guards, and the engine falls into it", async () => {
    const compiled = loan("debt * 3 > income and debt < income");
    const { data } = await prove(compiled);
    const { verdict, solver, message } = lineOf(data, "O5");
    expect(solver).toEqual({ name: z3.name, isTrusted: false, questions: [] });
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "data-run") throw new Error(message);
    const { run, finding } = verdict.evidence;
    if (finding.kind !== "gap") throw new Error(message);
    const { income, debt } = finding.data as { readonly income: number; readonly debt: number };
    expect({ income, isMore: debt * 3 > income }).toEqual({ income: debt, isMore: true });
    // For people to read.
    expect(debt).toBeLessThan(1_000_001);
    expect(message).toContain(`no arc of "assess" under "done" can be taken`);
    const { engine, settle } = testEngine({ conditions: { feel: FEEL } });
    const accept = ["O1", "O3", "O5", "O9"].map((obligation) => ({ obligation, reason: "test", by: "t" }));
    accepted(await engine.deploy(compiled.definition, { accept }));
    const handle = accepted(await engine.start({ workflow: "loan", id: "r", data: run.start }));
    await settle();
    const answer = run.steps.find(
      (step) => compiled.definition.nodes[step.node]!.id === "apply" && step.outcome !== null,
    )!;
    await handle.complete({ node: "apply", outcome: "done", data: answer.answer.set, by: { id: "ann" } });
    await settle();
    expect(accepted(await handle.state())).toMatchObject({
      status: "failed",
      data: finding.data,
      terminal: { trouble: { code: "NO_TRUE_ARC" } },
    });
    await engine.close();
  }, 500_000);

  it("[D23.12] what one gateway has found is not asked anew: a branch that contradicts it is dead", async () => {
    const again = (isAnswered: boolean) =>
      workflow(
        [
          node("start", "start"),
          node("first", "gateway"),
          node("ask", "human", { writes: isAnswered ? ["income"] : [] }),
          node("second", "gateway"),
          node("never", "human", { writes: [] }),
          node("end", "end"),
        ],
        [
          { from: "start", to: "first" },
          { from: "first", to: "ask", guard: feel("debt * 3 <= income") },
          { from: "first", to: "end", default: true },
          { from: "ask", to: "second" },
          {
            from: "second",
            to: "never",
            guard: feel("debt + debt + 1 > income and debt > 0 and income >= 0"),
          },
          { from: "second", to: "end", default: true },
          { from: "never", to: "end" },
        ],
      );
    const { data } = await prove(again(false));
    expect(lineOf(data, "O3")).toMatchObject({
      verdict: { kind: "fails" },
      message: expect.stringContaining('"never" is never reached'),
      solver: { isTrusted: true },
    });
    // Where the income is asked for in between, the branch can be taken.
    expect(lineOf((await prove(again(true))).data, "O3").verdict.kind).toBe("holds");
  }, 500_000);

  it("[D23.12] a number and an integer that are compared with each other", async () => {
    const compared = (op: string): Arc["guard"] => ({ key: "rate", op, valueOf: "debt" }) as Arc["guard"];
    const compiled = workflow(
      [node("start", "start"), node("fork", "gateway"), node("low", "end"), node("high", "end")],
      [
        { from: "start", to: "fork" },
        { from: "fork", to: "low", guard: compared("lessThan")! },
        { from: "fork", to: "high", guard: compared("atLeast")! },
      ],
    );
    expect(kinds(proveWorkflow(compiled, { level: "data" }).data!)).toMatchObject({
      O3: "unknown",
      O5: "unknown",
    });
    expect(kinds((await prove(compiled)).data)).toEqual(ALL_HOLD);
  }, 500_000);

  it("[D23.13] a loop that no answer leaves, and one that an answer can leave", async () => {
    const loop = (written: string, until: string) =>
      workflow(
        [
          node("start", "start"),
          node("body", "gateway"),
          node("ask", "human", { writes: [written] }),
          node("enough", "decision"),
          node("end", "end"),
        ],
        [
          { from: "start", to: "body" },
          { from: "body", to: "ask" },
          { from: "ask", to: "enough" },
          { from: "enough", to: "end", guard: feel(until) },
          { from: "enough", to: "body", default: true },
        ],
        { income: { type: "integer", values: [0, 1, 2] }, debt: { type: "integer", values: [0, 1, 2] } },
      );
    const stuck = lineOf(
      (await prove(loop("income", "debt * 2 - debt > 1 and income + debt < 2"))).data,
      "O1",
    );
    expect(stuck).toMatchObject({ verdict: { kind: "fails" }, solver: { isTrusted: true } });
    const left = (await prove(loop("debt", "debt * 2 > 3"))).data;
    expect(kinds(left)).toMatchObject({ O1: "holds", O3: "holds", O5: "holds", deadlock: "holds" });
  }, 500_000);

  it("[D23.12] what may have no value, and names that could mean something else, are left open, with the reason", async () => {
    const guarded = (text: string, data: Readonly<Record<string, DataType>>, isAsked = false) =>
      workflow(
        [node("start", "start"), node("fork", "gateway"), node("end", "end")],
        [
          { from: "start", to: "fork" },
          { from: "fork", to: "end", guard: feel(text) },
          isAsked
            ? { from: "fork", to: "end", guard: { key: "debt", op: "isAssigned" } }
            : { from: "fork", to: "end", default: true },
        ],
        data,
      );
    const left = async (compiled: CompiledWorkflow) => {
      const { data } = await prove(compiled);
      expect(lineOf(data, "O3").verdict.kind).toBe("unknown");
      return data.solver!.left.join();
    };
    expect(await left(guarded("debt + 1 > 0", DATA, true))).toContain('"debt" may have no value');
    expect(await left(guarded("debt ** 2 > 1", DATA))).toContain("more than a term of declared keys");
    expect(await left(guarded("debt - 1 > 0", { ...DATA, "debt - 1": { type: "number" } }))).toContain(
      '"debt - 1" is a key that expressions could mean otherwise',
    );
    expect(await left(guarded("debt > 0 and rate + 1 > 0", { ...DATA, and: { type: "number" } }))).toContain(
      '"and" is a key that expressions could mean otherwise',
    );
    const slow: Solver = { ...z3, check: async () => ({ kind: "unknown", reason: "timeout" }) };
    const late = await prove(guarded("debt + 1 > 0", DATA), { solver: slow, timeoutMs: 7 });
    expect(late.data.solver!.left.join()).toContain("7 ms");
    const aborted = await proveWorkflowWithSolver(guarded("debt + 1 > 0", DATA), {
      read,
      environment,
      solver: slow,
      signal: { aborted: true },
    });
    expect(lineOf(aborted.data, "O5").verdict.kind).toBe("unknown");
  }, 500_000);

  it("[D23.12] what a verifier answers is not told; what else is decided does not suffer from it", async () => {
    const { data } = await prove(
      workflow(
        [
          node("start", "start"),
          node("verify", "verifier", { meta: { passKey: "isRight" } }),
          node("fork", "gateway"),
          node("end", "end"),
        ],
        [
          { from: "start", to: "verify" },
          { from: "verify", to: "fork" },
          { from: "verify", to: "end", outcome: "error" },
          { from: "fork", to: "end", guard: feel("isRight and debt + 1 > 0") },
          { from: "fork", to: "end", guard: feel("debt * 2 > 0") },
          { from: "fork", to: "end", default: true },
        ],
        { ...DATA, isRight: { type: "boolean" } },
      ),
    );
    expect(data.solver!.left.join()).toContain('"isRight" is what a verifier answers');
    expect(kinds(data)).toMatchObject({ O1: "holds", deadlock: "holds", O5: "unknown" });
  }, 300_000);

  it("[D23.13] a solver that lies makes nothing fail, and values beyond whole numbers are not believed", async () => {
    const compiled = loan("debt * 3 > income and debt < income");
    // It names 0 for every key, whatever is asked.
    const liar: Solver = { ...z3, check: async () => ({ kind: "sat", model: "" }) };
    const { data } = await prove(compiled, { solver: liar });
    expect(lineOf(data, "O5").verdict.kind).toBe("unknown");
    // It names the combinations, but nothing for the run.
    const forgetful: Solver = {
      ...z3,
      check: async (body, ms) =>
        body.includes('"debt 0"') ? { kind: "sat", model: "" } : z3.check(body, ms),
    };
    expect(lineOf((await prove(compiled, { solver: forgetful })).data, "O5").verdict).toEqual({
      kind: "unknown",
      limit: { kind: "method", reason: "the solver names values on which the guards answer otherwise" },
    });
    // Of whole numbers n + 1 > n; of doubles not, from 2 to the 53rd on.
    const { data: large } = await prove(
      workflow(
        [node("start", "start"), node("fork", "gateway"), node("end", "end")],
        [
          { from: "start", to: "fork" },
          { from: "fork", to: "end", guard: feel("debt + 1 > debt") },
        ],
      ),
    );
    const { verdict } = lineOf(large, "O5");
    if (verdict.kind !== "fails" || verdict.evidence.kind !== "data-run") throw new Error(verdict.kind);
    const debt = Number(verdict.evidence.run.data["debt"]);
    expect(debt + 1 > debt).toBe(false);
  }, 500_000);
});
