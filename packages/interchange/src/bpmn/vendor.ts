/** @module Vendors' attributes and extensions, read with their namespaces; what is not read is known to be left out. */
import type { XmlElement } from "../xml.ts";
import type { BpmnNode } from "./model.ts";

/** Namespaces of the engines whose attributes and extensions are read. */
const VENDORS: ReadonlySet<string> = new Set([
  "http://camunda.org/schema/1.0/bpmn",
  "http://activiti.org/bpmn",
  "http://www.activiti.org/bpmn",
  "http://flowable.org/bpmn",
]);
const ZEEBE = "http://camunda.org/schema/zeebe/1.0";

/** The attribute `name` in the namespace of an engine; undefined if the element has none. */
export function vendorAttribute(xml: XmlElement | undefined, name: string): string | undefined {
  if (xml === undefined) return undefined;
  for (const [written, value] of xml.attributes) {
    const [prefix, local] = written.split(":");
    if (
      local === name &&
      prefix !== undefined &&
      VENDORS.has(namespaceOf(xml, prefix)) &&
      value.trim() !== ""
    )
      return value;
  }
  return undefined;
}

/** Extension elements with a local name, of the engines or of Zeebe. */
export function extensions(xml: XmlElement | undefined, name: string): readonly XmlElement[] {
  const holder = xml?.children.find((child) => child.name === "extensionElements");
  return (holder?.children ?? []).filter((child) => child.name === name && isVendor(child));
}

/** An attribute without prefix of the first extension element with the name. */
export function extensionAttribute(
  xml: XmlElement | undefined,
  element: string,
  name: string,
): string | undefined {
  const [first] = extensions(xml, element);
  return first === undefined ? undefined : attributeOf(first, name);
}

/** An attribute without prefix; undefined if it is missing or blank. */
export function attributeOf(xml: XmlElement, name: string): string | undefined {
  const value = xml.attributes.find(([own]) => own === name)?.[1];
  return value === undefined || value.trim() === "" ? undefined : value;
}

/** How an engine is told to do the work of an element: topic, class, expression or decision; undefined if it is not. */
export function implementation(xml: XmlElement | undefined): string | undefined {
  return (
    extensionAttribute(xml, "taskDefinition", "type") ??
    vendorAttribute(xml, "topic") ??
    vendorAttribute(xml, "delegateExpression") ??
    vendorAttribute(xml, "class") ??
    vendorAttribute(xml, "expression") ??
    vendorAttribute(xml, "decisionRef") ??
    extensionAttribute(xml, "calledDecision", "decisionId")
  );
}

/** Extensions that are read, and those that say nothing about execution. */
const KNOWN: ReadonlySet<string> = new Set([
  "taskDefinition",
  "assignmentDefinition",
  "calledElement",
  "calledDecision",
  "in",
  "out",
  "userTaskForm",
  "userTask",
  "formDefinition",
  "formData",
  "properties",
  "taskHeaders",
  "modelerTemplate",
  "subscription",
  "loopCharacteristics",
]);

/** Names of extensions of engines that would change what the node does there and are left out here. */
export function ignoredExtensions(node: BpmnNode): readonly string[] {
  const holder = node.xml?.children.find((child) => child.name === "extensionElements");
  const names = (holder?.children ?? []).filter((child) => isVendor(child) && !KNOWN.has(child.name));
  return [...new Set(names.map(({ name }) => name))];
}

function isVendor({ namespace }: XmlElement): boolean {
  return VENDORS.has(namespace) || namespace === ZEEBE;
}

/** The namespace of a prefix at an element: the nearest declaration outwards. */
function namespaceOf(xml: XmlElement, prefix: string): string {
  for (let at: XmlElement | null = xml; at !== null; at = at.parent) {
    const declared = at.attributes.find(([name]) => name === `xmlns:${prefix}`)?.[1];
    if (declared !== undefined) return declared;
  }
  return "";
}
