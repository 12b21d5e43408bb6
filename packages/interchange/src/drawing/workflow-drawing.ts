/** @module The drawing of a workflow: its nodes and arcs, with the tokens and the run of its net carried over to them. */
import {
  type Arc,
  arcOutcome,
  type CompiledWorkflow,
  type ConditionData,
  DONE,
  type WorkflowNode,
} from "@tessera/core";
import type { Drawing, DrawingOptions, DrawnEdge, DrawnNode, NodeShape } from "./drawing.ts";

/**
 * The drawing of a workflow: nodes, those of an embedded subprocess inside it, and an edge for each arc with its outcome
 * (unless done) and its guard. A token on the place of an arc is drawn on the arc, any other on the node that owns its
 * place. A step of the run is at the node that fires and at the arcs that it takes and chooses. Counters are not drawn.
 * Cost: linear in the net and the run.
 *
 * @definition D11.15
 */
export function workflowDrawing(compiled: CompiledWorkflow, options: DrawingOptions = {}): Drawing {
  const { definition, graph } = compiled;
  const tokens = tokensOf(compiled, options);
  const steps = stepsOf(compiled, options);
  const scopes = new Set(definition.nodes.map(({ scope }) => scope));
  const key = (id: string | undefined) => `n${graph.nodeIndex.get(id ?? "") ?? -1}`;
  return {
    title: options.title ?? definition.label ?? definition.id,
    nodes: definition.nodes.map(
      (node, n): DrawnNode => ({
        key: `n${n}`,
        shape: shapeOf(node, scopes),
        label: node.label ?? node.id,
        ...(node.label === undefined || node.label === node.id ? {} : { hint: `${node.label} (${node.id})` }),
        sign: signOf(node),
        tokens: tokens.nodes[n] ?? 0,
        steps: steps.nodes[n] ?? [],
        ...(node.scope === undefined ? {} : { parent: key(node.scope) }),
      }),
    ),
    edges: definition.arcs.map(
      (arc, a): DrawnEdge => ({
        from: key(arc.from),
        to: key(arc.to),
        label: arcLabel(arc),
        kind: "normal",
        tokens: tokens.arcs[a] ?? 0,
        steps: steps.arcs[a] ?? [],
      }),
    ),
  };
}

function shapeOf(node: WorkflowNode, scopes: ReadonlySet<string | undefined>): NodeShape {
  switch (node.kind) {
    case "start":
      return "start";
    case "end":
      return node.meta?.terminate === true ? "terminate" : "end";
    case "gateway":
    case "decision":
      return "gateway";
    case "subprocess":
      return scopes.has(node.id) ? "scope" : "step";
    default:
      return "step";
  }
}

/** BPMN's signs where a gateway has one rule on both sides; the kind of any other node. */
function signOf(node: WorkflowNode): string {
  if (node.kind !== "gateway" && node.kind !== "decision") return node.kind;
  const split = typeof node.split === "string" ? node.split : "first";
  const rules = new Set([node.join ?? "any", split === "first" ? "any" : split]);
  if (rules.has("or")) return "o";
  return rules.has("all") ? "+" : "x";
}

function arcLabel(arc: Arc): string {
  const outcome = arcOutcome(arc);
  const parts = [
    ...(outcome === DONE ? [] : [outcome]),
    ...(arc.guard === undefined ? [] : [`[${conditionText(arc.guard)}]`]),
    ...(arc.default === true ? ["(else)"] : []),
  ];
  return parts.join(" ");
}

/** A condition in a few words; what does not fit ends in an ellipsis. */
export function conditionText(condition: ConditionData): string {
  const text = (data: ConditionData, depth: number): string => {
    if (depth > 4) return "\u2026";
    if ("all" in data)
      return data.all
        .slice(0, 4)
        .map((part) => text(part, depth + 1))
        .join(" and ");
    if ("any" in data)
      return data.any
        .slice(0, 4)
        .map((part) => `(${text(part, depth + 1)})`)
        .join(" or ");
    if ("not" in data) return `not (${text(data.not, depth + 1)})`;
    if ("language" in data) return data.text;
    if ("predicate" in data) return data.predicate;
    const path = [data.key, ...(data.path ?? [])].join(".");
    if (data.op === "isAssigned") return `${path} ${data.op}`;
    // Not by the member's name: every object has something called valueOf.
    return "value" in data
      ? `${path} ${data.op} ${JSON.stringify(data.value)}`
      : `${path} ${data.op} ${data.valueOf}`;
  };
  const whole = text(condition, 0);
  return whole.length <= 60 ? whole : `${whole.slice(0, 59)}\u2026`;
}

interface Counts {
  readonly nodes: readonly number[];
  readonly arcs: readonly number[];
}

function tokensOf({ net, definition, graph }: CompiledWorkflow, options: DrawingOptions): Counts {
  const nodes = definition.nodes.map(() => 0);
  const arcs = definition.arcs.map(() => 0);
  (options.marking ?? net.initial).forEach((count, p) => {
    const origin = net.places[p]?.origin;
    if (count === 0 || origin === undefined) return;
    if (origin.kind === "arc") arcs[origin.arc] = (arcs[origin.arc] ?? 0) + count;
    else if (origin.kind === "source") {
      const scope = origin.scope === null ? undefined : definition.nodes[origin.scope];
      const entry = scope === undefined ? definition.entry : String(scope.meta?.entry ?? "");
      const node = graph.nodeIndex.get(entry) ?? -1;
      if (node >= 0) nodes[node] = (nodes[node] ?? 0) + count;
    } else if (origin.kind !== "skip" && origin.kind !== "left" && origin.kind !== "spent") {
      nodes[origin.node] = (nodes[origin.node] ?? 0) + count;
    }
  });
  return { nodes, arcs };
}

interface Steps {
  readonly nodes: readonly (readonly number[])[];
  readonly arcs: readonly (readonly number[])[];
}

function stepsOf({ net, definition }: CompiledWorkflow, { run = [] }: DrawingOptions): Steps {
  const nodes = definition.nodes.map((): number[] => []);
  const arcs = definition.arcs.map((): number[] => []);
  run.forEach((t, i) => {
    const origin = net.transitions[t]?.origin;
    if (origin === undefined) return;
    nodes[origin.node]?.push(i + 1);
    for (const arc of new Set([...origin.consumed, ...origin.chosen])) arcs[arc]?.push(i + 1);
  });
  return { nodes, arcs };
}
