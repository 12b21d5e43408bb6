/** @module Answers of open leaves that a case tells: a solver has found which of them can go together. */
import { type Condition, type Data, evaluateCondition } from "@tessera/core";
import type { Leaf } from "./conditions-read.ts";
import type { Domain } from "./domain.ts";

/** What a leaf answers. */
export type LeafAnswer = "t" | "f" | "e";

/** Leaves that read the same keys, and how they can answer together on data in the range of D23.1. */
export interface AnswerGroup {
  /** The first `toldCount` are open without the group, the others are decided by cases. */
  readonly leaves: readonly Leaf[];
  readonly toldCount: number;
  /** By leaf: the keys that it reads. */
  readonly reads: readonly ReadonlySet<string>[];
  readonly keys: ReadonlySet<string>;
  /** All combinations that data can give: the answer (LeafAnswer) of each leaf in turn. */
  readonly combinations: readonly string[];
  /** Does nothing else ask of the keys, so that whoever writes them all can bring about every combination? */
  readonly isWhole: boolean;
}

/** Groups with the slots, behind those of places, whose values are their combinations. */
export interface ToldAnswers {
  readonly groups: readonly (AnswerGroup & { readonly slot: number; readonly name: string })[];
  readonly places: ReadonlyMap<Condition, { readonly name: string; readonly at: number }>;
}

/** Names of the slots of groups begin so: no key of D may, where there are groups. */
export const TOLD_PREFIX = "\u0000";

/**
 * The domain in which a case tells also how the leaves of each group answer: a slot for each group, that changes when one of its
 * keys is written.
 *
 * @definition D23.12
 */
export function withTold(domain: Domain, groups: readonly AnswerGroup[]): Domain {
  const told = groups.map((group, index) => {
    return { ...group, slot: domain.slots.length + index, name: `${TOLD_PREFIX}${index}` };
  });
  const slotsOfKey = new Map(domain.slotsOfKey);
  for (const { keys, slot } of told)
    for (const key of keys) slotsOfKey.set(key, [...(slotsOfKey.get(key) ?? []), slot]);
  const places = new Map(
    told.flatMap(({ leaves, toldCount, name }) =>
      leaves.slice(0, toldCount).map((leaf, at) => [leaf as Condition, { name, at }] as const),
    ),
  );
  return {
    ...domain,
    slots: [
      ...domain.slots,
      ...told.map(({ name, combinations }) => ({
        reference: { key: name, path: [] },
        values: combinations,
      })),
    ],
    open: new Set([...domain.open].filter((leaf) => !places.has(leaf))),
    slotsOfKey,
    told: { groups: told, places },
  };
}

/** What the data of a case tell of a leaf; null if nothing. */
export function toldAnswer({ told }: Domain, leaf: Condition, data: Data): LeafAnswer | null {
  const place = told?.places.get(leaf);
  return place === undefined ? null : (String(data[place.name])[place.at] as LeafAnswer);
}

/** Do the decided leaves of each group answer on the data of a case as its combination says? */
export function isConsistent({ told }: Domain, data: Data): boolean {
  return (told?.groups ?? []).every(({ name, leaves, toldCount }) => {
    const combination = String(data[name]);
    return leaves
      .slice(toldCount)
      .every((leaf, at) => leafAnswer(leaf, data) === combination[toldCount + at]);
  });
}

/** How the evaluator answers. */
export function leafAnswer(
  leaf: Leaf,
  data: Data,
  environment: Parameters<typeof evaluateCondition>[2] = {},
): LeafAnswer {
  const answer = evaluateCondition(leaf, data, environment);
  return answer.kind === "error" ? "e" : answer.value ? "t" : "f";
}

/** Can the case `before` become `after` when the keys are written: do leaves that read none of them answer as before? */
export function isKept(
  { told, slots }: Domain,
  before: readonly number[],
  after: readonly number[],
  isWritten: (key: string) => boolean,
): boolean {
  return (told?.groups ?? []).every(({ slot, reads }) => {
    const [old, young] = [before, after].map((cells) => String(slots[slot]!.values[cells[slot]!]));
    return reads.every((keys, at) => old![at] === young![at] || [...keys].some(isWritten));
  });
}

/**
 * Can whoever writes the keys bring about each combination, whatever the other keys are? That is so where none of a
 * group is written, or all are and nothing else asks of them.
 */
export function isFreeToChoose({ told }: Domain, isWritten: (key: string) => boolean): boolean {
  return (told?.groups ?? []).every(({ keys, isWhole }) => {
    const written = [...keys].filter(isWritten).length;
    return written === 0 || (isWhole && written === keys.size);
  });
}

/** Slots that are chosen with the groups of which a key is written. */
export function slotsTouched(
  { told, slots }: Domain,
  isWritten: (key: string) => boolean,
): ReadonlySet<number> {
  const touched = (told?.groups ?? []).filter(({ keys }) => [...keys].some(isWritten));
  const isIn = (key: string) => touched.some(({ keys, name }) => name === key || keys.has(key));
  return new Set(slots.flatMap(({ reference: { key } }, slot) => (isIn(key) ? [slot] : [])));
}
