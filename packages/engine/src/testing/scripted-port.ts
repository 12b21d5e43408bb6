/** @module Ports that answer what a test wrote down. */
import type { HandlerResult } from "@tessera/core";
import type { Port, PortContext } from "../port.ts";

/** One answer: a value, something to throw, or silence until the signal is aborted (and after it). */
export type ScriptedAnswer =
  | { readonly kind: "answer"; readonly value: HandlerResult | undefined }
  | { readonly kind: "throw"; readonly error: unknown }
  | { readonly kind: "hang" };

/** A port with its calls, in order. */
export interface ScriptedPort {
  readonly port: Port;
  readonly calls: readonly PortContext[];
}

/** Answers `value`. */
export function answers(value?: HandlerResult): ScriptedAnswer {
  return { kind: "answer", value };
}

/** Throws `error`. */
export function throws(error: unknown): ScriptedAnswer {
  return { kind: "throw", error };
}

/** Never answers. */
export const HANGS: ScriptedAnswer = { kind: "hang" };

/** A port that plays `script`, one entry a call; the last entry again and again. */
export function scriptedPort(script: readonly ScriptedAnswer[]): ScriptedPort {
  const calls: PortContext[] = [];
  const port: Port = (context) => {
    const entry = script[Math.min(calls.length, script.length - 1)];
    calls.push(context);
    switch (entry?.kind) {
      case "answer":
        return entry.value;
      case "throw":
        throw entry.error;
      default:
        return new Promise(() => {});
    }
  };
  return { port, calls };
}
