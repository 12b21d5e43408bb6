/** @module From a linear formula to an automaton that accepts exactly the runs that satisfy it (generalised Büchi). */
import { invariant, unreachable } from "@tessera/core";
import type { Atom, Formula } from "./formula.ts";

/** An atom or its negation. */
export interface Literal {
  readonly atom: Atom;
  readonly isNegated: boolean;
}

/** A state of the automaton: what must be true of the marking, and where it goes. */
export interface AutomatonState {
  readonly literals: readonly Literal[];
  readonly next: readonly number[];
}

/** Each run passes, again and again, a state of every set of `accepting` (1 = member). */
export interface Automaton {
  readonly states: readonly AutomatonState[];
  readonly initial: readonly number[];
  readonly accepting: readonly Uint8Array[];
}

/** Negations at atoms only; U and its dual R. */
type Normal =
  | { readonly kind: "literal"; readonly literal: Literal }
  | { readonly kind: "and" | "or" | "U" | "R"; readonly left: number; readonly right: number }
  | { readonly kind: "X"; readonly of: number };

/** Formulas by number, equal ones once. */
interface Table {
  readonly formulas: Normal[];
  readonly numberOf: Map<string, number>;
}

/** States of an automaton, and steps of its tableau, which may be far more: both are exponential in the formula. */
const STATES_MAX = 5000;
const STEPS_MAX = 5_000_000;
/** Steps between two looks at the clock. */
const SLICE = 1024;

/**
 * The automaton of a linear formula, by the tableau of Gerth, Peled, Vardi and Wolper (1995); null if it would have more
 * than some thousand states, or take more than some seconds, or where `isOver` says so.
 *
 * @definition D22.4
 */
export function automatonOf(formula: Formula, isOver: () => boolean = () => false): Automaton | null {
  const table: Table = { formulas: [], numberOf: new Map() };
  const root = normal(table, formula, false);
  const nodes = new Map<string, Node>();
  const stack: Open[] = [{ incoming: [INITIAL], todo: [root], old: new Set(), next: new Set() }];
  let steps = 0;
  for (let open = stack.pop(); open !== undefined; open = stack.pop()) {
    if (nodes.size > STATES_MAX || steps >= STEPS_MAX) return null;
    if (steps % SLICE === 0 && isOver()) return null;
    steps += 1;
    expand(table, nodes, stack, open);
  }
  return assembled(table, [...nodes.values()]);
}

const INITIAL = -1;

interface Node {
  readonly number: number;
  readonly incoming: Set<number>;
  readonly old: ReadonlySet<number>;
}

interface Open {
  readonly incoming: readonly number[];
  readonly todo: readonly number[];
  readonly old: ReadonlySet<number>;
  readonly next: ReadonlySet<number>;
}

function expand({ formulas }: Table, nodes: Map<string, Node>, stack: Open[], open: Open): void {
  const [first, ...todo] = open.todo;
  if (first === undefined) {
    const key = `${sorted(open.old)};${sorted(open.next)}`;
    const known = nodes.get(key);
    if (known !== undefined) {
      for (const from of open.incoming) known.incoming.add(from);
      return;
    }
    const node: Node = { number: nodes.size, incoming: new Set(open.incoming), old: open.old };
    nodes.set(key, node);
    stack.push({ incoming: [node.number], todo: [...open.next], old: new Set(), next: new Set() });
    return;
  }
  if (open.old.has(first)) {
    stack.push({ ...open, todo });
    return;
  }
  const formula = formulas[first]!;
  if (formula.kind === "literal" && contradicts(formulas, open.old, formula.literal)) return;
  const old = new Set([...open.old, first]);
  for (const { now, later } of waysOf(formula, first)) {
    stack.push({ ...open, todo: [...now, ...todo], old, next: new Set([...open.next, ...later]) });
  }
}

/** The ways to make a formula true: what must be true now, and what in the next marking. */
function waysOf(
  formula: Normal,
  self: number,
): readonly { readonly now: readonly number[]; readonly later: readonly number[] }[] {
  switch (formula.kind) {
    case "literal":
      return [{ now: [], later: [] }];
    case "and":
      return [{ now: [formula.left, formula.right], later: [] }];
    case "or":
      return [
        { now: [formula.left], later: [] },
        { now: [formula.right], later: [] },
      ];
    case "X":
      return [{ now: [], later: [formula.of] }];
    case "U":
      return [
        { now: [formula.left], later: [self] },
        { now: [formula.right], later: [] },
      ];
    case "R":
      return [
        { now: [formula.right], later: [self] },
        { now: [formula.left, formula.right], later: [] },
      ];
    default:
      return unreachable(formula);
  }
}

function contradicts(
  formulas: readonly Normal[],
  old: ReadonlySet<number>,
  { atom, isNegated }: Literal,
): boolean {
  if (atom.kind === "true") return isNegated;
  if (atom.kind === "false") return !isNegated;
  return [...old].some((number) => {
    const other = formulas[number]!;
    return (
      other.kind === "literal" &&
      other.literal.isNegated !== isNegated &&
      JSON.stringify(other.literal.atom) === JSON.stringify(atom)
    );
  });
}

function assembled({ formulas }: Table, nodes: readonly Node[]): Automaton {
  const states = nodes.map((node) => ({
    literals: [...node.old].flatMap((number) => {
      const formula = formulas[number]!;
      return formula.kind === "literal" ? [formula.literal] : [];
    }),
    next: nodes.filter(({ incoming }) => incoming.has(node.number)).map(({ number }) => number),
  }));
  const initial = nodes.filter(({ incoming }) => incoming.has(INITIAL)).map(({ number }) => number);
  const accepting = formulas.flatMap((formula, number) => {
    if (formula.kind !== "U") return [];
    return [Uint8Array.from(nodes, ({ old }) => (!old.has(number) || old.has(formula.right) ? 1 : 0))];
  });
  return { states, initial, accepting };
}

/** The number of the formula, or of its negation. */
function normal(table: Table, formula: Formula, isNegated: boolean): number {
  const of = (part: Formula, isNot = isNegated) => normal(table, part, isNot);
  const join = (kind: "and" | "or" | "U" | "R", left: number, right: number) =>
    add(table, { kind, left, right });
  const literal = (kind: "true" | "false") =>
    add(table, { kind: "literal", literal: { atom: { kind }, isNegated: false } });
  switch (formula.kind) {
    case "not":
      return of(formula.of, !isNegated);
    case "and":
      return join(isNegated ? "or" : "and", of(formula.left), of(formula.right));
    case "or":
      return join(isNegated ? "and" : "or", of(formula.left), of(formula.right));
    case "implies":
      return join(isNegated ? "and" : "or", of(formula.left, !isNegated), of(formula.right));
    case "X":
      return add(table, { kind: "X", of: of(formula.of) });
    case "U":
      return join(isNegated ? "R" : "U", of(formula.left), of(formula.right));
    case "F":
      return isNegated
        ? join("R", literal("false"), of(formula.of))
        : join("U", literal("true"), of(formula.of));
    case "G":
      return isNegated
        ? join("U", literal("true"), of(formula.of))
        : join("R", literal("false"), of(formula.of));
    default:
      return add(table, { kind: "literal", literal: { atom: formula, isNegated } });
  }
}

function add({ formulas, numberOf }: Table, formula: Normal): number {
  const key = JSON.stringify(formula);
  const known = numberOf.get(key);
  if (known !== undefined) return known;
  invariant(formulas.length < 100_000, "D22.4", () => ({ formulas: formulas.length }));
  numberOf.set(key, formulas.length);
  return formulas.push(formula) - 1;
}

function sorted(numbers: ReadonlySet<number>): string {
  return [...numbers].sort((a, b) => a - b).join();
}
