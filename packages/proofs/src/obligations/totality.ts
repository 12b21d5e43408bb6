/** @module O5, outcome and guard totality: whatever a node answers and whatever D holds, some arc can be taken. */
import {
  type Arc,
  arcOutcome,
  type CompiledWorkflow,
  type Condition,
  type ConditionEnvironment,
  type Data,
  type DataType,
  evaluateCondition,
  invariant,
  type Outcome,
  parseCondition,
  splitOf,
} from "@tessera/core";
import { FAIL, loopOf } from "@tessera/gateways";
import { guardCases } from "../guard-cases.ts";
import { fails, holds, unknown, type Verdict } from "../verdict.ts";
import { isFitting, isOpaque, isTyped, mayLackAnswer } from "./guard-answers.ts";

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

/**
 * O5: for every node and outcome of its alphabet there is an arc, and on every D routing (D20.6) takes one. An AND split
 * takes all its arcs; otherwise the representatives of `guardCases` decide, or leave it open. A default arc is no way
 * out for a guard without an answer, which ends the step under error: where the types of declared keys say that this can
 * be, O5 fails; where the guard reads what is not declared, or is opaque, it is assumed to be answered (`assumedAnswers`).
 *
 * @definition D8.10
 */
export function totality(compiled: CompiledWorkflow): Verdict<TotalityEvidence> {
  const judged = demands(compiled).map((demand) => ({ demand, found: judge(compiled, demand) }));
  const gaps = judged.flatMap(({ found }) => found.gap ?? []);
  if (gaps.length > 0) return fails({ kind: "gaps", gaps });
  const open = judged.find(({ found }) => found.isOpen)?.demand;
  if (open === undefined)
    return holds({ class: "recomputable", method: "boundary values of the guards", states: 0 });
  const name = compiled.definition.nodes[open.node]?.id;
  const reason = `the guards of "${name}" under "${open.outcome}" cannot be decided here`;
  return unknown({ kind: "method", reason });
}

/** The guarded arcs of which O5 takes for granted that their guards have an answer where they are asked. */
export function assumedAnswers(compiled: CompiledWorkflow): readonly Arc[] {
  return demands(compiled).flatMap((demand) => {
    const { gap, isOpen, assumed } = judge(compiled, demand);
    return gap === null && !isOpen ? assumed : [];
  });
}

/** Does the gap exist: is there no arc, or do its data fit and refute that one is taken, with the trouble that it names? */
export function isGap(compiled: CompiledWorkflow, gap: Gap): boolean {
  const demand = demands(compiled).find(({ node, outcome }) => node === gap.node && outcome === gap.outcome);
  if (demand === undefined) return false;
  if (gap.kind === "no-arc") return demand.arcs.length === 0;
  if (demand.arcs.length === 0) return false;
  const declared = compiled.definition.data ?? {};
  const all = waysOut(compiled, demand);
  const { clear, opaque } = parted(all);
  const guards = all.guarded.map(({ guard }) => guard);
  const route = routeOn(clear, gap.data);
  if (route.kind === "taken" || !isFitting(declared, guards, gap.data)) return false;
  if (isExcused(declared, all, route) || !isCertain(all, opaque, route)) return false;
  return gap.trouble === (route.kind === "trouble" ? route.trouble : null);
}

/** An outcome that a node can have, with its arcs. */
export interface Demand {
  readonly node: number;
  readonly outcome: Outcome;
  readonly arcs: readonly Arc[];
}

/** Each outcome that each node can have, with its arcs. A loop without budget never fails: it is exhausted at once. */
export function demands({ definition, graph, kinds }: CompiledWorkflow): readonly Demand[] {
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

/** What is said of a demand. `assumed`: arcs whose guards are taken to have an answer, if it is total. */
interface Judgement {
  readonly gap: Gap | null;
  readonly isOpen: boolean;
  readonly assumed: readonly Arc[];
}

const TOTAL: Judgement = { gap: null, isOpen: false, assumed: [] };

function judge(compiled: CompiledWorkflow, demand: Demand): Judgement {
  const { node, outcome, arcs } = demand;
  if (arcs.length === 0) return { ...TOTAL, gap: { kind: "no-arc", node, outcome } };
  const all = waysOut(compiled, demand);
  if (all.guarded.length === 0) return TOTAL;
  const declared = compiled.definition.data ?? {};
  const { clear, opaque } = parted(all);
  const { cases, isComplete } = guardCases(
    clear.guarded.map(({ guard }) => guard),
    declared,
  );
  const assumed = new Set(opaque.map(({ arc }) => arc));
  let isOpen = false;
  for (const data of cases) {
    const route = routeOn(clear, data);
    if (route.kind === "taken") continue;
    if (route.kind === "trouble" && isExcused(declared, all, route)) assumed.add(route.at.arc);
    else if (isCertain(all, opaque, route)) return { ...TOTAL, gap: gapOf(node, outcome, data, route) };
    else if (!all.hasOther) isOpen = true;
    else if (route.kind === "trouble") assumed.add(route.at.arc);
  }
  if (isOpen || (!isComplete && !all.hasOther)) return { ...TOTAL, isOpen: true };
  if (!isComplete)
    for (const { arc, guard } of clear.guarded) if (mayLackAnswer(declared, guard)) assumed.add(arc);
  return { ...TOTAL, assumed: all.guarded.flatMap(({ arc }) => (assumed.has(arc) ? [arc] : [])) };
}

/** Guards that nobody can compute here may be false: the others must do without them. */
function parted(all: Ways): { readonly clear: Ways; readonly opaque: readonly Guarded[] } {
  const opaque = all.guarded.filter(({ guard }) => isOpaque(guard));
  return { clear: { ...all, guarded: all.guarded.filter((one) => !opaque.includes(one)) }, opaque };
}

/** Is it trouble with what no declaration speaks of, beside an arc for the case that all guards are false? */
function isExcused(declared: Readonly<Record<string, DataType>>, { hasOther }: Ways, route: Route): boolean {
  return route.kind === "trouble" && hasOther && !isTyped(declared, route.at.guard);
}

/** Does routing come to this whatever opaque guards answer: are there none, or is a guard in trouble asked all the same? */
function isCertain({ guarded, asksAll }: Ways, opaque: readonly Guarded[], route: Route): boolean {
  if (opaque.length === 0) return true;
  if (route.kind !== "trouble") return false;
  return asksAll || guarded.indexOf(route.at) < guarded.indexOf(opaque[0]!);
}

function gapOf(node: number, outcome: Outcome, data: Data, route: Route): Gap {
  const trouble = route.kind === "trouble" ? route.trouble : null;
  return { kind: "no-true-arc", node, outcome, data, trouble };
}

/** A guarded arc. */
export interface Guarded {
  readonly arc: Arc;
  readonly guard: Condition;
}

/** The guards that are asked, in document order. `hasOther`: an arc is taken, if all are answered, whatever they say. */
export interface Ways {
  readonly guarded: readonly Guarded[];
  readonly asksAll: boolean;
  readonly hasOther: boolean;
}

/** What routing asks of the arcs of a demand. */
export function waysOut({ definition }: CompiledWorkflow, { node, outcome, arcs }: Demand): Ways {
  const split = splitOf(definition.nodes[node]!, outcome);
  if (split === "all") return { guarded: [], asksAll: false, hasOther: true };
  const asked = arcs.filter((arc) => arc.default !== true);
  const plain = asked.findIndex(({ guard }) => guard === undefined);
  // The first arc without a guard is taken: what comes after it is not asked, but of an OR split.
  const reached = split === "or" || plain < 0 ? asked : asked.slice(0, plain);
  const guarded = reached.flatMap((arc): readonly Guarded[] => {
    if (arc.guard === undefined) return [];
    const parsed = parseCondition(arc.guard);
    invariant(parsed.ok, "D8.10", () => ({ guard: JSON.stringify(arc.guard) }));
    return [{ arc, guard: parsed.value }];
  });
  return { guarded, asksAll: split === "or", hasOther: plain >= 0 || asked.length < arcs.length };
}

/** What routing comes to. */
export type Route =
  | { readonly kind: "taken" | "none" }
  | { readonly kind: "trouble"; readonly at: Guarded; readonly trouble: string };

/** As the engine asks guards (D20.6): one that has no answer is trouble, a default arc or not. */
export function routeOn(
  { guarded, asksAll, hasOther }: Ways,
  data: Data,
  environment: ConditionEnvironment = {},
): Route {
  let isTaken = false;
  for (const at of guarded) {
    const answer = evaluateCondition(at.guard, data, environment);
    if (answer.kind === "error") return { kind: "trouble", at, trouble: answer.message };
    isTaken ||= answer.value;
    if (isTaken && !asksAll) break;
  }
  return { kind: isTaken || hasOther ? "taken" : "none" };
}
