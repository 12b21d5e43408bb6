/** @module The check that listed values stand for all data, against every value of small worlds. */
import type { Arc, CompiledWorkflow, ConditionData, Json, WorkflowNode } from "@tessera/core";
import { evaluateCondition, parseCondition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataCertificate, verifyDataCertificate } from "../../src/certificate/data-file.ts";
import { type ListedCases, regionTrouble } from "../../src/certificate/data-regions.ts";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { domainOf } from "../../src/data-level/domain.ts";
import { proveWorkflow } from "../../src/index.ts";
import { end, start, workflow } from "../workflow-text.ts";
import { compiledOf, guardedWorkflow } from "./guarded-workflow.ts";

const SEED = 2_311;

function casesOf(compiled: CompiledWorkflow): ListedCases {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  const { questions, slots, open, orders } = found.domain;
  return {
    places: slots.map(({ reference: { key, path }, values }) => ({ key, path, values })),
    open: questions.leaves.flatMap((leaf, at) => (open.has(leaf) ? [at] : [])),
    patterns: orders.map((part) => ({
      places: part.slots,
      tuples: part.tuples.map((tuple) => tuple.map((cell) => part.values[cell])),
    })),
  };
}

/** A gateway with these guards, behind a form that asks for `rating`. */
function asking(guards: readonly ConditionData[], data?: Parameters<typeof workflow>[2]): CompiledWorkflow {
  const nodes: readonly WorkflowNode[] = [
    start,
    { id: "ask", kind: "collect", meta: { form: { rating: { type: "integer", values: [1, 5] } } } },
    { id: "fork", kind: "gateway" },
    { id: "tier", kind: "decision", meta: { key: "tier", branches: { gold: "fast", "7": "slow" } } },
    {
      id: "each",
      kind: "subprocess",
      meta: { workflow: "w", multi: { mode: "parallel", collection: "items" } },
    },
    end,
  ];
  const arcs: readonly (string | Arc)[] = [
    "start -> ask",
    "ask -> fork",
    ...guards.map((guard): Arc => ({ from: "fork", to: "tier", guard })),
    { from: "fork", to: "end", default: true },
    "tier: fast -> each",
    "tier: slow -> each",
    "tier: error -> end",
    "each -> end",
    "each: error -> end",
    "each: cancelled -> end",
  ];
  return workflow(nodes, arcs, data);
}

const compare = (key: string, op: string, value: Json): ConditionData =>
  ({ key, op, value }) as ConditionData;
const between = (key: string, op: string, other: string): ConditionData =>
  ({ key, op, valueOf: other }) as ConditionData;

/** Workflows whose places are of every sort. */
const FLOWS: Readonly<Record<string, CompiledWorkflow>> = {
  "numbers, texts, lists and forms": asking(
    [
      compare("rating", "atLeast", 3),
      compare("x", "lessThan", 10),
      compare("name", "greaterThan", "m"),
      compare("tags", "is", ["a"]),
      { key: "note", op: "isAssigned" } as ConditionData,
      { key: "order", path: ["total"], op: "greaterThan", value: 100 } as ConditionData,
    ],
    { x: { type: "number" }, note: { type: "string" } },
  ),
  "places that are equal or not": asking(
    [
      between("a", "is", "b"),
      between("b", "isNot", "c"),
      compare("a", "is", "red"),
      between("c", "is", "kind"),
    ],
    { kind: { type: "string", values: ["red", "blue"] } },
  ),
  "places in an order": asking(
    [
      between("x", "lessThan", "y"),
      between("y", "atMost", "z"),
      compare("x", "greaterThan", 0),
      compare("z", "is", 5),
    ],
    { x: { type: "number" }, y: { type: "number" }, z: { type: "number" } },
  ),
  "integers in an order": asking(
    [
      between("x", "lessThan", "y"),
      compare("x", "greaterThan", 0),
      compare("y", "lessThan", 3),
      { key: "y", op: "isAssigned" } as ConditionData,
    ],
    { x: { type: "integer" }, y: { type: "integer" } },
  ),
};

describe("[D23.11] listed cases stand for all data", () => {
  it.each(Object.entries(FLOWS))(
    "[D23.11] %s: what is listed is accepted, and each value and pattern is needed",
    (_, compiled) => {
      const cases = casesOf(compiled);
      expect(regionTrouble(compiled, cases)).toBeNull();
      let dropped = 0;
      for (const [at, place] of cases.places.entries()) {
        const isInOrder = cases.patterns.some(({ places }) => places.includes(at));
        for (const gone of place.values.keys()) {
          if (isInOrder) continue;
          dropped += 1;
          const values = place.values.filter((__, index) => index !== gone);
          const without = { ...cases, places: cases.places.with(at, { ...place, values }) };
          expect({
            key: place.key,
            gone: place.values[gone],
            trouble: regionTrouble(compiled, without),
          }).toEqual({
            key: place.key,
            gone: place.values[gone],
            trouble: expect.any(String),
          });
        }
      }
      for (const [at, pattern] of cases.patterns.entries()) {
        const refused = pattern.tuples.filter((__, gone) => {
          const tuples = pattern.tuples.filter((___, index) => index !== gone);
          return (
            regionTrouble(compiled, {
              ...cases,
              patterns: cases.patterns.with(at, { ...pattern, tuples }),
            }) !== null
          );
        });
        dropped += refused.length;
        // Integers of narrow gaps are told apart more finely than what is asked needs.
        expect(refused.length).toBeGreaterThan(pattern.tuples.length / 4);
      }
      expect(dropped).toBeGreaterThan(10);
    },
  );

  it("[D23.11] a constant more, a value that no declaration allows, a place too few or too many are refused", () => {
    const compiled = FLOWS["numbers, texts, lists and forms"]!;
    const cases = casesOf(compiled);
    const x = cases.places.findIndex(({ key }) => key === "x");
    const place = cases.places[x]!;
    const changed = (values: readonly (Json | undefined)[]) =>
      regionTrouble(compiled, { ...cases, places: cases.places.with(x, { ...place, values }) });
    expect(changed([...place.values, 11.5])).toContain("answer alike");
    expect(changed([...place.values, place.values[0]])).toContain("twice");
    expect(changed([...place.values, "ten"])).toContain("declarations");
    expect(changed([...place.values, undefined])).toContain("declarations");
    const without = cases.places.filter((_, at) => at !== x);
    expect(regionTrouble(compiled, { ...cases, places: without })).toContain("not listed");
    const part = { key: "x", path: ["part"], values: [1, undefined] };
    expect(regionTrouble(compiled, { ...cases, places: [...cases.places, part] })).toContain("with a part");
    const spread = asking([{ predicate: "isGood" }]);
    expect(regionTrouble(spread, { ...casesOf(spread), open: [] })).toContain("not listed");
    const matching = asking([compare("name", "matches", "^a")]);
    const listed = { key: "name", path: [], values: ["", undefined] };
    const taken = { ...casesOf(matching), open: [] };
    expect(regionTrouble(matching, { ...taken, places: [...taken.places, listed] })).toContain(
      "do not decide",
    );
  });

  it("[D23.11] a certificate without a value, with one more, or with another leaf open is no certificate of the workflow", () => {
    for (const compiled of Object.values(FLOWS)) {
      const { obligations } = proveWorkflow(compiled, { level: "data", limits: { statesMax: 3000 } }).data!;
      const data = dataCertificate(compiled, [
        ...obligations.filter(({ verdict }) => verdict.kind !== "unknown").slice(0, 1),
        { id: "O5", verdict: { kind: "holds", evidence: { class: "enumerated", method: "", states: 1 } } },
      ])!;
      const slots = data["slots"] as readonly { readonly values: readonly Json[] }[];
      const kindOf = (part: object) =>
        verifyDataCertificate(compiled, { ...data, ...part } as never, { statesMax: 1 }).kind;
      expect(kindOf({})).toBe("verified");
      for (const [at, slot] of slots.entries()) {
        for (const gone of slot.values.keys()) {
          const values = slot.values.filter((_, index) => index !== gone);
          expect(kindOf({ slots: slots.with(at, { ...slot, values }) })).toBe("other-cases");
        }
        expect(kindOf({ slots: slots.with(at, { ...slot, values: [...slot.values, [0.123]] }) })).toBe(
          "other-cases",
        );
        expect(kindOf({ slots: slots.toSpliced(at, 1) })).toBe("other-cases");
      }
      expect(kindOf({ open: [0] })).toBe("other-cases");
    }
  });

  it("[D23.11] accepts the cases of random workflows, and refuses them without a region (oracle: every value asked)", () => {
    let refused = 0;
    let harmless = 0;
    fc.assert(
      fc.property(guardedWorkflow, fc.nat(), (parts, salt) => {
        const compiled = compiledOf(parts);
        const cases = casesOf(compiled);
        expect(regionTrouble(compiled, cases)).toBeNull();
        const own = cases.places.findIndex(({ key }) => key === "n");
        if (own < 0) return;
        const place = cases.places[own]!;
        const values = place.values.filter((_, at) => at !== salt % place.values.length);
        const trouble = regionTrouble(compiled, {
          ...cases,
          places: cases.places.with(own, { ...place, values }),
        });
        // Oracle: is there an integer on which the guards about n answer as on no value that is left?
        const leaves = compiled.definition.arcs.flatMap(({ guard }) =>
          guard === undefined ? [] : aboutN(guard),
        );
        const answers = (n: Json) => JSON.stringify(leaves.map((leaf) => answerOn(leaf, n)));
        const left = new Set(values.map((value) => answers(value!)));
        const isMissed = Array.from({ length: 21 }, (_, n) => n - 10).some((n) => !left.has(answers(n)));
        expect(trouble !== null).toBe(isMissed);
        if (isMissed) refused += 1;
        else harmless += 1;
      }),
      { seed: SEED, numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(20);
    expect(harmless).toBe(0);
  });
});

/** The comparisons of n in a guard. */
function aboutN(condition: ConditionData): readonly ConditionData[] {
  if ("not" in condition) return aboutN(condition.not);
  if ("all" in condition) return condition.all.flatMap(aboutN);
  if ("any" in condition) return condition.any.flatMap(aboutN);
  return "key" in condition && condition.key === "n" ? [condition] : [];
}

function answerOn(condition: ConditionData, n: Json): unknown {
  const parsed = parseCondition(condition);
  return parsed.ok ? evaluateCondition(parsed.value, { n }) : null;
}
