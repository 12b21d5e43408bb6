/** @module A broken invariant is a bug of ours: it stops the turn with an id and the facts, in production too. */

/** Facts about a broken invariant, small and serialisable where possible. */
export type InvariantFacts = Readonly<Record<string, unknown>>;

/**
 * Thrown when a statement that must always hold does not.
 * `id` is the id of the statement in `docs/definitions` (for example "D1.3"). Callers test `code`.
 */
export class InvariantViolation extends Error {
  override readonly name: string = "InvariantViolation";
  readonly code: "INVARIANT" = "INVARIANT";
  readonly id: string;
  readonly facts: InvariantFacts;

  constructor(id: string, facts: InvariantFacts) {
    super(`invariant ${id} does not hold`);
    this.id = id;
    this.facts = facts;
  }
}

/**
 * Asserts a statement that must always hold; never use it for input.
 * `facts` is a function so that nothing is built while the statement holds.
 *
 * @throws InvariantViolation if `cond` is false.
 */
export function invariant(cond: boolean, id: string, facts?: () => InvariantFacts): asserts cond {
  if (!cond) {
    throw new InvariantViolation(id, facts === undefined ? {} : facts());
  }
}

/**
 * Ends an exhaustive switch: a new variant becomes a type error here, and a value that the types exclude a violation.
 *
 * @throws InvariantViolation always.
 */
export function unreachable(x: never): never {
  throw new InvariantViolation("unreachable", { value: x });
}
