/** @module All reachable markings without the edges between them: what counts, deadlocks, bounds and predicates need. */
import type { Marking, Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import { invariant, netClass } from "@tessera/core";
import { boundsOnWalks } from "./bounds-on-walks.ts";
import {
  convertRows,
  initialWidths,
  type PackedLayout,
  packedLayout,
  readRow,
  WIDTH_MAX,
  writeRow,
} from "./packed-layout.ts";
import { isEnabledIn, type PackedRules, packedRules } from "./packed-rules.ts";
import { bytesOf, forget, intern, makeRoom, type PackedSet, packedSet, repacked } from "./packed-set.ts";
import { addChild, endChildren, type Parents, parents, pathTo } from "./parents.ts";

/** Why `explore` returned. `tokens`: a place would hold 2^31 tokens. */
export type ExplorationStatus = "complete" | "states" | "paused" | "tokens";

/** An exploration that can go on. Markings are numbered in the order of discovery, breadth first. */
export interface Exploration {
  readonly net: Net;
  /** The state before each state on a shortest run; null where runs are not asked for. */
  readonly parents: Parents | null;
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
  /** Were the widths of fields looked for on walks? */
  hasWalked: boolean;
}

/** From so many states on packing anew takes longer than wider fields cost. */
const LATE = 20_000;

/** An exploration of a plain or weighted net that has seen its initial marking. `hasRuns`: two bits more for each state. */
export function exploration(net: Net, { hasRuns = false }: { readonly hasRuns?: boolean } = {}): Exploration {
  const kind = netClass(net);
  invariant(kind === "plain" || kind === "weighted", "D8.1", () => ({ kind }));
  const layout = packedLayout(initialWidths(net));
  const set = packedSet(layout.wordCount);
  writeRow(layout, set.words, 0, net.initial);
  intern(set);
  return {
    net,
    parents: hasRuns ? parents() : null,
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
    hasWalked: false,
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
    if (found.parents !== null) endChildren(found.parents);
  }
  return "complete";
}

/** The marking of a state. */
export function exploredMarking({ layout, set }: Exploration, state: number): Marking {
  return readRow(layout, set.words, state * set.wordCount);
}

/** A shortest firing sequence to a state. Needs `hasRuns`. Cost: linear in the states, and the length times the transitions. */
export function exploredRun(found: Exploration, state: number): readonly TransitionIndex[] {
  invariant(found.parents !== null, "D8.1", () => ({ state }));
  const path = pathTo(found.parents, state);
  return path.slice(1).map((to, index) => stepBetween(found, path[index]!, to));
}

/** Bytes held for the states, with what is allocated and not used yet. */
export function explorationBytes({ set, parents: known }: Exploration): number {
  return bytesOf(set) + (known?.bits.byteLength ?? 0);
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
  if (found.parents !== null) addChild(found.parents);
  return true;
}

/**
 * Doubles the field of the place that was full and packs everything anew; false if it cannot grow. Since that takes long,
 * other fields that will be full soon grow with it: the first time all to what a walk meets, and once there are many
 * states each counter that was full.
 */
function widen(found: Exploration): boolean {
  const { layout, set, full, net, bound } = found;
  const widths = Int32Array.from(layout.max, widthOf);
  if (widths[full]! >= WIDTH_MAX) return false;
  if (!found.hasWalked) {
    const walked = boundsOnWalks(net);
    for (let place = 0; place < widths.length; place += 1)
      widths[place] = Math.max(widths[place]!, widthOf(Math.min(walked[place]!, 2 ** WIDTH_MAX - 1)));
    found.hasWalked = true;
  }
  const isLate = set.count > LATE;
  for (let place = 0; place < widths.length; place += 1) {
    const max = layout.max[place]!;
    const isFull = place === full || (isLate && max > 1 && bound[place]! >= max);
    if (isFull) widths[place] = Math.max(widths[place]!, Math.min(WIDTH_MAX, 2 * widthOf(max)));
  }
  const wide = packedLayout(widths);
  found.set = repacked(set, wide.wordCount, (from, count, words) =>
    convertRows(layout, from, count, wide, words),
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

function widthOf(tokens: number): number {
  return Math.max(1, 32 - Math.clz32(tokens));
}
