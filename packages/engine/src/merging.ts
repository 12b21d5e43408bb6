/** @module The end of a block: what its branches hold back becomes one change of D and G, or none. */
import {
  applyMutation,
  commitMutation,
  type Data,
  type Json,
  type JsonObject,
  jsonEqual,
  type Mutation,
  mergeMutations,
  type Overlay,
  type ProductGraph,
  recordKeys,
  type Trouble,
} from "@tessera/core";
import type { MergeBlock, MergeRule } from "@tessera/gateways";
import { changedKeys, type Effect } from "./answer.ts";
import { readBodyAnswer } from "./body-answer.ts";
import { type Ground, heldView, overlayOf, stageTrouble } from "./held.ts";
import type { Plan } from "./plan.ts";
import { thrownText } from "./trouble.ts";
import type { StepEnvironment } from "./turn.ts";

/**
 * The effect of the end of `block` under `outcome`: the union of the mutations that its branches hold back, through the
 * gate on G as it is now, and each merged key by its rule, all or nothing. Branches count in document order; those that
 * hold nothing back are left out.
 *
 * @definition D21.9
 */
export function mergeBlock(
  plan: Plan,
  block: MergeBlock,
  ground: Ground,
  outcome: string,
  env: StepEnvironment,
): Effect {
  const outer = heldView(plan, ground, block.closer, block);
  const overlays = block.branches.flatMap(({ arc }) => overlayOf(plan, ground.overlays, block, arc) ?? []);
  const gate = mergedGraph(outer, overlays, env);
  if (gate.kind === "trouble") return gate;
  const values: { [key: string]: Json } = {};
  for (const [key, rule] of block.merges) {
    const given = overlays.filter((overlay) => Object.hasOwn(overlay.values, key));
    if (given.length === 0) continue;
    const merged = mergedValue(key, rule, outer.data, given, {
      plan,
      node: block.closer,
      graph: gate.graph,
      env,
    });
    if (merged.kind === "trouble") return merged;
    values[key] = merged.value;
  }
  const recorded = recordKeys(outer.data, values);
  if (!recorded.ok) return troubled("MERGE_INVALID", "a merged value is no JSON", {});
  const invalid = env.bodies.validate(values);
  if (invalid !== null) return { kind: "trouble", trouble: invalid };
  const { next, patch } = recorded.value;
  const changed = changedKeys(patch);
  const same = Object.keys(values).filter((key) => !changed.includes(key));
  return {
    kind: "effect",
    outcome,
    data: next,
    patch: changed.length === 0 ? null : patch,
    ...(same.length === 0 ? {} : { same }),
    mutation: gate.mutation,
    graph: gate.graph,
  };
}

/** The union on G as it is now; in a block around this one it is held back again. */
function mergedGraph(
  outer: { readonly graph: ProductGraph; readonly proposed?: Mutation },
  overlays: readonly Overlay[],
  env: StepEnvironment,
):
  | { readonly kind: "merged"; readonly graph: ProductGraph; readonly mutation: Mutation | null }
  | { readonly kind: "trouble"; readonly trouble: Trouble } {
  const union = mergeMutations(overlays.map(({ mutation }) => mutation));
  if (union.kind === "conflict") {
    const message = "branches say different things of one object";
    return troubled("MERGE_CONFLICT", message, { objects: union.ids });
  }
  const { mutation } = union;
  if (mutation.create.length + mutation.update.length + mutation.delete.length === 0) {
    return { kind: "merged", graph: outer.graph, mutation: null };
  }
  if (outer.proposed !== undefined) {
    const trouble = stageTrouble(outer.graph, outer.proposed, mutation);
    if (trouble !== null) return { kind: "trouble", trouble };
    return { kind: "merged", graph: applyMutation(outer.graph, mutation), mutation };
  }
  const gate = commitMutation(outer.graph, mutation, env.bodies.constraints);
  if (gate.kind === "committed") return { kind: "merged", graph: gate.graph, mutation };
  const violations = gate.violations.map(({ code, constraint, message, facts }) => {
    return { code, constraint, message, facts };
  });
  return troubled("MERGE_REJECTED", "together the branches violate the constraints of the graph", {
    violations,
  });
}

interface Asking {
  readonly plan: Plan;
  readonly node: number;
  readonly graph: ProductGraph;
  readonly env: StepEnvironment;
}

type Merged =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/**
 * One value of `key` from those that branches gave it. append: what each added to the list that it found. sum: what each
 * added to the number. max: the greatest, the one that was there included. last: that of the last branch. function: what
 * it answers for `base`, the value that was there, and `values`, those of the branches.
 *
 * @definition D21.10
 */
function mergedValue(
  key: string,
  rule: MergeRule,
  data: Data,
  given: readonly Overlay[],
  asking: Asking,
): Merged {
  const current = Object.hasOwn(data, key) ? data[key] : undefined;
  const values = given.map((overlay) => overlay.values[key] as Json);
  const founds = given.map(({ base }) => (Object.hasOwn(base, key) ? base[key] : undefined));
  switch (rule.kind) {
    case "append":
      return appended(key, current, values, founds);
    case "sum": {
      const numbers = [current ?? 0, ...values, ...founds.map((found) => found ?? 0)];
      if (!numbers.every((value) => typeof value === "number")) return unfit(key, rule.kind, "numbers");
      const added = values.map((value, index) => Number(value) - Number(founds[index] ?? 0));
      return { kind: "value", value: added.reduce((sum, one) => sum + one, Number(current ?? 0)) };
    }
    case "max": {
      const numbers = [...(current === undefined ? [] : [current]), ...values];
      if (!numbers.every((value) => typeof value === "number")) return unfit(key, rule.kind, "numbers");
      return { kind: "value", value: Math.max(...(numbers as readonly number[])) };
    }
    case "last":
      return { kind: "value", value: values.at(-1) ?? null };
    case "function":
      return asked(key, rule.name, current, values, asking);
  }
}

function appended(
  key: string,
  current: Json | undefined,
  values: readonly Json[],
  founds: readonly (Json | undefined)[],
): Merged {
  let list: Json = current ?? [];
  for (const [index, value] of values.entries()) {
    const found = founds[index] ?? [];
    if (!Array.isArray(list) || !Array.isArray(value) || !Array.isArray(found))
      return unfit(key, "append", "lists");
    if (!jsonEqual(value.slice(0, found.length), found)) return unfit(key, "append", "longer lists");
    list = [...(list as readonly Json[]), ...(value as readonly Json[]).slice(found.length)];
  }
  return { kind: "value", value: list };
}

function asked(
  key: string,
  name: string,
  base: Json | undefined,
  values: readonly Json[],
  { plan, node, graph, env }: Asking,
): Merged {
  const body = env.bodies.functions.get(name);
  const definition = plan.nodes[node];
  if (body === undefined || definition === undefined) {
    return troubled("FUNCTION_MISSING", `no function "${name}" is registered`, { name });
  }
  try {
    const data = { ...(base === undefined ? {} : { base }), values: [...values] };
    const reading = readBodyAnswer(body({ data, graph, node: definition, now: env.at }));
    if (reading.kind === "trouble") return reading;
    const { patch } = reading.answer;
    const value = Object.hasOwn(patch, key) ? patch[key] : undefined;
    return value === undefined ? unfit(key, name, "an answer that sets the key") : { kind: "value", value };
  } catch (error) {
    return troubled("BODY_THREW", thrownText(error), { name });
  }
}

function unfit(key: string, rule: string, needs: string): Merged & { readonly kind: "trouble" } {
  return troubled("MERGE_INVALID", `"${key}" cannot be merged by ${rule}: it needs ${needs}`, { key, rule });
}

function troubled(
  code: string,
  message: string,
  facts: JsonObject,
): { readonly kind: "trouble"; readonly trouble: Trouble } {
  return { kind: "trouble", trouble: { code, message, facts } };
}
