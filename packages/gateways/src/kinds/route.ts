/** @module Kinds that route: start, end, gateway, decision. They have no body of the user's. */
import {
  DONE,
  ERROR,
  type Issue,
  issue,
  type Json,
  type JsonObject,
  type KindSpec,
  type Outcome,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";
import { activationIssues, activationOf, complexFragment } from "../complex.ts";
import { eventIssues } from "../event-issues.ts";
import { eventsOf } from "../events.ts";
import { endFragment, stepFragment } from "../fragment.ts";
import { EXHAUSTED, FAIL, loopOf, omitsFailArc, PASS } from "../loop.ts";
import { loopCounters } from "../loop-counters.ts";
import { loopIssues } from "../loop-issues.ts";
import { MERGE_META, mergeIssues, stagedLoopIssues } from "../merge-issues.ts";
import { EVENTS, isCount, isFlag, isObject, isText, isTextMap, metaIssues, metaOf } from "./kind.ts";

/**
 * start: the source's token goes on. It has no incoming arc. With `events` (times, messages, signals) at the entry of the
 * workflow these start runs, each under its own label.
 */
export const START: KindSpec = {
  name: "start",
  version: 1,
  body: () => "route",
  alphabet: (node) => {
    const labels = eventsOf(node).map(({ id }) => id);
    return labels.length === 0 ? [DONE] : labels;
  },
  fragment: stepFragment,
  validate: (node, graph) => {
    const index = graph.nodeIndex.get(node.id) ?? -1;
    const entered = (graph.incoming[index] ?? []).length > 0;
    const isInside = node.scope !== undefined && metaOf(node, "events") !== undefined;
    return [
      ...metaIssues(node, EVENTS),
      ...eventIssues(node, { on: ["timer", "message", "signal"], beside: false, labels: [] }),
      ...readTimes(node),
      ...(isInside ? [issue("KIND009", ["meta", "events"], `start "${node.id}" starts no run`)] : []),
      ...(entered ? [issue("KIND004", [], `start "${node.id}" has an incoming arc`)] : []),
    ];
  },
};

/** A start reads no time from D: there are no data yet. */
function readTimes(node: WorkflowNode): readonly Issue[] {
  return eventsOf(node).flatMap(({ time }, at) =>
    time?.by === "key"
      ? [
          issue(
            "KIND009",
            ["meta", "events", at, "key"],
            `event ${at} of "${node.id}": a start has no data to read a time of`,
          ),
        ]
      : [],
  );
}

/** end: the token rests on the end place under a label (meta.outcome, default done); meta.terminate empties the scope. */
export const END: KindSpec = {
  name: "end",
  version: 1,
  body: () => "route",
  alphabet: () => [],
  fragment: endFragment,
  validate: (node, graph) => {
    const index = graph.nodeIndex.get(node.id) ?? -1;
    const left = (graph.outgoing[index] ?? []).length > 0;
    return [
      ...metaIssues(node, {
        outcome: { is: isText, expected: "a label" },
        terminate: { is: isFlag, expected: "true or false" },
      }),
      ...(left ? [issue("KIND005", [], `end "${node.id}" has an outgoing arc`)] : []),
    ];
  },
};

/** The label of an end node. */
export function endLabel(node: WorkflowNode): Outcome {
  const label = metaOf(node, "outcome");
  return typeof label === "string" ? label : DONE;
}

/**
 * gateway: routes by join and split alone; guards read D. One that stages or merges a block can be refused: `error`.
 * With `activation` it is a complex one: it starts when so many of its arcs are marked.
 */
export const GATEWAY: KindSpec = {
  name: "gateway",
  version: 1,
  body: () => "route",
  alphabet: (node) => (closesBlock(node) ? [DONE, ERROR] : [DONE]),
  fragment: (b) => {
    const activation = activationOf(b.node);
    if (activation === undefined || b.inputs.length < 2) stepFragment(b);
    else complexFragment(b, activation);
  },
  validate: (node, graph) => [
    ...metaIssues(node, { ...MERGE_META, activation: { is: isCount, expected: "a number of arcs" } }),
    ...mergeIssues(node, graph),
    ...activationIssues(node, graph),
  ],
};

function closesBlock(node: WorkflowNode): boolean {
  return metaOf(node, "stage") === true || metaOf(node, "merge") !== undefined;
}

/** The label of a keyed decision when its key selects no branch and a default is declared. */
export const DEFAULT: Outcome = "default";

/**
 * The alphabet of a decision: a governed loop's pass, fail, exhausted, error; a keyed decision's branch labels with
 * `default` if declared, else `error`; otherwise `done`, its arcs chosen by their guards.
 */
function decisionAlphabet(node: WorkflowNode): readonly Outcome[] {
  if (metaOf(node, "loop") !== undefined) return [PASS, FAIL, EXHAUSTED, ERROR];
  if (metaOf(node, "branches") === undefined) return [DONE];
  const labels = Object.values(branchTable(node)).filter((label) => typeof label === "string");
  return [...new Set([...labels, metaOf(node, "default") === true ? DEFAULT : ERROR])];
}

/** The branches of a keyed decision; empty where meta has something else under the name. */
function branchTable(node: WorkflowNode): JsonObject {
  const table = metaOf(node, "branches") ?? null;
  return typeof table === "object" && table !== null && !Array.isArray(table) ? (table as JsonObject) : {};
}

/**
 * The outcome of a keyed decision: beta(key(D)) where beta is partial on the values of the key, else the default or
 * `error`. Keys are compared as text: strings as they are, numbers and booleans by their JSON text.
 *
 * @definition D20.7
 */
export function decisionOutcome(node: WorkflowNode, value: Json | undefined): Outcome {
  const table = branchTable(node);
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const key = isScalar ? String(value) : null;
  const label = key !== null && Object.hasOwn(table, key) ? table[key] : undefined;
  if (typeof label === "string") return label;
  return metaOf(node, "default") === true ? DEFAULT : ERROR;
}

function decisionIssues(node: WorkflowNode, graph: WorkflowGraph): readonly Issue[] {
  const found = [
    ...metaIssues(node, {
      key: { is: isText, expected: "a key of D" },
      branches: { is: isTextMap, expected: "an object from key values to outcome labels" },
      default: { is: isFlag, expected: "true or false" },
      loop: { is: isObject, expected: "{ id, budget, passKey, proves, body }" },
    }),
    ...loopIssues(node, graph),
    ...stagedLoopIssues(node, graph),
  ];
  const isKeyed = metaOf(node, "key") !== undefined;
  if (isKeyed !== (metaOf(node, "branches") !== undefined)) {
    found.push(issue("KIND006", ["meta"], `decision "${node.id}" needs both key and branches, or neither`));
  }
  if (!isKeyed && metaOf(node, "default") !== undefined) {
    found.push(issue("KIND006", ["meta", "default"], `decision "${node.id}" has a default but no branches`));
  }
  if (isKeyed && metaOf(node, "loop") !== undefined) {
    found.push(issue("KIND006", ["meta"], `decision "${node.id}" cannot govern a loop and select by key`));
  }
  return found;
}

/** decision: chooses one branch by key, by guards, or by a governed loop's verdict. */
export const DECISION: KindSpec = {
  name: "decision",
  version: 1,
  body: (node) => (loopOf(node) !== null || metaOf(node, "branches") !== undefined ? "inline" : "route"),
  alphabet: decisionAlphabet,
  omits: omitsFailArc,
  fragment: stepFragment,
  rewrite: loopCounters,
  validate: decisionIssues,
};
