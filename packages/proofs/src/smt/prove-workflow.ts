/** @module The proof of a workflow with a solver: what its data level leaves open because guards compute. */
import type { CompiledWorkflow } from "@tessera/core";
import { questionsOf } from "../data-level/conditions-read.ts";
import {
  type DataObligation,
  type DataProofOptions,
  type DataReport,
  dataReportOf,
  exploreDataSteps,
  leafWords,
  MODULO,
  PROVIDED,
} from "../data-level/data-proof.ts";
import { type Domain, domainOf } from "../data-level/domain.ts";
import { type AnswerGroup, withTold } from "../data-level/told-answers.ts";
import { describeLimit } from "../explain.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { type AsyncCheckOptions, finishAsync } from "../soundness.ts";
import { type ProofOptions, proveWorkflowAsync, type WorkflowReport } from "../workflow-proof.ts";
import { combinationsOf } from "./combinations-of-group.ts";
import { confirmedVerdicts } from "./confirmed-verdicts.ts";
import { groupsOf } from "./groups.ts";
import { type GuardOptions, type GuardReport, proveGuards, QUESTION_MS } from "./prove-guards.ts";
import { type Solver, z3Solver } from "./solver.ts";
import { clockOf, type SolverClock } from "./solver-clock.ts";

/**
 * Options of a proof with a solver. `timeoutMs` is for each question; all that the level of the data asks together has
 * `limits.timeoutMs`, beside what the proof without it takes.
 */
export type SolverProofOptions = ProofOptions & AsyncCheckOptions & GuardOptions;

/** The report at both levels, and what the solver says of the guards of each gateway by themselves. */
export interface SolvedReport extends WorkflowReport {
  readonly data: DataReport;
  readonly guards: GuardReport;
}

/**
 * As `proveWorkflowAsync` at the level of the data; what that leaves open is asked of a solver, as far as guards compute
 * with declared keys that always have a value. A line that the solver had a share in says so (`solver`): `holds`, and what
 * is said of everything that may follow, rests on its word; values that it names count only where the evaluator of the
 * guards confirms them at every step. Where it is not sure, or takes too long, the line is unknown with the limit.
 * Throws SolverError where no solver is given, z3-solver is not there, and the workflow has guards.
 */
export async function proveWorkflowWithSolver(
  compiled: CompiledWorkflow,
  options: SolverProofOptions,
): Promise<SolvedReport> {
  const base = await proveWorkflowAsync(compiled, { ...options, level: "data" });
  const data = base.data!;
  if (compiled.definition.arcs.every(({ guard }) => guard === undefined))
    return { ...base, data, guards: { findings: [], assumptions: [] } };
  const solver = options.solver ?? (await z3Solver());
  try {
    const guards = await proveGuards(compiled, { ...options, solver });
    return { ...base, data: await solved(compiled, base, data, { ...options, solver }), guards };
  } finally {
    if (options.solver === undefined) await solver.close();
  }
}

type Settings = SolverProofOptions & { readonly solver: Solver };

/** The report of the data in which lines that were unknown have the solver's answer. */
async function solved(
  compiled: CompiledWorkflow,
  base: WorkflowReport,
  data: DataReport,
  options: Settings,
): Promise<DataReport> {
  const found = domainOf(questionsOf(compiled));
  const isOpen = data.obligations.some(({ verdict }) => verdict.kind === "unknown");
  if (!isOpen || found.kind === "undecided" || found.domain.open.size === 0) return data;
  const { limits, signal = null, now = () => performance.now(), solver, read, timeoutMs } = options;
  const { timeoutMs: allMs } = { ...DEFAULT_LIMITS, ...limits };
  const clock = clockOf(solver, read, { questionMs: timeoutMs ?? QUESTION_MS, allMs }, now, signal);
  const { groups, questions, left } = await askedGroups(compiled, found.domain, options, clock);
  const share = () => ({ name: clock.name, questions: clock.asked(), left });
  if (groups.length === 0) return { ...data, solver: share() };
  const settings: DataProofOptions = {
    limits: limits ?? {},
    loopBounds: base.obligations.find(({ id }) => id === "O7")!.verdict,
    now,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.names === undefined ? {} : { names: options.names }),
  };
  const domain = withTold(found.domain, groups);
  const explored = await finishAsync(exploreDataSteps(compiled, domain, settings), options);
  if (explored.kind === "undecided") return { ...data, solver: share() };
  const asked = new Set(
    data.obligations.flatMap(({ id, verdict }) => (verdict.kind === "unknown" ? [id] : [])),
  );
  const { verdicts, shares } = await confirmedVerdicts(
    compiled,
    explored,
    { asked, questions, environment: options.environment },
    clock,
  );
  const told = dataReportOf(compiled, { ...explored, found: { ...explored.found, verdicts } }, settings);
  const isOfOthers = (text: string) =>
    (!asked.has("O1") && text.startsWith(MODULO)) || (!asked.has("O3") && text.endsWith(PROVIDED));
  const lines = data.obligations.map((line): DataObligation => {
    const young = asked.has(line.id) ? told.obligations.find(({ id }) => id === line.id) : undefined;
    const own = shares.get(line.id);
    return young === undefined ? line : { ...young, ...(own === undefined ? {} : { solver: own }) };
  });
  return {
    obligations: lines,
    states: told.states,
    overlaps: data.overlaps,
    open: told.open,
    assumptions: [
      // What O1 is modulo, and what O3 leaves to errors, belongs to these lines: those that are not the solver's keep theirs.
      ...told.assumptions.filter((text) => !isOfOthers(text)),
      ...data.assumptions.filter(isOfOthers),
      ...assumptionsOf(clock, domain),
    ],
    solver: share(),
  };
}

/** The groups of which all combinations were found, with the questions that ended the search; and what is left open. */
async function askedGroups(
  compiled: CompiledWorkflow,
  domain: Domain,
  { environment }: Settings,
  clock: SolverClock,
): Promise<{
  readonly groups: readonly AnswerGroup[];
  readonly questions: readonly string[];
  readonly left: readonly string[];
}> {
  const { groups: drafts, left } = groupsOf(compiled, domain, clock.read);
  const groups: AnswerGroup[] = [];
  const questions: string[] = [];
  const reasons = left.map(({ leaf, reason }) => `${leafWords(leaf)}: ${reason}`);
  for (const draft of drafts) {
    const found = await combinationsOf(draft, domain.questions.declared, environment, clock);
    if (found.kind === "combined") {
      groups.push(found.group);
      questions.push(found.smtlib);
      continue;
    }
    const told = draft.leaves.slice(0, draft.toldCount);
    reasons.push(...told.map((leaf) => `${leafWords(leaf)}: ${describeLimit(found.limit)}`));
  }
  return { groups, questions, left: [...new Set(reasons)] };
}

function assumptionsOf({ name }: SolverClock, { told }: Domain): readonly string[] {
  const leaves = (told?.groups ?? []).flatMap(({ leaves: all, toldCount }) => all.slice(0, toldCount));
  return [
    `${name} is right where it says that no data give other answers to: ${[...new Set(leaves.map(leafWords))].join("; ")}`,
    "D has no keys whose names could change what an expression says",
  ];
}
