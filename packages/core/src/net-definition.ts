/** @module A net definition (an imported net as data) and its net. */
import type { CompiledNetDefinition } from "./compile.ts";
import { type Issue, issue } from "./issue.ts";
import { makeNet, type Net, type PlaceIndex, type Transition, type WeightedPlace } from "./net.ts";
import { bad, ok, type Result } from "./result.ts";
import type { NetDefinition } from "./workflow.ts";

/**
 * The net of a net definition, index by index: place i is `places[i]`, transition t is `transitions[t]`.
 * Errors: repeated ids, arcs and finals that name unknown places, weights that are not positive integers; all at once.
 *
 * @definition D2.4
 */
export function compileNetDefinition(definition: NetDefinition): Result<CompiledNetDefinition, readonly Issue[]> {
  const issues: Issue[] = [];
  const places = new Map<string, PlaceIndex>();
  definition.places.forEach((place, index) => {
    if (places.has(place.id)) issues.push(issue("NET001", ["places", index, "id"], `place id "${place.id}" is used twice`));
    else places.set(place.id, index);
  });
  const ids = new Set<string>();
  const transitions = definition.transitions.map((t, index): Transition => {
    if (ids.has(t.id)) issues.push(issue("NET001", ["transitions", index, "id"], `transition id "${t.id}" is used twice`));
    ids.add(t.id);
    const side = (name: "pre" | "post") => resolveSide(t[name], places, ["transitions", index, name], issues);
    const pre = side("pre");
    const post = side("post");
    const reset = (t.reset ?? []).flatMap((id, at) => {
      const place = places.get(id);
      if (place === undefined) issues.push(issue("NET002", ["transitions", index, "reset", at], `unknown place "${id}"`));
      return place === undefined ? [] : [place];
    });
    const origin = { node: index, phase: "step", consumed: [], chosen: [], outcome: "done" } as const;
    const label = t.label === undefined ? {} : { label: t.label };
    return { id: t.id, ...label, pre, any: [], post, reset, origin };
  });
  const initial = definition.places.map((place) => place.initial ?? 0);
  const finals = finalsOf(definition, places, transitions, issues);
  if (issues.length > 0) return bad(issues);
  const made = definition.places.map(({ id, label }) => ({ id, role: "control" as const, ...(label === undefined ? {} : { label }) }));
  return ok({ kind: "net", definition, net: makeNet({ places: made, transitions, initial, finals }) });
}

function resolveSide(
  side: readonly (readonly [string, number])[],
  places: ReadonlyMap<string, PlaceIndex>,
  path: readonly (string | number)[],
  issues: Issue[],
): readonly WeightedPlace[] {
  const weights = new Map<PlaceIndex, number>();
  side.forEach(([id, weight], at) => {
    const place = places.get(id);
    if (place === undefined) issues.push(issue("NET002", [...path, at], `unknown place "${id}"`));
    else if (!Number.isSafeInteger(weight) || weight < 1) {
      issues.push(issue("NET003", [...path, at], `weight ${weight} of "${id}" is not a positive integer`));
    } else weights.set(place, (weights.get(place) ?? 0) + weight);
  });
  return [...weights];
}

function finalsOf(
  definition: NetDefinition,
  places: ReadonlyMap<string, PlaceIndex>,
  transitions: readonly Transition[],
  issues: Issue[],
): Net["finals"] {
  if (definition.finals === undefined) {
    const consumed = new Set(transitions.flatMap((t) => [...t.pre.map(([place]) => place), ...t.reset]));
    return { kind: "ends", ends: definition.places.map((_, index) => index).filter((index) => !consumed.has(index)) };
  }
  const markings = definition.finals.map((final, at) => {
    const marking = new Array<number>(definition.places.length).fill(0);
    for (const [id, tokens] of Object.entries(final)) {
      const place = places.get(id);
      if (place === undefined) issues.push(issue("NET002", ["finals", at, id], `unknown place "${id}"`));
      else marking[place] = tokens;
    }
    return marking;
  });
  return { kind: "markings", markings };
}
