/** @module O9, parallel safety: whatever can be under way at the same time keeps apart, or is merged. */
import type { CompiledWorkflow, Net, NodeId, PlaceIndex } from "@tessera/core";
import {
  type CoMarking,
  type Conflict,
  coMarking,
  conflictBetween,
  eachConflict,
  type FootprintOptions,
  type Overlap,
  waysOf,
} from "@tessera/gateways";
import type { Search } from "../search.ts";
import { spreadRun } from "../spread-run.ts";
import { markingAt, type StateSpace, sequenceTo } from "../state-space.ts";
import { fails, holds, type Run, unknown, type Verdict } from "../verdict.ts";

/** Two nodes that meet: in which regions, and a run after which both are under way, with tokens on these places. */
export interface ShownConflict {
  readonly nodes: readonly [NodeId, NodeId];
  readonly places: readonly PlaceIndex[];
  readonly overlaps: readonly Overlap[];
  readonly run: Run;
}

/** Evidence against O9: the first conflicts in document order, at most CONFLICTS_MAX. */
export interface ConflictEvidence {
  readonly kind: "conflicts";
  readonly conflicts: readonly ShownConflict[];
}

/** In a net with more places a run that leaves as much as it can under way is tried before anything is searched. */
const PLACES_FEW = 64;

/** Conflicts that a report shows. */
const CONFLICTS_MAX = 50;

/**
 * O9: no two nodes that can be under way together meet (D16.8). Which can be is asked of the fixed point, which is never
 * too few; a pair that it names fails only with a reachable marking that has both. Where the search is complete a pair
 * without one is none; where it is not, O9 is open. `searched`: the search of the net, asked if there are suspects.
 *
 * @definition D16.15
 */
export function* parallelSafety(
  compiled: CompiledWorkflow,
  options: FootprintOptions,
  searched: () => Generator<number, Search | null>,
): Generator<number, Verdict<ConflictEvidence>> {
  const { net } = compiled;
  if (net.places.length > PLACES_FEW) {
    const together = conflictsAt(compiled, spreadRun(net), options);
    if (together.length > 0) return fails({ kind: "conflicts", conflicts: together });
  }
  const suspected = eachConflict(compiled, whenAsked(net), options);
  let search: Search | null = null;
  let isOpen = false;
  for (let batch = take(suspected); batch.length > 0; batch = take(suspected)) {
    search ??= yield* searched();
    const shown = search === null ? [] : shownConflicts(search.space, batch);
    if (shown.length > 0) return fails({ kind: "conflicts", conflicts: shown });
    isOpen = search === null || search.limit !== null;
    if (isOpen) break;
  }
  if (isOpen) return unknown(search?.limit ?? { kind: "method", reason: "no state space" });
  return holds({ class: "recomputable", method: "disjoint footprints of what is co-marked", states: 0 });
}

/** The conflicts that the marking at the end of `run` shows, at most CONFLICTS_MAX. */
function conflictsAt(
  compiled: CompiledWorkflow,
  run: Run,
  options: FootprintOptions,
): readonly ShownConflict[] {
  const { marking } = run;
  const isMarkable = (place: PlaceIndex) => marking[place]! > 0;
  const areCoMarked = (left: PlaceIndex, right: PlaceIndex) =>
    isMarkable(left) && isMarkable(right) && (left !== right || marking[left]! > 1);
  const ways = waysOf(compiled);
  const own = compiled.definition.nodes.flatMap(({ id }, node) =>
    ways[node]!.some((way) => way.every(isMarkable)) ? [id] : [],
  );
  const found = take(
    eachConflict(compiled, { method: "state space", isMarkable, areCoMarked }, options, new Set(own)),
  );
  return found.map(({ nodes, overlaps, ways: [places = []] }) => ({ nodes, overlaps, places, run }));
}

/** The co-marking of `net`, computed at the first question: footprints that keep apart ask none. */
function whenAsked(net: Net): CoMarking {
  let known: CoMarking | null = null;
  const found = () => (known ??= coMarking(net));
  return {
    method: "fixed point",
    isMarkable: (place) => found().isMarkable(place),
    areCoMarked: (left, right) => found().areCoMarked(left, right),
  };
}

/** Is the conflict one of the workflow, its run aside: do the nodes own the marked places, and do they meet there? */
export function isConflict(
  compiled: CompiledWorkflow,
  conflict: ShownConflict,
  options: FootprintOptions,
): boolean {
  const { nodes, places, run } = conflict;
  const [left = -1, right = -1] = nodes.map((id) => compiled.graph.nodeIndex.get(id) ?? -1);
  if (left === -1 || right === -1 || left > right || conflict.overlaps.length === 0) return false;
  const anywhere = { method: "fixed point", isMarkable: () => true, areCoMarked: () => true } as const;
  const found = conflictBetween(compiled, [left, right], anywhere, options);
  const isWay = found?.ways.some((way) => way.join() === places.join()) === true;
  if (!isWay || !isMarked(places, (place) => run.marking[place] ?? 0)) return false;
  return JSON.stringify(found.overlaps) === JSON.stringify(conflict.overlaps);
}

/** Has every place as many tokens as it stands in the list? */
function isMarked(places: readonly PlaceIndex[], tokens: (place: PlaceIndex) => number): boolean {
  return places.every((place) => tokens(place) >= places.filter((other) => other === place).length);
}

function take(from: Iterator<Conflict, void>): readonly Conflict[] {
  const taken: Conflict[] = [];
  while (taken.length < CONFLICTS_MAX) {
    const next = from.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

/** Those of `conflicts` that a marking of the space shows, the first in the order of the search. Cost: one pass. */
function shownConflicts(space: StateSpace, conflicts: readonly Conflict[]): readonly ShownConflict[] {
  const { cells, stride, count } = space.store;
  const open = new Set(conflicts);
  const shown = new Map<Conflict, ShownConflict>();
  for (let state = 0; state < count && open.size > 0; state += 1) {
    for (const conflict of open) {
      const row = state * stride;
      const places = conflict.ways.find((way) => isMarked(way, (place) => cells[row + place] ?? 0));
      if (places === undefined) continue;
      open.delete(conflict);
      const run = { sequence: sequenceTo(space, state), marking: markingAt(space, state) };
      shown.set(conflict, { nodes: conflict.nodes, overlaps: conflict.overlaps, places, run });
    }
  }
  return conflicts.flatMap((conflict) => shown.get(conflict) ?? []);
}
