/** @module Data of declared types, chosen by a number: small numbers give the plainest values. */
import type { DataType, Json, JsonObject, WorkflowNode } from "@tessera/core";
import { formOf } from "../form.ts";
import type { Version } from "../versions.ts";

/** A value for each key that the definition declares. */
export function declaredData({ plan }: Version, number: number): JsonObject {
  if (plan.program.compiled.kind === "net") return {};
  return filled(Object.entries(plan.program.compiled.definition.data ?? {}), number);
}

/** A value for each declared key that the node writes. */
export function writtenData({ plan }: Version, { writes = [] }: WorkflowNode, number: number): JsonObject {
  if (plan.program.compiled.kind === "net") return {};
  const types = plan.program.compiled.definition.data ?? {};
  return filled(
    writes.flatMap((key) => (types[key] === undefined ? [] : [[key, types[key]] as const])),
    number,
  );
}

/** A value for each field of the node's form; none without a form. */
export function filledForm(node: WorkflowNode | undefined, number: number): JsonObject {
  return filled(node === undefined ? [] : [...(formOf(node) ?? [])], number);
}

/** A value for each key, each chosen by another digit of the number. */
function filled(types: readonly (readonly [key: string, type: DataType])[], number: number): JsonObject {
  return Object.fromEntries(
    types.map(([key, type], at) => [key, sampleOf(type, Math.floor(number / 4 ** at))]),
  );
}

function sampleOf({ type, values }: DataType, number: number): Json {
  if (values !== undefined && values.length > 0) return values[number % values.length] ?? null;
  switch (type) {
    case "boolean":
      return number % 2 === 0;
    case "number":
    case "integer":
      return [0, 1, 10, 1_000][number % 4] ?? 0;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return ["a", "b", "", "c"][number % 4] ?? "a";
  }
}
