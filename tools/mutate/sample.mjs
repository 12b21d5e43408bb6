/** @module Which mutants are run: all of them, or a seeded sample with the interval of its score. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { mutantKey } from "./mutant-key.mjs";
import { proseIgnorer } from "./stryker-plugins.mjs";

const SILENT = Object.fromEntries(
  ["trace", "debug", "info", "warn", "error", "fatal"].flatMap((level) => [
    [level, () => {}],
    [`is${level[0].toUpperCase()}${level.slice(1)}Enabled`, () => false],
  ]),
);

/** The mutants of `files` (relative to `root`), those in prose left out, and by file the code in which each can be switched on. */
export async function instrumented(root, files) {
  const inputs = files.map((file) => {
    const name = path.join(root, file);
    return { name, mutate: true, content: fs.readFileSync(name, "utf8") };
  });
  const options = { plugins: null, excludedMutations: [], ignorers: [proseIgnorer] };
  const found = await new Instrumenter(SILENT).instrument(inputs, options);
  return {
    mutants: found.mutants.filter(({ status }) => status !== "Ignored"),
    sources: new Map(found.files.map(({ name, content }) => [name, content])),
  };
}

/** The keys of all mutants of `files` (relative to `root`), those in prose left out, in a seeded order. */
export async function seededOrder(root, files, seed) {
  const { mutants } = await instrumented(root, files);
  const rank = (key) => createHash("sha256").update(`${seed} ${key}`).digest("hex");
  return mutants
    .map((mutant) => mutantKey(path.relative(root, mutant.fileName), mutant))
    .map((key) => [rank(key), key])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, key]) => key);
}

/** The 95 % interval of a share of `hits` in `size` draws (Wilson), as [low, high] between 0 and 1. */
export function wilson(hits, size) {
  if (size === 0) return [0, 1];
  const z = 1.959964;
  const share = hits / size;
  const centre = share + (z * z) / (2 * size);
  const half = z * Math.sqrt((share * (1 - share)) / size + (z * z) / (4 * size * size));
  const scale = 1 + (z * z) / size;
  return [(centre - half) / scale, (centre + half) / scale];
}
