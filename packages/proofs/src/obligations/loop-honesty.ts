/** @module O8, loop honesty (static part): a governed loop is left by the fresh verdict of a verifier, or not passed. */
import { arcOutcome, type CompiledWorkflow, type WorkflowNode } from "@tessera/core";
import { blockMembers, EXHAUSTED, endLabel, FAIL, type GovernedLoop, loopOf } from "@tessera/gateways";
import { fails, holds, type Verdict } from "../verdict.ts";

/**
 * How a loop may be dishonest. no-verifier: no verifier of its block writes the pass key. foreign-writer: another node
 * declares that it writes it. stale-path: a way through the block, over node indices, from a body (or the entry of the
 * block, or a fail arc) to the decision that passes no verifier of the key. no-human: a way from the decision, first
 * under exhausted, to an end of the workflow that passes no node at which a person decides.
 */
export type Dishonesty =
  | { readonly kind: "no-verifier"; readonly decision: number }
  | { readonly kind: "foreign-writer"; readonly decision: number; readonly node: number }
  | { readonly kind: "stale-path" | "no-human"; readonly decision: number; readonly path: readonly number[] };

/** Evidence against O8. */
export interface HonestyEvidence {
  readonly kind: "dishonest";
  readonly found: readonly Dishonesty[];
}

/**
 * O8, what can be seen in the definition: for each governed loop, its pass key is declared as written by no node but
 * verifiers, a verifier of the block writes it, and on every way through the block to the decision, from its entry,
 * from a fail arc and from each body inside, a verifier of the key comes last; and a loop that is exhausted meets a
 * person before the workflow ends. The engine adds the rest: it clears the key at entry and fail, and refuses a patch
 * of it by anybody else.
 *
 * @definition D8.13
 */
export function loopHonesty(compiled: CompiledWorkflow): Verdict<HonestyEvidence> {
  const found = compiled.definition.nodes.flatMap((node, index) => {
    const loop = loopOf(node);
    return loop === null ? [] : dishonesties(compiled, index, loop);
  });
  if (found.length > 0) return fails({ kind: "dishonest", found });
  return holds({
    class: "recomputable",
    method: "every way to the decision ends with a verifier",
    states: 0,
  });
}

/** Is `claim` true of the workflow? */
export function isDishonest(compiled: CompiledWorkflow, claim: Dishonesty): boolean {
  const { definition, graph } = compiled;
  const decision = definition.nodes[claim.decision];
  const loop = decision === undefined ? null : loopOf(decision);
  if (decision === undefined || loop === null) return false;
  const inside = blockMembers(graph, decision, loop);
  const isVerifier = (node: number) => givesVerdict(compiled, node, loop);
  switch (claim.kind) {
    case "no-verifier":
      return ![...inside].some((node) => writesVerdict(definition.nodes[node], loop));
    case "foreign-writer":
      return isForeignWriter(definition.nodes[claim.node], loop);
    case "no-human": {
      const { path } = claim;
      const isWay = path.every((node, at) =>
        at === 0 ? node === claim.decision : onward(compiled, path[at - 1]!, claim.decision).includes(node),
      );
      return isWay && isLast(compiled, path.at(-1) ?? -1);
    }
    case "stale-path": {
      const { path } = claim;
      const first = path[0] ?? -1;
      return (
        path.at(-1) === claim.decision &&
        path.every((node) => inside.has(node) && !isVerifier(node)) &&
        (isBody(compiled, first) || starts(compiled, claim.decision, inside).includes(first)) &&
        path.every((node, at) => at === 0 || steps(compiled, path[at - 1]!, claim.decision).includes(node))
      );
    }
  }
}

function dishonesties(
  compiled: CompiledWorkflow,
  decision: number,
  loop: GovernedLoop,
): readonly Dishonesty[] {
  const { definition, graph } = compiled;
  const inside = blockMembers(graph, definition.nodes[decision]!, loop);
  const found: Dishonesty[] = [];
  const isVerifier = (node: number) => givesVerdict(compiled, node, loop);
  if (![...inside].some((node) => writesVerdict(definition.nodes[node], loop))) {
    found.push({ kind: "no-verifier", decision });
  }
  definition.nodes.forEach((node, index) => {
    if (isForeignWriter(node, loop)) found.push({ kind: "foreign-writer", decision, node: index });
  });
  const bodies = [...inside].filter((node) => node !== decision && isBody(compiled, node));
  for (const from of new Set([...starts(compiled, decision, inside), ...bodies])) {
    if (isVerifier(from)) continue;
    const path = pathWithout(compiled, from, decision, (node) => inside.has(node) && !isVerifier(node));
    if (path === null) continue;
    found.push({ kind: "stale-path", decision, path });
    // One way is enough to show it.
    break;
  }
  const path = shortestPath(
    decision,
    (node) => onward(compiled, node, decision),
    (node) => isLast(compiled, node),
  );
  if (path !== null) found.push({ kind: "no-human", decision, path });
  return found;
}

function writesVerdict(node: WorkflowNode | undefined, { passKey }: GovernedLoop): boolean {
  return node?.kind === "verifier" && node.meta?.passKey === passKey;
}

function isForeignWriter(node: WorkflowNode | undefined, loop: GovernedLoop): boolean {
  return node?.writes?.includes(loop.passKey) === true && !writesVerdict(node, loop);
}

/**
 * Is there a fresh verdict whenever the node is left: is it a verifier of the key, or an embedded subprocess in which
 * every way to an end, from its entry and from each body inside, passes such a node last?
 */
function givesVerdict(compiled: CompiledWorkflow, node: number, loop: GovernedLoop): boolean {
  const { definition, graph, kinds } = compiled;
  const own = definition.nodes[node];
  if (own === undefined || writesVerdict(own, loop)) return own !== undefined;
  if (kinds[node]?.body(own) !== "scope") return false;
  const content = definition.nodes.flatMap((inner, index) => (inner.scope === own.id ? [index] : []));
  const verdicts = new Set(content.filter((inner) => givesVerdict(compiled, inner, loop)));
  const entry = graph.nodeIndex.get(String(own.meta?.entry ?? "")) ?? -1;
  return [entry, ...content.filter((inner) => isBody(compiled, inner))].every((from) => {
    if (verdicts.has(from)) return true;
    const isEnd = (to: number) => definition.nodes[to]?.kind === "end";
    return !content.some(
      (to) => isEnd(to) && pathWithout(compiled, from, to, (at) => !verdicts.has(at)) !== null,
    );
  });
}

/** May the node change D or G? Decisions, verifiers and timers do not; an embedded subprocess may, by what is inside. */
function isBody({ definition, kinds }: CompiledWorkflow, node: number): boolean {
  const own = definition.nodes[node];
  if (own === undefined || own.kind === "decision" || own.kind === "verifier") return false;
  const body = kinds[node]?.body(own) ?? "route";
  return body !== "route" && body !== "timer";
}

/** Where a round of the loop begins: nodes that an arc from outside, a fail arc or the scope's source enters. */
function starts(
  compiled: CompiledWorkflow,
  decision: number,
  inside: ReadonlySet<number>,
): readonly number[] {
  const { definition, graph } = compiled;
  const { scope } = definition.nodes[decision]!;
  const entry =
    scope === undefined ? definition.entry : definition.nodes[graph.nodeIndex.get(scope)!]?.meta?.entry;
  return [...inside].filter((node) => {
    if (definition.nodes[node]?.scope !== scope) return false;
    const isEntered = (graph.incoming[node] ?? []).some((index) => {
      const arc = definition.arcs[index]!;
      const from = graph.nodeIndex.get(arc.from)!;
      return !inside.has(from) || (from === decision && arcOutcome(arc) === FAIL);
    });
    return isEntered || definition.nodes[node]?.id === entry;
  });
}

/** The nodes that an arc leads to, in the scope of the decision; nothing is passed beyond the decision. */
function steps({ definition, graph }: CompiledWorkflow, node: number, decision: number): readonly number[] {
  if (node === decision) return [];
  return (graph.outgoing[node] ?? []).map((index) => graph.nodeIndex.get(definition.arcs[index]!.to)!);
}

/**
 * Where a token goes from a node, people excepted: along the arcs (from the decision those of exhausted), into an
 * embedded subprocess and, from an end inside, on along the arcs of the subprocess under the end's label.
 */
function onward(compiled: CompiledWorkflow, node: number, decision: number): readonly number[] {
  const { definition, graph, kinds } = compiled;
  const own = definition.nodes[node]!;
  const targets = (from: number, outcome: string | null) =>
    (graph.outgoing[from] ?? []).flatMap((index) => {
      const arc = definition.arcs[index]!;
      return outcome === null || arcOutcome(arc) === outcome ? [graph.nodeIndex.get(arc.to)!] : [];
    });
  const isScope = kinds[node]?.body(own) === "scope";
  const next = isScope
    ? [graph.nodeIndex.get(String(own.meta?.entry ?? "")) ?? -1]
    : own.kind === "end" && own.scope !== undefined
      ? targets(graph.nodeIndex.get(own.scope)!, endLabel(own))
      : targets(node, node === decision ? EXHAUSTED : null);
  return next.filter((to) => to >= 0 && kinds[to]?.body(definition.nodes[to]!) !== "work-item");
}

/** Is the node an end of the workflow itself? */
function isLast({ definition }: CompiledWorkflow, node: number): boolean {
  const own = definition.nodes[node];
  return own?.kind === "end" && own.scope === undefined;
}

/** A shortest path from `from` to `to` over nodes that `isAllowed`, both included. */
function pathWithout(
  compiled: CompiledWorkflow,
  from: number,
  to: number,
  isAllowed: (node: number) => boolean,
): readonly number[] | null {
  return shortestPath(
    from,
    (node) => steps(compiled, node, to).filter(isAllowed),
    (node) => node === to,
  );
}

function shortestPath(
  from: number,
  next: (node: number) => readonly number[],
  isGoal: (node: number) => boolean,
): readonly number[] | null {
  const parent = new Map<number, number>([[from, -1]]);
  for (const [node] of parent) {
    if (isGoal(node)) {
      const path: number[] = [];
      for (let at = node; at >= 0; at = parent.get(at) ?? -1) path.push(at);
      return path.reverse();
    }
    for (const to of next(node)) if (!parent.has(to)) parent.set(to, node);
  }
  return null;
}
