/**
 * @module fast-check with properties cut short: a mutant is killed by the first cases or hardly ever.
 *
 * Stands in for fast-check while mutants run. The cut also holds where a test asks for more cases, but not in the tests
 * that need them (`uncut`, see `left-out.mjs`). A failure ends the property at once: nobody reads the shrunk
 * counterexample of a mutant.
 */
import * as real from "fast-check-itself";
import { getCurrentTest } from "vitest/suite";
import { PROPERTY_RUNS } from "./settings.mjs";
import { keyOf, listed } from "./test-key.mjs";

// biome-ignore lint/performance/noReExportAll: it stands in for the whole module.
export * from "fast-check-itself";

const uncut = listed("uncut");

function cut(parameters = {}) {
  const test = getCurrentTest();
  const isWhole = test !== undefined && uncut.has(keyOf(test));
  const numRuns = Math.min(parameters.numRuns ?? PROPERTY_RUNS, PROPERTY_RUNS);
  return {
    ...parameters,
    endOnFailure: true,
    ...(isWhole ? { numRuns: parameters.numRuns ?? WHOLE } : { numRuns }),
  };
}

/** Cases of a property that does not say how many: fast-check's own number. */
const WHOLE = 100;

export const assert = (property, parameters) => real.assert(property, cut(parameters));
export const check = (property, parameters) => real.check(property, cut(parameters));

export default { ...real.default, assert, check };
