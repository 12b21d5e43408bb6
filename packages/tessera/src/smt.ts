/** @module tessera/smt */
export {
  type GuardFinding,
  type GuardOptions,
  type GuardReport,
  type GuardVerdict,
  type GuardWitness,
  proveGuards,
  type ReadTerm,
  type Solver,
  type SolverAnswer,
  SolverError,
  type SolverSupport,
  z3Solver,
} from "@tessera/proofs/smt";
