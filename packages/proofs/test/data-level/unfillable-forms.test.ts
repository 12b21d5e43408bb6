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
});
