// npm run power-loss -- [--images N] [--groups G] [--seed S]
// Records every write and flush of a process that commits (strace), and builds images that a power cut could leave: each
// file as of its last flush, plus any subset of the 4 KiB pieces that were written since. Opens each: SQLite's own check
// and the chains must hold, and every commit that was answered before the cut must be there. The same at synchronous =
// NORMAL must find a loss; otherwise the check could not find one. Exit 1 if either is not so.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { verifyChain } from "@tessera/persist";
import { checkDatabase, sqliteStore } from "@tessera/persist/sqlite";

const CHILD = fileURLToPath(new URL("./power-loss-child.mjs", import.meta.url));
const PIECE = 4_096;
const { values } = parseArgs({
  options: {
    images: { type: "string", default: "1000" },
    groups: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
  },
});
const print = (line) => process.stdout.write(`${line}\n`);
try {
  execFileSync("strace", ["-V"], { stdio: "ignore" });
} catch {
  print("power-loss needs strace, which is not installed");
  process.exit(1);
}

const full = await cutPower("FULL", Number(values.images));
print(`FULL: ${full.images} images of ${full.events} recorded calls, ${full.losses.length} losses`);
for (const loss of full.losses.slice(0, 5)) print(`  LOSS ${loss}`);
const normal = await cutPower("NORMAL", Math.ceil(Number(values.images) / 5));
print(
  `NORMAL: ${normal.images} images, ${normal.losses.length} losses${normal.losses.length > 0 ? `, the first: ${normal.losses[0]}` : ""}`,
);
process.exitCode = full.losses.length === 0 && normal.losses.length > 0 ? 0 : 1;

async function cutPower(level, images) {
  const root = mkdtempSync(join(tmpdir(), "tessera-power-"));
  try {
    const events = record(root, level);
    const random = mulberry32(Number(values.seed));
    // A cut before the tables are there leaves nothing to lose.
    const from = events.findIndex(({ kind }) => kind === "ack");
    if (from === -1) throw new Error("nothing was acknowledged: the recording is empty");
    const losses = [];
    for (let image = 0; image < images; image += 1) {
      const cut = from + 1 + Math.floor(random() * (events.length - from));
      const dir = join(root, "image");
      mkdirSync(dir);
      const loss = await lossOf(dir, events.slice(0, cut), random);
      rmSync(dir, { recursive: true, force: true });
      if (loss !== null) losses.push(`cut after call ${cut}: ${loss}`);
    }
    return { images, events: events.length, losses };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Runs the child under strace; its writes, truncations, flushes and acknowledgements in order. */
function record(root, level) {
  const log = join(root, "trace");
  const path = join(root, "runs.db");
  const calls = "trace=openat,close,pwrite64,ftruncate,fsync,fdatasync,write,unlink";
  const node = [process.execPath, CHILD, path, values.groups, level];
  spawnSync("strace", ["-f", "-e", calls, "-xx", "-s", "1000000", "-o", log, ...node], {
    stdio: ["ignore", "ignore", "inherit"],
    maxBuffer: 1 << 30,
  });
  const files = new Map();
  const events = [];
  for (const line of readFileSync(log, "latin1").split("\n")) {
    const found = /^\d+\s+(\w+)\((.*)\)\s+=\s+(-?\d+)/.exec(line);
    if (found === null || Number(found[3]) < 0) continue;
    const [, call, args, result] = found;
    if (call === "openat") {
      const name = basename(Buffer.from(unhex(/"([^"]*)"/.exec(args)?.[1] ?? "")).toString());
      if (name === "runs.db" || name === "runs.db-wal") files.set(result, name);
      else files.delete(result);
      continue;
    }
    const fd = /^\d+/.exec(args)?.[0];
    const file = files.get(fd);
    if (call === "close") files.delete(fd);
    else if (call === "write" && fd === "1") {
      const text = Buffer.from(unhex(/"([^"]*)"/.exec(args)?.[1] ?? "")).toString();
      for (const [, run, sequence] of text.matchAll(/ack (\S+) (\d+)/g))
        events.push({ kind: "ack", run, sequence: Number(sequence) });
    } else if (file === undefined) continue;
    else if (call === "pwrite64") {
      const offset = Number(/, (\d+)$/.exec(args)?.[1]);
      events.push({ kind: "write", file, offset, bytes: unhex(/"([^"]*)"/.exec(args)?.[1] ?? "") });
    } else if (call === "ftruncate")
      events.push({ kind: "truncate", file, size: Number(/, (\d+)$/.exec(args)?.[1]) });
    else if (call === "fsync" || call === "fdatasync") events.push({ kind: "flush", file });
  }
  return events;
}

function unhex(text) {
  return Buffer.from(text.replaceAll("\\x", ""), "hex");
}

/** Writes one image that the events can leave, opens it, and says what is lost. */
async function lossOf(dir, events, random) {
  const files = new Map();
  for (const name of ["runs.db", "runs.db-wal"]) {
    const mine = events.filter((event) => event.file === name);
    const flushed = mine.findLastIndex(({ kind }) => kind === "flush");
    const size = mine.reduce(
      (max, event) => Math.max(max, event.kind === "write" ? event.offset + event.bytes.length : 0),
      0,
    );
    const bytes = Buffer.alloc(size);
    let length = 0;
    for (const [index, event] of mine.entries()) {
      const isDurable = index < flushed;
      if (event.kind === "truncate" && (isDurable || random() < 0.5)) {
        bytes.fill(0, Math.min(length, event.size));
        length = event.size;
      }
      if (event.kind !== "write") continue;
      // A write is made of pieces, each of which may have reached the disk or not.
      for (let at = 0; at < event.bytes.length; ) {
        const end = Math.min(event.bytes.length, at + PIECE - ((event.offset + at) % PIECE));
        if (isDurable || random() < 0.5) {
          bytes.set(event.bytes.subarray(at, end), event.offset + at);
          length = Math.max(length, event.offset + end);
        }
        at = end;
      }
    }
    files.set(name, bytes.subarray(0, length));
  }
  for (const [name, bytes] of files) writeFileSync(join(dir, name), bytes);
  const promised = new Map();
  for (const { kind, run, sequence } of events) if (kind === "ack") promised.set(run, sequence);
  return opened(join(dir, "runs.db"), promised);
}

async function opened(path, promised) {
  try {
    const { problems } = checkDatabase(path);
    if (problems.length > 0) return problems.join("; ");
    const store = sqliteStore({ path });
    try {
      for (const [run, sequence] of promised) {
        const found = (await store.load("default", run, 0))?.row;
        if ((found?.sequence ?? 0) < sequence) return `${run}@${sequence} was acknowledged and is not there`;
        const chain = verifyChain({ tenant: "default", run }, await store.journal("default", run, 0, 10));
        if (chain.kind === "broken" || chain.head !== found?.head) return `the chain of ${run} is broken`;
      }
    } finally {
      await store.close();
    }
    return null;
  } catch (fault) {
    return String(fault);
  }
}

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
