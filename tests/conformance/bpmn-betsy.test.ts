/** @module The betsy suite: input to task trace, through import, definition and engine. */
import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { agrees, BETSY, type BetsyCase, type BetsyResult, betsyCases, runBetsy } from "./betsy.ts";

const isThere = existsSync(BETSY);
if (!isThere) console.warn("skipped: the folder shared/data/bpmn/betsy is not beside the checkout");

/** Cases that must give their trace; raised when more elements are supported, never lowered. */
const PASSING_MIN = 105;

/** Cases that give another trace, each with the reason. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  [
    "Timer_IntermediateTimeCycleEvent",
    "a repetition on the way goes on once, after its last occurrence (D14.8)",
  ],
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
    expect(differing.length).toBe(DIFFERENCES.size);
    expect(ran.length - differing.length).toBeGreaterThanOrEqual(PASSING_MIN);
  });

  it("[D14.11] every case outside is refused for an element that is not supported yet", () => {
    for (const { given, result } of results) {
      if (result.kind !== "outside") continue;
      expect([given.model, result.codes.every((code) => /^BPMN0(?:0[4]|[34]\d)$/u.test(code))]).toEqual([
        given.model,
        true,
      ]);
    }
  });
});
