/**
 * @module The reference of every package as Markdown in `.reports/api`: `npm run docs:api`. Installs what it needs in this
 * folder, by its own lock file, the first time.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

const HERE = import.meta.dirname;
const ROOT = path.resolve(HERE, "../..");
const PACKAGES = ["core", "gateways", "proofs", "persist", "engine", "interchange"];

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(path.join(HERE, "node_modules", "typedoc"))) run("npm", ["ci"], HERE);
run(
  process.execPath,
  [
    path.join(HERE, "node_modules", "typedoc", "bin", "typedoc"),
    "--plugin",
    path.join(HERE, "node_modules", "typedoc-plugin-markdown", "dist", "index.js"),
    "--out",
    path.join(ROOT, ".reports", "api"),
    "--tsconfig",
    path.join(ROOT, "tsconfig.tests.json"),
    "--skipErrorChecking",
    "--readme",
    "none",
    ...["@definition", "@refines", "@nonformal", "@module", "@throws", "@see", "@example"].flatMap((tag) => [
      "--blockTags",
      tag,
    ]),
    ...PACKAGES.map((name) => path.join(ROOT, "packages", name, "src", "index.ts")),
  ],
  ROOT,
);
