/** @module From the element tree to the model: flow nodes and sequence flows linked, lanes and boundary events assigned. */
import type { XmlElement } from "../xml.ts";
import type { BpmnDocument } from "./document.ts";
import { writeEventSubprocesses } from "./event-subprocesses.ts";
import { takeOutHandlers } from "./handlers.ts";
import { takeOutInstances } from "./instances.ts";
import type { BpmnModel, BpmnNode, BpmnProcess, EventDefinition, Reference } from "./model.ts";
import { madeNode, type OpenFlow, type OpenNode, type OpenScope, type Rewriting } from "./open-model.ts";
import { childOf, expressionOf, listOf, type Raw, textOf, typeOf } from "./raw.ts";
import { rewriteNodes } from "./rewrite.ts";
import { refuse } from "./unsupported.ts";

/** Elements of a scope that are neither flow nodes nor flows; they carry data, which is not executed. */
const DATA: ReadonlySet<string> = new Set(["dataObject", "dataObjectReference", "dataStoreReference"]);

/**
 * The model of a document. Issues: flow nodes without id, sequence flows without ends or across scopes, boundary events
 * without host. Cost: linear.
 */
export function readModel(document: BpmnDocument): BpmnModel {
  const { definitions } = document;
  const processes: BpmnProcess[] = [];
  const ids = new Set(document.ids);
  const handlers: BpmnProcess[] = [];
  const fresh = (wish: string): string => {
    let id = wish;
    for (let number = 2; ids.has(id); number += 1) id = `${wish}:${number}`;
    ids.add(id);
    return id;
  };
  for (const root of listOf(definitions, "rootElements")) {
    const task = GLOBAL_TASKS.get(typeOf(root));
    if (task !== undefined) handlers.push(globalTask(document, root, task, fresh));
    if (typeOf(root) !== "process") continue;
    const processId = document.idOf(root) ?? `process${processes.length + 1}`;
    processes.push(readProcess(document, root, { processId, fresh, handlers }));
  }
  return {
    name: textOf(definitions, "name") ?? document.idOf(definitions) ?? "",
    expressionLanguage: declaredLanguage(document),
    processes: [...handlers, ...processes],
    ids,
  };
}

/** The library fills in BPMN's default, XPath, which next to nobody means: only what the file says counts. */
function declaredLanguage({ root }: BpmnDocument): string | undefined {
  return root.attributes.find(([name]) => name === "expressionLanguage")?.[1];
}

/** Global tasks, which calls name, and the tasks that they are. */
const GLOBAL_TASKS: ReadonlyMap<string, string> = new Map([
  ["globalTask", "task"],
  ["globalUserTask", "userTask"],
  ["globalManualTask", "manualTask"],
  ["globalScriptTask", "scriptTask"],
  ["globalBusinessRuleTask", "businessRuleTask"],
]);

/** A global task as a process that has just this task. */
function globalTask(
  document: BpmnDocument,
  raw: Raw,
  type: string,
  fresh: (wish: string) => string,
): BpmnProcess {
  const xml = document.xmlOf(raw);
  const at = document.whereOf(xml);
  const id = document.idOf(raw) ?? "";
  if (id === "") document.log.error("BPMN006", at, `a ${typeOf(raw)} has no id`);
  const name = textOf(raw, "name");
  const of = { name, at, lane: undefined, element: { id, type: typeOf(raw) } };
  const task: OpenNode = { ...madeNode(of, fresh(`${id}:task`), type), raw, xml };
  return {
    id,
    name,
    isExecutable: undefined,
    isCalledOnly: true,
    raisable: [],
    raw,
    at,
    content: { nodes: [task], flows: [] },
  };
}

function readProcess(document: BpmnDocument, raw: Raw, rewriting: Rewriting): BpmnProcess {
  const id = rewriting.processId;
  const at = document.whereOf(document.xmlOf(raw));
  const isExecutable = raw["isExecutable"];
  const name = textOf(raw, "name");
  const owner = madeNode({ name, element: { id, type: "process" }, at, lane: undefined }, id, "process");
  return {
    id,
    name,
    isExecutable: typeof isExecutable === "boolean" ? isExecutable : undefined,
    isCalledOnly: false,
    raisable: [],
    raw,
    at,
    content: readScope({ document, rewriting }, raw, owner, lanesOf(document, raw)),
  };
}

interface Reading {
  readonly document: BpmnDocument;
  readonly rewriting: Rewriting;
}

/** The scope of `owner`, whose element is `raw`. */
function readScope(reading: Reading, raw: Raw, owner: BpmnNode, lanes: ReadonlyMap<Raw, string>): OpenScope {
  const { document, rewriting } = reading;
  const elements = listOf(raw, "flowElements");
  const nodes = new Map<Raw, OpenNode>();
  for (const element of elements) {
    const type = typeOf(element);
    if (type === "sequenceFlow") continue;
    if (DATA.has(type)) noteData(document, element);
    else nodes.set(element, readNode(reading, element, lanes, owner.lane));
  }
  const flows: OpenFlow[] = [];
  const byRaw = new Map<Raw, OpenFlow>();
  for (const element of elements.filter((each) => typeOf(each) === "sequenceFlow")) {
    const flow = readFlow(document, element, nodes, flows.length);
    if (flow === undefined) continue;
    flows.push(flow);
    byRaw.set(element, flow);
    flow.source.outgoing.push(flow);
    flow.target.incoming.push(flow);
  }
  for (const node of nodes.values()) {
    orderOutgoing(node, byRaw);
    const marked = childOf(node.raw, "default");
    node.defaultFlow = marked === undefined ? undefined : byRaw.get(marked);
    attach(document, node, nodes);
  }
  const scope: OpenScope = { nodes: [...nodes.values()], flows };
  takeOutInstances(rewriting, scope, document.log);
  rewriteNodes(rewriting, scope, document.log);
  writeEventSubprocesses(rewriting, scope, owner, document.log);
  takeOutHandlers(rewriting, scope, document.log);
  return scope;
}

function noteData(document: BpmnDocument, raw: Raw): void {
  const id = document.idOf(raw) ?? "";
  document.log.warn(
    "BPMN065",
    document.whereOf(document.xmlOf(raw)),
    `${typeOf(raw)} "${id}" is not executed: tasks read and write the data of the run`,
    { element: id },
  );
}

function readNode(
  reading: Reading,
  raw: Raw,
  lanes: ReadonlyMap<Raw, string>,
  outerLane: string | undefined,
): OpenNode {
  const { document } = reading;
  const id = document.idOf(raw) ?? "";
  const xml = document.xmlOf(raw);
  const at = document.whereOf(xml);
  const type = typeOf(raw);
  const name = textOf(raw, "name")?.trim();
  if (id === "")
    document.log.error("BPMN006", at, `a ${type} has no id${name === undefined ? "" : `: "${name}"`}`);
  const isScope = raw["flowElements"] !== undefined || SCOPES.has(type);
  const node: OpenNode = {
    id,
    type,
    element: { id, type },
    name,
    raw,
    xml,
    at,
    incoming: [],
    outgoing: [],
    defaultFlow: undefined,
    boundaries: [],
    definitions: definitionsOf(document, raw, xml),
    isInterrupting: raw["cancelActivity"] !== false && raw["isInterrupting"] !== false,
    loop: childOf(raw, "loopCharacteristics"),
    completionQuantity: raw["completionQuantity"],
    isEventSubprocess: raw["triggeredByEvent"] === true,
    content: undefined,
    lane: lanes.get(raw) ?? outerLane,
    handler: undefined,
    instances: undefined,
    message: undefined,
  };
  if (type === "receiveTask" || type === "sendTask") node.message = messageOf(document, raw, xml);
  if (isScope) node.content = readScope(reading, raw, node, lanesOf(document, raw));
  return node;
}

/** The event definitions of an event: those inside it and those that it refers to. */
function definitionsOf(
  document: BpmnDocument,
  raw: Raw,
  xml: XmlElement | undefined,
): readonly EventDefinition[] {
  const written = [...listOf(raw, "eventDefinitions"), ...listOf(raw, "eventDefinitionRef")];
  // One without id is known by its place among the others.
  const inside = (xml?.children ?? []).filter(({ name }) => name.endsWith("EventDefinition"));
  return written.map((definition, index) => ({
    type: typeOf(definition),
    raw: definition,
    xml: document.xmlOf(definition) ?? inside[index],
    reference: referenceOf(document, definition),
  }));
}

/** What a definition, or a task, refers to under `messageRef`, `signalRef`, `errorRef` or `escalationRef`. */
function referenceOf(document: BpmnDocument, raw: Raw): Reference | undefined {
  for (const property of ["messageRef", "signalRef", "errorRef", "escalationRef"]) {
    const target = childOf(raw, property);
    if (target === undefined) continue;
    const id = document.idOf(target) ?? "";
    return { id, name: textOf(target, "name")?.trim(), raw: target, xml: document.xmlOf(target) };
  }
  return undefined;
}

/** The message that a receive or a send task has, as the definition that an event would have. */
function messageOf(
  document: BpmnDocument,
  raw: Raw,
  xml: XmlElement | undefined,
): EventDefinition | undefined {
  const reference = referenceOf(document, raw);
  return reference === undefined ? undefined : { type: "messageEventDefinition", raw, xml, reference };
}

const SCOPES: ReadonlySet<string> = new Set(["subProcess", "transaction", "adHocSubProcess"]);

function readFlow(
  document: BpmnDocument,
  raw: Raw,
  nodes: ReadonlyMap<Raw, OpenNode>,
  index: number,
): OpenFlow | undefined {
  const id = document.idOf(raw) ?? `flow${index + 1}`;
  const at = document.whereOf(document.xmlOf(raw));
  const ends = [childOf(raw, "sourceRef"), childOf(raw, "targetRef")] as const;
  const [source, target] = ends.map((end) => (end === undefined ? undefined : nodes.get(end)));
  if (source === undefined || target === undefined) {
    const [, missing] = ends[0] === undefined || source === undefined ? ["", "source"] : ["", "target"];
    const isElsewhere = ends[0] !== undefined && ends[1] !== undefined;
    const name = textOf(raw, "name")?.trim();
    const flow = `the sequence flow "${id}"${name === undefined ? "" : ` ("${name}")`}`;
    const message = isElsewhere ? `${flow} leaves its process or subprocess` : `${flow} has no ${missing}`;
    document.log.error("BPMN007", at, message, { element: id, ...(name === undefined ? {} : { name }) });
    return undefined;
  }
  const condition = expressionOf(raw, "conditionExpression");
  return { id, name: textOf(raw, "name")?.trim(), source, target, condition, at };
}

/** The order that the node lists its flows in, where it lists them all; else that of the document. */
function orderOutgoing(node: OpenNode, byRaw: ReadonlyMap<Raw, OpenFlow>): void {
  const listed = listOf(node.raw, "outgoing").flatMap((raw) => byRaw.get(raw) ?? []);
  const own = new Set(node.outgoing);
  const isComplete =
    listed.length === own.size && new Set(listed).size === own.size && listed.every((f) => own.has(f));
  if (isComplete) node.outgoing.splice(0, node.outgoing.length, ...listed);
}

function attach(document: BpmnDocument, node: OpenNode, nodes: ReadonlyMap<Raw, OpenNode>): void {
  if (node.type !== "boundaryEvent") return;
  const host = childOf(node.raw, "attachedToRef");
  const open = host === undefined ? undefined : nodes.get(host);
  if (open !== undefined) open.boundaries.push(node);
  else refuse(document.log, node, "BPMN005", "it is attached to nothing");
}

/** The innermost lane of each flow node of a process: its name, else its id. */
function lanesOf(document: BpmnDocument, owner: Raw): ReadonlyMap<Raw, string> {
  const lanes = new Map<Raw, string>();
  const visit = (sets: readonly Raw[]): void => {
    for (const lane of sets.flatMap((set) => listOf(set, "lanes"))) {
      const label = (textOf(lane, "name") ?? document.idOf(lane) ?? "").trim();
      if (label !== "") for (const node of listOf(lane, "flowNodeRef")) lanes.set(node, label);
      const inner = childOf(lane, "childLaneSet");
      if (inner !== undefined) visit([inner]);
    }
  };
  visit(listOf(owner, "laneSets"));
  return lanes;
}
