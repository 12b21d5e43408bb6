/** @module Which BPMN element a node becomes. */
import type { Json, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import { addElement, errorId, escaped, leaveOut, type Plan, type PlannedElement, refuse } from "./plan.ts";

/** Members of meta that are written, by kind; all others of the second list are left out with a warning. */
const WRITTEN: ReadonlySet<string> = new Set([
  "outcomes",
  "deadline",
  "candidateGroups",
  "assignees",
  "port",
  "function",
  "workflow",
  "entry",
  "inputs",
  "outputs",
  "outcome",
  "terminate",
  "key",
  "branches",
  "default",
  "date",
  "duration",
  "cycle",
]);
const LEFT_OUT: ReadonlySet<string> = new Set([
  "documentation",
  "position",
  "title",
  "form",
  "timeout",
  "retry",
  "connector",
  "orchestration",
  "ideCapable",
  "turnsMax",
  "passKey",
]);

/** The tags of nodes with a body. */
const TASKS: ReadonlyMap<string, string> = new Map([
  ["human", "userTask"],
  ["collect", "userTask"],
  ["tool", "serviceTask"],
  ["integration", "serviceTask"],
  ["agent", "serviceTask"],
  ["transform", "scriptTask"],
  ["verifier", "businessRuleTask"],
  ["wait", "receiveTask"],
]);

/** Adds the element of a node that is no gateway and no decision; undefined, with an issue, where BPMN has none. */
export function addNode(
  plan: Plan,
  definition: WorkflowDefinition,
  index: number,
  scope: string | undefined,
): PlannedElement | undefined {
  const node = definition.nodes[index];
  if (node === undefined) return undefined;
  const path = ["nodes", index];
  checkMeta(plan, node, path);
  const name = node.label ?? node.id;
  const add = (tag: string) => addElement(plan, node.id, tag, name, scope);
  switch (node.kind) {
    case "start":
      return add("startEvent");
    case "end":
      return withBody(add("endEvent"), endBody(plan, node, path));
    case "timer":
      return withBody(add("intermediateCatchEvent"), timerBody(node));
    case "subprocess":
      return textOf(node, "workflow") === undefined
        ? add("subProcess")
        : addCall(plan, add("callActivity"), node, path);
    default: {
      const tag = TASKS.get(node.kind);
      if (tag !== undefined) return addTask(add(tag), node);
      refuse(
        plan,
        "BPMN080",
        path,
        `"${node.id}" is of the kind ${node.kind}, for which BPMN has no element`,
      );
      return undefined;
    }
  }
}

function checkMeta(plan: Plan, node: WorkflowNode, path: readonly (string | number)[]): void {
  const keys = Object.keys(node.meta ?? {});
  const odd = keys.filter((key) => !WRITTEN.has(key) && !LEFT_OUT.has(key));
  if (odd.length > 0)
    refuse(
      plan,
      "BPMN080",
      [...path, "meta"],
      `"${node.id}" has ${odd.join(", ")}, which is not written as BPMN`,
    );
  const lost = keys.filter((key) => LEFT_OUT.has(key));
  if (node.kind === "agent" || node.kind === "integration" || node.kind === "verifier")
    lost.unshift(`kind ${node.kind}`);
  if (lost.length > 0)
    leaveOut(plan, "BPMN084", path, `of "${node.id}" this is not written: ${lost.join(", ")}`);
}

function addTask(element: PlannedElement, node: WorkflowNode): PlannedElement {
  const port = textOf(node, "port") ?? textOf(node, "function");
  if (element.tag === "serviceTask") element.attributes.set("implementation", port ?? node.id);
  const people = [
    ...textsOf(node, "assignees").map((id) => ["humanPerformer", id]),
    ...textsOf(node, "candidateGroups").map((id) => ["potentialOwner", id]),
  ];
  const owners = people.map(
    ([tag = "", id = ""]) =>
      `<${tag}><resourceAssignmentExpression><formalExpression>${escaped(id)}</formalExpression></resourceAssignmentExpression></${tag}>`,
  );
  return withBody(element, element.tag === "userTask" ? owners.join("") : "");
}

function addCall(
  plan: Plan,
  element: PlannedElement,
  node: WorkflowNode,
  path: readonly (string | number)[],
): PlannedElement {
  const called = textOf(node, "workflow") ?? "";
  // A reference of XML: only plain names are.
  if (!/^[A-Za-z_][\w.-]*$/.test(called))
    refuse(
      plan,
      "BPMN082",
      [...path, "meta", "workflow"],
      `"${called}" is no name that a call activity can have`,
    );
  element.attributes.set("calledElement", called);
  const mapped = (member: "inputs" | "outputs") => Object.entries(objectOf(node, member));
  const maps = [
    ...mapped("inputs").map(
      ([inner, outer]) => `<camunda:in source="${escaped(String(outer))}" target="${escaped(inner)}"/>`,
    ),
    ...mapped("outputs").map(
      ([outer, inner]) => `<camunda:out source="${escaped(String(inner))}" target="${escaped(outer)}"/>`,
    ),
  ];
  element.extensions = maps.join("");
  return element;
}

/** The label of an end: BPMN has terminate ends and error ends; every other label is a name for people. */
function endBody(plan: Plan, node: WorkflowNode, path: readonly (string | number)[]): string {
  const label = textOf(node, "outcome") ?? "done";
  const isTerminate = node.meta?.terminate === true;
  if (label === "done") return isTerminate ? "<terminateEventDefinition/>" : "";
  if (label === "error") return "<errorEventDefinition/>";
  if (!isTerminate && node.scope === undefined) {
    leaveOut(
      plan,
      "BPMN085",
      path,
      `the label "${label}" of "${node.id}" is not written: BPMN's plain ends have none`,
    );
    return "";
  }
  if (!isTerminate)
    leaveOut(
      plan,
      "BPMN086",
      path,
      `"${node.id}" is written as an error end, which ends its whole subprocess`,
    );
  return `<errorEventDefinition errorRef="${errorId(plan, label)}"/>`;
}

function timerBody(node: WorkflowNode): string {
  const [date, duration, cycle] = ["date", "duration", "cycle"].map((name) => textOf(node, name));
  if (date !== undefined) return timer("timeDate", date);
  if (duration !== undefined) return timer("timeDuration", duration);
  if (cycle !== undefined) return timer("timeCycle", cycle);
  return timer("timeDate", `=${textOf(node, "key") ?? ""}`);
}

/** A timer event definition; a text that starts like a duration is one. */
export function timerOf(text: string): string {
  return timer(text.startsWith("P") ? "timeDuration" : "timeDate", text);
}

function timer(tag: string, text: string): string {
  return `<timerEventDefinition><${tag}>${escaped(text)}</${tag}></timerEventDefinition>`;
}

function withBody(element: PlannedElement, body: string): PlannedElement {
  element.body = body;
  return element;
}

/** A text of meta. */
export function textOf(node: WorkflowNode, name: string): string | undefined {
  const value = metaOf(node, name);
  return typeof value === "string" ? value : undefined;
}

/** A list of texts of meta. */
export function textsOf(node: WorkflowNode, name: string): readonly string[] {
  const value = metaOf(node, name);
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** An object of meta; empty where there is none. */
export function objectOf(node: WorkflowNode, name: string): Readonly<Record<string, Json>> {
  const value = metaOf(node, name);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}

function metaOf(node: WorkflowNode, name: string): Json | undefined {
  return node.meta !== undefined && Object.hasOwn(node.meta, name) ? node.meta[name] : undefined;
}
