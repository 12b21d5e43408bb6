/** @module From a BPMN 2.0 file to workflow definitions, one for each process: everything or every issue, nothing dropped. */
import {
  bad,
  type Issue,
  type JsonObject,
  type NodeId,
  type Outcome,
  ok,
  type Position,
  parseWorkflow,
  type Result,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import type { IssueLog } from "../issue-log.ts";
import type { Source } from "../source-text.ts";
import type { XmlLimits } from "../xml.ts";
import { calledElement } from "./calls.ts";
import { conditionOf } from "./condition.ts";
import { type BpmnDocument, readBpmnDocument } from "./document.ts";
import { type Draft, startDraft } from "./draft.ts";
import { settleInclusive } from "./inclusive.ts";
import { arrangeEnds } from "./inner-ends.ts";
import type { BpmnFlow, BpmnModel, BpmnNode, BpmnProcess, BpmnScope } from "./model.ts";
import { listOf, typeOf } from "./raw.ts";
import { readModel } from "./read-model.ts";
import { addScope } from "./scope.ts";
import type { TaskOptions } from "./tasks.ts";

/** Options of `importBpmn`. */
export interface BpmnOptions extends TaskOptions {
  readonly limits?: Partial<XmlLimits>;
  /** Issues that are listed. */
  readonly issuesMax?: number;
  /** The language of conditions that name none, where the file names none either, for example "feel". */
  readonly expressionLanguage?: string;
}

/** Where a node or an arc of a definition comes from. */
export interface BpmnElement {
  /** Id of the element; that of the node, but for nodes that the import made, or that of the sequence flow. */
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly position: Position;
}

/** A process as a definition, with the element behind each node, and the sequence flow behind each arc that stands for one. */
export interface ImportedProcess {
  readonly definition: WorkflowDefinition;
  readonly elements: ReadonlyMap<NodeId, BpmnElement>;
  /** By the index of the arc. */
  readonly flows: ReadonlyMap<number, BpmnElement>;
}

/** A file. Processes that others call come before them, so that they can be deployed in order. */
export interface ImportedBpmn {
  readonly name: string;
  readonly processes: readonly ImportedProcess[];
  readonly warnings: readonly Issue[];
}

/**
 * Reads a BPMN 2.0 file: one definition for each executable process (for every process, if none says that it is) and for
 * those that they call. Ids of nodes are ids of elements. What cannot be said with the kinds that there are is an issue
 * with the element's id, name and place; what has no bearing on the control flow and is not executed is a warning.
 * Never throws. Cost: linear in the file, but for inclusive gateways (their blocks) and for subprocesses with several
 * ends (their states, within a limit).
 *
 * @definition D14.1
 */
export async function importBpmn(
  source: Source,
  options: BpmnOptions = {},
): Promise<Result<ImportedBpmn, readonly Issue[]>> {
  const read = await readBpmnDocument(source, options.limits ?? {}, options.issuesMax);
  if (!read.ok) return read;
  const document = read.value;
  const { log } = document;
  const model = readModel(document);
  noteCollaboration(document);
  const chosen = chooseProcesses(model, log);
  if (chosen.length === 0 && !log.hasErrors())
    log.error("BPMN002", document.whereOf(undefined), "the file has no process with flow nodes");
  if (log.hasErrors()) return bad(log.errors());
  const processes = buildAll(model, chosen, options, log);
  if (log.hasErrors()) return bad(log.errors());
  return ok({ name: model.name, processes, warnings: log.warnings() });
}

/** The executable processes and what they call; all that have content, if none is executable. Called ones first. */
function chooseProcesses(model: BpmnModel, log: IssueLog): readonly BpmnProcess[] {
  const filled = model.processes.filter(({ content }) => content.nodes.length > 0);
  const main = filled.filter(({ isCalledOnly }) => !isCalledOnly);
  const executable = main.filter(({ isExecutable }) => isExecutable === true);
  const byId = new Map(filled.map((process) => [process.id, process]));
  const done = new Set<BpmnProcess>();
  const open = new Set<BpmnProcess>();
  const visit = (process: BpmnProcess): void => {
    if (done.has(process)) return;
    open.add(process);
    for (const node of nodesIn(process.content)) {
      const name =
        node.handler ??
        node.instances?.processId ??
        (node.type === "callActivity" ? calledElement(node) : undefined);
      const called = byId.get(name ?? "");
      if (called === undefined) continue;
      if (open.has(called))
        log.error(
          "BPMN017",
          node.at,
          `callActivity "${node.id}" calls "${called.id}", which calls it in turn`,
          {
            element: node.id,
          },
        );
      else visit(called);
    }
    open.delete(process);
    done.add(process);
  };
  for (const process of executable.length > 0 ? executable : main) visit(process);
  for (const process of model.processes) {
    if (done.has(process) || process.isCalledOnly) continue;
    const why = process.content.nodes.length === 0 ? "has no flow nodes" : "is not executable";
    log.warn("BPMN071", process.at, `the process "${process.id}" ${why} and is left out`, {
      element: process.id,
    });
  }
  return [...done];
}

function nodesIn(scope: BpmnScope): readonly BpmnNode[] {
  return scope.nodes.flatMap((node) => [node, ...(node.content === undefined ? [] : nodesIn(node.content))]);
}

function noteCollaboration({ definitions, log, whereOf, xmlOf }: BpmnDocument): void {
  const roots = listOf(definitions, "rootElements").filter((raw) => typeOf(raw) === "collaboration");
  for (const flows of roots.map((collaboration) => listOf(collaboration, "messageFlows"))) {
    const [first] = flows;
    if (first === undefined) continue;
    const message = `${flows.length} message flows are not executed: processes exchange messages by name`;
    log.warn("BPMN072", whereOf(xmlOf(first)), message, { count: flows.length });
  }
}

function buildAll(
  model: BpmnModel,
  chosen: readonly BpmnProcess[],
  options: BpmnOptions,
  log: IssueLog,
): readonly ImportedProcess[] {
  const labels = new Map<string, readonly Outcome[]>();
  return chosen.flatMap((process) => {
    const draft = startDraft(process.id, model.ids, log, labels);
    const built = build(model, process, draft, options);
    labels.set(process.id, [...(draft.failures.get("")?.keys() ?? [])]);
    return built === undefined ? [] : [built];
  });
}

function build(
  model: BpmnModel,
  process: BpmnProcess,
  draft: Draft,
  options: BpmnOptions,
): ImportedProcess | undefined {
  const { log } = draft;
  const context = {
    draft,
    options,
    conditionOf: (flow: Parameters<typeof conditionOf>[0]) =>
      conditionOf(flow, model.expressionLanguage, options.expressionLanguage, log),
  };
  const { entry } = addScope(context, process.content, undefined, process.raisable, []);
  if (log.hasErrors()) return undefined;
  const { looksAtMarking } = settleInclusive(draft, entry);
  if (log.hasErrors()) return undefined;
  const looksAhead = completeScopes(draft, process.content, looksAtMarking);
  const name = process.name?.trim();
  const parsed = parseWorkflow(
    {
      format: 1,
      kind: "workflow",
      id: process.id,
      ...(name === undefined || name === "" ? {} : { label: name }),
      entry,
      nodes: draft.nodes,
      arcs: draft.arcs,
      ...(looksAhead ? { joinSemantics: "yawl" } : {}),
    },
    STANDARD_KINDS,
  );
  if (!parsed.ok) {
    for (const issue of parsed.issues) reportCore(draft, process, issue);
    return undefined;
  }
  const elements = elementsBehind(draft, process, parsed.value);
  return { definition: parsed.value, elements, flows: flowsBehind(draft, process) };
}

/**
 * The elements behind the nodes; behind a node that stands for none, such as the end for uncaught errors, that of its scope.
 *
 * @definition D14.26
 */
function elementsBehind(
  draft: Draft,
  { id, name, at }: BpmnProcess,
  { nodes }: WorkflowDefinition,
): ReadonlyMap<NodeId, BpmnElement> {
  const whole = elementOf({ element: { id, type: "process" }, name, at });
  return new Map(
    nodes.map((node) => {
      const behind = draft.behind.get(node.id) ?? draft.behind.get(node.scope ?? "");
      return [node.id, behind === undefined ? whole : elementOf(behind)];
    }),
  );
}

/** The sequence flows of the file behind the arcs; those that rewriting made have ids that no file has. */
function flowsBehind(draft: Draft, { content }: BpmnProcess): ReadonlyMap<number, BpmnElement> {
  const flows = new Map(flowsIn(content).map((flow) => [flow.id, flow]));
  return new Map(
    draft.arcs.flatMap((arc, index): readonly (readonly [number, BpmnElement])[] => {
      const flow = flows.get(draft.flowOf.get(arc) ?? "");
      if (flow === undefined || flow.id.includes(":")) return [];
      const { id, name, at } = flow;
      return [[index, elementOf({ element: { id, type: "sequenceFlow" }, name, at })]];
    }),
  );
}

function flowsIn(scope: BpmnScope): readonly BpmnFlow[] {
  return [
    ...scope.flows,
    ...scope.nodes.flatMap(({ content }) => (content === undefined ? [] : flowsIn(content))),
  ];
}

/** Arranges the ends of all subprocesses; must the joins that this made look ahead? */
function completeScopes(draft: Draft, content: BpmnScope, looksAtMarking: boolean): boolean {
  const varying = nodesIn(content).filter((node) => node.content !== undefined && arrangeEnds(draft, node));
  if (!looksAtMarking) return varying.length > 0;
  for (const { element, at } of varying) {
    const message = `"${element.id}" has ends that mark together in ways that vary, beside inclusive gateways: it may be left while a token that could come to a marked end is under way`;
    draft.log.warn("BPMN079", at, message, { element: element.id });
  }
  return false;
}

function elementOf({ element, name, at }: Pick<BpmnNode, "element" | "name" | "at">): BpmnElement {
  const { position } = at();
  return { ...element, ...(name === undefined || name === "" ? {} : { name }), position };
}

/** An issue of the definition, at the element that it speaks of. */
function reportCore(draft: Draft, process: BpmnProcess, issue: Issue): void {
  const [list, index] = issue.path;
  const id =
    typeof index !== "number"
      ? undefined
      : list === "nodes"
        ? draft.nodes[index]?.id
        : list === "arcs"
          ? draft.arcs[index]?.from
          : undefined;
  const node = id === undefined ? undefined : draft.behind.get(id);
  const element = node?.element ?? { id: process.id, type: "process" };
  const name = (node ?? process).name?.trim();
  const shown = name === undefined || name === "" ? "" : ` ("${name}")`;
  const facts: JsonObject = { element: element.id, cause: issue.code, ...issue.facts };
  const message = `${element.type} "${element.id}"${shown}: ${issue.code}: ${issue.message}`;
  draft.log.error("BPMN020", node?.at ?? process.at, message, facts);
}
