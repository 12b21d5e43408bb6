/** @module A drawing as text of the graph language DOT, for Graphviz and the tools that read its files. */
import { type Drawing, type DrawnEdge, type DrawnNode, labelLines, stepText } from "./drawing.ts";

/**
 * The drawing in DOT: names are `n0`, `n1`, ...; everything of the file stands inside quotes, where no character of it
 * ends the quote, starts an escape or makes markup. Deterministic. Cost: linear.
 *
 * @definition D11.16
 */
export function drawingToDot(drawing: Drawing): string {
  const inner = new Map<string | undefined, DrawnNode[]>();
  for (const node of drawing.nodes) {
    const known = inner.get(node.parent);
    if (known === undefined) inner.set(node.parent, [node]);
    else known.push(node);
  }
  const lines = [
    "digraph tessera {",
    '  graph [rankdir=LR, fontname="sans-serif", fontsize=11, compound=true];',
    '  node [fontname="sans-serif", fontsize=11, color="#334155"];',
    '  edge [fontname="sans-serif", fontsize=10, color="#334155"];',
    ...(drawing.title === "" ? [] : [`  label=${quoted(drawing.title)};`, "  labelloc=t;"]),
    ...nodeLines(inner, undefined, "  "),
    ...drawing.edges.map(edgeLine),
    "}",
    "",
  ];
  return lines.join("\n");
}

/** Characters of a tooltip. */
const HINT_MAX = 400;

function nodeLines(
  inner: ReadonlyMap<string | undefined, readonly DrawnNode[]>,
  parent: string | undefined,
  indent: string,
): readonly string[] {
  return (inner.get(parent) ?? []).flatMap((node) => {
    const tip =
      node.hint === undefined ? "" : `, tooltip=${quoted(labelLines(node.hint, HINT_MAX).join(" "))}`;
    if (node.shape !== "scope") return [`${indent}${node.key} [${attributes(node)}${tip}];`];
    // An arc cannot end at a cluster: it ends at a node of the cluster that carries its name.
    return [
      `${indent}subgraph cluster_${node.key} {`,
      `${indent}  style="rounded";`,
      `${indent}  ${node.key} [${attributes(node)}${tip}];`,
      ...nodeLines(inner, node.key, `${indent}  `),
      `${indent}}`,
    ];
  });
}

function attributes(node: DrawnNode): string {
  const name = labelLines(node.label).join("\n");
  const steps = node.steps.length === 0 ? "" : `\n#${stepText(node.steps)}`;
  const tokens =
    node.tokens === 0 ? "" : node.tokens <= 4 ? "\u25cf".repeat(node.tokens) : String(node.tokens);
  const style = node.steps.length === 0 ? [] : ['color="#b91c1c"', "penwidth=2"];
  const outside = (sign: string) => [`label=${quoted(sign)}`, `xlabel=${quoted(`${name}${steps}`)}`];
  switch (node.shape) {
    case "place":
      return ["shape=circle", "width=0.4", "fixedsize=true", ...outside(tokens), ...style].join(", ");
    case "transition":
      return ["shape=box", "width=0.2", "height=0.5", "fixedsize=true", ...outside(""), ...style].join(", ");
    case "gateway":
      return [
        "shape=diamond",
        "width=0.5",
        "height=0.5",
        "fixedsize=true",
        ...outside(`${node.sign}${tokens}`),
        ...style,
      ].join(", ");
    case "start":
      return ["shape=circle", "width=0.4", "fixedsize=true", ...outside(tokens), ...style].join(", ");
    case "end":
    case "terminate": {
      const shape = node.shape === "end" ? "shape=circle" : "shape=doublecircle";
      return [shape, "width=0.4", "fixedsize=true", 'style="bold"', ...outside(tokens), ...style].join(", ");
    }
    case "scope":
    case "step": {
      const lines = [name, `(${node.sign})`, ...(tokens === "" ? [] : [tokens])].join("\n");
      return ["shape=box", 'style="rounded"', `label=${quoted(`${lines}${steps}`)}`, ...style].join(", ");
    }
  }
}

function edgeLine(edge: DrawnEdge): string {
  const tokens =
    edge.tokens === 0 ? "" : edge.tokens <= 4 ? "\u25cf".repeat(edge.tokens) : `\u25cf${edge.tokens}`;
  const steps = edge.steps.length === 0 ? "" : `#${stepText(edge.steps)}`;
  const label = [...labelLines(edge.label), tokens, steps].filter((part) => part !== "").join("\n");
  const style = [
    ...(label === "" ? [] : [`label=${quoted(label)}`]),
    ...(edge.kind === "reset" ? ['arrowhead="diamondtee"', 'style="dashed"'] : []),
    ...(edge.kind === "optional" ? ['style="dotted"'] : []),
    ...(edge.steps.length === 0 ? [] : ['color="#b91c1c"', "penwidth=2"]),
  ];
  return `  ${edge.from} -> ${edge.to}${style.length === 0 ? "" : ` [${style.join(", ")}]`};`;
}

/** A string of DOT: a backslash is doubled, so that nothing is an escape, and line ends become the escape for one. */
function quoted(text: string): string {
  const lines = text.split("\n").map((line) => line.replaceAll("\\", "\\\\").replaceAll('"', '\\"'));
  return `"${lines.join("\\n")}"`;
}
