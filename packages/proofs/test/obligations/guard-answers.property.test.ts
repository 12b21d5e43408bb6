import {
  type Arc,
  type CompiledWorkflow,
  type ConditionData,
  type Data,
  evaluateCondition,
  type Json,
  parseCondition,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { proveWorkflow } from "../../src/index.ts";
import { assumedAnswers, totality } from "../../src/obligations/totality.ts";
import { end, start, workflow } from "../workflow-text.ts";

const DECLARED = { n: { type: "number" }, s: { type: "string" } } as const;
const VALUES: Readonly<Record<string, readonly (Json | undefined)[]>> = {
  n: [-1, 0, 1],
  s: ["", "a", "b"],
  u: [undefined, -1, 0, 1, "", "a", "b", null, true],
};
const comparison = fc
  .tuple(
    fc.constantFrom("n", "n", "s", "u"),
    fc.constantFrom("is", "isNot", "lessThan", "atLeast", "isAssigned"),
    fc.constantFrom<Json>(0, 0, "a"),
  )
  .map(
    ([key, op, value]): ConditionData =>
      (op === "isAssigned" ? { key, op } : { key, op, value }) as ConditionData,
  );
const guard: fc.Arbitrary<ConditionData> = fc.oneof(
  { weight: 3, arbitrary: comparison },
  { weight: 1, arbitrary: fc.tuple(comparison, comparison).map((all) => ({ all })) },
  { weight: 1, arbitrary: fc.tuple(comparison, comparison).map((any) => ({ any })) },
);
const decision = fc.record({
  guards: fc.array(guard, { minLength: 1, maxLength: 3 }),
  other: fc.constantFrom("none", "default", "plain"),
  isOr: fc.boolean(),
});

interface Decision {
  readonly guards: readonly ConditionData[];
  readonly other: string;
  readonly isOr: boolean;
}

function compiledOf({ guards, other, isOr }: Decision): CompiledWorkflow {
  const out = (index: number): Arc => ({ from: "n", to: `end${index}`, guard: guards[index]! });
  return workflow(
    [
      start,
      { id: "n", kind: "gateway", ...(isOr ? { split: "or" as const } : {}) },
      ...guards.map((_, index) => ({ id: `end${index}`, kind: "end" })),
      ...(other === "none" ? [] : [end]),
    ],
    [
      "start -> n",
      ...guards.map((_, index) => out(index)),
      ...(other === "none"
        ? []
        : [{ from: "n", to: "end", ...(other === "default" ? { default: true as const } : {}) }]),
    ],
    DECLARED,
  );
}

const GRID: readonly Data[] = VALUES["n"]!.flatMap((n) =>
  VALUES["s"]!.flatMap((s) => VALUES["u"]!.map((u) => ({ n: n!, s: s!, ...(u === undefined ? {} : { u }) }))),
);

/** What a run does on D: takes an arc, finds none, or has no answer to the guard of an arc. */
function literally({ guards, other, isOr }: Decision, D: Data): "taken" | "none" | number {
  let isTrue = false;
  for (const [index, one] of guards.entries()) {
    const parsed = parseCondition(one);
    if (!parsed.ok) throw new Error("guard");
    const answer = evaluateCondition(parsed.value, D);
    if (answer.kind === "error") return index;
    isTrue ||= answer.value;
    if (isTrue && !isOr) return "taken";
  }
  return isTrue || other !== "none" ? "taken" : "none";
}

/** What runs do on D, one for each way in which predicates, of a name for each arc, can answer. */
function underPredicates(given: Decision, D: Data): readonly ("taken" | "none" | number)[] {
  const at = given.guards.findIndex((one) => "predicate" in one);
  if (at < 0) return [literally(given, D)];
  // A guard that is always true or never, in its place.
  const n = { key: "n", op: "isAssigned" } as const;
  return [n, { not: n }].flatMap((one) =>
    underPredicates({ ...given, guards: given.guards.with(at, one as ConditionData) }, D),
  );
}

/** Law: with guards that nobody computes, what is so whatever they answer fails, and no more than that; and nothing else is left open. */
function predicatesHideNothing(decide: (compiled: CompiledWorkflow) => string): Map<string, number> {
  const seen = new Map<string, number>();
  const withPredicate = decision.chain((given) =>
    fc.nat({ max: given.guards.length - 1 }).map((at) => ({
      ...given,
      guards: given.guards.with(at, { predicate: `p${at}` }),
    })),
  );
  fc.assert(
    fc.property(withPredicate, (given) => {
      const isTyped = (index: number) => !JSON.stringify(given.guards[index]).includes('"u"');
      const isBad = (one: "taken" | "none" | number) =>
        one === "none" || (typeof one === "number" && (given.other === "none" || isTyped(one)));
      const isOpen = (one: "taken" | "none" | number) => one !== "taken" && given.other === "none";
      const found = GRID.map((D) => underPredicates(given, D));
      const wanted = found.some((runs) => runs.every(isBad))
        ? "fails"
        : found.flat().some(isOpen)
          ? "unknown"
          : "holds";
      seen.set(wanted, (seen.get(wanted) ?? 0) + 1);
      expect(decide(compiledOf(given))).toBe(wanted);
    }),
    { seed: 8011, numRuns: 400 },
  );
  return seen;
}

/** Law: O5 is what the grid says, and every guard that lacks an answer somewhere on it is named. */
function answersAreAccountedFor(
  decide: (compiled: CompiledWorkflow) => { readonly kind: string; readonly named: readonly Arc[] },
): void {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(decision, (given) => {
      const compiled = compiledOf(given);
      const isTyped = (index: number) => !JSON.stringify(given.guards[index]).includes('"u"');
      const found = GRID.map((D) => literally(given, D));
      const isBad = (one: "taken" | "none" | number) =>
        one === "none" || (typeof one === "number" && (given.other === "none" || isTyped(one)));
      const { kind, named } = decide(compiled);
      const wanted = found.some(isBad) ? "fails" : "holds";
      expect(kind).toBe(wanted);
      if (wanted === "fails") return;
      const lacking = new Set(found.filter((one) => typeof one === "number"));
      seen.set(`${lacking.size > 0}`, (seen.get(`${lacking.size > 0}`) ?? 0) + 1);
      const guards = named.map((arc) => JSON.stringify(arc.guard));
      for (const index of lacking) expect(guards).toContain(JSON.stringify(given.guards[index]));
      if (lacking.size === 0) expect(guards).toEqual([]);
    }),
    { seed: 8010, numRuns: 400 },
  );
  expect(seen.get("true") ?? 0).toBeGreaterThan(10);
  expect(seen.get("false") ?? 0).toBeGreaterThan(10);
}

describe("[D8.10] guards without an answer", () => {
  it("[D8.10] refute totality or are named (oracle: routing read literally on a grid of values)", () => {
    answersAreAccountedFor((compiled) => ({
      kind: totality(compiled).kind,
      named: assumedAnswers(compiled),
    }));
  });

  it("[D8.10] refute totality beside guards that nobody computes, if they are asked whatever those answer", () => {
    const seen = predicatesHideNothing((compiled) => totality(compiled).kind);
    for (const kind of ["fails", "unknown", "holds"]) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(20);
  });

  it("[D8.10] the law refuses a guard that nobody computes as an excuse for the others", () => {
    expect(() =>
      predicatesHideNothing((compiled) => {
        const { kind } = totality(compiled);
        const hasOther = compiled.definition.arcs.some(({ from, guard: one }) => from === "n" && !one);
        return kind === "fails" && hasOther ? "holds" : kind;
      }),
    ).toThrow();
  });

  it("[D8.10] the law refuses a default arc that stands for every data", () => {
    expect(() =>
      answersAreAccountedFor((compiled) => {
        const hasDefault = compiled.definition.arcs.some((arc) => arc.default === true);
        return hasDefault
          ? { kind: "holds", named: [] }
          : { kind: totality(compiled).kind, named: assumedAnswers(compiled) };
      }),
    ).toThrow();
  });

  it("[D8.10] the report names the arc whose guard must have an answer; a declaration makes it a failure or is enough", () => {
    const amount = { key: "amount", op: "greaterThan", value: 100 } as const;
    const report = (guard: ConditionData, data?: Parameters<typeof workflow>[2]) =>
      proveWorkflow(
        workflow(
          [start, { id: "fork", kind: "gateway" }, end, { id: "other", kind: "end" }],
          ["start -> fork", { from: "fork", to: "other", guard }, { from: "fork", to: "end", default: true }],
          data,
        ),
      );
    const o5 = ({ obligations }: ReturnType<typeof report>) => obligations.find(({ id }) => id === "O5");
    const named =
      "these guards, which read what is not declared or are opaque, have an answer where they are asked: fork to other";
    const bare = report(amount);
    expect(o5(bare)?.verdict.kind).toBe("holds");
    expect(bare.assumptions).toContain(named);
    expect(report({ language: "feel", text: "amount > 100" }).assumptions).toContain(named);
    expect(
      report({
        all: [
          { key: "amount", op: "isAssigned" },
          { key: "amount", op: "is", value: 1 },
        ],
      }).assumptions,
    ).not.toContain(named);
    expect(report(amount, { amount: { type: "number" } }).assumptions).not.toContain(named);
    const wrong = report(amount, { amount: { type: "string" } });
    expect(o5(wrong)).toMatchObject({
      verdict: { kind: "fails" },
      message: expect.stringContaining("greaterThan needs number"),
    });
  });
});
