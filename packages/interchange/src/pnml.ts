/** @module PNML place/transition nets from outside: every issue at once, or the net with what was assumed. */
import { bad, type Issue, type Marking, type Result } from "@tessera/core";
import { assembleNet, type ImportedNet } from "./imported-net.ts";
import { type IssueLog, issueLog } from "./issue-log.ts";
import { labelText } from "./pnml-labels.ts";
import { linkArcs, linkFinals } from "./pnml-link.ts";
import { type ScanContext, scanContext, scanNet } from "./pnml-scan.ts";
import type { Source } from "./source-text.ts";
import { attribute, childNamed, readXml, type XmlDocument, type XmlElement, type XmlLimits } from "./xml.ts";

/** Options of `importPnml`. */
export interface PnmlOptions {
  readonly limits?: Partial<XmlLimits>;
  /** Which net to read, where the file holds several. */
  readonly netId?: string;
  /** How many issues are listed at most. */
  readonly issuesMax?: number;
}

/** Subtrees that are never read: drawings, and what tools keep for themselves. */
const SKIPPED: ReadonlySet<string> = new Set(["graphics", "toolspecific"]);

/** Types of place/transition nets, with all but letters and digits removed. */
const PT_TYPES: ReadonlySet<string> = new Set([
  "pt",
  "ptnet",
  "ptnetb",
  "petrinet",
  "pnmlcoremodel",
  "pnml",
  "epnml10",
  "epnml11",
  "resetptnet",
  "inhibitorptnet",
  "resetinhibitorptnet",
]);

/**
 * Reads a place/transition net from PNML: pages or none, old namespaces and types, weights, reset, read and inhibitor
 * arcs, capacities, reference nodes, final markings. Returns the net, or all issues (PNMLnnn, XMLnnn, IMPnnn) with path, line and
 * column; never throws. Nothing that changes the net's meaning is left out without an issue or a warning.
 * Cost: linear in the file, bounded by the limits; for inhibitor arcs also the search for bounds (D11.10).
 *
 * @definition D11.2
 */
export function importPnml(source: Source, options: PnmlOptions = {}): Result<ImportedNet, readonly Issue[]> {
  const document = readXml(source, { ...(options.limits && { limits: options.limits }), skip: SKIPPED });
  if (!document.ok) return document;
  const log = issueLog(options.issuesMax);
  const context = scanContext(document.value, log);
  const net = chooseNet(document.value, options.netId, context);
  if (net === null || !checkType(net, context)) return bad(log.errors());
  return readNet(net, log, context);
}

function readNet(
  net: XmlElement,
  log: IssueLog,
  context: ScanContext,
): Result<ImportedNet, readonly Issue[]> {
  const scan = scanNet(net, context);
  const linked = linkArcs(scan, context);
  const finals: readonly Marking[] = linkFinals(scan, linked, context);
  const name = labelText(childNamed(net, "name")) ?? attribute(net, "id") ?? "";
  const where = context.at(net);
  return assembleNet({ format: "pnml", name, ...linked, finals, where }, log);
}

/** The net to read, or null with an issue. */
function chooseNet(
  { root }: XmlDocument,
  netId: string | undefined,
  { log, at }: ScanContext,
): XmlElement | null {
  if (root.name !== "pnml") {
    const facts = { root: root.name, namespace: root.namespace };
    log.error(
      "PNML001",
      at(root),
      `this is not PNML: the root element is <${root.name}>${guess(root)}`,
      facts,
    );
    return null;
  }
  const nets = root.children.filter(({ name }) => name === "net");
  const ids = nets.slice(0, 20).map((net) => attribute(net, "id") ?? "");
  if (nets.length === 0) {
    log.error("PNML002", at(root), "the file contains no <net>");
    return null;
  }
  if (netId !== undefined) {
    const chosen = nets.find((net) => attribute(net, "id") === netId);
    if (chosen === undefined) log.error("PNML004", at(root), `there is no net "${netId}"`, { netId, ids });
    return chosen ?? null;
  }
  if (nets.length > 1) {
    const message = `the file contains ${nets.length} nets: choose one by its id (${ids.join(", ")})`;
    log.error("PNML003", at(root), message, { ids, count: nets.length });
    return null;
  }
  return nets[0] ?? null;
}

/** What else the document may be, in a word for the reader. */
function guess(root: XmlElement): string {
  const known = new Map([
    ["definitions", " (a BPMN model?)"],
    ["specificationSet", " (a YAWL specification?)"],
    ["log", " (an event log?)"],
    ["ptml", " (a process tree?)"],
    ["property-set", " (formulas, not a net?)"],
  ]);
  return known.get(root.name) ?? "";
}

/** Is the net a place/transition net by its type? If not, an issue. */
function checkType(net: XmlElement, { log, at }: ScanContext): boolean {
  const type = attribute(net, "type")?.trim() ?? "";
  if (type === "") {
    log.warn("PNML018", at(net), "the net has no type: it is read as a place/transition net");
    return true;
  }
  const tail =
    type
      .replace(/P\/T/i, "PT")
      .replace(/\.(?:pntd|rng)$/i, "")
      .split(/[/#]/)
      .at(-1) ?? "";
  const word = tail.toLowerCase().replace(/[^a-z0-9]/g, "");
  if (PT_TYPES.has(word)) return true;
  const what = /symmetric|highlevel|hlpng|hlcore|colou?r/.test(word)
    ? "a coloured net"
    : /tpn|tapn|timed?/.test(word)
      ? "a timed net"
      : "of a type that is not known";
  log.error("PNML005", at(net), `the net is ${what} (${type})`, { type });
  return false;
}
