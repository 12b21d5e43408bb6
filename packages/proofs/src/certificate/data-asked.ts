/** @module What a definition asks of each place of D, read from its guards and nodes anew, for checkers. */
import {
  type CompiledWorkflow,
  type Condition,
  type Data,
  type DataReference,
  evaluateCondition,
  type Json,
  parseCondition,
} from "@tessera/core";
import { decisionOutcome, loopOf, multiOf } from "@tessera/gateways";
import { same, typeNames } from "./data-samples.ts";

/** A condition that combines no others. */
export type Leaf = Exclude<Condition, { readonly kind: "all" | "any" | "not" }>;

/** A question about the value at a whole key, with the constants that it knows. */
interface KeyQuestion {
  readonly key: string;
  readonly constants: readonly Json[];
  readonly ask: (value: Json | undefined) => unknown;
}

/** What a form asks of a key. `isFree`: it must be there, and may be any value of the type. */
interface FieldQuestion extends KeyQuestion {
  readonly type: string;
  readonly isFree: boolean;
}

/** Everything that is asked: the leaves of guards in the order of the arcs, and of whole keys what nodes ask. */
export interface AskedOfData {
  readonly leaves: readonly Leaf[];
  readonly ofKeys: readonly KeyQuestion[];
  /** Fields of forms: they ask for the type of a key, if it is asked at all. */
  readonly ofForms: readonly FieldQuestion[];
  /** Keys that hold the verdicts of loops: they are cleared. */
  readonly passKeys: ReadonlySet<string>;
}

/** Reads what the definition asks. */
export function askedOf({ definition, kinds }: CompiledWorkflow): AskedOfData {
  const ofKeys: KeyQuestion[] = [];
  const ofForms: FieldQuestion[] = [];
  const passKeys = new Set<string>();
  const verdict = (key: string) =>
    ofKeys.push({ key, constants: [], ask: (value) => (typeof value === "boolean" ? value : "none") });
  for (const [index, node] of definition.nodes.entries()) {
    const meta = node.meta ?? {};
    const loop = loopOf(node);
    if (loop !== null) passKeys.add(loop.passKey);
    if (loop !== null) verdict(loop.passKey);
    if (node.kind === "verifier" && typeof meta["passKey"] === "string") verdict(meta["passKey"]);
    const isKeyed = node.kind === "decision" && loop === null && kinds[index]!.body(node) === "inline";
    if (isKeyed && typeof meta["key"] === "string") {
      const texts = Object.keys((meta["branches"] ?? {}) as object);
      const numbers = texts.map(Number).filter((value) => texts.includes(String(value)));
      const constants = [...texts, ...numbers.filter(Number.isFinite)];
      ofKeys.push({ key: meta["key"], constants, ask: (value) => decisionOutcome(node, value) });
    }
    const collection = multiOf(node)?.collection ?? null;
    if (collection !== null) {
      const size = (value: Json | undefined) => (Array.isArray(value) ? Math.min(1, value.length) : -1);
      ofKeys.push({ key: collection, constants: [[]], ask: size });
    }
    const form = meta["form"];
    if (typeof form !== "object" || form === null || Array.isArray(form)) continue;
    for (const [key, field] of Object.entries(form)) ofForms.push(fieldQuestion(key, field as Json));
  }
  const leaves = definition.arcs.flatMap(({ guard }) => {
    const parsed = parseCondition(guard);
    return parsed.ok ? leavesIn(parsed.value) : [];
  });
  return { leaves, ofKeys, ofForms, passKeys };
}

const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean", "object", "array", "any"];

/** Is the value one of the type of the field? A field without a type takes every value. */
function fieldQuestion(key: string, field: Json): FieldQuestion {
  const given = (typeof field === "string" ? { type: field } : (field ?? {})) as Record<string, Json>;
  const { type, values, optional } = TYPES.includes(given["type"]) ? given : { type: "any" };
  const listed = Array.isArray(values) ? (values as readonly Json[]) : null;
  const fits = (value: Json) => listed === null || listed.some((one) => same(one, value));
  return {
    key,
    constants: listed ?? [],
    type: String(type),
    isFree: listed === null && optional !== true,
    ask: (value) => value !== undefined && typeNames(value).includes(String(type)) && fits(value),
  };
}

function leavesIn(condition: Condition): readonly Leaf[] {
  if (condition.kind === "not") return leavesIn(condition.condition);
  if (condition.kind === "all" || condition.kind === "any") return condition.conditions.flatMap(leavesIn);
  return [condition];
}

/** The places of D that a leaf reads. */
export function placesOf(leaf: Leaf): readonly DataReference[] {
  if (leaf.kind === "opaque" || leaf.kind === "predicate") return [];
  const other = leaf.kind === "compare" && leaf.right.kind === "reference" ? [leaf.right.reference] : [];
  return [leaf.left, ...other];
}

/** The constants that a leaf compares its place with. */
export function constantsOf(leaf: Leaf): readonly Json[] {
  if (leaf.kind !== "compare" || leaf.right.kind !== "constant") return [];
  const { value } = leaf.right;
  return leaf.op === "isOneOf" || leaf.op === "isNoneOf" ? (value as readonly Json[]) : [value];
}

/** The answer of a leaf where only one place has a value. */
export function answerAt(leaf: Leaf, { key, path }: DataReference, value: Json | undefined): unknown {
  const nest = (inner: Json, step: string | number): Json => ({ [step]: inner });
  const data: Data = value === undefined ? {} : { [key]: path.reduceRight<Json>(nest, value) };
  const found = evaluateCondition(leaf, data);
  return found.kind === "error" ? "error" : found.value;
}
