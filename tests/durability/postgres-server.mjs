// A PostgreSQL server of its own for a test: in a temporary folder, on a Unix socket, as durable as a real one.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** Where Debian and Ubuntu keep the programs of each major version, out of the PATH. */
const DEBIAN = "/usr/lib/postgresql";
const STARTING_MS = 60_000;
const LEAVING_MS = 2_000;

/** The folder that has initdb and postgres, the newest version first; null where there is none. */
export function postgresPrograms() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = versions.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
  const folders = [
    ...newestFirst.map((version) => join(DEBIAN, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  const isThere = (folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name)));
  return folders.find((folder) => folder !== "" && isThere(folder)) ?? null;
}

/**
 * May a suite on PostgreSQL run here? Prints why not. Where every test must run (CI=true) a missing server is a failure.
 *
 * @param {string} suite
 * @param {string | null} programs
 */
export function hasPostgres(suite, programs = postgresPrograms()) {
  if (programs !== null) return true;
  const reason = `${suite}: there is no PostgreSQL server here (Debian and Ubuntu: apt-get install postgresql)`;
  if (process.env.CI === "true") throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  return false;
}

/** initdb and the server refuse to run as root: then they run as the user that Debian's package makes. */
function runAs() {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option) => {
    const { status, stdout } = spawnSync("id", [option, "postgres"], { encoding: "utf8" });
    if (status !== 0) throw new Error("run by root, the server needs a user named postgres");
    return Number(stdout);
  };
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/**
 * Starts a server. `connection` is what a client of `pg` takes; `pid` that of the server. `kill` ends it by SIGKILL, as a
 * crash does, and waits until all of it is gone; `restart` starts it again on the same files. `stop` ends it and clears away.
 */
export async function startPostgres() {
  const programs = postgresPrograms();
  if (programs === null) throw new Error("there is no PostgreSQL server here");
  const user = runAs();
  const root = mkdtempSync(join(tmpdir(), "tessera-postgres-"));
  if (user.uid !== undefined) chownSync(root, user.uid, user.gid);
  const data = join(root, "data");
  const options = { ...user, cwd: root, env: { PATH: process.env.PATH, LC_ALL: "C" } };
  // The tables of the system need not outlive a loss of power; all that follows is flushed.
  const made = ["-D", data, "-U", "tessera", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(programs, "initdb"), made, { ...options, stdio: "ignore" });
  const connection = { host: root, user: "tessera", database: "postgres" };
  let server;
  let log = "";
  const start = async () => {
    log = "";
    // Flushing is left as it is by default, on: what the command line sets, a test could not change later.
    const settings = ["listen_addresses=", "max_connections=60"];
    const args = ["-D", data, "-k", root, ...settings.flatMap((setting) => ["-c", setting])];
    server = spawn(join(programs, "postgres"), args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    server.ended = new Promise((resolve) => server.once("exit", resolve));
    server.stderr.on("data", (text) => {
      log = (log + text).slice(-4_000);
    });
    for (const endMs = Date.now() + STARTING_MS; ; await sleep(50)) {
      if (await answers(connection)) return;
      if (server.exitCode !== null || Date.now() > endMs)
        throw new Error(`the server did not start:\n${log}`);
    }
  };
  const end = async (signal) => {
    server.kill(signal);
    await server.ended;
  };
  try {
    await start();
  } catch (error) {
    server?.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
    throw error;
  }
  return {
    connection,
    get pid() {
      return server.pid;
    },
    kill: async () => {
      await end("SIGKILL");
      // Its children end by themselves as soon as they notice; until then the files are in use.
      for (const endMs = Date.now() + STARTING_MS; isInUse(root) && Date.now() < endMs; ) await sleep(20);
    },
    restart: start,
    stop: async () => {
      // First those that are connected may go: a client that is just closing would be told of an end to which nobody listens.
      server.kill("SIGTERM");
      await Promise.race([server.ended, sleep(LEAVING_MS)]);
      await end("SIGINT");
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function answers(connection) {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Does a process still have the folder of a killed server as its own? */
function isInUse(root) {
  if (!existsSync("/proc")) return false;
  const folderOf = (pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      return "";
    }
  };
  return readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && folderOf(pid).startsWith(root));
}
