/** @module A drawing: what there is to see of a net or workflow, before any layout and in no format. */
import type { Marking, Net, PlaceIndex, TransitionIndex } from "@tessera/core";

/** How a node looks. place to transition: nets; the others: workflows. `scope` holds other nodes. */
export type NodeShape = "place" | "transition" | "start" | "end" | "terminate" | "gateway" | "step" | "scope";

/** A node. `key` is `n` and a number: texts of files are never names in a drawing. */
export interface DrawnNode {
  readonly key: string;
  readonly shape: NodeShape;
  readonly label: string;
  /** What a pointer at the node shows: the label with the id, where the two differ. */
  readonly hint?: string;
  /** A sign inside a gateway, or the kind of a step; empty if none. */
  readonly sign: string;
  readonly tokens: number;
  /** The numbers of the steps of the run at this node, from 1. */
  readonly steps: readonly number[];
  /** The key of the scope that contains it. */
  readonly parent?: string;
}

/** A directed edge. `reset`: the place is emptied; `optional`: a token is taken if there is one. */
export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly kind: "normal" | "reset" | "optional";
  readonly tokens: number;
  readonly steps: readonly number[];
}

/** Everything to draw, in document order. */
export interface Drawing {
  readonly title: string;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

/** What is shown on top of the structure. */
export interface DrawingOptions {
  readonly title?: string;
  /** The marking to show; the initial one if absent. */
  readonly marking?: Marking;
  /** A firing sequence: what it touches is marked with the numbers of its steps, from 1. */
  readonly run?: readonly TransitionIndex[];
}

/**
 * The drawing of a net: places, transitions, an edge for each arc with its weight, if that is not 1. A step of the run
 * is at its transition and at the arcs of this transition. Cost: linear in the net and the run.
 *
 * @definition D11.14
 */
export function netDrawing(net: Net, options: DrawingOptions = {}): Drawing {
  const marking = options.marking ?? net.initial;
  const steps = stepsByTransition(options.run ?? []);
  const place = (p: PlaceIndex) => `n${p}`;
  const transition = (t: TransitionIndex) => `n${net.places.length + t}`;
  return {
    title: options.title ?? "",
    nodes: [
      ...net.places.map(
        ({ id, label }, p): DrawnNode => ({
          key: place(p),
          shape: "place",
          label: label ?? id,
          sign: "",
          tokens: marking[p] ?? 0,
          steps: [],
        }),
      ),
      ...net.transitions.map(
        ({ id, label }, t): DrawnNode => ({
          key: transition(t),
          shape: "transition",
          label: label ?? id,
          sign: "",
          tokens: 0,
          steps: steps.get(t) ?? [],
        }),
      ),
    ],
    edges: net.transitions.flatMap(({ pre, any, post, reset }, t) => {
      const own = steps.get(t) ?? [];
      const edge = (from: string, to: string, kind: DrawnEdge["kind"], label: string): DrawnEdge => ({
        from,
        to,
        kind,
        label,
        tokens: 0,
        steps: own,
      });
      const weight = (count: number) => (count === 1 ? "" : String(count));
      return [
        ...pre.map(([p, count]) => edge(place(p), transition(t), "normal", weight(count))),
        ...any.map((p) => edge(place(p), transition(t), "optional", "")),
        ...reset.map((p) => edge(place(p), transition(t), "reset", "reset")),
        ...post.map(([p, count]) => edge(transition(t), place(p), "normal", weight(count))),
      ];
    }),
  };
}

/** The numbers of the steps of each transition of a run, from 1. */
export function stepsByTransition(
  run: readonly TransitionIndex[],
): ReadonlyMap<TransitionIndex, readonly number[]> {
  const steps = new Map<TransitionIndex, number[]>();
  run.forEach((t, i) => {
    const known = steps.get(t);
    if (known === undefined) steps.set(t, [i + 1]);
    else known.push(i + 1);
  });
  return steps;
}

/** Numbers as a person reads them: `2, 5, 9`, at most six. */
export function stepText(steps: readonly number[]): string {
  const shown = steps.slice(0, 6).join(", ");
  return steps.length > 6 ? `${shown}, ...` : shown;
}

/** Characters that no format can hold or that turn the direction of what follows, as a visible sign. */
const UNFIT = /[\p{Cc}\p{Cs}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** A label as lines of at most `width` characters, at most three of them; the last ends in an ellipsis if more is left. */
export function labelLines(label: string, width = 22): readonly string[] {
  const characters = [...label.slice(0, 400).replace(UNFIT, "\ufffd").trim()];
  const lines: string[] = [];
  let rest = characters;
  while (rest.length > 0 && lines.length < 3) {
    const blank = rest.slice(0, width + 1).lastIndexOf(" ");
    const end = rest.length <= width ? rest.length : blank > 0 ? blank : width;
    lines.push(rest.slice(0, end).join("").trim());
    rest = rest.slice(end);
  }
  const isCut = rest.length > 0 || label.length > 400;
  return isCut ? lines.with(-1, `${(lines.at(-1) ?? "").slice(0, width - 1)}\u2026`) : lines;
}
