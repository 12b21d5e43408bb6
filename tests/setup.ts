/**
 * @module One fixed seed for every property, so that a red run is red again; see CONTRIBUTING.
 *
 * TESSERA_SEED (a 32-bit integer, or `fresh` for a new one each time) and TESSERA_RUNS (cases a property)
 * replace the defaults; fast-check prints seed and path with each failure.
 */
import fc from "fast-check";

const DEFAULT_SEED = 20_2016;

/** Reads an integer setting; a malformed one stops the run instead of quietly using the default. */
function integerSetting(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${name} must be an integer, got "${text}"`);
  return value;
}

const numRuns = integerSetting("TESSERA_RUNS");
const isFresh = process.env["TESSERA_SEED"] === "fresh";
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(isFresh ? {} : { seed: integerSetting("TESSERA_SEED") ?? DEFAULT_SEED }),
  ...(numRuns === undefined ? {} : { numRuns }),
});
