/** @module Activities as nodes: tasks, embedded subprocesses, calls, several instances, and what their boundary events add. */
import { CANCELLED, DONE, ERROR, EXPIRED, type Json, type NodeId, type Outcome } from "@tessera/core";
import { type Catches, errorCode, readBoundaries } from "./boundaries.ts";
import { callMeta } from "./calls.ts";
import { addArc, addNode, baseOf, CANCEL, type Draft, failureEnd } from "./draft.ts";
import { isEscalation } from "./escalations.ts";
import { ALL } from "./event-reading.ts";
import type { BpmnNode } from "./model.ts";
import { addFlows, type Routing, splitOfNode } from "./routes.ts";
import { type TaskOptions, taskNode } from "./tasks.ts";
import { refuse } from "./unsupported.ts";

/** The entry of an activity's content, and the outcomes beside `done` that escape from it. */
interface Content {
  readonly entry: NodeId;
  readonly labels: readonly Outcome[];
}

/** Adds an activity with its boundary events and all their flows. `addContent` adds what is inside, if anything is. */
export function addActivityNode(
  routing: Routing,
  node: BpmnNode,
  options: TaskOptions,
  addContent: ((raisable: readonly Outcome[]) => Content) | undefined,
): void {
  const { draft, scope } = routing;
  const content = addContent?.([...new Set([...routing.raisable, ...caughtErrors(node)])]);
  const catches = readBoundaries(draft, node, draft.escalations.get(node.id) ?? new Set());
  if (node.instances !== undefined) addInstances(routing, node, catches);
  else if (content !== undefined) addScopeNode(routing, node, content, catches);
  else if (node.type === "callActivity") addCall(routing, node, catches);
  else addTask(routing, node, options, catches);
  for (const { member, to } of catches.events) {
    if (to === null) continue;
    addArc(draft, { from: node.id, to: to.id, outcome: String(member["id"]) }, to.id, scope);
  }
  for (const event of node.boundaries) {
    if (event.handler !== undefined) continue;
    const split = addFlows(routing, event);
    addNode(draft, { ...baseOf(event, scope), kind: "gateway", ...splitOfNode(split, false) }, event);
  }
}

/** The errors that boundary events of the node catch, so that what is inside may raise them. */
function caughtErrors({ boundaries }: BpmnNode): readonly Outcome[] {
  return boundaries.flatMap(({ definitions }) =>
    definitions.flatMap(({ type, raw }) =>
      type === "errorEventDefinition" ? [errorCode(raw) ?? ERROR] : [],
    ),
  );
}

/** `meta.events`, if there are any. */
function eventsMeta({ events }: Catches): { readonly events?: Json } {
  return events.length === 0 ? {} : { events: events.map(({ member }) => member) };
}

function addTask(routing: Routing, node: BpmnNode, options: TaskOptions, catches: Catches): void {
  const { draft, scope } = routing;
  const task = taskNode(node, scope, options, draft.log);
  const isTool = task.kind === "tool";
  if (task.kind === "gateway" && node.boundaries.length > 0) {
    refuse(draft.log, node, "BPMN030", "a task that nobody does can have no boundary events");
    return;
  }
  const isNothing = task.kind === "gateway";
  const raised = isNothing ? [] : [...new Set([...catches.byCode.keys(), ...routing.raisable])];
  const codes = raised.filter((code) => code !== ERROR);
  // A port may always fail; people and outside answers fail only where the model says what happens then.
  const isDeclared = catches.anyError !== undefined || raised.includes(ERROR);
  const mayFail = isTool || (!isNothing && (isDeclared || catches.canFail));
  const outcomes = [DONE, ...codes, ...(isDeclared && !isTool ? [ERROR] : [])];
  const meta: { [key: string]: Json } = { ...task.meta, ...eventsMeta(catches) };
  if (outcomes.length > 1) meta["outcomes"] = outcomes;
  if (catches.deadline !== undefined) meta["deadline"] = catches.deadline.text;
  const { meta: _own, ...base } = task;
  const split = addFlows(routing, node);
  addNode(
    draft,
    {
      ...base,
      ...splitOfNode(split, task.kind !== "gateway"),
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    },
    node,
  );
  const labels = [...codes, ...(mayFail ? [ERROR] : [])];
  addOutcomes(routing, node, labels, catches);
  if (catches.deadline !== undefined) {
    const { event } = catches.deadline;
    addArc(draft, { from: node.id, to: event.id, outcome: EXPIRED }, event.id, scope);
  }
}

function addScopeNode(routing: Routing, node: BpmnNode, content: Content, catches: Catches): void {
  const { draft, scope } = routing;
  const split = addFlows(routing, node);
  const outcomes = [DONE, ...content.labels];
  addNode(
    draft,
    {
      ...baseOf(node, scope),
      kind: "subprocess",
      ...splitOfNode(split, true),
      meta: {
        entry: content.entry,
        ...(outcomes.length > 1 ? { outcomes } : {}),
        ...eventsMeta(catches),
      },
    },
    node,
  );
  if (content.labels.includes(CANCEL) && !catches.byCode.has(CANCEL) && node.type === "transaction")
    refuse(
      draft.log,
      node,
      "BPMN040",
      "it is cancelled from inside, and no cancel event at its border catches that",
    );
  const failing = catches.canFail && !content.labels.includes(ERROR) ? [ERROR] : [];
  addOutcomes(routing, node, [...content.labels, ...failing], catches);
  for (const [code, event] of catches.byCode) noteUncaught(draft, content.labels, code, event);
  if (catches.anyError !== undefined && !content.labels.some((label) => isError(label, catches)))
    refuse(draft.log, catches.anyError, "BPMN047", "nothing inside can raise an error");
}

/** A boundary event that can never be reached is refused as an author's slip is elsewhere. */
function noteUncaught(draft: Draft, labels: readonly Outcome[], code: string, event: BpmnNode): void {
  if (!labels.includes(code))
    refuse(draft.log, event, "BPMN047", `nothing inside can raise the error "${code}"`);
}

function addCall(routing: Routing, node: BpmnNode, catches: Catches): void {
  const meta = callMeta(node, routing.draft.log);
  if (meta !== undefined) addCalling(routing, node, catches, meta);
}

/**
 * An activity with several instances: a call of what each of them is, as often as it says. They work on a copy of the
 * data; what each gives back is collected where the model says so.
 */
function addInstances(routing: Routing, node: BpmnNode, catches: Catches): void {
  const { instances } = node;
  if (instances === undefined) return;
  const { processId, multi, completion } = instances;
  const condition = completion === undefined ? undefined : routing.conditionOf(completion);
  const of = condition === undefined ? {} : { completion: condition as unknown as Json };
  addCalling(routing, node, catches, { workflow: processId, inputs: ALL, multi: { ...multi, ...of } });
  routing.draft.log.warn(
    "BPMN076",
    node.at,
    `each instance of "${node.element.id}" is a run of its own: it works on a copy of the data`,
    { element: node.element.id },
  );
}

function addCalling(
  routing: Routing,
  node: BpmnNode,
  catches: Catches,
  meta: { readonly [key: string]: Json },
): void {
  const { draft, scope } = routing;
  const raised = draft.calledLabels.get(String(meta["workflow"])) ?? [];
  const codes = [...new Set([...catches.byCode.keys(), ...raised, ...routing.raisable])].filter(
    (code) => code !== ERROR,
  );
  const split = addFlows(routing, node);
  addNode(
    draft,
    {
      ...baseOf(node, scope),
      kind: "subprocess",
      ...splitOfNode(split, true),
      meta: {
        ...meta,
        ...(codes.length === 0 ? {} : { outcomes: [DONE, ...codes] }),
        ...eventsMeta(catches),
      },
    },
    node,
  );
  addOutcomes(routing, node, [...codes, ERROR], catches);
  const end = failureEnd(draft, scope, ERROR);
  addArc(draft, { from: node.id, to: end, outcome: CANCELLED }, node.id, scope);
}

/** An arc for each outcome that is an error: to the event that catches it, else to the end for uncaught errors. */
function addOutcomes(routing: Routing, node: BpmnNode, labels: readonly Outcome[], catches: Catches): void {
  const { draft, scope } = routing;
  for (const label of labels) {
    const event = catches.byCode.get(label) ?? (isError(label, catches) ? catches.anyError : undefined);
    const to = event?.id ?? failureEnd(draft, scope, label);
    addArc(draft, { from: node.id, to, outcome: label }, node.id, scope);
  }
}

/** Is the label an error that no event catches by its code? Escalations and cancellations are none. */
function isError(label: Outcome, { byCode }: Catches): boolean {
  return !byCode.has(label) && !isEscalation(label) && label !== CANCEL;
}
