/** @module From the element tree to the model: flow nodes and sequence flows linked, lanes and boundary events assigned. */
import type { BpmnDocument } from "./document.ts";
import type { BpmnFlow, BpmnModel, BpmnNode, BpmnProcess, BpmnScope } from "./model.ts";
import { childOf, expressionOf, listOf, type Raw, textOf, typeOf } from "./raw.ts";

/** A node under construction: its lists are filled when the flows of its scope are known. */
interface OpenNode extends BpmnNode {
  readonly incoming: BpmnFlow[];
  readonly outgoing: BpmnFlow[];
  readonly boundaries: BpmnNode[];
  defaultFlow: BpmnFlow | undefined;
}

/** Elements of a scope that are neither flow nodes nor flows; they carry data, which is not executed. */
const DATA: ReadonlySet<string> = new Set(["dataObject", "dataObjectReference", "dataStoreReference"]);

/**
 * The model of a document. Issues: flow nodes without id, sequence flows without ends or across scopes, boundary events
 * without host. Cost: linear.
 */
export function readModel(document: BpmnDocument): BpmnModel {
  const { definitions } = document;
  const processes: BpmnProcess[] = [];
  for (const root of listOf(definitions, "rootElements")) {
    if (typeOf(root) === "process") processes.push(readProcess(document, root, processes.length));
  }
  return {
    name: textOf(definitions, "name") ?? document.idOf(definitions) ?? "",
    expressionLanguage: declaredLanguage(document),
    processes,
    ids: document.ids,
  };
}

/** The library fills in BPMN's default, XPath, which next to nobody means: only what the file says counts. */
function declaredLanguage({ root }: BpmnDocument): string | undefined {
  return root.attributes.find(([name]) => name === "expressionLanguage")?.[1];
}

function readProcess(document: BpmnDocument, raw: Raw, index: number): BpmnProcess {
  const id = document.idOf(raw);
  const at = document.whereOf(document.xmlOf(raw));
  const isExecutable = raw["isExecutable"];
  return {
    id: id ?? `process${index + 1}`,
    name: textOf(raw, "name"),
    isExecutable: typeof isExecutable === "boolean" ? isExecutable : undefined,
    raw,
    at,
    content: readScope(document, raw, lanesOf(document, raw)),
  };
}

function readScope(
  document: BpmnDocument,
  owner: Raw,
  lanes: ReadonlyMap<Raw, string>,
  outerLane?: string,
): BpmnScope {
  const elements = listOf(owner, "flowElements");
  const nodes = new Map<Raw, OpenNode>();
  for (const raw of elements) {
    const type = typeOf(raw);
    if (type === "sequenceFlow") continue;
    if (DATA.has(type)) noteData(document, raw);
    else nodes.set(raw, readNode(document, raw, lanes, outerLane));
  }
  const flows: BpmnFlow[] = [];
  const byRaw = new Map<Raw, BpmnFlow>();
  for (const raw of elements.filter((element) => typeOf(element) === "sequenceFlow")) {
    const flow = readFlow(document, raw, nodes, flows.length);
    if (flow === undefined) continue;
    flows.push(flow);
    byRaw.set(raw, flow);
    nodes.get(flow.source.raw)?.outgoing.push(flow);
    nodes.get(flow.target.raw)?.incoming.push(flow);
  }
  for (const node of nodes.values()) {
    orderOutgoing(node, byRaw);
    const marked = childOf(node.raw, "default");
    node.defaultFlow = marked === undefined ? undefined : byRaw.get(marked);
    attach(document, node, nodes);
  }
  return { nodes: [...nodes.values()], flows };
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
  document: BpmnDocument,
  raw: Raw,
  lanes: ReadonlyMap<Raw, string>,
  outerLane: string | undefined,
): OpenNode {
  const lane = lanes.get(raw) ?? outerLane;
  const id = document.idOf(raw) ?? "";
  const xml = document.xmlOf(raw);
  const at = document.whereOf(xml);
  const type = typeOf(raw);
  const name = textOf(raw, "name")?.trim();
  if (id === "")
    document.log.error("BPMN006", at, `a ${type} has no id${name === undefined ? "" : `: "${name}"`}`);
  const isScope = raw["flowElements"] !== undefined || SCOPES.has(type);
  return {
    id,
    type,
    name,
    raw,
    xml,
    at,
    incoming: [],
    outgoing: [],
    defaultFlow: undefined,
    boundaries: [],
    content: isScope ? readScope(document, raw, lanesOf(document, raw), lane) : undefined,
    lane,
  };
}

const SCOPES: ReadonlySet<string> = new Set(["subProcess", "transaction", "adHocSubProcess"]);

function readFlow(
  document: BpmnDocument,
  raw: Raw,
  nodes: ReadonlyMap<Raw, BpmnNode>,
  index: number,
): BpmnFlow | undefined {
  const id = document.idOf(raw) ?? `flow${index + 1}`;
  const at = document.whereOf(document.xmlOf(raw));
  const ends = [childOf(raw, "sourceRef"), childOf(raw, "targetRef")] as const;
  const [source, target] = ends.map((end) => (end === undefined ? undefined : nodes.get(end)));
  if (source === undefined || target === undefined) {
    const [, missing] = ends[0] === undefined || source === undefined ? ["", "source"] : ["", "target"];
    const isElsewhere = ends[0] !== undefined && ends[1] !== undefined;
    const message = isElsewhere
      ? `the sequence flow "${id}" leaves its process or subprocess`
      : `the sequence flow "${id}" has no ${missing}`;
    document.log.error("BPMN007", at, message, { element: id });
    return undefined;
  }
  const condition = expressionOf(raw, "conditionExpression");
  return { id, name: textOf(raw, "name")?.trim(), source, target, condition, at };
}

/** The order that the node lists its flows in, where it lists them all; else that of the document. */
function orderOutgoing(node: OpenNode, byRaw: ReadonlyMap<Raw, BpmnFlow>): void {
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
  else
    document.log.error("BPMN005", node.at, `the boundary event "${node.id}" is attached to nothing`, {
      element: node.id,
    });
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
