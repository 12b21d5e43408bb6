/** @module Verdicts of a product whose cases tell answers of guards: what they rest on, and runs with confirmed values. */
import type { CompiledWorkflow, ConditionEnvironment } from "@tessera/core";
import type { ExploredData, SolverShare } from "../data-level/data-proof.ts";
import type { RunEnd } from "../data-level/data-run.ts";
import type { DataEvidence, DataFinding, DataObligationId, RunGoal } from "../data-level/data-verdicts.ts";
import { demands, routeOn, waysOut } from "../obligations/totality.ts";
import { fails, holds, type Limit, unknown, type Verdict } from "../verdict.ts";
import type { SolverClock } from "./solver-clock.ts";
import { type Valued, valuesOfRun } from "./values-of-run.ts";

/** What is asked, what the cases rest on, and what answers guards. */
export interface Confirming {
  readonly asked: ReadonlySet<DataObligationId>;
  readonly questions: readonly string[];
  readonly environment: ConditionEnvironment;
}

/** The verdicts that are asked, and what the solver has to do with each. */
export interface Confirmed {
  readonly verdicts: ReadonlyMap<DataObligationId, Verdict<DataEvidence>>;
  readonly shares: ReadonlyMap<DataObligationId, SolverShare>;
}

/** Faults that a run shows by itself; of the others what follows it is said too, or what never comes. */
const SHOWN: ReadonlySet<DataObligationId> = new Set(["O2", "O4", "O5"]);

/**
 * The verdicts with values for their runs. A failure whose run has no values that the evaluator confirms is unknown, and so is
 * O3 where an element has no such run.
 */
export async function confirmedVerdicts(
  compiled: CompiledWorkflow,
  explored: ExploredData,
  { asked, questions, environment }: Confirming,
  clock: SolverClock,
): Promise<Confirmed> {
  const { domain, product, found } = explored;
  const world = { compiled, domain, product };
  const verdicts = new Map<DataObligationId, Verdict<DataEvidence>>();
  const shares = new Map<DataObligationId, SolverShare>();
  const known = new Map<string, Promise<Valued>>();
  const valuesTo: ValuesTo = (goal, isRead) => {
    const choice =
      goal.next === null ? -1 : product.choices[goal.state]!.findIndex((one) => one.choice === goal.next);
    const key = `${goal.state} ${choice} ${isRead}`;
    const values = known.get(key) ?? valuesOfRun(world, goal, environment, clock, isRead);
    known.set(key, values);
    return values;
  };
  for (const [id, verdict] of found.verdicts) {
    if (!asked.has(id) || verdict.kind === "unknown") {
      verdicts.set(id, verdict);
      continue;
    }
    const isTrusted = verdict.kind === "holds" || !SHOWN.has(id);
    const confirmed =
      verdict.kind === "holds"
        ? await confirmedHolds(id, verdict, explored, valuesTo, questions)
        : await confirmedFailure(compiled, verdict.evidence, found.goals, valuesTo, environment);
    verdicts.set(id, confirmed);
    if (confirmed.kind !== "unknown")
      shares.set(id, { name: clock.name, isTrusted, questions: isTrusted ? questions : [] });
  }
  return { verdicts, shares };
}

/** `isRead`: people will. */
type ValuesTo = (goal: RunGoal, isRead: boolean) => Promise<Valued>;

async function confirmedHolds(
  id: DataObligationId,
  { evidence }: Verdict<never> & { readonly kind: "holds" },
  { found }: ExploredData,
  valuesTo: ValuesTo,
  questions: readonly string[],
): Promise<Verdict<never>> {
  const limit = id === "O3" ? await unshown(found.shown, valuesTo) : null;
  if (limit !== null) return unknown(limit);
  const { states, method } = evidence;
  return holds({ class: "solver", method: `${method}, answers of guards`, states, questions });
}

/** Why some element has no run with values; null if all have one. Long runs first: they show much. */
async function unshown(shown: ExploredData["found"]["shown"], valuesTo: ValuesTo): Promise<Limit | null> {
  const fired = new Set<number>();
  for (const { transitions, goal } of [...shown].sort((a, b) => b.goal.state - a.goal.state)) {
    if (transitions.some((t) => fired.has(t))) continue;
    const valued = await valuesTo(goal, false);
    if (valued.kind === "undecided") return valued.limit;
    const [result] = goal.next?.results ?? [];
    const last = result?.kind === "state" ? result.fired : [];
    for (const t of [...valued.end.run.steps.flatMap((step) => step.fired), ...last]) fired.add(t);
  }
  return null;
}

async function confirmedFailure(
  compiled: CompiledWorkflow,
  evidence: DataEvidence,
  goals: ReadonlyMap<DataEvidence, RunGoal>,
  valuesTo: ValuesTo,
  environment: ConditionEnvironment,
): Promise<Verdict<DataEvidence>> {
  if (evidence.kind === "data-dead") return fails(evidence);
  const valued = await valuesTo(goals.get(evidence)!, true);
  if (valued.kind === "undecided") return unknown(valued.limit);
  const finding = confirmedFinding(compiled, evidence.finding, valued.end, environment);
  if (finding !== null) return fails({ ...evidence, run: valued.end.run, finding });
  return unknown({ kind: "method", reason: "the guards take an arc on the values that the solver names" });
}

/** The gap on the values that were found, as the guards are asked; null if an arc is taken. */
function confirmedFinding(
  compiled: CompiledWorkflow,
  finding: DataFinding,
  { answer, data }: RunEnd,
  environment: ConditionEnvironment,
): DataFinding | null {
  if (finding.kind !== "gap") return finding;
  const demand = demands(compiled).find(
    ({ node, outcome }) => node === finding.node && outcome === finding.outcome,
  );
  if (demand === undefined || demand.arcs.length === 0) return { ...finding, answer, data };
  const route = routeOn(waysOut(compiled, demand), data, environment);
  if (route.kind === "taken") return null;
  return { ...finding, answer, data, ...(route.kind === "trouble" ? { trouble: route.trouble } : {}) };
}
