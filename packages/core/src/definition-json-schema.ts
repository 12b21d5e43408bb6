/** @module The JSON Schema (2020-12) of the definition format, made from the same shapes that the reader checks. */
import { OPERATORS } from "./condition-parse.ts";
import { FORBIDDEN_KEY } from "./data.ts";
import { type Member, NAME_LENGTH_MAX, NET_SHAPE, type Shape, WORKFLOW_SHAPE } from "./definition-shape.ts";
import { unreachable } from "./invariant.ts";
import type { JsonObject } from "./json.ts";

/**
 * The schema published as `docs/schema/workflow.schema.json`. It accepts exactly the values that have the form of a
 * definition (D12.1), but for patterns of `matches` that need more than linear time, which no schema can tell.
 * What the graph, the kinds and the rules of loading ask is more than form: `parseDefinition` checks all of it.
 */
export function definitionJsonSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Tessera definition",
    description:
      "A workflow, or a bare net, as data. Unknown members are refused: a misspelt one must not be silence.",
    anyOf: [{ $ref: "#/$defs/workflow" }, { $ref: "#/$defs/net" }],
    $defs: {
      workflow: schemaOf(WORKFLOW_SHAPE),
      net: schemaOf(NET_SHAPE),
      name: {
        type: "string",
        minLength: 1,
        maxLength: NAME_LENGTH_MAX,
        pattern: "^(?=.*\\S)[^\\p{Cc}\\u2028\\u2029]*$",
      },
      condition: CONDITION,
      dataKey: { type: "string", not: { const: FORBIDDEN_KEY } },
      dataPath: {
        type: "array",
        items: {
          anyOf: [
            { $ref: "#/$defs/dataKey" },
            { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
          ],
        },
      },
    },
  };
}

function schemaOf(shape: Shape): JsonObject {
  switch (shape.kind) {
    case "name":
    case "condition":
      return { $ref: `#/$defs/${shape.kind}` };
    case "text":
      return { type: "string" };
    case "json":
      return {};
    case "json-object":
      return { type: "object" };
    case "const":
      return { const: shape.value };
    case "choice":
      return { enum: shape.values };
    case "count":
      return { type: "integer", minimum: shape.min, maximum: shape.max };
    case "either":
      return { anyOf: [schemaOf(shape.text), schemaOf(shape.object)] };
    case "list":
      return {
        type: "array",
        items: schemaOf(shape.of),
        maxItems: shape.max,
        ...(shape.unique === true ? { uniqueItems: true } : {}),
      };
    case "tuple": {
      const count = shape.of.length;
      return {
        type: "array",
        prefixItems: shape.of.map(schemaOf),
        items: false,
        minItems: count,
        maxItems: count,
      };
    }
    case "table": {
      const name = { $ref: "#/$defs/name" };
      return {
        type: "object",
        propertyNames: shape.isData === true ? { allOf: [name, { $ref: "#/$defs/dataKey" }] } : name,
        additionalProperties: schemaOf(shape.of),
        maxProperties: shape.max,
      };
    }
    case "object":
      return objectSchema(shape.members);
    default:
      return unreachable(shape);
  }
}

function objectSchema(members: ReadonlyMap<string, Member>): JsonObject {
  const required = [...members].filter(([, member]) => member.isRequired).map(([name]) => name);
  const properties = Object.fromEntries([...members].map(([name, { shape }]) => [name, schemaOf(shape)]));
  return closed(properties, required);
}

function closed(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

const KEY: JsonObject = { $ref: "#/$defs/dataKey" };
const STEPS: JsonObject = { $ref: "#/$defs/dataPath" };
const ITSELF: JsonObject = { $ref: "#/$defs/condition" };

/** A comparison of a key: `operand` are the members besides key, path and op. */
function comparison(ops: readonly string[], operand: JsonObject, required: readonly string[]): JsonObject {
  return closed({ key: KEY, path: STEPS, op: { enum: ops }, ...operand }, ["key", "op", ...required]);
}

const ORDERED: readonly string[] = ["greaterThan", "atLeast", "lessThan", "atMost"];
const LISTED: readonly string[] = ["isOneOf", "isNoneOf"];

const CONDITION: JsonObject = {
  anyOf: [
    comparison(["isAssigned"], {}, []),
    comparison(["is", "isNot", "contains"], { value: {} }, ["value"]),
    comparison(LISTED, { value: { type: "array" } }, ["value"]),
    comparison(ORDERED, { value: { type: ["number", "string"] } }, ["value"]),
    comparison(["matches"], { value: { type: "string" } }, ["value"]),
    comparison(
      OPERATORS.filter((op) => op !== "isAssigned" && op !== "matches"),
      { valueOf: KEY, valuePath: STEPS },
      ["valueOf"],
    ),
    closed({ all: { type: "array", items: ITSELF } }, ["all"]),
    closed({ any: { type: "array", items: ITSELF } }, ["any"]),
    closed({ not: ITSELF }, ["not"]),
    closed({ language: { type: "string" }, text: { type: "string" } }, ["language", "text"]),
    closed({ predicate: { type: "string" } }, ["predicate"]),
  ],
};
