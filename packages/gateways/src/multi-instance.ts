/** @module A called workflow that runs several times: once for each member of a collection, in turn or at once. */
import {
  type ConditionData,
  type Issue,
  issue,
  type Json,
  type JsonObject,
  parseCondition,
  type WorkflowNode,
} from "@tessera/core";
import { isCount, isText, type MetaShape } from "./kinds/kind.ts";

/**
 * How often a call runs, and with what. One instance for each member of the list under `collection`, or `count` of
 * them. `element` and `index` name the keys of the instance's data that get its member and its position, from 0;
 * `result` the key of its data that goes, in order, into the list under `results` of D. `completion`: the others are
 * cancelled as soon as it holds.
 */
export interface MultiInstance {
  readonly mode: "sequential" | "parallel";
  readonly collection: string | null;
  readonly count: number;
  readonly element: string | null;
  readonly index: string | null;
  readonly result: string | null;
  readonly results: string | null;
  readonly completion: ConditionData | null;
}

/** Instances that one activity may have. */
export const INSTANCES_MAX = 10_000;

/** How often the node's call runs, null when it is one call. */
export function multiOf(node: WorkflowNode): MultiInstance | null {
  const value = node.meta !== undefined && Object.hasOwn(node.meta, "multi") ? node.meta["multi"] : undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const multi = value as JsonObject;
  const text = (name: string) => (typeof multi[name] === "string" ? (multi[name] as string) : null);
  return {
    mode: multi["mode"] === "parallel" ? "parallel" : "sequential",
    collection: text("collection"),
    count: typeof multi["count"] === "number" ? multi["count"] : 0,
    element: text("element"),
    index: text("index"),
    result: text("result"),
    results: text("results"),
    completion: (multi["completion"] as unknown as ConditionData | undefined) ?? null,
  };
}

const MEMBERS: MetaShape = {
  mode: {
    is: (value) => value === "sequential" || value === "parallel",
    expected: "sequential or parallel",
    required: true,
  },
  collection: { is: isText, expected: "a key of D" },
  count: {
    is: (value) => isCount(value) && (value as number) <= INSTANCES_MAX,
    expected: `an integer from 0 to ${INSTANCES_MAX}`,
  },
  element: { is: isText, expected: "a key of the instance's data" },
  index: { is: isText, expected: "a key of the instance's data" },
  result: { is: isText, expected: "a key of the instance's data" },
  results: { is: isText, expected: "a key of D" },
  completion: { is: (value) => parseCondition(value).ok, expected: "a condition" },
};

/** KIND013: a malformed `multi`, or one at a node that calls nothing. */
export function multiIssues(node: WorkflowNode): readonly Issue[] {
  const value: Json | undefined = node.meta?.["multi"];
  if (value === undefined) return [];
  const wrong = (message: string, ...where: string[]) =>
    issue("KIND013", ["meta", "multi", ...where], `multi of "${node.id}": ${message}`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [wrong("it is no object")];
  const multi = value as JsonObject;
  const found: Issue[] = [];
  for (const [name, { is, expected, required }] of Object.entries(MEMBERS)) {
    const given = Object.hasOwn(multi, name) ? multi[name] : undefined;
    if (given === undefined && required === true) found.push(wrong(`it needs ${name}: ${expected}`));
    if (given !== undefined && !is(given)) found.push(wrong(`${name} is not ${expected}`, name));
  }
  for (const name of Object.keys(multi))
    if (!Object.hasOwn(MEMBERS, name)) found.push(wrong(`it has no "${name}"`, name));
  const has = (name: string) => Object.hasOwn(multi, name);
  if (has("collection") === has("count")) found.push(wrong("it needs either collection or count"));
  if (has("result") !== has("results")) found.push(wrong("it needs both result and results, or neither"));
  if (has("element") && !has("collection")) found.push(wrong("an element is of a collection", "element"));
  if (node.meta?.["workflow"] === undefined) found.push(wrong("only a called workflow runs several times"));
  if (node.meta?.["outputs"] !== undefined)
    found.push(wrong("several runs have no outputs: their results are collected"));
  return found;
}
