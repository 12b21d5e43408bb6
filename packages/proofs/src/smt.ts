/** @module @tessera/proofs/smt: guards with arithmetic, asked of a solver. Needs the optional peer `z3-solver`. */
export { CODES } from "./issue-codes.ts";
export type { ReadTerm } from "./smt/encode.ts";
export {
  type GuardFinding,
  type GuardOptions,
  type GuardReport,
  type GuardVerdict,
  type GuardWitness,
  proveGuards,
  type SolverSupport,
} from "./smt/prove-guards.ts";
export { proveWorkflowWithSolver, type SolvedReport, type SolverProofOptions } from "./smt/prove-workflow.ts";
export { type Solver, type SolverAnswer, SolverError, z3Solver } from "./smt/solver.ts";
