/** @module Runs that the proof of a workflow's data shows as failures are runs of the engine, firing by firing. */
import {
  type CompiledWorkflow,
  compileWorkflow,
  type DataType,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { checkDataLines, type DataEvidence, type DataObligationId, proveWorkflow } from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

type DataRunEvidence = Extract<DataEvidence, { readonly kind: "data-run" }>;

function compiledOf(definition: WorkflowDefinition): CompiledWorkflow {
  const compiled = compileWorkflow(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value;
}

/** The run that shows that the obligation fails. */
function shown(compiled: CompiledWorkflow, id: DataObligationId): DataRunEvidence {
  const verdict = proveWorkflow(compiled, { level: "data" }).data?.obligations.find(
    (line) => line.id === id,
  )?.verdict;
  if (verdict?.kind !== "fails" || verdict.evidence.kind !== "data-run")
    throw new Error(`${id}: ${verdict?.kind}`);
  return verdict.evidence;
}

/** Plays the run: functions, ports and people answer what it says. Returns the firings that the engine recorded. */
async function play(compiled: CompiledWorkflow, { run, finding }: DataRunEvidence) {
  const { definition, net } = compiled;
  const all = finding.kind === "gap" ? [...run.steps, { ...finding, fired: [] }] : run.steps;
  const valuesOf = (node: number) => all.filter((step) => step.node === node && step.outcome !== null);
  const queues = definition.nodes.map((_, node) => valuesOf(node));
  const answer = (node: number) => {
    const step = queues[node]!.shift();
    const unset = Object.fromEntries((step?.answer.unset ?? []).map((key) => [key, undefined]));
    return { outcome: step?.outcome ?? "done", patch: { ...step?.answer.set, ...unset } };
  };
  const functions: { [name: string]: () => never } = {};
  const ports: { [name: string]: () => Promise<never> } = {};
  const pending = new Map<number, (value: unknown) => void>();
  definition.nodes.forEach(({ id, kind, meta }, node) => {
    if (kind === "transform") functions[id] = () => answer(node) as never;
    if (kind === "verifier") functions[id] = () => answer(node).patch[String(meta?.passKey)] as never;
    if (kind === "tool") ports[id] = () => new Promise((resolve) => void pending.set(node, resolve as never));
  });
  const { engine, settle, store } = testEngine({ functions, ports, limits: { stepsMax: 60 } });
  const accept = ["O1", "O2", "O3", "O4", "O5", "O7", "O9"].map((obligation) => ({
    obligation,
    reason: "test",
    by: "t",
  }));
  accepted(await engine.deploy(definition, { accept }));
  const handle = accepted(await engine.start({ workflow: definition.id, id: "r", data: run.start }));
  await settle();
  let last: unknown = null;
  for (const { node, outcome } of all) {
    const { id, kind } = definition.nodes[node]!;
    if (outcome === null) continue;
    if (kind === "tool") {
      pending.get(node)!(answer(node));
      await settle();
    } else if (kind === "human") {
      const { patch } = answer(node);
      last = await handle.complete({ node: id, outcome, data: patch as never, by: { id: "ann" } });
      await settle();
    }
  }
  const journal = await store.journal("default" as never, "r" as never, 0, 1000);
  const steps = journal.flatMap(({ record }) => record?.steps ?? []);
  const fired = steps.flatMap((step) => step.fired ?? []).map((t) => net.transitions[t]!.id);
  const view = accepted(await handle.state());
  await engine.close();
  return { fired, steps, view, last };
}

/** The firings of the run in ids of the net. */
function firingsOf({ net }: CompiledWorkflow, { run }: DataRunEvidence): readonly string[] {
  return run.steps.flatMap(({ fired }) => fired).map((t) => net.transitions[t]!.id);
}

const number: DataType = { type: "number" };

describe("[D23.5] runs with values are runs of the engine", () => {
  it("[D23.5] a gap that a job leaves: the run fails there", async () => {
    const compiled = compiledOf(
      flow(
        "w",
        [
          ["begin", "start"],
          ["rate", "tool", {}, { writes: ["score"] }],
          ["route", "gateway"],
          ["end", "end"],
        ],
        [
          ["begin", "rate"],
          ["rate", "route"],
          ["rate", "end", "error"],
          ["route", "end", undefined, { guard: { key: "score", op: "lessThan", value: 10 } }],
          ["route", "end", undefined, { guard: { key: "score", op: "greaterThan", value: 10 } }],
        ],
        { data: { score: number } },
      ),
    );
    const evidence = shown(compiled, "O5");
    const { fired, view } = await play(compiled, evidence);
    expect(evidence.finding).toMatchObject({ kind: "gap", data: { score: 10 } });
    expect(fired.slice(0, firingsOf(compiled, evidence).length)).toEqual(firingsOf(compiled, evidence));
    expect(view).toMatchObject({ status: "failed", data: { score: 10 } });
  });

  it("[D23.5] a person whom no answer satisfies: the run waits for ever", async () => {
    const compiled = compiledOf(
      flow(
        "w",
        [
          ["begin", "start"],
          ["ask", "human", {}, { writes: ["note"] }],
          ["end", "end"],
        ],
        [
          ["begin", "ask"],
          ["ask", "end", undefined, { guard: { key: "paid", op: "is", value: true } }],
        ],
        { data: { paid: { type: "boolean" }, note: { type: "string" } } },
      ),
    );
    const evidence = shown(compiled, "deadlock");
    expect(evidence.run.start).toEqual({ paid: false });
    const { fired, view } = await play(compiled, evidence);
    expect(fired).toEqual(firingsOf(compiled, evidence));
    expect(view).toMatchObject({ status: "waiting" });
    const { last } = await play(compiled, shown(compiled, "O5"));
    expect(last).toMatchObject({ kind: "refused", code: "invalid-data" });
  });

  it("[D23.5] a loop that cannot be left: the fuse ends it", async () => {
    const compiled = compiledOf(
      flow(
        "w",
        [
          ["begin", "start"],
          ["work", "transform", {}, { writes: ["log"] }],
          ["check", "decision"],
          ["end", "end"],
        ],
        [
          ["begin", "work"],
          ["work", "check"],
          ["work", "check", "error"],
          ["check", "work", undefined, { guard: { key: "tries", op: "lessThan", value: 3 } }],
          ["check", "end", undefined, { default: true }],
        ],
        { data: { tries: { type: "integer" }, log: { type: "string" } } },
      ),
    );
    const evidence = shown(compiled, "O7");
    expect(evidence.finding).toMatchObject({ kind: "no-completion", cycle: [2, 1] });
    const { fired, view } = await play(compiled, evidence);
    expect(fired.slice(0, firingsOf(compiled, evidence).length)).toEqual(firingsOf(compiled, evidence));
    expect(view).toMatchObject({ status: "failed", terminal: { trouble: { code: "FUSE" } } });
  });

  it("[D23.5] values that are compared with each other are chosen along the run", async () => {
    const between = (key: string, low: string, high: string) => ({
      all: [
        { key, op: "greaterThan", valueOf: low },
        { key, op: "lessThan", valueOf: high },
      ],
    });
    const compiled = compiledOf(
      flow(
        "w",
        [
          ["begin", "start"],
          ["first", "human", {}, { writes: ["y"] }],
          ["second", "human", {}, { writes: ["x"] }],
          ["third", "transform", {}, { writes: ["y"] }],
          ["split", "gateway"],
          ["join", "gateway", undefined, { join: "all" }],
          ["end", "end"],
          ["out", "end"],
        ],
        [
          ["begin", "first"],
          ["first", "second", undefined, { guard: between("y", "x", "z") as never }],
          ["second", "third", undefined, { guard: between("x", "y", "z") as never }],
          ["third", "out", "error"],
          ["third", "split"],
          ["split", "join", undefined, { guard: between("y", "x", "z") as never }],
          ["split", "out", undefined, { default: true }],
          ["begin", "join", undefined, { guard: { key: "x", op: "is", valueOf: "z" } }],
          ["join", "end"],
        ],
        { data: { x: number, y: number, z: number } },
      ),
    );
    // The AND join behind the XOR split is reached by one token only.
    const evidence = shown(compiled, "O1");
    const { fired, view } = await play(compiled, evidence);
    expect(fired.slice(0, firingsOf(compiled, evidence).length)).toEqual(firingsOf(compiled, evidence));
    expect(view.data).toMatchObject(evidence.run.data);
  });

  it("[D23.3] [D17.3] an escalation goes on by the guards of its arcs, beside the subprocess", async () => {
    const told = (op: "lessThan" | "atLeast", value: number) =>
      ({ guard: { key: "amount", op, value } }) as const;
    const escalating = (limit: number) =>
      compiledOf(
        flow(
          "w",
          [
            ["begin", "start"],
            ["rate", "tool", {}, { writes: ["amount"] }],
            [
              "s",
              "subprocess",
              { entry: "t", events: [{ id: "up", on: "escalation", name: "E", interrupting: false }] },
            ],
            ["t", "throw", { on: "escalation", name: "E" }, { scope: "s" }],
            ["a", "human", {}, { scope: "s", writes: ["amount"] }],
            ["in", "end", undefined, { scope: "s" }],
            ["boss", "human", {}, { writes: [] }],
            ["clerk", "human", {}, { writes: [] }],
            ["z", "end"],
            ["y", "end"],
          ],
          [
            ["begin", "rate"],
            ["rate", "s"],
            ["rate", "z", "error"],
            ["t", "a"],
            ["a", "in"],
            ["s", "z"],
            ["s", "boss", "up", told("atLeast", 100)],
            ["s", "clerk", "up", told("lessThan", limit)],
            ["boss", "y"],
            ["clerk", "y"],
          ],
          { data: { amount: number } },
        ),
      );
    const whole = escalating(100);
    const report = proveWorkflow(whole, { level: "data" }).data!;
    const kindOf = (id: string) => report.obligations.find((line) => line.id === id)?.verdict.kind;
    expect({ O1: kindOf("O1"), O4: kindOf("O4"), O5: kindOf("O5") }).toEqual({
      O1: "holds",
      O4: "holds",
      O5: "holds",
    });
    expect(checkDataLines(whole, report.obligations).every(({ kind }) => kind === "valid")).toBe(true);
    const gap = escalating(50);
    const evidence = shown(gap, "O5");
    expect(evidence.finding).toMatchObject({ kind: "gap", node: 2, outcome: "up" });
    const { fired, view } = await play(gap, evidence);
    expect(fired.slice(0, firingsOf(gap, evidence).length)).toEqual(firingsOf(gap, evidence));
    expect(view).toMatchObject({ status: "failed", data: evidence.run.data });
  });
});
