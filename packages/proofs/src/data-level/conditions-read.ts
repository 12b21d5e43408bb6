/** @module What a workflow asks of D: guards, decisions by key, verdicts, forms; and which questions are decided here. */
import {
  type CompiledWorkflow,
  type Condition,
  type DataReference,
  type DataType,
  invariant,
  isJson,
  type Json,
  jsonEqual,
  parseCondition,
  type WorkflowNode,
} from "@tessera/core";
import { loopOf, multiOf } from "@tessera/gateways";

/** A condition that combines no others. */
export type Leaf = Exclude<Condition, { readonly kind: "all" | "any" | "not" }>;

/** A field of a form that a person fills: its key, type, values, and whether it may be left out. */
export interface Field extends DataType {
  readonly key: string;
  readonly isOptional: boolean;
}

/** Everything that a workflow asks of D. `guards` by arc. */
export interface Questions {
  readonly declared: Readonly<Record<string, DataType>>;
  readonly guards: readonly (Condition | null)[];
  readonly leaves: readonly Leaf[];
  /** Nodes that choose by the value of a key, and the key. */
  readonly keyed: readonly { readonly node: WorkflowNode; readonly key: string }[];
  /** Keys of which nodes with several instances ask whether they hold a list, and whether it has members. */
  readonly lists: ReadonlySet<string>;
  /** Keys that hold the verdicts of governed loops: only verifiers write them. */
  readonly passKeys: ReadonlySet<string>;
  /** Keys that verifiers write. */
  readonly verdictKeys: ReadonlySet<string>;
  /** By node index; null where the node has no form. */
  readonly forms: readonly (readonly Field[] | null)[];
}

/** Reads the questions of a compiled workflow. Guards of a compiled definition parse. */
export function questionsOf({ definition, kinds }: CompiledWorkflow): Questions {
  const guards = definition.arcs.map(({ guard }) => {
    if (guard === undefined) return null;
    const parsed = parseCondition(guard);
    invariant(parsed.ok, "D23.1", () => ({ guard: JSON.stringify(guard) }));
    return parsed.value;
  });
  return {
    declared: definition.data ?? {},
    guards,
    leaves: guards.flatMap((guard) => (guard === null ? [] : leavesOf(guard))),
    keyed: definition.nodes.flatMap((node, index) => {
      const key = node.kind === "decision" && loopOf(node) === null ? node.meta?.key : undefined;
      return typeof key === "string" && kinds[index]?.body(node) === "inline" ? [{ node, key }] : [];
    }),
    lists: new Set(definition.nodes.flatMap((node) => multiOf(node)?.collection ?? [])),
    passKeys: new Set(definition.nodes.flatMap((node) => loopOf(node)?.passKey ?? [])),
    verdictKeys: new Set(
      definition.nodes.flatMap(({ kind, meta }) =>
        kind === "verifier" && typeof meta?.passKey === "string" ? [meta.passKey] : [],
      ),
    ),
    forms: definition.nodes.map(fieldsOf),
  };
}

/** The parts of a condition that combine no others, in document order. */
export function leavesOf(condition: Condition): readonly Leaf[] {
  switch (condition.kind) {
    case "all":
    case "any":
      return condition.conditions.flatMap(leavesOf);
    case "not":
      return leavesOf(condition.condition);
    default:
      return [condition];
  }
}

/** What a node with several instances can tell of the value of its collection. */
export function listAnswer(value: Json | undefined): "none" | "empty" | "members" {
  if (!Array.isArray(value)) return "none";
  return value.length === 0 ? "empty" : "members";
}

/** The places of D that a leaf reads; none where it is opaque. */
export function referencesOf(leaf: Leaf): readonly DataReference[] {
  if (leaf.kind === "opaque" || leaf.kind === "predicate") return [];
  return leaf.kind === "compare" && leaf.right.kind === "reference"
    ? [leaf.left, leaf.right.reference]
    : [leaf.left];
}

/** The declared type of a key, undefined where it is not declared. */
export function typeOf({ declared }: Questions, key: string): DataType | undefined {
  return Object.hasOwn(declared, key) ? declared[key] : undefined;
}

/** The values of a key whose declaration lists them, or that is a truth value; null where they are not few. */
export function listedValues(questions: Questions, key: string): readonly Json[] | null {
  const type = typeOf(questions, key);
  if (type?.values === undefined) return type?.type === "boolean" ? [false, true] : null;
  const known = ofType.get(type) ?? type.values.filter((value) => isOfType(value, type));
  ofType.set(type, known);
  return known;
}

/** The listed values of a type that are of it: each is held against all, and every question of a key asks for them. */
const ofType = new WeakMap<DataType, readonly Json[]>();

/** The place of D in which a reference is decided: the whole key where its values are listed. */
export function slotReference(questions: Questions, reference: DataReference): DataReference {
  return listedValues(questions, reference.key) === null ? reference : { key: reference.key, path: [] };
}

/** The name of a place of D. */
export function slotKey({ key, path }: DataReference): string {
  return JSON.stringify([key, ...path]);
}

/** Does the leaf ask only for equality or order with constants or other places, or whether something is there? */
export function isComparison(leaf: Leaf): boolean {
  if (leaf.kind === "isAssigned") return true;
  if (leaf.kind !== "compare" || leaf.op === "contains") return false;
  return leaf.right.kind === "constant" || (leaf.op !== "isOneOf" && leaf.op !== "isNoneOf");
}

/** Is `value` of the type, and among its values where it lists them? */
export function isOfType(value: Json, { type, values }: DataType): boolean {
  if (values !== undefined && !values.some((one) => jsonEqual(one, value))) return false;
  switch (type) {
    case "any":
      return true;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "any",
]);

function fieldsOf({ meta }: WorkflowNode): readonly Field[] | null {
  const form = meta?.form;
  if (typeof form !== "object" || form === null || Array.isArray(form)) return null;
  return Object.entries(form).map(([key, field]) => fieldOf(key, field as Json));
}

/** A field that is malformed is of any type. */
function fieldOf(key: string, field: Json): Field {
  const given = typeof field === "string" ? { type: field } : field;
  const { type, values, optional } = (
    isJson(given) && typeof given === "object" && given !== null ? given : {}
  ) as { readonly type?: Json; readonly values?: Json; readonly optional?: Json };
  if (!TYPES.has(type)) return { key, type: "any", isOptional: false };
  return {
    key,
    type: type as DataType["type"],
    isOptional: optional === true,
    ...(Array.isArray(values) ? { values: values as readonly Json[] } : {}),
  };
}
