/** @module Checks values of D against the schemas of their keys. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { FORBIDDEN_KEY } from "../data.ts";
import { type Issue, issue } from "../issue.ts";
import type { Json, Path, PathStep } from "../json.ts";
import type { DataKey } from "../workflow.ts";
import type { DataSchemas } from "./data-schemas.ts";

/**
 * Checks the keys of `patch`, each against its schema; undefined unsets a key and is not checked. Values are checked
 * and never changed: what a schema would make of them is not looked at. Where there are no schemas anything goes.
 * Issues: SCHEMA001 the value does not satisfy the schema (one for each of its issues), SCHEMA002 no schema is
 * declared for the key, SCHEMA003 the schema answers later (a turn waits for nobody), SCHEMA004 the schema threw.
 * Cost: that of the schemas.
 *
 * @definition D12.11
 */
export function validateData(
  schemas: DataSchemas,
  patch: { readonly [key: DataKey]: Json | undefined },
): readonly Issue[] {
  if (Object.keys(schemas).length === 0) return [];
  return Object.entries(patch).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const schema = Object.hasOwn(schemas, key) && key !== FORBIDDEN_KEY ? schemas[key] : undefined;
    if (schema === undefined) return [issue("SCHEMA002", [key], `the key "${key}" is not declared`)];
    return valueIssues(key, schema, value);
  });
}

function valueIssues(key: DataKey, schema: StandardSchemaV1, value: Json): readonly Issue[] {
  try {
    const answer = schema["~standard"].validate(value);
    if (isPromise(answer)) {
      // Nobody will look at the answer, so nobody would catch its failure.
      answer.then(undefined, () => undefined);
      return [
        issue(
          "SCHEMA003",
          [key],
          `the schema of "${key}" checks asynchronously, which a turn cannot wait for`,
        ),
      ];
    }
    return (answer.issues ?? []).map(({ message, path }) =>
      issue("SCHEMA001", [key, ...stepsOf(path)], message),
    );
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "unknown reason";
    return [issue("SCHEMA004", [key], `the schema of "${key}" threw: ${reason}`)];
  }
}

function isPromise<T>(answer: T | Promise<T>): answer is Promise<T> {
  return typeof (answer as { readonly then?: unknown }).then === "function";
}

function stepsOf(path: StandardSchemaV1.Issue["path"]): Path {
  return (path ?? []).map((step): PathStep => {
    const key = typeof step === "object" ? step.key : step;
    return typeof key === "symbol" ? String(key) : key;
  });
}
