/** @module The data map D of a run: JSON values by key, in an order that depends on the content only. */

import type { Issue } from "./issue.ts";
import {
  isJsonArray,
  isJsonObject,
  JSON_LIMITS,
  type Json,
  type JsonLimits,
  type JsonObject,
  type JsonProblem,
  jsonBytes,
  jsonProblems,
  ownValue,
  type Path,
} from "./json.ts";
import { bad, ok, type Result } from "./result.ts";

/** The data of a run. Its keys are the names that nodes read and write; no key is `__proto__`. */
export type Data = JsonObject;

/** The one key that a data map and a path cannot have: assigning it changes what an object inherits. */
export const FORBIDDEN_KEY = "__proto__";

/** Limits of the data of a run: those of JSON, and the bytes of its canonical form (included). */
export interface DataLimits extends JsonLimits {
  readonly bytesMax: number;
}

/** The limits unless the host sets its own: 16 MiB. */
export const DATA_LIMITS: DataLimits = { ...JSON_LIMITS, bytesMax: 16_777_216 };

/**
 * Reads the data of a run, or names everything that is wrong with it. The result is an ordered copy: later changes
 * of `value` do not reach it.
 * Issues: DATA001 not an object, DATA002 not JSON, DATA003 a forbidden key, DATA004 too large.
 *
 * @definition D4.5
 */
export function parseData(
  value: unknown,
  path: Path = [],
  limits: DataLimits = DATA_LIMITS,
): Result<Data, readonly Issue[]> {
  const problems = jsonProblems(value, limits);
  if (problems.length > 0) {
    return bad(problems.map((problem) => notJson(problem, path)));
  }
  const data = value as Json;
  if (!isJsonObject(data)) {
    return bad([notAnObject(path)]);
  }
  const issues: Issue[] = [];
  if (Object.hasOwn(data, FORBIDDEN_KEY)) {
    issues.push(forbiddenKey([...path, FORBIDDEN_KEY]));
  }
  const bytes = jsonBytes(data, limits.bytesMax);
  if (bytes > limits.bytesMax) {
    issues.push({
      code: "DATA004",
      path,
      message: `The data must take at most ${limits.bytesMax} bytes.`,
      facts: { bytesMax: limits.bytesMax },
    });
  }
  return issues.length > 0 ? bad(issues) : ok(orderedCopy(data) as Data);
}

/** DATA001: the issue of data that are no object. */
export function notAnObject(path: Path): Issue {
  return { code: "DATA001", path, message: "The data of a run must be an object of values by key." };
}

/** DATA002: the issue of data that are no JSON. */
export function notJson(problem: JsonProblem, path: Path = []): Issue {
  return {
    code: "DATA002",
    path: [...path, ...problem.path],
    message: `The data must be JSON: ${problem.message}.`,
  };
}

/** DATA003: the issue of a key or path step that is `__proto__`. */
export function forbiddenKey(path: Path): Issue {
  return { code: "DATA003", path, message: "The key __proto__ cannot be used as a data key or in a path." };
}

/**
 * The value at `path` below `key` of `data`; undefined if there is none.
 * A string step reads an own member of an object, a number step a member of an array; anything else has no such step.
 */
export function readData(data: Data, key: string, path: Path): Json | undefined {
  let value = ownValue(data, key);
  for (const step of path) {
    if (typeof step === "number") {
      value = isJsonArray(value) ? value[step] : undefined;
    } else {
      value = isJsonObject(value) ? ownValue(value, step) : undefined;
    }
  }
  return value;
}

/**
 * A copy of `value` in normal order: keys are added in code-unit order, so that the order in which a body meets them
 * depends on the content alone, not on history; a run that was reloaded cannot behave differently. (JavaScript lists
 * keys that are array indices first, in ascending order; that too depends on the content alone.)
 * Law: `jsonEqual(value, orderedCopy(value))`, and equal values have copies with the same order.
 *
 * @definition D4.6
 */
export function orderedCopy(value: Json): Json {
  if (isJsonArray(value)) {
    return value.map(orderedCopy);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  // `fromEntries` defines members, so a key `__proto__` stays a key.
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, orderedCopy(value[key] as Json)]),
  );
}
