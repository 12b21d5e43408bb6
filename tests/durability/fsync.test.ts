/**
 * @module A commit that was awaited is on the disk: the flushes of the real process, counted by the kernel's own trace.
 * Needs `strace` (Debian and Ubuntu: package strace) and the built packages.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const CHILD = fileURLToPath(new URL("commit-child.mjs", import.meta.url));
const BUILT = fileURLToPath(new URL("../../packages/persist/dist/sqlite.js", import.meta.url));
const GROUPS = 25;

/** The calls of the child between its words ready and done that flush a file to the disk. */
function flushes(mode: "full" | "normal"): readonly string[] {
  expect(existsSync(BUILT), "the packages are not built: npm run build").toBe(true);
  const root = mkdtempSync(path.join(tmpdir(), "tessera-fsync-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const trace = path.join(root, "trace");
  const child = [process.execPath, CHILD, mode, path.join(root, "runs.sqlite"), String(GROUPS)];
  const calls = "trace=fsync,fdatasync,write,exit_group";
  const { status, error, stderr } = spawnSync("strace", ["-f", "-o", trace, "-e", calls, ...child], {
    encoding: "utf8",
  });
  const missing = (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
  expect(
    missing,
    "strace is not installed: install the package strace, this test counts flushes with it",
  ).toBe(false);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const lines = readFileSync(trace, "utf8").split("\n");
  const at = (word: string) => lines.findIndex((line) => line.includes(`write(1, "${word}\\n"`));
  expect([at("ready"), at("done")].includes(-1), "the child's words are not in the trace").toBe(false);
  return lines.slice(at("ready"), at("done")).filter((line) => /\b(?:fsync|fdatasync)\(\d+\)/.test(line));
}

/** Law: at least one flush for each group that was awaited. */
function isFlushed(calls: readonly string[]): void {
  expect(calls.length).toBeGreaterThanOrEqual(GROUPS);
}

describe("durability", () => {
  it("[D10.9] the process flushes at least once for each awaited group", () => {
    isFlushed(flushes("full"));
  });

  it("[D10.9] the same count fails on a connection with synchronous NORMAL", () => {
    const calls = flushes("normal");
    expect(() => isFlushed(calls)).toThrow();
  });
});
