/** @module Activities as nodes: tasks, embedded subprocesses, calls, and the boundary events that give them outcomes. */
import { CANCELLED, DONE, ERROR, EXPIRED, type Json, type NodeId, type Outcome } from "@tessera/core";
import { callMeta } from "./calls.ts";
import { addArc, addNode, baseOf, type Draft, failureEnd } from "./draft.ts";
import type { BpmnNode } from "./model.ts";
import { childOf, textOf } from "./raw.ts";
import { addFlows, type Routing, splitOfNode } from "./routes.ts";
import { TASKS, type TaskOptions, taskNode } from "./tasks.ts";
import { readTimer, refuseTimer } from "./timers.ts";
import { refuse, refuseEvent } from "./unsupported.ts";

/** The label under which a transaction ends that is cancelled from inside. */
export const CANCEL: Outcome = "cancel";
/** Labels that a port or a person may not use for an error of their own. */
export const RESERVED: ReadonlySet<Outcome> = new Set([DONE, ERROR, EXPIRED, CANCELLED, CANCEL]);

/** The outcomes that boundary events catch, and the events. */
interface Catches {
  readonly byCode: ReadonlyMap<Outcome, BpmnNode>;
  readonly anyError: BpmnNode | undefined;
  readonly deadline: { readonly text: string; readonly event: BpmnNode } | undefined;
}

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
  const catches = readBoundaries(draft, node, TASKS.has(node.type));
  const caught = [
    ...[...catches.byCode.keys()].filter((code) => code !== CANCEL),
    ...(catches.anyError === undefined ? [] : [ERROR]),
  ];
  const content = addContent?.([...new Set([...routing.raisable, ...caught])]);
  if (content !== undefined) addScopeNode(routing, node, content, catches);
  else if (node.type === "callActivity") addCall(routing, node, catches);
  else addTask(routing, node, options, catches);
  for (const event of [...catches.byCode.values(), catches.anyError, catches.deadline?.event]) {
    if (event === undefined) continue;
    const split = addFlows(routing, event);
    addNode(draft, { ...baseOf(event, scope), kind: "gateway", ...splitOfNode(split, false) }, event);
  }
}

/**
 * The outcomes of boundary events: an error event catches the label that is its code, or, without code, every error
 * that no other catches; an interrupting timer on a task is its deadline. Everything else is not supported yet.
 *
 * @definition D14.10
 */
function readBoundaries(draft: Draft, node: BpmnNode, isTask: boolean): Catches {
  const { log } = draft;
  const byCode = new Map<Outcome, BpmnNode>();
  let anyError: BpmnNode | undefined;
  let deadline: Catches["deadline"];
  for (const event of node.boundaries) {
    const [definition, ...more] = event.definitions;
    if (definition === undefined || more.length > 0) {
      refuse(log, event, "BPMN043", "a boundary event needs exactly one event definition here");
      continue;
    }
    const { isInterrupting } = event;
    if (definition.type === "errorEventDefinition") {
      const code = errorCode(definition.raw);
      if (code === undefined && anyError === undefined) anyError = event;
      else if (code === undefined || byCode.has(code))
        refuse(log, event, "BPMN030", "another boundary event catches the same error");
      else if (RESERVED.has(code))
        refuse(
          log,
          event,
          "BPMN046",
          `the error code "${code}" is the name of an outcome that every node has`,
        );
      else byCode.set(code, event);
    } else if (
      definition.type === "cancelEventDefinition" &&
      node.type === "transaction" &&
      !byCode.has(CANCEL)
    ) {
      byCode.set(CANCEL, event);
    } else if (
      definition.type === "timerEventDefinition" &&
      isInterrupting &&
      isTask &&
      deadline === undefined
    ) {
      const reading = readTimer(definition.raw);
      if (reading.kind === "constant" && reading.name !== "cycle") deadline = { text: reading.text, event };
      else refuseTimer(event, reading, log);
    } else {
      refuseEvent(
        log,
        event,
        definition.type,
        isInterrupting ? "at this border, catching" : "catching without interrupting",
      );
    }
  }
  return { byCode, anyError, deadline };
}

/** The code of an error definition; undefined catches everything. */
export function errorCode(definition: BpmnNode["raw"]): string | undefined {
  const error = childOf(definition, "errorRef");
  return error === undefined ? undefined : textOf(error, "errorCode")?.trim();
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
  const mayFail = isTool || (!isNothing && (catches.anyError !== undefined || raised.includes(ERROR)));
  const outcomes = [DONE, ...codes, ...(mayFail && !isTool ? [ERROR] : [])];
  const meta: { [key: string]: Json } = { ...task.meta };
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
      meta: { entry: content.entry, ...(outcomes.length > 1 ? { outcomes } : {}) },
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
  addOutcomes(routing, node, content.labels, catches);
  for (const [code, event] of catches.byCode) noteUncaught(draft, content.labels, code, event);
  if (catches.anyError !== undefined && !content.labels.some((label) => !catches.byCode.has(label)))
    refuse(draft.log, catches.anyError, "BPMN047", "nothing inside can raise an error");
}

/** A boundary event that can never be reached is refused as an author's slip is elsewhere. */
function noteUncaught(draft: Draft, labels: readonly Outcome[], code: string, event: BpmnNode): void {
  if (!labels.includes(code))
    refuse(draft.log, event, "BPMN047", `nothing inside can raise the error "${code}"`);
}

function addCall(routing: Routing, node: BpmnNode, catches: Catches): void {
  const { draft, scope } = routing;
  const meta = callMeta(node, draft.log);
  if (meta === undefined) return;
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
      meta: { ...meta, ...(codes.length === 0 ? {} : { outcomes: [DONE, ...codes] }) },
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
    const event = catches.byCode.get(label) ?? catches.anyError;
    const to = event?.id ?? failureEnd(draft, scope, label);
    addArc(draft, { from: node.id, to, outcome: label }, node.id, scope);
  }
}
