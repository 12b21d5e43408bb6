/** @module Random graphs with OR-joins anywhere: cycles, joins in one cycle, waiting nodes, embedded subprocesses. */
import type { Arc, Marking, Net, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import fc from "fast-check";

const KINDS = ["gateway", "gateway", "wait", "subprocess"] as const;

/** What a random graph is made of: for each node after the first its kind and where it hangs; then further arcs. */
const shape = fc
  .record({
    nodes: fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.nat(99), fc.constantFrom("first", "all", "or")), {
      minLength: 3,
      maxLength: 8,
    }),
    extra: fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { minLength: 3, maxLength: 12 }),
    merges: fc.array(fc.constantFrom("or", "or", "or", "any", "all"), { minLength: 9, maxLength: 9 }),
  })
  .map((made) => made as Shape);

interface Shape {
  readonly nodes: readonly (readonly [(typeof KINDS)[number], number, "first" | "all" | "or"])[];
  readonly extra: readonly (readonly [number, number])[];
  readonly merges: readonly ("or" | "any" | "all")[];
}

function definitionOf({ nodes, extra, merges }: Shape): WorkflowDefinition {
  const ids = ["n0", ...nodes.map((_, index) => `n${index + 1}`)];
  const pairs = new Set(nodes.map(([, parent], index) => `n${parent % (index + 1)} n${index + 1}`));
  for (const [from, to] of extra) pairs.add(`${ids[from % ids.length]} n${1 + (to % nodes.length)}`);
  pairs.add(`n${nodes.length} e`);
  const arcs = [...pairs].map((pair): Arc => {
    const [from = "", to = ""] = pair.split(" ");
    return { from, to };
  });
  const own = (id: string, index: number): Partial<WorkflowNode> => {
    const into = arcs.filter(({ to }) => to === id).length;
    const [, , split = "first"] = nodes[index - 1] ?? [];
    return { split, ...(into > 1 && index > 0 ? { join: merges[index] ?? "or" } : {}) };
  };
  const outer = ids.map((id, index): WorkflowNode => {
    const kind = nodes[index - 1]?.[0] ?? "gateway";
    return {
      id,
      kind,
      ...(kind === "subprocess" ? { meta: { entry: `${id}x` } } : {}),
      ...own(id, index),
    };
  });
  const inner = outer
    .filter(({ kind }) => kind === "subprocess")
    .flatMap(({ id }): WorkflowNode[] => [
      { id: `${id}x`, kind: "wait", scope: id },
      { id: `${id}e`, kind: "end", scope: id },
    ]);
  const within = inner
    .filter(({ kind }) => kind === "wait")
    .map(({ id, scope }): Arc => ({ from: id, to: `${scope}e` }));
  return {
    format: 1,
    kind: "workflow",
    id: "w",
    entry: "n0",
    nodes: [...outer, { id: "e", kind: "end" }, ...inner],
    arcs: [...arcs, ...within],
  };
}

/** Random workflow graphs of 4 to 9 nodes, an end, and the inside of each subprocess; well-formed, seldom sound. */
export const orGraph: fc.Arbitrary<WorkflowDefinition> = shape.map(definitionOf);

/** A marking of `net` from a list of numbers: about a third of the places is marked, a few of them twice. */
export function markingOf(net: Net, numbers: readonly number[]): Marking {
  return net.places.map((_, place) => {
    const number = numbers[place % numbers.length] ?? 0;
    return number < 6 ? 0 : number < 9 ? 1 : 2;
  });
}

/** Groups of nodes that lie on a common cycle: reachability by squaring, no cleverness. */
export function cycles({ nodes, arcs }: WorkflowDefinition): readonly (readonly string[])[] {
  const ids = nodes.map(({ id }) => id);
  const reaches = new Map(
    ids.map((id) => [id, new Set(arcs.filter(({ from }) => from === id).map(({ to }) => to))]),
  );
  for (let round = 0; round < ids.length; round += 1) {
    for (const set of reaches.values())
      for (const to of set) for (const on of reaches.get(to) ?? []) set.add(on);
  }
  const groups = ids
    .filter((id) => reaches.get(id)?.has(id) === true)
    .map((id) => ids.filter((other) => reaches.get(id)?.has(other) && reaches.get(other)?.has(id)));
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}
