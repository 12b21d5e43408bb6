/** @module Kinds that wait for something other than a person: wait, timer, subprocess. */
import {
  CANCELLED,
  DONE,
  ERROR,
  type Issue,
  issue,
  type Json,
  type KindSpec,
  nodeOf,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";
import { BESIDE_TASK, eventIssues } from "../event-issues.ts";
import { eventOutcomes } from "../events.ts";
import { restFragment, scopeFragment } from "../fragment.ts";
import { multiIssues } from "../multi-instance.ts";
import {
  EVENTS,
  expiry,
  isObject,
  isText,
  isTextMap,
  isTexts,
  metaIssues,
  metaOf,
  outcomesOf,
} from "./kind.ts";
import { endLabel } from "./route.ts";

/** wait: rests until somebody outside resumes it with one of `outcomes` (default done). */
export const WAIT: KindSpec = {
  name: "wait",
  version: 1,
  body: () => "external",
  alphabet: (node) => outcomesOf(node, ...eventOutcomes(node), ...expiry(node)),
  fragment: restFragment,
  validate: (node) => [
    ...metaIssues(node, {
      ...EVENTS,
      outcomes: { is: isTexts, expected: "a list of distinct labels" },
      deadline: { is: isText, expected: "an ISO 8601 date or duration" },
      candidateGroups: { is: isTexts, expected: "a list of group ids" },
      assignees: { is: isTexts, expected: "a list of actor ids" },
    }),
    ...eventIssues(node, { ...BESIDE_TASK, labels: outcomesOf(node) }),
  ],
};

/**
 * timer: rests until its time. Exactly one of date, duration, cycle (ISO 8601), or key: a key of D that holds one of
 * them. A cycle Rn/... fires after its n-th occurrence. With `key` the value may be no time: then the outcome is error.
 */
export const TIMER: KindSpec = {
  name: "timer",
  version: 1,
  body: () => "timer",
  alphabet: (node) => (metaOf(node, "key") === undefined ? [DONE] : [DONE, ERROR]),
  fragment: restFragment,
  validate: (node) => {
    const names = ["date", "duration", "cycle", "key"];
    const given = names.filter((name) => metaOf(node, name) !== undefined);
    const shape = Object.fromEntries(names.map((name) => [name, { is: isText, expected: "a text" }]));
    return [
      ...metaIssues(node, shape),
      ...(given.length === 1
        ? []
        : [issue("KIND007", ["meta"], `timer "${node.id}" needs exactly one of ${names.join(", ")}`)]),
    ];
  },
};

const isEmbedded = (node: WorkflowNode) => metaOf(node, "entry") !== undefined;

/** subprocess: embedded (meta.entry names a node of its scope) or called (meta.workflow names a workflow). */
export const SUBPROCESS: KindSpec = {
  name: "subprocess",
  version: 1,
  body: (node) => (isEmbedded(node) ? "scope" : "child"),
  alphabet: (node) =>
    isEmbedded(node)
      ? outcomesOf(node, ...eventOutcomes(node))
      : outcomesOf(node, ...eventOutcomes(node), ERROR, CANCELLED),
  fragment: (b) => {
    if (!isEmbedded(b.node)) return restFragment(b);
    return scopeFragment(b, (end) => endLabel(b.graph.definition.nodes[end] ?? b.node));
  },
  validate: (node, graph) => [
    ...metaIssues(node, {
      ...EVENTS,
      entry: { is: isText, expected: "the id of a node inside" },
      workflow: { is: isText, expected: "the name of a deployed workflow" },
      outcomes: { is: isTexts, expected: "a list of distinct labels" },
      inputs: { is: isTextMap, expected: "an object from keys of the child to keys of D" },
      outputs: { is: isTextMap, expected: "an object from keys of D to keys of the child" },
      multi: { is: isObject, expected: "{ mode, collection or count, ... }" },
    }),
    ...multiIssues(node),
    ...subprocessIssues(node, graph),
    ...eventIssues(
      node,
      isEmbedded(node)
        ? { on: [...BESIDE_TASK.on, "escalation"], beside: true, labels: outcomesOf(node) }
        : { ...BESIDE_TASK, labels: outcomesOf(node, ERROR, CANCELLED) },
    ),
  ],
};

function subprocessIssues(node: WorkflowNode, graph: WorkflowGraph): readonly Issue[] {
  const entry: Json | undefined = metaOf(node, "entry");
  if ((entry === undefined) === (metaOf(node, "workflow") === undefined)) {
    const message = `subprocess "${node.id}" needs either entry (embedded) or workflow (called)`;
    return [issue("KIND008", ["meta"], message)];
  }
  return typeof entry === "string" ? contentIssues(node, entry, graph) : [];
}

function contentIssues(node: WorkflowNode, entry: string, graph: WorkflowGraph): readonly Issue[] {
  const at = (name: string, message: string) => issue("KIND008", ["meta", name], message);
  const found: Issue[] = [];
  const inner = nodeOf(graph, entry);
  if (inner?.scope !== node.id) found.push(at("entry", `entry "${entry}" is not a node inside "${node.id}"`));
  else if ((inner.join ?? "any") !== "any")
    found.push(at("entry", `entry "${entry}" must merge (join "any")`));
  const ends = graph.definition.nodes.filter((end) => end.scope === node.id && end.kind === "end");
  if (ends.length === 0) found.push(at("entry", `subprocess "${node.id}" has no end inside`));
  const labels = outcomesOf(node);
  for (const end of ends.filter((inside) => !labels.includes(endLabel(inside)))) {
    const label = endLabel(end);
    found.push(at("outcomes", `end "${end.id}" has label "${label}", which "${node.id}" does not declare`));
  }
  return found;
}
