/** @module Schemas of objects of the product graph: which fields a payload must and may have, and their types. */

import type { Finding } from "./integrity.ts";
import { isJsonArray, type Json, type JsonObject } from "./json.ts";

/** The type of a field; `integer` is a number without a fraction, `any` every value. */
export type FieldType = "any" | "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** A list of types means any of them. */
export type FieldTypes = FieldType | readonly FieldType[];

/**
 * The schema sigma = (req, opt, types) of a type of objects: the fields that a payload must have and those that it may
 * have, each with its types. Other fields are not allowed.
 *
 * @definition D18.5
 */
export interface ObjectSchema {
  readonly required: ReadonlyMap<string, FieldTypes>;
  readonly optional: ReadonlyMap<string, FieldTypes>;
}

/** What keeps `payload` from satisfying `schema`: fields that are missing, of another type, or not in the schema. */
export function schemaFindings(id: string, payload: JsonObject, schema: ObjectSchema): readonly Finding[] {
  const missing = [...schema.required.keys()]
    .filter((field) => !Object.hasOwn(payload, field))
    .map((field) => ({ message: `${id} lacks the field ${field}.`, facts: { id, field } }));
  const wrong = Object.keys(payload)
    .sort()
    .flatMap((field) => fieldFindings(id, field, payload[field] as Json, schema));
  return [...missing, ...wrong];
}

function fieldFindings(id: string, field: string, value: Json, schema: ObjectSchema): readonly Finding[] {
  const types = schema.required.get(field) ?? schema.optional.get(field);
  if (types === undefined) {
    return [
      { message: `${id} has the field ${field}, which its schema does not have.`, facts: { id, field } },
    ];
  }
  const expected = typeof types === "string" ? [types] : types;
  if (expected.some((type) => hasType(value, type))) {
    return [];
  }
  const facts = { id, field, expected, found: typeName(value) };
  return [{ message: `${id} has a field ${field} that is not ${expected.join(" or ")}.`, facts }];
}

function hasType(value: Json, type: FieldType): boolean {
  return type === "any" || type === typeName(value) || (type === "integer" && Number.isInteger(value));
}

function typeName(value: Json): string {
  if (value === null) {
    return "null";
  }
  return isJsonArray(value) ? "array" : typeof value;
}
