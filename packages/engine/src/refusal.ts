/** @module Refusals: why an operation was not done, as a value with a code and the facts. */
import type { JsonObject } from "@tessera/core";
import type { InputRefusal } from "./turn.ts";

/**
 * Why. Those of the turn (see `InputRefusal`), and:
 * not-found: no such run, item, workflow or version. exists: the id belongs to a run with other content.
 * unauthorized: this actor may not. claimed: another actor has it. limit: too many bytes. invalid: the issues are in the
 * facts. unproved: obligations fail or are open and nobody accepted that. busy: too many other writers. fenced: the
 * lease is another worker's now. closed: the engine is. orphan: the caller of this run no longer waits for it.
 * taken, expired: the message is somebody else's, or has come to its end. erased, pruned: what it takes is gone from the
 * journal.
 */
export type RefusalCode =
  | InputRefusal["code"]
  | "not-found"
  | "exists"
  | "unauthorized"
  | "claimed"
  | "limit"
  | "invalid"
  | "unproved"
  | "busy"
  | "fenced"
  | "orphan"
  | "taken"
  | "expired"
  | "closed"
  | "erased"
  | "pruned";

/** An operation that was not done. Nothing changed. */
export interface Refused {
  readonly kind: "refused";
  readonly code: RefusalCode;
  readonly message: string;
  readonly facts: JsonObject;
}

/** Builds a refusal. */
export function refused(code: RefusalCode, message: string, facts: JsonObject = {}): Refused {
  return { kind: "refused", code, message, facts };
}

/** Thrown by `accepted` only, for programs that treat a refusal as a fault. */
export class RefusedError extends Error {
  override readonly name: string = "RefusedError";
  readonly code: RefusalCode;
  readonly facts: JsonObject;
  constructor({ code, message, facts }: Refused) {
    super(`${code}: ${message}`);
    this.code = code;
    this.facts = facts;
  }
}

/** The answer, if it is no refusal. @throws RefusedError otherwise. */
export function accepted<T extends { readonly kind: string }>(
  answer: T,
): Exclude<T, { readonly kind: "refused" }> {
  if (answer.kind === "refused") throw new RefusedError(answer as unknown as Refused);
  return answer as Exclude<T, { readonly kind: "refused" }>;
}
