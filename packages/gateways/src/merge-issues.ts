/** @module What can be wrong with a gateway that stages a block or merges keys, and with a staged loop. */
import {
  type DataKey,
  type DataType,
  type Issue,
  issue,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";
import { eventsOf } from "./events.ts";
import { isFlag, isObject, type MetaShape, metaOf } from "./kinds/kind.ts";
import { loopOf } from "./loop.ts";
import { blockMembers } from "./loop-block.ts";
import { type MergeRule, mergeRule, openingOf } from "./merge-block.ts";

/** The members of meta by which a gateway closes a block that holds back. */
export const MERGE_META: MetaShape = {
  stage: { is: isFlag, expected: "true or false" },
  merge: { is: isObject, expected: "an object from keys of D to rules" },
};

/**
 * What is wrong with `stage` and `merge` of a gateway: it closes no block with single entry and exit (BLOCK001), a rule is none (BLOCK003),
 * `last` without stage (BLOCK004), a pass key is merged (BLOCK005), a rule does not fit the declared type of its key (BLOCK006), a node
 * of the block calls a workflow (BLOCK002). A key that is not declared where others are is a warning (BLOCK007).
 *
 * @definition D21.2
 */
export function mergeIssues(node: WorkflowNode, graph: WorkflowGraph): readonly Issue[] {
  const isStaged = metaOf(node, "stage") === true;
  const merge = metaOf(node, "merge");
  if (!isStaged && merge === undefined) return [];
  const opened = openingOf(graph, graph.nodeIndex.get(node.id) ?? -1);
  const found = typeof merge === "object" && merge !== null ? ruleIssues(node, merge, isStaged, graph) : [];
  if (opened === null) {
    const message = `"${node.id}" closes no block: a split that matches it as its only entry, and no other way in or out`;
    return [issue("BLOCK001", ["meta"], message), ...found];
  }
  const inside = new Set(opened.branches.flatMap(({ members }) => [...members]));
  return [...found, ...callIssues(node, graph, inside)];
}

/** BLOCK002 for the body of a staged loop. */
export function stagedLoopIssues(node: WorkflowNode, graph: WorkflowGraph): readonly Issue[] {
  const loop = loopOf(node);
  return loop?.isStaged === true ? callIssues(node, graph, blockMembers(graph, node, loop)) : [];
}

function ruleIssues(
  node: WorkflowNode,
  merge: object,
  isStaged: boolean,
  graph: WorkflowGraph,
): readonly Issue[] {
  const passKeys = new Set(graph.definition.nodes.map((other) => loopOf(other)?.passKey));
  return Object.entries(merge).flatMap(([key, value]) => {
    const path = ["meta", "merge", key];
    const rule = mergeRule(value);
    if (rule === null) {
      return [issue("BLOCK003", path, `"${node.id}" has no rule that could merge "${key}"`)];
    }
    const found: Issue[] = [];
    if (rule.kind === "last" && !isStaged) {
      found.push(
        issue("BLOCK004", path, `"${node.id}" takes the last "${key}", but its block is not staged`),
      );
    }
    if (passKeys.has(key)) {
      found.push(issue("BLOCK005", path, `"${node.id}" merges "${key}", which is the pass key of a loop`));
    }
    return [...found, ...typeIssues(node, key, rule, graph)];
  });
}

/** BLOCK006 and the warning BLOCK007: what the declared keys of D say of a rule. */
function typeIssues(
  node: WorkflowNode,
  key: DataKey,
  rule: MergeRule,
  { definition }: WorkflowGraph,
): readonly Issue[] {
  const path = ["meta", "merge", key];
  // What is read may still be malformed here: its form is an issue of its own.
  const data: Readonly<Record<DataKey, DataType>> | null | undefined = definition.data;
  if (typeof data !== "object" || data === null) return [];
  if (!Object.hasOwn(data, key)) {
    const message = `"${node.id}" merges "${key}", which is not declared`;
    return [{ ...issue("BLOCK007", path, message, { key }), severity: "warning" }];
  }
  const type = data[key]?.type ?? "any";
  const fitting = FITTING[rule.kind];
  if (fitting === null || fitting.includes(type)) return [];
  const message = `"${node.id}" merges "${key}" by ${rule.kind}, which a key of type ${type} cannot be`;
  return [issue("BLOCK006", path, message, { key, type })];
}

/** The declared types of keys that a rule can merge; null: of every type. */
const FITTING: { readonly [kind in MergeRule["kind"]]: readonly DataType["type"][] | null } = {
  append: ["array", "any"],
  sum: ["number", "integer", "any"],
  max: ["number", "integer", "any"],
  last: null,
  function: null,
};

/** A called workflow writes G and D by itself, past what the block holds back. */
function callIssues(node: WorkflowNode, graph: WorkflowGraph, inside: ReadonlySet<number>): readonly Issue[] {
  return graph.definition.nodes.flatMap((member, index) => {
    const isCalling =
      metaOf(member, "workflow") !== undefined || eventsOf(member).some(({ handler }) => handler !== null);
    if (!inside.has(index) || !isCalling) return [];
    const message = `"${member.id}" calls a workflow inside the block of "${node.id}"`;
    return [issue("BLOCK002", ["meta"], message, { node: member.id })];
  });
}
