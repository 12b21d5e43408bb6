/** @module Shows that mutants are loaded: one planted in core must be killed by a test of another package. */
import fs from "node:fs";
import path from "node:path";
import { ROOT, runStryker } from "./stryker.mjs";

const FILE = "packages/core/src/fire.ts";
/** A token too many is asked for. */
const TEXT = "present < required";
const MUTANT = "present <= required";
const TESTS = ["proofs"];

/** Plants the mutant twice: as always, and with packages resolved through node_modules, where it must survive. */
export async function selfTest() {
  const range = rangeOf(TEXT);
  const plant = async (isLinked) => {
    const results = await runStryker({
      name: "self-test",
      mutate: [`${FILE}:${range}`],
      tests: TESTS,
      isLinked,
      isRemembered: false,
    });
    return results.find(({ replacement }) => replacement === MUTANT);
  };
  const loaded = await plant(false);
  const missed = await plant(true);
  const killer = loaded?.killedBy?.[0] ?? "no test";
  const isKilledElsewhere = loaded?.status === "Killed" && killer.startsWith(`packages/${TESTS[0]}/test/`);
  const isMissedWhenLinked = missed?.status === "Survived" || missed?.status === "NoCoverage";
  process.stdout.write(
    `${FILE}: "${TEXT}" -> "${MUTANT}", tests of ${TESTS.join(", ")} only\n` +
      `${mark(isKilledElsewhere)} as mutants are run: ${loaded?.status}, killed by ${killer}\n` +
      `${mark(isMissedWhenLinked)} with packages linked to the original tree, which no run does: ${missed?.status}\n`,
  );
  return isKilledElsewhere && isMissedWhenLinked ? 0 : 1;
}

/** Stryker's `line:column-line:column` of the only place where `text` stands in the file. */
function rangeOf(text) {
  const lines = fs.readFileSync(path.join(ROOT, FILE), "utf8").split("\n");
  const line = lines.findIndex((candidate) => candidate.includes(text));
  if (line === -1)
    throw new Error(`${FILE} no longer contains "${text}": choose another mutant for the self-test`);
  const column = lines[line].indexOf(text);
  return `${line + 1}:${column}-${line + 1}:${column + text.length}`;
}

const mark = (isAsExpected) => (isAsExpected ? "ok  " : "FAIL");
