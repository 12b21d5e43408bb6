/** @module The cases of the data of a workflow as a world that a checker steps through, read from the text of D23.1. */
import { canonicalJson, type Data, type Outcome } from "@tessera/core";
import { isOfType } from "../data-level/conditions-read.ts";
import { type Domain, dataOf, type Value } from "../data-level/domain.ts";
import type { Answered, World } from "./data-frame.ts";
import { type Frame, type Writable, writesAt } from "./data-frame.ts";

/** Every case as data, and the world in which answers leave cases. */
export interface CaseWorld {
  readonly cases: readonly Data[];
  readonly world: World;
}

/** The cases of the domain, and their world. */
export function worldOfCases(frame: Frame, domain: Domain): CaseWorld {
  const all = casesOf(domain);
  const cases = all.map((cells) => dataOf(domain, cells));
  const numbers = new Map(cases.map((data, index) => [canonicalJson(data), index]));
  const groups = new Map<string, ReadonlyMap<string, readonly number[]>>();
  const answersTo = (node: number, outcome: Outcome, before: Data): readonly Answered[] => {
    const writes = writesAt(frame, domain.questions, node, outcome);
    const isWritten = domain.slots.map(({ reference: { key } }) => writes.has(key));
    const name = isWritten.join();
    const kept = (cells: readonly number[]) => keptPart(domain, cells, isWritten);
    const grouped = groups.get(name) ?? groupedBy(all, kept);
    groups.set(name, grouped);
    const own = all[numbers.get(canonicalJson(before))!]!;
    return grouped.get(kept(own))!.flatMap((index) => {
      const cells = all[index]!;
      const fits = cells.every(
        (cell, slot) => !isWritten[slot] || mayLeave(domain, writes, slot, cell, own[slot]!),
      );
      return fits ? [{ data: cases[index]!, isSure: hasRoom(domain, cells, isWritten) }] : [];
    });
  };
  return { cases, world: { ...frame, answersTo } };
}

function groupedBy(
  all: readonly (readonly number[])[],
  kept: (cells: readonly number[]) => string,
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  all.forEach((cells, index) => {
    const name = kept(cells);
    found.set(name, [...(found.get(name) ?? []), index]);
  });
  return found;
}

/** Every combination of values; slots of an order stand in one of its patterns. */
function casesOf({ slots, orders }: Domain): readonly (readonly number[])[] {
  const inOrder = new Set(orders.flatMap((part) => part.slots));
  let all: readonly (readonly number[])[] = [slots.map(() => 0)];
  for (const part of orders)
    all = all.flatMap((cells) =>
      part.tuples.map((tuple) =>
        cells.map((cell, slot) => (part.slots.includes(slot) ? tuple[part.slots.indexOf(slot)]! : cell)),
      ),
    );
  for (const [slot, { values }] of slots.entries())
    if (!inOrder.has(slot)) all = all.flatMap((cells) => values.map((_, cell) => cells.with(slot, cell)));
  return all;
}

/** What of a case stays when some slots are written: values, and how those of an order stand to each other. */
function keptPart(domain: Domain, cells: readonly number[], isWritten: readonly boolean[]): string {
  const { slots, orders } = domain;
  const inOrder = new Set(orders.flatMap((part) => part.slots));
  const alone = cells.filter((_, slot) => !isWritten[slot] && !inOrder.has(slot));
  const standing = orders.map((part) => {
    const kept = part.slots.filter((slot) => !isWritten[slot]);
    return standingOf(
      kept.map((slot) => slots[slot]!.values[cells[slot]!]),
      part.constants,
    );
  });
  return JSON.stringify([alone, standing]);
}

/** How values stand to each other and to the constants; a missing one to nothing. */
export function standingOf(values: readonly Value[], constants: readonly number[]): string {
  const others = [...values, ...constants];
  return JSON.stringify(
    values.map((value) => others.map((other) => Math.sign(Number(value) - Number(other)))),
  );
}

/** May the slot have the value of `cell` after the answer, when it had that of `own` before? */
function mayLeave(
  domain: Domain,
  { fields, mayUnset }: Writable,
  slot: number,
  cell: number,
  own: number,
): boolean {
  const { reference, values } = domain.slots[slot]!;
  const { key, path } = reference;
  const value = values[cell];
  const field = fields?.find((one) => one.key === key);
  // What is left out stays as it was; in an order a value that is there can be any other as well.
  const isLeftOut = fields === null ? !mayUnset : field?.isOptional === true;
  if (isLeftOut && cell === own) return true;
  // A form in the way takes an object, or anything: of others no part is asked (D23.1).
  if (path.length > 0) return true;
  if (value === undefined) return mayUnset;
  return field === undefined || isOfType(value, field);
}

/** Are there such integers for the written slots whatever the others are: none, theirs, a constant, alone in a gap, outside? */
function hasRoom(
  { slots, orders }: Domain,
  cells: readonly number[],
  isWritten: readonly boolean[],
): boolean {
  return orders.every((part) => {
    if (!part.isDiscrete) return true;
    const numbersOf = (isAsked: boolean) =>
      part.slots
        .filter((slot) => isWritten[slot] === isAsked)
        .map((slot) => slots[slot]!.values[cells[slot]!]);
    const kept = numbersOf(false).filter((value) => typeof value === "number");
    return numbersOf(true).every((value) => {
      if (typeof value !== "number" || kept.includes(value) || part.constants.includes(value)) return true;
      const isApart = (other: number) => part.constants.some((c) => (c - value) * (c - other) <= 0);
      const near = kept.filter((other) => !isApart(other));
      const others = [...part.constants, ...near];
      const isTop = others.every((other) => other < value);
      const isLow = others.every((other) => other > value);
      return near.length === 0 || isTop || isLow;
    });
  });
}
