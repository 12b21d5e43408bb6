import { type DataSchemas, type Json, validateData } from "@tessera/core";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const libraries: readonly (readonly [string, DataSchemas])[] = [
  [
    "zod",
    {
      amount: z.number().min(0),
      lines: z.array(z.object({ sku: z.string() })),
      name: z.string().trim().min(1),
    },
  ],
  [
    "valibot",
    {
      amount: v.pipe(v.number(), v.minValue(0)),
      lines: v.array(v.object({ sku: v.string() })),
      name: v.pipe(v.string(), v.trim(), v.minLength(1)),
    },
  ],
];

describe.each(libraries)("validateData with %s", (_, schemas) => {
  const found = (patch: { readonly [key: string]: Json | undefined }) =>
    validateData(schemas, patch).map(({ code, path }) => `${code} ${path.join(".")}`);

  it("[D12.11] accepts values that satisfy the schemas of their keys, and keys that are unset", () => {
    expect(found({ amount: 1, lines: [{ sku: "a" }], name: "n" })).toEqual([]);
    expect(found({ amount: undefined })).toEqual([]);
    expect(found({})).toEqual([]);
  });

  it("[D12.11] SCHEMA001 names every place where a value does not satisfy its schema", () => {
    expect(found({ amount: -1, lines: [{ sku: "a" }, { sku: 2 }], name: "n" })).toEqual([
      "SCHEMA001 amount",
      "SCHEMA001 lines.1.sku",
    ]);
    const [issue] = validateData(schemas, { amount: "x" });
    expect(issue?.message).toMatch(/number/i);
  });

  it("[D12.11] checks and never changes", () => {
    const patch = { name: " n " };
    expect(found(patch)).toEqual([]);
    expect(patch).toEqual({ name: " n " });
  });

  it("[D12.11] SCHEMA002 refuses keys without a schema, inherited names included", () => {
    expect(found(JSON.parse('{ "nmae": 1, "constructor": 1, "__proto__": 1 }'))).toEqual([
      "SCHEMA002 nmae",
      "SCHEMA002 constructor",
      "SCHEMA002 __proto__",
    ]);
  });
});

describe("validateData", () => {
  it("[D12.11] SCHEMA003 refuses schemas that answer later, of either library, failing ones included", async () => {
    const slow: DataSchemas = {
      a: z.string().refine(async () => true),
      b: v.pipeAsync(
        v.string(),
        v.checkAsync(async () => true),
      ),
      c: { "~standard": { version: 1, vendor: "mine", validate: () => Promise.reject(new Error("later")) } },
    };
    const issues = validateData(slow, { a: "x", b: "x", c: "x" });
    expect(issues.map(({ code, path }) => `${code} ${path.join(".")}`)).toEqual([
      "SCHEMA003 a",
      "SCHEMA003 b",
      "SCHEMA003 c",
    ]);
    // An unhandled rejection would fail the run.
    await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it("[D12.11] SCHEMA004 reports a schema that throws", () => {
    const throwing = {
      "~standard": { version: 1, vendor: "mine", validate: () => JSON.parse("{") },
    } as const;
    expect(validateData({ a: throwing }, { a: 1 })).toMatchObject([{ code: "SCHEMA004", path: ["a"] }]);
  });

  it("[D12.11] takes paths of symbols and of segments", () => {
    const path = [{ key: "x" }, 0, Symbol("s")];
    const odd = {
      "~standard": { version: 1, vendor: "mine", validate: () => ({ issues: [{ message: "no", path }] }) },
    } as const;
    expect(validateData({ a: odd }, { a: 1 })).toMatchObject([
      { path: ["a", "x", 0, "Symbol(s)"], message: "no" },
    ]);
  });

  it("[D12.11] lets anything pass where no keys are declared", () => {
    expect(validateData({}, { whatever: 1 })).toEqual([]);
  });
});
