/** @module Conditions of sequence flows: FEEL as data where it fits, else opaque text in its language. */
import type { ConditionData } from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import { readFeel } from "./feel-condition.ts";
import type { BpmnFlow } from "./model.ts";

/** The language of a condition that names none. */
export const UNSPECIFIED = "unspecified";

/**
 * The condition of a flow; undefined if it has none. The language is the expression's own, else the file's, else
 * `fallback`; a text that starts with `=` is FEEL, one in `${...}` or `#{...}` is JUEL. FEEL that fits becomes data,
 * other FEEL stays text; a text without language becomes data if it is a comparison that all languages write alike.
 * Everything else is `{ language, text }`, which an evaluator registered under that name answers.
 *
 * @definition D14.5
 */
export function conditionOf(
  flow: BpmnFlow,
  fileLanguage: string | undefined,
  fallback: string | undefined,
  log: IssueLog,
): ConditionData | undefined {
  const { condition } = flow;
  if (condition === undefined) return undefined;
  if (condition.data !== undefined) return condition.data;
  if (condition.text === "") {
    log.warn("BPMN062", flow.at, `the condition of "${flow.id}" is empty: the flow has none`, {
      element: flow.id,
    });
    return undefined;
  }
  const isMarked = condition.text.startsWith("=") && !condition.text.startsWith("==");
  const text = isMarked ? condition.text.slice(1).trim() : condition.text;
  const language = isMarked ? "feel" : languageOf(text, condition.language ?? fileLanguage ?? fallback);
  if (language !== "feel" && language !== UNSPECIFIED) return { language, text };
  const reading = readFeel(text);
  if (reading.kind === "condition") return reading.condition;
  if (language === "feel" && reading.kind === "expression") return { language, text };
  if (language === "feel") {
    const where = { element: flow.id, text, offset: reading.kind === "invalid" ? reading.at : 0 };
    log.error("BPMN011", flow.at, `the condition of "${flow.id}" is not FEEL: ${text}`, where);
    return undefined;
  }
  log.warn(
    "BPMN068",
    flow.at,
    `the condition of "${flow.id}" names no language: an evaluator "${UNSPECIFIED}" must answer it`,
    { element: flow.id, text },
  );
  return { language: UNSPECIFIED, text };
}

/** A language by a short name: the last part of what may be an address. */
function languageOf(text: string, declared: string | undefined): string {
  if (/^[#$]\{[\s\S]*\}$/u.test(text)) return "juel";
  if (declared === undefined || declared.trim() === "") return UNSPECIFIED;
  if (/feel/iu.test(declared)) return "feel";
  if (/xpath/iu.test(declared)) return "xpath";
  const last = declared
    .trim()
    .toLowerCase()
    .split(/[/:#]/u)
    .filter((part) => part !== "")
    .at(-1);
  return (last ?? UNSPECIFIED).slice(0, 100);
}
