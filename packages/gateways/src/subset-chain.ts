/** @module The chain of an OR split that has no structured block: which arcs are marked, without a word of the others. */
import type { DraftTransition, FragmentBuilder, Outcome, PlaceIndex, WeightedPlace } from "@tessera/core";

/**
 * The subset chain of an OR split, linear in its arcs and free-choice. A token on its place e_j says that at least one
 * of the arcs from the j-th on will be marked. From e_j: take the arc and go on to e_(j+1), take it and stop, or skip
 * it and go on; the last arc is forced. A default is taken at the head, in place of the whole chain. Its runs mark
 * exactly the non-empty subsets, each by one run, and every transition marks something: no skip places are needed.
 * Returns e_0.
 *
 * @definition D15.5
 */
export function subsetChain(b: FragmentBuilder, outcome: Outcome): PlaceIndex {
  const links = b.outputs(outcome);
  const isDefault = ({ arc }: { readonly arc: number }) => b.graph.definition.arcs[arc]!.default === true;
  const ordinary = links.filter((link) => !isDefault(link));
  const state = (position: number) =>
    b.place(`${b.node.id}:${outcome}.e${position}`, {
      kind: "chain",
      node: b.index,
      outcome,
      taken: false,
      position,
    });
  const move = (from: number, arc: number, phase: Move["phase"], stops: boolean, post: readonly number[]) =>
    b.transition(moveOf(b, outcome, { from: state(from), arc, phase, stops, post }));
  for (const { arc, place } of links.filter(isDefault)) move(0, arc, "take", true, [place]);
  ordinary.forEach(({ arc, place }, j) => {
    if (j < ordinary.length - 1) {
      move(j, arc, "take", false, [place, state(j + 1)]);
      move(j, arc, "skip", false, [state(j + 1)]);
    }
    move(j, arc, "take", true, [place]);
  });
  return state(0);
}

interface Move {
  readonly from: PlaceIndex;
  readonly arc: number;
  readonly phase: "take" | "skip";
  readonly stops: boolean;
  readonly post: readonly PlaceIndex[];
}

function moveOf(
  b: FragmentBuilder,
  outcome: Outcome,
  { from, arc, phase, stops, post }: Move,
): DraftTransition {
  const name = stops ? "stop" : phase;
  return {
    id: `${b.node.id}:${outcome}.${name}${arc}`,
    pre: [[from, 1]],
    post: post.map((place): WeightedPlace => [place, 1]),
    generated: true,
    origin: {
      node: b.index,
      phase,
      consumed: [],
      outcome,
      chosen: [arc],
      ...(stops ? { stops } : {}),
    },
  };
}
