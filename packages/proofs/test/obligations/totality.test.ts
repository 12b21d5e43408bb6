import type { Arc } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { proveWorkflow } from "../../src/index.ts";
import { failure, kinds, line } from "../report-lines.ts";
import { end, human, start, transform, workflow } from "../workflow-text.ts";

describe("[D8.10] outcome totality", () => {
  const decide = (arcs: readonly Omit<Arc, "from">[], data: Parameters<typeof workflow>[2] = undefined) =>
    workflow(
      [
        start,
        transform("n", { meta: { outcomes: ["go"] } }),
        end,
        ...["other", "third"]
          .filter((id) => arcs.some(({ to }) => to === id))
          .map((id) => ({ id, kind: "end" })),
      ],
      ["start -> n", "n: error -> end", ...arcs.map((arc) => ({ ...arc, from: "n", outcome: "go" }))],
      data,
    );
  const key = "amount";

  it("[D8.10] [C20-20] an outcome without an arc", () => {
    const compiled = workflow(
      [start, human("ask", "yes", "no"), transform("t"), end],
      ["start -> ask", "ask: yes -> t", "t -> end"],
    );
    expect(failure(compiled, "O5")).toMatchObject({
      level: "data",
      message: 'no arc leaves "ask" under "no"; no arc leaves "t" under "error"',
      witness: {
        gaps: [
          { kind: "no-arc", node: "ask", outcome: "no" },
          { kind: "no-arc", node: "t", outcome: "error" },
        ],
      },
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
        {
          to: "other",
          guard: {
            all: [
              { key, op: "atLeast", value: 100 },
              { key, op: "lessThan", value: 200 },
            ],
          },
        },
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
        {
          to: "other",
          guard: {
            all: [
              { key: "a", op: "is", value: false },
              { key: "b", op: "is", value: true },
            ],
          },
        },
        { to: "third", guard: { key: "b", op: "is", value: false } },
      ],
      { a: { type: "boolean" }, b: { type: "boolean" } },
    );
    expect(kinds(proveWorkflow(flags)).O5).toBe("holds");
  });

  it("[D8.10] [HZ-04] is asked of the fragment alone: what the host around it leaves open is the host's", () => {
    const fragment = workflow([start, transform("t"), end], ["start -> t", "t -> end", "t: error -> end"]);
    const alone = proveWorkflow(fragment);
    expect(kinds(alone).O5).toBe("holds");
    expect(alone.labels).toEqual(["done"]);
    const host = workflow(
      [
        start,
        human("ask", "yes", "no"),
        { id: "call", kind: "subprocess", meta: { workflow: "fragment" } },
        end,
      ],
      ["start -> ask", "ask: yes -> call", "call -> end", "call: error -> end", "call: cancelled -> end"],
    );
    const children = new Map([["fragment", alone.labels ?? []]]);
    expect(failure(host, "O5", { children })).toMatchObject({
      witness: { gaps: [{ kind: "no-arc", node: "ask", outcome: "no" }] },
    });
    const open = workflow([start, transform("t"), end], ["start -> t", "t -> end"]);
    expect(failure(open, "O5")).toMatchObject({
      witness: { gaps: [{ kind: "no-arc", node: "t", outcome: "error" }] },
    });
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
    expect(line(report, "O5")).toMatchObject({
      verdict: { kind: "unknown" },
      message: 'the guards of "n" under "go" cannot be decided here',
    });
    expect(report.assumptions.at(-1)).toBe("O1 is modulo failure where O5 is open");
    const total = decide(
      [
        predicate,
        { to: "other", guard: { key: "a", op: "is", value: true } },
        { to: "third", guard: { key: "a", op: "is", value: false } },
      ],
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
