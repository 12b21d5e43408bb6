/** @module Every error code of this package: what it means and what to do. Codes are never reused. */

/** Code to sentence; `docs/errors.md` is generated from it. */
export const CODES: Readonly<Record<string, string>> = {
  SMT001:
    "A question for a solver, and z3-solver is not installed. Install it beside this package, or pass a solver.",
  SMT002:
    "z3-solver is installed and cannot be started. The cause says why; it needs threads and WebAssembly.",
};
