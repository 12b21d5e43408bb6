/** @module Forms that nobody can fill, since no value that they take fits the declaration of its key. */
import type { DataType, Json } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { end, human, start, workflow } from "../workflow-text.ts";
import { proveOnData as prove } from "./prove-on-data.ts";

/** One task with a form that asks for `a`. */
const asking = (field: Json, declared: DataType) =>
  workflow([start, { ...human("ask"), meta: { form: { a: field } } }, end], ["start -> ask", "ask -> end"], {
    a: declared,
  });

describe("[D23.3] forms that nobody can fill", () => {
  it.each([
    ["string", { type: "number" }],
    ["integer", { type: "boolean" }],
    [
      { type: "string", values: ["x"] },
      { type: "string", values: ["y"] },
    ],
    [{ type: "number", values: [1.5] }, { type: "integer" }],
    ["number", { type: "string", values: ["1"] }],
    [{ type: "string", values: [1] }, { type: "any" }],
  ] as const)("[D23.3] %j for a key that is %j: no line says that the run can end", (field, declared) => {
    const { obligations } = prove(asking(field, declared));
    expect(obligations.filter(({ verdict }) => verdict.kind === "holds")).toEqual([]);
    expect(obligations[0]?.message).toContain(
      '"ask" asks for "a", which no value of its declaration can fill',
    );
  });

  it.each([
    ["string", { type: "string" }],
    ["integer", { type: "number" }],
    ["number", { type: "integer" }],
    ["any", { type: "object" }],
    ["string", { type: "any" }],
    [
      { type: "string", values: ["x", "y"] },
      { type: "string", values: ["y"] },
    ],
    [{ type: "string", optional: true }, { type: "number" }],
  ] as const)("[D23.3] %j for a key that is %j: it can be filled, or left", (field, declared) => {
    const { obligations } = prove(asking(field, declared));
    expect(obligations.find(({ id }) => id === "O1")?.verdict.kind).toBe("holds");
  });

  it("[D23.3] a key that must be filled and may not be written: no line says that the run can end", () => {
    const form = { a: "number", b: "number" };
    const ask = (meta: object, writes: readonly string[]) =>
      prove(
        workflow(
          [start, { ...human("ask"), meta: { form: meta as never }, writes }, end],
          ["start -> ask", "ask -> end"],
          {
            a: { type: "number" },
          },
        ),
      ).obligations;
    const outside = ask(form, ["a"]);
    expect(outside.filter(({ verdict }) => verdict.kind === "holds")).toEqual([]);
    expect(outside[0]?.message).toContain('"ask" asks for "b", which it may not write');
    expect(ask(form, ["a", "b"])[0]).toMatchObject({ id: "O1", verdict: { kind: "holds" } });
    const left = { ...form, b: { type: "number", optional: true } };
    expect(ask(left, ["a"])[0]).toMatchObject({ id: "O1", verdict: { kind: "holds" } });
  });

  it("[D23.3] a verdict of a loop is for its verifier alone, and not for a form", () => {
    const body = ["ask", "check"];
    const loop = { id: "ask", budget: 1, passKey: "ok", proves: "that it is right", body };
    const asking = (form: object) =>
      prove(
        workflow(
          [
            start,
            { ...human("ask"), meta: { form: form as never } },
            { id: "check", kind: "verifier", meta: { passKey: "ok" } },
            { id: "again", kind: "decision", meta: { loop } },
            end,
          ],
          [
            "start -> ask",
            "ask -> check",
            "check -> again",
            "check: error -> again",
            "again: fail -> ask",
            "again: pass -> end",
            "again: exhausted -> end",
            "again: error -> end",
          ],
        ),
      ).obligations[0];
    expect(asking({ note: "string" })).toMatchObject({ id: "O1", verdict: { kind: "holds" } });
    expect(asking({ ok: "boolean" })).toMatchObject({
      verdict: { kind: "unknown" },
      message: expect.stringContaining('"ask" asks for "ok", which it may not write'),
    });
  });
});
