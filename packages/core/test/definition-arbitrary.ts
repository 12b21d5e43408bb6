/** @module Generators of definitions: legal ones of every shape, layouts of the same one, and damaged ones. */
import {
  type ConditionData,
  composeWorkflow,
  type DataType,
  type Json,
  type JsonObject,
  type NetDefinition,
  type WorkflowDefinition,
} from "@tessera/core";
import fc from "fast-check";
import { plan, program } from "./builder/block-arbitrary.ts";
import { json, scalar } from "./json-arbitrary.ts";

/** Names that a careless implementation inherits, loses, or takes for something of its own. */
export const awkwardName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "source",
    "Start.1",
    "täsk-ü_2",
    "_x",
    "a b",
    "0",
    "1",
    "a->b",
    "a.active",
    "a.end",
    "a:done",
    "a.step:done>1",
    "#1",
    "\u{1f600}",
    "x".repeat(256),
  ),
  fc.string({ minLength: 1, maxLength: 6 }),
);

const dataType: fc.Arbitrary<DataType> = fc.oneof(
  fc.record({ type: fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "any") }),
  fc.constant<DataType>({ type: "boolean", values: [true, false], description: "a flag" }),
  fc.constant<DataType>({ type: "any", values: [1, "a", null, { a: [1] }] }),
);

const guard: fc.Arbitrary<ConditionData> = fc.constantFrom<ConditionData>(
  { key: "k", op: "is", value: { deep: [1] } },
  { key: "k", path: ["a", 0], op: "isAssigned" },
  { key: "k", op: "atLeast", valueOf: "l", valuePath: ["b"] },
  { key: "k", op: "isOneOf", value: ["a", 1] },
  { key: "k", op: "matches", value: "^a+$" },
  { any: [{ not: { key: "k", op: "is", value: null } }, { all: [] }] },
  { language: "feel", text: "k > 1" },
  { predicate: "isBig" },
);

/** A workflow definition that parses without issues and warnings. */
export const workflowDefinition: fc.Arbitrary<WorkflowDefinition> = fc
  .record({
    root: plan(3),
    guards: fc.array(guard, { minLength: 1, maxLength: 5 }),
    types: fc.record({ k: dataType, l: dataType }),
    texts: fc.record({ label: fc.string(), description: fc.string() }, { requiredKeys: [] }),
    facet: fc.boolean(),
    constraints: fc.option(fc.constant(["acyclic"]), { nil: undefined }),
  })
  .map(({ root, guards, types, texts, facet, constraints }): WorkflowDefinition => {
    const definition = composeWorkflow({ id: "w", body: program(root) }).definition;
    const [first, ...nodes] = definition.nodes;
    const passKeys = nodes.flatMap((node) => (node.kind === "verifier" ? (node.writes ?? []) : []));
    const merged = nodes.flatMap((node) => Object.keys((node.meta?.["merge"] ?? {}) as JsonObject));
    const touched = {
      ...first,
      reads: ["k"],
      writes: ["k", "l"],
      graph: { reads: { objects: ["doc/{k}"], types: ["T"] }, writes: { types: [], payloadOnly: true } },
      meta: { documentation: "where it starts" },
    };
    return {
      ...definition,
      ...texts,
      ...(facet ? { facet: "process", parallelSafety: "checked" } : {}),
      nodes: [touched as WorkflowDefinition["nodes"][number], ...nodes],
      // Guards stay where they are: repeated ones would be repeated arcs.
      arcs: definition.arcs.map((arc, i) =>
        arc.guard === undefined
          ? arc
          : { ...arc, guard: { all: [arc.guard, guards[i % guards.length] as ConditionData] } },
      ),
      data: {
        ...types,
        ...Object.fromEntries(passKeys.map((key) => [key, { type: "boolean" }])),
        ...Object.fromEntries(merged.map((key) => [key, { type: "number" }])),
      },
      ...(constraints === undefined ? {} : { constraints }),
    };
  });

/** A net definition that parses without issues. */
export const netDefinition: fc.Arbitrary<NetDefinition> = fc
  .record({
    places: fc.uniqueArray(awkwardName, { minLength: 1, maxLength: 4 }),
    transitions: fc.uniqueArray(awkwardName, { maxLength: 4 }),
    picks: fc.array(fc.nat(3), { minLength: 7, maxLength: 30 }),
    hasFinals: fc.boolean(),
  })
  .map(({ places, transitions, picks, hasFinals }): NetDefinition => {
    let picked = 0;
    const pick = () => picks[picked++ % picks.length] as number;
    const place = () => places[pick() % places.length] as string;
    const side = () => Array.from({ length: pick() }, () => [place(), 1 + pick()] as const);
    return {
      format: 1,
      kind: "net",
      id: "n",
      places: places.map((id) => ({ id, ...(pick() === 0 ? {} : { initial: pick() }) })),
      transitions: transitions.map((id) => ({
        id,
        pre: side(),
        post: side(),
        ...(pick() === 0 ? { reset: [place()], label: "empties" } : {}),
      })),
      ...(hasFinals ? { finals: [Object.fromEntries([[place(), pick()]])] } : {}),
    };
  });

/** The same value with the keys of every object in a random order. */
export function relaid(value: Json): fc.Arbitrary<Json> {
  return fc.array(fc.nat(), { minLength: 7, maxLength: 50 }).map((picks) => {
    let picked = 0;
    return relay(value, () => picks[picked++ % picks.length] as number);
  });
}

function relay(value: Json, pick: () => number): Json {
  if (Array.isArray(value)) return value.map((member: Json) => relay(member, pick));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [pick(), key, relay(member, pick)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => a - b).map(([, key, member]) => [key, member]));
}

const replacement: fc.Arbitrary<Json> = fc.oneof(
  scalar,
  json,
  fc.constantFrom<Json>(
    "",
    "  ",
    "a\u0007b",
    "x".repeat(257),
    "\u2028",
    "any",
    "or",
    -1,
    2_147_483_648,
    1.5,
    [],
    {},
    true,
  ),
);
const memberName = fc.oneof(
  awkwardName,
  fc.constantFrom("lable", "nodez", "op", "value", "default", "guard", "\u0000"),
);

/** `value` with one place damaged: a member replaced, removed, renamed, added or repeated. */
export function damaged(value: Json): fc.Arbitrary<Json> {
  return fc
    .record({
      at: fc.nat(),
      how: fc.constantFrom("replace", "remove", "rename", "add", "repeat"),
      member: replacement,
      name: memberName,
    })
    .map(({ at, how, member, name }) => {
      const paths = pathsOf(value);
      return damage(value, paths[at % paths.length] ?? [], how, member, name);
    });
}

/** Paths of every part of a value, the root first. */
function pathsOf(
  value: Json,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...keys.flatMap((key) => pathsOf((value as JsonObject)[key] as Json, [...path, key]))];
}

function damage(
  value: Json,
  path: readonly (string | number)[],
  how: string,
  member: Json,
  name: string,
): Json {
  const [step, ...rest] = path;
  if (step === undefined) return how === "add" && isObject(value) ? { ...value, [name]: member } : member;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (rest.length > 0) return list.map((m, i) => (i === step ? damage(m, rest, how, member, name) : m));
    if (how === "remove") return list.filter((_, i) => i !== step);
    if (how === "repeat") return [...list, list[step as number] as Json];
    return list.map((m, i) => (i === step ? damage(m, [], how, member, name) : m));
  }
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(
    entries.flatMap(([key, m]): readonly (readonly [string, Json])[] => {
      if (key !== step) return [[key, m]];
      if (rest.length > 0) return [[key, damage(m, rest, how, member, name)]];
      if (how === "remove") return [];
      return how === "rename" ? [[name, m]] : [[key, damage(m, [], how, member, name)]];
    }),
  );
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
