/** @module The work of a reduction: the draft, the steps so far, and what is to be looked at again. */
import type { PlaceIndex } from "@tessera/core";
import type { Draft } from "./draft.ts";
import type { DraftTransition, ReductionStep } from "./step.ts";

/** First in, first out; what waits already is not added again. */
export interface WorkList {
  readonly items: number[];
  readonly isWaiting: boolean[];
  head: number;
}

/** A reduction under way. */
export interface Work {
  readonly isExact: boolean;
  readonly draft: Draft;
  readonly steps: ReductionStep[];
  readonly places: WorkList;
  readonly transitions: WorkList;
  /** Places whose agglomeration makes copies: they wait until nothing else applies, for most become simple. */
  readonly branching: WorkList;
  /** By signature, the place and the transition last looked at with it; an entry may be out of date. */
  readonly placeOf: Map<number, PlaceIndex>;
  readonly transitionOf: Map<number, DraftTransition>;
  readonly onPlace: (place: PlaceIndex) => void;
}

/** A list in which the first `waiting` numbers wait. */
export function workList(waiting: number): WorkList {
  // Stryker disable next-line ArrayDeclaration: the length is room
  const items = new Array<number>(waiting);
  for (let item = 0; item < waiting; item += 1) items[item] = item;
  const isWaiting = new Array<boolean>(waiting).fill(true);
  return { items, isWaiting, head: 0 };
}

/** Lets `item` wait. */
export function add({ items, isWaiting }: WorkList, item: number): void {
  if (isWaiting[item] === true) return;
  while (isWaiting.length < item) isWaiting.push(false);
  isWaiting[item] = true;
  items.push(item);
}

/** What has waited longest; -1 if nothing waits. */
export function take(list: WorkList): number {
  const { items, isWaiting } = list;
  if (list.head === items.length) {
    items.length = 0;
    list.head = 0;
    return -1;
  }
  const item = items[list.head]!;
  list.head += 1;
  isWaiting[item] = false;
  return item;
}
