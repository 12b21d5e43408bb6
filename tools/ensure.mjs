/**
 * @module Makes a checkout ready to run: dependencies installed, SQLite's binary proved, sources compiled.
 *
 * `node tools/ensure.mjs`, run by `npm start` and `npm test`. Node built-ins only, since it runs before anything
 * is installed. A stamp in node_modules says for which lock file and which Node the installation was made; while
 * it matches, a call costs one child process and a `tsc -b` with nothing to do.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { withDirectoryLock } from "./directory-lock.mjs";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const STAMP_FILE = path.join(ROOT, "node_modules", ".tessera-stamp.json");
const SQLITE = "better-sqlite3";
const SQLITE_BINARY = path.join(ROOT, "node_modules", SQLITE, "build", "Release", "better_sqlite3.node");
const NODE_MIN = [20, 19];
const STILL_WORKING_MS = 30_000;

/** Trouble that the user can act on: printed without a stack. */
class Unready extends Error {}

const say = (line) => process.stderr.write(`${line}\n`);

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNewEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isNewEnough) return;
  throw new Unready(`Tessera needs Node ${NODE_MIN.join(".")} or newer; this is ${process.versions.node}.`);
}

/** What the installation depends on. `sqlite` is the checksum of the package that holds native code. */
function wantedStamp() {
  const lock = fs.readFileSync(path.join(ROOT, "package-lock.json"));
  return {
    lock: createHash("sha256").update(lock).digest("hex"),
    sqlite: JSON.parse(lock).packages?.[`node_modules/${SQLITE}`]?.integrity ?? "none",
    modules: process.versions.modules,
    platform: process.platform,
    arch: process.arch,
  };
}

function readStamp() {
  try {
    return JSON.parse(fs.readFileSync(STAMP_FILE, "utf8"));
  } catch {
    return undefined;
  }
}

const differing = (a, b) => Object.keys(a).filter((key) => a[key] !== b?.[key]);

/** The environment without what an outer npm or a production setting would change in the installation. */
function cleanEnvironment() {
  const isInherited = (name) => /^npm_config_/i.test(name) || name.toUpperCase() === "NODE_ENV";
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isInherited(name)));
}

function npmCommand() {
  const outer = process.env["npm_execpath"];
  const isNpm = outer !== undefined && path.basename(outer) === "npm-cli.js" && fs.existsSync(outer);
  if (isNpm) return { file: process.execPath, prefix: [outer], shell: false };
  return { file: "npm", prefix: [], shell: process.platform === "win32" };
}

/** Runs npm; says every half minute that it is still at work; keeps the end of its output for a failure. */
function npm(args) {
  const { file, prefix, shell } = npmCommand();
  return new Promise((resolve) => {
    const child = spawn(file, [...prefix, ...args], {
      cwd: ROOT,
      env: cleanEnvironment(),
      shell,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const startedMs = Date.now();
    const ticker = setInterval(() => {
      say(`  still working (${Math.round((Date.now() - startedMs) / 1000)} s) ...`);
    }, STILL_WORKING_MS);
    const stop = (signal) => {
      child.kill(signal);
      process.exitCode = 1;
    };
    process.once("SIGINT", stop).once("SIGTERM", stop);
    let output = "";
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const finish = (ok, extra) => {
      clearInterval(ticker);
      process.off("SIGINT", stop).off("SIGTERM", stop);
      resolve({ ok, output: output + extra });
    };
    child.once("error", (error) => finish(false, String(error)));
    child.once("close", (code, signal) =>
      finish(code === 0, signal === null ? "" : `\nnpm ended by ${signal}`),
    );
  });
}

/** Opens an in-memory database in a child process: a wrong binary may not only throw but crash. */
function sqliteTrouble() {
  const program = `
    try {
      const load = require("node:module").createRequire(${JSON.stringify(path.join(ROOT, "package.json"))});
      const database = new (load("${SQLITE}"))(":memory:");
      if (database.prepare("select 40 + 2 as answer").get().answer !== 42) throw new Error("wrong answer");
      database.close();
    } catch (error) {
      console.error(String(error.message).split("\\n")[0]);
      process.exitCode = 1;
    }`;
  const child = spawnSync(process.execPath, ["-e", program], {
    cwd: ROOT,
    encoding: "utf8",
    env: cleanEnvironment(),
  });
  if (child.status === 0) return undefined;
  return child.signal === null ? child.stderr.trim() : `the child process was ended by ${child.signal}`;
}

/** A message that names what is missing; Debian's names, since other systems use nearly the same. */
function sqliteUnready(trouble) {
  const isAbsent = (command) => spawnSync(command, ["--version"], { stdio: "ignore" }).status !== 0;
  const absent = ["python3", "make", "g++"].filter(isAbsent);
  const advice =
    absent.length > 0
      ? `Missing here: ${absent.join(" ")}. On Debian or Ubuntu: apt-get install -y ${absent.join(" ")}`
      : "All three are here, so the reason is in the lines above.";
  return new Unready(
    `${tail(trouble)}\n\nSQLite's binding (${SQLITE}) does not load. Where no prebuilt binary can be downloaded it is\n` +
      `compiled during installation, which needs the Debian packages python3, make and g++. ${advice}\n` +
      "Then run the same command again.",
  );
}

const tail = (text) => text.trim().split("\n").slice(-25).join("\n");

/**
 * If only the lock changed but not SQLite's package, the compiled binary stays valid: hold it in memory (2 MB)
 * over `npm ci`, which deletes node_modules, and skip the compilation. It is proved afterwards like any other.
 */
function keepableBinary(stamp, wanted) {
  const isSameSqlite = wanted.sqlite !== "none" && !differing(wanted, stamp).some((key) => key !== "lock");
  if (!isSameSqlite || !fs.existsSync(SQLITE_BINARY)) return undefined;
  const packages = JSON.parse(fs.readFileSync(path.join(ROOT, "package-lock.json"), "utf8")).packages;
  const scripted = Object.keys(packages).filter(
    (key) => packages[key].hasInstallScript && !packages[key].optional,
  );
  return scripted.join() === `node_modules/${SQLITE}` ? fs.readFileSync(SQLITE_BINARY) : undefined;
}

async function install(stamp, wanted) {
  const why =
    stamp === undefined ? "nothing is installed yet" : `changed: ${differing(wanted, stamp).join(", ")}`;
  const binary = keepableBinary(stamp, wanted);
  const duration =
    binary === undefined
      ? "about a minute, two to five where SQLite has to be compiled"
      : "under a minute, SQLite's compiled binary is kept";
  say(`Installing the dependencies of package-lock.json with npm ci (${why}): ${duration}.`);
  fs.rmSync(STAMP_FILE, { force: true });
  const ci = await npm(["ci", "--include=dev", ...(binary === undefined ? [] : ["--ignore-scripts"])]);
  if (!ci.ok) {
    if (/gyp ERR!|npm error path .*better-sqlite3/.test(ci.output)) throw sqliteUnready(ci.output);
    throw new Unready(`${tail(ci.output)}\n\nnpm ci failed; the lines above say why.`);
  }
  if (binary !== undefined) {
    fs.mkdirSync(path.dirname(SQLITE_BINARY), { recursive: true });
    fs.writeFileSync(SQLITE_BINARY, binary);
  }
}

/** Proves SQLite's binary; a broken or missing one is rebuilt once. */
async function proveSqlite(isFresh) {
  const trouble = sqliteTrouble();
  if (trouble === undefined) return;
  if (isFresh && !fs.existsSync(SQLITE_BINARY)) say("SQLite's binary is missing although npm ci succeeded.");
  say(`SQLite's binary does not load; building it again with npm rebuild ${SQLITE}: up to five minutes.`);
  const rebuilt = await npm(["rebuild", SQLITE, "--ignore-scripts=false"]);
  const remaining = sqliteTrouble();
  if (remaining !== undefined) throw sqliteUnready(`${rebuilt.ok ? "" : rebuilt.output}\n${remaining}`);
}

function compile() {
  const manifest = createRequire(path.join(ROOT, "package.json")).resolve("typescript/package.json");
  const tsc = path.join(path.dirname(manifest), "bin", "tsc");
  const child = spawnSync(process.execPath, [tsc, "-b"], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (child.status !== 0) throw new Unready("The sources do not compile; the lines above say where.");
}

async function ensure() {
  requireNode();
  await withDirectoryLock({ directory: path.join(ROOT, ".ensure-lock"), say }, async () => {
    const wanted = wantedStamp();
    const stamp = readStamp();
    const isFresh = differing(wanted, stamp).length > 0;
    if (isFresh) await install(stamp, wanted);
    await proveSqlite(isFresh);
    if (isFresh) fs.writeFileSync(STAMP_FILE, `${JSON.stringify(wanted, null, 2)}\n`);
    compile();
  });
}

try {
  await ensure();
} catch (error) {
  if (!(error instanceof Unready)) throw error;
  say(error.message);
  process.exitCode = 1;
}
