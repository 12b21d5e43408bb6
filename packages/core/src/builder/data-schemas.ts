/** @module Keys of D typed by schemas of any library that speaks Standard Schema. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { isJson, isJsonObject, type Json } from "../json.ts";
import { parseJson } from "../json-parse.ts";
import type { DataKey, DataType } from "../workflow.ts";

/** A schema for each key of D. Schemas check values and never change them, so D has their input types. */
export type DataSchemas = Readonly<Record<DataKey, StandardSchemaV1>>;

/** The names of the keys of `D`. */
export type KeyOf<D extends DataSchemas> = keyof D & string;

/** The type of the values of one key. */
export type ValueOf<S extends StandardSchemaV1> = StandardSchemaV1.InferInput<S>;

/** What JSON cannot hold at all. */
type NeverJson =
  | bigint
  | symbol
  // biome-ignore lint/style/noRestrictedGlobals: the type, not the clock
  | Date
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ((...args: never) => unknown);

/** Keys whose schema accepts values that D cannot hold become an error that says so. */
export type JsonSchemas<D extends DataSchemas> = {
  readonly [K in keyof D]: [Extract<ValueOf<D[K]>, NeverJson>] extends [never]
    ? StandardSchemaV1
    : "the data of a run are JSON: this schema accepts values that JSON cannot hold";
};

const TYPES: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "object", "array"]);

/**
 * The declared types of the keys, as far as the schemas tell: libraries that offer JSON Schema (the `jsonSchema` part
 * of the standard) say their type and, for finite domains, their values; of others only the key is known ("any").
 */
export function dataTypes(schemas: DataSchemas): Readonly<Record<DataKey, DataType>> {
  return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, dataTypeOf(schema)]));
}

function dataTypeOf(schema: StandardSchemaV1): DataType {
  const described = jsonSchemaOf(schema);
  if (!isJson(described) || !isJsonObject(described)) return { type: "any" };
  const { type, enum: listed, const: constant } = described;
  const values: Json | undefined = constant === undefined ? listed : [constant];
  // A library may list a value twice; a definition may not.
  const distinct = Array.isArray(values)
    ? new Map(values.map((value) => [JSON.stringify(value), value as Json]))
    : null;
  return {
    type: typeof type === "string" && TYPES.has(type) ? (type as DataType["type"]) : "any",
    ...(distinct === null ? {} : { values: [...distinct.values()] }),
  };
}

/** A library may say that it cannot describe a schema by throwing, and may put anything into its answer. */
function jsonSchemaOf(schema: StandardSchemaV1): unknown {
  const standard = schema["~standard"] as { readonly jsonSchema?: { readonly input?: unknown } };
  const { jsonSchema } = standard;
  if (typeof jsonSchema?.input !== "function") return undefined;
  try {
    const described: unknown = jsonSchema.input({ target: "draft-2020-12" });
    return parseJson(JSON.stringify(described));
  } catch {
    return undefined;
  }
}
