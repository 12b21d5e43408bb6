/** @module A YAWL file as a specification: nets with conditions, tasks and flows, each with its place in the text. */
import type { InterchangeCode } from "../issue-codes.ts";
import type { IssueLog, Where } from "../issue-log.ts";
import { attribute, childNamed, type XmlDocument, type XmlElement, xmlPath } from "../xml.ts";

/** How flows into a task combine, or flows out of it are chosen. */
export type YawlCode = "and" | "or" | "xor";

/** A condition or a task. Flows go to ids of the same net, in document order. */
export interface YawlElement {
  readonly kind: "input" | "output" | "condition" | "task";
  readonly id: string;
  readonly name: string | undefined;
  readonly at: () => Where;
  readonly flowsTo: readonly string[];
  /** Flows into it: ids of elements of the same net, in document order; filled when all are known. */
  readonly flowsFrom: string[];
  readonly join: YawlCode;
  readonly split: YawlCode;
  /** Elements that lose their tokens when the task ends, and flows between two tasks that do. */
  readonly removes: readonly string[];
  readonly removesFlows: readonly (readonly [from: string, to: string])[];
  /** The net that the task stands for, if it stands for one. */
  readonly net: string | undefined;
}

/** A net of a specification: its elements by id, in document order. */
export interface YawlNet {
  readonly id: string;
  readonly at: () => Where;
  readonly elements: ReadonlyMap<string, YawlElement>;
  readonly input: string;
  readonly output: string;
}

/** A specification: its root net, and all nets by id. */
export interface YawlSpecification {
  readonly uri: string;
  readonly root: YawlNet;
  readonly nets: ReadonlyMap<string, YawlNet>;
}

interface Reading {
  readonly log: IssueLog;
  readonly at: (element: XmlElement) => () => Where;
  /** Ids of the decompositions that are nets, and of those that are not. */
  readonly kinds: ReadonlyMap<string, "net" | "atomic">;
}

/** An element with what its net declares. */
interface TaskContext extends Reading {
  readonly variables: ReadonlySet<string>;
}

/** Subtrees that are never read: drawings, and documentation. */
export const SKIPPED: ReadonlySet<string> = new Set(["layout", "metaData", "documentation", "schema"]);

/**
 * The specification of a document; with several, the one with the URI `uri`. Undefined with the issues in the log.
 *
 * @definition D18.1
 */
export function readSpecification(
  { root, positionAt }: XmlDocument,
  uri: string | undefined,
  log: IssueLog,
): YawlSpecification | undefined {
  const at = (element: XmlElement) => () => ({
    path: xmlPath(element),
    position: positionAt(element.offset),
  });
  const specification = chooseSpecification(root, uri, log, at);
  if (specification === undefined) return undefined;
  const decompositions = specification.children.filter(
    ({ name }) => name === "decomposition" || name === "rootNet",
  );
  const kinds = new Map<string, "net" | "atomic">();
  for (const decomposition of decompositions)
    kinds.set(attribute(decomposition, "id") ?? "", isNet(decomposition) ? "net" : "atomic");
  const reading: Reading = { log, at, kinds };
  const nets = new Map<string, YawlNet>();
  const roots: YawlNet[] = [];
  for (const decomposition of decompositions.filter(isNet)) {
    const net = readNet(reading, decomposition);
    if (nets.has(net.id)) log.error("YAWL004", net.at, `two nets have the id "${net.id}"`, { id: net.id });
    nets.set(net.id, net);
    if (decomposition.name === "rootNet" || attribute(decomposition, "isRootNet") === "true") roots.push(net);
    noteData(reading, decomposition);
  }
  const [rootNet, ...others] = roots;
  if (rootNet === undefined || others.length > 0) {
    const message = `a specification has one root net; this one has ${roots.length}`;
    log.error("YAWL002", at(specification), message, { roots: roots.map(({ id }) => id) });
    return undefined;
  }
  return { uri: attribute(specification, "uri") ?? rootNet.id, root: rootNet, nets };
}

function chooseSpecification(
  root: XmlElement,
  uri: string | undefined,
  log: IssueLog,
  at: Reading["at"],
): XmlElement | undefined {
  const specifications = root.children.filter(({ name }) => name === "specification");
  if (root.name !== "specificationSet" || specifications.length === 0) {
    const message = "this is not a YAWL file: there is no <specificationSet> with a <specification>";
    log.error("YAWL001", at(root), message, { root: root.name });
    return undefined;
  }
  const uris = specifications.map((one) => attribute(one, "uri") ?? "");
  const chosen =
    uri === undefined ? specifications : specifications.filter((_, index) => uris[index] === uri);
  if (chosen.length === 1) return chosen[0];
  const message =
    chosen.length === 0
      ? `there is no specification "${uri}"`
      : `the file has ${chosen.length} specifications: choose one by its URI`;
  log.error("YAWL003", at(root), message, { uris: uris.slice(0, 20) });
  return undefined;
}

function isNet(decomposition: XmlElement): boolean {
  return decomposition.name === "rootNet" || typeOf(decomposition) === "NetFactsType";
}

/** The value of `xsi:type`, without its prefix. */
function typeOf(element: XmlElement): string {
  const value = element.attributes.find(([name]) => /^(?:.*:)?type$/u.test(name))?.[1] ?? "";
  return value.replace(/^.*:/u, "");
}

/** Names of the variables that a net can write: its own, and those that it gives back. */
function variablesOf(decomposition: XmlElement): ReadonlySet<string> {
  const declared = decomposition.children.filter(
    ({ name }) => name === "localVariable" || name === "outputParam",
  );
  return new Set(declared.map((own) => attribute(own, "name") ?? childNamed(own, "name")?.text.trim() ?? ""));
}

const KINDS: ReadonlyMap<string, YawlElement["kind"]> = new Map([
  ["inputCondition", "input"],
  ["outputCondition", "output"],
  ["condition", "condition"],
  ["task", "task"],
]);

function readNet(reading: Reading, decomposition: XmlElement): YawlNet {
  const { log, at } = reading;
  const id = attribute(decomposition, "id") ?? "";
  const elements = new Map<string, YawlElement>();
  const context: TaskContext = { ...reading, variables: variablesOf(decomposition) };
  for (const xml of childNamed(decomposition, "processControlElements")?.children ?? []) {
    const kind = KINDS.get(xml.name);
    if (kind === undefined) {
      log.error("YAWL010", at(xml), `<${xml.name}> is no element of a net`, { element: xml.name });
      continue;
    }
    const element = readElement(context, xml, kind);
    if (elements.has(element.id))
      log.error("YAWL004", at(xml), `the id "${element.id}" is used twice`, { id: element.id });
    elements.set(element.id, element);
  }
  const only = (kind: "input" | "output"): string => {
    const [first, ...others] = [...elements.values()].filter((element) => element.kind === kind);
    if (first === undefined || others.length > 0)
      log.error("YAWL002", at(decomposition), `the net "${id}" must have one ${kind} condition`, { net: id });
    return first?.id ?? "";
  };
  const net = { id, at: at(decomposition), elements, input: only("input"), output: only("output") };
  linkFlows(net, log);
  return net;
}

function readElement(reading: TaskContext, xml: XmlElement, kind: YawlElement["kind"]): YawlElement {
  const idOf = (child: XmlElement) => attribute(child, "id") ?? "";
  const named = (name: string) => xml.children.filter((child) => child.name === name);
  const flowsTo = named("flowsInto").flatMap((flow) =>
    flow.children.filter(({ name }) => name === "nextElementRef").map(idOf),
  );
  if (kind === "task") noteTask(reading, xml);
  const decomposition = named("decomposesTo").map(idOf)[0];
  if (decomposition !== undefined && !reading.kinds.has(decomposition))
    reading.log.error(
      "YAWL008",
      reading.at(xml),
      `task "${idOf(xml)}" stands for the unknown "${decomposition}"`,
      {
        id: idOf(xml),
      },
    );
  const isComposite = decomposition !== undefined && reading.kinds.get(decomposition) === "net";
  return {
    kind,
    id: idOf(xml),
    name: childNamed(xml, "name")?.text.trim() || undefined,
    at: reading.at(xml),
    flowsTo: [...new Set(flowsTo)],
    flowsFrom: [],
    join: codeOf(reading, xml, "join"),
    split: codeOf(reading, xml, "split"),
    removes: named("removesTokens").map(idOf),
    removesFlows: named("removesTokensFromFlow").map((flow) => {
      const end = (name: string) => attribute(childNamed(flow, name) ?? flow, "id") ?? "";
      return [end("flowSource"), end("flowDestination")] as const;
    }),
    net: isComposite ? decomposition : undefined,
  };
}

function codeOf({ log, at }: Reading, xml: XmlElement, which: "join" | "split"): YawlCode {
  const child = childNamed(xml, which);
  if (child === undefined) return which === "join" ? "xor" : "and";
  const code = attribute(child, "code") ?? "";
  if (code === "and" || code === "or" || code === "xor") return code;
  log.error("YAWL006", at(child), `"${code}" is no ${which}: it is and, or, xor`, { code });
  return "xor";
}

/** Fills `flowsFrom`, and reports flows that lead nowhere, from the end, to the beginning or between two conditions. */
function linkFlows({ elements }: Pick<YawlNet, "elements">, log: IssueLog): void {
  for (const from of elements.values()) {
    for (const id of from.flowsTo) {
      const to = elements.get(id);
      const why =
        to === undefined
          ? "is no element of this net"
          : to.kind === "input"
            ? "is the input condition, which nothing flows into"
            : from.kind === "output"
              ? "follows the output condition, from which nothing flows"
              : from.kind !== "task" && to.kind !== "task"
                ? "is a condition, as is its source: a task must stand between them"
                : undefined;
      if (why === undefined) to?.flowsFrom.push(from.id);
      else
        log.error("YAWL005", from.at, `the flow from "${from.id}" to "${id}": the target ${why}`, {
          from: from.id,
          to: id,
        });
    }
  }
  for (const element of elements.values()) {
    const isCut =
      (element.kind !== "output" && element.flowsTo.length === 0) ||
      (element.kind !== "input" && element.flowsFrom.length === 0);
    if (isCut)
      log.error(
        "YAWL007",
        element.at,
        `"${element.id}" is on no way from the input to the output condition`,
        {
          id: element.id,
        },
      );
    checkCancellation(element, elements, log);
  }
}

function checkCancellation(
  { id, at, removes, removesFlows }: YawlElement,
  elements: YawlNet["elements"],
  log: IssueLog,
): void {
  for (const removed of removes) {
    const kind = elements.get(removed)?.kind;
    if (kind !== undefined && kind !== "output") continue;
    const why = kind === undefined ? "is no element of this net" : "is the output condition";
    log.error("YAWL009", at, `"${id}" removes tokens from "${removed}", which ${why}`, { id, removed });
  }
  for (const [from, to] of removesFlows) {
    if (elements.get(from)?.flowsTo.includes(to) === true) continue;
    const message = `"${id}" removes tokens from the flow "${from}" to "${to}", which does not exist: nothing is removed`;
    log.warn("YAWL024", at, message, { id, from, to });
  }
}

const UNUSED: readonly (readonly [name: string, code: InterchangeCode, what: string])[] = [
  ["timer", "YAWL022", "a timer"],
  ["resourcing", "YAWL023", "a distribution to people"],
];

function noteTask({ log, at, variables }: TaskContext, xml: XmlElement): void {
  const id = attribute(xml, "id") ?? "";
  if (typeOf(xml) === "MultipleInstanceExternalTaskFactsType") {
    // A text that is no number is a query on the data of the case: what it will be is not known here.
    const limit = (name: string) => {
      const text = childNamed(xml, name)?.text.trim() ?? "1";
      return /^[-+]?\d+$/u.test(text) ? Number(text) : null;
    };
    const [minimum, maximum, threshold] = [limit("minimum"), limit("maximum"), limit("threshold")];
    const isEmpty = minimum !== null && maximum !== null && maximum < minimum;
    const isTooSmall = [minimum, maximum, threshold].some((number) => number !== null && number < 1);
    if (isEmpty || isTooSmall)
      log.error(
        "YAWL011",
        at(xml),
        `task "${id}": ${minimum ?? "?"} to ${maximum ?? "?"} instances, ${threshold ?? "?"} of them to wait for`,
        { id },
      );
    const result = childNamed(
      childNamed(xml, "miDataOutput") ?? xml,
      "resultAppliedToLocalVariable",
    )?.text.trim();
    if (result !== undefined && !variables.has(result))
      log.error(
        "YAWL011",
        at(xml),
        `task "${id}" collects its results in "${result}", which is no variable of its net`,
        { id, variable: result },
      );
    log.warn(
      "YAWL020",
      at(xml),
      `task "${id}" has several instances: it is read as one, which ends when they do`,
      { id },
    );
  }
  for (const [name, code, what] of UNUSED)
    if (childNamed(xml, name) !== undefined)
      log.warn(code, at(xml), `${what} of task "${id}" is left out`, { id });
}

function noteData({ log, at }: Reading, decomposition: XmlElement): void {
  const elements = childNamed(decomposition, "processControlElements")?.children ?? [];
  const flows = elements.flatMap(({ children }) => children.filter(({ name }) => name === "flowsInto"));
  const guarded = flows.filter((flow) => childNamed(flow, "predicate") !== undefined);
  const mapped = elements.filter(({ children }) => children.some(({ name }) => /Mappings$/u.test(name)));
  const [first] = [...guarded, ...mapped];
  if (first === undefined) return;
  const id = attribute(decomposition, "id") ?? "";
  const message = `net "${id}": ${guarded.length} predicates and the data of ${mapped.length} tasks are left out; every choice is free`;
  log.warn("YAWL021", at(first), message, { id, predicates: guarded.length, tasks: mapped.length });
}
