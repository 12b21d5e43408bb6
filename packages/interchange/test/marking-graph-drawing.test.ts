import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { drawingToDot, drawingToSvg, markingGraphDrawing } from "../src/index.ts";

const place = (id: string) => ({ id, role: "control" as const });
const step = (id: string, pre: readonly [number, number][], post: readonly [number, number][]) => ({
  id,
  pre,
  any: [],
  post,
  reset: [],
});
/** t: i -> i + a; u: i -> o; of its graph by hand, with a without bound. */
const NET: Net = {
  places: [place("i"), place("a"), place("o")],
  transitions: [
    step(
      "t",
      [[0, 1]],
      [
        [0, 1],
        [1, 1],
      ],
    ),
    step("u", [[0, 1]], [[2, 1]]),
  ],
  initial: [1, 0, 0],
  finals: { kind: "ends", ends: [2] },
};
const GRAPH = {
  nodes: [
    [1, 0, 0],
    [1, Number.POSITIVE_INFINITY, 0],
    [0, 0, 1],
    [0, Number.POSITIVE_INFINITY, 1],
  ],
  edges: [
    { from: 0, transition: 0, to: 1 },
    { from: 0, transition: 1, to: 2 },
    { from: 1, transition: 0, to: 1 },
    { from: 1, transition: 1, to: 3 },
  ],
  isComplete: true,
};

describe("[D11.21] the drawing of a graph of markings", () => {
  it("[D11.21] says what is marked, which marking is initial, final, dead, and where a run goes", () => {
    const drawing = markingGraphDrawing(NET, GRAPH, { title: "grows", run: [0, 0, 1, 1] });
    expect(drawing.title).toBe("grows");
    expect(drawing.nodes.map(({ label, sign, steps }) => [label, sign, steps])).toEqual([
      ["i", "m0 initial", []],
      ["i a=\u03c9", "m1", [1, 2]],
      ["o", "m2 final", []],
      ["a=\u03c9 o", "m3 dead", [3]],
    ]);
    expect(drawing.edges.map(({ from, to, label, steps }) => [from, to, label, steps])).toEqual([
      ["n0", "n1", "t", [1]],
      ["n0", "n2", "u", []],
      ["n1", "n1", "t", [2]],
      ["n1", "n3", "u", [3]],
    ]);
  });

  it("[D11.21] says that it is not all, and calls nothing dead then", () => {
    const cut = markingGraphDrawing(NET, { ...GRAPH, isComplete: false }, { title: "grows" });
    expect(cut.title).toBe("grows (the first 4 markings)");
    expect(cut.nodes.map(({ sign }) => sign)).toEqual(["m0 initial", "m1", "m2 final", "m3"]);
  });

  it("[D11.16] [D11.17] is written as DOT and SVG", async () => {
    const drawing = markingGraphDrawing(NET, GRAPH, { run: [0] });
    const dot = drawingToDot(drawing);
    expect(dot).toContain('n0 -> n1 [label="t\\n#1"');
    expect(dot).toContain("i a=\u03c9");
    const svg = await drawingToSvg(drawing);
    expect(svg.ok && svg.value).toContain("a=\u03c9");
  });
});
