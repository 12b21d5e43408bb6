/** @module The form of a definition as data: what a reader checks and what the published JSON Schema says. */

/** Lists and tables of a definition have at most this many members (included). */
export const MEMBERS_MAX = 100_000;
/** Ids, labels of outcomes, keys and names have at most this many characters (Unicode code points, included). */
export const NAME_LENGTH_MAX = 256;
/** Greatest weight, and greatest number of tokens on a place (included): what a fast marking can hold. */
const TOKENS_MAX = 2_147_483_647;

/**
 * A form that a JSON value can have.
 * name: a text that names something. text: any text. json: any value. flag: true or false. condition: a guard.
 * const: this one value. choice: one of these texts. count: an integer of a range, bounds included.
 * object: exactly these members. list, tuple, table: as JSON arrays and objects, `unique` by value.
 * either: one form for texts, another for objects.
 */
export type Shape =
  | { readonly kind: "name" | "text" | "json" | "json-object" | "condition" }
  | { readonly kind: "const"; readonly value: string | number | boolean }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | { readonly kind: "count"; readonly min: number; readonly max: number }
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Member> }
  | { readonly kind: "list"; readonly of: Shape; readonly max: number; readonly unique?: true }
  | { readonly kind: "tuple"; readonly of: readonly Shape[] }
  | { readonly kind: "table"; readonly of: Shape; readonly max: number; readonly isData?: true }
  | { readonly kind: "either"; readonly text: Shape; readonly object: Shape };

/**
 * A member of an object. `isStructure`: nothing can be said of the graph while it is malformed; other members can be
 * wrong and the graph is still checked, so that all issues come at once.
 */
export interface Member {
  readonly shape: Shape;
  readonly isRequired: boolean;
  readonly isStructure: boolean;
}

const NAME: Shape = { kind: "name" };
const TEXT: Shape = { kind: "text" };
const JOIN_SEMANTICS: Shape = { kind: "choice", values: ["bpmn", "yawl"] };
const TRUE: Shape = { kind: "const", value: true };
const FORMAT: Shape = { kind: "const", value: 1 };
const SPLIT: Shape = { kind: "choice", values: ["first", "all", "or"] };
const NAMES: Shape = { kind: "list", of: NAME, max: MEMBERS_MAX, unique: true };
const TOKENS: Shape = { kind: "count", min: 0, max: TOKENS_MAX };
const WEIGHT: Shape = { kind: "count", min: 1, max: TOKENS_MAX };
const WEIGHTED: Shape = listOf({ kind: "tuple", of: [NAME, WEIGHT] });

const DATA_TYPE: Shape = shapeOf({
  type: detail({
    kind: "choice",
    values: ["string", "number", "integer", "boolean", "object", "array", "any"],
  }),
  values: optional({ kind: "list", of: { kind: "json" }, max: MEMBERS_MAX, unique: true }),
  description: optional(TEXT),
});

const OBJECTS = { objects: structure(NAMES), types: structure(NAMES) };

const GRAPH: Shape = shapeOf({
  reads: structure(shapeOf(OBJECTS)),
  writes: structure(shapeOf({ ...OBJECTS, payloadOnly: structure(TRUE) })),
});

const NODE: Shape = shapeOf({
  id: required(NAME),
  kind: required(NAME),
  label: optional(TEXT),
  join: structure({ kind: "choice", values: ["any", "all", "or"] }),
  split: structure({ kind: "either", text: SPLIT, object: tableOf(SPLIT) }),
  reads: structure(NAMES),
  writes: structure(NAMES),
  graph: structure(GRAPH),
  scope: structure(NAME),
  meta: structure({ kind: "json-object" }),
});

const ARC: Shape = shapeOf({
  from: required(NAME),
  to: required(NAME),
  outcome: structure(NAME),
  guard: optional({ kind: "condition" }),
  default: structure(TRUE),
});

/**
 * The form of a workflow definition.
 *
 * @definition D12.1
 */
export const WORKFLOW_SHAPE: Shape & { readonly kind: "object" } = shapeOf({
  format: required(FORMAT),
  kind: required({ kind: "const", value: "workflow" }),
  id: detail(NAME),
  label: optional(TEXT),
  description: optional(TEXT),
  facet: optional({ kind: "choice", values: ["process", "agentic", "hybrid"] }),
  entry: required(NAME),
  nodes: required(listOf(NODE)),
  arcs: required(listOf(ARC)),
  data: optional({ kind: "table", of: DATA_TYPE, max: MEMBERS_MAX, isData: true }),
  constraints: optional(NAMES),
  joinSemantics: structure(JOIN_SEMANTICS),
  parallelSafety: optional({ kind: "choice", values: ["checked"] }),
});

/** The form of a net definition. */
export const NET_SHAPE: Shape & { readonly kind: "object" } = shapeOf({
  format: required(FORMAT),
  kind: required({ kind: "const", value: "net" }),
  id: detail(NAME),
  label: optional(TEXT),
  places: required(
    listOf(shapeOf({ id: required(NAME), label: optional(TEXT), initial: structure(TOKENS) })),
  ),
  transitions: required(
    listOf(
      shapeOf({
        id: required(NAME),
        label: optional(TEXT),
        pre: required(WEIGHTED),
        post: required(WEIGHTED),
        reset: structure(NAMES),
        orJoin: structure(NAMES),
      }),
    ),
  ),
  finals: structure(listOf(tableOf(TOKENS))),
  joinSemantics: structure(JOIN_SEMANTICS),
});

function shapeOf(members: Readonly<Record<string, Member>>): Shape & { readonly kind: "object" } {
  return { kind: "object", members: new Map(Object.entries(members)) };
}

function listOf(of: Shape): Shape {
  return { kind: "list", of, max: MEMBERS_MAX };
}

function tableOf(of: Shape): Shape {
  return { kind: "table", of, max: MEMBERS_MAX };
}

/** Required, and the graph depends on it. */
function required(shape: Shape): Member {
  return { shape, isRequired: true, isStructure: true };
}

/** Required, but the graph does not depend on it. */
function detail(shape: Shape): Member {
  return { shape, isRequired: true, isStructure: false };
}

/** Optional, and the graph depends on it. */
function structure(shape: Shape): Member {
  return { shape, isRequired: false, isStructure: true };
}

function optional(shape: Shape): Member {
  return { shape, isRequired: false, isStructure: false };
}
