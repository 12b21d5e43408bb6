/** @module Reads definitions from unknown input: a definition in normal form, or everything that is wrong with it. */
import { orderedCopy } from "./data.ts";
import { NET_SHAPE, WORKFLOW_SHAPE } from "./definition-shape.ts";
import { graphIssues, indexGraph } from "./graph.ts";
import { type Issue, issue } from "./issue.ts";
import { isJsonObject, type Json, jsonProblems } from "./json.ts";
import type { KindTable } from "./kinds.ts";
import { compileNetDefinition } from "./net-definition.ts";
import { dataTypeIssues, decisionIssues, keyWarnings, nestingIssues } from "./parse-load.ts";
import { checkShape } from "./parse-shape.ts";
import { bad, ok, type Result } from "./result.ts";
import type { Definition, NetDefinition, WorkflowDefinition } from "./workflow.ts";

/** A result with the warnings that came up on the way; `issues` of a failure are errors only. */
export type Parsed<T> = Result<T, readonly Issue[]> & { readonly warnings: readonly Issue[] };

/**
 * Reads a workflow definition. The value is a frozen copy in normal form: the keys of every object in code-unit
 * order, so that equal definitions compile to the same net, index by index. `value` is not changed and not kept.
 * Issues: all at once: WF020 not JSON; of form (WF021 to WF028, COND, DATA003); then, unless a member that the graph
 * depends on is malformed, of the graph (WF001 to WF013, those of the kinds), WF029, WF030, WF031.
 * Warnings: WF032, WF033 and those of the graph. Cost: linear in the value, and what the kinds' checks cost.
 *
 * @definition D12.2
 */
export function parseWorkflow(value: unknown, kinds: KindTable): Parsed<WorkflowDefinition> {
  const problems = jsonIssues(value);
  if (problems.length > 0) return refused(problems);
  const json = value as Json;
  const { issues, isGraphReadable } = checkShape(json, WORKFLOW_SHAPE);
  if (!isGraphReadable || !isJsonObject(json)) return refused(issues);
  const definition = orderedCopy(json) as unknown as WorkflowDefinition;
  const isIn = (member: string) => (found: Issue) => found.path[0] === member;
  const nesting = nestingIssues(definition);
  const found = [
    ...issues,
    ...nesting,
    ...(nesting.length > 0 ? [] : graphIssues(indexGraph(definition), kinds)),
    ...decisionIssues(definition),
    ...(issues.some(isIn("data")) ? [] : [...dataTypeIssues(definition), ...keyWarnings(definition)]),
  ];
  return concluded(definition, found);
}

/** Reads a workflow definition or a net definition. Issues of nets: those of form, then NET001 to NET003. */
export function parseDefinition(value: unknown, kinds: KindTable): Parsed<Definition> {
  const problems = jsonIssues(value);
  if (problems.length > 0) return refused(problems);
  const json = value as Json;
  if (!isNet(json)) return parseWorkflow(json, kinds);
  const { issues, isGraphReadable } = checkShape(json, NET_SHAPE);
  if (!isGraphReadable) return refused(issues);
  const definition = orderedCopy(json) as unknown as NetDefinition;
  const compiled = compileNetDefinition(definition);
  return concluded(definition, compiled.ok ? issues : [...issues, ...compiled.issues]);
}

/** By its kind, and where that says neither, by its members: the issues should be of the form that was meant. */
function isNet(json: Json): boolean {
  if (!isJsonObject(json)) return false;
  if (json["kind"] === "net" || json["kind"] === "workflow") return json["kind"] === "net";
  return Object.hasOwn(json, "places") || Object.hasOwn(json, "transitions");
}

function jsonIssues(value: unknown): readonly Issue[] {
  return jsonProblems(value).map(({ path, message }) =>
    issue("WF020", path, `a definition must be JSON: ${message}`),
  );
}

function concluded<T>(definition: T, found: readonly Issue[]): Parsed<T> {
  const warnings = found.filter(({ severity }) => severity === "warning");
  const errors = found.filter(({ severity }) => severity !== "warning");
  return errors.length > 0 ? { ...bad(errors), warnings } : { ...ok(freeze(definition)), warnings };
}

function refused(issues: readonly Issue[]): Parsed<never> {
  return { ...bad(issues), warnings: [] };
}

/** Freezes `value` and everything in it: what is named by its hash must not change. */
function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) freeze(member);
    Object.freeze(value);
  }
  return value;
}
