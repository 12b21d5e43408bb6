/** @module Tasks: which kind of node does the work, by which port or which people. */
import type { Json, WorkflowNode } from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import { baseOf } from "./draft.ts";
import type { BpmnNode } from "./model.ts";
import { childOf, expressionOf, listOf, textOf } from "./raw.ts";
import { attributeOf, extensions, ignoredExtensions, implementation, vendorAttribute } from "./vendor.ts";

/** What `port` of the options is asked about: a task that something outside does. */
export interface BpmnTask {
  readonly id: string;
  readonly type: string;
  readonly name: string | undefined;
  readonly script: string | undefined;
  readonly scriptFormat: string | undefined;
}

/** How tasks become nodes. */
export interface TaskOptions {
  /** A task without a type, and a manual task: human = a person says that it is done (default), tool = a port, pass = nothing. */
  readonly plainTask?: "human" | "tool" | "pass";
  /** The port of a task; undefined: the default, which is the first of implementation, topic, class, decision, name, id. */
  readonly port?: (task: BpmnTask) => string | undefined;
}

/** The types that are tasks, and call-less activities alike. */
export const TASKS: ReadonlySet<string> = new Set([
  "task",
  "manualTask",
  "userTask",
  "serviceTask",
  "sendTask",
  "businessRuleTask",
  "scriptTask",
  "receiveTask",
]);

/** A task as a node, without the outcomes that its boundary events add. */
export type TaskNode = Pick<WorkflowNode, "id" | "label" | "scope" | "kind"> & {
  readonly meta: { readonly [key: string]: Json };
};

/**
 * The node of a task. userTask is human, receiveTask is wait; serviceTask, sendTask, businessRuleTask and scriptTask are
 * tools; task and manualTask are as the options say.
 *
 * @definition D14.3
 */
export function taskNode(
  node: BpmnNode,
  scope: string | undefined,
  options: TaskOptions,
  log: IssueLog,
): TaskNode {
  for (const name of ignoredExtensions(node)) {
    log.warn("BPMN066", node.at, `the extension <${name}> of "${node.element.id}" is not executed`, {
      element: node.element.id,
      extension: name,
    });
  }
  for (const property of [
    "ioSpecification",
    "dataInputAssociations",
    "dataOutputAssociations",
    "properties",
  ]) {
    const isThere = childOf(node.raw, property) !== undefined || listOf(node.raw, property).length > 0;
    if (isThere)
      log.warn(
        "BPMN065",
        node.at,
        `${property} of "${node.element.id}" is not executed: the task reads and writes the data of the run`,
        {
          element: node.element.id,
        },
      );
  }
  const base = baseOf(node, scope);
  switch (node.type) {
    case "userTask":
      return { ...base, kind: "human", meta: people(node, log) };
    case "receiveTask":
      return { ...base, kind: "wait", meta: {} };
    case "task":
    case "manualTask": {
      const choice = options.plainTask ?? "human";
      if (choice === "human") return { ...base, kind: "human", meta: people(node, log) };
      if (choice === "pass") return { ...base, kind: "gateway", meta: {} };
      return { ...base, kind: "tool", meta: { port: portOf(node, options) } };
    }
    default:
      return { ...base, kind: "tool", meta: { port: portOf(node, options) } };
  }
}

/** The name of the port: what the model says of the implementation, else the name, else the id. */
export function portOf(node: BpmnNode, options: TaskOptions): string {
  const { raw, xml } = node;
  const chosen = options.port?.({
    id: node.id,
    type: node.type,
    name: node.name,
    script: textOf(raw, "script"),
    scriptFormat: textOf(raw, "scriptFormat"),
  });
  const stated = textOf(raw, "implementation");
  const operation = childOf(raw, "operationRef");
  const candidates = [
    chosen,
    stated?.startsWith("##") === true ? undefined : stated,
    implementation(xml),
    operation === undefined ? undefined : textOf(operation, "name"),
    node.name,
    node.id,
  ];
  return (candidates.find((text) => text !== undefined && text.trim() !== "") ?? node.id).trim();
}

/**
 * Who may do the work: an engine's assignee and candidate groups, else the potential owners, else the lane. Expressions
 * are not evaluated: a warning, and the lane stands in.
 */
function people(node: BpmnNode, log: IssueLog): { readonly [key: string]: Json } {
  const { xml } = node;
  const zeebe = extensions(xml, "assignmentDefinition")[0];
  const constant = (text: string | undefined, what: string): readonly string[] => {
    if (text === undefined) return [];
    if (/^=|[#$]\{/u.test(text.trim())) {
      log.warn(
        "BPMN070",
        node.at,
        `${what} of "${node.element.id}" is an expression, which is not evaluated`,
        {
          element: node.element.id,
          text,
        },
      );
      return [];
    }
    return names(text.split(","));
  };
  const assignees = constant(
    vendorAttribute(xml, "assignee") ?? (zeebe && attributeOf(zeebe, "assignee")),
    "the assignee",
  );
  const stated = constant(
    vendorAttribute(xml, "candidateGroups") ?? (zeebe && attributeOf(zeebe, "candidateGroups")),
    "the candidate groups",
  );
  const groups = stated.length > 0 ? stated : owners(node);
  const candidates = groups.length > 0 || node.lane === undefined ? groups : [node.lane];
  return {
    ...(assignees.length === 0 ? {} : { assignees }),
    ...(candidates.length === 0 ? {} : { candidateGroups: candidates }),
  };
}

/** Names of potential owners: the resource's name, or the text of the assignment, `group(x)` and `user(x)` unwrapped. */
function owners(node: BpmnNode): readonly string[] {
  return names(
    listOf(node.raw, "resources").flatMap((role) => {
      const resource = childOf(role, "resourceRef");
      const assignment = childOf(role, "resourceAssignmentExpression");
      const text = assignment === undefined ? undefined : expressionOf(assignment, "expression")?.text;
      const name = resource === undefined ? undefined : textOf(resource, "name");
      if (text === undefined || /[#$]\{/u.test(text)) return name === undefined ? [] : [name];
      return text.split(",").map((part) => part.trim().replace(/^(?:group|user)\((.*)\)$/u, "$1"));
    }),
  );
}

function names(given: readonly string[]): readonly string[] {
  return [...new Set(given.map((name) => name.trim()).filter((name) => name !== ""))];
}
