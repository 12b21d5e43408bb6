import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Condition, ConditionData, ConditionResult } from "../src/condition.ts";
import { type ConditionEnvironment, evaluateCondition } from "../src/condition-eval.ts";
import { parseCondition } from "../src/condition-parse.ts";
import { conditionConstants, type KeysRead, keysRead } from "../src/condition-reads.ts";
import type { JsonObject } from "../src/json.ts";
import { condition, conditionData, conditionWithPorts } from "./condition-arbitrary.ts";
import { oracle } from "./condition-oracle.ts";

type Evaluate = (condition: Condition, D: JsonObject, environment?: ConditionEnvironment) => ConditionResult;

function parsed(data: ConditionData): Condition {
  const result = parseCondition(data);
  if (!result.ok) {
    throw new Error(JSON.stringify(result.issues));
  }
  return result.value;
}

function plainAnswer(result: ConditionResult): boolean | "error" {
  return result.kind === "value" ? result.value : "error";
}

/** Law: the answer is that of the definition, read straight from the JSON (oracle: condition-oracle.ts). */
function evaluationLaw(evaluate: Evaluate): void {
  fc.assert(
    fc.property(condition, conditionData, (data, D) => {
      const before = JSON.stringify(D);
      expect(plainAnswer(evaluate(parsed(data), D))).toBe(oracle(data, D));
      expect(JSON.stringify(D)).toBe(before);
    }),
    { numRuns: 3_000 },
  );
}

/** Law: data that agree on the keys that are read get the same answer, errors and their facts included. */
function readsLaw(reads: (condition: Condition) => KeysRead): void {
  fc.assert(
    fc.property(condition, conditionData, conditionData, (data, D, other) => {
      const parsedCondition = parsed(data);
      const { keys, isComplete } = reads(parsedCondition);
      expect(isComplete).toBe(true);
      const only = Object.fromEntries(Object.entries(D).filter(([key]) => keys.includes(key)));
      const more = Object.fromEntries([
        ...Object.entries(other).filter(([key]) => !keys.includes(key)),
        ...Object.entries(only),
      ]);
      expect(evaluateCondition(parsedCondition, only)).toEqual(evaluateCondition(parsedCondition, D));
      expect(evaluateCondition(parsedCondition, more)).toEqual(evaluateCondition(parsedCondition, D));
    }),
    { numRuns: 1_000 },
  );
}

/** The broken evaluator that real engines have: an error is false. */
const errorIsFalse: Evaluate = (condition, D, environment) => {
  const result = evaluateCondition(condition, D, environment);
  return result.kind === "error" ? { kind: "value", value: false } : result;
};

/** A broken evaluator: `all` and `any` look at every part, and any error wins. */
const errorWins: Evaluate = (condition, D, environment) => {
  if (condition.kind === "all" || condition.kind === "any") {
    const answers = condition.conditions.map((part) => errorWins(part, D, environment));
    const value = condition.kind === "all" ? answers.every(isTrue) : answers.some(isTrue);
    return answers.find((answer) => answer.kind === "error") ?? { kind: "value", value };
  }
  return evaluateCondition(condition, D, environment);
};

function isTrue(result: ConditionResult): boolean {
  return result.kind === "value" && result.value;
}

describe("conditions, laws", () => {
  it("[D4.8] [C20-03] [HZ-41] the answer is that of the definition", () => {
    evaluationLaw(evaluateCondition);
  });

  it("[D4.9] [L4.2] the answer depends on the keys that are read, and on no others", () => {
    readsLaw(keysRead);
  });

  it("[D4.9] every key that is read can be seen in the condition", () => {
    fc.assert(
      fc.property(condition, (data) => {
        const named = new Set<string>();
        JSON.stringify(data, (member: string, value: unknown) => {
          if ((member === "key" || member === "valueOf") && typeof value === "string") named.add(value);
          return value;
        });
        expect(keysRead(parsed(data)).keys).toEqual([...named].sort());
      }),
    );
  });

  it("[D4.9] constants are those that stand in the condition, by key", () => {
    fc.assert(
      fc.property(condition, (data) => {
        const found: string[] = [];
        JSON.stringify(data, (_, value: unknown) => {
          if (
            typeof value === "object" &&
            value !== null &&
            Object.hasOwn(value, "op") &&
            Object.hasOwn(value, "value")
          ) {
            const { key, path = [], op, value: constant } = value as Record<string, unknown>;
            found.push(canonicalize([key, path, op, constant]) as string);
          }
          return value;
        });
        const constants = [...conditionConstants(parsed(data))].flatMap(([key, list]) =>
          list.map(({ path, op, value }) => canonicalize([key, path, op, value]) as string),
        );
        expect([...constants].sort()).toEqual(found.sort());
      }),
    );
  });

  it("[D4.8] answers the same twice, whatever the ports do", () => {
    const environments: ConditionEnvironment[] = [
      {},
      { evaluate: () => ({ kind: "value", value: true }), predicates: new Map([["p", () => false]]) },
      {
        evaluate: () => {
          throw new Error("no");
        },
        predicates: new Map([["p", () => "yes" as unknown as boolean]]),
      },
    ];
    fc.assert(
      fc.property(
        conditionWithPorts,
        conditionData,
        fc.constantFrom(...environments),
        (data, D, environment) => {
          const parsedCondition = parsed(data);
          const answer = evaluateCondition(parsedCondition, D, environment);
          expect(evaluateCondition(parsedCondition, D, environment)).toEqual(answer);
          expect(["value", "error"]).toContain(answer.kind);
        },
      ),
    );
  });

  it("[D4.8] [D4.9] the laws find wrong implementations", () => {
    expect(() => evaluationLaw(errorIsFalse)).toThrow();
    expect(() => evaluationLaw(errorWins)).toThrow();
    expect(() => evaluationLaw(() => ({ kind: "value", value: true }))).toThrow();
    expect(() => readsLaw(() => ({ keys: ["a", "b"], isComplete: true }))).toThrow();
    expect(() =>
      readsLaw((condition) => ({ ...keysRead(condition), keys: keysRead(condition).keys.slice(1) })),
    ).toThrow();
  });
});
