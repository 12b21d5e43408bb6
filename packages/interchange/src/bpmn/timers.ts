/** @module Timers: constant ISO 8601 times, or a key of D that holds one. */
import type { Json } from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import { isoKind } from "./iso-time.ts";
import type { BpmnNode } from "./model.ts";
import { expressionOf, type Raw } from "./raw.ts";
import { refuse } from "./unsupported.ts";

/** What a timer definition says. */
export type TimerReading =
  | { readonly kind: "constant"; readonly name: "date" | "duration" | "cycle"; readonly text: string }
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "expression"; readonly text: string }
  | { readonly kind: "invalid"; readonly text: string }
  | { readonly kind: "missing" };

const FIELDS = [
  ["timeDate", "date"],
  ["timeDuration", "duration"],
  ["timeCycle", "cycle"],
] as const;

/**
 * Reads a timer definition. A constant is an ISO 8601 text (in quotes where FEEL asks for them) of the kind that its
 * element says; the name of one variable is a key of D; anything else in the marks of an expression is an expression.
 * A cycle has a last time, unless it may be endless.
 *
 * @definition D14.8
 */
export function readTimer(definition: Raw, mayBeEndless = false): TimerReading {
  for (const [field, name] of FIELDS) {
    const text = expressionOf(definition, field)?.text;
    if (text === undefined || text === "") continue;
    const inner = text.replace(/^=\s*/u, "").replace(/^[#$]\{\s*([\s\S]*?)\s*\}$/u, "$1");
    const constant = /^"([^"\\]*)"$/u.exec(inner)?.[1] ?? inner;
    if (isoKind(constant, mayBeEndless) === name) return { kind: "constant", name, text: constant };
    if (inner === text) return { kind: "invalid", text };
    return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(inner)
      ? { kind: "key", key: inner }
      : { kind: "expression", text };
  }
  return { kind: "missing" };
}

/** The meta of a timer node; undefined if the definition was reported. */
export function timerMeta(
  node: BpmnNode,
  definition: Raw,
  log: IssueLog,
): { readonly [key: string]: Json } | undefined {
  const reading = readTimer(definition);
  if (reading.kind === "constant") return { [reading.name]: reading.text };
  if (reading.kind === "key") return { key: reading.key };
  if (reading.kind === "missing") {
    log.warn(
      "BPMN073",
      node.at,
      `the timer "${node.element.id}" has no time: a run reads it from the key "${node.element.id}"`,
      {
        element: node.element.id,
      },
    );
    return { key: node.element.id };
  }
  refuseTimer(node, reading, log);
  return undefined;
}

/** Reports a timer definition that cannot be used. */
export function refuseTimer(node: BpmnNode, reading: TimerReading, log: IssueLog): void {
  switch (reading.kind) {
    case "invalid":
      refuse(log, node, "BPMN012", `"${reading.text}" is no ISO 8601 time of the kind that is said`);
      break;
    case "missing":
      refuse(log, node, "BPMN012", "the timer has no time");
      break;
    case "expression":
      refuse(log, node, "BPMN013", `the time "${reading.text}" is an expression, which is not supported yet`);
      break;
    case "key":
      refuse(
        log,
        node,
        "BPMN013",
        `the time is the variable "${reading.key}", which is not supported here yet`,
      );
      break;
    case "constant":
      refuse(log, node, "BPMN013", `a ${reading.name} is not supported here yet`);
      break;
  }
}
