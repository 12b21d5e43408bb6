/** @module O5, outcome and guard totality: whatever a node answers and whatever D holds, some arc can be taken. */
import {
  type Arc,
  arcOutcome,
  type CompiledWorkflow,
  type Condition,
  type Data,
  evaluateCondition,
  invariant,
  type Outcome,
  parseCondition,
  splitOf,
} from "@tessera/core";
import { FAIL, loopOf } from "@tessera/gateways";
import { guardCases } from "../guard-cases.ts";
import { fails, holds, unknown, type Verdict } from "../verdict.ts";

/** An outcome of a node under which it may have nowhere to go. `data` is a D for which no arc is true. */
export type Gap =
  | { readonly kind: "no-arc"; readonly node: number; readonly outcome: Outcome }
  | {
      readonly kind: "no-true-arc";
      readonly node: number;
      readonly outcome: Outcome;
      readonly data: Data;
      /** Why a guard could not be answered on `data`; null if all were and all were false. */
      readonly trouble: string | null;
    };

/** Evidence against O5: every gap that was found. */
export interface TotalityEvidence {
  readonly kind: "gaps";
  readonly gaps: readonly Gap[];
}

/** Outcomes whose totality is open: their guards are opaque or too involved. */
interface Open {
  readonly node: number;
  readonly outcome: Outcome;
}

/**
 * O5: for every node and outcome of its alphabet there is an arc, and for every D one of them is true. An AND split,
 * an arc without a guard and a default arc are true for every D; otherwise the representatives of `guardCases` decide,
 * or leave it open.
 *
 * @definition D8.10
 */
export function totality(compiled: CompiledWorkflow): Verdict<TotalityEvidence> {
  const gaps: Gap[] = [];
  const open: Open[] = [];
  for (const { node, outcome, arcs } of demands(compiled)) {
    const found = judge(compiled, node, outcome, arcs);
    if (found === "open") open.push({ node, outcome });
    else if (found !== "total") gaps.push(found);
  }
  if (gaps.length > 0) return fails({ kind: "gaps", gaps });
  const [first] = open;
  if (first === undefined)
    return holds({ class: "recomputable", method: "boundary values of the guards", states: 0 });
  const name = compiled.definition.nodes[first.node]?.id;
  const reason = `the guards of "${name}" under "${first.outcome}" cannot be decided here`;
  return unknown({ kind: "method", reason });
}

/** Does the gap exist: is there no arc, or is none true on its data? */
export function isGap(compiled: CompiledWorkflow, gap: Gap): boolean {
  const demand = demands(compiled).find(({ node, outcome }) => node === gap.node && outcome === gap.outcome);
  if (demand === undefined) return false;
  if (gap.kind === "no-arc") return demand.arcs.length === 0;
  const { arcs } = demand;
  if (arcs.length === 0 || isAlwaysTaken(compiled, gap.node, gap.outcome, arcs)) return false;
  return routeOn(guardsOf(arcs), gap.data).kind !== "taken";
}

interface Demand {
  readonly node: number;
  readonly outcome: Outcome;
  readonly arcs: readonly Arc[];
}

/** Each outcome that each node can have, with its arcs. A loop without budget never fails: it is exhausted at once. */
function demands({ definition, graph, kinds }: CompiledWorkflow): readonly Demand[] {
  return definition.nodes.flatMap((node, index) => {
    const alphabet = kinds[index]?.alphabet(node) ?? [];
    const never = loopOf(node)?.budget === 0 ? FAIL : null;
    return alphabet
      .filter((outcome) => outcome !== never)
      .map((outcome): Demand => {
        const arcs = (graph.outgoing[index] ?? []).flatMap((arc) => definition.arcs[arc] ?? []);
        return { node: index, outcome, arcs: arcs.filter((arc) => arcOutcome(arc) === outcome) };
      });
  });
}

function judge(
  compiled: CompiledWorkflow,
  node: number,
  outcome: Outcome,
  arcs: readonly Arc[],
): Gap | "total" | "open" {
  if (arcs.length === 0) return { kind: "no-arc", node, outcome };
  if (isAlwaysTaken(compiled, node, outcome, arcs)) return "total";
  const declared = compiled.definition.data ?? {};
  const guards = guardsOf(arcs);
  // Guards that nobody can compute here may be false: the others must do without them, and refute nothing.
  const clear = guards.filter((guard) => !guardCases([guard], declared).hasOpaque);
  const { cases, isComplete } = guardCases(clear, declared);
  for (const data of cases) {
    const route = routeOn(clear, data);
    if (route.kind === "taken") continue;
    if (clear.length < guards.length) return "open";
    return { kind: "no-true-arc", node, outcome, data, trouble: route.trouble };
  }
  return isComplete ? "total" : "open";
}

function isAlwaysTaken(
  compiled: CompiledWorkflow,
  node: number,
  outcome: Outcome,
  arcs: readonly Arc[],
): boolean {
  const definition = compiled.definition.nodes[node];
  if (definition === undefined || splitOf(definition, outcome) === "all") return true;
  return arcs.some((arc) => arc.default === true || arc.guard === undefined);
}

function guardsOf(arcs: readonly Arc[]): readonly Condition[] {
  return arcs.flatMap(({ guard }) => {
    if (guard === undefined) return [];
    const parsed = parseCondition(guard);
    invariant(parsed.ok, "D8.10", () => ({ guard: JSON.stringify(guard) }));
    return [parsed.value];
  });
}

/** As the engine asks guards: in document order, until one is true; one that cannot be answered is trouble. */
function routeOn(
  guards: readonly Condition[],
  data: Data,
): { readonly kind: "taken" } | { readonly kind: "none"; readonly trouble: string | null } {
  for (const guard of guards) {
    const answer = evaluateCondition(guard, data);
    if (answer.kind === "error") return { kind: "none", trouble: answer.message };
    if (answer.value) return { kind: "taken" };
  }
  return { kind: "none", trouble: null };
}
