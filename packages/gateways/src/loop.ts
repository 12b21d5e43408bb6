/** @module The governed loop of 20.15: a budget of fail branches, kept in two counter places without a zero test. */
import {
  type Arc,
  addWeights,
  arcOutcome,
  type DraftTransition,
  type Issue,
  issue,
  type Json,
  nodeOf,
  type Outcome,
  type RewriteBuilder,
  scopesOf,
  type WeightedPlace,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";

/** The labels of a loop's decision. */
export const PASS: Outcome = "pass";
export const FAIL: Outcome = "fail";
export const EXHAUSTED: Outcome = "exhausted";

/** The greatest budget that the full encoding takes; it has budget + 1 variants of every exit. */
export const LOOP_BUDGET_MAX = 100;

/** L = (id, b, passKey, proves) and the nodes of its block besides the decision. */
export interface GovernedLoop {
  readonly id: string;
  readonly budget: number;
  readonly passKey: string;
  readonly proves: string;
  readonly body: readonly string[];
}

/** The loop that `node` governs, if its meta has a well-typed one. */
export function loopOf(node: WorkflowNode): GovernedLoop | null {
  const loop = node.meta?.loop;
  if (loop === undefined || loop === null || typeof loop !== "object" || Array.isArray(loop)) return null;
  const { id, budget, passKey, proves, body } = loop as { readonly [key: string]: Json };
  const isTyped =
    typeof id === "string" &&
    typeof budget === "number" &&
    typeof passKey === "string" &&
    typeof proves === "string";
  if (!isTyped || !Array.isArray(body) || !body.every((member) => typeof member === "string")) return null;
  return { id, budget, passKey, proves, body: body as readonly string[] };
}

/**
 * The branch of a loop's decision for the verdict D[passKey] after `failed` fail branches: pass iff true, fail iff
 * false and failed < budget, exhausted iff false and failed >= budget. So `budget` fail branches and budget + 1
 * evaluations at most. A verdict that is missing or not boolean is never a pass: `error`.
 *
 * @definition D20.15
 */
export function loopBranch(
  verdict: Json | undefined,
  failed: number,
  budget: number,
): "pass" | "fail" | "exhausted" | "error" {
  if (verdict === true) return "pass";
  if (verdict !== false) return "error";
  return failed < budget ? "fail" : "exhausted";
}

/**
 * Is `arc` compiled away? The fail arc of a loop with budget 0 is: `left` never holds a token to fail with.
 */
export function omitsFailArc(node: WorkflowNode, arc: Arc): boolean {
  return loopOf(node)?.budget === 0 && arcOutcome(arc) === FAIL;
}

/**
 * The counters of the loop that `node` governs. Places `left` and `spent`: a transition that takes a token over the
 * block's border puts b tokens on `left`; fail moves one from left to spent; exhausted takes b from spent; pass and
 * every other exit come in variants c = 0..b that take b - c from left and c from spent.
 * Invariant: left + spent = b while a token is inside, 0 otherwise.
 *
 * @definition D7.1
 */
export function loopCounters(
  node: WorkflowNode,
  b: RewriteBuilder,
): (t: DraftTransition) => readonly DraftTransition[] {
  const loop = loopOf(node);
  if (loop === null) return (t) => [t];
  const { budget } = loop;
  const left = b.place(`${node.id}.left`, { kind: "left", node: b.index }, "counter");
  const spent = b.place(`${node.id}.spent`, { kind: "spent", node: b.index }, "counter");
  const inside = blockMembers(b.graph, node, loop);
  return (t) => {
    const entered = entersBlock(b.graph, inside, t)
      ? { ...t, post: addWeights(t.post, [[left, budget]]) }
      : t;
    const isDecision = t.origin.node === b.index && t.origin.phase === "step";
    if (isDecision && t.origin.outcome === FAIL) return [withCounters(entered, [[left, 1]], [[spent, 1]])];
    if (!leavesBlock(b.graph, inside, t)) return [entered];
    if (isDecision && t.origin.outcome === EXHAUSTED) return [withCounters(entered, [[spent, budget]], [])];
    return Array.from({ length: budget + 1 }, (_, count) => {
      const variant = withCounters(
        entered,
        [
          [left, budget - count],
          [spent, count],
        ],
        [],
      );
      const counts = [...(t.origin.counts ?? []), count];
      return { ...variant, id: `${t.id}#${count}`, generated: true, origin: { ...t.origin, counts } };
    });
  };
}

function withCounters(
  t: DraftTransition,
  pre: readonly WeightedPlace[],
  post: readonly WeightedPlace[],
): DraftTransition {
  return { ...t, pre: addWeights(t.pre, pre), post: addWeights(t.post, post) };
}

/** Node indices of the block: the decision, its body and everything inside embedded subprocesses of the body. */
export function blockMembers(
  graph: WorkflowGraph,
  decision: WorkflowNode,
  loop: GovernedLoop,
): ReadonlySet<number> {
  const body = new Set([decision.id, ...loop.body]);
  return new Set(
    graph.definition.nodes.flatMap((node, index) => {
      return body.has(node.id) || scopesOf(graph, node).some((scope) => body.has(scope)) ? [index] : [];
    }),
  );
}

function crosses(
  graph: WorkflowGraph,
  inside: ReadonlySet<number>,
  arc: Arc | undefined,
): "in" | "out" | "none" {
  const from = inside.has(graph.nodeIndex.get(arc?.from ?? "") ?? -1);
  const to = inside.has(graph.nodeIndex.get(arc?.to ?? "") ?? -1);
  if (from === to) return "none";
  return to ? "in" : "out";
}

function entersBlock(graph: WorkflowGraph, inside: ReadonlySet<number>, t: DraftTransition): boolean {
  const { node, consumed, phase } = t.origin;
  // A settle transition moves the token to the join's own settled place: the join's step is what enters.
  if (phase === "settle") return false;
  if (consumed.some((arc) => crosses(graph, inside, graph.definition.arcs[arc]) === "in")) return true;
  const isEntry = graph.definition.entry === graph.definition.nodes[node]?.id;
  const takesSource = consumed.length === 0 && (phase === "step" || phase === "start" || phase === "enter");
  return isEntry && takesSource && inside.has(node);
}

function leavesBlock(graph: WorkflowGraph, inside: ReadonlySet<number>, t: DraftTransition): boolean {
  if (t.origin.phase === "skip") return false;
  return t.origin.chosen.some((arc) => crosses(graph, inside, graph.definition.arcs[arc]) === "out");
}

/**
 * What is wrong with the loop of `node`: its fields, its block (single entry by a merging head, pass and exhausted
 * leave it, fail stays inside, no end inside, nested or disjoint with every other loop). All problems at once.
 *
 * @definition D7.2
 */
export function loopIssues(node: WorkflowNode, graph: WorkflowGraph): readonly Issue[] {
  if (node.meta?.loop === undefined) return [];
  const at = (...path: (string | number)[]) => ["meta", "loop", ...path];
  const loop = loopOf(node);
  if (loop === null) {
    return [
      issue(
        "LOOP001",
        at(),
        `loop of "${node.id}" needs id, budget, passKey, proves and body (a list of node ids)`,
      ),
    ];
  }
  const found: Issue[] = [];
  if (!Number.isInteger(loop.budget) || loop.budget < 0 || loop.budget > LOOP_BUDGET_MAX) {
    found.push(
      issue("LOOP002", at("budget"), `budget ${loop.budget} is not an integer from 0 to ${LOOP_BUDGET_MAX}`),
    );
  }
  loop.body.forEach((id, index) => {
    const member = nodeOf(graph, id);
    if (member === undefined) found.push(issue("LOOP003", at("body", index), `"${id}" is not a node`));
    else if (member.scope !== node.scope)
      found.push(issue("LOOP003", at("body", index), `"${id}" lies in another scope than "${node.id}"`));
    else if (member.kind === "end")
      found.push(issue("LOOP004", at("body", index), `end "${id}" lies inside the loop`));
  });
  return found.length > 0 ? found : [...borderIssues(node, loop, graph), ...nestingIssues(node, loop, graph)];
}

function borderIssues(node: WorkflowNode, loop: GovernedLoop, graph: WorkflowGraph): readonly Issue[] {
  const found: Issue[] = [];
  const inside = blockMembers(graph, node, loop);
  const heads = new Set<string>();
  for (const arc of graph.definition.arcs) {
    const crossing = crosses(graph, inside, arc);
    if (crossing === "in") heads.add(arc.to);
    const outcome = arcOutcome(arc);
    if (arc.from !== node.id) continue;
    if (outcome === FAIL && crossing === "out") {
      found.push(
        issue("LOOP005", ["meta", "loop"], `the fail arc of "${node.id}" to "${arc.to}" leaves the block`),
      );
    }
    if ((outcome === PASS || outcome === EXHAUSTED) && crossing === "none") {
      found.push(
        issue(
          "LOOP005",
          ["meta", "loop"],
          `the ${outcome} arc of "${node.id}" to "${arc.to}" stays inside the block`,
        ),
      );
    }
  }
  const entry = nodeOf(graph, graph.definition.entry);
  if (entry !== undefined && inside.has(graph.nodeIndex.get(entry.id) ?? -1)) heads.add(entry.id);
  if (heads.size !== 1) {
    found.push(
      issue("LOOP006", ["meta", "loop", "body"], `the block has ${heads.size} entry nodes; it needs one`, {
        heads: [...heads],
      }),
    );
  }
  for (const head of heads) {
    if ((nodeOf(graph, head)?.join ?? "any") !== "any") {
      found.push(
        issue("LOOP006", ["meta", "loop", "body"], `the block's entry "${head}" must merge (join "any")`),
      );
    }
  }
  return found;
}

function nestingIssues(node: WorkflowNode, loop: GovernedLoop, graph: WorkflowGraph): readonly Issue[] {
  const own = new Set([node.id, ...loop.body]);
  return graph.definition.nodes.flatMap((other) => {
    const otherLoop = other.id === node.id || other.scope !== node.scope ? null : loopOf(other);
    if (otherLoop === null) return [];
    const theirs = [other.id, ...otherLoop.body];
    const shared = theirs.filter((id) => own.has(id)).length;
    const isNested = shared === 0 || shared === theirs.length || shared === own.size;
    return isNested
      ? []
      : [
          issue(
            "LOOP007",
            ["meta", "loop", "body"],
            `loops "${loop.id}" and "${otherLoop.id}" overlap without nesting`,
          ),
        ];
  });
}
