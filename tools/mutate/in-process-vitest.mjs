/**
 * @module Stands in for vitest where mutants are run in one process: collects tests instead of running them.
 *
 * `expect` is vitest's own. Only what tests of one process need is here; a test that asks for more cannot be loaded, and the
 * run says so.
 */
import {
  chai,
  customMatchers,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from "@vitest/expect";

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);

export const expect = Object.assign((value, message) => chai.expect(value, message), chai.expect);
setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null }, expect);
chai.expect.extend(expect, customMatchers);

/** What was collected, in order: `{ name, suite, file, run }`, in the form that `keyOf` reads. */
export const tests = [];
let suite;
let current;

/** The test that runs; `vitest/suite` has a function of this name. */
export const getCurrentTest = () => current;

/** Runs test number `index`. */
export async function runTest(index) {
  current = tests[index];
  await current.run();
}

export function describe(name, options, body = options) {
  const outer = suite;
  suite = { name, suite: outer };
  body();
  suite = outer;
}

/** Options or a limit of time may stand before or after the test. */
export function it(name, ...rest) {
  const run = rest.find((one) => typeof one === "function");
  tests.push({ name, suite, file: { filepath: globalThis.tesseraTestFile }, run });
}

const each = (make) => (rows) => (name, body) => {
  for (const [index, row] of rows.entries())
    make(`${name} (${index})`, () => body(...(Array.isArray(row) ? row : [row])));
};
describe.each = each(describe);
it.each = each(it);
