/** @module The case of concrete data, by what is asked of them: for oracles of told cases. */
import { type Condition, type Data, evaluateCondition, type Json, jsonEqual } from "@tessera/core";
import { decisionOutcome } from "@tessera/gateways";
import { isOfType, listAnswer, referencesOf } from "../../packages/proofs/src/data-level/conditions-read.ts";
import type { Domain } from "../../packages/proofs/src/data-level/domain.ts";
import { environment } from "./expressions.ts";

/** For each slot the index of the value that stands for what the data have there; null if none does. */
export function caseOf(domain: Domain, data: Data): readonly number[] | null {
  const cells = domain.slots.map(({ reference: { key, path }, values }, slot) => {
    const group = domain.told?.groups.find((one) => one.slot === slot);
    if (group !== undefined)
      return values.indexOf(group.leaves.map((leaf) => String(answerOf(leaf, data)).slice(0, 1)).join(""));
    if (path.length > 0) throw new Error(`a part of ${key}`);
    const own = Object.hasOwn(data, key) ? data[key] : undefined;
    const exact = values.findIndex((value) => isSame(value, own));
    if (exact >= 0) return exact;
    const asked = askedOf(domain, key);
    return values.findIndex((value) => jsonEqual(asked(value), asked(own)));
  });
  return cells.includes(-1) ? null : cells;
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === undefined || other === undefined ? one === other : jsonEqual(one, other);
}

function answerOf(leaf: Condition, data: Data): Json {
  const answer = evaluateCondition(leaf, data, environment);
  return answer.kind === "value" ? answer.value : "error";
}

/** All that is asked of a key by itself. */
function askedOf({ questions, open, told }: Domain, key: string): (value: Json | undefined) => Json {
  const isAlone = (keys: readonly string[]) => keys.length > 0 && keys.every((one) => one === key);
  const leaves = questions.leaves.filter(
    (leaf) =>
      !open.has(leaf) &&
      told?.places.has(leaf) !== true &&
      isAlone(referencesOf(leaf).map((reference) => reference.key)),
  );
  const fields = questions.forms.flat().filter((field) => field?.key === key);
  const tables = questions.keyed.filter((one) => one.key === key);
  return (value) => [
    value === undefined,
    ...leaves.map((leaf) => answerOf(leaf, value === undefined ? {} : { [key]: value })),
    ...tables.map(({ node }) => decisionOutcome(node, value)),
    ...fields.map((field) => value !== undefined && isOfType(value, field!)),
    listAnswer(value),
    questions.passKeys.has(key) && typeof value === "boolean" ? value : "none",
  ];
}
