/** @module Drives a run by random inputs: each move answers one open item in one of the ways that its kind allows. */
import type { Json, OpenItem } from "@tessera/core";
import fc from "fast-check";
import { alphabetOf } from "../src/input.ts";
import type { InputEvent } from "../src/turn.ts";
import type { BareRun } from "./host.ts";

/** A move: which item, which of its answers, what it writes. */
export interface Move {
  readonly item: number;
  readonly answer: number;
  readonly value: Json | undefined;
  readonly key: string;
}

/** A random move. */
export const arbitraryMove: fc.Arbitrary<Move> = fc.record({
  item: fc.nat({ max: 7 }),
  answer: fc.nat({ max: 15 }),
  value: fc.oneof(
    fc.constant(undefined),
    fc.nat({ max: 4 }),
    fc.constantFrom<Json>("PT1M", "nonsense", null, { deep: [1] }),
  ),
  key: fc.constantFrom("x", "when", "y", "pass1", "pass2"),
});

/** Random moves and the data that the run starts with. */
export const arbitraryMoves: fc.Arbitrary<readonly Move[]> = fc.array(arbitraryMove, { maxLength: 25 });

/** Data of a start. */
export const arbitraryStart: fc.Arbitrary<{ readonly [key: string]: Json }> = fc.record(
  {
    x: fc.nat({ max: 4 }),
    when: fc.constantFrom<Json>("PT1M", "R2/PT1M", "nonsense", 7),
    pass1: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** The input that a move is for the run as it is; null when nothing is open. */
export function inputOf(run: BareRun, move: Move): InputEvent | null {
  const { items } = run.state;
  const item = items[move.item % Math.max(1, items.length)];
  if (item === undefined) return null;
  const patch = { [move.key]: move.value };
  const alphabet = alphabetOf(run.plan, item.node);
  const outcome = alphabet[move.answer % Math.max(1, alphabet.length)] ?? "done";
  if (item.dueAt !== undefined && (item.kind === "timer" || move.answer % 5 === 0))
    return dueInput(run, item);
  const trouble = { code: "TEST", message: "it failed" };
  switch (item.kind) {
    case "job":
      if (move.answer === 14) return { input: { kind: "hold", item: item.id, trouble } };
      if (move.answer === 13) {
        const attempt = (item.attempt ?? 0) + 1;
        return { input: { kind: "attempt-failed", item: item.id, attempt, trouble, retryAt: run.now + 1 } };
      }
      if (move.answer === 12) return { input: { kind: "result", item: item.id, outcome: "none such" } };
      return { input: { kind: "result", item: item.id, outcome }, payload: { patch } };
    case "work-item":
      if (move.answer === 15) return { input: { kind: "claim", item: item.id, by: "bob" } };
      return { input: { kind: "complete", item: item.id, outcome, by: "ann" }, payload: { patch } };
    case "external":
      return { input: { kind: "complete", item: item.id, outcome, by: "world" }, payload: { patch } };
    case "intervention":
      return { input: { kind: "retry", item: item.id, by: "op", reason: "again" } };
    case "child":
    case "event":
    case "timer":
      return null;
  }
}

function dueInput(run: BareRun, item: OpenItem): InputEvent {
  const dueAt = item.dueAt ?? 0;
  run.now = Math.max(run.now, dueAt);
  return { input: { kind: "timer", item: item.id, dueAt } };
}
