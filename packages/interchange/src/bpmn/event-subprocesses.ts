/** @module Event subprocesses: the rest of their scope becomes a subprocess, and they what stands at its border. */
import type { IssueLog } from "../issue-log.ts";
import type { BpmnNode } from "./model.ts";
import { connect, madeNode, type OpenNode, type OpenScope, type Rewriting } from "./open-model.ts";
import { refuse } from "./unsupported.ts";

/**
 * Writes a scope that has event subprocesses as one that has none: everything else in it is the content of a subprocess
 * `x:body`, the start event of each event subprocess a boundary event of that, and the event subprocess, now a plain
 * one, is where the boundary event leads. So the scope is complete when its body, or what interrupted it, and every
 * handler that did not interrupt, are. `owner` is the process or the subprocess whose scope it is.
 *
 * @definition D14.18
 */
export function writeEventSubprocesses(
  rewriting: Rewriting,
  scope: OpenScope,
  owner: BpmnNode,
  log: IssueLog,
): void {
  const handlers = scope.nodes.filter(({ isEventSubprocess }) => isEventSubprocess);
  if (handlers.length === 0) return;
  const borders = handlers.flatMap((handler) => borderOf(rewriting, handler, log) ?? []);
  if (borders.length < handlers.length) return;
  const body = madeNode(owner, rewriting.fresh(`${owner.id}:body`), "subProcess");
  const inside = new Set(handlers);
  body.content = { nodes: scope.nodes.filter((node) => !inside.has(node)), flows: [...scope.flows] };
  const start = startOf(rewriting, body.content, owner, log);
  scope.flows.splice(0);
  scope.nodes.splice(0, scope.nodes.length, start, body);
  connect(rewriting, scope, start, body);
  for (const { border, handler } of borders) {
    handler.isEventSubprocess = false;
    body.boundaries.push(border);
    scope.nodes.push(border, handler);
    connect(rewriting, scope, border, handler);
  }
}

/** The boundary event that an event subprocess is entered by; its own start event waits for nothing any more. */
function borderOf(
  { fresh }: Rewriting,
  handler: OpenNode,
  log: IssueLog,
): { readonly border: OpenNode; readonly handler: OpenNode } | undefined {
  const starts = handler.content?.nodes.filter(({ type }) => type === "startEvent") ?? [];
  const [start, ...more] = starts;
  if (start === undefined || more.length > 0) {
    refuse(log, handler, "BPMN036", "an event subprocess needs exactly one start event");
    return undefined;
  }
  if (start.definitions.length === 0) {
    refuse(log, start, "BPMN036", "the start event of an event subprocess needs a trigger");
    return undefined;
  }
  const border: OpenNode = {
    ...madeNode(start, fresh(`${start.id}:border`), "boundaryEvent"),
    raw: start.raw,
    xml: start.xml,
    isInterrupting: start.isInterrupting,
    definitions: start.definitions,
  };
  start.definitions = [];
  return { border, handler };
}

/** The start of the whole: it has the trigger of the start event that is now inside. */
function startOf(rewriting: Rewriting, body: OpenScope, owner: BpmnNode, log: IssueLog): OpenNode {
  const [inner, ...more] = body.nodes.filter(({ type }) => type === "startEvent");
  const start = madeNode(inner ?? owner, rewriting.fresh(`${owner.id}:start`), "startEvent");
  if (inner === undefined) return start;
  if (more.length > 0)
    refuse(log, inner, "BPMN010", `several start events beside an event subprocess are not supported`);
  const outer: OpenNode = { ...start, raw: inner.raw, xml: inner.xml, definitions: inner.definitions };
  inner.definitions = [];
  return outer;
}
