/** @module The net under reduction as the checker sees it: rows, and for each place the rows around it. */
import type { Net, PlaceIndex, TransitionIndex, WeightedPlace } from "@tessera/core";
import type { DraftTransition } from "../reduction/step.ts";

/** Original transitions, as a tree whose parts are shared: written out only at the end. */
export type Carried = TransitionIndex | readonly Carried[];

/**
 * A transition of the net under reduction, with the original transitions that are dead only if it is. `pre` and `post`
 * are sets: no place twice, in any order.
 */
export interface Row {
  readonly number: DraftTransition;
  readonly pre: PlaceIndex[];
  readonly post: PlaceIndex[];
  carries: Carried;
}

/** The net under reduction. `producers` and `consumers` hold the rows around each place, each once, in any order. */
export interface State {
  /** By number; undefined where a row was taken out. */
  readonly rows: (Row | undefined)[];
  readonly producers: readonly Row[][];
  readonly consumers: readonly Row[][];
  readonly isGone: Uint8Array;
  readonly initial: number[];
  /** 1 for the places that some final marking marks. */
  readonly isFinal: Uint8Array;
  /** Original transitions that fire, or may, whatever becomes of those that carry them. */
  readonly spared: Carried[];
}

/** The state before the first step; null if a preset or postset names a place twice, which is then no set. */
export function stateOf({ places, transitions, initial, finals }: Net): State | null {
  const rows = transitions.map((t, number): Row => {
    return { number, pre: t.pre.map(placeOf), post: t.post.map(placeOf), carries: number };
  });
  const consumers = around(places.length, rows, (row) => row.pre);
  const producers = around(places.length, rows, (row) => row.post);
  if (consumers === null || producers === null) return null;
  const isFinal = new Uint8Array(places.length);
  if (finals.kind === "ends") for (const end of finals.ends) isFinal[end] = 1;
  else
    for (const final of finals.markings)
      final.forEach((tokens, place) => {
        if (tokens > 0) isFinal[place] = 1;
      });
  const isGone = new Uint8Array(places.length);
  return { rows, producers, consumers, isGone, initial: initial.slice(), isFinal, spared: [] };
}

function placeOf(arc: WeightedPlace): PlaceIndex {
  return arc[0];
}

/** For each place the rows that name it on a side; null if one names it twice. */
function around(
  placeCount: number,
  rows: readonly Row[],
  sideOf: (row: Row) => readonly PlaceIndex[],
): Row[][] | null {
  const count = new Int32Array(placeCount);
  for (const row of rows) for (const place of sideOf(row)) count[place]! += 1;
  // Lists of the length that they will have: one that grows from nothing takes room for many.
  // Stryker disable next-line ArrayDeclaration: the length is room
  const lists = new Array<Row[]>(placeCount);
  // Stryker disable next-line ArrayDeclaration,EqualityOperator: the length is room, and a list more is not looked at
  for (let place = 0; place < placeCount; place += 1) lists[place] = new Array<Row>(count[place]!);
  count.fill(0);
  for (const row of rows) {
    for (const place of sideOf(row)) {
      const at = count[place]!;
      if (at > 0 && lists[place]![at - 1] === row) return null;
      lists[place]![at] = row;
      count[place] = at + 1;
    }
  }
  return lists;
}

/** Lets `row` take from `place`, which it does not yet. */
export function addInput({ consumers }: State, row: Row, place: PlaceIndex): void {
  row.pre.push(place);
  consumers[place]!.push(row);
}

/** Lets `row` put a token on `place`, on which it puts none yet. */
export function addOutput({ producers }: State, row: Row, place: PlaceIndex): void {
  row.post.push(place);
  producers[place]!.push(row);
}

/** Takes a row out. */
export function dropRow({ rows, producers, consumers }: State, row: Row): void {
  rows[row.number] = undefined;
  for (const place of row.pre) remove(consumers[place]!, row);
  for (const place of row.post) remove(producers[place]!, row);
}

/** Takes a place out. */
export function dropPlace({ isGone, producers, consumers }: State, place: PlaceIndex): void {
  isGone[place] = 1;
  for (const row of producers[place]!) remove(row.post, place);
  for (const row of consumers[place]!) remove(row.pre, place);
}

function remove<T>(items: T[], item: T): void {
  const at = items.indexOf(item);
  if (at < 0) return;
  const last = items.pop()!;
  if (at < items.length) items[at] = last;
}

/** Do the sets have the same members? */
export function isSame<T>(left: readonly T[], right: readonly T[]): boolean {
  if (left.length !== right.length) return false;
  if (left.length === 1) return left[0] === right[0];
  // Stryker disable next-line ConditionalExpression,EqualityOperator: list and set have the same members
  const members = left.length > 8 ? new Set(left) : null;
  for (const item of right) if (members === null ? !left.includes(item) : !members.has(item)) return false;
  return true;
}

/** All transitions of the tree, each once. */
export function carriedBy(tree: Carried): readonly TransitionIndex[] {
  const parts = new Set<Carried>([tree]);
  for (const part of parts) if (typeof part !== "number") for (const below of part) parts.add(below);
  return [...parts].filter((part) => typeof part === "number");
}
