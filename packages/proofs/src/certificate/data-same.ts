/** @module Data on which everything that is asked answers alike, for checkers. */
import { type Condition, canonicalJson, type Data, evaluateCondition, readData } from "@tessera/core";
import { decisionOutcome } from "@tessera/gateways";
import { isOfType, listAnswer } from "../data-level/conditions-read.ts";
import type { Domain } from "../data-level/domain.ts";
import { standingOf } from "./data-cases.ts";

/** Are `seen` the data, as far as conditions read them? */
export function isSeen({ slotsOfKey }: Domain, data: Data, seen: Data): boolean {
  const read = Object.fromEntries(Object.entries(data).filter(([key]) => slotsOfKey.has(key)));
  return canonicalJson(read) === canonicalJson(seen);
}

/** Is `given` a case of the data: does everything that is asked answer on both alike? */
export function isCaseOf(
  { questions, slots, orders, open, slotsOfKey }: Domain,
  given: Data,
  data: Data,
): boolean {
  const at = (D: Data, slot: number) => {
    const { key, path } = slots[slot]!.reference;
    return readData(D, key, path);
  };
  const alike = (ask: (D: Data) => unknown) => ask(given) === ask(data);
  const answer = (leaf: Condition) => (D: Data) => {
    const found = evaluateCondition(leaf, D);
    return found.kind === "error" ? "error" : found.value;
  };
  const verdicts = [...questions.passKeys, ...questions.verdictKeys];
  return (
    questions.leaves.every((leaf) => open.has(leaf) || alike(answer(leaf))) &&
    slots.every((_, slot) => alike((D) => at(D, slot) === undefined)) &&
    [...questions.lists].every((key) => alike((D) => listAnswer(readData(D, key, [])))) &&
    questions.keyed.every(({ node, key }) => alike((D) => decisionOutcome(node, readData(D, key, [])))) &&
    verdicts.every((key) => alike((D) => (typeof D[key] === "boolean" ? D[key] : "none"))) &&
    questions.forms.every((fields) =>
      (fields ?? []).every(
        (field) =>
          // A case says nothing of a key of which nothing but forms asks.
          !slotsOfKey.has(field.key) ||
          alike((D) => Object.hasOwn(D, field.key) && isOfType(D[field.key]!, field)),
      ),
    ) &&
    orders.every((part) =>
      alike((D) =>
        standingOf(
          part.slots.map((slot) => at(D, slot)),
          part.constants,
        ),
      ),
    )
  );
}
