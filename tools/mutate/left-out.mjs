/**
 * @module Tests that stand in the way of a run: those that fail without any mutant once properties are cut, and the slow.
 *
 * The first are properties that count what they saw, and tests of testers, which look for a planted fault in more cases than
 * a cut property draws.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { SLOW_TEST_MS } from "./settings.mjs";

/** Runs the tests once under `config` in `root`; returns `[{ key, why, isFailed }]`. Throws when nothing could be run. */
export function testsInTheWay({ root, config, reportFile }) {
  const manifest = createRequire(path.join(root, "package.json")).resolve("vitest/package.json");
  fs.rmSync(reportFile, { force: true });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      path.join(path.dirname(manifest), "vitest.mjs"),
      "run",
      ...["--config", config, "--maxWorkers", "2", "--reporter", "json", "--outputFile", reportFile],
    ],
    { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  if (!fs.existsSync(reportFile)) throw new Error(`the tests could not be run\n${stdout}\n${stderr}`);
  const { testResults, numPassedTests } = JSON.parse(fs.readFileSync(reportFile, "utf8"));
  if (numPassedTests === 0) throw new Error("no test passes, so no mutant could be killed");
  return testResults.flatMap(({ name, assertionResults, message }) => {
    const file = path.relative(root, name).replaceAll("\\", "/");
    if (assertionResults.length === 0) {
      return [{ key: `${file}#`, why: `cannot be loaded: ${firstLine(message)}`, isFailed: true }];
    }
    return assertionResults.flatMap((test) => {
      const why = reasonAgainst(test);
      return why === undefined
        ? []
        : [{ key: `${file}#${test.fullName}`, why, isFailed: test.status === "failed" }];
    });
  });
}

function reasonAgainst({ status, duration, failureMessages }) {
  if (status === "failed") return `fails without a mutant: ${firstLine(failureMessages?.[0])}`;
  if ((duration ?? 0) > SLOW_TEST_MS) return `takes ${(duration / 1000).toFixed(0)} s`;
  return undefined;
}

const firstLine = (text = "") => text.split("\n")[0].slice(0, 100);
