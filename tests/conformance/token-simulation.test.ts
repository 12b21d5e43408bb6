/** @module Models of a token simulator give the same enter and exit order, told apart only by the order of independent steps. */
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isComplete, SIMULATION, simulate } from "./token-simulation.ts";

const isThere = existsSync(SIMULATION);
if (!isThere)
  console.warn("skipped: the folder shared/data/bpmn/token-simulation is not beside the checkout");

/** Models that are not compared, each with the reason. */
const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ["Simulator.boundary-non-interrupting-sub-process", "a conditional event (BPMN042)"],
  ["Simulator.terminate-nested-scopes", "a conditional event (BPMN042)"],
  ["Simulator.compensation-error", "compensation (BPMN035)"],
  ["Simulator.inclusive-gateway-link-missing", "a link that nothing throws is refused (BPMN019)"],
  [
    "Simulator.inclusive-gateway-multiple-activation",
    "a message that may come again leads into the flow beside it (BPMN030)",
  ],
  ["Simulator.sub-process-multiple-starts", "a subprocess with several start events (BPMN010)"],
  ["Simulator.event-based-gateway-same-events", "messages, which the harness cannot send yet"],
  ["Simulator.inclusive-gateway-incoming-flow-taken", "messages, which the harness cannot send yet"],
  ["Simulator.signal-madness", "signals, which are not brought to other tokens yet"],
  ["Simulator.inclusive-gateway-multiple-starts", "two instances in one trace"],
  [
    "Simulator.inclusive-gateway-single-incoming",
    "an exclusive gateway without conditions: a run takes its first flow, the simulator is told another",
  ],
  [
    "Simulator.event-sub-process-nested-interrupting-non-interrupting-boundary",
    "an end that throws what interrupts it is left here, and is not left there",
  ],
]);

/** How often each element is left. */
function counts(exits: readonly string[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const element of [...exits].sort()) found[element] = (found[element] ?? 0) + 1;
  return found;
}

describe.skipIf(!isThere)("a token simulator", () => {
  const models = isThere
    ? readdirSync(SIMULATION)
        .filter((name) => name.endsWith(".json"))
        .map((name) => name.replace(/\.json$/u, ""))
        .filter((model) => isComplete(model) && !OUTSIDE.has(model))
    : [];

  it("[D14.1] has traces of models that are in scope, and every other is named with its reason", () => {
    expect(models.length).toBeGreaterThanOrEqual(8);
  });

  it.each(models)("[D14.1] %s", async (model) => {
    const result = await simulate(model);
    if (result.kind === "refused") throw new Error(result.codes.join(" "));
    const { ours, theirs, flows } = result;
    expect(counts(ours)).toEqual(counts(theirs));
    // Along a flow the order is the same; parallel branches may be told in another one.
    for (const ends of flows) {
      const along = (exits: readonly string[]) => exits.filter((element) => ends.includes(element));
      expect([ends, along(ours)]).toEqual([ends, along(theirs)]);
    }
  });
});
