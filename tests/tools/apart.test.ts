/** Tests for tools/apart.mjs: install once, run with the arguments, pass the exit code on. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { plant, plantInto, plantTools } from "./plant.ts";

const LOCK = (version: string) =>
  JSON.stringify({
    name: "apart",
    version,
    lockfileVersion: 3,
    packages: { "": { name: "apart", version } },
  });

function workshop(): string {
  const root = plant({
    "bench/package.json": JSON.stringify({ name: "apart", version: "1.0.0" }),
    "bench/package-lock.json": LOCK("1.0.0"),
    "bench/say.mjs": 'process.stdout.write(process.argv.slice(2).join("|")); process.exitCode = 7;',
  });
  plantTools(root, "apart.mjs");
  return root;
}

function apart(root: string, ...args: readonly string[]) {
  const child = spawnSync(process.execPath, [path.join(root, "tools", "apart.mjs"), ...args], {
    encoding: "utf8",
    env: { ...process.env, npm_config_prefix: "/nowhere", NODE_ENV: "production" },
  });
  return { status: child.status, stdout: child.stdout, isInstalling: child.stderr.includes("npm ci") };
}

it("installs the first time only, and runs the program with its arguments", () => {
  const root = workshop();
  expect(apart(root, "bench", "say.mjs", "a b", "--c")).toEqual({
    status: 7,
    stdout: "a b|--c",
    isInstalling: true,
  });
  expect(apart(root, "bench", "say.mjs").isInstalling).toBe(false);
});

it("installs again when the lock file has changed", () => {
  const root = workshop();
  apart(root, "bench", "say.mjs");
  plantInto(root, {
    "bench/package.json": JSON.stringify({ name: "apart", version: "1.0.1" }),
    "bench/package-lock.json": LOCK("1.0.1"),
  });
  expect(apart(root, "bench", "say.mjs").isInstalling).toBe(true);
});

it("runs nothing when the installation fails", () => {
  const root = workshop();
  fs.writeFileSync(path.join(root, "bench", "package-lock.json"), "not a lock file");
  const { status, stdout } = apart(root, "bench", "say.mjs");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

it("says how it is called", () => {
  expect(apart(workshop()).status).toBe(2);
});
