/** @module What is not supported yet, each with its own code: reported with id, name and line, never dropped. */

import type { InterchangeCode } from "../issue-codes.ts";
import type { IssueLog } from "../issue-log.ts";
import type { BpmnNode } from "./model.ts";

/** Codes of event definitions that cannot be thrown, caught or attached yet. */
const EVENTS: Readonly<Record<string, readonly [code: InterchangeCode, what: string]>> = {
  messageEventDefinition: ["BPMN032", "a message"],
  signalEventDefinition: ["BPMN033", "a signal"],
  escalationEventDefinition: ["BPMN034", "an escalation"],
  compensateEventDefinition: ["BPMN035", "compensation"],
  cancelEventDefinition: ["BPMN040", "the cancelling of a transaction here"],
  conditionalEventDefinition: ["BPMN042", "a condition"],
  timerEventDefinition: ["BPMN030", "a timer"],
  errorEventDefinition: ["BPMN030", "an error"],
};

/** Reports an element under its code, with its id, its name and its place in the file. */
export function refuse(log: IssueLog, node: BpmnNode, code: InterchangeCode, why: string): void {
  const name = node.name === undefined || node.name === "" ? "" : ` ("${node.name}")`;
  const { id, type } = node.element;
  log.error(code, node.at, `${type} "${id}"${name}: ${why}`, {
    element: id,
    type,
    ...(node.name === undefined ? {} : { name: node.name }),
  });
}

/** Says that a model leaves something open, which a run reads from the key of D that is the element's id. */
export function noteKey(log: IssueLog, { element, at }: BpmnNode, what: string): void {
  const { id, type } = element;
  const message = `${type} "${id}" does not say ${what} from the key "${id}"`;
  log.warn("BPMN078", at, message, { element: id });
}

/** Reports an event whose definition is not supported where it stands. */
export function refuseEvent(log: IssueLog, node: BpmnNode, type: string, where: string): void {
  const [code, what] = (Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined) ?? ["BPMN045", `"${type}"`];
  refuse(log, node, code, `${where} ${what} is not supported yet`);
}

/**
 * Reports what a flow node has that is not supported; true if there was anything. Events are judged where they are
 * made nodes.
 *
 * @definition D14.11
 */
export function refuseUnsupported(log: IssueLog, node: BpmnNode): boolean {
  const found: (readonly [InterchangeCode, string])[] = [];
  const add = (code: InterchangeCode, why: string) => void found.push([code, why]);
  switch (node.type) {
    case "adHocSubProcess":
      add("BPMN039", "ad-hoc subprocesses are not supported yet");
      break;
    default:
      break;
  }
  if (node.raw["isForCompensation"] === true) add("BPMN035", "compensation is not supported yet");
  const quantity = node.raw["startQuantity"];
  if (quantity !== undefined && quantity !== 1)
    add("BPMN044", `startQuantity ${String(quantity)} is not supported`);
  for (const [code, why] of found) refuse(log, node, code, why);
  return found.length > 0;
}
