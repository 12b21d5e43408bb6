/**
 * @module fast-check with every property cut short: a mutant is killed by the first cases or hardly ever.
 *
 * Stands in for fast-check while mutants run. The cut also holds where a test asks for more cases, and a failure ends the
 * property at once: nobody reads the shrunk counterexample of a mutant.
 */
import * as real from "fast-check-itself";
import { PROPERTY_RUNS } from "./settings.mjs";

// biome-ignore lint/performance/noReExportAll: it stands in for the whole module.
export * from "fast-check-itself";

const cut = (parameters = {}) => ({
  ...parameters,
  numRuns: Math.min(parameters.numRuns ?? PROPERTY_RUNS, PROPERTY_RUNS),
  endOnFailure: true,
});

export const assert = (property, parameters) => real.assert(property, cut(parameters));
export const check = (property, parameters) => real.check(property, cut(parameters));

export default { ...real.default, assert, check };
