/** @module From bytes to the element tree of a BPMN file: our reader's limits first, then the library, both must agree. */
import { bad, type Issue, ok, type Position, type Result } from "@tessera/core";
import { BpmnModdle } from "bpmn-moddle";
import { type IssueLog, issueLog, type Where } from "../issue-log.ts";
import { decodeSource, type Source } from "../source-text.ts";
import { readXml, type XmlElement, type XmlLimits, xmlPath } from "../xml.ts";
import { isRaw, type Raw } from "./raw.ts";

/** The namespace of BPMN 2.0 models. */
export const BPMN_NAMESPACE = "http://www.omg.org/spec/BPMN/20100524/MODEL";

/** A file that is BPMN. `elementOf` finds the XML element of an id, the first in the document. */
export interface BpmnDocument {
  readonly definitions: Raw;
  readonly root: XmlElement;
  readonly log: IssueLog;
  readonly elementOf: (id: string) => XmlElement | undefined;
  readonly whereOf: (element: XmlElement | undefined) => () => Where;
  readonly ids: ReadonlySet<string>;
}

/**
 * Reads the file as XML within the limits, refuses what is not `definitions` of BPMN 2.0 with one issue, and only then
 * gives it to the BPMN library. What the library could not read or resolve is an issue, or a warning where it carries
 * no meaning for execution. Cost: linear.
 */
export async function readBpmnDocument(
  source: Source,
  limits: Partial<XmlLimits>,
  issuesMax: number | undefined,
): Promise<Result<BpmnDocument, readonly Issue[]>> {
  const read = readXml(source, { limits });
  if (!read.ok) return read;
  const { root, positionAt } = read.value;
  const whereOf = (element: XmlElement | undefined) => (): Where => {
    const at = element ?? root;
    return { path: xmlPath(at), position: positionAt(at.offset) };
  };
  if (root.name !== "definitions" || root.namespace !== BPMN_NAMESPACE) {
    const message = `the root element is <${root.name.slice(0, 80)}> of "${root.namespace.slice(0, 120)}", not <definitions> of BPMN 2.0`;
    const facts = { element: root.name.slice(0, 200), namespace: root.namespace.slice(0, 200) };
    return bad([{ code: "BPMN001", message, facts, ...whereOf(root)() }]);
  }
  const log = issueLog(issuesMax);
  const byId = elementsById(root, log, whereOf);
  const parsed = await parseModel(decoded(source));
  if (parsed.kind === "failed") {
    return bad([{ code: "BPMN003", message: parsed.message, facts: {}, ...whereOf(root)() }]);
  }
  for (const warning of parsed.warnings) reportWarning(warning, log, byId, whereOf);
  return ok({
    definitions: parsed.definitions,
    root,
    log,
    elementOf: (id) => byId.get(id),
    whereOf,
    ids: new Set(byId.keys()),
  });
}

type Parsed =
  | { readonly kind: "model"; readonly definitions: Raw; readonly warnings: readonly LibraryWarning[] }
  | { readonly kind: "failed"; readonly message: string };

interface LibraryWarning {
  readonly message: string;
  readonly property?: string;
  readonly value?: unknown;
  readonly element?: unknown;
}

/** A new reader for each file: it keeps namespaces of earlier files otherwise. */
async function parseModel(text: string): Promise<Parsed> {
  try {
    const { rootElement, warnings } = await new BpmnModdle().fromXML(text);
    const definitions: unknown = rootElement;
    if (!isRaw(definitions)) return { kind: "failed", message: "the file holds no BPMN definitions" };
    return { kind: "model", definitions, warnings: warnings as readonly LibraryWarning[] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be read";
    return { kind: "failed", message: `the BPMN model cannot be read: ${reason.slice(0, 200)}` };
  }
}

/** The source is text in a known encoding: the XML reader has accepted it. */
function decoded(source: Source): string {
  if (typeof source === "string") return source.replace(/^\ufeff/, "");
  const head = Buffer.from(source.subarray(0, 256)).toString("latin1");
  const declared = /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(head)?.[1];
  const result = decodeSource(source, declared);
  return result.kind === "text" ? result.text : "";
}

/** Ids of elements of BPMN, first come first served; a repeated id is an issue, for references would be ambiguous. */
function elementsById(
  root: XmlElement,
  log: IssueLog,
  whereOf: (element: XmlElement) => () => Where,
): ReadonlyMap<string, XmlElement> {
  const byId = new Map<string, XmlElement>();
  const pending: XmlElement[] = [root];
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    const id = element.attributes.find(([name]) => name === "id")?.[1];
    if (id !== undefined && element.namespace === BPMN_NAMESPACE) {
      if (!byId.has(id)) byId.set(id, element);
      else if (!IGNORED.has(element.name))
        log.error("BPMN006", whereOf(element), `the id "${id}" is used twice`, { id });
    }
    for (let i = element.children.length - 1; i >= 0; i -= 1) {
      const child = element.children[i];
      if (child !== undefined) pending.push(child);
    }
  }
  return byId;
}

/** Elements that carry no meaning for execution here: a fault in them is a warning. */
const IGNORED: ReadonlySet<string> = new Set([
  "documentation",
  "dataInput",
  "dataOutput",
  "inputSet",
  "outputSet",
  "textAnnotation",
  "text",
  "association",
  "extensionElements",
]);

/** References whose target matters for execution. */
const BINDING: ReadonlySet<string> = new Set([
  "bpmn:sourceRef",
  "bpmn:targetRef",
  "bpmn:attachedToRef",
  "bpmn:default",
]);

function reportWarning(
  { message, property, value, element }: LibraryWarning,
  log: IssueLog,
  byId: ReadonlyMap<string, XmlElement>,
  whereOf: (element: XmlElement | undefined) => () => Where,
): void {
  if (property?.startsWith("bpmn:") === true) {
    const id = isRaw(element) && typeof element["id"] === "string" ? element["id"] : "";
    const text = `${property.slice(5)} of "${id}" names "${String(value)}", which does not exist`;
    const facts = { element: id, property, value: String(value) };
    // Data associations have a sourceRef and a targetRef of their own, which nothing here follows.
    const isFlow = isRaw(element) && !/Association$|MessageFlow$/u.test(element.$type);
    if (BINDING.has(property) && isFlow) log.error("BPMN005", whereOf(byId.get(id)), text, facts);
    else log.warn("BPMN060", whereOf(byId.get(id)), text, facts);
    return;
  }
  const dropped = /^unparsable content (?:<([^>\s]*)>?)?/u.exec(message);
  if (dropped === null) return;
  const [, tag = ""] = dropped;
  const at = () => ({ path: [], position: positionIn(message) });
  const reason = /nested error: (.*)$/su.exec(message)?.[1] ?? "";
  const isForeign = tag.includes(":") && /unrecognized element/u.test(reason);
  const isHarmless = isForeign || IGNORED.has(tag.replace(/^.*:/su, ""));
  const text = `<${tag}> cannot be read: ${reason}`;
  if (isHarmless) log.warn("BPMN061", at, text, { element: tag });
  // A repeated id is reported with its place already.
  else if (!reason.startsWith("duplicate ID")) log.error("BPMN004", at, text, { element: tag, reason });
}

/** The library counts lines and columns from 0. */
function positionIn(message: string): Position {
  const [, line = "0", column = "0"] = /line: (\d+)\n\tcolumn: (\d+)/u.exec(message) ?? [];
  return { line: Number(line) + 1, column: Number(column) + 1 };
}
