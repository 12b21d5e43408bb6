/** @module A drawing as an SVG picture. */
import { type Issue, ok, type Result } from "@tessera/core";
import { type Drawing, type DrawnEdge, type DrawnNode, labelLines, stepText } from "./drawing.ts";
import { type Box, edgeLines, type Layout, LINE, layout, outsideLines, type Point } from "./layout.ts";

/**
 * The drawing as SVG: elements and attributes are ours alone, texts of the file are character data. No script, no
 * reference to anything outside. The same drawing gives the same bytes. Errors: DRAW001, too large to lay out.
 * Cost: that of the layout, which is loaded at the first call.
 *
 * @definition D11.17
 */
export async function drawingToSvg(drawing: Drawing): Promise<Result<string, readonly Issue[]>> {
  const placed = await layout(drawing);
  if (!placed.ok) return placed;
  const { boxes, edges, width, height } = placed.value;
  const [w, h] = [number(Math.max(width, 40)), number(Math.max(height, 40) + 8)];
  const title = drawing.title === "" ? "" : `<title>${escaped(drawing.title.slice(0, 400))}</title>`;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img">${title}`,
    `<style>${STYLE}</style>`,
    `<defs>${arrow("arrow", "#334155")}${arrow("arrow-run", "#b91c1c")}</defs>`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...drawing.nodes.filter(({ shape }) => shape === "scope").map((node) => drawNode(node, boxes)),
    ...drawing.edges.map((edge, i) => drawEdge(edge, edges[i])),
    ...drawing.nodes.filter(({ shape }) => shape !== "scope").map((node) => drawNode(node, boxes)),
    "</svg>",
    "",
  ];
  return ok(lines.join("\n"));
}

const STYLE =
  "text{font:11px sans-serif;fill:#0f172a;text-anchor:middle}.s{fill:#ffffff;stroke:#334155;stroke-width:1.5}" +
  ".e{fill:none;stroke:#334155;stroke-width:1.2}.r{stroke:#b91c1c;stroke-width:2.4}.t{fill:#0f172a}" +
  ".k{fill:#64748b}.n{fill:#b91c1c;font-weight:bold}.d{stroke-dasharray:5 3}.o{stroke-dasharray:1 3}" +
  ".b{fill:#334155}.g{fill:#f8fafc}";

function arrow(id: string, colour: string): string {
  return (
    `<marker id="${id}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" ` +
    `markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="${colour}"/></marker>`
  );
}

function drawNode(node: DrawnNode, boxes: ReadonlyMap<string, Box>): string {
  const box = boxes.get(node.key);
  if (box === undefined) return "";
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
  const run = node.steps.length === 0 ? "" : " r";
  const below = outsideLines(node).map((line, i) =>
    text(
      line,
      cx,
      box.y + box.height + 12 + i * LINE,
      line.startsWith("#") && node.steps.length > 0 ? "n" : "",
    ),
  );
  const full = `<title>${escaped((node.hint ?? node.label).slice(0, 400))}</title>`;
  return `<g>${full}${outline(node, box, run)}${inside(node, box, cx, cy)}${below.join("")}</g>`;
}

function outline({ shape }: DrawnNode, box: Box, run: string): string {
  const { x, y, width, height } = box;
  const [cx, cy, r] = [x + width / 2, y + height / 2, width / 2];
  const circle = (radius: number, extra = "") =>
    `<circle class="s${run}" cx="${number(cx)}" cy="${number(cy)}" r="${number(radius)}"${extra}/>`;
  switch (shape) {
    case "place":
    case "start":
      return circle(r);
    case "end":
      return circle(r - 1, ' style="stroke-width:3.5"');
    case "terminate":
      return `${circle(r - 1, ' style="stroke-width:3.5"')}<circle class="b" cx="${number(cx)}" cy="${number(cy)}" r="${number(r - 6)}"/>`;
    case "gateway":
      return `<path class="s${run}" d="M${point({ x: cx, y })}L${point({ x: x + width, y: cy })}L${point({ x: cx, y: y + height })}L${point({ x, y: cy })}z"/>`;
    case "transition":
      return rectangle(box, `s${run}`, 0);
    case "step":
      return rectangle(box, `s${run}`, 8);
    case "scope":
      return rectangle(box, `s g${run}`, 8);
  }
}

function inside(node: DrawnNode, box: Box, cx: number, cy: number): string {
  switch (node.shape) {
    case "place":
    case "start":
    case "end":
    case "terminate":
      return tokens(node.tokens, cx, cy);
    case "transition":
      return "";
    case "gateway":
      return node.tokens > 0 ? tokens(node.tokens, cx, cy) : text(node.sign, cx, cy + 4, "");
    case "step":
    case "scope": {
      const steps = node.steps.length === 0 ? [] : [`#${stepText(node.steps)}`];
      const lines = [...labelLines(node.label), node.sign, ...steps];
      const drawn = lines.map((line, i) => {
        const kind =
          i === lines.length - 1 && steps.length > 0 ? "n" : i === lines.length - 1 - steps.length ? "k" : "";
        return text(line, cx, box.y + 18 + i * LINE, kind);
      });
      return `${drawn.join("")}${tokens(node.tokens, box.x + 10, box.y + 10)}`;
    }
  }
}

/** Up to four tokens as dots, more as their number. */
function tokens(count: number, cx: number, cy: number): string {
  if (count === 0) return "";
  if (count > 4) return text(String(count), cx, cy + 4, "");
  const spots =
    [
      [[0, 0]],
      [
        [-5, 0],
        [5, 0],
      ],
      [
        [-5, 4],
        [5, 4],
        [0, -5],
      ],
      [
        [-5, -5],
        [5, -5],
        [-5, 5],
        [5, 5],
      ],
    ][count - 1] ?? [];
  return spots
    .map(([dx = 0, dy = 0]) => `<circle class="t" cx="${number(cx + dx)}" cy="${number(cy + dy)}" r="3.5"/>`)
    .join("");
}

function drawEdge(edge: DrawnEdge, route: Layout["edges"][number] | undefined): string {
  const points = route?.points ?? [];
  if (points.length === 0) return "";
  const isRun = edge.steps.length > 0;
  const style = `e${isRun ? " r" : ""}${edge.kind === "reset" ? " d" : edge.kind === "optional" ? " o" : ""}`;
  const path = `<path class="${style}" d="M${points.map(point).join("L")}" marker-end="url(#${isRun ? "arrow-run" : "arrow"})"/>`;
  const lines = edgeLines(edge);
  const label = route?.label;
  if (label === undefined) return path;
  const drawn = lines.map((line, i) =>
    text(
      line,
      label.x + label.width / 2,
      label.y + 10 + i * LINE,
      isRun && i === lines.length - 1 ? "n" : "",
    ),
  );
  return `${path}${drawn.join("")}`;
}

function rectangle({ x, y, width, height }: Box, kind: string, radius: number): string {
  return `<rect class="${kind}" x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" rx="${radius}"/>`;
}

function text(content: string, x: number, y: number, kind: string): string {
  if (content === "") return "";
  return `<text x="${number(x)}" y="${number(y)}"${kind === "" ? "" : ` class="${kind}"`}>${escaped(content)}</text>`;
}

function point({ x, y }: Point): string {
  return `${number(x)} ${number(y)}`;
}

/** Two digits are enough for a picture, and the same on every machine. */
function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Character data: no markup, and nothing that XML cannot hold. */
function escaped(content: string): string {
  return content
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
