/** @module Building blocks of the standard kinds: outcomes of meta, and checks that several kinds share. */
import { DONE, EXPIRED, type Issue, issue, type Json, type Outcome, type WorkflowNode } from "@tessera/core";

/** A meta value by name, undefined when absent. */
export function metaOf(node: WorkflowNode, name: string): Json | undefined {
  return node.meta !== undefined && Object.hasOwn(node.meta, name) ? node.meta[name] : undefined;
}

/** The declared outcomes of a body (default: done), then those that the kind adds, without duplicates. */
export function outcomesOf(node: WorkflowNode, ...added: readonly Outcome[]): readonly Outcome[] {
  const declared = metaOf(node, "outcomes");
  const own = Array.isArray(declared) ? declared.filter((o): o is string => typeof o === "string") : [DONE];
  return [...new Set([...own, ...added])];
}

/** Of meta.events; what they must be is `eventIssues`' to say. */
export const EVENTS: MetaShape = {
  events: { is: (value) => Array.isArray(value), expected: "a list of events" },
};

/** `expired` where the node has a deadline. */
export function expiry(node: WorkflowNode): readonly Outcome[] {
  return metaOf(node, "deadline") === undefined ? [] : [EXPIRED];
}

/** What one key of meta must be. */
export type MetaShape = Readonly<
  Record<
    string,
    { readonly is: (value: Json) => boolean; readonly expected: string; readonly required?: boolean }
  >
>;

export const isText = (value: Json): boolean => typeof value === "string" && value.trim() !== "";
export const isTexts = (value: Json): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((v) => isText(v as Json)) &&
  new Set(value).size === value.length;
export const isObject = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isTextMap = (value: Json): boolean =>
  isObject(value) && Object.values(value as { readonly [k: string]: Json }).every(isText);
export const isFlag = (value: Json): boolean => typeof value === "boolean";
export const isCount = (value: Json): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

/** Keys of meta that every kind understands: free text for people and the drawing, never behaviour. */
const FREE = new Set(["documentation", "position"]);

/**
 * Problems of meta against a shape: missing, ill-typed and unknown keys, all at once. An unknown key is an issue:
 * a misspelt deadline must not be silence.
 */
export function metaIssues(node: WorkflowNode, shape: MetaShape): readonly Issue[] {
  const found: Issue[] = [];
  for (const [name, { is, expected, required }] of Object.entries(shape)) {
    const value = metaOf(node, name);
    if (value === undefined && required === true)
      found.push(issue("KIND001", ["meta", name], `"${node.id}" (${node.kind}) needs ${name}: ${expected}`));
    if (value !== undefined && !is(value))
      found.push(issue("KIND002", ["meta", name], `${name} of "${node.id}" is not ${expected}`));
  }
  for (const name of Object.keys(node.meta ?? {})) {
    if (!Object.hasOwn(shape, name) && !FREE.has(name)) {
      found.push(
        issue("KIND003", ["meta", name], `a ${node.kind} node has no "${name}"`, {
          known: Object.keys(shape),
        }),
      );
    }
  }
  return found;
}
