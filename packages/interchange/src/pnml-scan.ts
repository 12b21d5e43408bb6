/** @module Finding the nodes, arcs and final markings of one PNML net, through its pages, in document order. */
import { type Bound, TOKENS_MAX } from "./imported-net.ts";
import type { InterchangeCode } from "./issue-codes.ts";
import type { IssueLog, Where } from "./issue-log.ts";
import { type ArcKind, arcKind, labelNumber, labelText } from "./pnml-labels.ts";
import { attribute, childNamed, type XmlDocument, type XmlElement, xmlPath } from "./xml.ts";

/** A place as it stands in the file. */
interface PlaceScan {
  readonly id: string;
  readonly label: string | undefined;
  readonly tokens: number | undefined;
  /** Tokens in the final marking, where a place states them itself. */
  readonly finalTokens: number | undefined;
  readonly capacity?: Bound;
}

/** A transition as it stands in the file. */
interface TransitionScan {
  readonly id: string;
  readonly label: string | undefined;
}

/** An arc whose ends are not resolved yet. */
export interface ArcScan {
  readonly element: XmlElement;
  readonly source: string;
  readonly target: string;
  readonly kind: ArcKind;
  readonly weight: number;
}

/** A reference node: an alias of the node `target`. */
interface ReferenceScan {
  readonly element: XmlElement;
  readonly kind: "place" | "transition";
  readonly target: string;
}

/** A page whose own net stands in place of a transition. */
export interface RefinementScan {
  readonly transition: string;
  /** The places that stand on both sides, by id. */
  readonly border: Set<string>;
  /** How many places the file had declared before the page: only those can be on the border. */
  readonly placesBefore: number;
}

/** What an id stands for. */
export type NodeEntry =
  | { readonly kind: "place" | "transition"; readonly index: number }
  | { readonly kind: "reference"; readonly reference: ReferenceScan };

/** Everything that the net holds. */
export interface NetScan {
  readonly places: PlaceScan[];
  readonly transitions: TransitionScan[];
  readonly nodes: Map<string, NodeEntry>;
  readonly arcs: ArcScan[];
  /** By the id of the transition refined. */
  readonly refinements: Map<string, RefinementScan>;
  readonly finalMarkings: XmlElement[];
}

/** What the scan works with; `at` gives the place of an element in the text. */
export interface ScanContext {
  readonly log: IssueLog;
  readonly at: (element: XmlElement) => () => Where;
}

/** The context of a document. */
export function scanContext(document: XmlDocument, log: IssueLog): ScanContext {
  return {
    log,
    at: (element) => () => ({ path: xmlPath(element), position: document.positionAt(element.offset) }),
  };
}

/** Elements whose content never changes the meaning of a net. */
const HARMLESS = new Set([
  "name",
  "graphics",
  "toolspecific",
  "labels",
  "text",
  "value",
  "tagged",
  "orientation",
]);
/** Elements of coloured and timed nets: leaving them out would change the meaning. */
const MEANINGFUL = new Set([
  "hlinitialMarking",
  "hlinscription",
  "condition",
  "declaration",
  "structure",
  "sort",
  "delay",
  "interval",
  "invariant",
]);
/** Attributes of the timed format that shares PNML's elements. */
const TIMED_ATTRIBUTES = ["initialMarking", "invariant", "inscription", "transportID"];
/** Elements of data Petri nets. */
const DATA = new Set(["variables", "readVariable", "writeVariable", "guard"]);

/** Scans the net element. Trouble goes to the log; what could be read is returned all the same. */
export function scanNet(net: XmlElement, context: ScanContext): NetScan {
  const scan: NetScan = {
    places: [],
    transitions: [],
    nodes: new Map(),
    arcs: [],
    refinements: new Map(),
    finalMarkings: [],
  };
  const scanner: Scanner = { ...context, scan, left: new Map(), data: new Map() };
  scanContainer(net, null, scanner);
  for (const [what, { first, count }] of scanner.left) {
    const message = `${what} is not read (occurrences: ${count})`;
    context.log.warn("PNML019", context.at(first), message, { what, count });
  }
  for (const [what, { first, count }] of scanner.data) {
    const message = `${what} is not read (occurrences: ${count}): the net is the control flow without data`;
    context.log.warn("PNML020", context.at(first), message, { what, count });
  }
  return scan;
}

interface Scanner extends ScanContext {
  readonly scan: NetScan;
  readonly left: Map<string, Sighting>;
  readonly data: Map<string, Sighting>;
}

interface Sighting {
  readonly first: XmlElement;
  count: number;
}

/** A net, a page, or the net of a refining page (then `refinement` says which). */
function scanContainer(container: XmlElement, refinement: RefinementScan | null, scanner: Scanner): void {
  const arcIds = new Set<string>();
  const refining: XmlElement[] = [];
  for (const element of container.children) {
    switch (element.name) {
      case "place":
        scanPlace(element, refinement, scanner);
        break;
      case "transition":
        scanTransition(element, scanner);
        break;
      case "referencePlace":
      case "referenceTransition":
        scanReference(element, scanner);
        break;
      case "arc":
        scanArc(element, arcIds, scanner);
        break;
      case "page":
        // A page with a net of its own refines a transition, which may stand after it.
        if (childNamed(element, "net") === undefined) scanContainer(element, refinement, scanner);
        else refining.push(element);
        break;
      case "finalmarkings":
        scanner.scan.finalMarkings.push(...element.children.filter(({ name }) => name === "marking"));
        break;
      default:
        scanOther(element, scanner);
    }
  }
  for (const page of refining) scanRefinement(page, scanner);
}

function scanPlace(element: XmlElement, refinement: RefinementScan | null, scanner: Scanner): void {
  const id = attribute(element, "id");
  if (refinement !== null && isOnBorder(id, refinement, scanner.scan)) return;
  const { places } = scanner.scan;
  if (!declare(element, { kind: "place", index: places.length }, scanner)) return;
  checkAttributes(element, scanner);
  scanRest(element, new Set(["initialMarking", "finalMarking", "capacity"]), scanner);
  // Editors write 0 for places without a capacity.
  const capacity = numberOf(element, "capacity", 0, scanner) ?? 0;
  places.push({
    ...(capacity > 0 ? { capacity: { tokens: capacity, where: scanner.at(element) } } : {}),
    id: id ?? "",
    label: labelText(childNamed(element, "name")),
    tokens: numberOf(element, "initialMarking", 0, scanner),
    finalTokens: numberOf(element, "finalMarking", 0, scanner),
  });
}

/** Does the place stand for one of the enclosing net? Then it is entered into the border. */
function isOnBorder(id: string | undefined, refinement: RefinementScan, { nodes }: NetScan): boolean {
  const entry = id === undefined ? undefined : nodes.get(id);
  if (id === undefined || entry?.kind !== "place" || entry.index >= refinement.placesBefore) return false;
  const isNew = !refinement.border.has(id);
  refinement.border.add(id);
  return isNew;
}

function scanTransition(element: XmlElement, scanner: Scanner): void {
  const { transitions } = scanner.scan;
  if (!declare(element, { kind: "transition", index: transitions.length }, scanner)) return;
  checkAttributes(element, scanner);
  scanRest(element, new Set(), scanner);
  if (attribute(element, "guard") !== undefined) sight(scanner.data, "attribute guard", element);
  transitions.push({ id: attribute(element, "id") ?? "", label: labelText(childNamed(element, "name")) });
}

function scanReference(element: XmlElement, scanner: Scanner): void {
  const kind = element.name === "referencePlace" ? "place" : "transition";
  const reference: ReferenceScan = { element, kind, target: attribute(element, "ref") ?? "" };
  declare(element, { kind: "reference", reference }, scanner);
}

/** Enters the node under its id; false, with an issue, if it has none or the id is taken. */
function declare(element: XmlElement, entry: NodeEntry, { scan, log, at }: Scanner): boolean {
  const id = attribute(element, "id");
  if (id === undefined || id === "") {
    log.error("PNML006", at(element), `a <${element.name}> has no id`, { element: element.name });
    return false;
  }
  if (scan.nodes.has(id)) {
    log.error("PNML007", at(element), `the id "${id}" is used by another node`, { id });
    return false;
  }
  scan.nodes.set(id, entry);
  return true;
}

function scanArc(element: XmlElement, arcIds: Set<string>, scanner: Scanner): void {
  checkAttributes(element, scanner);
  scanRest(element, new Set(["inscription", "arctype", "type"]), scanner);
  const id = attribute(element, "id");
  if (id !== undefined && arcIds.has(id)) {
    scanner.log.warn("PNML021", scanner.at(element), `the arc id "${id}" is used more than once`, { id });
  }
  if (id !== undefined) arcIds.add(id);
  const source = attribute(element, "source");
  const target = attribute(element, "target");
  if (source === undefined || target === undefined) {
    const missing = source === undefined ? "source" : "target";
    const message = `${arcName(element)} has no ${missing}`;
    scanner.log.error("PNML008", scanner.at(element), message, { arc: id ?? "", missing });
    return;
  }
  const kind = arcKind(element);
  const weight = numberOf(element, "inscription", 1, scanner) ?? 1;
  scanner.scan.arcs.push({ element, source, target, kind, weight });
}

/** How messages call an arc. */
export function arcName(element: XmlElement): string {
  const id = attribute(element, "id");
  return id === undefined ? "an arc" : `the arc "${id}"`;
}

/** The page's net in place of the transition with the page's id. */
function scanRefinement(page: XmlElement, scanner: Scanner): void {
  const { scan, log, at } = scanner;
  const transition = attribute(page, "id") ?? "";
  const nets = page.children.filter(({ name }) => name === "net");
  const isRefined = scan.refinements.has(transition);
  if (scan.nodes.get(transition)?.kind !== "transition" || nets.length !== 1 || isRefined) {
    const message = `the page "${transition}" holds a net but does not refine one transition of that id alone`;
    log.error("PNML017", at(page), message, { page: transition, nets: nets.length });
    return;
  }
  const refinement: RefinementScan = { transition, border: new Set(), placesBefore: scan.places.length };
  scan.refinements.set(transition, refinement);
  const message = `the net of the page replaces the transition "${transition}"`;
  log.warn("PNML022", at(page), message, { transition });
  for (const net of nets) scanContainer(net, refinement, scanner);
}

/** Children that are not labels read here: harmless, data, meaningful (refused), or unknown (left out, with a warning). */
function scanRest(element: XmlElement, known: ReadonlySet<string>, scanner: Scanner): void {
  for (const child of element.children) if (!known.has(child.name)) scanOther(child, scanner);
}

function scanOther(element: XmlElement, scanner: Scanner): void {
  const { name } = element;
  if (HARMLESS.has(name)) return;
  if (DATA.has(name)) sight(scanner.data, `<${name}>`, element);
  else if (MEANINGFUL.has(name)) refuse("PNML015", element, `<${name}>`, scanner);
  else if (name === "type" && element.parent?.name === "place") refuse("PNML015", element, "<type>", scanner);
  else sight(scanner.left, `<${name}> in <${element.parent?.name ?? ""}>`, element);
}

function checkAttributes(element: XmlElement, scanner: Scanner): void {
  for (const name of TIMED_ATTRIBUTES) {
    if (attribute(element, name) !== undefined) refuse("PNML015", element, `the attribute ${name}`, scanner);
  }
}

function refuse(code: InterchangeCode, element: XmlElement, what: string, { log, at }: Scanner): void {
  log.error(code, at(element), `${what} belongs to coloured or timed nets`, { what });
}

function sight(sightings: Map<string, Sighting>, what: string, element: XmlElement): void {
  const sighting = sightings.get(what);
  if (sighting === undefined) sightings.set(what, { first: element, count: 1 });
  else sighting.count += 1;
}

/** The number of the child label, at least `min`; undefined if absent, or malformed or repeated, which is an issue. */
function numberOf(element: XmlElement, name: string, min: number, scanner: Scanner): number | undefined {
  const [label, second] = element.children.filter((child) => child.name === name);
  if (second !== undefined) {
    scanner.log.error("PNML010", scanner.at(second), `<${name}> stands twice in one <${element.name}>`, {
      label: name,
    });
  }
  return readNumber(label, min, scanner);
}

/** The number of a label, from `min` to the largest that is supported; undefined if absent or refused (an issue). */
export function readNumber(
  label: XmlElement | undefined,
  min: number,
  { log, at }: ScanContext,
): number | undefined {
  const number = labelNumber(label);
  if (label === undefined || number.kind === "absent") return undefined;
  if (number.kind === "malformed" || number.value < min) {
    const found = number.kind === "malformed" ? number.text.slice(0, 100) : String(number.value);
    const message = `<${label.name}> must be an integer from ${min}, not ${JSON.stringify(found)}`;
    log.error("PNML010", at(label), message, { found, min });
    return undefined;
  }
  if (number.value > TOKENS_MAX) {
    log.error("IMP007", at(label), `<${label.name}> is above ${TOKENS_MAX}`, { found: number.value });
    return undefined;
  }
  return number.value;
}
