/** @module What the transitions of a net have to do with each other: who may disturb whom, and who feeds a place. */
import { invariant, type Net, netClass, type PlaceIndex, type TransitionIndex } from "@tessera/core";
import { type FiringTable, firingTable } from "../firing-table.ts";

/** A net with the relations that stubborn sets are closed under. Lists are read by `start[i] .. start[i + 1] - 1`. */
export interface Relations {
  readonly net: Net;
  readonly table: FiringTable;
  /** For each transition the others that it is in conflict with. */
  readonly conflictStart: Int32Array;
  readonly conflict: Int32Array;
  /** For each place the transitions that add to it. */
  readonly adderStart: Int32Array;
  readonly adder: Int32Array;
}

/** The relations of a plain or weighted net. Cost: for each place the square of its consumers. */
export function relationsOf(net: Net): Relations {
  const kind = netClass(net);
  invariant(kind === "plain" || kind === "weighted", "D25.1", () => ({ kind }));
  const table = firingTable(net);
  const adders: TransitionIndex[][] = net.places.map(() => []);
  for (let t = 0; t < table.transitionCount; t += 1) {
    for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1)
      if (table.deltaAmount[k]! > 0) adders[table.deltaPlace[k]!]!.push(t);
  }
  const [conflicts, added] = [flat(conflictsOf(net, table)), flat(adders)];
  return {
    net,
    table,
    conflictStart: conflicts.start,
    conflict: conflicts.item,
    adderStart: added.start,
    adder: added.item,
  };
}

/**
 * The conflicts of each transition: whoever shares an input place from which the one or the other takes.
 *
 * @definition D25.1
 */
function conflictsOf(net: Net, table: FiringTable): readonly (readonly TransitionIndex[])[] {
  const users: TransitionIndex[][] = net.places.map(() => []);
  net.transitions.forEach(({ pre }, t) => {
    for (const [place] of pre) users[place]!.push(t);
  });
  const takers = users.map((list, place) => list.filter((t) => deltaOn(table, t, place) < 0));
  return net.transitions.map(({ pre }, t) => {
    const others = new Set<TransitionIndex>();
    for (const [place] of pre) {
      const isTaker = deltaOn(table, t, place) < 0;
      for (const other of (isTaker ? users : takers)[place]!) if (other !== t) others.add(other);
    }
    return [...others];
  });
}

function deltaOn(table: FiringTable, t: TransitionIndex, place: PlaceIndex): number {
  for (let k = table.deltaStart[t]!; k < table.deltaStart[t + 1]!; k += 1)
    if (table.deltaPlace[k] === place) return table.deltaAmount[k]!;
  return 0;
}

function flat(lists: readonly (readonly number[])[]): {
  readonly start: Int32Array;
  readonly item: Int32Array;
} {
  const start = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => {
    start[index + 1] = start[index]! + list.length;
  });
  return { start, item: Int32Array.from(lists.flat()) };
}
