/** @module Questions to a solver within limits: a time for each, one for all, and a signal. */
import type { Abortable } from "../limits.ts";
import type { Limit } from "../verdict.ts";
import type { ReadTerm } from "./encode.ts";
import type { Solver } from "./solver.ts";

/** A solver that keeps the limits, with what reads expressions. `asked` counts questions. */
export interface SolverClock {
  readonly name: string;
  readonly read: ReadTerm;
  readonly ask: (body: string) => Promise<ClockedAnswer>;
  readonly asked: () => number;
}

/** What the solver says, or which limit keeps it from that. */
export type ClockedAnswer =
  | { readonly kind: "sat"; readonly model: string }
  | { readonly kind: "unsat" }
  | { readonly kind: "undecided"; readonly limit: Limit };

/** Limits in milliseconds: of each question, and of all together. */
export interface SolverLimits {
  readonly questionMs: number;
  readonly allMs: number;
}

/** Starts the clock. `now` gives milliseconds from any origin. */
export function clockOf(
  solver: Solver,
  read: ReadTerm,
  { questionMs, allMs }: SolverLimits,
  now: () => number,
  signal: Abortable | null,
): SolverClock {
  const start = now();
  let count = 0;
  return {
    name: solver.name,
    read,
    asked: () => count,
    ask: async (body) => {
      if (signal?.aborted === true) return { kind: "undecided", limit: { kind: "aborted", at: count } };
      const left = allMs - (now() - start);
      if (left <= 0) return { kind: "undecided", limit: { kind: "time", at: allMs } };
      count += 1;
      const timeoutMs = Math.ceil(Math.min(questionMs, left));
      const answer = await solver.check(body, timeoutMs);
      if (answer.kind !== "unknown") return answer;
      const isTime = /timeout|cancel/u.test(answer.reason);
      const limit: Limit = isTime
        ? { kind: "time", at: timeoutMs }
        : { kind: "method", reason: `${solver.name}: ${answer.reason}` };
      return { kind: "undecided", limit };
    },
  };
}
