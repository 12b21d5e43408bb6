import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plant, plantInto, plantTools, type Tree } from "./plant.ts";

/**
 * A checkout whose dependencies are folders of its own, so that the real `npm ci` runs without a network: a compiler
 * that says "compiled", and an SQLite whose binary is a text file.
 */
const SQLITE = `
const fs = require("node:fs"), path = require("node:path");
const file = path.join(__dirname, "build/Release/better_sqlite3.node");
if (fs.readFileSync(file, "utf8") !== "good") throw new Error("invalid ELF header");
module.exports = class { prepare() { return { get: () => ({ answer: 42 }) }; } close() {} };`;

const LOCK = {
  name: "checkout",
  lockfileVersion: 3,
  requires: true,
  packages: {
    "": { name: "checkout", workspaces: ["deps/*"] },
    "deps/better-sqlite3": { name: "better-sqlite3", version: "1.0.0", hasInstallScript: true },
    "deps/typescript": { name: "typescript", version: "1.0.0" },
    "node_modules/better-sqlite3": { resolved: "deps/better-sqlite3", link: true },
    "node_modules/typescript": { resolved: "deps/typescript", link: true },
  },
};

/** The install script counts its runs and "compiles" what the file `compiler` holds; it sees the environment. */
const COMPILE = `
const fs = require("node:fs");
fs.mkdirSync("build/Release", { recursive: true });
fs.appendFileSync("../../compiled.log", JSON.stringify({ NODE_ENV: process.env.NODE_ENV, omit: process.env.npm_config_omit }) + "\\n");
if (!fs.existsSync("../../compiler")) { console.error("gyp ERR! find Python"); process.exit(1); }
fs.writeFileSync("build/Release/better_sqlite3.node", fs.readFileSync("../../compiler"));`;

const CHECKOUT: Tree = {
  "package.json": JSON.stringify({ name: "checkout", private: true, workspaces: ["deps/*"] }),
  "package-lock.json": JSON.stringify(LOCK),
  "deps/better-sqlite3/package.json": JSON.stringify({
    name: "better-sqlite3",
    version: "1.0.0",
    main: "index.js",
    scripts: { install: "node compile.js" },
  }),
  "deps/better-sqlite3/index.js": SQLITE,
  "deps/better-sqlite3/compile.js": COMPILE,
  "deps/typescript/package.json": JSON.stringify({ name: "typescript", version: "1.0.0", type: "module" }),
  "deps/typescript/bin/tsc": `import fs from "node:fs"; fs.appendFileSync("tsc.log", process.argv.slice(2).join() + "\\n");`,
  compiler: "good",
};

const BINARY = "node_modules/better-sqlite3/build/Release/better_sqlite3.node";

function checkout(change: Tree = {}): string {
  const root = plant({ ...CHECKOUT, ...change }, "a path with spaces ");
  plantTools(root, "ensure.mjs", "directory-lock.mjs");
  return root;
}

let installedOnce: string;
beforeAll(() => {
  installedOnce = fs.mkdtempSync(path.join(os.tmpdir(), "installed "));
  plantInto(installedOnce, CHECKOUT);
  plantTools(installedOnce, "ensure.mjs", "directory-lock.mjs");
  expect(ensure(installedOnce).status).toBe(0);
}, 120_000);
afterAll(() => fs.rmSync(installedOnce, { recursive: true, force: true }));

/** A copy of a checkout in which everything is installed already. */
function installed(change: Tree = {}): string {
  const root = plant({}, "a path with spaces ");
  fs.cpSync(installedOnce, root, { recursive: true, verbatimSymlinks: true });
  plantInto(root, change);
  return root;
}

const environment = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  const { npm_execpath: _, ...inherited } = process.env;
  return { ...inherited, ...extra };
};

function ensure(root: string, extra: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [path.join(root, "tools/ensure.mjs")], {
    cwd: path.dirname(root),
    encoding: "utf8",
    env: environment(extra),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const lines = (root: string, file: string): readonly string[] => {
  const target = path.join(root, file);
  return fs.existsSync(target) ? fs.readFileSync(target, "utf8").trimEnd().split("\n") : [];
};

describe("tools/ensure.mjs", () => {
  it("installs, proves SQLite and compiles; the second time it only compiles", () => {
    const root = checkout();
    const first = ensure(root);
    expect(first.stderr).toContain("nothing is installed yet");
    expect(first.status).toBe(0);
    expect(lines(root, "compiled.log")).toHaveLength(1);
    const second = ensure(root);
    expect(second).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(lines(root, "compiled.log")).toHaveLength(1);
    expect(lines(root, "tsc.log")).toEqual(["-b", "-b"]);
    expect(fs.existsSync(path.join(root, ".ensure-lock"))).toBe(false);
  });

  it("is not led astray by NODE_ENV=production or an outer npm's settings", () => {
    const root = checkout();
    const said = ensure(root, {
      NODE_ENV: "production",
      npm_config_omit: "dev",
      NPM_CONFIG_IGNORE_SCRIPTS: "true",
    });
    expect(said.status).toBe(0);
    expect(lines(root, "compiled.log")).toEqual(["{}"]);
  });

  it("installs again when the lock file or the Node version changed, and says which", () => {
    const root = installed();
    const lock = { ...LOCK, packages: { ...LOCK.packages, "": { ...LOCK.packages[""], version: "1.0.1" } } };
    fs.writeFileSync(path.join(root, "package-lock.json"), JSON.stringify(lock));
    fs.writeFileSync(
      path.join(root, "package.json"),
      JSON.stringify({ name: "checkout", version: "1.0.1", private: true, workspaces: ["deps/*"] }),
    );
    expect(ensure(root)).toMatchObject({ status: 0, stderr: expect.stringContaining("changed: lock") });
    const stamp = path.join(root, "node_modules/.tessera-stamp.json");
    fs.writeFileSync(stamp, fs.readFileSync(stamp, "utf8").replace(/"modules": "\d+"/, '"modules": "1"'));
    expect(ensure(root)).toMatchObject({ status: 0, stderr: expect.stringContaining("changed: modules") });
    expect(lines(root, "compiled.log")).toHaveLength(3);
  });

  it("keeps the compiled binary when the lock changed but not SQLite's package", () => {
    const root = plant({ ...CHECKOUT, "package.json": "{}" }, "a path with spaces ");
    plantTools(root, "ensure.mjs", "directory-lock.mjs");
    const sqlite = path.join(root, "deps/better-sqlite3");
    // The package is copied from an archive here, as from a registry; its install script writes to the folder above.
    spawnSync("npm", ["pack", "--pack-destination", root], { cwd: sqlite, stdio: "ignore" });
    const archive = fs.readFileSync(path.join(root, "better-sqlite3-1.0.0.tgz"));
    const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
    const lockWith = (version: string): void => {
      const manifest = {
        name: "checkout",
        version,
        dependencies: {
          "better-sqlite3": "file:better-sqlite3-1.0.0.tgz",
          typescript: "file:deps/typescript",
        },
      };
      const { "deps/typescript": compiler, "node_modules/typescript": link } = LOCK.packages;
      const packages = {
        "": manifest,
        "deps/typescript": compiler,
        "node_modules/typescript": link,
        "node_modules/better-sqlite3": {
          version: "1.0.0",
          resolved: "file:better-sqlite3-1.0.0.tgz",
          integrity,
          hasInstallScript: true,
        },
      };
      fs.writeFileSync(path.join(root, "package.json"), JSON.stringify({ ...manifest, private: true }));
      fs.writeFileSync(path.join(root, "package-lock.json"), JSON.stringify({ ...LOCK, version, packages }));
    };
    lockWith("1.0.0");
    expect(ensure(root)).toMatchObject({ status: 0, stderr: expect.not.stringContaining("is kept") });
    lockWith("1.0.1");
    expect(ensure(root)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("compiled binary is kept"),
    });
    expect(lines(root, "compiled.log")).toHaveLength(1);
    expect(fs.readFileSync(path.join(root, BINARY), "utf8")).toBe("good");
  });

  it("builds a broken binary again", () => {
    const root = installed({ [BINARY]: "bad" });
    expect(ensure(root)).toMatchObject({ status: 0, stderr: expect.stringContaining("building it again") });
    expect(fs.readFileSync(path.join(root, BINARY), "utf8")).toBe("good");
  });

  it("names the Debian packages when SQLite cannot be compiled", () => {
    const root = checkout();
    fs.rmSync(path.join(root, "compiler"));
    const said = ensure(root);
    expect(said.status).toBe(1);
    expect(said.stderr).toContain("Debian packages python3, make and g++");
    expect(said.stderr).toContain("gyp ERR! find Python");
    fs.writeFileSync(path.join(root, "compiler"), "good");
    expect(ensure(root).status).toBe(0);
  });

  it("says so when the compiled binary does not load", () => {
    const said = ensure(checkout({ compiler: "for another machine" }));
    expect(said.status).toBe(1);
    expect(said.stderr).toContain("invalid ELF header");
    expect(said.stderr).toContain("Debian packages python3, make and g++");
  });

  it("lets one of two starts install and the other wait", async () => {
    const root = checkout();
    const start = () =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, [path.join(root, "tools/ensure.mjs")], {
          env: environment(),
          stdio: "ignore",
        });
        child.once("close", resolve);
      });
    expect(await Promise.all([start(), start()])).toEqual([0, 0]);
    expect(lines(root, "compiled.log")).toHaveLength(1);
  });

  it("takes over the lock of a start that was killed", () => {
    const root = installed();
    const dead = spawnSync(process.execPath, [
      "-e",
      "process.stdout.write(`${process.pid} ${require('os').hostname()}`)",
    ]);
    fs.mkdirSync(path.join(root, ".ensure-lock"));
    fs.writeFileSync(path.join(root, ".ensure-lock/owner"), dead.stdout);
    expect(ensure(root).status).toBe(0);
  });

  it("stops with the compiler's exit", () => {
    const said = ensure(installed({ "deps/typescript/bin/tsc": "process.exitCode = 2;" }));
    expect(said.status).toBe(1);
    expect(said.stderr).toContain("do not compile");
  });
});
