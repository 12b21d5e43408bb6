/** @module The evaluator of FEEL conditions: closed, regular expressions in linear time, time from outside. */
import type { ConditionResult, Data, JsonObject } from "@tessera/core";
import {
  date,
  dateAndTime,
  evaluate,
  FeelFunction,
  SyntaxError as FeelSyntaxError,
  parseExpression,
} from "feelin";
import { RE2JS } from "re2js";
import { FEEL_LENGTH_MAX } from "./feel-condition.ts";

/**
 * Answers `{ language: "feel", text }` on D at the time `now`, in milliseconds since the epoch: register `FEEL` with an
 * engine under the name `feel`, which asks with the recorded time of the turn.
 * The names in an expression are keys of D, but for those of the functions named here. `matches`, `replace` and `split` run on an engine that takes time linear in
 * the text; a pattern that it does not have is an error. `now()` and `today()` answer `now` in UTC, nothing else of the
 * world can be reached. A value that is not true or false, a missing variable and every other doubt is an error, never
 * false. Codes of errors: FEEL_SYNTAX, FEEL_VALUE, FEEL_FAILED.
 *
 * @definition D14.7
 */
export function evaluateFeel(text: string, data: Data, now: number): ConditionResult {
  if (text.length > FEEL_LENGTH_MAX) return failure("FEEL_SYNTAX", "the expression is too long", {});
  // Own functions come last: data cannot replace them.
  const context = { ...data, ...functionsAt(now) };
  try {
    const refused = costly(text, context);
    if (refused !== null) return failure("FEEL_FAILED", refused, {});
    const { value, warnings } = evaluate(text, context);
    if (typeof value === "boolean") return { kind: "value", value };
    const [first] = warnings;
    const why = first === undefined ? "" : `: ${first.message.slice(0, 200)}`;
    return failure("FEEL_VALUE", `the expression is neither true nor false${why}`, {
      found: value === null ? "null" : typeof value,
    });
  } catch (error) {
    const isSyntax = error instanceof FeelSyntaxError;
    const reason = error instanceof Error ? error.message.slice(0, 200) : "unknown reason";
    return failure(isSyntax ? "FEEL_SYNTAX" : "FEEL_FAILED", reason, {});
  }
}

/**
 * The evaluator with its version, which definitions pin. Version 1 asked a clock, later ones the turn's recorded time;
 * version 2 refused the words of iterations wherever they stood, as in the name "waiting for payment" or in "forêt".
 */
export const FEEL: { readonly version: number; readonly run: typeof evaluateFeel } = {
  version: 3,
  run: evaluateFeel,
};

/** What takes unbounded work, by the parser's name. A condition has no use for it. */
const COSTLY: ReadonlySet<string> = new Set(["ForExpression", "QuantifiedExpression", "FunctionDefinition"]);

/** Why an expression over `context` is not evaluated; null if nothing speaks against it. */
function costly(text: string, context: Readonly<Record<string, unknown>>): string | null {
  if (!/for|some|every|function/u.test(text)) return null;
  let found: string | null = null;
  parseExpression(text, context, undefined).iterate({
    enter: ({ name, from }) => {
      if (COSTLY.has(name)) found ??= /^\p{L}*/u.exec(text.slice(from))![0];
    },
  });
  return found === null ? null : `"${found}" is not evaluated in a condition`;
}

/** The functions that are not the library's. */
function functionsAt(now: number): Readonly<Record<string, FeelFunction>> {
  const iso = new Date(now).toISOString();
  return {
    now: new FeelFunction(() => dateAndTime(iso), []),
    today: new FeelFunction(() => date(iso.slice(0, 10)), []),
    matches: new FeelFunction(matches, ["input", "pattern", "flags"]),
    replace: new FeelFunction(replace, ["input", "pattern", "replacement", "flags"]),
    split: new FeelFunction(split, ["string", "delimiter"]),
  };
}

/** Names that are functions whatever D holds under them. */
export const FUNCTION_NAMES: ReadonlySet<string> = new Set(Object.keys(functionsAt(0)));

function matches(input: unknown, pattern: unknown, flags?: unknown): boolean | null {
  if (typeof input !== "string" || typeof pattern !== "string") return null;
  return compiled(pattern, flags).matcher(input).find();
}

function replace(input: unknown, pattern: unknown, replacement: unknown, flags?: unknown): string | null {
  if (typeof input !== "string" || typeof pattern !== "string" || typeof replacement !== "string")
    return null;
  return compiled(pattern, flags).matcher(input).replaceAll(replacement);
}

function split(input: unknown, delimiter: unknown): readonly string[] | null {
  if (typeof input !== "string" || typeof delimiter !== "string") return null;
  return compiled(delimiter, undefined).split(input, -1);
}

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  s: RE2JS.DOTALL,
  m: RE2JS.MULTILINE,
};

function compiled(pattern: string, flags: unknown): RE2JS {
  let bits = 0;
  for (const flag of typeof flags === "string" ? flags : "") {
    const bit = Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
    if (bit === undefined) throw new Error(`the flag "${flag}" of a pattern is not supported`);
    bits |= bit;
  }
  return RE2JS.compile(pattern, bits);
}

function failure(code: string, message: string, facts: JsonObject): ConditionResult {
  return { kind: "error", code, message, facts };
}
