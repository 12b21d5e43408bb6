/** @module The net under reduction as the checker sees it: rows, and for each place the rows around it. */
import type { Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import type { DraftTransition } from "../reduction/step.ts";

/** Original transitions, as a tree whose parts are shared: written out only at the end. */
export type Carried = TransitionIndex | readonly Carried[];

/** A transition of the net under reduction, with the original transitions that are dead only if it is. */
export interface Row {
  readonly pre: ReadonlySet<PlaceIndex>;
  readonly post: ReadonlySet<PlaceIndex>;
  readonly carries: Carried;
}

/** The net under reduction. `producers` and `consumers` hold the rows around each place. */
export interface State {
  readonly rows: Map<DraftTransition, Row>;
  readonly producers: readonly Set<DraftTransition>[];
  readonly consumers: readonly Set<DraftTransition>[];
  readonly gone: Set<PlaceIndex>;
  readonly initial: number[];
  /** 1 for the places that some final marking marks. */
  readonly isFinal: Uint8Array;
  /** Original transitions that fire, or may, whatever becomes of those that carry them. */
  readonly spared: Carried[];
  next: DraftTransition;
}

/** The state before the first step. */
export function stateOf(net: Net): State {
  const isFinal = new Uint8Array(net.places.length);
  const { finals } = net;
  if (finals.kind === "ends") for (const end of finals.ends) isFinal[end] = 1;
  else
    for (const final of finals.markings)
      final.forEach((tokens, place) => {
        if (tokens > 0) isFinal[place] = 1;
      });
  const state: State = {
    rows: new Map(),
    producers: net.places.map(() => new Set<DraftTransition>()),
    consumers: net.places.map(() => new Set<DraftTransition>()),
    gone: new Set(),
    initial: [...net.initial],
    isFinal,
    spared: [],
    next: net.transitions.length,
  };
  net.transitions.forEach(({ pre, post }, t) => {
    setRow(state, t, {
      pre: new Set(pre.map(([place]) => place)),
      post: new Set(post.map(([place]) => place)),
      carries: t,
    });
  });
  return state;
}

/** Puts a row in place of the one with its number, if there is one. */
export function setRow(state: State, t: DraftTransition, row: Row): void {
  dropRow(state, t);
  state.rows.set(t, row);
  for (const place of row.pre) state.consumers[place]!.add(t);
  for (const place of row.post) state.producers[place]!.add(t);
}

/** Takes a row out. */
export function dropRow({ rows, producers, consumers }: State, t: DraftTransition): void {
  const row = rows.get(t);
  if (row === undefined) return;
  rows.delete(t);
  for (const place of row.pre) consumers[place]!.delete(t);
  for (const place of row.post) producers[place]!.delete(t);
}

/** All transitions of the tree, each once. */
export function carriedBy(tree: Carried): readonly TransitionIndex[] {
  const parts = new Set<Carried>([tree]);
  for (const part of parts) if (typeof part !== "number") for (const below of part) parts.add(below);
  return [...parts].filter((part) => typeof part === "number");
}
