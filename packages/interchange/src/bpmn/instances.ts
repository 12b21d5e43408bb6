/** @module Activities with several instances: what runs several times becomes a process of its own, which they call. */
import type { Json } from "@tessera/core";
import type { IssueLog } from "../issue-log.ts";
import type { XmlElement } from "../xml.ts";
import type { BpmnFlow } from "./model.ts";
import type { OpenNode, OpenScope, Rewriting } from "./open-model.ts";
import { childOf, expressionOf, listOf, type Raw, textOf, typeOf } from "./raw.ts";
import { rewriteNodes } from "./rewrite.ts";
import { noteKey, refuse } from "./unsupported.ts";
import { attributeOf, extensions, vendorAttribute } from "./vendor.ts";

/**
 * Takes the work of every multi-instance activity out of the scope and makes it a process `p:a`, which the activity calls
 * once for each member of its collection or as often as its cardinality says. Boundary events stay at the activity: they
 * are of all instances together.
 *
 * @definition D14.23
 */
export function takeOutInstances(rewriting: Rewriting, scope: OpenScope, log: IssueLog): void {
  for (const node of scope.nodes) {
    if (node.loop === undefined || typeOf(node.loop) !== "multiInstanceLoopCharacteristics") continue;
    const multi = readMulti(node, node.loop, log);
    if (multi === undefined) continue;
    const processId = `${rewriting.processId}:${node.id}`;
    const single: OpenNode = {
      ...node,
      loop: undefined,
      incoming: [],
      outgoing: [],
      boundaries: [],
      defaultFlow: undefined,
    };
    const content: OpenScope = { nodes: [single], flows: [] };
    rewriteNodes(rewriting, content, log);
    rewriting.handlers.push({
      id: processId,
      name: node.name,
      isExecutable: undefined,
      isCalledOnly: true,
      raisable: node.boundaries.flatMap(({ definitions }) =>
        definitions.flatMap(({ type, raw }) => (type === "errorEventDefinition" ? codeOf(raw) : [])),
      ),
      raw: node.raw,
      at: node.at,
      content,
    });
    node.instances = { processId, multi, completion: completionOf(node, node.loop) };
    node.loop = undefined;
    node.content = undefined;
    node.message = undefined;
  }
}

function codeOf(definition: Raw): readonly string[] {
  const error = childOf(definition, "errorRef");
  const code = error === undefined ? undefined : textOf(error, "errorCode")?.trim();
  return code === undefined ? [] : [code];
}

function completionOf(node: OpenNode, loop: Raw): BpmnFlow | undefined {
  const condition = expressionOf(loop, "completionCondition");
  if (condition === undefined || condition.text === "") return undefined;
  return { id: node.element.id, name: node.name, source: node, target: node, condition, at: node.at };
}

function readMulti(node: OpenNode, loop: Raw, log: IssueLog): { readonly [key: string]: Json } | undefined {
  const xml = node.xml?.children.find(({ name }) => name === "multiInstanceLoopCharacteristics");
  const [zeebe] = extensions(xml, "loopCharacteristics");
  const behavior = textOf(loop, "behavior");
  if (behavior !== undefined && behavior !== "All") {
    refuse(log, node, "BPMN037", `events that instances throw (behavior "${behavior}") are not supported`);
    return undefined;
  }
  const mode = loop["isSequential"] === true ? "sequential" : "parallel";
  const many = howMany(node, loop, xml, zeebe, log);
  const results = resultsOf(node, loop, zeebe, log);
  return many === undefined || results === undefined
    ? undefined
    : { mode, ...many, index: "loopCounter", ...results };
}

function howMany(
  node: OpenNode,
  loop: Raw,
  xml: XmlElement | undefined,
  zeebe: XmlElement | undefined,
  log: IssueLog,
): { readonly [key: string]: Json } | undefined {
  const written =
    (zeebe && attributeOf(zeebe, "inputCollection")) ??
    vendorAttribute(xml, "collection") ??
    associated(node, loop);
  const element =
    (zeebe && attributeOf(zeebe, "inputElement")) ??
    vendorAttribute(xml, "elementVariable") ??
    nameOf(childOf(loop, "inputDataItem"));
  if (written !== undefined) {
    const collection = variable(written);
    if (collection !== undefined) return { collection, ...(element === undefined ? {} : { element }) };
    refuse(log, node, "BPMN037", `its collection "${written}" is not one variable, which is not supported`);
    return undefined;
  }
  const cardinality = expressionOf(loop, "loopCardinality")?.text ?? "";
  const count = /^(?:=\s*|[#$]\{\s*)?(\d{1,4})\s*\}?$/u.exec(cardinality)?.[1];
  if (count !== undefined) return { count: Number(count) };
  if (cardinality === "") {
    noteKey(log, node, "how many instances there are: a run reads a list");
    return { collection: node.element.id };
  }
  const why = `its cardinality "${cardinality}" is no number below 10000, which is not supported`;
  refuse(log, node, "BPMN037", why);
  return undefined;
}

function resultsOf(
  node: OpenNode,
  loop: Raw,
  zeebe: XmlElement | undefined,
  log: IssueLog,
): { readonly [key: string]: Json } | undefined {
  const results =
    (zeebe && attributeOf(zeebe, "outputCollection")) ?? nameOf(childOf(loop, "loopDataOutputRef"));
  const written = (zeebe && attributeOf(zeebe, "outputElement")) ?? nameOf(childOf(loop, "outputDataItem"));
  if (results === undefined && written === undefined) return {};
  const into = results === undefined ? undefined : variable(results);
  const result = written === undefined ? undefined : variable(written);
  if (into !== undefined && result !== undefined) return { results: into, result };
  refuse(
    log,
    node,
    "BPMN037",
    `it collects "${written ?? ""}" in "${results ?? ""}"; only one variable in one other is supported`,
  );
  return undefined;
}

/** The variable that is the collection: of the data input, what is associated with it; of a data object, itself. */
function associated(node: OpenNode, loop: Raw): string | undefined {
  const input = childOf(loop, "loopDataInputRef");
  if (input === undefined) return undefined;
  for (const association of listOf(node.raw, "dataInputAssociations")) {
    if (childOf(association, "targetRef") !== input) continue;
    const [source] = listOf(association, "sourceRef");
    const name = nameOf(source);
    if (name !== undefined) return name;
  }
  return nameOf(input);
}

function nameOf(raw: Raw | undefined): string | undefined {
  if (raw === undefined) return undefined;
  const object = childOf(raw, "dataObjectRef");
  return (object === undefined ? undefined : textOf(object, "name")) ?? textOf(raw, "name");
}

/** The one variable that an expression is; undefined for every other expression. */
function variable(text: string): string | undefined {
  const inner = text
    .trim()
    .replace(/^=\s*/u, "")
    .replace(/^[#$]\{\s*([\s\S]*?)\s*\}$/u, "$1");
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(inner) && inner !== "__proto__" ? inner : undefined;
}
