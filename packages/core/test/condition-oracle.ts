// biome-ignore-all lint/suspicious/noExplicitAny: data of any shape are edited and read here.
/** @module A second reading of conditions, straight from their JSON, to test the evaluator against. */
import { isDeepStrictEqual } from "node:util";

/** What a condition says: true, false, or "error". It is written without any code of the package. */
export function oracle(condition: any, D: any): boolean | "error" {
  if ("all" in condition) {
    for (const member of condition.all) {
      const answer = oracle(member, D);
      if (answer !== true) return answer;
    }
    return true;
  }
  if ("any" in condition) {
    for (const member of condition.any) {
      const answer = oracle(member, D);
      if (answer !== false) return answer;
    }
    return false;
  }
  if ("not" in condition) {
    const answer = oracle(condition.not, D);
    return answer === "error" ? answer : !answer;
  }
  const left = at(D, [condition.key, ...(condition.path ?? [])]);
  const right = Object.hasOwn(condition, "value")
    ? { found: condition.value }
    : at(D, [condition.valueOf, ...(condition.valuePath ?? [])]);
  const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(plain(a), plain(b));
  switch (condition.op) {
    case "isAssigned":
      return left !== undefined && left.found !== null;
    case "is":
      return left !== undefined && right !== undefined && same(left.found, right.found);
    case "isNot":
      return !(left !== undefined && right !== undefined && same(left.found, right.found));
    case "isOneOf":
    case "isNoneOf": {
      if (!Array.isArray(right?.found)) return "error";
      const isIn = left !== undefined && right.found.some((member: unknown) => same(left.found, member));
      return condition.op === "isOneOf" ? isIn : !isIn;
    }
    case "contains":
      if (left === undefined || right === undefined) return "error";
      if (Array.isArray(left.found)) return left.found.some((member: unknown) => same(member, right.found));
      if (typeof left.found === "string" && typeof right.found === "string") {
        return left.found.split(right.found).length > 1 || right.found === "";
      }
      return "error";
    case "matches":
      return typeof left?.found === "string" ? new RegExp(condition.value, "u").test(left.found) : "error";
    default: {
      const types = [typeof left?.found, typeof right?.found].join();
      if (types !== "number,number" && types !== "string,string") return "error";
      const [less, more] = [left?.found < right?.found, left?.found > right?.found];
      return { greaterThan: more, atLeast: !less, lessThan: less, atMost: !more }[condition.op as "atMost"];
    }
  }
}

function at(value: any, path: readonly (string | number)[]): { found: any } | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return { found: value };
  const isContainer = typeof step === "number" ? Array.isArray(value) : isObject(value);
  return isContainer && Object.hasOwn(value, step) ? at(value[step], rest) : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
