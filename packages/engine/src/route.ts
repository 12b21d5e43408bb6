/** @module Which arcs an outcome takes: guards read D after the step's own patch, once. */
import {
  type ConditionEnvironment,
  type Data,
  evaluateCondition,
  type Outcome,
  splitOf,
  type Trouble,
} from "@tessera/core";
import { arcsOf, type Plan } from "./plan.ts";
import type { StepEnvironment } from "./turn.ts";

/** The arcs that an outcome marks (document order), or why none can be taken. */
export type Route =
  | { readonly kind: "arcs"; readonly arcs: readonly number[] }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/**
 * The arcs taken by `node` under `outcome` on the data D: `first`: the first whose guard holds, else the default;
 * `all`: every one; `or`: every one whose guard holds, else the default. A guard that cannot be answered is trouble,
 * not false; so is an outcome without a true arc and without a default. The only time that a guard sees is the turn's.
 *
 * @definition D20.6
 */
export function routeOutcome(
  plan: Plan,
  node: number,
  outcome: Outcome,
  data: Data,
  env: StepEnvironment,
): Route {
  const arcs = arcsOf(plan, node, outcome);
  const definition = plan.nodes[node];
  if (arcs.length === 0 || definition === undefined) {
    return troubled("NO_ARC", `no arc leaves "${definition?.id}" under outcome "${outcome}"`);
  }
  const split = splitOf(definition, outcome);
  // An only arc without a guard is taken, be it the default or not: so most are.
  const isOnly = arcs.length === 1 && (plan.guards[arcs[0] as number] ?? null) === null;
  if (split === "all" || isOnly) return { kind: "arcs", arcs };
  const taken: number[] = [];
  for (const arc of arcs) {
    if (plan.isDefault[arc] === true) continue;
    const guard = plan.guards[arc] ?? null;
    const answer = guard === null ? TRUE : evaluateCondition(guard, data, conditionsAt(env));
    if (answer.kind === "error") {
      return {
        kind: "trouble",
        trouble: { code: answer.code, message: answer.message, facts: { ...answer.facts, arc } },
      };
    }
    if (answer.value) taken.push(arc);
    if (answer.value && split === "first") break;
  }
  if (taken.length > 0) return { kind: "arcs", arcs: taken };
  const fallback = arcs.find((arc) => plan.isDefault[arc] === true);
  if (fallback !== undefined) return { kind: "arcs", arcs: [fallback] };
  return troubled(
    "NO_TRUE_ARC",
    `no guard of "${definition.id}" holds under outcome "${outcome}" and there is no default`,
  );
}

const TRUE = { kind: "value", value: true } as const;

/** What a condition may ask in this turn: the time is the turn's. */
export function conditionsAt({ bodies, at }: StepEnvironment): ConditionEnvironment {
  return { ...bodies.conditions, now: at };
}

function troubled(code: string, message: string): Route {
  return { kind: "trouble", trouble: { code, message } };
}
