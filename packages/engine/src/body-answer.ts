/** @module Reads what a body answered: nothing it says is trusted, and nothing it says too much is dropped in silence. */
import {
  type Json,
  type JsonObject,
  type Mutation,
  type Outcome,
  parseMutation,
  type Trouble,
} from "@tessera/core";
import { isJournalText, journalText } from "./trouble.ts";

/** A well-formed answer: a label (done when the body gave none), keys of D to set or unset, a mutation of G. */
export interface Answer {
  readonly outcome: Outcome;
  readonly patch: { readonly [key: string]: Json | undefined };
  readonly mutation: Mutation | null;
}

/** The answer, or the trouble that made it none. */
export type Reading =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/** The answer of a body that has nothing to say. */
const NOTHING: Answer = { outcome: "done", patch: {}, mutation: null };

const MEMBERS: readonly string[] = ["outcome", "patch", "mutation"];

/**
 * Reads `{ outcome?, patch?, mutation? }` or undefined; anything else is BODY_INVALID. The values of `patch` are
 * checked where they enter D. A promise is no answer: its rejection is taken, so that it cannot end the process.
 */
export function readBodyAnswer(value: unknown): Reading {
  if (value === undefined) return { kind: "answer", answer: NOTHING };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return invalid("it is no object");
  if ("then" in value) {
    if (typeof value.then === "function") value.then(ignore, ignore);
    return invalid("it is a promise; an inline body is synchronous");
  }
  const unknown = Object.keys(value).filter((member) => !MEMBERS.includes(member));
  if (unknown.length > 0) return invalid(`it has the unknown members ${unknown.join(", ")}`);
  const { outcome = "done", patch = {}, mutation } = value as { readonly [member: string]: unknown };
  if (typeof outcome !== "string" || !isJournalText(outcome)) return invalid("its outcome is no label");
  if (typeof patch !== "object" || patch === null || Array.isArray(patch))
    return invalid("its patch is no object");
  // Assigning this key would change what D inherits; a patch that has it is refused before it is looked at.
  if (Object.hasOwn(patch, "__proto__")) return invalid("its patch has the key __proto__");
  const answer = { outcome, patch: patch as Answer["patch"] };
  if (mutation === undefined) return { kind: "answer", answer: { ...answer, mutation: null } };
  const parsed = parseMutation(mutation);
  if (parsed.ok) return { kind: "answer", answer: { ...answer, mutation: freeze(parsed.value) } };
  const [first] = parsed.issues;
  return invalid(`its mutation is malformed: ${first?.message ?? ""}`, { code: first?.code ?? "" });
}

/** Objects of G are handed to bodies as they are, so nobody may change them. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
  return value;
}

function invalid(why: string, facts: JsonObject = {}): Reading {
  const message = journalText(`the answer is not { outcome, patch, mutation }: ${why}`);
  const trouble = { code: "BODY_INVALID", message, facts };
  return { kind: "trouble", trouble };
}

function ignore(): void {}
