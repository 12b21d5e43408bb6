/**
 * @module `npm run test:matrix -- [22|24 ...] [FILTER ...]`: the suite on newer Node versions than the oldest supported one.
 *
 * SQLite's binding is compiled for one Node version, so the suite runs in a copy of the tree whose node_modules links to
 * everything that is installed but puts better-sqlite3 13 in the place of 12: one prebuilt binary for both versions.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const HERE = import.meta.dirname;
const ROOT = path.resolve(HERE, "../..");
const VERSIONS = ["22", "24"];
const NOT_COPIED = new Set(["node_modules", "dist", ".git", "coverage", ".reports", ".stryker-tmp"]);

/** Test files that cannot run on these versions, with the reason that is printed. */
const LEFT_OUT = {
  "tests/tools/ensure.test.ts":
    "installs the pinned better-sqlite3 12, whose binary is compiled for the running Node",
};

/** The binary of a version: a package of this folder. */
function binaryOf(version) {
  const file = path.join(
    HERE,
    "node_modules",
    `node${version}-${process.platform}-${process.arch}`,
    "bin",
    "node",
  );
  if (!fs.existsSync(file)) {
    throw new Error(
      `no Node ${version} for ${process.platform} ${process.arch} here; name one with --node PATH`,
    );
  }
  return file;
}

/** A copy of the tree in a temporary folder, its packages installed as described above. */
function copyTree() {
  const copy = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "tessera-matrix-"));
  fs.cpSync(ROOT, copy, {
    recursive: true,
    filter: (file) => !NOT_COPIED.has(path.basename(file)) && !path.basename(file).startsWith(".ensure-lock"),
  });
  linkModules(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  const sqlite = path.join(copy, "node_modules", "better-sqlite3");
  fs.rmSync(sqlite, { force: true });
  fs.symlinkSync(path.join(HERE, "node_modules", "better-sqlite3"), sqlite, "junction");
  return copy;
}

/** Links to everything in `from`; a link to a package of the workspace becomes one to its copy. */
function linkModules(from, to) {
  fs.mkdirSync(to, { recursive: true });
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.name.startsWith("@") || entry.name === ".bin") linkModules(source, target);
    else if (!entry.isSymbolicLink())
      fs.symlinkSync(source, target, entry.isDirectory() ? "junction" : "file");
    else fs.symlinkSync(fs.readlinkSync(source), target);
  }
}

function runOn(node, filters) {
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  const copy = copyTree();
  const step = (what, ...args) => {
    process.stdout.write(`\n=== Node ${version}: ${what}\n`);
    const { status } = spawnSync(node, args, {
      cwd: copy,
      stdio: "inherit",
      env: { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env["PATH"]}` },
    });
    return status === 0;
  };
  const inModules = (...parts) => path.join(copy, "node_modules", ...parts);
  const excludes = Object.entries(LEFT_OUT).flatMap(([file, reason]) => {
    process.stdout.write(`left out: ${file}: ${reason}\n`);
    return ["--exclude", file];
  });
  try {
    return (
      step("build", inModules("typescript", "bin", "tsc"), "-b") &&
      step("tests", inModules("vitest", "vitest.mjs"), "run", ...excludes, ...filters)
    );
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { node: { type: "string", multiple: true, default: [] } },
});
const named = positionals.filter((argument) => VERSIONS.includes(argument));
const filters = positionals.filter((argument) => !VERSIONS.includes(argument));
try {
  const versions = named.length === 0 && values.node.length === 0 ? VERSIONS : named;
  const binaries = [...versions.map(binaryOf), ...values.node.map((file) => path.resolve(file))];
  const failed = binaries.filter((node) => !runOn(node, filters));
  process.exitCode = failed.length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
