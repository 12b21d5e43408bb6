/** @module Where the parts of a drawing stand: a layered layout by the ELK library. */
import { bad, type Issue, ok, type Result } from "@tessera/core";
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import { type Drawing, type DrawnEdge, type DrawnNode, labelLines, stepText } from "./drawing.ts";

/** A rectangle, in pixels from the top left. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A point in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The layout: a box for each node by its key, the bends and the label of each edge in order. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly edges: readonly { readonly points: readonly Point[]; readonly label?: Box }[];
}

/** More nodes and edges together than this take minutes to lay out. */
export const PARTS_MAX = 3000;
/** Pixels of a character, about, and of a line. */
const CHARACTER = 6.2;
export const LINE = 14;

/**
 * Lays the drawing out from left to right with right-angled edges. The same drawing has the same layout.
 * Errors: DRAW001 if it has more than 3,000 nodes and edges. Cost: seconds for a thousand.
 */
export async function layout(drawing: Drawing): Promise<Result<Layout, readonly Issue[]>> {
  const parts = drawing.nodes.length + drawing.edges.length;
  if (parts > PARTS_MAX) {
    const message = `the drawing has ${parts} nodes and edges; at most ${PARTS_MAX} can be laid out: write DOT`;
    return bad([{ code: "DRAW001", path: [], message, facts: { parts, partsMax: PARTS_MAX } }]);
  }
  // The library is large and only needed here.
  const { default: library } = await import("elkjs/lib/elk.bundled.js");
  const placed = await new library.default().layout(elkGraph(drawing));
  const boxes = new Map<string, Box>();
  collectBoxes(placed, boxes);
  const found = new Map((placed.edges ?? []).map((edge) => [edge.id, edge] as const));
  return ok({
    width: placed.width ?? 0,
    height: placed.height ?? 0,
    boxes,
    edges: drawing.edges.map((_, i) => edgeRoute(found.get(`e${i}`))),
  });
}

function elkGraph(drawing: Drawing): ElkNode {
  const inner = new Map<string | undefined, DrawnNode[]>();
  for (const node of drawing.nodes) inner.set(node.parent, [...(inner.get(node.parent) ?? []), node]);
  return {
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "RIGHT",
      "elk.edgeRouting": "ORTHOGONAL",
      "elk.hierarchyHandling": "INCLUDE_CHILDREN",
      "elk.json.shapeCoords": "ROOT",
      "elk.json.edgeCoords": "ROOT",
      "elk.randomSeed": "1",
      "elk.spacing.nodeNode": "28",
      "elk.layered.spacing.nodeNodeBetweenLayers": "36",
      "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
      "elk.padding": "[top=30,left=12,bottom=12,right=12]",
    },
    children: elkNodes(inner, undefined),
    edges: drawing.edges.map(elkEdge),
  };
}

function elkNodes(
  inner: ReadonlyMap<string | undefined, readonly DrawnNode[]>,
  parent: string | undefined,
): ElkNode[] {
  return (inner.get(parent) ?? []).map((node): ElkNode => {
    const children = elkNodes(inner, node.key);
    const lines = outsideLines(node);
    const label = {
      text: "x",
      width: Math.max(1, ...lines.map((line) => line.length * CHARACTER)),
      height: lines.length * LINE,
    };
    return {
      id: node.key,
      ...sizeOf(node),
      ...(children.length === 0
        ? {}
        : {
            children,
            layoutOptions: { "elk.padding": `[top=${sizeOf(node).height + 6},left=14,bottom=14,right=14]` },
          }),
      ...(lines.length === 0
        ? {}
        : { labels: [label], layoutOptions: { "elk.nodeLabels.placement": "OUTSIDE V_BOTTOM H_CENTER" } }),
    };
  });
}

/** The lines below a node that has no room for its name; the numbers of steps come last. */
export function outsideLines(node: DrawnNode): readonly string[] {
  if (node.shape === "step" || node.shape === "scope") return [];
  const steps = node.steps.length === 0 ? [] : [`#${stepText(node.steps)}`];
  return [...labelLines(node.label), ...steps];
}

function sizeOf({ shape, label, sign, steps }: DrawnNode): {
  readonly width: number;
  readonly height: number;
} {
  switch (shape) {
    case "place":
    case "start":
    case "end":
    case "terminate":
      return { width: 32, height: 32 };
    case "transition":
      return { width: 14, height: 36 };
    case "gateway":
      return { width: 40, height: 40 };
    case "step":
    case "scope": {
      const lines = [...labelLines(label), sign, ...(steps.length === 0 ? [] : [`#${stepText(steps)}`])];
      const width = Math.max(80, ...lines.map((line) => line.length * CHARACTER + 20));
      return { width, height: 20 + lines.length * LINE };
    }
  }
}

function elkEdge(edge: DrawnEdge, index: number): ElkExtendedEdge {
  const lines = edgeLines(edge);
  const width = Math.max(0, ...lines.map((line) => line.length * CHARACTER + 4));
  return {
    id: `e${index}`,
    sources: [edge.from],
    targets: [edge.to],
    ...(lines.length === 0 ? {} : { labels: [{ text: "x", width, height: lines.length * LINE }] }),
  };
}

/** The lines of an edge's label, with tokens and steps. */
export function edgeLines(edge: DrawnEdge): readonly string[] {
  const tokens =
    edge.tokens === 0 ? [] : [edge.tokens <= 4 ? "\u25cf".repeat(edge.tokens) : `\u25cf${edge.tokens}`];
  const steps = edge.steps.length === 0 ? [] : [`#${stepText(edge.steps)}`];
  return [...labelLines(edge.label), ...tokens, ...steps];
}

function collectBoxes(node: ElkNode, boxes: Map<string, Box>): void {
  for (const child of node.children ?? []) {
    boxes.set(child.id, {
      x: child.x ?? 0,
      y: child.y ?? 0,
      width: child.width ?? 0,
      height: child.height ?? 0,
    });
    collectBoxes(child, boxes);
  }
}

function edgeRoute(edge: ElkExtendedEdge | undefined): Layout["edges"][number] {
  const section = edge?.sections?.[0];
  if (section === undefined) return { points: [] };
  const label = edge?.labels?.[0];
  const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
  if (label === undefined) return { points };
  return {
    points,
    label: { x: label.x ?? 0, y: label.y ?? 0, width: label.width ?? 0, height: label.height ?? 0 },
  };
}
