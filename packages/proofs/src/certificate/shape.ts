/** @module Shapes of JSON values: what a certificate may contain, as data, so that parser and schema say the same. */
import type { Json, JsonObject } from "@tessera/core";

/**
 * place, transition: an index into the net. marking: one natural for each place. json: any value; object: any JSON object.
 * Fields are all required but those in `optional`.
 */
export type Shape =
  | { readonly kind: "natural" | "integer" | "place" | "transition" | "marking" | "null" | "json" | "object" }
  | { readonly kind: "text"; readonly values?: readonly string[] }
  | { readonly kind: "list"; readonly of: Shape }
  | {
      readonly kind: "record";
      readonly fields: Readonly<Record<string, Shape>>;
      readonly optional?: readonly string[];
    }
  | { readonly kind: "choice"; readonly of: readonly Shape[] };

/** Lists of a shape. */
export function list(of: Shape): Shape {
  return { kind: "list", of };
}

/** What has one of the shapes. */
export function either(...of: readonly Shape[]): Shape {
  return { kind: "choice", of };
}

/** Records whose `kind` is one of `values`. */
export function named(
  values: readonly string[],
  fields: Readonly<Record<string, Shape>> = {},
  optional: readonly string[] = [],
): Extract<Shape, { readonly kind: "record" }> {
  return { kind: "record", fields: { kind: { kind: "text", values }, ...fields }, optional };
}

/** How many places and transitions the net has: indices are below. */
export interface Sizes {
  readonly places: number;
  readonly transitions: number;
}

/** Does `value` have the shape? No field more than it names, every index inside the net. */
export function conforms(shape: Shape, value: Json | undefined, sizes: Sizes): boolean {
  switch (shape.kind) {
    case "natural":
      return isNatural(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "place":
      return isNatural(value) && value < sizes.places;
    case "transition":
      return isNatural(value) && value < sizes.transitions;
    case "marking":
      return Array.isArray(value) && value.length === sizes.places && value.every(isNatural);
    case "null":
      return value === null;
    case "json":
      return value !== undefined;
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "text":
      return typeof value === "string" && (shape.values?.includes(value) ?? true);
    case "list":
      return Array.isArray(value) && value.every((item: Json) => conforms(shape.of, item, sizes));
    case "choice":
      return shape.of.some((option) => conforms(option, value, sizes));
    case "record": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const given = value as JsonObject;
      const { fields, optional = [] } = shape;
      if (Object.keys(given).some((key) => !Object.hasOwn(fields, key))) return false;
      return Object.entries(fields).every(([key, of]) => {
        if (!Object.hasOwn(given, key)) return optional.includes(key);
        return conforms(of, given[key], sizes);
      });
    }
  }
}

/** The shape as JSON Schema (draft 2020-12). What depends on the net is left to the verifier. */
export function jsonSchemaOf(shape: Shape): JsonObject {
  switch (shape.kind) {
    case "natural":
    case "place":
    case "transition":
      return { type: "integer", minimum: 0 };
    case "integer":
      return { type: "integer" };
    case "marking":
      return { type: "array", items: { type: "integer", minimum: 0 } };
    case "null":
      return { type: "null" };
    case "json":
      return {};
    case "object":
      return { type: "object" };
    case "text":
      return shape.values === undefined ? { type: "string" } : { enum: shape.values };
    case "list":
      return { type: "array", items: jsonSchemaOf(shape.of) };
    case "choice":
      return { anyOf: shape.of.map(jsonSchemaOf) };
    case "record": {
      const { fields, optional = [] } = shape;
      const entries = Object.entries(fields);
      return {
        type: "object",
        properties: Object.fromEntries(entries.map(([key, of]) => [key, jsonSchemaOf(of)])),
        required: entries.map(([key]) => key).filter((key) => !optional.includes(key)),
        additionalProperties: false,
      };
    }
  }
}

function isNatural(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
