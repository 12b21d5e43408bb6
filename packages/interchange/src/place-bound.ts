/** @module A bound of a place that its net's arcs and initial marking make certain, by exact linear programming. */
import { invariant, type Net, type PlaceIndex } from "@tessera/core";

/** How many numbers of the tableau may still be computed; shared by all questions about one net. */
export interface Budget {
  left: number;
}

/**
 * The largest number of tokens that `place` can hold according to the state equation, rounded down; null where the
 * equation sets no bound, or the budget is used up before it is known.
 *
 * The bound comes with its proof, which is checked: weights y >= 0 with y(place) >= 1 such that no transition makes
 * y M grow. Then M(place) <= y M <= y M0 at every reachable M; a reset, a rule or an inhibitor only takes away.
 * Cost: the simplex method over integers, at most `budget.left` numbers.
 *
 * @definition D11.10
 */
export function placeBound(net: Net, place: PlaceIndex, budget: Budget): number | null {
  const columns = effects(net);
  const weights = solve(net, columns, place, budget);
  if (weights === null) return null;
  const { scale, y } = weights;
  const value = (side: ReadonlyMap<PlaceIndex, bigint>) =>
    [...side].reduce((sum, [p, tokens]) => sum + (y[p] ?? 0n) * tokens, 0n);
  const isProof = y.every((weight) => weight >= 0n) && (y[place] ?? 0n) >= scale;
  invariant(isProof && columns.every((column) => value(column) <= 0n), "D11.10", () => ({ place }));
  const total = value(new Map(net.initial.map((tokens, p) => [p, BigInt(tokens)])));
  const bound = total / scale;
  return bound <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bound) : null;
}

/** The change of each place by each transition; places that do not change are left out. */
function effects(net: Net): readonly ReadonlyMap<PlaceIndex, bigint>[] {
  return net.transitions.map(({ pre, post }) => {
    const effect = new Map<PlaceIndex, bigint>();
    const add = (place: PlaceIndex, weight: number) => {
      const sum = (effect.get(place) ?? 0n) + BigInt(weight);
      if (sum === 0n) effect.delete(place);
      else effect.set(place, sum);
    };
    for (const [place, weight] of pre) add(place, -weight);
    for (const [place, weight] of post) add(place, weight);
    return effect;
  });
}

/** A row of the tableau: an equation over variables, scaled at will; the number of its basic variable is positive. */
interface Row {
  basic: number;
  cells: Map<number, bigint>;
  right: bigint;
}

/** y as integers over a common positive `scale`. */
interface Weights {
  readonly scale: bigint;
  readonly y: readonly bigint[];
}

/**
 * Maximizes (M0 + C x)(place) over x >= 0 with M0 + C x >= 0, and returns the multipliers of the optimum. Variables:
 * x of transition t is t, the tokens left on place p are `transitions + p`. M0 >= 0 makes the start feasible.
 */
function solve(
  net: Net,
  columns: readonly ReadonlyMap<PlaceIndex, bigint>[],
  place: PlaceIndex,
  budget: Budget,
): Weights | null {
  const count = columns.length;
  const rows = net.places.map(
    (_, p): Row => ({
      basic: count + p,
      cells: new Map([[count + p, 1n]]),
      right: BigInt(net.initial[p] ?? 0),
    }),
  );
  const objective: Row = { basic: -1, cells: new Map([[-1, 1n]]), right: 0n };
  columns.forEach((column, t) => {
    for (const [p, change] of column) rows[p]?.cells.set(t, -change);
    const gain = column.get(place);
    if (gain !== undefined) objective.cells.set(t, -gain);
  });
  for (let entering = enteringOf(objective); entering !== null; entering = enteringOf(objective)) {
    const leaving = leavingOf(rows, entering);
    if (leaving === null) return null;
    for (const row of [...rows, objective]) {
      if (row !== leaving && !eliminate(row, leaving, entering, budget)) return null;
    }
    leaving.basic = entering;
  }
  const scale = objective.cells.get(-1) ?? 1n;
  const y = net.places.map((_, p) => objective.cells.get(count + p) ?? 0n);
  return { scale, y: y.map((weight, p) => (p === place ? weight + scale : weight)) };
}

/** The first variable whose growth helps (Bland's rule, which cannot cycle); null at the optimum. */
function enteringOf({ cells }: Row): number | null {
  let found: number | null = null;
  for (const [variable, cell] of cells) {
    if (variable >= 0 && cell < 0n && (found === null || variable < found)) found = variable;
  }
  return found;
}

/** The row that limits the growth of `entering` first, of equal ones that with the first basic variable; null if none does. */
function leavingOf(rows: readonly Row[], entering: number): Row | null {
  let found: { readonly row: Row; readonly cell: bigint } | null = null;
  for (const row of rows) {
    const cell = row.cells.get(entering) ?? 0n;
    if (cell <= 0n) continue;
    const difference = found === null ? -1n : row.right * found.cell - found.row.right * cell;
    if (found === null || difference < 0n || (difference === 0n && row.basic < found.row.basic))
      found = { row, cell };
  }
  return found?.row ?? null;
}

/** Removes `entering` from `row` by a multiple of `leaving`; false if the budget does not allow it. */
function eliminate(row: Row, leaving: Row, entering: number, budget: Budget): boolean {
  const own = row.cells.get(entering) ?? 0n;
  if (own === 0n) return true;
  const pivot = leaving.cells.get(entering) ?? 1n;
  budget.left -= row.cells.size + leaving.cells.size;
  if (budget.left < 0) return false;
  const divisor = gcd(own < 0n ? -own : own, pivot);
  const [times, minus] = [pivot / divisor, own / divisor];
  if (times !== 1n) for (const [variable, cell] of row.cells) row.cells.set(variable, cell * times);
  for (const [variable, cell] of leaving.cells) {
    const sum = (row.cells.get(variable) ?? 0n) - minus * cell;
    if (sum === 0n) row.cells.delete(variable);
    else row.cells.set(variable, sum);
  }
  row.right = row.right * times - minus * leaving.right;
  return true;
}

function gcd(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
