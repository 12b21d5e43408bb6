/** @module The model takes the answers that a run was given, and the run must be where the model can be. */
import { ERROR, EXPIRED, type Marking, markingOf, type Outcome } from "@tessera/core";
import { eventsOf, isEventLabel, thrownBy } from "@tessera/gateways";
import type { RunModel } from "@tessera/proofs";
import type { RunView } from "../run-view.ts";
import { violated } from "../simulate/violation.ts";
import type { Version } from "../versions.ts";
import type { World } from "./world.ts";

/** States that the model may search between two rests of a run. */
const STATES_MAX = 50_000;

/** The marking of the run, if the model can be there; else SimulationViolation. */
export function followModel(
  world: World,
  version: Version,
  model: RunModel,
  from: readonly Marking[],
  view: RunView,
): readonly Marking[] {
  const { net } = version.plan.program;
  const answers = world.given
    .filter(({ run }) => run === view.run)
    .map(({ node, outcomes, isCertain }) => ({
      node: version.plan.nodeIndex.get(node) ?? -1,
      outcomes,
      // Of a run that has ended meanwhile only what came before its end was taken.
      isCertain: isCertain && view.terminal === null,
    }));
  const found = model.after(
    from,
    { answers, isFree: (node, outcome) => isFree(world, version, node, outcome) },
    STATES_MAX,
  );
  if (found.kind === "unknown")
    throw new RangeError(
      `the model of "${view.workflow}" has more than ${found.at} states between two rests`,
    );
  const now = markingOf(net, view.marking);
  // A run that was stopped, or that waits for an operator, may stand before what would go on by itself.
  const isStopped = view.terminal !== null || view.items.some(({ kind }) => kind === "intervention");
  const possible = isStopped ? found.passed : found.rests;
  if (!possible.some((marking) => marking.join() === now.join())) {
    const after = answers
      .map(({ node, outcomes }) => `${version.plan.nodes[node]?.id}: ${outcomes[0]}`)
      .join(", ");
    const where = possible.map((marking) => told(net.places, marking)).join(" or ");
    violated(
      `${view.run} is at ${told(net.places, now)}, the model after (${after}) at ${where || "nothing possible"}`,
    );
  }
  return [now];
}

function told(places: readonly { readonly id: string }[], marking: Marking): string {
  const marked = places.flatMap(({ id }, place) => {
    const count = marking[place] ?? 0;
    return count === 0 ? [] : [count === 1 ? id : `${id}=${count}`];
  });
  return `[${marked.join(" ")}]`;
}

/**
 * May the outcome come without an answer of the test's? The clock's, errors, called runs' and other runs' may; people's
 * and workers' own may not, nor an event that nobody has sent.
 */
function isFree({ ready, published }: World, { plan }: Version, index: number, outcome: Outcome): boolean {
  const node = plan.nodes[index];
  const body = plan.bodies[index];
  if (node === undefined) return false;
  if (isEventLabel(node, outcome)) {
    const event = eventsOf(node).find(({ id }) => id === outcome);
    const isSent = event?.on === "message" || event?.on === "signal";
    return !isSent || published.has(event.name) || isThrown(ready.versions, event.name);
  }
  if (outcome === EXPIRED) return true;
  if (outcome === ERROR) return (body !== "work-item" && body !== "external") || eventsOf(node).length > 0;
  return body !== "work-item" && body !== "external" && body !== "job";
}

function isThrown(versions: ReadonlyMap<string, Version>, name: string): boolean {
  return [...versions.values()].some(({ plan }) => plan.nodes.some((node) => thrownBy(node)?.name === name));
}
