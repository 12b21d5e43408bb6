/** @module Playing the content of a subprocess to see which of its ends mark together. Nested subprocesses are single steps. */
import { arcOutcome, DONE, type NodeId, type WorkflowNode } from "@tessera/core";
import { eventsOf } from "@tessera/gateways";
import type { Draft } from "./draft.ts";

/** The sets of ends with which the content can be complete; or why they are not known. */
export type Completions =
  | { readonly kind: "sets"; readonly sets: readonly (readonly NodeId[])[] }
  | { readonly kind: "unsafe" }
  | { readonly kind: "limit" };

/** States that are looked at. */
const STATES_MAX = 20_000;

/** A token's place: an arc of the draft by index, or an end. */
export interface Play {
  readonly nodes: ReadonlyMap<NodeId, WorkflowNode>;
  readonly incoming: ReadonlyMap<NodeId, readonly number[]>;
  /** For each node, the sets of arcs that one of its steps can mark. */
  readonly ways: (node: NodeId) => readonly (readonly number[])[];
  readonly targets: readonly NodeId[];
  /** For an OR join, the arcs from which it can be reached and that are no input of it. */
  readonly upstream: (join: NodeId) => ReadonlySet<number>;
  /** A node where tokens stop as at an end. */
  readonly until: NodeId | null;
}

/**
 * All sets of ordinary ends that are marked where nothing else is; a second token anywhere is `unsafe`. Terminate ends
 * end the scope by themselves and are in no set. Cost: at most `STATES_MAX` states.
 */
export function completions(draft: Draft, scope: NodeId): Completions {
  const play = playOf(draft, scope, null);
  const entry = [...play.nodes.values()].find((node) => node.kind === "start" || isEntry(play, node));
  if (entry === undefined) return { kind: "limit" };
  const found = explore(
    play,
    play.ways(entry.id).map((way) => stateOf(way)),
    { left: STATES_MAX },
  );
  if (found.kind !== "sets") return found;
  const sets = found.sets.map((arcs) => arcs.map((arc) => play.targets[arc] ?? ""));
  return { kind: "sets", sets };
}

/** A graph that is played from several places: its tables are made once, for as long as the draft does not change. */
export interface Board {
  readonly play: Play;
  /** Blocks that are passed in one step: split to join. */
  readonly passed: Map<NodeId, NodeId>;
  readonly budget: Budget;
}

/** States that all plays on one board may still look at. */
interface Budget {
  left: number;
}

/** States of all plays for one process: some seconds. */
const BOARD_STATES_MAX = 200_000;

/** The tables of a whole draft. */
export function boardOf(draft: Draft): Board {
  const passed = new Map<NodeId, NodeId>();
  const play = playOf(draft, undefined, null);
  // A block whose branches come alone has one token going in and one coming out, whatever happens inside.
  const ways = (node: NodeId) => {
    const join = passed.get(node);
    return play.ways(join ?? node);
  };
  return { play: { ...play, ways }, passed, budget: { left: BOARD_STATES_MAX } };
}

/**
 * From now on a token that enters the block between `split` and `join` comes out in the same step. Requires: the block
 * is structured, nothing else leaves the split, and each of its branches comes alone.
 */
export function passBlock({ passed }: Board, split: NodeId, join: NodeId): void {
  passed.set(split, passed.get(join) ?? join);
}

/**
 * Does a token on `arc` always come to `join` as exactly one token, if it comes at all, without a second one anywhere
 * on the way? Cost: at most `STATES_MAX` states; false where they, or those of the board, are used up.
 */
export function comesAlone({ play, budget }: Board, arc: number, join: NodeId): boolean {
  const found = explore({ ...play, until: join }, [[arc]], budget);
  return found.kind === "sets" && found.sets.every((set) => set.length === 1);
}

/** The sets of marked arcs that lead to ends (or to the join that ends the play) where nothing else is marked. */
function explore(
  play: Play,
  first: readonly State[],
  budget: Budget,
):
  | { readonly kind: "sets"; readonly sets: readonly State[] }
  | { readonly kind: "unsafe" }
  | { readonly kind: "limit" } {
  const found = new Map<string, State>();
  const seen = new Set(first.map(keyOf));
  const pending = [...first];
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    budget.left -= 1;
    if (seen.size > STATES_MAX || budget.left < 0) return { kind: "limit" };
    const onward = nextStates(play, state);
    if (onward === null) return { kind: "unsafe" };
    if (state.every((arc) => isEnded(play, arc))) found.set(keyOf(state), state);
    for (const next of onward) {
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      pending.push(next);
    }
  }
  return { kind: "sets", sets: [...found.values()] };
}

/** The tables of one scope, or of all (`null`); arcs never leave a scope. */
function playOf(draft: Draft, scope: NodeId | undefined, until: NodeId | null): Play {
  const own = scope === undefined ? draft.nodes : draft.nodes.filter((node) => node.scope === scope);
  const nodes = new Map(own.map((node) => [node.id, node]));
  const incoming = new Map<NodeId, number[]>();
  const outgoing = new Map<NodeId, number[]>();
  draft.arcs.forEach((arc, index) => {
    if (!nodes.has(arc.from)) return;
    pushTo(outgoing, arc.from, index);
    pushTo(incoming, arc.to, index);
  });
  const waysKnown = new Map<NodeId, readonly (readonly number[])[]>();
  const ways = (id: NodeId) => {
    const node = nodes.get(id);
    if (node === undefined) return [];
    const found = waysKnown.get(id) ?? waysOf(draft, node, outgoing.get(id) ?? []);
    waysKnown.set(id, found);
    return found;
  };
  const known = new Map<NodeId, ReadonlySet<number>>();
  const upstream = (join: NodeId): ReadonlySet<number> => {
    const arcs = known.get(join) ?? upstreamOf(draft, join, incoming);
    known.set(join, arcs);
    return arcs;
  };
  return { nodes, incoming, ways, targets: draft.arcs.map(({ to }) => to), upstream, until };
}

function pushTo(lists: Map<NodeId, number[]>, key: NodeId, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Arcs that lead to `join` without passing it. */
function upstreamOf(
  draft: Draft,
  join: NodeId,
  incoming: ReadonlyMap<NodeId, readonly number[]>,
): ReadonlySet<number> {
  const seen = new Set<NodeId>([join]);
  const arcs = new Set<number>();
  for (const node of seen) {
    for (const arc of incoming.get(node) ?? []) {
      if (node !== join) arcs.add(arc);
      seen.add(draft.arcs[arc]?.from ?? join);
    }
  }
  return arcs;
}

function isEntry({ incoming }: Play, node: WorkflowNode): boolean {
  return node.kind !== "end" && (incoming.get(node.id) ?? []).length === 0;
}

function waysOf(draft: Draft, node: WorkflowNode, arcs: readonly number[]): readonly (readonly number[])[] {
  const byOutcome = grouped(draft, arcs);
  const beside = besideLabels(node);
  const groups = [...byOutcome].filter(([outcome]) => !beside.has(outcome));
  const ways = groups.flatMap(([outcome, group]) => {
    const split = typeof node.split === "string" ? node.split : (node.split?.[outcome] ?? "first");
    if (split === "all") return [group];
    if (split === "first" || group.length > 10) return group.map((arc) => [arc]);
    return subsetsOf(group);
  });
  // What comes beside the wait marks its arcs too, or does not.
  return [...byOutcome]
    .filter(([outcome]) => beside.has(outcome))
    .reduce(
      (known, [, group]) => known.flatMap((way) => [way, ...group.map((arc) => [...way, arc])]),
      ways as readonly (readonly number[])[],
    );
}

function subsetsOf(group: readonly number[]): readonly (readonly number[])[] {
  const subsets: number[][] = [];
  for (let bits = 1; bits < 2 ** group.length; bits += 1)
    subsets.push(group.filter((_, index) => (bits & (1 << index)) !== 0));
  return subsets;
}

/** The labels of events that leave the wait open. */
function besideLabels(node: WorkflowNode): ReadonlySet<string> {
  return new Set(eventsOf(node).flatMap(({ id, isInterrupting }) => (isInterrupting ? [] : [id])));
}

function grouped(draft: Draft, arcs: readonly number[]): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (const arc of arcs)
    groups.set(outcomeAt(draft, arc), [...(groups.get(outcomeAt(draft, arc)) ?? []), arc]);
  return groups;
}

function outcomeAt(draft: Draft, arc: number): string {
  const found = draft.arcs[arc];
  return found === undefined ? DONE : arcOutcome(found);
}

/** Marked arcs in ascending order; a token on an end stays on the arc that leads there. */
type State = readonly number[];

function stateOf(arcs: readonly number[]): State {
  return [...arcs].sort((a, b) => a - b);
}

function keyOf(state: State): string {
  return state.join(",");
}

/** Has a token on the arc come to an ordinary end, or to where the play stops? */
function isEnded({ targets, nodes, until }: Play, arc: number): boolean {
  const node = nodes.get(targets[arc] ?? "");
  return node?.id === until || (node?.kind === "end" && node.meta?.terminate !== true);
}

/** The states one step on; null if a step would put a second token somewhere. */
function nextStates(play: Play, state: State): readonly State[] | null {
  const marked = new Set(state);
  const next: State[] = [];
  const stepped = new Set<NodeId>();
  for (const arc of state) {
    const id = play.targets[arc] ?? "";
    const node = play.nodes.get(id);
    if (node === undefined || node.id === play.until) continue;
    if (node.kind === "end") {
      if (node.meta?.terminate === true) return [];
      continue;
    }
    const taken = takenBy(play, node, arc, marked);
    if (taken === null || (node.join !== undefined && node.join !== "any" && stepped.has(id))) continue;
    stepped.add(id);
    for (const way of play.ways(id)) {
      const rest = state.filter((other) => !taken.includes(other));
      if (way.some((other) => rest.includes(other))) return null;
      next.push(stateOf([...rest, ...way]));
    }
  }
  return next;
}

/** The arcs whose tokens the node takes; null if it must wait. A structured OR join waits while a token can come. */
function takenBy(
  play: Play,
  node: WorkflowNode,
  arc: number,
  marked: ReadonlySet<number>,
): readonly number[] | null {
  const inputs = play.incoming.get(node.id) ?? [];
  switch (node.join ?? "any") {
    case "any":
      return [arc];
    case "all":
      return inputs.every((input) => marked.has(input)) ? inputs : null;
    default: {
      const upstream = play.upstream(node.id);
      const mayCome = [...marked].some((other) => upstream.has(other) && !inputs.includes(other));
      return mayCome ? null : inputs.filter((input) => marked.has(input));
    }
  }
}
