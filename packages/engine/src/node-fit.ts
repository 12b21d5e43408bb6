/** @module Can what is open at a node be open at a node of another definition? */
import type { NodeId, WorkflowNode } from "@tessera/core";
import { awaitedEvents, multiOf } from "@tessera/gateways";
import { alphabetOf, answerLabels } from "./input.ts";
import { metaText, type Plan } from "./plan.ts";

/**
 * Why what is open at `old` cannot be open at `node`, null if it can: the same kind of waiting, every label under which it
 * may be answered, and what comes without being asked for, its deadline and its events, goes on there, too.
 */
export function nodeMisfit(from: Plan, to: Plan, old: NodeId, node: NodeId): string | null {
  const [oldIndex, newIndex] = [from.nodeIndex.get(old) ?? -1, to.nodeIndex.get(node) ?? -1];
  const [before, after] = [from.nodes[oldIndex], to.nodes[newIndex]];
  if (before === undefined || after === undefined)
    return `there is no node "${node}" for what is open at "${old}"`;
  if (from.bodies[oldIndex] !== to.bodies[newIndex])
    return `"${node}" does not wait as "${old}" does: ${to.bodies[newIndex]}, not ${from.bodies[oldIndex]}`;
  if (from.bodies[oldIndex] === "child" && metaText(before, "workflow") !== metaText(after, "workflow"))
    return `"${node}" calls another workflow than "${old}", whose run is under way`;
  if (multiOf(before)?.mode !== multiOf(after)?.mode)
    return `"${node}" does not run its call once, in turn or at once as "${old}" does`;
  const changed = changedEvent(before, after);
  if (changed !== null) return `"${node}" does not take the event "${changed}" as "${old}" does`;
  const answers = new Set(answerLabels(to, node));
  const labels = new Set(alphabetOf(to, node));
  const lost = [
    ...answerLabels(from, old).filter((label) => !answers.has(label)),
    ...alphabetOf(from, old).filter((label) => !labels.has(label)),
  ];
  return lost.length === 0
    ? null
    : `"${node}" has no outcome ${[...new Set(lost)].map((label) => `"${label}"`).join(", ")}`;
}

/** An event that is awaited at `before`, which another one replaces at `after`, or none. */
function changedEvent(before: WorkflowNode, after: WorkflowNode): string | null {
  const known = new Map(awaitedEvents(after).map((event) => [event.id, event]));
  const changed = awaitedEvents(before).find(({ id, isInterrupting, handler }) => {
    const next = known.get(id);
    return next?.isInterrupting !== isInterrupting || next.handler?.workflow !== handler?.workflow;
  });
  return changed?.id ?? null;
}
