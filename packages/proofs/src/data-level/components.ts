/** @module Places of D that are compared with each other: their constants, and how many values of a gap they need. */
import { type DataReference, type Json, readData } from "@tessera/core";
import {
  type Leaf,
  listedValues,
  type Questions,
  referencesOf,
  slotKey,
  slotReference,
  typeOf,
} from "./conditions-read.ts";

/**
 * Slots that are compared with each other, directly or through others: how many, what any of them is compared with, and
 * whether some of their values must be integers.
 */
export interface Part {
  readonly slots: readonly number[];
  /** Are some of them compared by order? */
  readonly isOrdered: boolean;
  readonly constants: readonly Json[];
  readonly size: number;
  readonly hasIntegers: boolean;
}

/** By slot. */
export interface Components {
  readonly parts: readonly Part[];
  /** Is the slot compared with another one? */
  readonly isShared: readonly boolean[];
}

/**
 * Divides the slots by the comparisons of `decided`. All slots of a part share its constants: what conditions, tables of
 * decisions and forms compare with them, and the listed values of keys that they are compared with.
 */
export function componentsOf(
  questions: Questions,
  references: readonly DataReference[],
  decided: readonly Leaf[],
): Components {
  const slotOf = new Map(references.map((reference, index) => [slotKey(reference), index]));
  const at = (reference: DataReference) => slotOf.get(slotKey(slotReference(questions, reference)))!;
  const isListed = (reference: DataReference) => listedValues(questions, reference.key) !== null;
  const part = references.map((_, index) => index);
  const isShared = references.map(() => false);
  const constants: Json[][] = references.map(() => []);
  const ordered = new Set<number>();
  const partOf = (slot: number): number => (part[slot] === slot ? slot : partOf(part[slot]!));
  for (const leaf of decided) {
    const places = referencesOf(leaf);
    if (leaf.kind === "compare" && leaf.right.kind === "constant") {
      const { value } = leaf.right;
      const isList = leaf.op === "isOneOf" || leaf.op === "isNoneOf";
      constants[at(leaf.left)]!.push(...(isList ? (value as readonly Json[]) : [value]));
    }
    const [left, right] = places;
    if (left === undefined || right === undefined) continue;
    if (at(left) !== at(right)) {
      isShared[at(left)] = true;
      isShared[at(right)] = true;
    }
    // Keys with listed values keep them; to the other side they are constants.
    if (isListed(left) || isListed(right)) {
      if (!isListed(left)) constants[at(left)]!.push(...valuesAt(questions, right));
      if (!isListed(right)) constants[at(right)]!.push(...valuesAt(questions, left));
    } else {
      part[partOf(at(left))] = partOf(at(right));
      if (isOrder(leaf) && at(left) !== at(right)) ordered.add(at(left));
    }
  }
  references.forEach(({ key, path }, slot) => {
    if (path.length > 0) return;
    constants[slot]!.push(...tableConstants(questions, key));
    if (questions.lists.has(key)) constants[slot]!.push([]);
  });
  const parts = references.map((_, slot): Part => {
    const slots = references.flatMap((__, other) => (partOf(other) === partOf(slot) ? [other] : []));
    return {
      slots,
      isOrdered: slots.some((other) => ordered.has(other)),
      constants: slots.flatMap((other) => constants[other]!),
      size: slots.length,
      hasIntegers: slots.some((other) => isInteger(questions, references[other]!.key)),
    };
  });
  return { parts, isShared };
}

/** Does the leaf ask which of two values is greater? */
function isOrder(leaf: Leaf): boolean {
  return leaf.kind === "compare" && leaf.op !== "is" && leaf.op !== "isNot";
}

/**
 * The comparisons between two places that are not decided: those of a part that is compared by order somewhere, unless
 * all its places are keys that are declared as numbers, or all as integers, and forms ask for just that of them. Texts
 * have neighbours with nothing between, and other places may be of any type.
 */
export function uncomparable(questions: Questions, decided: readonly Leaf[]): readonly Leaf[] {
  const isListed = (reference: DataReference) => listedValues(questions, reference.key) !== null;
  const between = decided.filter((leaf) => {
    const places = referencesOf(leaf);
    return places.length === 2 && !places.some(isListed);
  });
  const found = new Set<Leaf>();
  for (const leaf of between.filter(isOrder)) {
    // Everything that is compared with its places, directly or through others.
    const keys = new Set(referencesOf(leaf).map(slotKey));
    const linked = new Set<Leaf>([leaf]);
    for (let before = -1; before < linked.size; ) {
      before = linked.size;
      for (const other of between) {
        if (!referencesOf(other).some((place) => keys.has(slotKey(place)))) continue;
        linked.add(other);
        for (const place of referencesOf(other)) keys.add(slotKey(place));
      }
    }
    const places = [...linked].flatMap(referencesOf);
    const type = typeOf(questions, places[0]!.key)?.type;
    const isPlain = places.every(({ key, path }) => {
      const fields = questions.forms.flatMap((form) => form?.filter((field) => field.key === key) ?? []);
      const isFree = fields.every(
        (field) => field.type === type && field.values === undefined && !field.isOptional,
      );
      return path.length === 0 && typeOf(questions, key)?.type === type && isFree;
    });
    if (!isPlain || (type !== "number" && type !== "integer")) for (const other of linked) found.add(other);
  }
  return [...found];
}

/** Is the key declared as an integer, or written as one by a form? */
function isInteger(questions: Questions, key: string): boolean {
  const fields = questions.forms.flatMap((form) => form?.filter((field) => field.key === key) ?? []);
  return [typeOf(questions, key), ...fields].some((type) => type?.type === "integer");
}

/** The values that a place below a key with listed values can have. */
function valuesAt(questions: Questions, { key, path }: DataReference): readonly Json[] {
  const values = listedValues(questions, key) ?? [];
  return values.map((value) => readData({ [key]: value }, key, path)).filter((value) => value !== undefined);
}

/** What decisions by the key and forms that write it compare its value with. */
function tableConstants({ keyed, forms }: Questions, key: string): readonly Json[] {
  const texts = keyed
    .filter((one) => one.key === key)
    .flatMap(({ node }) => Object.keys((node.meta?.branches ?? {}) as { readonly [text: string]: Json }));
  const numbers = texts
    .map(Number)
    .filter((value) => Number.isFinite(value) && texts.includes(String(value)));
  const listed = forms.flatMap((fields) => fields?.filter((field) => field.key === key) ?? []);
  return [...texts, ...numbers, ...listed.flatMap(({ values }) => values ?? [])];
}
