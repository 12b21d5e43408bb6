/** @module XML from outside: a strict reader without document types, with limits, to elements that know where they stand. */
import { bad, type Issue, type JsonObject, ok, type Path, type Position, type Result } from "@tessera/core";
import { SaxesParser } from "saxes";
import type { InterchangeCode } from "./issue-codes.ts";
import { decodeSource, positionsOf, type Source } from "./source-text.ts";

/** An attribute by its name as written, prefix included. */
export type XmlAttribute = readonly [name: string, value: string];

/** An element. Names are data: read attributes with `attribute`, never as keys of an object. */
export interface XmlElement {
  /** The name without its prefix. */
  readonly name: string;
  /** The namespace name; empty if it has none. */
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** The character data that stands directly in it, in order; empty if that is white space only. */
  readonly text: string;
  /** Where its `<` stands in the text, in UTF-16 code units from 0. */
  readonly offset: number;
  readonly parent: XmlElement | null;
  /** Its index among the siblings of the same name, from 0. */
  readonly index: number;
}

/** A document: the root element, and the line and column of an offset. */
export interface XmlDocument {
  readonly root: XmlElement;
  readonly positionAt: (offset: number) => Position;
}

/** What a file may cost. Every limit is included: a file that just reaches it is read. */
export interface XmlLimits {
  /** Bytes of the input; UTF-16 code units if it is a string. */
  readonly bytesMax: number;
  /** Depth of elements; the root has depth 1. */
  readonly depthMax: number;
  /** Elements in the whole document, skipped ones included. */
  readonly elementsMax: number;
  /** Attributes of one element, namespace declarations included. */
  readonly attributesMax: number;
}

/** Enough for every net that can be searched, and read in a few seconds at most. */
export const XML_LIMITS: XmlLimits = {
  bytesMax: 16 * 1024 * 1024,
  depthMax: 200,
  elementsMax: 1_000_000,
  attributesMax: 200,
};

/** Options of `readXml`. */
export interface XmlOptions {
  readonly limits?: Partial<XmlLimits>;
  /** Names (without prefix) of elements that are checked but not kept, with everything in them. */
  readonly skip?: ReadonlySet<string>;
}

/**
 * Reads an XML 1.0 document with namespaces. It is refused with one issue, at its line and column, if it is not
 * well-formed, has a DOCTYPE, uses an entity other than the five, is not in its encoding, or is beyond a limit.
 * Nothing is fetched, nothing is expanded beyond the text itself. Errors: XML001 to XML007, never a throw.
 * Cost: linear in the input in time and memory.
 *
 * @definition D11.1
 */
export function readXml(source: Source, options: XmlOptions = {}): Result<XmlDocument, readonly Issue[]> {
  const limits = { ...XML_LIMITS, ...options.limits };
  if (source.length > limits.bytesMax) {
    return refuse("XML004", `the file has ${source.length} bytes; the limit is ${limits.bytesMax}`, {
      limit: "bytesMax",
      bytes: source.length,
      bytesMax: limits.bytesMax,
    });
  }
  const decoded = decodeSource(source, declaredEncoding(source));
  switch (decoded.kind) {
    case "unknown-encoding":
      return refuse("XML006", `the encoding "${decoded.encoding}" is not known`, {
        encoding: decoded.encoding,
      });
    case "invalid": {
      const { encoding, byteOffset, position } = decoded;
      const message = `the byte at offset ${byteOffset} is not ${encoding}: save the file in the encoding it declares`;
      return refuse("XML005", message, { encoding, byteOffset }, position);
    }
    case "text":
      return parse(decoded.text, limits, options.skip ?? new Set());
  }
}

/** The value of the attribute with the name as written; undefined if the element does not have it. */
export function attribute(element: XmlElement, name: string): string | undefined {
  return element.attributes.find(([own]) => own === name)?.[1];
}

/** The first child with the name (without prefix). */
export function childNamed(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => child.name === name);
}

/** The path from the root element to `element`: name and index among siblings of that name, root left out. */
export function xmlPath(element: XmlElement): Path {
  const steps: (string | number)[] = [];
  for (let at = element; at.parent !== null; at = at.parent) steps.unshift(at.name, at.index);
  return steps;
}

/** The state of one reading; `open` is the stack of elements that are kept. */
interface Reading {
  readonly text: string;
  readonly positionAt: (offset: number) => Position;
  readonly limits: XmlLimits;
  readonly skip: ReadonlySet<string>;
  readonly open: OpenElement[];
  root: XmlElement | null;
  depth: number;
  /** The depth of the skipped element that encloses what is read, 0 if none does. */
  skippedFrom: number;
  elementCount: number;
  /** Those of the tag that is being read, so far. */
  attributes: XmlAttribute[];
  offset: number;
  issue: Issue | null;
}

interface OpenElement {
  readonly element: XmlElement & { readonly children: XmlElement[]; text: string };
  /** Children so far by name; made with the first. */
  counts: Map<string, number> | null;
}

/** Leaves the parser; the issue is in the reading. One object, for its stack says nothing. */
const STOP = new Error("the reading ends at its first issue");

function parse(
  text: string,
  limits: XmlLimits,
  skip: ReadonlySet<string>,
): Result<XmlDocument, readonly Issue[]> {
  const first = /\S/.exec(text);
  const positionAt = positionsOf(text);
  if (first === null || first[0] !== "<") {
    const found = first === null ? "it is empty" : `it starts with ${JSON.stringify(first[0])}`;
    return refuse("XML007", `this is not an XML document: ${found}`, {}, positionAt(first?.index ?? 0));
  }
  // The parser takes a lone surrogate for half of a pair, together with whatever follows it.
  const lone = /\p{Surrogate}/u.exec(text);
  if (lone !== null) return refuse("XML001", "a lone surrogate is no character", {}, positionAt(lone.index));
  const reading: Reading = {
    text,
    positionAt,
    limits,
    skip,
    open: [],
    root: null,
    depth: 0,
    skippedFrom: 0,
    elementCount: 0,
    attributes: [],
    offset: 0,
    issue: null,
  };
  try {
    drive(reading);
  } catch (error) {
    if (error !== STOP) throw error;
  }
  if (reading.issue !== null) return bad([reading.issue]);
  return reading.root === null
    ? refuse("XML001", "the document has no root element", {}, positionAt(text.length))
    : ok({ root: reading.root, positionAt });
}

/** Connects the parser's events; ends by `STOP` at the first issue. */
function drive(reading: Reading): void {
  const parser = new SaxesParser({ xmlns: true, position: false });
  let isAtEnd = false;
  parser.on("error", (error) => {
    const isEntity = error.message === "undefined entity.";
    const message = isEntity
      ? "only lt, gt, amp, quot, apos and character references may be used"
      : error.message;
    const offset = isAtEnd ? reading.text.length : parser.position - 1;
    stop(reading, isEntity ? "XML003" : "XML001", message.replace(/\.$/, ""), {}, offset);
  });
  parser.on("doctype", () => {
    const at = Math.max(0, reading.text.lastIndexOf("<!DOCTYPE", parser.position));
    stop(reading, "XML002", "a DOCTYPE is not accepted: remove it", {}, at);
  });
  parser.on("opentagstart", ({ name }) => {
    // Between the parser's position and `<` stand the name and one or two more characters, none of them `<`.
    reading.offset = reading.text.lastIndexOf("<", parser.position - 1 - name.length);
    reading.attributes = [];
    reading.elementCount += 1;
    reading.depth += 1;
    checkLimit(reading, "depthMax", reading.depth, reading.offset);
    checkLimit(reading, "elementsMax", reading.elementCount, reading.offset);
  });
  parser.on("attribute", ({ name, value }) => {
    reading.attributes.push([name, value]);
    checkLimit(reading, "attributesMax", reading.attributes.length, reading.offset);
  });
  parser.on("opentag", (tag) => open(reading, tag));
  parser.on("text", (data) => addText(reading, data));
  parser.on("cdata", (data) => addText(reading, data));
  parser.on("closetag", () => close(reading));
  parser.write(reading.text);
  isAtEnd = true;
  parser.close();
}

interface Tag {
  readonly local: string;
  readonly uri: string;
}

function open(reading: Reading, tag: Tag): void {
  if (reading.skippedFrom > 0) return;
  if (reading.skip.has(tag.local)) {
    reading.skippedFrom = reading.depth;
    return;
  }
  const outer = reading.open.at(-1);
  const index = outer?.counts?.get(tag.local) ?? 0;
  if (outer !== undefined) {
    outer.counts ??= new Map();
    outer.counts.set(tag.local, index + 1);
  }
  const element = {
    name: tag.local,
    namespace: tag.uri,
    attributes: reading.attributes,
    children: [],
    text: "",
    offset: reading.offset,
    parent: outer?.element ?? null,
    index,
  };
  outer?.element.children.push(element);
  reading.root ??= element;
  reading.open.push({ element, counts: null });
}

function addText(reading: Reading, data: string): void {
  const inner = reading.open.at(-1);
  if (inner !== undefined && reading.skippedFrom === 0) inner.element.text += data;
}

function close(reading: Reading): void {
  if (reading.skippedFrom === 0) {
    const inner = reading.open.pop();
    if (inner !== undefined && !/\S/.test(inner.element.text)) inner.element.text = "";
  } else if (reading.skippedFrom === reading.depth) {
    reading.skippedFrom = 0;
  }
  reading.depth -= 1;
}

function checkLimit(reading: Reading, limit: keyof XmlLimits, count: number, offset: number): void {
  const max = reading.limits[limit];
  if (count > max) stop(reading, "XML004", `${limit} is ${max}`, { limit, [limit]: max }, offset);
}

function stop(
  reading: Reading,
  code: InterchangeCode,
  message: string,
  facts: JsonObject,
  offset: number,
): never {
  const at = Math.min(offset, reading.text.length);
  // The parser's messages quote names, which may be as long as the file.
  reading.issue = { code, path: [], message: message.slice(0, 200), facts, position: reading.positionAt(at) };
  throw STOP;
}

function refuse(
  code: InterchangeCode,
  message: string,
  facts: JsonObject,
  position?: Position,
): { readonly ok: false; readonly issues: readonly Issue[] } {
  return bad([{ code, path: [], message, facts, ...(position === undefined ? {} : { position }) }]);
}

/** The label in the XML declaration, read byte by byte; a string is decoded already. */
function declaredEncoding(source: Source): string | undefined {
  if (typeof source === "string") return undefined;
  const head = Buffer.from(source.subarray(0, 256)).toString("latin1");
  return /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(head)?.[1];
}
