/** @module The form of a work item: the fields that its completion writes into D, and their types. */
import {
  type DataType,
  type Issue,
  issue,
  type Json,
  type JsonObject,
  jsonEqual,
  type Trouble,
  type WorkflowNode,
} from "@tessera/core";

/** A field: its type, and whether it may be left out. */
export interface FormField extends DataType {
  readonly optional: boolean;
}

const TYPES: readonly string[] = ["string", "number", "integer", "boolean", "object", "array", "any"];

/** The fields of a node's form by key, null where the node has none. A malformed field is of any type (`formIssues`). */
export function formOf(node: WorkflowNode): ReadonlyMap<string, FormField> | null {
  const form = node.meta?.["form"];
  if (!isObject(form)) return null;
  return new Map(Object.entries(form).map(([key, field]) => [key, readField(field) ?? ANY]));
}

/** The fields of the form that are neither a type's name nor `{ type, values?, optional? }`. ENGINE001. */
export function formIssues(node: WorkflowNode, path: Issue["path"]): readonly Issue[] {
  const form = node.meta?.["form"];
  if (!isObject(form)) return [];
  return Object.entries(form)
    .filter(([, field]) => readField(field) === null)
    .map(([key]) => {
      const message = `field "${key}" of the form of "${node.id}" is no type and no { type, values, optional }`;
      return issue("ENGINE001", [...path, "meta", "form", key], message, { types: [...TYPES] });
    });
}

/**
 * What is wrong with the values of a completion: a field that is missing or of another type, a key that the form
 * does not have. All at once.
 */
export function formTrouble(
  form: ReadonlyMap<string, FormField>,
  values: { readonly [key: string]: Json | undefined },
): Trouble | null {
  const given = (key: string): Json | undefined => (Object.hasOwn(values, key) ? values[key] : undefined);
  const missing = [...form]
    .filter(([key, field]) => !field.optional && given(key) === undefined)
    .map(([key]) => key);
  const mistyped = [...form]
    .filter(([key, field]) => given(key) !== undefined && !isOfType(given(key) as Json, field))
    .map(([key]) => key);
  const unknown = Object.keys(values).filter((key) => !form.has(key));
  if (missing.length + mistyped.length + unknown.length === 0) return null;
  return {
    code: "FORM_INVALID",
    message: "the values do not fill the form",
    facts: { missing, mistyped, unknown },
  };
}

/** Is `value` of the declared type, and among the declared values where there are any? */
export function isOfType(value: Json, { type, values }: DataType): boolean {
  if (values !== undefined && !values.some((one) => jsonEqual(one, value))) return false;
  switch (type) {
    case "any":
      return true;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const ANY: FormField = { type: "any", optional: false };

function readField(field: Json): FormField | null {
  if (typeof field === "string") return isType(field) ? { type: field, optional: false } : null;
  if (!isObject(field)) return null;
  const { type, values, optional = false } = field as { readonly [key: string]: Json };
  if (!isType(type) || typeof optional !== "boolean") return null;
  if (values === undefined) return { type, optional };
  return Array.isArray(values) ? { type, optional, values: values as readonly Json[] } : null;
}

function isType(type: Json | undefined): type is DataType["type"] {
  return typeof type === "string" && TYPES.includes(type);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
