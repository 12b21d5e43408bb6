/** @module The data of a workflow as finitely many cases: places of D, and values that stand for all others. */
import {
  type Condition,
  type Data,
  type DataReference,
  evaluateCondition,
  type Json,
  jsonEqual,
  readData,
} from "@tessera/core";
import { decisionOutcome } from "@tessera/gateways";
import { componentsOf, type Part, uncomparable } from "./components.ts";
import {
  type Field,
  isComparison,
  isOfType,
  type Leaf,
  listAnswer,
  listedValues,
  type Questions,
  referencesOf,
  slotKey,
  slotReference,
  typeOf,
} from "./conditions-read.ts";
import { type OrderPart, orderPart } from "./order-part.ts";
import { integerBounds, integerPool, numberPool, textPool } from "./representatives.ts";
import type { ToldAnswers } from "./told-answers.ts";

/** A value that a place of D may have; undefined: it has none. */
export type Value = Json | undefined;

/** A place of D that questions read, with values that stand for all. */
export interface Slot {
  readonly reference: DataReference;
  readonly values: readonly Value[];
}

/**
 * The data of a workflow, abstracted. A case is an index into the values of each slot. `open`: the leaves that the cases
 * do not decide, so that each of their answers must be reckoned with.
 */
export interface Domain {
  readonly questions: Questions;
  readonly slots: readonly Slot[];
  readonly open: ReadonlySet<Condition>;
  /** Slots that are compared with each other by order: their cases are patterns. */
  readonly orders: readonly OrderPart[];
  /** Slots at or below a key. */
  readonly slotsOfKey: ReadonlyMap<string, readonly number[]>;
  /** Leaves whose answers a case tells though no values of places do (D23.12); absent where nobody was asked. */
  readonly told?: ToldAnswers;
}

/** The domain, or why there is none. */
export type DomainResult =
  | { readonly kind: "domain"; readonly domain: Domain }
  | { readonly kind: "undecided"; readonly reason: string };

/**
 * The places of D that `questions` read and representatives of their values: the listed values of keys that list them,
 * truth values, and otherwise the values that comparisons single out with enough of every gap (D23.1). Values that no
 * question tells apart are one.
 *
 * @definition D23.1
 */
export function domainOf(questions: Questions): DomainResult {
  const drafted = draftSlots(questions);
  if (typeof drafted === "string") return { kind: "undecided", reason: drafted };
  const { references, open } = drafted;
  const decided = questions.leaves.filter((leaf) => !open.has(leaf));
  const components = componentsOf(questions, references, decided);
  const slots: Slot[] = [];
  const orders: OrderPart[] = [];
  for (const [index, reference] of references.entries()) {
    const part = components.parts[index]!;
    const raw = rawValues(questions, reference, part);
    const { key } = reference;
    if (raw === null) return { kind: "undecided", reason: `"${key}" is compared with too large a number` };
    const isAlone = !components.isShared[index];
    slots.push({ reference, values: isAlone ? distinct(questions, reference, raw, decided) : raw });
    if (!part.isOrdered || part.slots[0] !== index) continue;
    const order = orderOf(questions, references, part);
    if (order === null) return { kind: "undecided", reason: `too many keys are compared with "${key}"` };
    orders.push(order);
  }
  for (const { slots: members, values } of orders) {
    for (const slot of members) slots[slot] = { reference: references[slot]!, values };
  }
  const slotsOfKey = new Map<string, number[]>();
  references.forEach(({ key }, index) => {
    slotsOfKey.set(key, [...(slotsOfKey.get(key) ?? []), index]);
  });
  return { kind: "domain", domain: { questions, slots, orders, open, slotsOfKey } };
}

/** The patterns of a part that is compared by order: all its slots are numbers, or all are integers. */
function orderOf(questions: Questions, references: readonly DataReference[], part: Part): OrderPart | null {
  const keys = part.slots.map((slot) => references[slot]!.key);
  const isDiscrete = typeOf(questions, keys[0]!)?.type === "integer";
  const numbers = part.constants.filter((value) => typeof value === "number");
  const constants = isDiscrete
    ? integerBounds(numbers)
    : [...new Set(numbers.map((value) => value + 0))].sort((a, b) => a - b);
  const pool = isDiscrete ? integerPool(constants, part.size) : numberPool(constants, part.size);
  const isFull =
    pool !== null && (isDiscrete || pool.length === constants.length + part.size * (constants.length + 1));
  const mayMiss = keys.map((key) => isOptional(questions, key));
  return isFull ? orderPart(part.slots, pool, constants, mayMiss, isDiscrete) : null;
}

/** The data of a case. */
export function dataOf(domain: Domain, cells: readonly number[]): Data {
  return dataWith(
    domain,
    domain.slots.map(({ values }, slot) => values[cells[slot]!]),
  );
}

/** The data in which the slots have `values`. A declared key whose parts are read is there, empty, when it has none. */
export function dataWith({ questions, slots }: Domain, values: readonly Value[]): Data {
  const data = new Map<string, Json>();
  for (const { reference } of slots) {
    const isObject = reference.path.length > 0 && typeOf(questions, reference.key)?.type === "object";
    if (isObject) data.set(reference.key, {});
  }
  slots.forEach(({ reference: { key, path } }, slot) => {
    const value = values[slot];
    if (value !== undefined) data.set(key, withValue(data.get(key), path as readonly string[], value));
  });
  return Object.fromEntries(data);
}

/** May the key be without a value: is it not declared, a pass key, or asked whether it is assigned? */
export function isOptional({ declared, passKeys, leaves }: Questions, key: string): boolean {
  if (!Object.hasOwn(declared, key) || passKeys.has(key)) return true;
  return leaves.some(
    (leaf) => leaf.kind === "isAssigned" && leaf.left.key === key && leaf.left.path.length === 0,
  );
}

function draftSlots(
  questions: Questions,
): { readonly references: readonly DataReference[]; readonly open: ReadonlySet<Condition> } | string {
  const open = new Set<Condition>(questions.leaves.filter((leaf) => !isDecidable(questions, leaf)));
  const whole = new Set([
    ...questions.keyed.map(({ key }) => key),
    ...questions.lists,
    ...questions.passKeys,
    ...questions.verdictKeys,
  ]);
  const used = () => questions.leaves.filter((leaf) => !open.has(leaf));
  const placesOf = (leaf: Leaf) => referencesOf(leaf).map((reference) => slotReference(questions, reference));
  // A place and a part of it: one of the two is left open, the part where the whole is needed.
  for (const leaf of used()) {
    const isPart = placesOf(leaf).some(({ key, path }) => path.length > 0 && whole.has(key));
    if (isPart) open.add(leaf);
  }
  for (const leaf of used()) {
    const parts = used().flatMap(placesOf);
    if (placesOf(leaf).some((outer) => parts.some((part) => isBelow(part, outer)))) open.add(leaf);
  }
  for (const leaf of uncomparable(questions, used())) open.add(leaf);
  const byKey = new Map<string, DataReference>();
  const roots = [...whole].map((key): DataReference => ({ key, path: [] }));
  for (const reference of [...roots, ...used().flatMap(placesOf)]) byKey.set(slotKey(reference), reference);
  const references = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reference]) => reference);
  const torn = questions.forms.flat().find((field) => {
    const isInner = references.some(({ key, path }) => key === field?.key && path.length > 0);
    return field !== null && isInner && field.type !== "object" && field.type !== "any";
  });
  const mistyped = [...questions.verdictKeys].find((key) => {
    const type = typeOf(questions, key);
    return type !== undefined && ![false, true].every((value) => isOfType(value, type));
  });
  if (mistyped !== undefined) return `the type of "${mistyped}" does not allow both verdicts`;
  if (torn != null) return `a form writes "${torn.key}" as ${torn.type}, and guards read parts of it`;
  return { references, open };
}

/** Is the leaf decided by the cases: a comparison of plain places, or of keys whose values are listed? */
function isDecidable(questions: Questions, leaf: Leaf): boolean {
  const references = referencesOf(leaf);
  if (references.length === 0) return false;
  const isListed = (key: string) => listedValues(questions, key) !== null;
  if (references.every(({ key }) => isListed(key))) return true;
  return (
    isComparison(leaf) &&
    references.every(({ key, path }) => {
      if (isListed(key) || path.length === 0) return true;
      const type = typeOf(questions, key)?.type;
      return path.every((step) => typeof step === "string") && (type === undefined || type === "object");
    })
  );
}

/** The values before those that nobody tells apart are merged; null if they cannot be enumerated. */
function rawValues(
  questions: Questions,
  { key, path }: DataReference,
  { constants, size: k, hasIntegers }: Part,
): readonly Value[] | null {
  const missing: readonly Value[] = path.length > 0 || isOptional(questions, key) ? [undefined] : [];
  const listed = path.length === 0 ? listedValues(questions, key) : null;
  if (listed !== null) return [...unequal(listed), ...missing];
  const type = path.length === 0 ? (typeOf(questions, key)?.type ?? "any") : "any";
  const numbers = constants.filter((value) => typeof value === "number");
  // Two at least: between a constant and the next integer there may be no other number, between integers there are.
  const integers = hasIntegers ? integerPool(numbers, Math.max(2, k)) : [];
  if (integers === null) return null;
  const texts = constants.filter((value) => typeof value === "string");
  const lists = constants.filter((value) => Array.isArray(value));
  const objects = constants.filter((value) => isOfType(value, { type: "object" }));
  const all: Readonly<Record<string, () => readonly Json[]>> = {
    integer: () => integers,
    // Other integers would be missing where integers alone may stand.
    number: () =>
      numberPool([...numbers, ...integers], k).filter(
        (value) => !hasIntegers || !Number.isInteger(value) || integers.includes(value),
      ),
    string: () => textPool(texts, k),
    array: () => [...unequal(lists), ...fresh(lists, k, (text) => [text])],
    object: () => [...unequal(objects), ...fresh(objects, k, (text) => ({ [text]: true }))],
  };
  const own = all[type];
  if (own !== undefined) return [...own(), ...missing];
  const rest = ["number", "string", "array", "object"].flatMap((name) => all[name]!());
  return [false, true, ...rest, null, ...missing];
}

function fresh(known: readonly Json[], k: number, make: (text: string) => Json): readonly Json[] {
  const found: Json[] = [];
  for (let number = 1; found.length < k; number += 1) {
    const value = make(`(${number})`);
    if (!known.some((one) => jsonEqual(one, value))) found.push(value);
  }
  return found;
}

function unequal(values: readonly Json[]): readonly Json[] {
  return values.filter((value, at) => values.findIndex((one) => jsonEqual(one, value)) === at);
}

/** One value for each combination of answers to what is asked of the place alone. */
function distinct(
  questions: Questions,
  reference: DataReference,
  raw: readonly Value[],
  decided: readonly Leaf[],
): readonly Value[] {
  const { key, path } = reference;
  const asked = decided.filter((leaf) =>
    referencesOf(leaf).some((other) => slotKey(slotReference(questions, other)) === slotKey(reference)),
  );
  const fields = questions.forms.flatMap((fields) => fields?.filter((field) => isAt(field, reference)) ?? []);
  const keyed = path.length > 0 ? [] : questions.keyed.filter((one) => one.key === key);
  const isVerdict = path.length === 0 && (questions.passKeys.has(key) || questions.verdictKeys.has(key));
  const seen = new Set<string>();
  return raw.filter((value) => {
    const data = value === undefined ? {} : (withValue({}, [key, ...(path as string[])], value) as Data);
    const answers = [
      value === undefined,
      ...asked.map((leaf) => {
        const answer = evaluateCondition(leaf, data);
        return answer.kind === "value" ? answer.value : "error";
      }),
      ...keyed.map(({ node }) => decisionOutcome(node, readData(data, key, []))),
      ...fields.map((field) => value !== undefined && isOfType(value, field)),
      ...(path.length === 0 && questions.lists.has(key) ? [listAnswer(value)] : []),
      ...(isVerdict ? [typeof value === "boolean" ? value : "none"] : []),
    ];
    const signature = JSON.stringify(answers);
    const isNew = !seen.has(signature);
    seen.add(signature);
    return isNew;
  });
}

function isAt(field: Field, { key, path }: DataReference): boolean {
  return field.key === key && path.length === 0;
}

function isBelow(part: DataReference, whole: DataReference): boolean {
  return (
    part.key === whole.key &&
    part.path.length > whole.path.length &&
    whole.path.every((step, index) => step === part.path[index])
  );
}

/** `json` with `value` at `path`; objects are made on the way. */
function withValue(json: Json | undefined, path: readonly string[], value: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const object = json !== undefined && isOfType(json, { type: "object" }) ? (json as Data) : {};
  return { ...object, [step]: withValue(object[step], rest, value) };
}
