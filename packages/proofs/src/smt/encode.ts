/** @module Guards over declared keys as formulas of SMT-LIB: numbers are IEEE doubles, as those of the engine are. */
import type { Condition, DataReference, DataType, ExpressionTerm, Json } from "@tessera/core";

/** What a key or term is. Numbers are doubles, texts are told apart only. */
export type Sort = "number" | "text" | "truth";

/** A key that formulas speak of, under a symbol that needs no quoting. */
export interface Variable {
  readonly key: string;
  readonly symbol: string;
  readonly sort: Sort;
  readonly type: DataType;
}

/** Reads an expression of another language as a term; null if it says more. */
export type ReadTerm = (language: string, text: string) => ExpressionTerm | null;

/** Grows while guards are encoded: the keys that they read, and the texts, of which each has its number as code. */
export interface Vocabulary {
  readonly declared: Readonly<Record<string, DataType>>;
  readonly read: ReadTerm;
  readonly variables: Map<string, Variable>;
  readonly texts: string[];
}

/** When a guard is true and when it has no answer. */
export interface Encoded {
  readonly truth: string;
  readonly error: string;
}

/** An empty vocabulary. */
export function vocabularyOf(declared: Readonly<Record<string, DataType>>, read: ReadTerm): Vocabulary {
  return { declared, read, variables: new Map(), texts: [] };
}

/**
 * The guard as formulas; null if it asks for more than keys that are declared as numbers, integers, texts or truth
 * values, or what their order or parts are where they are texts.
 */
export function encodeGuard(vocabulary: Vocabulary, guard: Condition): Encoded | null {
  switch (guard.kind) {
    case "all":
    case "any": {
      const parts = guard.conditions.map((part) => encodeGuard(vocabulary, part));
      const known = parts.filter((part) => part !== null);
      return known.length < parts.length ? null : combined(known, guard.kind === "all");
    }
    case "not": {
      const inner = encodeGuard(vocabulary, guard.condition);
      return inner && { truth: and([not(inner.truth), not(inner.error)]), error: inner.error };
    }
    case "isAssigned":
      return variableAt(vocabulary, guard.left) === null ? null : answer("true");
    case "compare":
      return encodeComparison(vocabulary, guard);
    case "opaque": {
      const term = vocabulary.read(guard.language, guard.text);
      const encoded = term === null ? null : encodeTerm(vocabulary, term);
      return encoded?.sort === "truth" ? answer(encoded.text) : null;
    }
    default:
      return null;
  }
}

/** The parts are asked in order until one decides: as `all`, or as `any`. */
function combined(parts: readonly Encoded[], isAll: boolean): Encoded {
  const goesOn = ({ truth, error }: Encoded) => (isAll ? truth : and([not(truth), not(error)]));
  const before = (at: number) => parts.slice(0, at).map(goesOn);
  const error = or(parts.map((part, at) => and([...before(at), part.error])));
  if (isAll) return { truth: and(parts.map(({ truth }) => truth)), error };
  return { truth: or(parts.map((part, at) => and([...before(at), part.truth]))), error };
}

type Comparison = Extract<Condition, { readonly kind: "compare" }>;

function encodeComparison(vocabulary: Vocabulary, { left, op, right }: Comparison): Encoded | null {
  const variable = variableAt(vocabulary, left);
  if (variable === null) return null;
  const own: Typed = { sort: variable.sort, text: variable.symbol };
  if (op === "isOneOf" || op === "isNoneOf") {
    if (right.kind !== "constant" || !Array.isArray(right.value)) return null;
    const members = or(
      (right.value as readonly Json[]).map((value) => equal(own, constant(vocabulary, value))),
    );
    return answer(op === "isOneOf" ? members : not(members));
  }
  let other: Typed | null;
  if (right.kind === "constant") other = constant(vocabulary, right.value);
  else {
    const found = variableAt(vocabulary, right.reference);
    if (found === null) return null;
    other = { sort: found.sort, text: found.symbol };
  }
  if (op === "is") return answer(equal(own, other));
  if (op === "isNot") return answer(not(equal(own, other)));
  const symbol = ORDERS[op];
  if (symbol === undefined) return null;
  if (own.sort === "number" && other?.sort === "number")
    return answer(`(${symbol} ${own.text} ${other.text})`);
  // The order of texts is not encoded; of other types there is none.
  return own.sort === "text" && other?.sort === "text" ? null : { truth: "false", error: "true" };
}

const ORDERS: Readonly<Record<string, string>> = {
  lessThan: "fp.lt",
  atMost: "fp.leq",
  greaterThan: "fp.gt",
  atLeast: "fp.geq",
};

/** A formula or value with its sort. */
interface Typed {
  readonly sort: Sort;
  readonly text: string;
}

const OPERATIONS = { "+": "fp.add", "-": "fp.sub", "*": "fp.mul", "/": "fp.div" } as const;

function encodeTerm(vocabulary: Vocabulary, term: ExpressionTerm): Typed | null {
  switch (term.kind) {
    case "constant":
      return constant(vocabulary, term.value);
    case "key": {
      const variable = variableAt(vocabulary, { key: term.key, path: [] });
      return variable && { sort: variable.sort, text: variable.symbol };
    }
    case "not": {
      const inner = encodeTerm(vocabulary, term.term);
      return inner?.sort === "truth" ? { sort: "truth", text: not(inner.text) } : null;
    }
    default:
  }
  const left = encodeTerm(vocabulary, term.left);
  const right = encodeTerm(vocabulary, term.right);
  if (left === null || right === null || left.sort !== right.sort) return null;
  if (term.kind === "arithmetic")
    return left.sort === "number"
      ? { sort: "number", text: `(${OPERATIONS[term.op]} RNE ${left.text} ${right.text})` }
      : null;
  if (term.kind === "compare") {
    const text = comparisonText(term.op, left, right);
    return text === null ? null : { sort: "truth", text };
  }
  if (left.sort !== "truth") return null;
  const join = term.kind === "and" ? and : or;
  return { sort: "truth", text: join([left.text, right.text]) };
}

/** As D14.27: `<=` and `>=` are the negations of `>` and `<`, also where there is no number. */
function comparisonText(op: string, left: Typed, right: Typed): string | null {
  if (op === "=") return equal(left, right);
  if (op === "!=") return not(equal(left, right));
  if (left.sort !== "number") return null;
  const less = `(fp.lt ${left.text} ${right.text})`;
  const greater = `(fp.gt ${left.text} ${right.text})`;
  return op === "<" ? less : op === ">" ? greater : op === "<=" ? not(greater) : not(less);
}

function equal(left: Typed, right: Typed | null): string {
  if (right === null || left.sort !== right.sort) return "false";
  return left.sort === "number" ? `(fp.eq ${left.text} ${right.text})` : `(= ${left.text} ${right.text})`;
}

/** A value as it stands in formulas; null for one that no declared key can have. */
export function constant(vocabulary: Vocabulary, value: Json): Typed | null {
  if (typeof value === "number") return { sort: "number", text: doubleText(value) };
  if (typeof value === "boolean") return { sort: "truth", text: String(value) };
  if (typeof value !== "string") return null;
  const known = vocabulary.texts.indexOf(value);
  const code = known >= 0 ? known : vocabulary.texts.push(value) - 1;
  return { sort: "text", text: `(_ bv${code} 32)` };
}

const SORTS: Readonly<Record<string, Sort>> = {
  number: "number",
  integer: "number",
  string: "text",
  boolean: "truth",
};

function variableAt({ declared, variables }: Vocabulary, { key, path }: DataReference): Variable | null {
  const type = Object.hasOwn(declared, key) ? declared[key]! : undefined;
  const sort = type === undefined ? undefined : SORTS[type.type];
  if (type === undefined || sort === undefined || path.length > 0) return null;
  const variable = variables.get(key) ?? { key, symbol: `v${variables.size}`, sort, type };
  variables.set(key, variable);
  return variable;
}

/** The bits of a double. */
function doubleText(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0).toString(2).padStart(64, "0");
  return `(fp #b${bits.slice(0, 1)} #b${bits.slice(1, 12)} #b${bits.slice(12)})`;
}

const answer = (truth: string): Encoded => ({ truth, error: "false" });

/** The negation. */
export function not(formula: string): string {
  return formula === "true" ? "false" : formula === "false" ? "true" : `(not ${formula})`;
}

/** All of the formulas. */
export function and(formulas: readonly string[]): string {
  return joined("and", formulas, "true", "false");
}

/** One of the formulas. */
export function or(formulas: readonly string[]): string {
  return joined("or", formulas, "false", "true");
}

function joined(name: string, formulas: readonly string[], neutral: string, decisive: string): string {
  if (formulas.includes(decisive)) return decisive;
  const rest = formulas.filter((formula) => formula !== neutral);
  if (rest.length === 0) return neutral;
  return rest.length === 1 ? rest[0]! : `(${name} ${rest.join(" ")})`;
}
