/** @module From bytes to the element tree of a BPMN file: our reader and its limits first, then the library on what was checked. */
import { bad, type Issue, ok, type Result } from "@tessera/core";
import { BpmnModdle } from "bpmn-moddle";
import { type IssueLog, issueLog, type Where } from "../issue-log.ts";
import type { Source } from "../source-text.ts";
import { attribute, readXml, type XmlElement, type XmlLimits, xmlPath } from "../xml.ts";
import { BPMN_NAMESPACE, type CheckedText, checkedText } from "./checked-text.ts";
import { isRaw, type Raw } from "./raw.ts";

/** A file that is BPMN. */
export interface BpmnDocument {
  readonly definitions: Raw;
  readonly root: XmlElement;
  readonly log: IssueLog;
  /** The XML element of an element of the library. */
  readonly xmlOf: (raw: Raw) => XmlElement | undefined;
  /** The id that the file gives an element of the library. */
  readonly idOf: (raw: Raw) => string | undefined;
  readonly whereOf: (element: XmlElement | undefined) => () => Where;
  /** Every id of the file. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Reads the file as XML within the limits, refuses what is not `definitions` of BPMN 2.0 with one issue, and only then
 * gives what was read to the BPMN library. What the library could not read or resolve is an issue, or a warning where
 * it carries no meaning for execution. Cost: linear.
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
  const checked = checkedText(root);
  for (const element of checked.repeated) {
    const id = attribute(element, "id") ?? "";
    const code = isIgnored(element.name) ? "BPMN061" : "BPMN006";
    const report = code === "BPMN006" ? log.error : log.warn;
    report(code, whereOf(element), `the id "${id}" is used twice`, { element: id });
  }
  const parsed = await parseModel(checked.text);
  if (parsed.kind === "failed") {
    return bad([{ code: "BPMN003", message: parsed.message, facts: {}, ...whereOf(root)() }]);
  }
  const xmlOf = (raw: Raw) => checked.elementOf.get(String(raw["id"]));
  for (const warning of parsed.warnings) reportWarning(warning, log, checked, whereOf);
  return ok({
    definitions: parsed.definitions,
    root,
    log,
    xmlOf,
    idOf: (raw) => {
      const xml = xmlOf(raw);
      return xml === undefined ? undefined : attribute(xml, "id");
    },
    whereOf,
    ids: checked.ids,
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

/** A new reader for each file: it keeps what it learnt of earlier files otherwise. */
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
  "resourceRole",
]);

function isIgnored(name: string): boolean {
  return IGNORED.has(name);
}

/** References whose target matters for execution. */
const BINDING: ReadonlySet<string> = new Set([
  "bpmn:sourceRef",
  "bpmn:targetRef",
  "bpmn:attachedToRef",
  "bpmn:default",
  "bpmn:errorRef",
]);

function reportWarning(
  { message, property, value, element }: LibraryWarning,
  log: IssueLog,
  checked: CheckedText,
  whereOf: (element: XmlElement | undefined) => () => Where,
): void {
  if (property?.startsWith("bpmn:") === true) {
    const xml = writtenElement(element, checked);
    const owner = withId(xml);
    const id = (owner === undefined ? undefined : attribute(owner, "id")) ?? "";
    const name = owner === undefined ? undefined : attribute(owner, "name");
    const shown = name === undefined || name.trim() === "" ? "" : ` ("${name.trim().slice(0, 200)}")`;
    const text = `${property.slice(5)} of "${id}"${shown} names "${String(value)}", which does not exist`;
    const facts = { element: id, property, value: String(value), ...(name === undefined ? {} : { name }) };
    // Data associations have a sourceRef and a targetRef of their own, which nothing here follows.
    const isFollowed = isRaw(element) && !/(?:Association|MessageFlow)$/u.test(element.$type);
    if (BINDING.has(property) && isFollowed) log.error("BPMN005", whereOf(xml), text, facts);
    else log.warn("BPMN060", whereOf(xml), text, facts);
    return;
  }
  const dropped = /^unparsable content (?:<([^>\s]*)>?)?/u.exec(message);
  if (dropped === null) return;
  const [, tag = ""] = dropped;
  const name = tag.replace(/^[^:]*:/u, "");
  const reason = (/nested error: (.*)$/su.exec(message)?.[1] ?? "").replace(/<n\d+:/gu, "<");
  const text = `<${name}> cannot be read: ${reason}`;
  const xml = checked.elementOf.get(/ id="(e\d+)"/u.exec(message)?.[1] ?? "") ?? firstNamed(checked, name);
  const isForeign = xml !== undefined && xml.namespace !== BPMN_NAMESPACE;
  if (isForeign || isIgnored(name)) log.warn("BPMN061", whereOf(xml), text, { element: name });
  else log.error("BPMN004", whereOf(xml), text, { element: name, reason });
}

/** The XML element behind an element of the library, or, where that has no id, behind the one that it stands in. */
function writtenElement(element: unknown, checked: CheckedText): XmlElement | undefined {
  let at = element;
  while (isRaw(at)) {
    const found = checked.elementOf.get(String(at["id"]));
    if (found !== undefined) return found;
    at = at["$parent"];
  }
  return undefined;
}

/** The element itself, or the innermost one around it that has an id: an event definition seldom has one. */
function withId(xml: XmlElement | undefined): XmlElement | undefined {
  let at: XmlElement | null | undefined = xml;
  while (at !== undefined && at !== null && (attribute(at, "id") ?? "") === "") at = at.parent;
  return at ?? undefined;
}

/** The library names the element only by its name: the first of that name is pointed at. */
function firstNamed({ root }: CheckedText, name: string): XmlElement | undefined {
  const pending = [root];
  for (let element = pending.shift(); element !== undefined; element = pending.shift()) {
    if (element.name === name) return element;
    pending.unshift(...element.children);
  }
  return undefined;
}
