/** @module From ids to places and transitions: reference nodes, arcs of every kind, refinements, final markings. */
import type { Marking, PlaceIndex, TransitionIndex } from "@tessera/core";
import { addWeight, type PlacePart, TOKENS_MAX, type TransitionPart } from "./imported-net.ts";
import { addInhibitor, addRead, applyReads, type OpenTransition } from "./open-transition.ts";
import {
  type ArcScan,
  arcName,
  type NetScan,
  type NodeEntry,
  type RefinementScan,
  readNumber,
  type ScanContext,
} from "./pnml-scan.ts";
import { attribute, type XmlElement } from "./xml.ts";

/** The nodes of the net with their arcs; `find` resolves an id through reference nodes. */
export interface LinkedNet {
  readonly places: readonly PlacePart[];
  readonly transitions: readonly TransitionPart[];
  readonly find: (id: string) => NodeIndex | null;
}

/** A place or transition by its index in the scan. */
interface NodeIndex {
  readonly kind: "place" | "transition";
  readonly index: number;
}

/** How many numbers all final markings together may have. */
const FINAL_CELLS_MAX = 16_777_216;

/** Resolves the arcs of the scan; every arc that cannot be is an issue. Refined transitions are left out. */
export function linkArcs(scan: NetScan, context: ScanContext): LinkedNet {
  const find = linkReferences(scan, context);
  const transitions = scan.transitions.map(
    ({ id, label }): OpenTransition => ({
      id,
      ...(label === undefined ? {} : { label }),
      pre: new Map(),
      post: new Map(),
      reset: new Set(),
      read: new Map(),
      inhibitors: new Map(),
    }),
  );
  for (const arc of scan.arcs) {
    const ends = linkEnds(arc, find, context);
    if (ends === null) continue;
    const refinement = scan.refinements.get(scan.transitions[ends.transition]?.id ?? "");
    if (refinement === undefined) {
      addArc(arc, ends, transitions, context);
    } else if (!isOnBorder(arc, scan.places[ends.place]?.id ?? "", refinement)) {
      const message = `${arcName(arc.element)} does not lead plainly to a place that the net of the page contains`;
      context.log.error("PNML017", context.at(arc.element), message, { transition: refinement.transition });
    }
  }
  for (const transition of transitions) applyReads(transition, context.log);
  return {
    places: scan.places.map(({ id, label, tokens, capacity }) => ({
      id,
      ...(label === undefined ? {} : { label }),
      tokens,
      ...(capacity === undefined ? {} : { capacity }),
    })),
    transitions: transitions.filter(({ id }) => !scan.refinements.has(id)),
    find,
  };
}

/** Is the arc of a refined transition carried by the border, so that dropping it loses nothing? */
function isOnBorder(arc: ArcScan, place: string, refinement: RefinementScan): boolean {
  return refinement.border.has(place) && arc.kind.kind === "normal" && arc.weight === 1;
}

/** The final markings that the net states, without duplicates and without the empty one. */
export function linkFinals(scan: NetScan, linked: LinkedNet, context: ScanContext): readonly Marking[] {
  const markings = new Map<string, Marking>();
  const own = scan.places.map(({ finalTokens }) => finalTokens ?? 0);
  if (own.some((tokens) => tokens > 0)) markings.set(String(own), own);
  if (scan.finalMarkings.length * scan.places.length > FINAL_CELLS_MAX) {
    const message = `${scan.finalMarkings.length} final markings over ${scan.places.length} places are too many`;
    const facts = {
      markings: scan.finalMarkings.length,
      places: scan.places.length,
      cellsMax: FINAL_CELLS_MAX,
    };
    for (const first of scan.finalMarkings.slice(0, 1))
      context.log.error("PNML024", context.at(first), message, facts);
    return [];
  }
  for (const element of scan.finalMarkings) {
    const marking = linkMarking(element, scan, linked, context);
    if (marking.some((tokens) => tokens > 0)) markings.set(String(marking), marking);
    else context.log.warn("PNML023", context.at(element), "an empty final marking is left out");
  }
  return [...markings.values()];
}

function linkMarking(element: XmlElement, scan: NetScan, linked: LinkedNet, context: ScanContext): Marking {
  const marking = scan.places.map(() => 0);
  for (const entry of element.children.filter(({ name }) => name === "place")) {
    const id = attribute(entry, "idref") ?? attribute(entry, "id") ?? "";
    const node = linked.find(id);
    if (node?.kind !== "place") {
      context.log.error("PNML016", context.at(entry), `a final marking names the unknown place "${id}"`, {
        place: id,
      });
      continue;
    }
    const sum = (marking[node.index] ?? 0) + (readNumber(entry, 0, context) ?? 0);
    if (sum > TOKENS_MAX)
      context.log.error("IMP007", context.at(entry), "a final marking has too many tokens");
    marking[node.index] = sum;
  }
  return marking;
}

interface ArcEnds {
  readonly place: PlaceIndex;
  readonly transition: TransitionIndex;
  readonly isInput: boolean;
}

function linkEnds(arc: ArcScan, find: LinkedNet["find"], { log, at }: ScanContext): ArcEnds | null {
  const source = find(arc.source);
  const target = find(arc.target);
  const name = arcName(arc.element);
  if (source === null || target === null) {
    const missing = [...(source === null ? [arc.source] : []), ...(target === null ? [arc.target] : [])];
    const message = `${name} names what is no node: ${missing.map((id) => JSON.stringify(id)).join(" and ")}`;
    log.error("PNML008", at(arc.element), message, { source: arc.source, target: arc.target, missing });
    return null;
  }
  if (source.kind === target.kind) {
    const message = `${name} joins two ${source.kind}s, "${arc.source}" and "${arc.target}"`;
    log.error("PNML009", at(arc.element), message, {
      source: arc.source,
      target: arc.target,
      kind: source.kind,
    });
    return null;
  }
  return source.kind === "place"
    ? { place: source.index, transition: target.index, isInput: true }
    : { place: target.index, transition: source.index, isInput: false };
}

function addArc(
  arc: ArcScan,
  ends: ArcEnds,
  transitions: readonly OpenTransition[],
  context: ScanContext,
): void {
  const { log, at } = context;
  const transition = transitions[ends.transition];
  if (transition === undefined) return;
  const name = arcName(arc.element);
  const facts = { source: arc.source, target: arc.target };
  switch (arc.kind.kind) {
    case "normal":
      if (!addWeight(ends.isInput ? transition.pre : transition.post, ends.place, arc.weight)) {
        log.error("IMP007", at(arc.element), `${name} makes the weight too large`, facts);
      }
      return;
    case "read":
      addRead(transition, ends.place, { tokens: arc.weight, where: at(arc.element) });
      return;
    case "reset":
      if (ends.isInput) transition.reset.add(ends.place);
      else log.error("PNML014", at(arc.element), `${name} is a reset arc from a transition`, facts);
      return;
    case "inhibitor":
      if (ends.isInput) addInhibitor(transition, ends.place, { tokens: arc.weight, where: at(arc.element) });
      else log.error("PNML012", at(arc.element), `${name} is an inhibitor arc from a transition`, facts);
      return;
    default:
      log.error("PNML013", at(arc.element), `${name} has the unknown kind "${arc.kind.name}"`, facts);
  }
}

/** Follows reference nodes to the node meant; a reference that leads nowhere is an issue, once. */
function linkReferences(scan: NetScan, { log, at }: ScanContext): LinkedNet["find"] {
  const resolved = new Map<string, NodeIndex | null>();
  const find = (id: string): NodeIndex | null => {
    const trail: string[] = [];
    let at = id;
    let entry: NodeEntry | undefined;
    // Each id is resolved once, so all trails together are linear in the references.
    for (;;) {
      if (resolved.has(at)) return settle(trail, resolved.get(at) ?? null);
      entry = scan.nodes.get(at);
      if (entry?.kind !== "reference") break;
      resolved.set(at, null);
      trail.push(at);
      at = entry.reference.target;
    }
    return settle(trail, entry ?? null);
  };
  const settle = (trail: readonly string[], node: NodeIndex | null): NodeIndex | null => {
    for (const id of trail) resolved.set(id, node);
    return node;
  };
  for (const [id, entry] of scan.nodes) {
    if (entry.kind !== "reference") continue;
    const { element, kind, target } = entry.reference;
    const node = find(id);
    if (node?.kind === kind) continue;
    const what = node === null ? "no node" : `a ${node.kind}`;
    log.error("PNML011", at(element), `the reference ${kind} "${id}" leads to ${what}`, { id, target });
  }
  return find;
}
