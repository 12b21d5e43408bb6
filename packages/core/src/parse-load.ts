/** @module What is wrong with a well-formed workflow when it is loaded, beyond its graph: decisions, data, nesting. */
import type { Condition } from "./condition.ts";
import { parseCondition } from "./condition-parse.ts";
import { keysRead } from "./condition-reads.ts";
import { indexGraph, nodeOf } from "./graph.ts";
import { unreachable } from "./invariant.ts";
import { type Issue, issue } from "./issue.ts";
import { isJsonArray, isJsonObject, type Json, type Path } from "./json.ts";
import { templateKeys } from "./object-template.ts";
import { nearest } from "./suggest.ts";
import { arcOutcome, type DataKey, type DataType, ERROR, type WorkflowDefinition } from "./workflow.ts";

/** Embedded subprocesses may be nested this deep (included): the scopes around a node are counted again and again. */
export const SCOPE_DEPTH_MAX = 64;

/** With more declared keys than this a misspelt one gets no suggestion, so that the cost stays linear. */
const SUGGEST_FROM_MAX = 200;

/**
 * WF031: nodes that lie in too many scopes. A scope that soon contains itself is for `graphIssues` to report.
 * Cost: the nodes, times the limit.
 */
export function nestingIssues(definition: WorkflowDefinition): readonly Issue[] {
  const graph = indexGraph(definition);
  return definition.nodes.flatMap((node, index) => {
    const around = new Set<string>();
    for (let scope = node.scope; scope !== undefined; scope = nodeOf(graph, scope)?.scope) {
      if (around.has(scope)) return [];
      around.add(scope);
      if (around.size > SCOPE_DEPTH_MAX) {
        return [
          issue(
            "WF031",
            ["nodes", index, "scope"],
            `"${node.id}" lies in more than ${SCOPE_DEPTH_MAX} scopes`,
          ),
        ];
      }
    }
    return [];
  });
}

/**
 * WF030: decisions that may have nowhere to go. A keyed one needs an arc for its default or for its failure; one by
 * guards needs a default arc or an arc without a guard. A governed loop's verdict is O5's and O8's to judge.
 *
 * @definition D12.3
 */
export function decisionIssues(definition: WorkflowDefinition): readonly Issue[] {
  const graph = indexGraph(definition);
  return definition.nodes.flatMap((node, index) => {
    if (node.kind !== "decision" || node.meta?.loop !== undefined) return [];
    const arcs = (graph.outgoing[index] ?? []).flatMap((arc) => definition.arcs[arc] ?? []);
    const isKeyed = node.meta?.branches !== undefined;
    const isTotal = isKeyed
      ? arcs.some((arc) => ["default", ERROR].includes(arcOutcome(arc)))
      : arcs.some((arc) => arc.default === true || arc.guard === undefined);
    if (isTotal) return [];
    const remedy = isKeyed
      ? 'an arc with outcome "default" or "error"'
      : "a default arc, or one without a guard";
    return [issue("WF030", ["nodes", index], `decision "${node.id}" can find no branch: give it ${remedy}`)];
  });
}

/** WF029: possible values that are not of the declared type. */
export function dataTypeIssues(definition: WorkflowDefinition): readonly Issue[] {
  return Object.entries(definition.data ?? {}).flatMap(([key, { type, values }]) =>
    (values ?? []).flatMap((value, i) =>
      hasType(value, type) ? [] : [issue("WF029", ["data", key, "values", i], `the value is no ${type}`)],
    ),
  );
}

/**
 * Warnings WF032 and WF033: where keys of D are declared, a node or a guard names one that is not among them.
 * Cost: linear in the definition.
 */
export function keyWarnings(definition: WorkflowDefinition): readonly Issue[] {
  if (definition.data === undefined) return [];
  const declared = new Set(Object.keys(definition.data));
  const found: Issue[] = [];
  const check = (code: string, key: DataKey, path: Path, who: string) => {
    if (!declared.has(key)) found.push(undeclared(code, key, path, who, declared));
  };
  for (const [index, node] of definition.nodes.entries()) {
    for (const member of ["reads", "writes"] as const) {
      node[member]?.forEach((key, i) => {
        check("WF032", key, ["nodes", index, member, i], `"${node.id}" ${member}`);
      });
      node.graph?.[member]?.objects?.forEach((template, i) => {
        for (const key of templateKeys(template)) {
          check("WF032", key, ["nodes", index, "graph", member, "objects", i], `"${node.id}" ${member} by`);
        }
      });
    }
  }
  for (const [index, arc] of definition.arcs.entries()) {
    for (const key of guardKeys(arc.guard)) {
      check("WF033", key, ["arcs", index, "guard"], `the guard of "${arc.from}" reads`);
    }
  }
  return found;
}

function undeclared(
  code: string,
  key: DataKey,
  path: Path,
  who: string,
  declared: ReadonlySet<DataKey>,
): Issue {
  const meant = declared.size > SUGGEST_FROM_MAX ? undefined : nearest(key, [...declared]);
  const hint = meant === undefined ? "" : `: did you mean "${meant}"?`;
  const facts = meant === undefined ? { key } : { key, suggestion: meant };
  return {
    ...issue(code, path, `${who} the key "${key}", which is not declared${hint}`, facts),
    severity: "warning",
  };
}

function guardKeys(guard: unknown): readonly DataKey[] {
  const parsed: { readonly ok: boolean; readonly value?: Condition } =
    guard === undefined ? { ok: false } : parseCondition(guard);
  return parsed.value === undefined ? [] : keysRead(parsed.value).keys;
}

/** Is `value` of the declared type? An integer is a number without fraction. */
function hasType(value: Json, type: DataType["type"]): boolean {
  switch (type) {
    case "any":
      return true;
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "array":
      return isJsonArray(value);
    case "object":
      return isJsonObject(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return unreachable(type);
  }
}
