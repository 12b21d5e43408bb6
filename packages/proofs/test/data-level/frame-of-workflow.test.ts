/** @module What a checker takes from a workflow for its data: which transitions clear verdicts, and what each node may write. */
import type { Arc, CompiledWorkflow, Json, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { type Frame, frameOf, writesAt } from "../../src/certificate/data-frame.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

function frame(compiled: CompiledWorkflow): Frame {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  return frameOf(compiled, found.domain);
}

const verifier = (id: string, passKey: string): WorkflowNode => ({ id, kind: "verifier", meta: { passKey } });
const decide = (id: string, loop: string, passKey: string, body: readonly string[]): WorkflowNode => ({
  id,
  kind: "decision",
  meta: { loop: { id: loop, budget: 1, passKey, proves: "fine", body: body as Json } },
});
const leaving = (from: string, to: string, labels: readonly string[]): readonly Arc[] =>
  labels.map((outcome) => ({ from, to, outcome }));

/** A loop, and in its body another one. */
const LOOPS = workflow(
  [
    start,
    human("before"),
    gateway("head"),
    gateway("inner"),
    verifier("check", "small"),
    decide("again", "in", "small", ["inner", "check"]),
    verifier("verify", "ok"),
    decide("decide", "out", "ok", ["head", "inner", "check", "again", "verify"]),
    human("after"),
    end,
  ],
  [
    "start -> before",
    "before -> head",
    "head -> inner",
    "inner -> check",
    "check -> again",
    "check: error -> again",
    "again: fail -> inner",
    ...leaving("again", "verify", ["pass", "exhausted", "error"]),
    "verify -> decide",
    "verify: error -> decide",
    "decide: fail -> head",
    ...leaving("decide", "after", ["pass", "exhausted", "error"]),
    "after -> end",
  ],
);

describe("[D9.1] verdicts are cleared", () => {
  /** Which keys are cleared where, by node, phase, the node from which the token comes, and outcome. */
  function clearing(compiled: CompiledWorkflow): readonly string[] {
    const { clears } = frame(compiled);
    const { definition, net } = compiled;
    return [...clears].map(([t, keys]) => {
      const { node, phase, outcome, consumed } = net.transitions[t]!.origin!;
      const from = consumed.map((arc) => definition.arcs[arc]!.from).join("+");
      return `${definition.nodes[node]!.id} ${phase} ${from} ${outcome ?? ""}: ${keys.join()}`;
    });
  }

  it("[D9.1] where a token comes into the loop, and on its fail branch; of a loop within a loop, too", () => {
    const found = clearing(LOOPS);
    const kept = found.map((one) => one.replaceAll(/ +/gu, " "));
    expect(new Set(kept)).toEqual(
      new Set([
        // From outside into the outer loop, and back to its head.
        "head step before done: ok",
        "decide step verify fail: ok",
        // From the outer loop into the inner one, and back.
        "inner step head done: small",
        "again step check fail: small",
      ]),
    );
  });

  it("[D9.1] nowhere else: without loops nothing is cleared", () => {
    const plain = workflow(
      [start, verifier("check", "ok"), { id: "pick", kind: "decision" }, end],
      ["start -> check", "check -> pick", "check: error -> pick", { from: "pick", to: "end", default: true }],
    );
    expect(clearing(plain)).toEqual([]);
    expect(frame(plain).clears.size).toBe(0);
  });
});

describe("[D23.3] what the frame has", () => {
  it("[D23.3] of the keys those that are asked, of the guards those of the definition", () => {
    const guard = { key: "x", op: "lessThan", value: 1 } as const;
    const open = { language: "feel", text: "y > 1" };
    const compiled = workflow(
      [start, gateway("fork"), end],
      [
        "start -> fork",
        { from: "fork", to: "end", guard },
        { from: "fork", to: "end", guard: open },
        { from: "fork", to: "end", default: true },
      ],
      { x: { type: "number" }, z: { type: "number" } },
    );
    const found = frame(compiled);
    expect([...found.asked]).toEqual(["x"]);
    expect(found.guards.map((one) => one?.kind ?? null)).toEqual([null, "compare", "opaque", null]);
    expect([...found.open]).toEqual([found.guards[2]]);
    expect(found.compiled).toBe(compiled);
    expect([found.beside, found.several.size, found.ends.size]).toEqual([[], 0, 0]);
  });
});

describe("[D9.1] [D23.3] what a node may write", () => {
  const KEYS = ["ok", "small", "x", "items", "o"];
  function writes(compiled: CompiledWorkflow, id: string, outcome: string) {
    const node = compiled.definition.nodes.findIndex((one) => one.id === id);
    const { has, fields, mayUnset } = writesAt({ compiled }, questionsOf(compiled), node, outcome);
    return { keys: KEYS.filter(has), fields, mayUnset };
  }

  it("[D23.3] a verifier its verdict, true or false, when it is done, and nothing else", () => {
    const verdict = [{ key: "ok", type: "boolean", isOptional: false }];
    expect(writes(LOOPS, "verify", "done")).toEqual({ keys: ["ok"], fields: verdict, mayUnset: false });
    expect(writes(LOOPS, "verify", "error").keys).toEqual([]);
    expect(writes(LOOPS, "check", "done").keys).toEqual(["small"]);
  });

  it("[D23.3] what is no verifier, or names no key, writes as it declares", () => {
    const { definition } = LOOPS;
    const nodes = definition.nodes.map((node): WorkflowNode => {
      if (node.id === "before") return { ...node, meta: { passKey: "ok" } };
      if (node.id !== "check") return node;
      const { meta: _, ...bare } = node;
      return bare;
    });
    const odd = { ...LOOPS, definition: { ...definition, nodes } };
    expect(writes(odd, "before", "done").keys).toEqual(["x", "items", "o"]);
    expect(writes(odd, "check", "done").fields).toBeNull();
  });

  it("[D23.3] anybody else every key that he declares, but no verdict of a loop", () => {
    expect(writes(LOOPS, "before", "done")).toEqual({
      keys: ["x", "items", "o"],
      fields: null,
      mayUnset: false,
    });
    const some = workflow(
      [
        start,
        { id: "job", kind: "tool", writes: ["x", "ok"], meta: {} },
        { id: "free", kind: "tool", meta: {} },
        verifier("check", "ok"),
        end,
      ],
      [
        "start -> job",
        "job -> free",
        "job: error -> free",
        "free -> check",
        "free: error -> check",
        "check -> end",
        "check: error -> end",
      ],
    );
    // No loop has the key: who declares it writes it.
    expect(writes(some, "job", "done")).toEqual({ keys: ["ok", "x"], fields: null, mayUnset: true });
    expect(writes(some, "free", "done").keys).toEqual(KEYS);
    expect(writes(some, "start", "done").keys).toEqual([]);
  });

  it("[D23.3] a form its fields", () => {
    const form = { x: { type: "number", optional: true }, o: "string" };
    const asked = workflow([start, { ...human("ask"), meta: { form } }, end], ["start -> ask", "ask -> end"]);
    const { keys, fields } = writes(asked, "ask", "done");
    expect(keys).toEqual(["x", "o"]);
    expect(fields).toEqual([
      { key: "x", type: "number", isOptional: true },
      { key: "o", type: "string", isOptional: false },
    ]);
  });

  it("[D17.7] several instances the list of their results, when they are done", () => {
    const call = (multi: object): WorkflowNode => ({
      id: "call",
      kind: "subprocess",
      meta: { workflow: "w", multi: { mode: "parallel", collection: "o", ...multi } as Json },
    });
    const calling = (multi: object) =>
      workflow(
        [start, call(multi), gateway("merge"), end],
        [
          "start -> call",
          "call -> merge",
          "call: error -> merge",
          "call: cancelled -> merge",
          "merge -> end",
        ],
      );
    const kept = calling({ result: "r", results: "items" });
    expect(writes(kept, "call", "done")).toEqual({
      keys: ["items"],
      fields: [{ key: "items", type: "array", isOptional: false }],
      mayUnset: false,
    });
    for (const outcome of ["error", "cancelled"]) expect(writes(kept, "call", outcome).keys).toEqual([]);
    expect(writes(calling({}), "call", "done").keys).toEqual([]);
  });
});
