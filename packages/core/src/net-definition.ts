/** @module A net definition (an imported net as data) and its net. */
import { TOKENS_MAX } from "./compiled.ts";
import { type Issue, issue } from "./issue.ts";
import { makeNet, type Net, type PlaceIndex, type Transition, type WeightedPlace } from "./net.ts";
import { bad, ok, type Result } from "./result.ts";
import type { NetDefinition, NetDefinitionTransition } from "./workflow.ts";

/** The name of the rule that an OR join carries in the net: of a node of a workflow, or a transition of a bare net. */
export function orJoinRule(id: string): string {
  return `or-join:${id}`;
}

/** A bare net as a program: every transition is a step. */
export interface CompiledNetDefinition {
  readonly kind: "net";
  readonly definition: NetDefinition;
  readonly net: Net;
}

/**
 * The net of a net definition, index by index: place i is `places[i]`, transition t is `transitions[t]`.
 * A place named twice on one side counts with the sum of the weights. Errors, all at once: repeated ids; arcs, resets
 * and finals that name unknown places; weights and token counts that are out of range; OR joins of nothing, or of a
 * place that they need anyway. Cost: linear.
 *
 * @definition D2.4
 */
export function compileNetDefinition(
  definition: NetDefinition,
): Result<CompiledNetDefinition, readonly Issue[]> {
  const issues: Issue[] = [];
  const places = new Map<string, PlaceIndex>();
  definition.places.forEach((place, index) => {
    if (places.has(place.id))
      issues.push(issue("NET001", ["places", index, "id"], `place id "${place.id}" is used twice`));
    else places.set(place.id, index);
  });
  const ids = new Set<string>();
  const transitions = definition.transitions.map((t, index): Transition => {
    if (ids.has(t.id))
      issues.push(issue("NET001", ["transitions", index, "id"], `transition id "${t.id}" is used twice`));
    ids.add(t.id);
    const side = (name: "pre" | "post") => resolveSide(t[name], places, ["transitions", index, name], issues);
    const pre = side("pre");
    const post = side("post");
    const named = (name: "reset" | "orJoin") =>
      resolveNames(t[name] ?? [], places, ["transitions", index, name], issues);
    const any = named("orJoin");
    issues.push(...joinIssues(t, pre, any, ["transitions", index, "orJoin"]));
    const origin = { node: index, phase: "step", consumed: [], chosen: [], outcome: "done" } as const;
    const label = t.label === undefined ? {} : { label: t.label };
    const rule = t.orJoin === undefined ? {} : { rule: orJoinRule(t.id) };
    return { id: t.id, ...label, pre, any, post, reset: named("reset"), ...rule, origin };
  });
  const initial = definition.places.map(({ id, initial: tokens = 0 }, index) => {
    if (!isCount(tokens))
      issues.push(issue("NET003", ["places", index, "initial"], `${tokens} tokens on "${id}": ${COUNT}`));
    return tokens;
  });
  const finals = finalsOf(definition, places, transitions, issues);
  if (issues.length > 0) return bad(issues);
  const made = definition.places.map(({ id, label }) => ({
    id,
    role: "control" as const,
    ...(label === undefined ? {} : { label }),
  }));
  return ok({ kind: "net", definition, net: makeNet({ places: made, transitions, initial, finals }) });
}

const COUNT = `a number of tokens is an integer from 0 to ${TOKENS_MAX}`;

function isCount(tokens: number): boolean {
  return Number.isInteger(tokens) && tokens >= 0 && tokens <= TOKENS_MAX;
}

function resolveSide(
  side: readonly (readonly [string, number])[],
  places: ReadonlyMap<string, PlaceIndex>,
  path: Issue["path"],
  issues: Issue[],
): readonly WeightedPlace[] {
  const weights = new Map<PlaceIndex, number>();
  side.forEach(([id, weight], at) => {
    const place = places.get(id);
    const sum = (weights.get(place ?? -1) ?? 0) + weight;
    if (place === undefined) {
      issues.push(issue("NET002", [...path, at], `unknown place "${id}"`));
    } else if (isCount(weight) && weight > 0 && isCount(sum)) {
      weights.set(place, sum);
    } else {
      const range = `a weight is an integer from 1 to ${TOKENS_MAX}`;
      issues.push(issue("NET003", [...path, at], `weight ${weight} of "${id}": ${range}`));
    }
  });
  return [...weights];
}

function resolveNames(
  ids: readonly string[],
  places: ReadonlyMap<string, PlaceIndex>,
  path: Issue["path"],
  issues: Issue[],
): readonly PlaceIndex[] {
  const found = ids.flatMap((id, at) => {
    const place = places.get(id);
    if (place !== undefined) return [place];
    issues.push(issue("NET002", [...path, at], `unknown place "${id}"`));
    return [];
  });
  return [...new Set(found)];
}

/** An OR join of nothing never fires, and the same token cannot be both required and optional. */
function joinIssues(
  { id, orJoin }: NetDefinitionTransition,
  pre: readonly WeightedPlace[],
  any: readonly PlaceIndex[],
  path: Issue["path"],
): readonly Issue[] {
  if (orJoin === undefined) return [];
  if (orJoin.length === 0) return [issue("NET004", path, `the OR join "${id}" has no inputs`)];
  return pre.some(([place]) => any.includes(place))
    ? [issue("NET004", path, `"${id}" both needs and joins the same place`)]
    : [];
}

function finalsOf(
  definition: NetDefinition,
  places: ReadonlyMap<string, PlaceIndex>,
  transitions: readonly Transition[],
  issues: Issue[],
): Net["finals"] {
  if (definition.finals === undefined) {
    const consumed = new Set(
      transitions.flatMap((t) => [...t.pre.map(([place]) => place), ...t.any, ...t.reset]),
    );
    return {
      kind: "ends",
      ends: definition.places.map((_, index) => index).filter((index) => !consumed.has(index)),
    };
  }
  const markings = definition.finals.map((final, at) => {
    const marking = new Array<number>(definition.places.length).fill(0);
    for (const [id, tokens] of Object.entries(final)) {
      const place = places.get(id);
      if (place === undefined) issues.push(issue("NET002", ["finals", at, id], `unknown place "${id}"`));
      else if (isCount(tokens)) marking[place] = tokens;
      else issues.push(issue("NET003", ["finals", at, id], `${tokens} tokens on "${id}": ${COUNT}`));
    }
    return marking;
  });
  return { kind: "markings", markings };
}
