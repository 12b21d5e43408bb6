/** @module How a token goes on: along exactly one arc, that of the outcome, the first whose condition holds. */
import type { Arc, ConditionData, Json, WorkflowDefinition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import { bareRun, starting } from "./host.ts";

/** A condition on n, and its meaning written out here. */
interface Asked {
  readonly data: ConditionData;
  readonly holds: (n: number) => boolean;
}

const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc
    .nat({ max: 5 })
    .map((value): Asked => ({ data: { key: "n", op: "atLeast", value }, holds: (n) => n >= value })),
  fc
    .nat({ max: 5 })
    .map((value): Asked => ({ data: { key: "n", op: "lessThan", value }, holds: (n) => n < value })),
  fc
    .subarray([0, 1, 2, 3, 4, 5], { minLength: 1 })
    .map((value): Asked => ({ data: { key: "n", op: "isOneOf", value }, holds: (n) => value.includes(n) })),
);

/** The arcs of two outcomes, one after the other or mixed; each label has a default somewhere, or none. */
interface Case {
  readonly arcs: readonly { readonly label: "done" | "other"; readonly asked: Asked | null }[];
  readonly label: "done" | "other";
  readonly n: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  arcs: fc
    .array(
      fc.record({
        label: fc.constantFrom("done" as const, "other" as const),
        asked: fc.option(asked, { freq: 6 }),
      }),
      { minLength: 2, maxLength: 8 },
    )
    .map((arcs) =>
      // One default for an outcome.
      arcs.filter((arc, at) => arc.asked !== null || at === arcs.findIndex(isDefaultOf(arc.label))),
    )
    .filter((arcs) => new Set(arcs.map(({ label }) => label)).size === 2),
  label: fc.constantFrom("done", "other"),
  n: fc.nat({ max: 6 }),
});

const isDefaultOf = (label: string) => (arc: Case["arcs"][number]) =>
  arc.label === label && arc.asked === null;

const BY_DEFAULT = { default: true as const };

/** A body that answers `label`, and an end for each arc. */
function definitionOf({ arcs }: Case): WorkflowDefinition {
  return flow(
    "w",
    [
      ["body", "transform", { outcomes: ["done", "other"] }],
      ...arcs.map((_, at) => [`to${at}`, "end", { outcome: `to${at}` }] as const),
      ["failed", "end", { outcome: "failed" }],
    ],
    [
      ...arcs.map(
        ({ label, asked: one }, at) =>
          ["body", `to${at}`, label, one === null ? BY_DEFAULT : { guard: one.data }] as const,
      ),
      ["body", "failed", "error"],
    ],
  );
}

/** Law: one arc is taken, and it is that of the oracle: the least index under the label, else its default, else error. */
function firstMatch(
  change: (definition: WorkflowDefinition) => WorkflowDefinition,
): fc.IPropertyWithHooks<[Case]> {
  return fc.property(cases, (given) => {
    const run = bareRun(change(definitionOf(given)), {
      functions: { body: ({ data }) => ({ outcome: given.label, patch: { seen: data["n"] as Json } }) },
    });
    const { record } = run.take(starting({ n: given.n }));
    const first = given.arcs.findIndex(
      ({ label, asked: one }) => label === given.label && one?.holds(given.n) === true,
    );
    const otherwise = given.arcs.findIndex(isDefaultOf(given.label));
    const expected = first >= 0 ? `to${first}` : otherwise >= 0 ? `to${otherwise}` : "failed";
    const { net, compiled } = run.plan.program;
    const step = record.steps.find(({ node }) => node === "body");
    const taken = (step?.fired ?? []).flatMap((t) => net.transitions[t]?.origin?.chosen ?? []);
    const arcs: readonly Arc[] = compiled.kind === "net" ? [] : compiled.definition.arcs;
    expect(taken.map((arc) => arcs[arc]?.to)).toEqual([expected]);
    expect(record.steps.map(({ node }) => node)).toEqual(["body", expected]);
  });
}

describe("advance", () => {
  it("[D20.6] [C20-18] [C20-19] [HZ-36] [HZ-40] one arc of the outcome is taken: the first whose condition holds, however they overlap", () => {
    fc.assert(
      firstMatch((definition) => definition),
      { numRuns: 200 },
    );
  });

  it("[D20.6] [R11-13] [R11-14] the answer of a function is the route: two inputs take two paths, and an arc back is a loop", () => {
    const seen: string[] = [];
    const definition = flow(
      "w",
      [
        ["look", "transform", { outcomes: ["again", "small", "large"] }],
        ["small", "end", { outcome: "small" }],
        ["large", "end", { outcome: "large" }],
        ["failed", "end", { outcome: "failed" }],
      ],
      [
        ["look", "look", "again"],
        ["look", "small", "small"],
        ["look", "large", "large"],
        ["look", "failed", "error"],
      ],
    );
    const routed = (n: number) => {
      const run = bareRun(definition, {
        functions: {
          look: ({ data }) => {
            const round = Number(data["round"] ?? 0) + 1;
            seen.push(`${n} ${round}`);
            const outcome = round < 3 ? "again" : n < 10 ? "small" : "large";
            return { outcome, patch: { round } };
          },
        },
      });
      return run.take(starting({ n })).record.steps.map(({ node }) => node);
    };
    expect(routed(9)).toEqual(["look", "look", "look", "small"]);
    expect(routed(10)).toEqual(["look", "look", "look", "large"]);
    expect(seen).toEqual(["9 1", "9 2", "9 3", "10 1", "10 2", "10 3"]);
  });

  it("[D20.6] the law catches arcs that are asked from the last to the first, and one that lacks its label", () => {
    const backwards = (definition: WorkflowDefinition) => ({
      ...definition,
      arcs: [...definition.arcs].reverse(),
    });
    expect(fc.check(firstMatch(backwards), { numRuns: 200 }).failed).toBe(true);
    const blurred = (definition: WorkflowDefinition) => ({
      ...definition,
      arcs: definition.arcs.map((arc) =>
        arc.outcome === "error" ? arc : { ...arc, outcome: arc.outcome === "done" ? "other" : "done" },
      ),
    });
    expect(fc.check(firstMatch(blurred), { numRuns: 200 }).failed).toBe(true);
  });
});
