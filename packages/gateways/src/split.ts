/** @module Splits: which arcs an outcome marks. XOR takes the first, AND all, OR a non-empty subset by a choice chain. */
import type { DraftTransition, FragmentBuilder, Outcome, WeightedPlace } from "@tessera/core";
import { invariant, splitOf } from "@tessera/core";
import type { OrEncoding } from "./or-encoding.ts";
import { structuredBlock } from "./structured.ts";
import { subsetChain } from "./subset-chain.ts";

/** One way to leave a node under an outcome: the places marked and the arcs chosen (document order). */
export interface Branch {
  readonly post: readonly WeightedPlace[];
  readonly chosen: readonly number[];
}

/**
 * The branches of `outcome` at the builder's node. `first`: one per arc. `all`: one that marks every arc.
 * `or`: one that marks the head of a chain, which is added to the net: the choice chain in a structured block, else
 * the subset chain (D15.5). No arc: no branch (O5 reports it).
 *
 * @definition D6.1
 */
export function branches(
  b: FragmentBuilder,
  outcome: Outcome,
  encoding: OrEncoding = "by-structure",
): readonly Branch[] {
  const arcs = b.outputs(outcome);
  if (arcs.length === 0) return [];
  const split = splitOf(b.node, outcome);
  if (split === "first" || arcs.length === 1) {
    return arcs.map(({ arc, place }) => ({ post: [[place, 1]], chosen: [arc] }));
  }
  if (split === "all")
    return [{ post: arcs.map(({ place }) => [place, 1] as const), chosen: arcs.map(({ arc }) => arc) }];
  const isBlock =
    encoding === "by-structure" && structuredBlock(b.graph, b.index, outcome).kind === "structured";
  const head = isBlock ? choiceChain(b, outcome) : subsetChain(b, outcome);
  return [{ post: [[head, 1]], chosen: [] }];
}

/** A link of the chain: its arc, its place, the place that says "not taken". */
interface Link {
  readonly arc: number;
  readonly place: number;
  readonly skip: number;
}

/**
 * The choice chain of an OR split, linear in its arcs and free-choice. From e_0, for branch j in document order:
 * e_j -> take: f_(j+1) + branch_j, or skip: e_(j+1) + skip_j; f_j the same, to f_(j+1). At the end the default (or the
 * last branch) is forced from e; from f the default is skipped. The runs of the chain mark exactly the non-empty
 * subsets (with a default: the default exactly when nothing else). Returns e_0.
 *
 * @definition D6.2
 */
export function choiceChain(b: FragmentBuilder, outcome: Outcome): number {
  const block = structuredBlock(b.graph, b.index, outcome);
  invariant(block.kind === "structured", "D6.2", () => ({ node: b.node.id, outcome }));
  const links: Link[] = b
    .outputs(outcome)
    .map(({ arc, place }) => ({ arc, place, skip: settledPlace(b, block.join, arc) }));
  const isDefault = (link: Link) => b.graph.definition.arcs[link.arc]!.default === true;
  const last = links.find(isDefault) ?? links[links.length - 1];
  const before = links.filter((link) => link !== last);
  const state = (taken: boolean, position: number) =>
    b.place(`${b.node.id}:${outcome}.${taken ? "f" : "e"}${position}`, {
      kind: "chain",
      node: b.index,
      outcome,
      taken,
      position,
    });
  const move = (
    taken: boolean,
    position: number,
    link: Link,
    phase: "take" | "skip",
    next: number | null,
  ) => {
    const marked = phase === "take" ? link.place : link.skip;
    b.transition(
      chainTransition(b, outcome, {
        from: state(taken, position),
        taken,
        position,
        arc: link.arc,
        phase,
        marked,
        next,
      }),
    );
  };
  before.forEach((link, j) => {
    move(false, j, link, "take", state(true, j + 1));
    move(false, j, link, "skip", state(false, j + 1));
    if (j > 0) move(true, j, link, "take", state(true, j + 1));
    if (j > 0) move(true, j, link, "skip", state(true, j + 1));
  });
  if (last !== undefined) {
    move(false, before.length, last, "take", null);
    if (!isDefault(last)) move(true, before.length, last, "take", null);
    move(true, before.length, last, "skip", null);
  }
  return state(false, 0);
}

/** The place before an OR join that says: the branch of split arc `arc` has arrived or was skipped. */
export function settledPlace(b: FragmentBuilder, join: number, arc: number): number {
  return b.place(`${b.graph.definition.nodes[join]!.id}.settled${arc}`, {
    kind: "skip",
    node: join,
    arc,
  });
}

interface Move {
  readonly from: number;
  readonly taken: boolean;
  readonly position: number;
  readonly arc: number;
  readonly phase: "take" | "skip";
  readonly marked: number;
  readonly next: number | null;
}

function chainTransition(b: FragmentBuilder, outcome: Outcome, move: Move): DraftTransition {
  const post: WeightedPlace[] = [[move.marked, 1]];
  if (move.next !== null) post.push([move.next, 1]);
  return {
    id: `${b.node.id}:${outcome}.${move.phase}${move.arc}${move.taken ? "f" : "e"}`,
    pre: [[move.from, 1]],
    post,
    generated: true,
    origin: { node: b.index, phase: move.phase, consumed: [], outcome, chosen: [move.arc] },
  };
}
