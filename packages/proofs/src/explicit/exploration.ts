/** @module All reachable markings without the edges between them: what counts, deadlocks, bounds and predicates need. */
import type { Marking, Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import { invariant, netClass } from "@tessera/core";
import {
  initialWidths,
  type PackedLayout,
  packedLayout,
  readRow,
  WIDTH_MAX,
  writeRow,
} from "./packed-layout.ts";
import { isEnabledIn, type PackedRules, packedRules } from "./packed-rules.ts";
import { bytesOf, forget, intern, makeRoom, type PackedSet, packedSet, repacked } from "./packed-set.ts";

/** Why `explore` returned. `tokens`: a place would hold 2^31 tokens. */
export type ExplorationStatus = "complete" | "states" | "paused" | "tokens";

/** An exploration that can go on. Markings are numbered in the order of discovery, breadth first. */
export interface Exploration {
  readonly net: Net;
  /** The state before each state on a shortest run; null where runs are not asked for. */
  parent: Int32Array | null;
  layout: PackedLayout;
  rules: PackedRules;
  set: PackedSet;
  /** States below it are expanded. */
  expanded: number;
  /** Firings of the expanded states. */
  edges: number;
  /** Expanded states that enable nothing. */
  dead: number;
  /** The first of them, or -1. */
  firstDead: number;
  /** 1 for the transitions that some expanded state enables. */
  readonly isEnabled: Uint8Array;
  /** The most tokens seen on each place. */
  readonly bound: Int32Array;
  /** The place without room that interrupted an expansion, or -1. */
  full: PlaceIndex;
}

/** An exploration of a plain or weighted net that has seen its initial marking. `hasRuns`: 4 bytes more for each state. */
export function exploration(net: Net, { hasRuns = false }: { readonly hasRuns?: boolean } = {}): Exploration {
  const kind = netClass(net);
  invariant(kind === "plain" || kind === "weighted", "D8.1", () => ({ kind }));
  const layout = packedLayout(initialWidths(net));
  const set = packedSet(layout.wordCount);
  writeRow(layout, set.words, 0, net.initial);
  intern(set);
  return {
    net,
    parent: hasRuns ? new Int32Array(256).fill(-1) : null,
    layout,
    rules: packedRules(net, layout),
    set,
    expanded: 0,
    edges: 0,
    dead: 0,
    firstDead: -1,
    isEnabled: new Uint8Array(net.transitions.length),
    bound: Int32Array.from(net.initial),
    full: -1,
  };
}

/**
 * Goes on until every state is expanded, `statesMax` states are stored or `expansionsMax` states were expanded by this
 * call. May be called again with greater limits. Cost: linear in the firings.
 *
 * @refines D8.1
 */
export function explore(
  found: Exploration,
  statesMax: number,
  expansionsMax: number = Number.POSITIVE_INFINITY,
): ExplorationStatus {
  const end = found.expanded + expansionsMax;
  while (found.expanded < found.set.count) {
    if (found.expanded >= end) return "paused";
    const edges = expand(found, found.expanded, statesMax);
    if (edges < 0) {
      if (found.full < 0) return "states";
      if (!widen(found)) return "tokens";
      continue;
    }
    found.edges += edges;
    if (edges === 0) {
      found.dead += 1;
      if (found.firstDead < 0) found.firstDead = found.expanded;
    }
    found.expanded += 1;
  }
  return "complete";
}

/** The marking of a state. */
export function exploredMarking({ layout, set }: Exploration, state: number): Marking {
  return readRow(layout, set.words, state * set.wordCount);
}

/** A shortest firing sequence to a state. Needs `hasRuns`. Cost: the length times the transitions. */
export function exploredRun(found: Exploration, state: number): readonly TransitionIndex[] {
  const { parent } = found;
  invariant(parent !== null, "D8.1", () => ({ state }));
  const sequence: TransitionIndex[] = [];
  for (let at = state; at > 0; at = parent[at]!) sequence.push(stepBetween(found, parent[at]!, at));
  return sequence.reverse();
}

/** Bytes held for the states, with what is allocated and not used yet. */
export function explorationBytes({ set, parent }: Exploration): number {
  return bytesOf(set) + (parent?.byteLength ?? 0);
}

/** The number of firings, or -1 where a limit or a full field interrupted it: then the state is expanded anew. */
function expand(found: Exploration, state: number, statesMax: number): number {
  const { layout, rules, set } = found;
  const { wordCount } = set;
  const { placeAt, max } = layout;
  const base = state * wordCount;
  let edges = 0;
  for (let k = 0; k < rules.unwatched.length; k += 1) {
    if (!fire(found, state, rules.unwatched[k]!, statesMax)) return -1;
    edges += 1;
  }
  for (let word = 0; word < wordCount; word += 1) {
    let rest = set.words[base + word]!;
    while (rest !== 0) {
      // The lowest bit may be any of its field: the field begins at or below it.
      let bit = word * 32 + 31 - Math.clz32(rest & -rest);
      while (placeAt[bit] === -1) bit -= 1;
      const place = placeAt[bit]!;
      rest &= ~(max[place]! << layout.shift[place]!);
      const end = rules.watchStart[place + 1]!;
      for (let k = rules.watchStart[place]!; k < end; k += 1) {
        const t = rules.watched[k]!;
        if (!isEnabledIn(rules, layout, set.words, base, t)) continue;
        if (!fire(found, state, t, statesMax)) return -1;
        edges += 1;
      }
    }
  }
  return edges;
}

/** Fires `t`, which is enabled in `state`. False where there is no room for a count or for a state. */
function fire(found: Exploration, state: number, t: TransitionIndex, statesMax: number): boolean {
  const { layout, rules, set, bound } = found;
  const { wordCount } = set;
  const base = state * wordCount;
  makeRoom(set);
  const { words } = set;
  const scratch = set.count * wordCount;
  const gainEnd = rules.gainStart[t + 1]!;
  for (let k = rules.gainStart[t]!; k < gainEnd; k += 1) {
    const place = rules.gainPlace[k]!;
    const most = layout.max[place]!;
    const tokens = ((words[base + layout.word[place]!]! >>> layout.shift[place]!) & most) + rules.gain[k]!;
    if (tokens > most) {
      found.full = place;
      return false;
    }
    if (tokens > bound[place]!) bound[place] = tokens;
  }
  found.isEnabled[t] = 1;
  for (let word = 0; word < wordCount; word += 1) words[scratch + word] = words[base + word]!;
  const addEnd = rules.addStart[t + 1]!;
  for (let k = rules.addStart[t]!; k < addEnd; k += 1) {
    words[scratch + rules.addWord[k]!] = (words[scratch + rules.addWord[k]!]! + rules.addend[k]!) | 0;
  }
  const count = set.count;
  if (intern(set) !== count) return true;
  if (count >= statesMax) {
    forget(set);
    return false;
  }
  if (found.parent !== null) {
    if (count >= found.parent.length) found.parent = grown(found.parent);
    found.parent[count] = state;
  }
  return true;
}

/** Doubles the field of the place that was full and packs everything anew. False if it cannot grow. */
function widen(found: Exploration): boolean {
  const { layout, set, full, net } = found;
  const widths = Int32Array.from(layout.max, (max) => 32 - Math.clz32(max));
  if (widths[full]! >= WIDTH_MAX) return false;
  widths[full] = Math.min(WIDTH_MAX, widths[full]! * 2);
  const wide = packedLayout(widths);
  found.set = repacked(set, wide.wordCount, (row, words, base) =>
    writeRow(wide, words, base, readRow(layout, set.words, row * set.wordCount)),
  );
  found.layout = wide;
  found.rules = packedRules(net, wide);
  found.full = -1;
  return true;
}

function stepBetween(found: Exploration, from: number, to: number): TransitionIndex {
  const [before, after] = [exploredMarking(found, from), exploredMarking(found, to)];
  const t = found.net.transitions.findIndex(({ pre, post }) => {
    if (pre.some(([place, weight]) => before[place]! < weight)) return false;
    const next = [...before];
    for (const [place, weight] of pre) next[place]! -= weight;
    for (const [place, weight] of post) next[place]! += weight;
    return next.every((tokens, place) => tokens === after[place]);
  });
  invariant(t >= 0, "D8.1", () => ({ from, to }));
  return t;
}

function grown(array: Int32Array): Int32Array {
  const next = new Int32Array(Math.ceil(array.length * 1.5));
  next.set(array);
  return next;
}
