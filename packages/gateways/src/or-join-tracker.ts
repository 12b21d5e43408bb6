/** @module The OR-joins of one token game, kept up to date token by token: arrivals and disappearances alike. */
import type { Net, PlaceIndex, RuleTracker, TransitionIndex } from "@tessera/core";
import { goesFirst } from "./or-join.ts";
import type { JoinTable } from "./or-join-table.ts";

/** The table of a join, made when it is first needed. */
export type TableOf = () => JoinTable;

/** A join that has a marked input. A class *blocks* while it has a marked place and none of its inputs is marked. */
interface ActiveJoin {
  readonly table: JoinTable;
  /** Marked places of each class. */
  readonly waiting: Int32Array;
  /** Marked inputs of each class. */
  readonly met: Int32Array;
  blocking: number;
  markedInputs: number;
}

/**
 * The tracker of the OR-joins `joins` (by the rule's name) of a game on `net`. `isLast`: they wait for all that goes
 * first (D15.4). Only joins with a marked input are followed. Cost of a change of one place: constant for each of
 * these, and for an input the classes that it is in; when a join's first input is marked, the marked places once.
 *
 * @refines D15.3
 * @refines D15.4
 */
export function orJoinTracker(net: Net, joins: ReadonlyMap<string, TableOf>, isLast: boolean): RuleTracker {
  const joinOf = new Map<PlaceIndex, readonly string[]>();
  for (const { rule, any } of net.transitions) {
    if (rule === undefined || !joins.has(rule)) continue;
    for (const place of any) joinOf.set(place, [...new Set([...(joinOf.get(place) ?? []), rule])]);
  }
  const marked = placeList(net.places.length);
  const active = new Map<string, ActiveJoin>();
  let busy = 0;
  const markInput = (rule: string, place: PlaceIndex, isMarked: boolean): void => {
    const table = (joins.get(rule) as TableOf)();
    const join = active.get(rule) ?? activated(table, marked.members());
    active.set(rule, join);
    setInput(join, table.inputs.get(place) as number, isMarked);
    if (join.markedInputs === 0) active.delete(rule);
  };
  return {
    onMarked(place, isMarked) {
      marked.set(place, isMarked);
      for (const join of active.values()) setPlace(join, place, isMarked);
      for (const rule of joinOf.get(place) ?? []) markInput(rule, place, isMarked);
    },
    onEnabled(t: TransitionIndex, isEnabled) {
      const transition = net.transitions[t];
      if (isLast && transition !== undefined && goesFirst(transition)) busy += isEnabled ? 1 : -1;
    },
    permits(t) {
      const join = active.get(net.transitions[t]?.rule ?? "");
      return join !== undefined && join.blocking === 0 && busy === 0;
    },
  };
}

/** A set of places that are dense in memory: a hash set grows anew as often as tokens come and go in it. */
function placeList(placeCount: number): {
  readonly set: (place: PlaceIndex, isMember: boolean) => void;
  readonly members: () => Int32Array;
} {
  const list = new Int32Array(placeCount);
  /** Where a place stands in the list, from 1; 0: nowhere. */
  const at = new Int32Array(placeCount);
  let count = 0;
  return {
    set: (place, isMember) => {
      const own = at[place] as number;
      if (own > 0 === isMember) return;
      if (isMember) {
        list[count] = place;
        count += 1;
        at[place] = count;
        return;
      }
      const last = list[count - 1] as number;
      list[own - 1] = last;
      at[last] = own;
      at[place] = 0;
      count -= 1;
    },
    members: () => list.subarray(0, count),
  };
}

/** A join none of whose inputs has been counted yet, among the marked places. */
function activated(table: JoinTable, marked: Int32Array): ActiveJoin {
  const waiting = new Int32Array(table.classCount);
  const join = { table, waiting, met: new Int32Array(table.classCount), blocking: 0, markedInputs: 0 };
  for (const place of marked) setPlace(join, place, true);
  return join;
}

function setPlace(join: ActiveJoin, place: PlaceIndex, isMarked: boolean): void {
  const own = join.table.classOf[place] as number;
  if (own >= 0) change(join, own, isMarked ? 1 : -1, 0);
}

function setInput(join: ActiveJoin, input: number, isMarked: boolean): void {
  const by = isMarked ? 1 : -1;
  join.markedInputs += by;
  for (const own of join.table.classesOf[input] as readonly number[]) change(join, own, 0, by);
}

function change(join: ActiveJoin, own: number, waitingBy: number, metBy: number): void {
  const isBlocking = () => (join.waiting[own] as number) > 0 && join.met[own] === 0;
  const before = isBlocking();
  join.waiting[own] = (join.waiting[own] as number) + waitingBy;
  join.met[own] = (join.met[own] as number) + metBy;
  if (isBlocking() !== before) join.blocking += before ? -1 : 1;
}
