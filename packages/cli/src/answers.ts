/** @module Scripted answers: what the nodes of a run answer when nobody is there to ask. */
import { readFile } from "node:fs/promises";
import { type Json, type JsonObject, parseJson } from "@tessera/core";
import { UsageError } from "./io.ts";

/** One answer of a node: an outcome, keys of D to set, and who gave it (work items). */
export interface Answer {
  readonly outcome?: string;
  readonly data?: JsonObject;
  readonly as?: string;
}

/** Answers by node id, each used once in order; the last one is used again. `choices`: transitions of a bare net. */
export interface Answers {
  readonly choices: readonly string[];
  readonly next: (node: string) => Answer | undefined;
}

/** No answers: everything that waits goes on waiting. */
export const NO_ANSWERS: Answers = { choices: [], next: () => undefined };

/** Reads an answers file: `{ "choices": ["t1"], "nodes": { "approve": [{ "outcome": "approve", "as": "kim" }] } }`. */
export async function readAnswers(file: string): Promise<Answers> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new UsageError(
      `${file}: cannot be read`,
      'an answers file is JSON: { "nodes": { "approve": [{ "outcome": "approve" }] } }',
    );
  });
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new UsageError(`${file}: not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return answersOf(file, value);
}

/** The answers in a JSON value. Throws UsageError with the place of everything that is wrong. */
export function answersOf(file: string, value: Json): Answers {
  const problems: string[] = [];
  const root = objectAt(value, "$", problems);
  for (const key of Object.keys(root))
    if (key !== "choices" && key !== "nodes") problems.push(`$.${key}: unknown`);
  const choices = Array.isArray(root.choices)
    ? root.choices.filter((id): id is string => typeof id === "string")
    : [];
  const scripts = new Map<string, readonly Answer[]>();
  for (const [node, list] of Object.entries(objectAt(root.nodes ?? {}, "$.nodes", problems))) {
    const answers = Array.isArray(list) ? list : [list];
    scripts.set(
      node,
      answers.map((answer, index) => answerAt(answer as Json, `$.nodes.${node}[${index}]`, problems)),
    );
  }
  if (problems.length > 0) throw new UsageError(problems.map((problem) => `${file}: ${problem}`).join("\n"));
  const used = new Map<string, number>();
  const next = (node: string) => {
    const script = scripts.get(node);
    if (script === undefined || script.length === 0) return undefined;
    const index = used.get(node) ?? 0;
    used.set(node, index + 1);
    return script[Math.min(index, script.length - 1)];
  };
  return { choices, next };
}

function answerAt(value: Json, path: string, problems: string[]): Answer {
  const { outcome, data, as, ...rest } = objectAt(value, path, problems);
  for (const key of Object.keys(rest))
    problems.push(`${path}.${key}: unknown; an answer has outcome, data, as`);
  if (outcome !== undefined && typeof outcome !== "string") problems.push(`${path}.outcome: not a text`);
  if (as !== undefined && typeof as !== "string") problems.push(`${path}.as: not a text`);
  const object = data === undefined ? undefined : objectAt(data, `${path}.data`, problems);
  return {
    ...(typeof outcome === "string" ? { outcome } : {}),
    ...(typeof as === "string" ? { as } : {}),
    ...(object === undefined ? {} : { data: object }),
  };
}

function objectAt(value: Json, path: string, problems: string[]): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  problems.push(`${path}: not an object`);
  return {};
}
