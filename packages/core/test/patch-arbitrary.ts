// biome-ignore-all lint/suspicious/noExplicitAny: data of any shape are edited and read here.
/** @module Generators of edits, made to fit the data they meet, and a naive application of patches as oracle. */
import fc from "fast-check";
import type { Json, JsonObject } from "../src/json.ts";
import type { PatchOp } from "../src/patch.ts";
import { data, dataKey, json, objectOf, smallJson } from "./json-arbitrary.ts";

/** What an edit would like to do; `fitOps` finds a place for it. */
export interface Wish {
  readonly kind: "set" | "unset" | "splice";
  readonly walk: readonly number[];
  readonly key: string;
  readonly index: number;
  readonly remove: number;
  readonly values: readonly Json[];
}

const value = fc.oneof(smallJson, json);

export const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom("set", "unset", "splice"),
  walk: fc.array(fc.nat({ max: 20 }), { maxLength: 4 }),
  key: dataKey,
  index: fc.nat({ max: 20 }),
  remove: fc.nat({ max: 3 }),
  values: fc.array(value, { minLength: 1, maxLength: 3 }),
});

/** Data with arrays of some length, whose members are sometimes equal and sometimes large. */
export const editableData: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 1, arbitrary: data },
  {
    weight: 2,
    arbitrary: objectOf(
      fc.constantFrom("list", "map", "x"),
      fc.oneof(
        fc.array(smallJson, { maxLength: 8 }),
        fc.array(
          fc.record({
            id: fc.nat({ max: 9 }),
            note: fc.constantFrom("", "a rather long remark", "another one"),
          }),
          { maxLength: 6 },
        ),
        objectOf(dataKey, fc.array(smallJson, { maxLength: 3 })),
      ),
    ),
  },
);

/**
 * Operations that fit `D`, one for each wish that can be fulfilled, and the data after them, edited in place in a copy.
 * With `spliceOnce` no array is spliced twice.
 */
export function fitOps(
  D: JsonObject,
  wishes: readonly Wish[],
  spliceOnce = false,
): { readonly ops: readonly PatchOp[]; readonly after: JsonObject } {
  const after = structuredClone(D) as JsonObject;
  const spliced = new Set<unknown>();
  const ops = wishes.flatMap((wish): PatchOp[] => {
    const op = fitOp(after, wish, spliceOnce ? spliced : new Set());
    if (op === undefined) return [];
    editInPlace(after, op);
    return [structuredClone(op)];
  });
  return { ops, after };
}

function fitOp(D: JsonObject, wish: Wish, spliced: Set<unknown>): PatchOp | undefined {
  let container: any = D;
  const path: (string | number)[] = [];
  for (const choice of wish.walk) {
    const steps = Object.keys(container).filter(
      (key) => key !== "__proto__" && typeof container[key] === "object" && container[key] !== null,
    );
    if (steps.length === 0) break;
    const step = steps[choice % steps.length] as string;
    path.push(Array.isArray(container) ? Number(step) : step);
    container = container[step];
  }
  const [value] = wish.values as [Json];
  if (Array.isArray(container)) {
    if (wish.kind === "set" && container.length > 0) {
      return { kind: "set", path: [...path, wish.index % container.length], value };
    }
    if (spliced.has(container)) return undefined;
    spliced.add(container);
    const index = wish.index % (container.length + 1);
    const remove = Math.min(wish.remove, container.length - index);
    return { kind: "splice", path, index, remove, insert: wish.values };
  }
  const keys = Object.keys(container).filter((key) => key !== "__proto__");
  if (wish.kind === "unset") {
    const key = keys[wish.index % (keys.length || 1)];
    return key === undefined ? undefined : { kind: "unset", path: [...path, key] };
  }
  return { kind: "set", path: [...path, wish.key], value };
}

/** The oracle of application: ordinary assignment on a copy. */
export function editInPlace(D: JsonObject, op: PatchOp): void {
  const steps = op.kind === "splice" ? op.path : op.path.slice(0, -1);
  let container: any = D;
  for (const step of steps) container = container[step];
  const last = op.path.at(-1) as string;
  if (op.kind === "set") container[last] = structuredClone(op.value);
  else if (op.kind === "unset") delete container[last];
  else container.splice(op.index, op.remove, ...(structuredClone(op.insert) as Json[]));
}
