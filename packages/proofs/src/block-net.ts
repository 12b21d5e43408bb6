/** @module Nets of nested blocks, sound by construction, and the mistakes that people make in them. */
import type { Net, Transition, WeightedPlace } from "@tessera/core";

/** A block: one entry place, one exit place. */
export type Block =
  | { readonly kind: "task" }
  | { readonly kind: "sequence" | "choice" | "parallel"; readonly parts: readonly Block[] }
  | { readonly kind: "loop"; readonly body: Block };

/** A mistake: `nth` counts the parallel blocks in depth-first order, modulo their number. */
export interface Mistake {
  /** lost-arc: the join does not wait for its last branch. merge: it fires once for each branch. choose: the split starts one branch only. */
  readonly kind: "lost-arc" | "merge" | "choose";
  readonly nth: number;
}

/**
 * The workflow net of `block`, from place `i` to the end `o`. Without a mistake it is sound and safe. Each block is
 * entered and left by transitions of its own, so that a loop at a choice cannot return into the choice.
 */
export function blockNet(block: Block, mistake: Mistake | null = null): Net {
  const places: string[] = ["i", "o"];
  const transitions: Transition[] = [];
  const parallels = countParallel(block);
  const target = mistake === null || parallels === 0 ? -1 : mistake.nth % parallels;
  let seen = 0;
  const place = () => places.push(`p${places.length}`) - 1;
  const step = (from: readonly number[], to: readonly number[]) => {
    const weigh = (side: readonly number[]) => side.map((at): WeightedPlace => [at, 1]);
    transitions.push({ id: `t${transitions.length}`, pre: weigh(from), any: [], post: weigh(to), reset: [] });
  };
  const parallel = (parts: readonly Block[], from: number, to: number) => {
    const kind = seen === target ? mistake?.kind : undefined;
    seen += 1;
    const starts = parts.map(place);
    const stops = parts.map(place);
    if (kind === "choose") for (const start of starts) step([from], [start]);
    else step([from], starts);
    parts.forEach((part, index) => {
      build(part, starts[index]!, stops[index]!);
    });
    if (kind === "merge") for (const stop of stops) step([stop], [to]);
    else step(kind === "lost-arc" ? stops.slice(0, -1) : stops, [to]);
  };
  const build = (part: Block, from: number, to: number): void => {
    switch (part.kind) {
      case "task":
        step([from], [to]);
        return;
      case "sequence": {
        const between = [from, ...part.parts.slice(1).map(place), to];
        part.parts.forEach((inner, index) => {
          build(inner, between[index]!, between[index + 1]!);
        });
        return;
      }
      case "choice":
        for (const inner of part.parts) {
          const start = place();
          step([from], [start]);
          build(inner, start, to);
        }
        return;
      case "parallel":
        parallel(part.parts, from, to);
        return;
      case "loop": {
        const start = place();
        const stop = place();
        step([from], [start]);
        build(part.body, start, stop);
        step([stop], [start]);
        step([stop], [to]);
      }
    }
  };
  build(block, 0, 1);
  return {
    places: places.map((id) => ({ id, role: "control" })),
    transitions,
    initial: places.map((_, index) => (index === 0 ? 1 : 0)),
    finals: { kind: "ends", ends: [1] },
  };
}

/** The number of parallel blocks in `block`. */
export function countParallel(block: Block): number {
  switch (block.kind) {
    case "task":
      return 0;
    case "loop":
      return countParallel(block.body);
    default:
      return block.parts.reduce((sum, part) => sum + countParallel(part), block.kind === "parallel" ? 1 : 0);
  }
}
