/** @module Call activities: the workflow that is called, and the data that crosses the border. */
import type { Json } from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import type { XmlElement } from "../xml.ts";
import type { BpmnNode } from "./model.ts";
import { textOf } from "./raw.ts";
import { refuse } from "./unsupported.ts";
import { attributeOf, extensionAttribute, extensions } from "./vendor.ts";

/** The id that a call activity names, undefined if it names none that is constant. */
export function calledElement(node: BpmnNode): string | undefined {
  const named =
    textOf(node.raw, "calledElement") ?? extensionAttribute(node.xml, "calledElement", "processId");
  const local = named?.trim().replace(/^[^:]*:/u, "");
  return local === undefined || /^=|[#$]\{/u.test(named ?? "") ? undefined : local;
}

/**
 * The meta of a call: the name of the workflow; `camunda:in` and `camunda:out`, or Zeebe's `ioMapping`, from variable to
 * variable. Undefined if it was reported.
 *
 * @definition D14.12
 */
export function callMeta(node: BpmnNode, log: IssueLog): { readonly [key: string]: Json } | undefined {
  const workflow = calledElement(node);
  if (workflow === undefined) {
    refuse(log, node, "BPMN017", "it names no process to call, or names it by an expression");
    return undefined;
  }
  const inputs: { [key: string]: Json } = {};
  const outputs: { [key: string]: Json } = {};
  for (const element of extensions(node.xml, "in")) readMapping(node, element, inputs, log);
  for (const element of extensions(node.xml, "out")) readMapping(node, element, outputs, log);
  for (const mapping of extensions(node.xml, "ioMapping")) {
    for (const element of mapping.children) {
      const table = element.name === "input" ? inputs : outputs;
      readMapping(node, element, table, log);
    }
  }
  return {
    workflow,
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
    ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
  };
}

/** `source` and `target` name variables; all variables at once, business keys and expressions are not supported. */
function readMapping(
  node: BpmnNode,
  element: XmlElement,
  table: { [key: string]: Json },
  log: IssueLog,
): void {
  if (attributeOf(element, "businessKey") !== undefined) return;
  const source = attributeOf(element, "source")?.trim().replace(/^=\s*/u, "");
  const target = attributeOf(element, "target")?.trim();
  const isVariable = (text: string | undefined): text is string =>
    text !== undefined && /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(text) && text !== "__proto__";
  if (isVariable(source) && isVariable(target)) table[target] = source;
  else
    refuse(
      log,
      node,
      "BPMN018",
      `the mapping from "${source ?? attributeOf(element, "sourceExpression") ?? ""}" to "${target ?? ""}" is not from variable to variable`,
    );
}
