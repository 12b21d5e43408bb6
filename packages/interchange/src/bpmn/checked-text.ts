/** @module The text that the BPMN library gets: written anew from the tree that our reader has checked, with ids of our own. */
import type { XmlElement } from "../xml.ts";

/** The namespace of BPMN 2.0 models. */
export const BPMN_NAMESPACE = "http://www.omg.org/spec/BPMN/20100524/MODEL";

/** The text, the element behind each of its ids, and the first element of each id of the file. */
export interface CheckedText {
  readonly root: XmlElement;
  readonly text: string;
  readonly elementOf: ReadonlyMap<string, XmlElement>;
  /** Elements of BPMN that repeat an id. */
  readonly repeated: readonly XmlElement[];
  readonly ids: ReadonlySet<string>;
}

/** What is read of a file's tree. */
interface Writing {
  readonly parts: string[];
  readonly prefixes: Map<string, string>;
  /** Original id to the id in the text, of the first element that has it. */
  readonly known: Map<string, string>;
  readonly written: Map<XmlElement, string>;
}

/** Elements that hold flow nodes: their children get an id even where the file gives none. */
const SCOPES: ReadonlySet<string> = new Set(["process", "subProcess", "transaction", "adHocSubProcess"]);
/** Children of these that can have no id. */
const WITHOUT_ID: ReadonlySet<string> = new Set(["extensionElements", "incoming", "outgoing", "supports"]);

/**
 * Writes the tree of a BPMN file as XML that says the same: prefixes are new, comments and diagrams are gone, ids are
 * `e1`, `e2`, ... in document order, and references follow. So the library sees nothing that our reader has not
 * checked, and ids are what XML allows, whatever letters they have. Cost: linear.
 */
export function checkedText(root: XmlElement): CheckedText {
  const writing: Writing = { parts: [], prefixes: new Map(), known: new Map(), written: new Map() };
  const elementOf = new Map<string, XmlElement>();
  const repeated: XmlElement[] = [];
  for (const element of elementsIn(root)) {
    if (element.namespace !== BPMN_NAMESPACE) continue;
    const id = attributeOf(element, "id");
    const isChild = SCOPES.has(element.parent?.name ?? "") && !WITHOUT_ID.has(element.name);
    if (id === undefined && !isChild) continue;
    const own = `e${elementOf.size + 1}`;
    elementOf.set(own, element);
    writing.written.set(element, own);
    if (id === undefined) continue;
    if (writing.known.has(id)) repeated.push(element);
    else writing.known.set(id, own);
  }
  write(writing, root);
  return { root, text: writing.parts.join(""), elementOf, repeated, ids: new Set(writing.known.keys()) };
}

/** The value of an attribute without prefix; undefined if it is missing. */
function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.attributes.find(([own]) => own === name)?.[1];
}

/** All elements but diagrams, in document order. */
function* elementsIn(root: XmlElement): Generator<XmlElement> {
  const pending: XmlElement[] = [root];
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    yield element;
    const children = writtenChildren(element);
    for (let i = children.length - 1; i >= 0; i -= 1) {
      const child = children[i];
      if (child !== undefined) pending.push(child);
    }
  }
}

/** Beside its models the root holds diagrams and what tools add. */
function writtenChildren(element: XmlElement): readonly XmlElement[] {
  if (element.parent !== null) return element.children;
  return element.children.filter(({ namespace }) => namespace === BPMN_NAMESPACE);
}

function write(writing: Writing, element: XmlElement): void {
  const { parts } = writing;
  const { name, declaration } = nameOf(writing, element);
  parts.push("<", name, declaration);
  const id = writing.written.get(element);
  if (id !== undefined) parts.push(' id="', id, '"');
  for (const [attribute, value] of element.attributes) {
    if (attribute === "id" && id !== undefined) continue;
    const isReference = element.namespace === BPMN_NAMESPACE && /(?:Ref|^default)$/u.test(attribute);
    parts.push(" ", attribute, '="', escaped(isReference ? referred(writing, value) : value), '"');
  }
  // The library knows the script of a global task as an attribute only.
  const script = scriptOf(element);
  if (script !== undefined) parts.push(' script="', escaped(script.text), '"');
  parts.push(">");
  const isReference =
    element.namespace === BPMN_NAMESPACE &&
    /(?:Ref|^incoming|^outgoing|^source|^target)$/u.test(element.name);
  parts.push(escaped(isReference ? referred(writing, element.text.trim()) : element.text));
  for (const child of writtenChildren(element)) if (child !== script) write(writing, child);
  parts.push("</", name, ">");
}

function scriptOf(element: XmlElement): XmlElement | undefined {
  if (element.namespace !== BPMN_NAMESPACE || element.name !== "globalScriptTask") return undefined;
  return element.children.find((child) => child.name === "script" && child.namespace === BPMN_NAMESPACE);
}

/** A name with a prefix of ours; the prefix is declared where it is used, so that no scope matters. */
function nameOf(
  writing: Writing,
  { name, namespace }: XmlElement,
): { readonly name: string; readonly declaration: string } {
  if (namespace === "") return { name, declaration: "" };
  const known = writing.prefixes.get(namespace);
  const prefix = known ?? `n${writing.prefixes.size}`;
  writing.prefixes.set(namespace, prefix);
  return { name: `${prefix}:${name}`, declaration: ` xmlns:${prefix}="${escaped(namespace)}"` };
}

/** The id in the text for a reference, which may have a prefix; a reference to nothing stays. */
function referred({ known }: Writing, value: string): string {
  return known.get(value) ?? known.get(value.replace(/^[^:]*:/u, "")) ?? value;
}

function escaped(text: string): string {
  return text
    .replace(/[&<>"]/gu, (c) => (c === "&" ? "&amp;" : c === "<" ? "&lt;" : c === ">" ? "&gt;" : "&quot;"))
    .replace(/[\t\n\r]/gu, (c) => `&#${c.charCodeAt(0)};`);
}
