/** @module What stands beside a rest place: events that leave the wait open, as places and transitions. */
import type {
  FragmentBuilder,
  NodeId,
  Outcome,
  PlaceIndex,
  WeightedPlace,
  WorkflowGraph,
} from "@tessera/core";
import { nodeOf, scopesOf } from "@tessera/core";
import { eventsOf, type NodeEvent, oneShotsOf } from "./events.ts";
import { branches } from "./split.ts";

/** What a node has beside its rest place. `ways`: one for each state of its one-shot events. */
export interface Beside {
  /** Marked when the token comes to rest. */
  readonly armed: readonly WeightedPlace[];
  /** What a step that ends the wait takes besides the rest place, with a suffix for its id. */
  readonly ways: readonly { readonly pre: readonly WeightedPlace[]; readonly suffix: string }[];
  /** Labels that leave the wait open. */
  readonly labels: ReadonlySet<Outcome>;
}

/**
 * The one-shot events of the builder's node: each has a place that says it may still come and one that says it has;
 * trigger(n, e) moves the token and marks the arcs of e. Whatever ends the wait takes the one or the other: 2^k variants
 * for k events, each of weight 1, so that no reset is needed and the net stays 1-safe.
 *
 * @definition D17.2
 */
export function beside(b: FragmentBuilder): Beside {
  const events = oneShotsOf(b.node).map((event) => ({ event, ...besidePlaces(b, event) }));
  for (const { event, armed, fired } of events) {
    for (const { post, chosen } of branches(b, event.id)) {
      const out = chosen.length > 0 ? `>${chosen.join("+")}` : "";
      b.transition({
        id: `${b.node.id}.trigger:${event.id}${out}`,
        pre: [[armed, 1]],
        post: [[fired, 1], ...post],
        origin: { node: b.index, phase: "trigger", consumed: [], outcome: event.id, chosen },
      });
    }
  }
  const labels = new Set(
    eventsOf(b.node)
      .filter((event) => !event.isInterrupting)
      .map(({ id }) => id),
  );
  let ways: Beside["ways"] = [{ pre: [], suffix: "" }];
  for (const { event, armed, fired } of events) {
    ways = ways.flatMap(({ pre, suffix }) => [
      { pre: [...pre, [armed, 1] as const], suffix },
      { pre: [...pre, [fired, 1] as const], suffix: `${suffix}!${event.id}` },
    ]);
  }
  return { armed: events.map(({ armed }) => [armed, 1] as const), ways, labels };
}

function besidePlaces(
  b: FragmentBuilder,
  { id }: NodeEvent,
): { readonly armed: PlaceIndex; readonly fired: PlaceIndex } {
  const place = (kind: "armed" | "fired") =>
    b.place(`${b.node.id}.${kind}:${id}`, { kind, node: b.index, event: id });
  return { armed: place("armed"), fired: place("fired") };
}

/**
 * The escalations that an embedded subprocess takes while it goes on: what a throw inside has marked (`raisedPlace`),
 * raise(n, e) turns into the arcs of e.
 *
 * @definition D17.3
 */
export function raises(b: FragmentBuilder): void {
  for (const { id, on } of eventsOf(b.node)) {
    if (on !== "escalation") continue;
    const raised = raisedPlace(b, b.index, id);
    for (const { post, chosen } of branches(b, id)) {
      const out = chosen.length > 0 ? `>${chosen.join("+")}` : "";
      b.transition({
        id: `${b.node.id}.raise:${id}${out}`,
        pre: [[raised, 1]],
        post,
        origin: { node: b.index, phase: "raise", consumed: [], outcome: id, chosen },
      });
    }
  }
}

/** The innermost subprocess around `node` that takes the escalation `name`, with the event that does. */
export function escalationTaker(
  graph: WorkflowGraph,
  node: NodeId,
  name: string,
): { readonly scope: number; readonly event: NodeEvent } | null {
  for (const scope of scopesOf(graph, nodeOf(graph, node)!)) {
    const owner = nodeOf(graph, scope);
    const event =
      owner === undefined ? undefined : eventsOf(owner).find((e) => e.on === "escalation" && e.name === name);
    if (event !== undefined) return { scope: graph.nodeIndex.get(scope)!, event };
  }
  return null;
}

/** Where a throw marks that the subprocess at `scope` has an escalation to take. It lies outside that subprocess. */
export function raisedPlace(b: FragmentBuilder, scope: number, event: Outcome): PlaceIndex {
  const owner = b.graph.definition.nodes[scope]!;
  const origin = { kind: "raised", node: scope, event } as const;
  return b.place(`${owner.id}.raised:${event}`, origin, "control", owner.scope ?? null);
}
