/** @module Event definitions as events of nodes: the time, or the name and the correlation of what comes. */
import type { Json } from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import type { BpmnNode, EventDefinition } from "./model.ts";
import { readTimer, refuseTimer } from "./timers.ts";
import { refuse, refuseEvent } from "./unsupported.ts";
import { attributeOf, extensions } from "./vendor.ts";

/** Everything that comes, under its own names. */
export const ALL: { readonly [key: string]: Json } = { "*": "*" };

/** An event as a member of `meta.events`, without id. `canFail`: opening it, or taking its data, can go wrong. */
export interface EventReading {
  readonly members: { readonly [key: string]: Json };
  readonly canFail: boolean;
}

/**
 * The event that `node` waits for by `definition`: a timer by its time or the key that holds it, a message or a signal by
 * its name; a message by the key of its subscription, if it has one. What a message or a signal brings goes into the data
 * under its own names. Undefined if it was reported.
 *
 * @definition D14.20
 */
export function readEvent(
  node: BpmnNode,
  definition: EventDefinition,
  where: string,
  log: IssueLog,
): EventReading | undefined {
  switch (definition.type) {
    case "timerEventDefinition":
      return readTime(node, definition, log);
    case "messageEventDefinition":
    case "signalEventDefinition": {
      const isMessage = definition.type === "messageEventDefinition";
      const name = nameOf(node, definition, log);
      if (name === undefined) return undefined;
      const key = isMessage ? correlationOf(node, definition, log) : null;
      if (key === undefined) return undefined;
      const correlation = key === null ? {} : { key };
      return {
        members: { on: isMessage ? "message" : "signal", name, ...correlation, payload: ALL },
        canFail: true,
      };
    }
    default:
      refuseEvent(log, node, definition.type, where);
      return undefined;
  }
}

function readTime(node: BpmnNode, { raw }: EventDefinition, log: IssueLog): EventReading | undefined {
  const reading = readTimer(raw);
  switch (reading.kind) {
    case "constant":
      return { members: { on: "timer", [reading.name]: reading.text }, canFail: false };
    case "key":
      return { members: { on: "timer", key: reading.key }, canFail: true };
    case "missing":
      log.warn(
        "BPMN073",
        node.at,
        `the timer "${node.element.id}" has no time: a run reads it from the key "${node.element.id}"`,
        { element: node.element.id },
      );
      return { members: { on: "timer", key: node.element.id }, canFail: true };
    default:
      refuseTimer(node, reading, log);
      return undefined;
  }
}

/** The name of a message or a signal; one that has none is awaited under the id of its event, with a warning. */
function nameOf(node: BpmnNode, definition: EventDefinition, log: IssueLog): string | undefined {
  const name = sentName(definition);
  if (name === undefined) {
    log.warn(
      "BPMN074",
      node.at,
      `"${node.element.id}" says not what it waits for: it is awaited under the name "${node.element.id}"`,
      { element: node.element.id },
    );
    return node.element.id;
  }
  if (!isExpression(name)) return name.replace(/^=\s*"([^"\\]*)"$/u, "$1");
  const code = definition.type === "messageEventDefinition" ? "BPMN032" : "BPMN033";
  refuse(log, node, code, `its name "${name}" is an expression, which is not supported`);
  return undefined;
}

/** The name of what a definition refers to, else its id; undefined if it refers to nothing. */
export function sentName({ reference }: EventDefinition): string | undefined {
  return reference?.name ?? reference?.id;
}

/** Does the text have the marks of an expression that is no constant? */
export function isExpression(text: string): boolean {
  return /[#$]\{/u.test(text) || (/^=/u.test(text) && !/^=\s*"[^"\\]*"$/u.test(text));
}

/** The key of D that must agree with the message, null if it has none, undefined if it was reported. */
function correlationOf(
  node: BpmnNode,
  definition: EventDefinition,
  log: IssueLog,
): string | null | undefined {
  const [subscription] = extensions(definition.reference?.xml, "subscription");
  const written = subscription === undefined ? undefined : attributeOf(subscription, "correlationKey");
  if (written === undefined) return null;
  const key = written.trim().replace(/^=\s*/u, "");
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key) && key !== "__proto__") return key;
  refuse(
    log,
    node,
    "BPMN032",
    `its correlation key "${written}" is not one variable, which is not supported`,
  );
  return undefined;
}
