/** @module The complex gateway: it starts when some of its inputs are marked, and takes a token of every other before it starts again. */
import {
  DONE,
  entryOf,
  type FragmentBuilder,
  type Input,
  type Issue,
  issue,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";
import { restRule, startRule } from "./complex-rules.ts";
import { branches } from "./split.ts";

/** Ways to start that a complex gateway may have: the choices of its first inputs. */
const STARTS_MAX = 256;

/** How many marked inputs start the gateway `node`; undefined if it is no complex one. */
export function activationOf({ meta }: WorkflowNode): number | undefined {
  const count = meta !== undefined && Object.hasOwn(meta, "activation") ? meta.activation : undefined;
  return typeof count === "number" ? count : undefined;
}

/** The number of ways to choose `count` out of `size`. */
function choiceCount(size: number, count: number): number {
  let ways = 1;
  for (let k = 1; k <= count; k += 1) ways = (ways * (size - count + k)) / k;
  return Math.round(ways);
}

/**
 * A complex gateway that starts with `activation` of its inputs. For each choice of so many inputs and each branch: a
 * transition *start* that takes a token of each of them, marks the branch, and marks the late place of every other
 * input. For each input: *absorb* takes its token together with the mark of its late place; *give up* takes the mark
 * alone, where no token can come any more (D15.11). While a late place is marked the gateway does not start.
 *
 * @definition D15.10
 */
export function complexFragment(b: FragmentBuilder, activation: number): void {
  const late = (input: Input) =>
    b.place(`${b.node.id}.late${input.arc}`, { kind: "skip", node: b.index, arc: arcOf(input) });
  const hasLate = activation < b.inputs.length;
  const ways = branches(b, DONE);
  for (const first of choices(b.inputs, activation)) {
    const rest = b.inputs.filter((input) => !first.includes(input));
    const consumed = first.map(arcOf);
    for (const { post, chosen } of ways) {
      b.transition({
        id: `${b.node.id}.step<${consumed.join("+")}:${DONE}${chosen.length > 0 ? `>${chosen.join("+")}` : ""}`,
        pre: first.map(({ place }) => [place, 1] as const),
        post: [...post, ...rest.map((input) => [late(input), 1] as const)],
        ...(hasLate ? { rule: startRule(b.node.id), generated: true } : {}),
        origin: { node: b.index, phase: "step", consumed, outcome: DONE, chosen },
      });
    }
  }
  for (const input of hasLate ? b.inputs : []) {
    const consumed = [arcOf(input)];
    const common = {
      post: [],
      generated: true,
      origin: { node: b.index, phase: "settle", consumed, chosen: [] },
    } as const;
    const mark = [late(input), 1] as const;
    b.transition({ id: `${b.node.id}.absorb${input.arc}`, pre: [mark, [input.place, 1]], ...common });
    b.transition({
      id: `${b.node.id}.giveUp${input.arc}`,
      pre: [mark],
      rule: restRule(b.index, arcOf(input)),
      ...common,
      origin: { ...common.origin, consumed: [] },
    });
  }
}

/** The arc of an input: a complex gateway is no entry, which alone has one without (GATE003). */
function arcOf({ arc }: Input): number {
  return arc!;
}

/** All choices of `count` members, in document order. */
function choices<T>(members: readonly T[], count: number): readonly (readonly T[])[] {
  if (count === 0) return [[]];
  return members.flatMap((first, index) =>
    choices(members.slice(index + 1), count - 1).map((rest) => [first, ...rest]),
  );
}

/** What is wrong with the activation of a gateway, if it has one. */
export function activationIssues(node: WorkflowNode, graph: WorkflowGraph): readonly Issue[] {
  const activation = activationOf(node);
  if (activation === undefined) return [];
  const problem = problemOf(node, graph, activation);
  if (problem === null) return [];
  return [issue("GATE003", ["meta", "activation"], `activation ${activation} of "${node.id}": ${problem}`)];
}

function problemOf(node: WorkflowNode, graph: WorkflowGraph, activation: number): string | null {
  const arcs = (graph.incoming[graph.nodeIndex.get(node.id) ?? -1] ?? []).length;
  if ((node.join ?? "any") !== "any") return "it joins by its activation and has no other join";
  if (node.meta?.stage !== undefined || node.meta?.merge !== undefined)
    return "it can neither stage nor merge";
  if (entryOf(graph, node.scope) === node.id) return "it is an entry, which merges";
  if (activation < 1 || activation > arcs) return `it starts with 1 to ${arcs} of its arcs`;
  const ways = choiceCount(arcs, activation);
  return ways > STARTS_MAX ? `${activation} of ${arcs} arcs are more than ${STARTS_MAX} choices` : null;
}
