import type { Arc, Marking, Net } from "@tessera/core";
import { enabledTransitions, fire } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { arcs, netOf, node, workflow } from "./workflow-text.ts";

/** An OR split over k arcs to k ends, so that no block is structured; `defaultAt` makes one of them the default. */
function splitOver(k: number, defaultAt: number | null): Net {
  const ends = Array.from({ length: k }, (_, index) => `e${index}`);
  const list = arcs(ends.map((id) => `s -> ${id}`).join(", ")).map(
    (arc, index): Arc => (index === defaultAt ? { ...arc, default: true } : arc),
  );
  return netOf(workflow([node("s", "gateway", { split: "or" }), ...ends.map((id) => node(id, "end"))], list));
}

/** Every run of the chain from its head, as the arcs that it leaves marked. The net's ends do not fire. */
function decisions(net: Net): readonly string[] {
  const isMove = (t: number) => net.transitions[t]?.origin?.node === 0;
  const found: string[] = [];
  const go = (marking: Marking) => {
    const moves = enabledTransitions(net, marking).filter(isMove);
    if (moves.length === 0) found.push(net.places.flatMap(({ id }, p) => (marking[p] ? [id] : [])).join(" "));
    for (const t of moves) {
      const result = fire(net, marking, t);
      if (result.kind === "fired") go(result.marking);
    }
  };
  go(net.initial);
  return found;
}

function subsets(members: readonly string[]): readonly (readonly string[])[] {
  const [first, ...rest] = members;
  return first === undefined ? [[]] : subsets(rest).flatMap((set) => [set, [first, ...set]]);
}

describe("[D15.5] [L15.1] the subset chain", () => {
  it("[D15.5] [L15.1] [C20-26] marks exactly the non-empty subsets of 2 to 6 arcs, each by one run, and nothing else", () => {
    for (let k = 2; k <= 6; k += 1) {
      const all = Array.from({ length: k }, (_, index) => `s->e${index}`);
      const expected = subsets(all).filter((set) => set.length > 0);
      const found = decisions(splitOver(k, null));
      expect([...found].sort()).toEqual(expected.map((set) => set.join(" ")).sort());
    }
  });

  it("[D15.5] [L15.1] [C20-26] with a default: the non-empty subsets of the others, and the default alone", () => {
    for (let k = 2; k <= 5; k += 1) {
      for (let at = 0; at < k; at += 1) {
        const others = Array.from({ length: k }, (_, index) => `s->e${index}`).filter((_, i) => i !== at);
        const expected = subsets(others).filter((set) => set.length > 0);
        const found = decisions(splitOver(k, at));
        expect([...found].sort()).toEqual([...expected.map((set) => set.join(" ")), `s->e${at}`].sort());
      }
    }
  });

  it("[D15.5] is linear in its arcs, and every move marks something", () => {
    for (const k of [2, 5, 9]) {
      const chain = (net: Net) => net.transitions.filter(({ generated }) => generated === true);
      expect(chain(splitOver(k, null))).toHaveLength(3 * k - 2);
      expect(chain(splitOver(k, k - 1))).toHaveLength(3 * (k - 1) - 2 + 1);
      for (const { pre, post } of chain(splitOver(k, 0))) {
        expect(pre).toHaveLength(1);
        expect(post.length).toBeGreaterThan(0);
      }
    }
  });
});
