/** @module The process in which mutants are run: loads the bundle, then does what it is told, one message at a time. */
const state = {
  activeMutant: process.env["TESSERA_MUTANT"],
  hitCount: 0,
  hitLimit: Number.POSITIVE_INFINITY,
};
// Where the code that Stryker writes looks for the mutant that is on, and counts what it passes.
globalThis.__stryker__ = state;

const bundle = await import(process.env["TESSERA_BUNDLE"]).catch((error) => ({ error }));
const names = bundle.error === undefined ? bundle.tests.map(bundle.keyOf) : [];

const textOf = (error) => String(error?.message ?? error).split("\n")[0];

async function failureOf(index) {
  try {
    await bundle.runTest(index);
    return null;
  } catch (error) {
    return textOf(error);
  }
}

/** Every test once, without a mutant: how long it takes, whether it fails, which mutants it passes and how often. */
async function dryRun() {
  const found = [];
  for (const index of names.keys()) {
    state.currentTestId = String(index);
    const startedMs = performance.now();
    const failure = await failureOf(index);
    found.push({ name: names[index], failure, ms: performance.now() - startedMs });
  }
  const { static: loading = {}, perTest = {} } = state.mutantCoverage ?? {};
  return { tests: found.map((one, index) => ({ ...one, hits: perTest[index] ?? {} })), loading };
}

/** Does a test of `tests` fail with the mutant on? */
async function isKilled({ mutant, hitLimit, tests }) {
  if (bundle.error !== undefined) return true;
  Object.assign(state, { activeMutant: mutant, hitCount: 0, hitLimit, currentTestId: "mutant" });
  for (const index of tests) if ((await failureOf(index)) !== null) return true;
  return false;
}

process.on("message", async (message) => {
  if (message.kind === "mutant") process.send({ isKilled: await isKilled(message) });
  else if (bundle.error !== undefined) process.send({ error: textOf(bundle.error) });
  else process.send(await dryRun());
});
process.send("ready");
