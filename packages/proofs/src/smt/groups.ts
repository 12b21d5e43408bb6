/** @module Open leaves that formulas can say, in groups that read the same keys, with the decided leaves beside them. */
import type { CompiledWorkflow } from "@tessera/core";
import { type Leaf, type Questions, referencesOf, slotKey, typeOf } from "../data-level/conditions-read.ts";
import { type Domain, isOptional } from "../data-level/domain.ts";
import { TOLD_PREFIX } from "../data-level/told-answers.ts";
import { encodeGuard, type ReadTerm, vocabularyOf } from "./encode.ts";
import { oddKey } from "./odd-key.ts";

/** Leaves whose answers are asked together, those that cases decide last, and the keys that they read. */
export interface LeafGroup {
  readonly leaves: readonly Leaf[];
  readonly toldCount: number;
  readonly reads: readonly ReadonlySet<string>[];
  readonly keys: ReadonlySet<string>;
  readonly isWhole: boolean;
}

/** The groups, and for each open leaf that is in none the reason. */
export interface Grouping {
  readonly groups: readonly LeafGroup[];
  readonly left: readonly { readonly leaf: Leaf; readonly reason: string }[];
}

/**
 * The open leaves of the domain that formulas can say: they read whole keys that are declared as numbers, integers, texts
 * or truth values, always have a value (D23.1) and are written by no verifier. Leaves that share keys, directly or through decided ones, are a group.
 */
export function groupsOf(compiled: CompiledWorkflow, domain: Domain, read: ReadTerm): Grouping {
  const { questions, open, slotsOfKey } = domain;
  const odd = oddKey(compiled, questions);
  const isReserved = [...slotsOfKey.keys()].some((key) => key.startsWith(TOLD_PREFIX));
  const left: { readonly leaf: Leaf; readonly reason: string }[] = [];
  const told: Read[] = [];
  for (const leaf of questions.leaves.filter((one) => open.has(one))) {
    const found =
      odd !== null && (leaf.kind === "opaque" || isReserved) ? odd : readsOf(questions, leaf, read);
    if (typeof found === "string") left.push({ leaf, reason: found });
    else told.push({ leaf, keys: found });
  }
  const beside = questions.leaves.flatMap((leaf): readonly Read[] => {
    const keys = open.has(leaf) ? "" : readsOf(questions, leaf, read);
    return typeof keys === "string" ? [] : [{ leaf, keys }];
  });
  const groups = joined(told, beside).map(({ own, others, keys }): LeafGroup => {
    const all = [...own, ...others];
    return {
      leaves: all.map(({ leaf }) => leaf),
      toldCount: own.length,
      reads: all.map((one) => one.keys),
      keys,
      isWhole: isAskedByNoOther(domain, keys, new Set(all.map(({ leaf }) => leaf))),
    };
  });
  return { groups, left };
}

interface Read {
  readonly leaf: Leaf;
  readonly keys: ReadonlySet<string>;
}

/** The keys that the leaf reads, or why no formula says what it asks. */
function readsOf(questions: Questions, leaf: Leaf, read: ReadTerm): ReadonlySet<string> | string {
  const vocabulary = vocabularyOf(questions.declared, read);
  if (encodeGuard(vocabulary, leaf) === null) return "it asks for more than a term of declared keys";
  const keys = new Set(vocabulary.variables.keys());
  const missing = [...keys].find((key) => isOptional(questions, key));
  if (missing !== undefined) return `"${missing}" may have no value`;
  const verdict = [...keys].find((key) => questions.verdictKeys.has(key));
  if (verdict !== undefined) return `"${verdict}" is what a verifier answers`;
  return keys.size === 0 ? "it reads no key" : keys;
}

/** Groups that share keys become one; a decided leaf comes in, with its keys, where it reads a key of one. */
function joined(
  told: readonly Read[],
  beside: readonly Read[],
): readonly {
  readonly own: readonly Read[];
  readonly others: readonly Read[];
  readonly keys: Set<string>;
}[] {
  let sets = told.map(({ keys }) => new Set(keys));
  for (let before = Number.NaN; ; ) {
    const merged: Set<string>[] = [];
    for (const keys of sets) {
      const own = new Set(keys);
      for (const one of beside) if (isMeeting(one.keys, own)) for (const key of one.keys) own.add(key);
      const same = merged.find((other) => isMeeting(other, own));
      if (same === undefined) merged.push(own);
      else for (const key of own) same.add(key);
    }
    sets = merged;
    const size = merged.length * 1e6 - merged.reduce((sum, keys) => sum + keys.size, 0);
    if (size === before) break;
    before = size;
  }
  return sets.map((keys) => ({
    own: told.filter((one) => isMeeting(one.keys, keys)),
    others: beside.filter((one) => isMeeting(one.keys, keys)),
    keys,
  }));
}

function isMeeting(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return [...left].some((key) => right.has(key));
}

/**
 * Are the leaves all that ask of the keys, one key each where cases decide, and does every form that writes one take all
 * its values? Then cases say nothing of the keys but what the combination says.
 */
function isAskedByNoOther(
  { questions, slots }: Domain,
  keys: ReadonlySet<string>,
  leaves: ReadonlySet<Leaf>,
): boolean {
  const isOther = (leaf: Leaf) => !leaves.has(leaf) && referencesOf(leaf).some(({ key }) => keys.has(key));
  const isCompared = (leaf: Leaf) => leaves.has(leaf) && new Set(referencesOf(leaf).map(slotKey)).size > 1;
  const decided = questions.leaves.filter((leaf) => isOther(leaf) || isCompared(leaf));
  const isTabled =
    questions.keyed.some(({ key }) => keys.has(key)) || [...questions.lists].some((key) => keys.has(key));
  const isNarrowed = questions.forms.flat().some((field) => {
    if (field === null || !keys.has(field.key)) return false;
    return field.type !== typeOf(questions, field.key)?.type || field.values !== undefined;
  });
  const isInner = slots.some(({ reference: { key, path } }) => keys.has(key) && path.length > 0);
  return decided.length === 0 && !isTabled && !isNarrowed && !isInner;
}
