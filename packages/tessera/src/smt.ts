/** @module tessera/smt */
export {
  type GuardFinding,
  type GuardOptions,
  type GuardReport,
  type GuardVerdict,
  type GuardWitness,
  proveGuards,
  proveWorkflowWithSolver,
  type ReadTerm,
  type SolvedReport,
  type Solver,
  type SolverAnswer,
  SolverError,
  type SolverProofOptions,
  type SolverSupport,
  z3Solver,
} from "@tessera/proofs/smt";
