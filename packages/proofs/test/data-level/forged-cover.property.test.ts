/** @module Random lists of values that are forged: what is accepted has for all data a case that answers as they do. */
import {
  type CompiledWorkflow,
  type ConditionData,
  type Data,
  type DataType,
  evaluateCondition,
  type Json,
  type JsonObject,
  jsonEqual,
  parseCondition,
  type WorkflowNode,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListedPlace } from "../../src/certificate/data-places.ts";
import { type ListedCases, regionTrouble } from "../../src/certificate/data-regions.ts";
import { end, gateway, human, start, workflow } from "../workflow-text.ts";
import { casesOf } from "./forged-lists.ts";

const KEYS = ["a", "b", "c"];
const OBJECTS: readonly Json[] = [{ p: 1 }, { p: 2, q: "x" }, { q: { p: 1 } }];
const NUMBERS = [0, 1, 3, 2.5, -1];
const TEXTS = ["", "m", "m\u0000", "3"];
const CONSTANTS: readonly Json[] = [...NUMBERS, ...TEXTS, ...OBJECTS, [], ["x"], true, null];

interface Given {
  readonly types: Readonly<Record<string, DataType>>;
  readonly guards: readonly ConditionData[];
  readonly form: JsonObject | null;
  readonly table: JsonObject | null;
}

const declared: fc.Arbitrary<DataType | null> = fc.constantFrom<DataType | null>(
  null,
  { type: "number" },
  { type: "number" },
  { type: "integer" },
  { type: "integer" },
  { type: "string" },
  { type: "any" },
  { type: "boolean" },
  { type: "object" },
  { type: "array" },
  { type: "number", values: [1, 3] },
  { type: "string", values: ["m", "z"] },
  { type: "object", values: [...OBJECTS] as never },
  { type: "any", values: [null, 1, "m"] as never },
);
const path = fc.constantFrom<readonly string[] | null>(null, null, null, ["p"], ["q", "p"]);
const withPath = (name: string, steps: readonly string[] | null) => (steps === null ? {} : { [name]: steps });
const ORDER = ["lessThan", "atLeast"];
const leafOf = (keys: readonly string[], constants: readonly Json[]): fc.Arbitrary<ConditionData> => {
  const key = fc.constantFrom(...keys);
  const constant = fc.constantFrom(...constants);
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record({ key, path, op: fc.constantFrom("is", "isNot", ...ORDER), value: constant })
        .map(({ path: steps, ...one }) => ({ ...one, ...withPath("path", steps) })),
    },
    {
      weight: 5,
      arbitrary: fc
        .record({ key, path, op: fc.constantFrom("is", "isNot", ...ORDER), valueOf: key, other: path })
        .map(({ path: steps, other, ...one }) => ({
          ...one,
          ...withPath("path", steps),
          ...withPath("valuePath", other),
        })),
    },
    { weight: 1, arbitrary: fc.record({ key, op: fc.constant("isAssigned") }) },
    {
      weight: 1,
      arbitrary: fc.record({
        key,
        op: fc.constantFrom("isOneOf", "isNoneOf"),
        value: fc.array(constant, { minLength: 1, maxLength: 2 }),
      }),
    },
  ) as fc.Arbitrary<ConditionData>;
};

const field = fc.constantFrom<Json>(
  { type: "number" },
  { type: "integer" },
  { type: "integer", optional: true },
  { type: "number", values: [1, 3] },
  { type: "any" },
  "string",
  { type: "object" },
);

const given: fc.Arbitrary<Given> = fc
  .record({
    types: fc.array(declared, { minLength: 3, maxLength: 3 }),
    isNumeric: fc.integer({ min: 0, max: 3 }).map((number) => number > 1),
    numeric: fc.constantFrom<DataType>({ type: "number" }, { type: "integer" }),
    asked: fc.option(fc.tuple(fc.constantFrom(...KEYS), field), { freq: 3 }),
    table: fc.option(fc.constantFrom(...KEYS), { freq: 5 }),
  })
  .chain(({ types, isNumeric, numeric, asked, table }) => {
    // Half of them are about numbers, which else would seldom meet.
    const own = isNumeric ? KEYS.map((_, at) => (at < 2 ? numeric : (types[at] ?? null))) : types;
    const constants = isNumeric ? NUMBERS : CONSTANTS;
    return fc
      .array(leafOf(isNumeric ? KEYS.slice(0, 2) : KEYS, constants), { minLength: 1, maxLength: 3 })
      .map((guards) => ({
        types: Object.fromEntries(
          KEYS.flatMap((key, at) => (own[at] == null ? [] : [[key, own[at]] as const])),
        ),
        guards,
        form: asked === null ? null : { [asked[0]]: asked[1] },
        table: table === null ? null : { key: table, branches: { m: "done", "3": "low" }, default: true },
      }));
  });

function compiledOf({ types, guards, form, table }: Given): CompiledWorkflow {
  const between: readonly WorkflowNode[] = [
    { ...human("ask"), meta: form === null ? {} : { form } },
    table === null ? gateway("pick") : { id: "pick", kind: "decision", meta: table },
  ];
  const branches = table === null ? [] : ["pick: low -> fork", "pick: default -> fork"];
  return workflow(
    [start, ...between, gateway("fork"), end],
    [
      "start -> ask",
      "ask -> pick",
      "pick -> fork",
      ...branches,
      ...guards.map((guard) => ({ from: "fork", to: "end", guard })),
      { from: "fork", to: "end", default: true },
    ],
    types,
  );
}

const isOf = (value: Json, type: unknown): boolean =>
  type === "any" ||
  (type === "integer" ? Number.isInteger(value) : type === "array" ? Array.isArray(value) : false) ||
  (type === "object" && typeof value === "object" && value !== null && !Array.isArray(value)) ||
  (typeof value !== "object" && typeof value === type);

/** What is asked of data, and not open, as text. */
function answersOn({ guards, form, table }: Given, open: readonly number[], data: Data): string {
  const ofGuards = guards.map((guard, at) => {
    const parsed = parseCondition(guard);
    if (!parsed.ok || open.includes(at)) return null;
    const found = evaluateCondition(parsed.value, data);
    return found.kind === "error" ? "error" : found.value;
  });
  const value = table === null ? undefined : data[String(table["key"])];
  const branch = typeof value === "number" || typeof value === "string" ? String(value) : "";
  const isFilled = Object.entries(form ?? {}).map(([key, wanted]) => {
    // Asked only where guards or tables ask for the whole key.
    const { type, values } = (typeof wanted === "string" ? { type: wanted } : wanted) as {
      readonly type: string;
      readonly values?: readonly Json[];
    };
    const isAsked =
      table?.["key"] === key ||
      guards.some((guard, at) => {
        const parsed = parseCondition(guard);
        if (!parsed.ok || open.includes(at) || parsed.value.kind !== "compare") return false;
        const { left, right } = parsed.value;
        const read = right.kind === "reference" ? [left, right.reference] : [left];
        return read.some((one) => one.key === key && one.path.length === 0);
      });
    const found = data[key];
    if (!isAsked || found === undefined) return null;
    return isOf(found, type) && (values === undefined || values.some((one) => jsonEqual(one, found)));
  });
  return JSON.stringify([ofGuards, table === null ? null : ({ m: 1, "3": 2 }[branch] ?? 0), isFilled]);
}

/** Values near all that is asked. */
const NEAR: readonly Json[] = [
  ...[-1, 0, 1, 2.5, 3].flatMap((one) => [one, one - 0.25, one - 0.125, one + 0.25, one + 0.125]),
  ...[-3, -2, 2, 4, 5, 6],
  ...TEXTS.flatMap((text) => [text, `${text}\u0000`, `${text}a`, `${text}b`]),
  "z",
  ...OBJECTS,
  {},
  { p: 3, q: {} },
  [],
  ["x"],
  ["y"],
  true,
  false,
  null,
];

/** Values that a key may have, and undefined where it may have none. */
function rangeOf({ types, guards }: Given, key: string): readonly (Json | undefined)[] {
  const type = types[key];
  if (type === undefined)
    return [undefined, ...NEAR, ...NEAR.map((p): Json => ({ p })), ...NEAR.map((p): Json => ({ q: { p } }))];
  const isOptional = guards.some((guard) => "key" in guard && guard.op === "isAssigned" && guard.key === key);
  const fit = (
    type.values ?? [...NEAR, ...NEAR.map((p): Json => ({ p })), ...NEAR.map((p): Json => ({ q: { p } }))]
  ).filter((value) => isOf(value, type.type));
  return isOptional ? [...fit, undefined] : fit;
}

/** All data of the listed cases. */
function dataOf({ types }: Given, { places, patterns }: ListedCases): readonly Data[] {
  const inOrder = new Set(patterns.flatMap((one) => one.places));
  let all: readonly (readonly (Json | undefined)[])[] = [places.map(() => undefined)];
  for (const one of patterns)
    all = all.flatMap((row) =>
      one.tuples.map((tuple) =>
        row.map((cell, at) => (one.places.includes(at) ? tuple[one.places.indexOf(at)] : cell)),
      ),
    );
  places.forEach(({ values }, at) => {
    if (!inOrder.has(at)) all = all.flatMap((row) => values.map((value) => row.with(at, value)));
  });
  return all.map((row) => {
    const data: Record<string, Json> = {};
    for (const [key, type] of Object.entries(types))
      if (type.type === "object" && places.some((one) => one.key === key && one.path.length > 0))
        data[key] = {};
    row.forEach((value, at) => {
      const { key, path: steps } = places[at]!;
      if (value === undefined) return;
      if (steps.length === 0) data[key] = value;
      else {
        const [first, second] = steps as readonly string[];
        const whole = (data[key] ?? {}) as JsonObject;
        const inner = (whole[first!] ?? {}) as JsonObject;
        data[key] = { ...whole, [first!]: second === undefined ? value : { ...inner, [second]: value } };
      }
    });
    return data;
  });
}

/** One value or pattern less, or another instead. */
const forging = fc.record({ at: fc.nat(), index: fc.nat(), by: fc.option(fc.constantFrom(...NEAR)) });
type Forging = typeof forging extends fc.Arbitrary<infer T> ? T : never;

function forged(cases: ListedCases, { at, index, by }: Forging): ListedCases {
  const { places, patterns } = cases;
  const which = at % (places.length + patterns.length);
  if (which >= places.length) {
    const pattern = patterns[which - places.length]!;
    const tuples = pattern.tuples.toSpliced(index % pattern.tuples.length, 1);
    return { ...cases, patterns: patterns.with(which - places.length, { ...pattern, tuples }) };
  }
  const place: ListedPlace = places[which]!;
  const gone = index % place.values.length;
  const values = by === null ? place.values.toSpliced(gone, 1) : place.values.with(gone, by);
  return { ...cases, places: places.with(which, { ...place, values }) };
}

/** Some data that answer as no case does, or undefined. */
function missed(asked: Given, cases: ListedCases, salt: number): Data | undefined {
  const known = new Set(dataOf(asked, cases).map((data) => answersOn(asked, cases.open, data)));
  const ranges = KEYS.map((key) => rangeOf(asked, key));
  let state = salt;
  for (let count = 0; count < 1500; count += 1) {
    const data: Record<string, Json> = {};
    KEYS.forEach((key, at) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      const value = ranges[at]![Math.floor((state / 2 ** 31) * ranges[at]!.length)];
      if (value !== undefined) data[key] = value;
    });
    if (!known.has(answersOn(asked, cases.open, data))) return data;
  }
  return undefined;
}

const SIZE_MAX = 3000;
const sizeOf = ({ places, patterns }: ListedCases) => {
  const inOrder = new Set(patterns.flatMap((one) => one.places));
  const alone = places.reduce((size, { values }, at) => (inOrder.has(at) ? size : size * values.length), 1);
  return patterns.reduce((size, { tuples }) => size * tuples.length, alone);
};

/** A random workflow with what the prover lists, or null where it lists nothing or too much. */
function listedOf(asked: Given): { readonly compiled: CompiledWorkflow; readonly cases: ListedCases } | null {
  try {
    const compiled = compiledOf(asked);
    const cases = casesOf(compiled);
    return sizeOf(cases) > SIZE_MAX || cases.places.length === 0 ? null : { compiled, cases };
  } catch {
    return null;
  }
}

const salts = fc.integer({ min: 1, max: 2 ** 31 - 1 });

describe("[D23.11] [L23.1] lists that are accepted", () => {
  it("[L23.1] have for all data a case that answers as they do (oracle: data from everywhere, asked directly)", () => {
    const count = { honest: 0, accepted: 0, refused: 0 };
    fc.assert(
      fc.property(given, fc.array(forging, { maxLength: 4 }), salts, (asked, forgings, salt) => {
        const listed = listedOf(asked);
        if (listed === null) return;
        const { compiled, cases } = listed;
        count.honest += 1;
        expect({ asked, trouble: regionTrouble(compiled, cases) }).toEqual({ asked, trouble: null });
        const lists = forgings.map((one) => forged(cases, one));
        const accepted = lists.filter((list) => regionTrouble(compiled, list) === null);
        count.accepted += accepted.length;
        count.refused += lists.length - accepted.length;
        for (const list of [cases, ...accepted])
          expect({ asked, list, missed: missed(asked, list, salt) }).toEqual({
            asked,
            list,
            missed: undefined,
          });
      }),
      { seed: 23_110, numRuns: 300 },
    );
    expect(count.honest).toBeGreaterThan(200);
    expect(count.refused).toBeGreaterThan(300);
    expect(count.accepted).toBeGreaterThan(30);
  }, 120_000);

  it("[L23.1] the law catches a checker that accepts every list", () => {
    const caught = fc
      .sample(fc.tuple(given, forging, salts), { seed: 23_111, numRuns: 100 })
      .filter((one) => {
        const [asked, forgery, salt] = one;
        const listed = listedOf(asked);
        return listed !== null && missed(asked, forged(listed.cases, forgery), salt) !== undefined;
      });
    expect(caught.length).toBeGreaterThan(20);
  }, 120_000);
});
