import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const SOURCE = fs.readFileSync(new URL("builder.test-d.ts", import.meta.url), "utf8");
const EXPECTATION = /^\/\/ @ts-expect-error - (.*)$/;

/** Lines, counted from 1, on which the compiler reports an error in `source`. */
function errorLines(directory: string, source: string): readonly number[] {
  fs.writeFileSync(path.join(directory, "checked.ts"), source);
  const config = { extends: path.join(ROOT, "tsconfig.tests.json"), include: ["checked.ts"] };
  fs.writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify(config));
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout, error } = spawnSync(process.execPath, [tsc, "-p", directory, "--pretty", "false"], {
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  return [...stdout.matchAll(/checked\.ts\((\d+),\d+\): error TS/g)].map(([, line]) => Number(line));
}

describe("the types of the builder", () => {
  let directory = "";
  beforeAll(() => {
    // Inside the repository, so that packages are found.
    fs.mkdirSync(path.join(ROOT, ".reports"), { recursive: true });
    directory = fs.mkdtempSync(path.join(ROOT, ".reports", "types-"));
  });
  afterAll(() => fs.rmSync(directory, { recursive: true }));

  const lines = SOURCE.split("\n");
  const expected = lines.flatMap((line, i) => (EXPECTATION.test(line) ? [i + 2] : []));

  it("[D12.5] [D12.6] [D12.7] refuse each refused line by itself: without the expectations each is an error", () => {
    // That the file itself has no error is for the check of all types.
    expect(expected.length).toBeGreaterThan(50);
    const bare = lines.map((line) => line.replace(EXPECTATION, "// $1")).join("\n");
    expect([...new Set(errorLines(directory, bare))]).toEqual(expected);
  });
});
