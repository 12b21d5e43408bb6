/** @module Places of D that a certificate lists: are they those that are asked, and what may stand there, for checkers. */
import type { CompiledWorkflow, DataReference, Json } from "@tessera/core";
import { type AskedOfData, type Leaf, placesOf } from "./data-asked.ts";
import { same, typeNames } from "./data-samples.ts";

/** A place of D with the values that are said to stand for all; undefined: it has none. */
export interface ListedPlace {
  readonly key: string;
  readonly path: readonly (string | number)[];
  readonly values: readonly (Json | undefined)[];
}

/** The declared type of a key. */
function declared({ definition }: CompiledWorkflow, key: string) {
  return definition.data !== undefined && Object.hasOwn(definition.data, key)
    ? definition.data[key]
    : undefined;
}

/** The values of a whole key whose declaration lists them, or that is a truth value; null where there are more. */
export function listedValues(
  compiled: CompiledWorkflow,
  { key, path }: Pick<ListedPlace, "key" | "path">,
): readonly Json[] | null {
  const type = declared(compiled, key);
  if (path.length > 0 || type === undefined) return null;
  if (type.values === undefined) return type.type === "boolean" ? [false, true] : null;
  const fit = type.values.filter((value) => typeNames(value).includes(type.type));
  return fit.filter((value, at) => fit.findIndex((one) => same(one, value)) === at);
}

/** May the value stand at the place by its declaration? */
export function fits(compiled: CompiledWorkflow, { key, path }: ListedPlace, value: Json): boolean {
  const type = declared(compiled, key);
  if (path.length > 0 || type === undefined) return true;
  const isListed = type.values === undefined || type.values.some((one) => same(one, value));
  return isListed && typeNames(value).includes(type.type);
}

/** May the place be without a value: a part, a key that is not declared, a verdict, or one that isAssigned asks of? */
export function mayMiss(
  compiled: CompiledWorkflow,
  { leaves, passKeys }: AskedOfData,
  { key, path }: ListedPlace,
): boolean {
  if (path.length > 0 || declared(compiled, key) === undefined || passKeys.has(key)) return true;
  return leaves.some(
    (leaf) => leaf.kind === "isAssigned" && leaf.left.key === key && leaf.left.path.length === 0,
  );
}

/** Does the place tell what is read there: is it that place, or the whole of one whose values are listed? */
export function holds(compiled: CompiledWorkflow, place: ListedPlace, { key, path }: DataReference): boolean {
  if (place.key !== key) return false;
  const isWhole = place.path.length === 0 && listedValues(compiled, place) !== null;
  return isWhole || same(place.path, path);
}

/** Why the places are not those that the decided leaves and the nodes ask of; null if they are. */
export function placeTrouble(
  compiled: CompiledWorkflow,
  { ofKeys, ofForms }: AskedOfData,
  leaves: readonly Leaf[],
  places: readonly ListedPlace[],
): string | null {
  for (const [at, { key, path }] of places.entries()) {
    const isBeside = (other: ListedPlace) =>
      other.key !== key ||
      ![path, other.path].some((outer) => {
        const inner = outer === path ? other.path : path;
        return outer.every((step, index) => step === inner[index]);
      });
    if (!places.every((other, index) => index === at || isBeside(other)))
      return `"${key}" is listed with a part of it, or twice`;
    if (path.length === 0) continue;
    const type = declared(compiled, key)?.type ?? "object";
    const isTorn = ofForms.some((field) => field.key === key && !["object", "any"].includes(field.type));
    if (type !== "object" || isTorn || path.some((step) => typeof step !== "string"))
      return `parts of "${key}" are no places`;
  }
  for (const { key } of ofKeys)
    if (!places.some((place) => holds(compiled, place, { key, path: [] })))
      return `"${key}" is asked, and not listed`;
  for (const leaf of leaves) {
    const own = placesOf(leaf).map((reference) => places.find((place) => holds(compiled, place, reference)));
    if (own.length === 0 || own.includes(undefined)) return "a decided condition asks what is not listed";
    const isFew = own.every((place) => place !== undefined && listedValues(compiled, place) !== null);
    const isPlain =
      leaf.kind === "isAssigned" ||
      (leaf.kind === "compare" &&
        leaf.op !== "contains" &&
        (leaf.right.kind === "constant" || !["isOneOf", "isNoneOf"].includes(leaf.op)));
    if (!isFew && !isPlain) return "a condition is taken for decided that its places do not decide";
  }
  return null;
}
