import type { Arc, CompiledWorkflow, ConditionData, DataType } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { type DataObligationId, type DataReport, proveWorkflow } from "../../src/index.ts";
import { end, gateway, human, loop, start, transform, workflow } from "../workflow-text.ts";
import { proveOnData as prove } from "./prove-on-data.ts";

const lineOf = (report: DataReport, id: DataObligationId) =>
  report.obligations.find((line) => line.id === id);
const kinds = (report: DataReport) =>
  Object.fromEntries(report.obligations.map(({ id, verdict }) => [id, verdict.kind]));

/** start, a gateway with guards to `left`, `right` and so on (people), each to the end. */
const fork = (
  guards: Readonly<Record<string, ConditionData | null>>,
  data?: Readonly<Record<string, DataType>>,
): CompiledWorkflow =>
  workflow(
    [start, gateway("fork"), ...Object.keys(guards).map((id) => human(id)), end],
    [
      "start -> fork",
      ...Object.entries(guards).map(
        ([to, guard]): Arc => ({ from: "fork", to, ...(guard === null ? { default: true } : { guard }) }),
      ),
      ...Object.keys(guards).map((id) => `${id} -> end`),
    ],
    data,
  );

const amount = (op: "lessThan" | "atLeast" | "greaterThan" | "atMost", value: number): ConditionData => ({
  key: "amount",
  op,
  value,
});
const AMOUNT: Readonly<Record<string, DataType>> = { amount: { type: "number" } };

describe("[D23.5] a workflow on its data", () => {
  it("[D23.5] guards without a gap and without an overlap", () => {
    const report = prove(fork({ left: amount("lessThan", 100), right: amount("atLeast", 100) }, AMOUNT));
    expect(kinds(report)).toEqual({
      O1: "holds",
      O2: "holds",
      O3: "holds",
      O4: "holds",
      O5: "holds",
      O7: "holds",
      deadlock: "holds",
    });
    expect(report).toMatchObject({ overlaps: [], open: [] });
    expect(report.assumptions).toContain("these keys always have a value: amount");
  });

  it("[D23.5] a gap is shown with the value that falls into it", () => {
    const report = prove(fork({ left: amount("lessThan", 100), right: amount("greaterThan", 100) }, AMOUNT));
    expect(lineOf(report, "O5")).toMatchObject({
      message:
        'started with {"amount":100}: no arc of "fork" under "done" can be taken on {"amount":100} (no guard of "fork" under "done" holds)',
      witness: {
        kind: "data-run",
        start: { amount: 100 },
        finding: { kind: "gap", node: "fork", data: { amount: 100 } },
      },
    });
    expect(report.assumptions).toContain("O1 is modulo failure at fork (done)");
  });

  it("[D23.5] guards that hold at once are shown, and no failure: the order of the arcs decides", () => {
    const report = prove(fork({ left: amount("atMost", 100), right: amount("atLeast", 100) }, AMOUNT));
    expect(report.overlaps).toEqual([{ node: "fork", outcome: "done", arcs: [1, 2], data: { amount: 100 } }]);
    expect(lineOf(report, "O5")?.verdict.kind).toBe("holds");
  });

  it("[D23.5] a branch that the data never take is dead, though the net is sound", () => {
    const compiled = fork(
      { left: amount("lessThan", 100), right: amount("lessThan", 50), rest: null },
      AMOUNT,
    );
    expect(proveWorkflow(compiled).sound).toBe(true);
    const report = prove(compiled);
    expect(lineOf(report, "O3")?.message).toContain('"right" is never reached');
    expect(lineOf(report, "O1")?.verdict.kind).toBe("holds");
  });

  it("[D23.5] what the net cannot do safely may be safe with the data", () => {
    // An XOR split and an AND join do not match; the data never take the branch that would wait.
    const compiled = workflow(
      [start, gateway("split"), human("ask"), gateway("join", { join: "all" }), end],
      [
        "start -> split",
        { from: "split", to: "ask", guard: { all: [amount("lessThan", 0), amount("greaterThan", 0)] } },
        { from: "split", to: "end", default: true },
        "ask -> join",
        { from: "split", to: "join", guard: { all: [amount("lessThan", 0), amount("greaterThan", 1)] } },
        "join -> end",
      ],
      AMOUNT,
    );
    const net = proveWorkflow(compiled);
    expect(net.obligations.find(({ id }) => id === "O1")).toMatchObject({
      level: "net",
      verdict: { kind: "fails" },
    });
    expect(kinds(prove(compiled))).toMatchObject({ O1: "holds", O3: "fails", deadlock: "holds" });
  });

  it("[D23.2] a predicate may answer anything: what depends on it is unknown, and it is named", () => {
    const compiled = fork({ left: { predicate: "isGood" }, right: { not: { predicate: "isGood" } } });
    const report = prove(compiled);
    expect(kinds(report)).toMatchObject({ O1: "holds", O2: "holds", O3: "unknown", O5: "unknown" });
    expect(report.assumptions).toContain("O1 is modulo failure at fork (done)");
    expect(report.open).toEqual([
      "predicate isGood on the arc from fork to left",
      "predicate isGood on the arc from fork to right",
    ]);
    expect(report.assumptions.join()).toContain("may answer anything: predicate isGood");
  });

  it("[D23.4] what completes whatever a predicate answers, completes", () => {
    const report = prove(fork({ left: { predicate: "isGood" }, right: null }));
    // The predicate may fail to answer, and a gateway has no arc for that.
    expect(kinds(report)).toMatchObject({
      O1: "holds",
      O2: "holds",
      O3: "unknown",
      O5: "unknown",
      deadlock: "holds",
    });
  });

  it("[D23.1] a pattern is decided where the values are listed, and open elsewhere", () => {
    const matches: ConditionData = { key: "code", op: "matches", value: "^a" };
    const listed = fork({ left: matches, right: null }, { code: { type: "string", values: ["ab", "ba"] } });
    expect(kinds(prove(listed))).toMatchObject({ O3: "holds", O5: "holds" });
    const useless = fork({ left: matches, right: null }, { code: { type: "string", values: ["b", "c"] } });
    expect(kinds(prove(useless))).toMatchObject({ O3: "fails" });
    const any = prove(fork({ left: matches, right: null }, { code: { type: "string" } }));
    expect(kinds(any)).toMatchObject({ O3: "unknown" });
    expect(any.open).toEqual(['matches of ["code"] on the arc from fork to left']);
  });

  it("[D23.1] a key that isAssigned asks for may be missing; another declared one is not", () => {
    const assigned: ConditionData = { key: "amount", op: "isAssigned" };
    const report = prove(fork({ left: assigned, right: { not: assigned } }, AMOUNT));
    expect(kinds(report)).toMatchObject({ O3: "holds", O5: "holds" });
    const careless = prove(
      fork({ left: { not: assigned }, right: amount("atLeast", 0), rest: null }, AMOUNT),
    );
    expect(kinds(careless)).toMatchObject({ O3: "holds", O5: "holds" });
    const asked = prove(fork({ left: amount("atLeast", 0), right: assigned, rest: null }, AMOUNT));
    expect(lineOf(asked, "O5")?.message).toContain("on {} (");
  });

  it("[D23.3] a decision by key: the error that its values do not allow is a provision, not dead", () => {
    const tiers = (values: readonly string[]) =>
      workflow(
        [
          start,
          { id: "tier", kind: "decision", meta: { key: "tier", branches: { gold: "fast", silver: "slow" } } },
          human("fast"),
          human("slow"),
          end,
          { id: "odd", kind: "end", meta: { outcome: "odd" } },
        ],
        [
          "start -> tier",
          "tier: fast -> fast",
          "tier: slow -> slow",
          "tier: error -> odd",
          "fast -> end",
          "slow -> end",
        ],
        { tier: { type: "string", values } },
      );
    const report = prove(tiers(["gold", "silver"]));
    expect(kinds(report)).toMatchObject({ O1: "holds", O3: "holds", O5: "holds" });
    expect(report.assumptions).toContain('"odd" is there for an error only');
    expect(kinds(prove(tiers(["gold", "bronze"])))).toMatchObject({ O3: "fails" });
  });

  it("[D23.3] a governed loop: its verdict decides, cleared on every round", () => {
    expect(kinds(prove(loop(2)))).toEqual({
      O1: "holds",
      O2: "holds",
      O3: "holds",
      O4: "holds",
      O5: "holds",
      O7: "holds",
      deadlock: "holds",
    });
    const provision = '"decide" is there for an error only';
    expect(prove(loop(1)).assumptions).toContain(provision);
    // A round without a verdict: the error of the decision is what happens then.
    const blind = loop(1, (nodes, arcs) => {
      nodes[1] = transform("draft", { writes: ["text"], meta: { outcomes: ["done", "skip"] } });
      arcs.push("draft: skip -> decide");
    });
    expect(kinds(prove(blind))).toMatchObject({ O1: "holds", O3: "holds", O5: "holds" });
    expect(prove(blind).assumptions).not.toContain(provision);
  });

  it("[D23.3] what a form asks for is what a person can leave", () => {
    const ask = (values: readonly number[]) =>
      workflow(
        [
          start,
          { id: "ask", kind: "collect", meta: { form: { rating: { type: "integer", values } } } },
          gateway("g"),
          human("low"),
          end,
        ],
        [
          "start -> ask",
          "ask -> g",
          { from: "g", to: "low", guard: { key: "rating", op: "lessThan", value: 3 } },
          { from: "g", to: "end", default: true },
          "low -> end",
        ],
      );
    expect(kinds(prove(ask([1, 5])))).toMatchObject({ O3: "holds", O5: "holds" });
    expect(kinds(prove(ask([4, 5])))).toMatchObject({ O3: "fails", O5: "holds" });
  });

  it("[D23.3] a function may take a key away, a person may only leave it out", () => {
    const assigned: ConditionData = { key: "amount", op: "isAssigned" };
    const afterwards = (writer: Parameters<typeof workflow>[0][number]) =>
      workflow(
        [start, gateway("first"), writer, gateway("then"), end, { id: "gone", kind: "end" }],
        [
          "start -> first",
          { from: "first", to: writer.id, guard: assigned },
          { from: "first", to: "end", default: true },
          `${writer.id} -> then`,
          ...(writer.kind === "transform" ? [`${writer.id}: error -> end`] : []),
          { from: "then", to: "end", guard: assigned },
          { from: "then", to: "gone", default: true },
        ],
        AMOUNT,
      );
    expect(kinds(prove(afterwards({ ...human("write"), writes: ["amount"] })))).toMatchObject({
      O3: "fails",
    });
    expect(kinds(prove(afterwards(transform("write", { writes: ["amount"] }))))).toMatchObject({
      O3: "holds",
    });
  });

  it("[D23.3] an event beside a wait that finds no arc ends the wait under error", () => {
    const events = [
      { id: "ping", on: "message", name: "ping", interrupting: false, payload: { amount: "amount" } },
    ];
    const compiled = workflow(
      [
        start,
        { id: "ask", kind: "tool", meta: { events }, writes: ["amount"] },
        human("told"),
        end,
        { id: "odd", kind: "end" },
      ],
      [
        "start -> ask",
        "ask -> end",
        "ask: error -> odd",
        { from: "ask", to: "told", outcome: "ping", guard: amount("atLeast", 0) },
        "told -> end",
      ],
      AMOUNT,
    );
    const report = prove(compiled);
    expect(lineOf(report, "O5")).toMatchObject({
      verdict: { kind: "fails" },
      witness: { finding: { kind: "gap", outcome: "ping" } },
    });
    expect(report.assumptions.join()).not.toContain("modulo failure");
  });

  it("[D23.1] integers: between two neighbours there is none, beyond all there is always one", () => {
    const data: Readonly<Record<string, DataType>> = { count: { type: "integer" }, max: { type: "integer" } };
    const between = fork(
      { left: { all: [amountOf("count", "greaterThan", 2), amountOf("count", "lessThan", 3)] }, right: null },
      data,
    );
    expect(kinds(prove(between))).toMatchObject({ O3: "fails" });
    // A person raises the count until it exceeds the limit: there is always a greater one.
    const raise = (guard: ConditionData) =>
      workflow(
        [start, human("raise"), gateway("enough"), end].map((node) =>
          node.id === "raise" ? { ...node, writes: ["count"] } : node,
        ),
        [
          "start -> raise",
          "raise -> enough",
          { from: "enough", to: "end", guard },
          { from: "enough", to: "raise", default: true },
        ],
        data,
      );
    expect(kinds(prove(raise({ key: "count", op: "greaterThan", valueOf: "max" })))).toMatchObject({
      O1: "holds",
      O5: "holds",
    });
    // Whether there is an integer between two others depends on them.
    const narrow: ConditionData = {
      all: [
        { key: "count", op: "greaterThan", valueOf: "max" },
        { key: "count", op: "lessThan", valueOf: "top" },
      ],
    };
    const compiled = workflow(
      [start, { ...human("raise"), writes: ["count"] }, gateway("enough"), gateway("sane"), end],
      [
        "start -> sane",
        { from: "sane", to: "raise", guard: { key: "max", op: "lessThan", valueOf: "top" } },
        { from: "sane", to: "end", default: true },
        "raise -> enough",
        { from: "enough", to: "end", guard: narrow },
        { from: "enough", to: "raise", default: true },
      ],
      { ...data, top: { type: "integer" } },
    );
    expect(kinds(prove(compiled))).toMatchObject({ O1: "unknown", O2: "holds", O5: "holds" });
    const dense = workflow(compiled.definition.nodes, compiled.definition.arcs, {
      count: { type: "number" },
      max: { type: "number" },
      top: { type: "number" },
    });
    expect(kinds(prove(dense))).toMatchObject({ O1: "holds", O3: "holds", O5: "holds" });
  });

  it("[D23.5] what needs an input between two turns is unknown", () => {
    // The gateway asks at once for what the person writes: it is there only if their answer comes between.
    const compiled = workflow(
      [
        start,
        gateway("first"),
        gateway("split", { split: "all" }),
        { ...human("fill"), writes: ["ready"] },
        gateway("ask"),
        gateway("late"),
        gateway("merge"),
        gateway("join", { join: "all" }),
        end,
      ],
      [
        "start -> first",
        { from: "first", to: "end", guard: { key: "ready", op: "is", value: true } },
        { from: "first", to: "split", default: true },
        "split -> fill",
        "split -> ask",
        { from: "ask", to: "late", guard: { key: "ready", op: "is", value: true } },
        { from: "ask", to: "merge", default: true },
        "late -> merge",
        "merge -> join",
        "fill -> join",
        "join -> end",
      ],
      { ready: { type: "boolean" } },
    );
    expect(kinds(prove(compiled))).toMatchObject({ O1: "holds", O2: "holds", O3: "unknown", O5: "holds" });
  });

  it("[D23.5] the limits are kept, and what is outside the model is said", () => {
    const compiled = fork({ left: amount("lessThan", 100), right: amount("atLeast", 100) }, AMOUNT);
    const short = proveWorkflow(compiled, { level: "data", limits: { statesMax: 4 } }).data!;
    expect(lineOf(short, "O1")).toMatchObject({ verdict: { kind: "unknown", limit: { kind: "states" } } });
    const escalated = workflow(
      [
        start,
        {
          id: "sub",
          kind: "subprocess",
          meta: { entry: "work", events: [{ id: "up", on: "escalation", name: "up", interrupting: false }] },
        },
        { id: "work", kind: "throw", scope: "sub", meta: { on: "escalation", name: "up" } },
        { id: "done", kind: "end", scope: "sub" },
        end,
        human("told"),
      ],
      ["start -> sub", "work -> done", "sub -> end", "sub: up -> told", "told -> end"],
    );
    expect(kinds(prove(escalated))).toMatchObject({ O2: "fails", O5: "holds" });
  });

  it("[D23.6] what a form asks for beside what guards ask is filled with what its declaration allows", () => {
    const compiled = workflow(
      [start, { ...human("ask"), writes: ["word"], meta: { form: { word: { type: "string" } } } }, end],
      ["start -> ask", { from: "ask", to: "end", guard: amount("lessThan", 0) }],
      { ...AMOUNT, word: { type: "string", values: ["yes", "no"] } },
    );
    const verdict = lineOf(prove(compiled), "O5")?.verdict;
    if (verdict?.kind !== "fails" || verdict.evidence.kind !== "data-run") throw new Error(verdict?.kind);
    expect(verdict.evidence.finding).toMatchObject({ kind: "gap", answer: { set: { word: "yes" } } });
  });
});

function amountOf(key: string, op: "lessThan" | "greaterThan", value: number): ConditionData {
  return { key, op, value };
}
