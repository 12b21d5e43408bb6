/** @module What is mutated, by which tests, and what the score must be. */

/** The score, in per cent, below which a package fails the check. */
const SCORE_MIN = 90;

/**
 * `tests`: the packages whose tests may kill a mutant: the package's own and those that stand closest to it; or some of their files.
 * `scoreMin`: null where the score is only reported.
 */
export const PACKAGES = {
  core: { tests: ["core", "gateways"], scoreMin: SCORE_MIN },
  gateways: { tests: ["gateways", "proofs"], scoreMin: SCORE_MIN },
  proofs: { tests: ["proofs", "engine/test/data-*.property.test.ts"], scoreMin: SCORE_MIN },
  persist: { tests: ["persist"], scoreMin: null },
  engine: { tests: ["engine"], scoreMin: null },
  interchange: { tests: ["interchange"], scoreMin: null },
};

/** Sources without behaviour: lists of names, texts of messages. */
export const NOT_MUTATED = ["index.ts", "issue-codes.ts"];

/** Tests that start a process or read the nets of others, which are not in the sandbox: too slow to be run for every mutant. */
export const SLOW_TESTS = [
  "packages/core/test/builder/builder-types.test.ts",
  "packages/engine/test/close.test.ts",
  "packages/interchange/test/conformance.test.ts",
  // Reads the sources, which are others when mutants are in them.
  "packages/proofs/test/certificate-imports.test.ts",
];

/** A test that takes longer, with its properties cut, is left out. */
export const SLOW_TEST_MS = 8_000;

/** Cases a property, whatever the property itself asks for; see `fast-check.mjs` for those that need more. */
export const PROPERTY_RUNS = 20;

export const SAMPLE_MIN = 400;
export const MINUTES_MAX = 45;
export const CONCURRENCY = 2;
