/** @module The result of a run as text: score per file, survivors with place and replacement. */
import path from "node:path";
import { wilson } from "./sample.mjs";

const DETECTED = new Set(["Killed", "Timeout"]);
const UNDETECTED = new Set(["Survived", "NoCoverage"]);

/** `{ score, isPossible, lines }` (was any mutant run?) of `results` (Stryker's, those of the sample only) out of `population` mutants. */
export function reportOf({ root, results, population }) {
  const valid = results.filter(({ status }) => DETECTED.has(status) || UNDETECTED.has(status));
  const { hits, share } = tally(valid);
  const files = groupByFile(valid);
  const table = [...files]
    .map(([file, mutants]) => ({ file: relative(root, file), mutants, ...tally(mutants) }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
  const timeouts = valid.filter(({ status }) => status === "Timeout").length;
  const broken = results.length - valid.length;
  return {
    score: share * 100,
    isPossible: valid.length > 0,
    lines: [
      "  score  killed  mutants  file",
      ...table.map(
        ({ file, mutants, hits, share }) =>
          `${percent(share)} ${String(hits).padStart(7)} ${String(mutants.length).padStart(8)}  ${file}`,
      ),
      "",
      ...table.flatMap(({ file, mutants }) => survivors(file, mutants)),
      "",
      summary({ hits, size: valid.length, population, share }),
      ...(timeouts > 0 ? [`${timeouts} of them ran into the time limit.`] : []),
      ...(broken > 0 ? [`${broken} more mutants could not be run and are not counted.`] : []),
    ],
  };
}

function summary({ hits, size, population, share }) {
  if (size >= population) return `Score ${percent(share).trim()}: ${hits} of all ${size} mutants killed.`;
  const [low, high] = wilson(hits, size).map((bound) => percent(bound).trim());
  return `Score ${percent(share).trim()}, 95 % interval ${low} to ${high}: ${hits} killed in a sample of ${size} out of ${population} mutants.`;
}

function survivors(file, mutants) {
  return mutants
    .filter(({ status }) => UNDETECTED.has(status))
    .sort(
      ({ location: a }, { location: b }) => a.start.line - b.start.line || a.start.column - b.start.column,
    )
    .map(({ location, mutatorName, replacement, status }) => {
      const text = String(replacement).replaceAll(/\s+/g, " ").slice(0, 120);
      const mark = status === "NoCoverage" ? " (no test reaches it)" : "";
      return `${file}:${location.start.line}:${location.start.column}-${location.end.line}:${location.end.column} ${mutatorName} -> ${text}${mark}`;
    });
}

function tally(mutants) {
  const hits = mutants.filter(({ status }) => DETECTED.has(status)).length;
  return { hits, share: mutants.length === 0 ? 1 : hits / mutants.length };
}

function groupByFile(results) {
  const groups = new Map();
  for (const result of results) groups.set(result.fileName, [...(groups.get(result.fileName) ?? []), result]);
  return groups;
}

const percent = (share) => `${(share * 100).toFixed(1)} %`.padStart(7);
const relative = (root, file) => path.relative(root, file).replaceAll("\\", "/");
