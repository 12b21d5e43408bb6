/** @module O5 where guards read what lies below a declared key: D ranges over what fits the declaration of the whole key. */
import {
  type Arc,
  type CompiledWorkflow,
  type ConditionData,
  type Data,
  type DataType,
  evaluateCondition,
  type Json,
  parseCondition,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isGap, totality } from "../../src/obligations/totality.ts";
import { end, start, workflow } from "../workflow-text.ts";

const DECLARED: Readonly<Record<string, DataType>> = {
  object: { type: "object" },
  listed: { type: "object", values: [{ b: 0 }, { b: "a" }] },
  list: { type: "array" },
  number: { type: "number" },
  any: { type: "any" },
};
const BELOW: readonly (Json | undefined)[] = [undefined, null, true, -1, 0, 1, "", "a", "b", []];
const under = (key: string) => BELOW.map((b): Json => (b === undefined ? {} : { [key]: b }));
const inList: readonly Json[] = BELOW.map((b): Json => (b === undefined ? [] : [b]));
/** Values that fit, one at least for each way in which a guard below can answer. */
const FITTING: Readonly<Record<string, readonly Json[]>> = {
  object: under("b"),
  listed: DECLARED["listed"]!.values!,
  list: inList,
  number: [-1, 0, 1],
  any: [...under("b"), ...inList, null, 0, "a"],
};

const leaf = fc
  .record({
    key: fc.constantFrom(...Object.keys(DECLARED)),
    step: fc.constantFrom<string | number>("b", "b", 0),
    op: fc.constantFrom("is", "is", "isNot", "lessThan", "isAssigned"),
    value: fc.constantFrom<Json>(0, "a"),
  })
  .map(
    ({ key, step, op, value }) =>
      ({ key, path: [step], op, ...(op === "isAssigned" ? {} : { value }) }) as ConditionData,
  );
const guard: fc.Arbitrary<ConditionData> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: leaf.map((not) => ({ not })) },
);
const decision = fc.record({
  guards: fc.array(guard, { minLength: 1, maxLength: 3 }),
  hasDefault: fc.boolean(),
});
type Decision = typeof decision extends fc.Arbitrary<infer T> ? T : never;

function compiledOf({ guards, hasDefault }: Decision): CompiledWorkflow {
  const out = guards.map((one, index): Arc => ({ from: "n", to: `end${index}`, guard: one }));
  const other: Arc[] = hasDefault ? [{ from: "n", to: "end", default: true }] : [];
  const ends = guards.map((_, index) => ({ id: `end${index}`, kind: "end" }));
  const nodes = [start, { id: "n", kind: "gateway" }, ...ends, ...(hasDefault ? [end] : [])];
  return workflow(nodes, ["start -> n", ...out, ...other], DECLARED);
}

/** All D over the keys that the guards read. */
function dataFor({ guards }: Decision): readonly Data[] {
  const keys = Object.keys(DECLARED).filter((key) => JSON.stringify(guards).includes(`"key":"${key}"`));
  return keys.reduce<readonly Data[]>(
    (all, key) => all.flatMap((data) => FITTING[key]!.map((value) => ({ ...data, [key]: value }))),
    [{}],
  );
}

/** Does routing take no arc on D, and not because a guard below a key has no answer beside a default arc? */
function isRefuted({ guards, hasDefault }: Decision, data: Data): boolean {
  for (const one of guards) {
    const parsed = parseCondition(one);
    if (!parsed.ok) throw new Error("guard");
    const answer = evaluateCondition(parsed.value, data);
    if (answer.kind === "error") return !hasDefault;
    if (answer.value) return false;
  }
  return !hasDefault;
}

/** Law: O5 fails iff some D that fits refutes it, and then with a D that fits. */
function followsDeclarations(decide: (compiled: CompiledWorkflow) => ReturnType<typeof totality>) {
  const seen = { holds: 0, fails: 0 };
  fc.assert(
    fc.property(decision, (given) => {
      const compiled = compiledOf(given);
      const wanted = dataFor(given).some((data) => isRefuted(given, data)) ? "fails" : "holds";
      seen[wanted] += given.hasDefault ? 0 : 1;
      const verdict = decide(compiled);
      expect(verdict.kind).toBe(wanted);
      if (verdict.kind !== "fails") return;
      for (const gap of verdict.evidence.gaps) {
        if (gap.kind !== "no-true-arc") throw new Error(gap.kind);
        expect(isRefuted(given, gap.data)).toBe(true);
        for (const [key, value] of Object.entries(gap.data)) expect(isAllowed(key, value), key).toBe(true);
        for (const key of Object.keys(dataFor(given)[0]!)) expect(Object.keys(gap.data)).toContain(key);
        expect(isGap(compiled, gap)).toBe(true);
        expect(isGap(compiled, { ...gap, data: {} })).toBe(false);
      }
    }),
    { seed: 8012, numRuns: 400 },
  );
  return seen;
}

function isAllowed(key: string, value: Json): boolean {
  if (key === "listed") return ['{"b":0}', '{"b":"a"}'].includes(JSON.stringify(value));
  if (key === "list") return Array.isArray(value);
  if (key === "number") return typeof value === "number";
  return key === "any" || (typeof value === "object" && value !== null && !Array.isArray(value));
}

describe("[D8.10] guards that read below a declared key", () => {
  it("[D8.10] refute totality only on data of the declared type and among the listed values (oracle: a grid of them)", () => {
    const seen = followsDeclarations(totality);
    expect(seen.holds).toBeGreaterThan(20);
    expect(seen.fails).toBeGreaterThan(20);
  });

  it("[D8.10] the law refuses what reads the place below as if nothing were declared", () => {
    expect(() =>
      followsDeclarations((compiled) =>
        totality({ ...compiled, definition: { ...compiled.definition, data: {} } }),
      ),
    ).toThrow();
  });
});
