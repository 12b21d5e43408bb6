/** @module Random workflows that ask of their data in every way, and what data may answer them. */
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
import { end, gateway, human, start, workflow } from "../workflow-text.ts";

/** The keys that may be asked. */
export const KEYS = ["a", "b", "c"];
const OBJECTS: readonly Json[] = [{ p: 1 }, { p: 2, q: "x" }, { q: { p: 1 } }];
const NUMBERS = [0, 1, 3, 2.5, -1];
const TEXTS = ["", "m", "m\u0000", "3"];
const CONSTANTS: readonly Json[] = [...NUMBERS, ...TEXTS, ...OBJECTS, [], ["x"], true, null];

/** What a workflow asks: declarations, guards, the form of a person, the table of a decision by key. */
export interface Given {
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

export const given: fc.Arbitrary<Given> = fc
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

/** A person with the form, the decision, a gateway with the guards; before them `writer`, its outcomes all to the person. */
export function compiledOf({ types, guards, form, table }: Given, writer?: WorkflowNode): CompiledWorkflow {
  const outcomes = { tool: ["done", "error"], subprocess: ["done", "error", "cancelled"] } as const;
  const first = writer === undefined ? [] : [writer];
  const between: readonly WorkflowNode[] = [
    ...first,
    { ...human("ask"), meta: form === null ? {} : { form } },
    table === null ? gateway("pick") : { id: "pick", kind: "decision", meta: table },
  ];
  const branches = table === null ? [] : ["pick: low -> fork", "pick: default -> fork"];
  return workflow(
    [start, ...between, gateway("fork"), end],
    [
      `start -> ${writer?.id ?? "ask"}`,
      ...first.flatMap(({ id, kind }) =>
        (outcomes[kind as "tool"] ?? ["done"]).map((outcome) => ({ from: id, to: "ask", outcome })),
      ),
      "ask -> pick",
      "pick -> fork",
      ...branches,
      ...guards.map((guard) => ({ from: "fork", to: "end", guard })),
      { from: "fork", to: "end", default: true },
    ],
    types,
  );
}

/** Is the value of the declared type? */
export const isOf = (value: Json, type: unknown): boolean =>
  type === "any" ||
  (type === "integer" ? Number.isInteger(value) : type === "array" ? Array.isArray(value) : false) ||
  (type === "object" && typeof value === "object" && value !== null && !Array.isArray(value)) ||
  (typeof value !== "object" && typeof value === type);

/** What is asked of data, and not open, as text. */
export function answersOn({ guards, form, table }: Given, open: readonly number[], data: Data): string {
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
export const NEAR: readonly Json[] = [
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
export function rangeOf({ types, guards }: Given, key: string): readonly (Json | undefined)[] {
  const type = types[key];
  if (type === undefined)
    return [undefined, ...NEAR, ...NEAR.map((p): Json => ({ p })), ...NEAR.map((p): Json => ({ q: { p } }))];
  const isOptional = guards.some((guard) => "key" in guard && guard.op === "isAssigned" && guard.key === key);
  const fit = (
    type.values ?? [...NEAR, ...NEAR.map((p): Json => ({ p })), ...NEAR.map((p): Json => ({ q: { p } }))]
  ).filter((value) => isOf(value, type.type));
  return isOptional ? [...fit, undefined] : fit;
}
