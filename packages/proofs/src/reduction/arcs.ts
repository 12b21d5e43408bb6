/** @module The arcs of a net under reduction: each in the list of its place and in that of its transition. */
import type { Net, PlaceIndex } from "@tessera/core";
import type { DraftTransition } from "./step.ts";

/** The side of a transition that an arc belongs to. */
export const INPUT = 0;
export const OUTPUT = 1;
type Side = typeof INPUT | typeof OUTPUT;

/** What a cell holds; the lists are linked both ways, so that an arc is taken out in one step. */
export const PLACE = 0;
export const TRANSITION = 1;
/** The next arc of the same transition and side. */
export const NEXT_OF_TRANSITION = 2;
const PREVIOUS_OF_TRANSITION = 3;
/** The next arc of the same place and side. */
export const NEXT_OF_PLACE = 4;
const PREVIOUS_OF_PLACE = 5;
const SIZE = 6;

/** The end of a list. */
// Stryker disable next-line UnaryOperator: no offset of a cell is 1 either
export const NONE = -1;

/**
 * An arc is the offset of its cell in `cells`. Lists are kept at `2 * node + side`: the arcs to consumers of a place are
 * its INPUT side, those from producers its OUTPUT side. No place twice on one side of a transition.
 */
export interface Arcs {
  // Lists of small integers, not typed arrays: most nets are small, and these cost less to make and to throw away.
  readonly cells: number[];
  /** Cells given back, linked by their first word. */
  free: number;
  readonly ofPlace: number[];
  readonly countOfPlace: number[];
  readonly ofTransition: number[];
  readonly countOfTransition: number[];
  /** Sums over the neighbours of a node, modulo 2^32: nodes with the same neighbours have the same sum. */
  readonly signOfPlace: number[];
  readonly signOfTransition: number[];
}

/** The arcs of `net`, weights left out. */
export function arcsOf({ places, transitions }: Net): Arcs {
  let count = 0;
  for (const { pre, post } of transitions) count += pre.length + post.length;
  const arcs: Arcs = {
    cells: listOf(SIZE * count, 0),
    free: NONE,
    ofPlace: listOf(2 * places.length, NONE),
    countOfPlace: listOf(2 * places.length, 0),
    ofTransition: listOf(2 * transitions.length, NONE),
    countOfTransition: listOf(2 * transitions.length, 0),
    signOfPlace: listOf(places.length, 0),
    signOfTransition: listOf(transitions.length, 0),
  };
  for (let arc = SIZE * (count - 1); arc >= 0; arc -= SIZE) giveBack(arcs, arc);
  // New arcs come first in their lists: told backwards, the lists stand in the order of the net.
  for (let t = transitions.length - 1; t >= 0; t -= 1) {
    const { pre, post } = transitions[t]!;
    for (let k = pre.length - 1; k >= 0; k -= 1) link(arcs, INPUT, pre[k]![0], t);
    for (let k = post.length - 1; k >= 0; k -= 1) link(arcs, OUTPUT, post[k]![0], t);
  }
  return arcs;
}

function listOf(length: number, item: number): number[] {
  return new Array<number>(length).fill(item);
}

/** Makes room for one more transition, without arcs. */
export function addNode({ ofTransition, countOfTransition, signOfTransition }: Arcs): void {
  ofTransition.push(NONE, NONE);
  countOfTransition.push(0, 0);
  signOfTransition.push(0);
}

/** Adds an arc that is not there yet. */
export function link(arcs: Arcs, side: Side, place: PlaceIndex, t: DraftTransition): void {
  const arc = cellFor(arcs);
  const { cells, ofPlace, ofTransition } = arcs;
  const atPlace = 2 * place + side;
  const atTransition = 2 * t + side;
  cells[arc + PLACE] = place;
  cells[arc + TRANSITION] = t;
  const nextOfTransition = ofTransition[atTransition]!;
  const nextOfPlace = ofPlace[atPlace]!;
  cells[arc + NEXT_OF_TRANSITION] = nextOfTransition;
  cells[arc + PREVIOUS_OF_TRANSITION] = NONE;
  cells[arc + NEXT_OF_PLACE] = nextOfPlace;
  cells[arc + PREVIOUS_OF_PLACE] = NONE;
  if (nextOfTransition !== NONE) cells[nextOfTransition + PREVIOUS_OF_TRANSITION] = arc;
  if (nextOfPlace !== NONE) cells[nextOfPlace + PREVIOUS_OF_PLACE] = arc;
  ofTransition[atTransition] = arc;
  ofPlace[atPlace] = arc;
  count(arcs, place, t, side, 1);
}

/** Takes an arc out; what follows it in its lists can still be read from its cell until the next `link`. */
export function unlink(arcs: Arcs, side: Side, arc: number): void {
  const { cells, ofPlace, ofTransition } = arcs;
  const place = cells[arc + PLACE]!;
  const t = cells[arc + TRANSITION]!;
  const nextT = cells[arc + NEXT_OF_TRANSITION]!;
  const previousT = cells[arc + PREVIOUS_OF_TRANSITION]!;
  if (nextT !== NONE) cells[nextT + PREVIOUS_OF_TRANSITION] = previousT;
  if (previousT === NONE) ofTransition[2 * t + side] = nextT;
  else cells[previousT + NEXT_OF_TRANSITION] = nextT;
  const nextP = cells[arc + NEXT_OF_PLACE]!;
  const previousP = cells[arc + PREVIOUS_OF_PLACE]!;
  if (nextP !== NONE) cells[nextP + PREVIOUS_OF_PLACE] = previousP;
  if (previousP === NONE) ofPlace[2 * place + side] = nextP;
  else cells[previousP + NEXT_OF_PLACE] = nextP;
  giveBack(arcs, arc);
  count(arcs, place, t, side, -1);
}

/** The transitions on one side of a place. */
export function transitionsOf(arcs: Arcs, side: Side, place: PlaceIndex): DraftTransition[] {
  const { cells, ofPlace, countOfPlace } = arcs;
  // Stryker disable next-line ArrayDeclaration: the length is room
  const transitions = new Array<DraftTransition>(countOfPlace[2 * place + side]!);
  let arc = ofPlace[2 * place + side]!;
  for (let k = 0; arc !== NONE; k += 1, arc = cells[arc + NEXT_OF_PLACE]!)
    transitions[k] = cells[arc + TRANSITION]!;
  return transitions;
}

/** The places on one side of a transition. */
export function placesOf(arcs: Arcs, side: Side, t: DraftTransition): PlaceIndex[] {
  const { cells, ofTransition, countOfTransition } = arcs;
  // Stryker disable next-line ArrayDeclaration: the length is room
  const places = new Array<PlaceIndex>(countOfTransition[2 * t + side]!);
  let arc = ofTransition[2 * t + side]!;
  for (let k = 0; arc !== NONE; k += 1, arc = cells[arc + NEXT_OF_TRANSITION]!)
    places[k] = cells[arc + PLACE]!;
  return places;
}

/** Sorts a short list of numbers in place. */
export function ascending(items: number[]): number[] {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: both ways sort, the other is faster for short lists
  if (items.length > 16) return items.sort((a, b) => a - b);
  for (let k = 1; k < items.length; k += 1) {
    const item = items[k]!;
    let at = k - 1;
    for (; at >= 0 && items[at]! > item; at -= 1) items[at + 1] = items[at]!;
    items[at + 1] = item;
  }
  return items;
}

/** Is there an arc on this side? Looked up where there is less to look at. */
export function isLinked(arcs: Arcs, side: Side, place: PlaceIndex, t: DraftTransition): boolean {
  const { cells, ofPlace, ofTransition, countOfPlace, countOfTransition } = arcs;
  // Stryker disable next-line all: the arc is in both lists or in none
  if (countOfPlace[2 * place + side]! < countOfTransition[2 * t + side]!) {
    for (let arc = ofPlace[2 * place + side]!; arc !== NONE; arc = cells[arc + NEXT_OF_PLACE]!)
      if (cells[arc + TRANSITION] === t) return true;
    return false;
  }
  for (let arc = ofTransition[2 * t + side]!; arc !== NONE; arc = cells[arc + NEXT_OF_TRANSITION]!)
    if (cells[arc + PLACE] === place) return true;
  return false;
}

function count(arcs: Arcs, place: PlaceIndex, t: DraftTransition, side: Side, change: 1 | -1): void {
  const { countOfPlace, countOfTransition, signOfPlace, signOfTransition } = arcs;
  countOfPlace[2 * place + side]! += change;
  countOfTransition[2 * t + side]! += change;
  signOfPlace[place] = (signOfPlace[place]! + change * mixed(2 * t + side)) | 0;
  signOfTransition[t] = (signOfTransition[t]! + change * mixed(2 * place + side)) | 0;
}

function cellFor(arcs: Arcs): number {
  const { cells, free } = arcs;
  if (free !== NONE) {
    arcs.free = cells[free]!;
    return free;
  }
  return cells.push(0, 0, 0, 0, 0, 0) - SIZE;
}

function giveBack(arcs: Arcs, arc: number): void {
  arcs.cells[arc] = arcs.free;
  arcs.free = arc;
}

/** A number whose sums over different sets hardly ever agree. */
function mixed(item: number): number {
  let h = Math.imul(item + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return h ^ (h >>> 13);
}
