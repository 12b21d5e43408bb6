/** @module Combinations of values: the cases of the data, and those that an answer can leave. */
import { type Domain, dataOf } from "./domain.ts";
import { extensions, isAlwaysRoom } from "./order-part.ts";
import { isConsistent, isFreeToChoose, isKept } from "./told-answers.ts";

/** Slots whose values are chosen together, and the choices. */
interface Factor {
  readonly slots: readonly number[];
  readonly options: readonly (readonly number[])[];
}

/** All cases of the data. */
export function* allCases(domain: Domain): Generator<readonly number[]> {
  const { slots, orders } = domain;
  const isInOrder = (slot: number) => orders.some((part) => part.slots.includes(slot));
  const single = slots.flatMap(({ values }, slot): readonly Factor[] =>
    isInOrder(slot) ? [] : [{ slots: [slot], options: values.map((_, cell) => [cell]) }],
  );
  const joint = orders.map((part): Factor => ({ slots: part.slots, options: part.tuples }));
  const base = slots.map(() => 0);
  for (const cells of product([...single, ...joint], base))
    if (domain.told === undefined || isConsistent(domain, dataOf(domain, cells))) yield cells;
}

/**
 * A case that an answer can leave. `isRoom`: whatever integers the other keys are, there are such for those written.
 * `isFree`: whatever the other keys are, values for those written give the answers that the case tells.
 */
export interface Combination {
  readonly cells: readonly number[];
  readonly isRoom: boolean;
  readonly isFree: boolean;
}

/**
 * The cases after an answer on the case `before`: for each slot one of the `allowed` values, or what it had where there
 * is no list or `mayStay`; slots that are compared by order stand to the ones that stay as they can. `isWritten`: the keys
 * of the answer, for what a case tells of leaves.
 */
export function* combinations(
  domain: Domain,
  allowed: readonly (readonly number[] | null)[],
  before: readonly number[],
  mayStay: (slot: number) => boolean,
  isWritten: (key: string) => boolean,
): Generator<Combination> {
  const { slots, orders } = domain;
  const isInOrder = (slot: number) => orders.some((part) => part.slots.includes(slot));
  const single = slots.flatMap((_, slot): readonly Factor[] => {
    const list = allowed[slot] ?? null;
    const own = before[slot]!;
    if (isInOrder(slot) || list === null) return [];
    const cells = mayStay(slot) && !list.includes(own) ? [own, ...list] : list;
    return [{ slots: [slot], options: cells.map((cell) => [cell]) }];
  });
  const written = orders.filter((part) => part.slots.some((slot) => allowed[slot] !== null));
  const overwritten = (part: (typeof orders)[number]) => part.slots.map((slot) => allowed[slot] !== null);
  const joint = written.map((part): Factor => {
    const tuple = part.slots.map((slot) => before[slot]!);
    const isAllowed = (slot: number, cell: number) =>
      (allowed[slot]?.includes(cell) ?? true) ||
      (mayStay(slot) && cell === before[slot] && slots[slot]!.values[cell] === undefined);
    const options = extensions(part, tuple, overwritten(part)).filter((option) =>
      option.every((cell, at) => isAllowed(part.slots[at]!, cell)),
    );
    return { slots: part.slots, options };
  });
  const isFree = isFreeToChoose(domain, isWritten);
  for (const cells of product([...single, ...joint], before)) {
    const isPossible =
      domain.told === undefined ||
      (isKept(domain, before, cells, isWritten) && isConsistent(domain, dataOf(domain, cells)));
    if (!isPossible) continue;
    const isRoom = written.every((part) => {
      const after = part.slots.map((slot) => cells[slot]!);
      return !part.isDiscrete || isAlwaysRoom(part, after, overwritten(part));
    });
    yield { cells, isRoom, isFree };
  }
}

/** Every combination of options, over what `base` has in the other slots. */
function* product(factors: readonly Factor[], base: readonly number[]): Generator<readonly number[]> {
  if (factors.some(({ options }) => options.length === 0)) return;
  const digits = factors.map(() => 0);
  for (;;) {
    const cells = [...base];
    factors.forEach(({ slots, options }, at) => {
      slots.forEach((slot, index) => {
        cells[slot] = options[digits[at]!]![index]!;
      });
    });
    yield cells;
    let at = 0;
    while (at < factors.length && digits[at] === factors[at]!.options.length - 1) {
      digits[at] = 0;
      at += 1;
    }
    if (at === factors.length) return;
    digits[at]! += 1;
  }
}
