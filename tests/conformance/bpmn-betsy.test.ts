/** @module The betsy suite: input to task trace, through import, definition and engine. */
import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { agrees, BETSY, type BetsyCase, type BetsyResult, betsyCases, runBetsy } from "./betsy.ts";

const isThere = existsSync(BETSY);
if (!isThere) console.warn("skipped: the folder shared/data/bpmn/betsy is not beside the checkout");

/** Cases that must give their trace; raised when more elements are supported, never lowered. */
const PASSING_MIN = 131;

const WITH_THE_TURN =
  "a signal is committed with the turn that throws it (D17.8), in which the token goes on; it comes after that";

/** Cases that give another trace, each with the reason. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  [
    "Timer_IntermediateTimeCycleEvent",
    "a repetition on the way goes on once, after its last occurrence (D14.8)",
  ],
  ["Signal_EndEvent_SubProcess", WITH_THE_TURN],
  ["Signal_StartEvent_EventSubProcess_Interrupting", WITH_THE_TURN],
]);

/** Models that are refused, each with the code of what it needs. */
const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ["AdHocSubProcess_Parallel", "BPMN039"],
  ["Compensation_EndEvent_TopLevel", "BPMN035"],
  ["Compensation_IntermediateEvent", "BPMN035"],
  ["Compensation_TriggeredByCancel", "BPMN035"],
  ["Conditional_BoundaryEvent_SubProcess_Interrupting", "BPMN042"],
  ["Conditional_BoundaryEvent_SubProcess_NonInterrupting", "BPMN042"],
  ["Conditional_IntermediateEvent", "BPMN042"],
  // An escalation out of a called process.
  ["Escalation_EndEvent_TopLevel", "BPMN034"],
  ["MultiInstance_ComplexBehavior", "BPMN037"],
  ["MultiInstance_NoneBehavior", "BPMN037"],
  ["MultiInstance_OneBehavior", "BPMN037"],
  ["Token_Cardinality_Explicit", "BPMN044"],
  ["Token_StartQuantity_Two", "BPMN044"],
  ["Token_Cardinality_Split_Explicit", "BPMN044"],
  ["WCP09_Structured_Discriminator_MultiInstance", "BPMN037"],
  ["WCP17_InterleavedParallelRouting", "BPMN039"],
  // The table expects a fault: a negative number of rounds, and an activity that no token starts.
  ["LoopTask_NegativeLoopMaximum", "BPMN038"],
  ["Token_StartQuantity_Zero", "BPMN044"],
]);

describe.skipIf(!isThere)("the betsy suite", () => {
  const results: { readonly given: BetsyCase; readonly result: BetsyResult }[] = [];
  beforeAll(async () => {
    for (const given of betsyCases()) results.push({ given, result: await runBetsy(given) });
  }, 120_000);

  it("[D14.1] every case whose elements are supported gives the expected trace", () => {
    const ran = results.flatMap(({ given, result }) => (result.kind === "ran" ? [{ given, result }] : []));
    const wrong = ran.filter(({ given, result }) => !DIFFERENCES.has(given.model) && !agrees(given, result));
    const differing = ran.filter(
      ({ given, result }) => DIFFERENCES.has(given.model) && !agrees(given, result),
    );
    console.log(
      `betsy: ${ran.length - wrong.length - differing.length} of ${results.length} cases pass; ${results.length - ran.length} are outside`,
    );
    expect(
      wrong.map(
        ({ given, result }) =>
          `${given.model} ${given.input}: ${given.expected} / ${result.trace.join(" > ")} (${result.status})`,
      ),
    ).toEqual([]);
    expect(differing.map(({ given }) => given.model).sort()).toEqual([...DIFFERENCES.keys()].sort());
    expect(ran.length - differing.length).toBeGreaterThanOrEqual(PASSING_MIN);
  });

  it("[D14.11] every case outside is refused for an element that is not supported", () => {
    const outside = results.flatMap(({ given, result }) =>
      result.kind === "outside" ? [[given.model, result.codes.join(" ")] as const] : [],
    );
    expect(new Map(outside)).toEqual(OUTSIDE);
  });
});
