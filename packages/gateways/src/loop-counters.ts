/** @module The budget of a governed loop in the net: two counter places, no zero test. */
import {
  addWeights,
  type DraftTransition,
  type RewriteBuilder,
  unreachable,
  type WorkflowGraph,
  type WorkflowNode,
} from "@tessera/core";
import { nodeAt } from "./arcs.ts";
import { EXHAUSTED, FAIL, loopOf, PASS } from "./loop.ts";
import { blockMembers, entersLoop, leavingArcs } from "./loop-block.ts";
import { isTerminateEnd } from "./structured.ts";

/**
 * The counters of the loop that `node` governs. Places `left` and `spent`: a transition that takes a token over the
 * block's border puts b tokens on `left`; fail moves one from left to spent; exhausted takes b from spent; pass and
 * every other exit come in variants c = 0..b that take b - c from left and c from spent. A transition that enters and
 * leaves at once touches no counter; nor does one that leaves for a terminate end, which empties the counters itself:
 * tokens of parallel branches may still be inside.
 * Invariant: left + spent = b while a token is inside or on its way to a terminate end, 0 otherwise.
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
  const counters: Counters = { left, spent, budget };
  const inside = blockMembers(b.graph, node, loop);
  return (t) => {
    const role = roleOf(b.graph, inside, b.index, t);
    return entersLoop(b.graph, node, inside, t.origin)
      ? entering(t, role, counters)
      : staying(t, role, counters);
  };
}

interface Counters {
  readonly left: number;
  readonly spent: number;
  readonly budget: number;
}

/** What a transition does to the loop: its own fail or exhausted branch, an exit that drains, or none of these. */
type Role = "fail" | "exhausted" | "exit" | "none";

function roleOf(
  graph: WorkflowGraph,
  inside: ReadonlySet<number>,
  decision: number,
  t: DraftTransition,
): Role {
  const { node, phase, outcome } = t.origin;
  const isDecision = node === decision && phase === "step";
  if (isDecision && outcome === FAIL) return "fail";
  if (isDecision && outcome === EXHAUSTED) return "exhausted";
  const drains = leavingArcs(graph, inside, t.origin).some(
    (arc) => !isTerminateEnd(graph, nodeAt(graph, arc, "to")),
  );
  return drains || (isDecision && outcome === PASS) ? "exit" : "none";
}

/** A transition that finds its token inside: left + spent = b. */
function staying(
  t: DraftTransition,
  role: Role,
  { left, spent, budget }: Counters,
): readonly DraftTransition[] {
  switch (role) {
    case "none":
      return [t];
    case "fail":
      return [{ ...t, pre: addWeights(t.pre, [[left, 1]]), post: addWeights(t.post, [[spent, 1]]) }];
    case "exhausted":
      return [counted({ ...t, pre: addWeights(t.pre, [[spent, budget]]) }, budget)];
    case "exit":
      return Array.from({ length: budget + 1 }, (_, count) => {
        const pre = addWeights(t.pre, [
          [left, budget - count],
          [spent, count],
        ]);
        return { ...counted({ ...t, pre }, count), id: `${t.id}#${count}`, generated: true };
      });
    default:
      return unreachable(role);
  }
}

/** A transition that brings its token in: the counters are still empty. One that leaves at once lets them be. */
function entering(t: DraftTransition, role: Role, { left, budget }: Counters): readonly DraftTransition[] {
  return role === "none" ? [{ ...t, post: addWeights(t.post, [[left, budget]]) }] : [counted(t, 0)];
}

function counted(t: DraftTransition, count: number): DraftTransition {
  return { ...t, origin: { ...t.origin, counts: [...(t.origin.counts ?? []), count] } };
}
