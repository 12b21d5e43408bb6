/** @module Call activities: the workflow that is called, and the data that crosses the border. */
import type { Json } from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import type { XmlElement } from "../xml.ts";
import type { BpmnNode } from "./model.ts";
import { textOf } from "./raw.ts";
import { refuse } from "./unsupported.ts";
import { attributeOf, extensionAttribute, extensions, vendorAttribute } from "./vendor.ts";

function named(node: BpmnNode): string | undefined {
  return textOf(node.raw, "calledElement") ?? extensionAttribute(node.xml, "calledElement", "processId");
}

function isNamed(node: BpmnNode): boolean {
  return named(node) !== undefined;
}

/** The id that a call activity names, undefined if it names none that is constant. */
export function calledElement(node: BpmnNode): string | undefined {
  const local = named(node)
    ?.trim()
    .replace(/^[^:]*:/u, "");
  return local === undefined || /^=|[#$]\{/u.test(named(node) ?? "") ? undefined : local;
}

/**
 * The meta of a call: the name of the workflow; `camunda:in` and `camunda:out`, or Zeebe's `ioMapping`, from variable to
 * variable, `"*"` where all variables cross: where an engine's mapping says so, and by Zeebe's rule in both directions
 * unless its `calledElement` says no. Undefined if it was reported.
 *
 * @definition D14.12
 */
export function callMeta(node: BpmnNode, log: IssueLog): { readonly [key: string]: Json } | undefined {
  const workflow = calledElement(node) ?? (isNamed(node) ? undefined : node.element.id);
  if (workflow === undefined) {
    refuse(log, node, "BPMN017", "it names the process to call by an expression");
    return undefined;
  }
  if (!isNamed(node)) {
    const message = `callActivity "${node.element.id}" names no process: it calls one with the name "${node.element.id}"`;
    log.warn("BPMN078", node.at, message, { element: node.element.id });
  }
  const inputs: { [key: string]: Json } = {};
  const outputs: { [key: string]: Json } = {};
  if (vendorAttribute(node.xml, "inheritVariables") === "true") inputs["*"] = "*";
  for (const element of extensions(node.xml, "in")) readMapping(node, element, inputs, log);
  for (const element of extensions(node.xml, "out")) readMapping(node, element, outputs, log);
  for (const mapping of extensions(node.xml, "ioMapping")) {
    for (const element of mapping.children) {
      const table = element.name === "input" ? inputs : outputs;
      readMapping(node, element, table, log);
    }
  }
  const [zeebe] = extensions(node.xml, "calledElement");
  if (zeebe !== undefined) passAll(node, zeebe, inputs, outputs, log);
  return {
    workflow,
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
    ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
  };
}

/** Zeebe's rule: all variables go down and come back, unless it is said that they do not. */
function passAll(
  node: BpmnNode,
  zeebe: XmlElement,
  inputs: { [key: string]: Json },
  outputs: { [key: string]: Json },
  log: IssueLog,
): void {
  if (attributeOf(zeebe, "propagateAllParentVariables") !== "false") inputs["*"] = "*";
  if (attributeOf(zeebe, "propagateAllChildVariables") === "false") return;
  if (Object.keys(outputs).length > 0) {
    const message = `"${node.element.id}" maps single variables and gets all the others besides: say propagateAllChildVariables="false" if that is not meant`;
    log.warn("BPMN077", node.at, message, { element: node.element.id });
  }
  outputs["*"] = "*";
}

/** `source` and `target` name variables, or all variables cross; expressions are not supported. */
function readMapping(
  node: BpmnNode,
  element: XmlElement,
  table: { [key: string]: Json },
  log: IssueLog,
): void {
  if (attributeOf(element, "businessKey") !== undefined) return;
  if (attributeOf(element, "variables") === "all") {
    table["*"] = "*";
    return;
  }
  const source = attributeOf(element, "source")?.trim().replace(/^=\s*/u, "");
  const target = attributeOf(element, "target")?.trim();
  if (isVariable(source) && isVariable(target)) {
    table[target] = source;
    return;
  }
  const written = source ?? attributeOf(element, "sourceExpression") ?? "";
  refuse(
    log,
    node,
    "BPMN018",
    `the mapping from "${written}" to "${target ?? ""}" is not from variable to variable`,
  );
}

function isVariable(text: string | undefined): text is string {
  return text !== undefined && /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(text) && text !== "__proto__";
}
