/** @module Data that stand for all data as far as given guards can tell them apart. */
import type { Condition, Data, DataReference, DataType, Json, JsonObject, Operator } from "@tessera/core";
import { unreachable } from "@tessera/core";

/** Representative data. `isComplete`: every D that fits the declarations gets the same answers as one of `cases`. */
export interface GuardCases {
  readonly cases: readonly Data[];
  readonly isComplete: boolean;
  /** Some guard is an expression or a predicate, whose answer nobody here can compute. */
  readonly hasOpaque: boolean;
}

/** At most this many combinations of values are tried; beyond, a fixed pseudo-random choice of them. */
const CASES_MAX = 20_000;
/** A list is not built longer than this to place a value in it. */
const INDEX_MAX = 1000;

/**
 * Boundary values of the constants in `guards`, combined over all places of D that they read. Comparisons with
 * constants divide the values of a place into finitely many cells on which each answer is constant: the constants,
 * the gaps between them in the order of numbers and of strings, every other type. One value of each cell is taken, so
 * the combinations are complete, unless a guard compares two places, searches a text, is opaque, or reads a place and
 * a part of it, or there are too many of them. A key that `declared` names is taken to be assigned, with a
 * value of its type (of its list, where it has one); of any other place every type is tried, and its absence.
 */
export function guardCases(
  guards: readonly Condition[],
  declared: Readonly<Record<string, DataType>>,
): GuardCases {
  const slots = new Map<string, Slot>();
  const survey: Survey = { declared, isComplete: true, hasOpaque: false };
  for (const guard of guards) collect(guard, slots, survey);
  const list = [...slots.values()];
  shareReferences(list);
  const isNested = list.some((slot) => list.some((other) => isBelow(slot.reference, other.reference)));
  const values = list.map((slot) => slotValues(slot, survey));
  const count = values.reduce((product, { length }) => product * length, 1);
  const isComplete = survey.isComplete && !isNested && count <= CASES_MAX;
  const references = list.map(({ reference }) => reference);
  const cases = combinations(emptyContainers(references, declared), references, values, count);
  return { cases, isComplete, hasOpaque: survey.hasOpaque };
}

/** A place of D that guards read, and what they compare it with. */
interface Slot {
  readonly reference: DataReference;
  readonly constants: Json[];
  readonly partners: string[];
  /** False while guards ask only whether it is assigned. */
  isCompared: boolean;
}

interface Survey {
  readonly declared: Readonly<Record<string, DataType>>;
  isComplete: boolean;
  hasOpaque: boolean;
}

const MISSING = Symbol("missing");
type Value = Json | typeof MISSING;

function collect(condition: Condition, slots: Map<string, Slot>, survey: Survey): void {
  switch (condition.kind) {
    case "all":
    case "any":
      for (const part of condition.conditions) collect(part, slots, survey);
      return;
    case "not":
      collect(condition.condition, slots, survey);
      return;
    case "isAssigned":
      slotOf(slots, survey, condition.left);
      return;
    case "matches":
      slotOf(slots, survey, condition.left).isCompared = true;
      survey.isComplete = false;
      return;
    case "compare": {
      const slot = slotOf(slots, survey, condition.left);
      slot.isCompared = true;
      if (condition.op === "contains") survey.isComplete = false;
      if (condition.right.kind === "constant") {
        slot.constants.push(...constantsOf(condition.op, condition.right.value));
        return;
      }
      survey.isComplete = false;
      const other = slotOf(slots, survey, condition.right.reference);
      other.isCompared = true;
      slot.partners.push(slotKey(other.reference));
      other.partners.push(slotKey(slot.reference));
      return;
    }
    case "opaque":
    case "predicate":
      survey.isComplete = false;
      survey.hasOpaque = true;
      return;
    default:
      unreachable(condition);
  }
}

function constantsOf(op: Operator, value: Json): readonly Json[] {
  if ((op === "isOneOf" || op === "isNoneOf") && Array.isArray(value)) return value as readonly Json[];
  return op === "contains" ? [value, [value]] : [value];
}

function slotKey({ key, path }: DataReference): string {
  return JSON.stringify([key, ...path]);
}

function slotOf(slots: Map<string, Slot>, { declared }: Survey, read: DataReference): Slot {
  const reference = decidingPlace(declared, read);
  const key = slotKey(reference);
  const slot = slots.get(key) ?? { reference, constants: [], partners: [], isCompared: false };
  slots.set(key, slot);
  return slot;
}

/** Places that are compared with each other get each other's constants: equal and neighbouring values are then tried. */
function shareReferences(slots: readonly Slot[]): void {
  const byKey = new Map(slots.map((slot) => [slotKey(slot.reference), slot]));
  const before = slots.map(({ constants }) => [...constants]);
  slots.forEach((slot, index) => {
    for (const partner of slot.partners) byKey.get(partner)?.constants.push(...(before[index] ?? []));
  });
}

/** Is `part` a place inside `whole`? */
function isBelow(part: DataReference, whole: DataReference): boolean {
  return (
    part.key === whole.key &&
    part.path.length > whole.path.length &&
    whole.path.every((step, index) => step === part.path[index])
  );
}

function declaredType(declared: Readonly<Record<string, DataType>>, key: string): DataType | undefined {
  return Object.hasOwn(declared, key) ? declared[key] : undefined;
}

/** The place whose value decides what is read: the whole key where its values are listed or have nothing below them. */
function decidingPlace(
  declared: Readonly<Record<string, DataType>>,
  reference: DataReference,
): DataReference {
  const type = declaredType(declared, reference.key);
  if (type === undefined || (type.values === undefined && ["array", "object", "any"].includes(type.type)))
    return reference;
  return { key: reference.key, path: [] };
}

/** What the keys hold of which only places below are read: a declared key is assigned, with a value of its type. */
function emptyContainers(
  references: readonly DataReference[],
  declared: Readonly<Record<string, DataType>>,
): JsonObject {
  const below = references.filter(({ path }) => path.length > 0).map(({ key }) => key);
  return Object.fromEntries(
    below.flatMap((key): (readonly [string, Json])[] => {
      const type = declaredType(declared, key)?.type;
      if (type === undefined) return [];
      return [[key, type === "array" ? [] : type === "object" ? {} : null]];
    }),
  );
}

function slotValues({ reference, constants, isCompared }: Slot, survey: Survey): readonly Value[] {
  const { path } = reference;
  const type = declaredType(survey.declared, reference.key);
  // In a list there is nothing under a name, in an object nothing under a number.
  if (path.length > 0 && type !== undefined && type.type !== "any")
    if ((type.type === "array") !== (typeof path[0] === "number")) return [MISSING];
  const declared = path.length === 0 ? type : undefined;
  if (path.some((step) => typeof step === "number" && step > INDEX_MAX)) {
    survey.isComplete = false;
    return [MISSING];
  }
  if (declared === undefined) return isCompared ? [MISSING, ...anyValues(constants)] : [MISSING, true];
  if (declared.values !== undefined) return declared.values;
  switch (declared.type) {
    case "boolean":
      return [false, true];
    case "number":
      return numberValues(constants);
    case "integer":
      if (!numbersIn(constants).every((value) => Math.abs(value) < Number.MAX_SAFE_INTEGER))
        survey.isComplete = false;
      return integerValues(constants);
    case "string":
      return stringValues(constants);
    case "array":
      return others(constants, (value) => Array.isArray(value), ["(some array)"]);
    case "object":
      return others(constants, isPlainObject, { "(some object)": true });
    case "any":
      return anyValues(constants);
    default:
      return unreachable(declared.type);
  }
}

function anyValues(constants: readonly Json[]): readonly Value[] {
  return [
    null,
    false,
    true,
    ...numberValues(constants),
    ...stringValues(constants),
    ...others(constants, (value) => Array.isArray(value), ["(some array)"]),
    ...others(constants, isPlainObject, { "(some object)": true }),
  ];
}

/** The constants of a type whose values are only ever compared for equality, and one that equals none of them. */
function others(
  constants: readonly Json[],
  isOfType: (value: Json) => boolean,
  fresh: Json,
): readonly Json[] {
  const texts = new Set<string>();
  const own = constants.filter((value) => {
    const text = JSON.stringify(value);
    const isNew = isOfType(value) && !texts.has(text);
    texts.add(text);
    return isNew;
  });
  return texts.has(JSON.stringify(fresh)) ? own : [...own, fresh];
}

function isPlainObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Each constant, a number in each gap between two of them, one below and one above all. */
function numberValues(constants: readonly Json[]): readonly number[] {
  const sorted = numbersIn(constants);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return [0];
  const gaps = sorted.slice(1).map((value, index) => sorted[index]! / 2 + value / 2);
  const below = Math.max(-Number.MAX_VALUE, first - Math.max(1, Math.abs(first)));
  const above = Math.min(Number.MAX_VALUE, last + Math.max(1, Math.abs(last)));
  return unique([below, ...sorted, ...gaps, above]);
}

/** The same among the integers. */
function integerValues(constants: readonly Json[]): readonly number[] {
  const sorted = numbersIn(constants);
  if (sorted.length === 0) return [0];
  const near = sorted.flatMap((value) => [
    Math.ceil(value) - 1,
    Math.floor(value),
    Math.ceil(value),
    Math.floor(value) + 1,
  ]);
  return unique(near.filter(Number.isSafeInteger));
}

function numbersIn(constants: readonly Json[]): readonly number[] {
  return unique(constants.filter((value) => typeof value === "number")).sort((a, b) => a - b);
}

/** Each constant and a string in each gap by code units: just after it. */
function stringValues(constants: readonly Json[]): readonly string[] {
  const sorted = unique(constants.filter((value) => typeof value === "string")).sort();
  const gaps = sorted.map((value, index) => {
    const next = sorted[index + 1];
    const readable = `${value}?`;
    return next === undefined || readable < next ? readable : `${value}\u0000`;
  });
  return unique(["", ...sorted, ...gaps]);
}

function unique<T extends number | string>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function combinations(
  base: JsonObject,
  references: readonly DataReference[],
  values: readonly (readonly Value[])[],
  count: number,
): readonly Data[] {
  if (count <= CASES_MAX)
    return Array.from({ length: count }, (_, index) =>
      dataAt(base, references, values, digits(index, values)),
    );
  let random = 1;
  return Array.from({ length: CASES_MAX }, () => {
    const choice = values.map(({ length }) => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((random / 0x1_0000_0000) * length);
    });
    return dataAt(base, references, values, choice);
  });
}

function digits(index: number, values: readonly (readonly Value[])[]): readonly number[] {
  let rest = index;
  return values.map(({ length }) => {
    const digit = rest % length;
    rest = Math.floor(rest / length);
    return digit;
  });
}

function dataAt(
  base: JsonObject,
  references: readonly DataReference[],
  values: readonly (readonly Value[])[],
  choice: readonly number[],
): Data {
  // One object for all keys: a copy for each of them is quadratic, and there are thousands of cases.
  const data = new Map(Object.entries(base));
  references.forEach(({ key, path }, index) => {
    const value = values[index]?.[choice[index] ?? 0] ?? MISSING;
    if (value !== MISSING) data.set(key, withValue(data.get(key), path, value));
  });
  return Object.fromEntries(data);
}

/** `json` with `value` at `path`; containers are made on the way, arrays where the step is a number. */
function withValue(json: Json | undefined, path: readonly (string | number)[], value: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = Array.isArray(json) ? [...(json as readonly Json[])] : [];
    while (list.length < step) list.push(null);
    list[step] = withValue(list[step], rest, value);
    return list;
  }
  const object = json !== undefined && isPlainObject(json) ? json : {};
  return { ...object, [step]: withValue(object[step], rest, value) };
}
