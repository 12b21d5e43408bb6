/** @module How many firings of nodes a run can have, where every cycle is a governed loop. */
import { arcOutcome, type CompiledWorkflow, invariant } from "@tessera/core";
import { blockMembers, FAIL, loopOf } from "@tessera/gateways";

/** A sum of the tokens that other nodes put on one arc, `factor` times. */
interface Supply {
  readonly factor: number;
  readonly nodes: readonly number[];
  /** Tokens that no node puts there: the token of the workflow's start. */
  readonly more: number;
}

/**
 * A bound on the firings of nodes in any run of a workflow without ungoverned cycles: a merge fires at most once for
 * each token of its arcs, an AND join at most as often as its rarest arc, a node that a fail arc enters budget times
 * more for each entry of the loop's block, an embedded subprocess is left once for each token on its ends.
 * Null if it exceeds 2^53 - 1. Cost: linear in the graph, and for each fail arc in the arcs of its block.
 */
export function firingBound(compiled: CompiledWorkflow): number | null {
  const supplies = compiled.definition.nodes.map((_, node) => suppliesOf(compiled, node));
  const fires = new Map<number, number>();
  const asked = new Set<number>();
  const stack = compiled.definition.nodes.map((_, node) => node).reverse();
  for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
    const missing = supplies[node]!.flatMap((supply) => supply.nodes).filter((other) => !fires.has(other));
    if (missing.length > 0 && !fires.has(node)) {
      invariant(!asked.has(node), "D8.12", () => ({ cycle: compiled.definition.nodes[node!]?.id }));
      asked.add(node);
      stack.push(...new Set(missing));
      continue;
    }
    if (!fires.has(node)) fires.set(node, countOf(compiled, node, supplies[node]!, fires));
    stack.pop();
  }
  const total = [...fires.values()].reduce((sum, count) => sum + count, 0);
  return Number.isSafeInteger(total) ? total : null;
}

function countOf(
  { definition }: CompiledWorkflow,
  node: number,
  supplies: readonly Supply[],
  fires: ReadonlyMap<number, number>,
): number {
  const tokens = supplies.map(({ factor, nodes, more }) =>
    nodes.reduce((sum, other) => sum + factor * (fires.get(other) ?? 0), factor * more),
  );
  const isAnd = definition.nodes[node]?.join === "all" && tokens.length > 1;
  return isAnd ? Math.min(...tokens) : tokens.reduce((sum, more) => sum + more, 0);
}

/** The supplies of a node: one for each arc into it, one for the source of its scope where it is the entry. */
function suppliesOf(compiled: CompiledWorkflow, node: number): readonly Supply[] {
  const { definition, graph } = compiled;
  const arcs = (graph.incoming[node] ?? []).map((index): Supply => {
    const arc = definition.arcs[index]!;
    const from = graph.nodeIndex.get(arc.from)!;
    const loop = loopOf(definition.nodes[from]!);
    if (loop === null || arcOutcome(arc) !== FAIL)
      return { factor: 1, nodes: leavers(compiled, from), more: 0 };
    const inside = blockMembers(graph, definition.nodes[from]!, loop);
    return { factor: loop.budget, ...entriesOf(compiled, inside, definition.nodes[from]!.scope) };
  });
  const source = sourceOf(compiled, node);
  return source === null ? arcs : [...arcs, { factor: 1, ...source }];
}

/** The nodes whose firings put tokens on the arcs out of `node`: itself, or the ends inside an embedded subprocess. */
function leavers({ definition, kinds }: CompiledWorkflow, node: number): readonly number[] {
  const own = definition.nodes[node]!;
  if (kinds[node]?.body(own) !== "scope") return [node];
  return definition.nodes.flatMap((end, at) => (end.scope === own.id && end.kind === "end" ? [at] : []));
}

/** What starts the scope of `node`, if `node` is the entry of its scope. */
function sourceOf({ definition, graph }: CompiledWorkflow, node: number): Omit<Supply, "factor"> | null {
  const { scope, id } = definition.nodes[node]!;
  if (scope === undefined) return definition.entry === id ? { nodes: [], more: 1 } : null;
  const owner = graph.nodeIndex.get(scope)!;
  return definition.nodes[owner]?.meta?.entry === id ? { nodes: [owner], more: 0 } : null;
}

/** The tokens that enter a block from outside it, in the scope of its decision. */
function entriesOf(
  compiled: CompiledWorkflow,
  inside: ReadonlySet<number>,
  scope: string | undefined,
): Omit<Supply, "factor"> {
  const { definition, graph } = compiled;
  const members = [...inside].filter((node) => definition.nodes[node]?.scope === scope);
  const sources = members.flatMap((node) => sourceOf(compiled, node) ?? []);
  const crossing = members.flatMap((node) =>
    (graph.incoming[node] ?? [])
      .map((index) => graph.nodeIndex.get(definition.arcs[index]!.from)!)
      .filter((from) => !inside.has(from))
      .flatMap((from) => leavers(compiled, from)),
  );
  return {
    nodes: [...crossing, ...sources.flatMap(({ nodes }) => nodes)],
    more: sources.reduce((sum, { more }) => sum + more, 0),
  };
}
