/** @module Guards asked of a solver: do they leave a gap, do two hold at once. Its models are put to the guards themselves. */
import {
  type CompiledWorkflow,
  type Condition,
  type ConditionEnvironment,
  type Data,
  evaluateCondition,
  type Outcome,
} from "@tessera/core";
import { questionsOf as conditionsOf, isOfType, leavesOf } from "../data-level/conditions-read.ts";
import { isOptional } from "../data-level/domain.ts";
import type { Abortable } from "../limits.ts";
import { type Demand, demands, routeOn, type Ways, waysOut } from "../obligations/totality.ts";
import type { Limit } from "../verdict.ts";
import {
  and,
  type Encoded,
  encodeGuard,
  not,
  or,
  type ReadTerm,
  type Vocabulary,
  vocabularyOf,
} from "./encode.ts";
import { oddKey } from "./odd-key.ts";
import { isNear, withPlainNumbers } from "./plain-values.ts";
import { dataOfModel, type Problem, problemOf } from "./problem.ts";
import { type Solver, z3Solver } from "./solver.ts";

/** What a solver supports: that no data fit `smtlib`. It is not checked here; any other solver can be asked the same. */
export interface SolverSupport {
  readonly class: "solver";
  readonly method: string;
  readonly smtlib: string;
}

/** Data that were put to the guards: on which no arc is taken, or on which the guards of several arcs hold. */
export type GuardWitness =
  | { readonly kind: "gap"; readonly data: Data; readonly trouble: string | null }
  | { readonly kind: "overlap"; readonly data: Data; readonly arcs: readonly number[] };

/** The answer to one question. */
export type GuardVerdict =
  | { readonly kind: "holds"; readonly evidence: SolverSupport }
  | { readonly kind: "fails"; readonly evidence: GuardWitness }
  | { readonly kind: "unknown"; readonly limit: Limit };

/** total: on all data an arc is taken. exclusive: of an XOR split, no two guards hold at once; no obligation asks for it. */
export interface GuardFinding {
  readonly node: string;
  readonly outcome: Outcome;
  readonly question: "total" | "exclusive";
  readonly verdict: GuardVerdict;
}

/** What is known of the guards of a workflow. */
export interface GuardReport {
  readonly findings: readonly GuardFinding[];
  readonly assumptions: readonly string[];
}

/**
 * `read`: what expressions compute, `readFeelTerm` for FEEL. `environment`: evaluates them, as the engine does.
 * `timeoutMs`: for each question, of which the solver is held to it. `solver`: z3, if none is given.
 */
export interface GuardOptions {
  readonly read: ReadTerm;
  readonly environment: ConditionEnvironment;
  readonly timeoutMs?: number;
  readonly solver?: Solver;
  /** Looked at between questions. */
  readonly signal?: Abortable;
}

/** Milliseconds for each question, unless told otherwise. */
export const QUESTION_MS = 5000;

const ASSUMPTIONS = [
  "declared keys have values of their types, and D has no other keys",
  "a solver is right where it finds that there are no such data",
];

/**
 * Asks of every node and outcome with guards whether they are total (D8.10) and, in an XOR split, exclusive, on all data
 * that fit the declarations. Numbers are doubles, as in the engine, not reals. A failure has data on which the guards
 * were evaluated; what a solver claims and the guards do not confirm is unknown.
 * Throws SolverError where no solver is given and z3-solver is not there.
 *
 * @definition D23.7
 */
export async function proveGuards(compiled: CompiledWorkflow, options: GuardOptions): Promise<GuardReport> {
  const odd = oddKey(compiled, conditionsOf(compiled));
  const asked = demands(compiled).flatMap((demand) => questionsOf(compiled, demand, odd, options));
  if (asked.length === 0) return { findings: [], assumptions: [] };
  const solver = options.solver ?? (await z3Solver());
  const findings: GuardFinding[] = [];
  try {
    // One after the other: z3 has one thread for them all.
    for (const { node, outcome, question, problem } of asked) {
      const verdict: GuardVerdict =
        typeof problem === "string"
          ? { kind: "unknown", limit: { kind: "method", reason: problem } }
          : options.signal?.aborted === true
            ? { kind: "unknown", limit: { kind: "aborted", at: findings.length } }
            : await judge(solver, problem, options.timeoutMs ?? QUESTION_MS);
      findings.push({ node, outcome, question, verdict });
    }
  } finally {
    if (options.solver === undefined) await solver.close();
  }
  return { findings, assumptions: ASSUMPTIONS };
}

/** A question with how its answer is confirmed; a text where it cannot be asked. */
interface Asked extends Omit<GuardFinding, "verdict"> {
  readonly problem: Posed | string;
}

interface Posed extends Problem {
  readonly vocabulary: Vocabulary;
  readonly confirm: (data: Data) => GuardWitness | null;
}

/** `odd`: why expressions may not say what their terms say; null if they do. */
function questionsOf(
  compiled: CompiledWorkflow,
  demand: Demand,
  odd: string | null,
  options: GuardOptions,
): readonly Asked[] {
  const { definition } = compiled;
  const ways = waysOut(compiled, demand);
  if (ways.guarded.length === 0) return [];
  const own = { node: definition.nodes[demand.node]!.id, outcome: demand.outcome };
  const vocabulary = vocabularyOf(definition.data ?? {}, options.read);
  const guards = ways.guarded.map(({ guard }) => encodeGuard(vocabulary, guard));
  const open = guards.indexOf(null);
  const known = guards.filter((guard) => guard !== null);
  const questions = conditionsOf(compiled);
  const missing = [...vocabulary.variables.keys()].find((key) => isOptional(questions, key));
  const isExpressed = ways.guarded.some(({ guard }) => leavesOf(guard).some(({ kind }) => kind === "opaque"));
  const pose = (formula: string, confirm: (data: Data) => GuardWitness | null): Posed | string => {
    if (odd !== null && isExpressed) return odd;
    if (open >= 0)
      return `the guard of the arc to "${ways.guarded[open]!.arc.to}" is more than a term of declared keys`;
    if (missing !== undefined) return `"${missing}" may have no value`;
    return { ...problemOf(vocabulary, formula), vocabulary, confirm };
  };
  const total = pose(gapFormula(ways, known), (data) => gapOn(ways, data, options.environment));
  const exclusive = pose(overlapFormula(known), (data) =>
    overlapOn(compiled, ways, data, options.environment),
  );
  return [
    { ...own, question: "total", problem: total },
    ...(ways.asksAll || guards.length < 2
      ? []
      : [{ ...own, question: "exclusive" as const, problem: exclusive }]),
  ];
}

/** No guard is true and no other arc is there, or one that is asked has no answer. */
function gapFormula({ asksAll, hasOther }: Ways, guards: readonly Encoded[]): string {
  const isFalse = ({ truth, error }: Encoded) => and([not(truth), not(error)]);
  const troubles = guards.map(({ error }, at) =>
    and([...(asksAll ? [] : guards.slice(0, at).map(isFalse)), error]),
  );
  return or([...(hasOther ? [] : [and(guards.map(isFalse))]), ...troubles]);
}

function overlapFormula(guards: readonly Encoded[]): string {
  return or(
    guards.flatMap(({ truth }, at) => guards.slice(at + 1).map((other) => and([truth, other.truth]))),
  );
}

async function judge(
  solver: Solver,
  { body, text, vocabulary, confirm }: Posed,
  timeoutMs: number,
): Promise<GuardVerdict> {
  const answer = await solver.check(body, timeoutMs);
  switch (answer.kind) {
    case "unsat":
      return { kind: "holds", evidence: { class: "solver", method: solver.name, smtlib: text } };
    case "unknown": {
      const isTime = /timeout|cancel/u.test(answer.reason);
      const limit: Limit = isTime
        ? { kind: "time", at: timeoutMs }
        : { kind: "method", reason: `${solver.name}: ${answer.reason}` };
      return { kind: "unknown", limit };
    }
    case "sat": {
      const shown = (data: Data): GuardWitness | null => {
        const fits = [...vocabulary.variables.values()].every(({ key, type }) => isOfType(data[key]!, type));
        return fits ? confirm(data) : null;
      };
      const data = dataOfModel(vocabulary, answer.model);
      if (shown(data) !== null) {
        const near = await solver.check(`${body}\n(assert ${isNear(vocabulary)})`, timeoutMs);
        const nearer = near.kind === "sat" ? dataOfModel(vocabulary, near.model) : data;
        const chosen = shown(nearer) === null ? data : nearer;
        const plain = withPlainNumbers(chosen, (other) => shown(other) !== null);
        return { kind: "fails", evidence: shown(plain)! };
      }
      const reason = `${solver.name} names data that the guards do not confirm: ${JSON.stringify(data)}`;
      return { kind: "unknown", limit: { kind: "method", reason } };
    }
  }
}

function gapOn(ways: Ways, data: Data, environment: ConditionEnvironment): GuardWitness | null {
  const route = routeOn(ways, data, environment);
  if (route.kind === "taken") return null;
  return { kind: "gap", data, trouble: route.kind === "trouble" ? route.trouble : null };
}

function overlapOn(
  { definition }: CompiledWorkflow,
  { guarded }: Ways,
  data: Data,
  environment: ConditionEnvironment,
): GuardWitness | null {
  const isTrue = (guard: Condition) => {
    const answer = evaluateCondition(guard, data, environment);
    return answer.kind === "value" && answer.value;
  };
  const arcs = guarded.flatMap(({ arc, guard }) => (isTrue(guard) ? [definition.arcs.indexOf(arc)] : []));
  return arcs.length > 1 ? { kind: "overlap", data, arcs } : null;
}
