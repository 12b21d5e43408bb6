/**
 * @module Runs a program that lives in a folder with a lock file of its own: `node tools/apart.mjs FOLDER FILE [ARGUMENT ...]`.
 *
 * Such a folder is not part of the workspace, so that no clone pays for its packages: they are installed the first time
 * that its program is asked for, and again when its lock file or the Node version changes. Node built-ins only.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** What an installation in `folder` depends on. */
function wantedStamp(folder) {
  const lock = fs.readFileSync(path.join(folder, "package-lock.json"));
  return `${createHash("sha256").update(lock).digest("hex")} ${process.versions.modules} ${process.platform} ${process.arch}\n`;
}

/** The environment without what the outer npm would change in the installation. */
function cleanEnvironment() {
  const isInherited = (name) => /^npm_config_/i.test(name) || name.toUpperCase() === "NODE_ENV";
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isInherited(name)));
}

/** Installs what the lock file of `folder` lists, unless it is there. */
function install(folder) {
  const stampFile = path.join(folder, "node_modules", ".tessera-stamp");
  const wanted = wantedStamp(folder);
  if (fs.existsSync(stampFile) && fs.readFileSync(stampFile, "utf8") === wanted) return true;
  process.stderr.write(`Installing what ${path.relative(ROOT, folder)} needs with npm ci: about a minute.\n`);
  const npm = process.env["npm_execpath"];
  const [file, prefix] = npm?.endsWith("npm-cli.js") ? [process.execPath, [npm]] : ["npm", []];
  const { status } = spawnSync(file, [...prefix, "ci", "--include=dev"], {
    cwd: folder,
    env: cleanEnvironment(),
    shell: process.platform === "win32" && prefix.length === 0,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) return false;
  fs.mkdirSync(path.dirname(stampFile), { recursive: true });
  fs.writeFileSync(stampFile, wanted);
  return true;
}

const [name, program, ...rest] = process.argv.slice(2);
if (name === undefined || program === undefined) {
  process.stderr.write("node tools/apart.mjs FOLDER FILE [ARGUMENT ...]\n");
  process.exitCode = 2;
} else if (install(path.resolve(ROOT, name))) {
  const file = path.resolve(ROOT, name, program);
  const { status, signal } = spawnSync(process.execPath, [file, ...rest], { cwd: ROOT, stdio: "inherit" });
  process.exitCode = status ?? (signal === null ? 1 : 130);
} else {
  process.stderr.write(`npm ci in ${name} failed; the lines above say why.\n`);
  process.exitCode = 2;
}
