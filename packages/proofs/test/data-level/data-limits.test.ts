import type { Arc, DataType } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { proveWorkflow } from "../../src/index.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

describe("limits of the level of the data", () => {
  it("[D23.5] time is looked at among the many answers of few states", () => {
    const keys = Array.from({ length: 9 }, (_, k) => `k${k}`);
    const data = Object.fromEntries(keys.map((key): [string, DataType] => [key, { type: "boolean" }]));
    const compiled = workflow(
      [
        start,
        { ...human("ask"), writes: keys },
        gateway("split", { split: "or" }),
        gateway("join", { join: "or" }),
        end,
        ...keys.map((id) => human(id)),
      ],
      [
        "start -> ask",
        "ask -> split",
        ...keys.map((to): Arc => ({ from: "split", to, guard: { key: to, op: "is", value: true } })),
        { from: "split", to: "join", default: true },
        ...keys.map((id) => `${id} -> join`),
        "join -> end",
      ],
      data,
    );
    let at = 0;
    const now = () => {
      at += 1;
      return at;
    };
    // Of the 512 cases each has 512 answers: long before many states were left the choices are too many.
    const short = proveWorkflow(compiled, { level: "data", limits: { timeoutMs: 40 }, now }).data!;
    expect(short.obligations[0]).toMatchObject({
      verdict: { kind: "unknown", limit: { kind: "time", at: 40 } },
    });
  });

  it("[D23.1] the listed values of a key may be many", () => {
    const values = Array.from({ length: 400 }, (_, v) => `v${v}`);
    const listed = workflow(
      [start, gateway("fork"), ...values.slice(0, 60).map((id) => human(id)), end],
      [
        "start -> fork",
        ...values
          .slice(0, 60)
          .map((to): Arc => ({ from: "fork", to, guard: { key: "c", op: "is", value: to } })),
        { from: "fork", to: "end", default: true },
        ...values.slice(0, 60).map((id) => `${id} -> end`),
      ],
      { c: { type: "string", values } },
    );
    const kinds = proveWorkflow(listed, { level: "data" }).data!.obligations.map(
      ({ verdict }) => verdict.kind,
    );
    expect(new Set(kinds)).toEqual(new Set(["holds"]));
  });
});
