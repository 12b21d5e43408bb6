import { compileWorkflow, type Net, type WorkflowDefinition } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Drawing,
  drawingToDot,
  drawingToSvg,
  netDrawing,
  readXml,
  workflowDrawing,
  type XmlElement,
} from "../src/index.ts";
import { refusal } from "./fixtures.ts";
import { pnmlNet } from "./random-net.ts";

const HOSTILE = [
  "</text><script>alert(1)</script>",
  '"]; evil [label="x',
  '\\" -> boom',
  "]]><!--",
  "\\N\\G\\L\\l",
  "<b>html</b>",
  "&lt;&#60;&xxe;",
  "\u202egnp.exe",
  "line\nbreak\r\u2028x",
  "\ud800half",
  "\0nul",
  "url(javascript:alert(1))",
];

const hostileNet: fc.Arbitrary<Net> = fc
  .tuple(
    pnmlNet,
    fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 80 })), {
      minLength: 1,
    }),
  )
  .map(([net, labels]) => ({
    ...net,
    places: net.places.map((place, p) => ({ ...place, label: labels[p % labels.length] ?? "" })),
    transitions: net.transitions.map((t, i) => ({ ...t, label: labels[(i + 1) % labels.length] ?? "" })),
  }));

/** The tokens of a DOT text: strings, words, signs. Throws where a string is not closed. */
function dotTokens(text: string): readonly string[] {
  const found = text.match(/"(?:[^"\\\n]|\\["\\n])*"|[A-Za-z_]\w*|[\d.]+|->|[{}[\]=,;]|\S/g) ?? [];
  return found;
}

/** Law: what a DOT text says besides quoted texts depends on the structure alone. */
function isSafeDot(write: (drawing: Drawing) => string): void {
  const bare = (drawing: Drawing): Drawing => ({
    title: drawing.title === "" ? "" : "x",
    nodes: drawing.nodes.map((node) => ({ ...node, label: "x" })),
    edges: drawing.edges,
  });
  const skeleton = (text: string) =>
    dotTokens(text)
      .map((token) => (token.startsWith('"') ? '""' : token))
      .join(" ");
  fc.assert(
    fc.property(hostileNet, (net) => {
      const drawing = netDrawing(net, { title: HOSTILE[net.places.length % HOSTILE.length] ?? "" });
      expect(skeleton(write(drawing))).toBe(skeleton(write(bare(drawing))));
      expect(write(drawing)).toBe(write(drawing));
    }),
    { numRuns: 300 },
  );
}

function elements(element: XmlElement): readonly XmlElement[] {
  return [element, ...element.children.flatMap(elements)];
}

/** Law: an SVG has our elements and attributes only, and the texts of the file as character data. */
async function isSafeSvg(write: typeof drawingToSvg): Promise<void> {
  const names = new Set(["svg", "title", "style", "defs", "marker", "path", "rect", "circle", "g", "text"]);
  await fc.assert(
    fc.asyncProperty(hostileNet, async (net) => {
      const drawing = netDrawing(net);
      const written = await write(drawing);
      if (!written.ok) throw new Error("not drawn");
      const read = readXml(written.value);
      if (!read.ok) throw new Error(JSON.stringify(read.issues));
      const all = elements(read.value.root);
      expect(all.filter(({ name }) => !names.has(name))).toEqual([]);
      const values = all.flatMap(({ attributes }) => attributes);
      expect(values.filter(([name]) => /^on|href/i.test(name))).toEqual([]);
      // Every node and every arc is there.
      const count = (name: string) => all.filter((each) => each.name === name).length;
      expect(count("g")).toBe(drawing.nodes.length);
      expect(all.filter(({ attributes }) => attributes.some(([name]) => name === "marker-end"))).toHaveLength(
        drawing.edges.length,
      );
    }),
    { numRuns: 40 },
  );
}

describe("[D11.14] [D11.16] nets in DOT", () => {
  it("[D11.16] no text of a file is more than text", () => {
    isSafeDot(drawingToDot);
  });

  it("[D11.16] the law fails for writers that forget a kind of escape", () => {
    const broken: readonly ((text: string) => string)[] = [
      (text) => text.replaceAll('\\"', '"'),
      (text) => text.replaceAll("\\\\", "\\"),
      (text) => text.replaceAll("\\n", "\n"),
    ];
    for (const lose of broken) expect(() => isSafeDot((drawing) => lose(drawingToDot(drawing)))).toThrow();
  });

  it("[D11.14] [D11.16] writes places, tokens, weights, resets and the steps of a run", () => {
    const net: Net = {
      places: [
        { id: "i", role: "control" },
        { id: "o", label: "out", role: "control" },
      ],
      transitions: [
        { id: "t", pre: [[0, 2]], any: [], post: [[1, 1]], reset: [0] },
        { id: "u", pre: [], any: [1], post: [], reset: [] },
      ],
      initial: [7, 0],
      finals: { kind: "ends", ends: [1] },
    };
    expect(
      drawingToDot(netDrawing(net, { title: "N", marking: [7, 1], run: [0, 0] })),
    ).toBe(`digraph tessera {
  graph [rankdir=LR, fontname="sans-serif", fontsize=11, compound=true];
  node [fontname="sans-serif", fontsize=11, color="#334155"];
  edge [fontname="sans-serif", fontsize=10, color="#334155"];
  label="N";
  labelloc=t;
  n0 [shape=circle, width=0.4, fixedsize=true, label="7", xlabel="i"];
  n1 [shape=circle, width=0.4, fixedsize=true, label="\u25cf", xlabel="out"];
  n2 [shape=box, width=0.2, height=0.5, fixedsize=true, label="", xlabel="t\\n#1, 2", color="#b91c1c", penwidth=2];
  n3 [shape=box, width=0.2, height=0.5, fixedsize=true, label="", xlabel="u"];
  n0 -> n2 [label="2\\n#1, 2", color="#b91c1c", penwidth=2];
  n0 -> n2 [label="reset\\n#1, 2", arrowhead="diamondtee", style="dashed", color="#b91c1c", penwidth=2];
  n2 -> n1 [label="#1, 2", color="#b91c1c", penwidth=2];
  n1 -> n3 [style="dotted"];
}
`);
  });
});

describe("[D11.17] SVG", () => {
  it("[D11.17] no text of a file is more than text, every node and arc is drawn", async () => {
    await isSafeSvg(drawingToSvg);
  });

  it("[D11.17] the law fails for a writer that does not escape", async () => {
    const lose: typeof drawingToSvg = async (drawing) => {
      const written = await drawingToSvg(drawing);
      return written.ok ? { ok: true, value: written.value.replaceAll("&lt;", "<") } : written;
    };
    await expect(isSafeSvg(lose)).rejects.toThrow();
  });

  it("[D11.17] the same drawing gives the same bytes", async () => {
    const [net] = fc.sample(hostileNet, { numRuns: 1, seed: 3 });
    if (net === undefined) throw new Error("no sample");
    expect(await drawingToSvg(netDrawing(net))).toEqual(await drawingToSvg(netDrawing(net)));
  });

  it("DRAW001 a drawing that is too large is refused, and DOT takes it", async () => {
    const nodes = Array.from(
      { length: 3001 },
      (_, i) => ({ key: `n${i}`, shape: "place", label: "p", sign: "", tokens: 0, steps: [] }) as const,
    );
    const drawing: Drawing = { title: "", nodes, edges: [] };
    expect(refusal(await drawingToSvg(drawing))).toEqual(["DRAW001 -"]);
    expect(drawingToDot(drawing)).toContain("n3000");
  });
});

const workflow: WorkflowDefinition = {
  format: 1,
  kind: "workflow",
  id: "w",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "sub", kind: "subprocess", meta: { entry: "in" } },
    { id: "in", kind: "start", scope: "sub" },
    { id: "ask", kind: "human", label: "Ask", scope: "sub" },
    { id: "out", kind: "end", scope: "sub" },
    { id: "which", kind: "decision" },
    { id: "done", kind: "end" },
    { id: "stop", kind: "end", meta: { terminate: true } },
  ],
  arcs: [
    { from: "begin", to: "sub" },
    { from: "in", to: "ask" },
    { from: "ask", to: "out" },
    { from: "sub", to: "which" },
    {
      from: "which",
      to: "done",
      guard: {
        all: [
          { key: "valueOf", op: "isAssigned" },
          { key: "a", op: "atLeast", value: 3 },
        ],
      },
    },
    { from: "which", to: "stop", default: true },
  ],
};

describe("[D11.15] workflows", () => {
  const result = compileWorkflow(workflow, STANDARD_KINDS);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  const compiled = result.value;
  const { net } = compiled;
  const marked = (id: string) => net.places.map((place) => (place.id === id ? 1 : 0));

  it("[D11.15] draws scopes inside, guards and defaults on arcs, terminate ends", () => {
    const dot = drawingToDot(workflowDrawing(compiled));
    expect(dot).toContain('subgraph cluster_n1 {\n    style="rounded";\n    n1 [shape=box');
    expect(dot).toContain('n5 -> n6 [label="[valueOf isAssigned\\nand a atLeast 3]"];');
    expect(dot).toContain('n5 -> n7 [label="(else)"];');
    expect(dot).toContain("n7 [shape=doublecircle");
  });

  it("[D11.15] puts the tokens of arcs on arcs, all others on the node that owns their place", () => {
    const tokens = (marking: readonly number[]) => {
      const { nodes, edges } = workflowDrawing(compiled, { marking });
      return [
        ...nodes.filter((n) => n.tokens > 0).map((n) => n.label),
        ...edges.filter((e) => e.tokens > 0).map((e) => `${e.from}-${e.to}`),
      ];
    };
    expect(tokens(net.initial)).toEqual(["begin"]);
    for (const [p, place] of net.places.entries()) {
      const shown = tokens(marked(place.id));
      expect([place.id, shown.length]).toEqual([place.id, 1]);
      if (place.origin?.kind === "rest")
        expect(shown).toEqual([
          compiled.definition.nodes[place.origin.node]?.label ??
            compiled.definition.nodes[place.origin.node]?.id,
        ]);
      if (place.origin?.kind === "source" && place.origin.scope !== null) expect(shown).toEqual(["in"]);
      expect(p).toBeLessThan(net.places.length);
    }
  });

  it("[D11.15] numbers the steps of a run at the nodes and arcs that it takes", () => {
    const first = net.transitions.findIndex(({ origin }) => origin?.node === 0);
    const { nodes, edges } = workflowDrawing(compiled, { run: [first] });
    expect(nodes.map(({ steps }) => steps.length)).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
    expect(edges.map(({ steps }) => steps.length)).toEqual([1, 0, 0, 0, 0, 0]);
  });
});
