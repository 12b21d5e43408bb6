/** @module Do listed values stand for all data? Every region between the constants that are asked must have some of them. */
import { type CompiledWorkflow, canonicalJson, type Json } from "@tessera/core";
import { answerAt, askedOf, type Leaf, placesOf } from "./data-asked.ts";
import { constantsIn, isOrdered, type Pair, partOf, questionsOf, type Setting } from "./data-parts.ts";
import { type Pattern, patternTrouble } from "./data-patterns.ts";
import { fits, holds, type ListedPlace, listedValues, mayMiss, placeTrouble } from "./data-places.ts";
import { regionOf, same, samplesOf } from "./data-samples.ts";

/** What is said of the data: places, leaves that are not decided (by number), and how places of an order stand. */
export interface ListedCases {
  readonly places: readonly ListedPlace[];
  readonly open: readonly number[];
  readonly patterns: readonly Pattern[];
}

/**
 * Why the listed values do not stand for all data (D23.1); null if they do. Nothing is taken from who listed them: the
 * constants and comparisons are read from the definition, and each region of a place is sampled here.
 *
 * @definition D23.11
 */
export function regionTrouble(
  compiled: CompiledWorkflow,
  { places, open, patterns }: ListedCases,
): string | null {
  const asked = askedOf(compiled);
  const leaves = asked.leaves.filter((_, at) => !open.includes(at));
  const misplaced = placeTrouble(compiled, asked, leaves, places);
  if (misplaced !== null) return misplaced;
  const pairs: Pair[] = [];
  const unary: Leaf[][] = places.map(() => []);
  for (const leaf of leaves) {
    const read = placesOf(leaf).map((one) => places.findIndex((place) => holds(compiled, place, one)));
    const [left, right = left] = read as [number, number?];
    if (left === right) unary[left]!.push(leaf);
    else pairs.push({ leaf, left, right });
  }
  const setting = { compiled, asked, places, pairs, unary };
  for (const index of places.keys()) {
    const part = partOf(setting, index);
    const trouble = isOrdered(setting, part)
      ? orderTrouble(setting, part, patterns)
      : coverTrouble(setting, index, part);
    if (trouble !== null) return `"${[places[index]!.key, ...places[index]!.path].join(".")}" ${trouble}`;
  }
  return null;
}

function orderTrouble(
  setting: Setting,
  part: readonly number[],
  patterns: readonly Pattern[],
): string | null {
  const { compiled, asked, places } = setting;
  const typeOf = (place: number) => compiled.definition.data?.[places[place]!.key]?.type;
  const type = typeOf(part[0]!);
  // Parts are of keys that are objects, or not declared.
  if (!part.every((place) => typeOf(place) === type) || (type !== "number" && type !== "integer"))
    return "is compared by order with what is no number";
  const isWanted = (key: string) => part.some((place) => places[place]!.key === key);
  if (asked.ofForms.some((field) => isWanted(field.key) && !(field.isFree && field.type === type)))
    return "is compared by order, and a form wants it otherwise";
  const numbers = constantsIn(setting, part).filter((value) => typeof value === "number");
  const optional = part.map((place) => mayMiss(compiled, asked, places[place]!));
  return patternTrouble(part, numbers, optional, type === "integer", patterns);
}

/** Each class of values that answer alike must have values: as many as places are compared, where there are so many. */
function coverTrouble(setting: Setting, index: number, part: readonly number[]): string | null {
  const { compiled, asked, places, pairs, unary } = setting;
  const place = places[index]!;
  const { values, path, key } = place;
  const isMissing = mayMiss(compiled, asked, place);
  if (values.some((value) => (value === undefined ? !isMissing : !fits(compiled, place, value))))
    return "has a value that the declarations do not allow";
  if (values.some((value, at) => values.findIndex((one) => same(one, value)) !== at))
    return "lists a value twice";
  const own = listedValues(compiled, place);
  const constants = constantsIn(setting, part);
  const isShared = pairs.some(({ left, right }) => left === index || right === index);
  const type = path.length > 0 ? undefined : compiled.definition.data?.[key]?.type;
  const samples: readonly (Json | undefined)[] = own ?? samplesOf(constants, type, part.length);
  const classOf = (value: Json | undefined): string => {
    if (value === undefined) return "missing";
    if (own !== null && isShared) return canonicalJson(value);
    const ofLeaves = unary[index]!.map((leaf) => answerAt(leaf, { key, path }, value));
    const answers = [ofLeaves, questionsOf(setting, index).map(({ ask }) => ask(value))];
    return JSON.stringify(isShared ? [answers, regionOf(value, constants)] : answers);
  };
  const counted = (list: readonly (Json | undefined)[]) => {
    const counts = new Map<string, number>();
    for (const value of list) counts.set(classOf(value), (counts.get(classOf(value)) ?? 0) + 1);
    return counts;
  };
  const listed = counted(values);
  for (const [name, count] of counted(isMissing ? [...samples, undefined] : samples))
    if ((listed.get(name) ?? 0) < Math.min(count, isShared ? part.length : 1))
      return "has no value, or too few, in a region";
  if (!isShared && [...listed.values()].some((count) => count > 1))
    return "lists two values that answer alike";
  const isUnshared = part.some((other) =>
    values.some(
      (value) =>
        value !== undefined &&
        fits(compiled, places[other]!, value) &&
        !places[other]!.values.some((one) => same(one, value)),
    ),
  );
  return isUnshared ? "has a value that a place which it is compared with lacks" : null;
}
