/** @module `tessera demo`: the main job from end to end, with two kills by SIGKILL. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Json, type JsonObject, jsonEqual } from "@tessera/core";
import type { ObligationVerdict } from "@tessera/engine";
import { CLAIM, PAYMENT } from "../demo/claim.ts";
import { openDemo, RUN_ID, type WorkerOptions, work } from "../demo/worker.ts";
import { EXIT, type Io, mark } from "../io.ts";
import { checkCommand } from "./check.ts";
import { OBLIGATIONS } from "./check-report.ts";
import { statusLine } from "./lines.ts";
import { runCommand } from "./run.ts";

/** Where the demo keeps its files, and the foreign net of its second part. */
export interface DemoOptions {
  readonly dir?: string;
  readonly net?: string;
}

/** What the claim starts with: injured, nothing stolen. */
const CLAIM_DATA: JsonObject = { damage: 12_000, injuries: true, theft: false };

/** Runs the whole demo. Exit 0 only if every part came out as it must. */
export async function demoCommand(options: DemoOptions, io: Io): Promise<number> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), "tessera-demo-")));
  try {
    const isProved = await proveAndStart(dir, io);
    const isRun = isProved && (await killTwice(dir, io));
    const isTrue = isRun && (await lookBack(dir, io));
    const isForeign = isTrue && (await foreignNet(dir, options.net ?? exampleNet(), io));
    heading(io, isForeign ? "Everything came out as it must." : "The demo FAILED.");
    return isForeign ? EXIT.done : EXIT.fails;
  } finally {
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
  }
}

/** The hidden command of the demo's child processes. */
export async function demoWorkerCommand(options: WorkerOptions, io: Io): Promise<number> {
  await work(options, io);
  return EXIT.done;
}

async function proveAndStart(dir: string, io: Io): Promise<boolean> {
  heading(io, "1  A hybrid process is proved before it may run");
  io.out(
    "   claim: an AND block, an OR block, an embedded subprocess with a timer, a governed loop around an agent,",
  );
  io.out("   a human approval, a called workflow");
  const opened = openDemo(dir, { background: false, onCall: () => {} });
  try {
    for (const definition of [PAYMENT, CLAIM]) {
      const deployed = await opened.engine.deploy(definition);
      if (deployed.kind === "refused") {
        io.out(mark.bad(deployed.message));
        return false;
      }
      io.out(`   ${mark.strong(definition.id)} ${mark.dim(deployed.hash)}`);
      for (const line of deployed.obligations.filter(({ id }) => id.startsWith("O")))
        io.out(`     ${obligationText(line)}`);
    }
    const started = await opened.engine.start({
      workflow: "claim",
      id: RUN_ID,
      data: CLAIM_DATA,
      businessKey: "policy 815",
    });
    io.out(`   started ${RUN_ID} with ${JSON.stringify(CLAIM_DATA)}`);
    return started.kind === "started";
  } finally {
    await opened.close();
  }
}

function obligationText({ id, verdict, method }: ObligationVerdict): string {
  const shown = verdict === "holds" ? mark.good("holds") : mark.bad(verdict);
  return `${id.padEnd(4)} ${(OBLIGATIONS[id] ?? "").padEnd(26)} ${shown}  ${mark.dim(method)}`;
}

async function killTwice(dir: string, io: Io): Promise<boolean> {
  heading(io, "2  It runs on SQLite (WAL, synchronous FULL); the process is killed inside a job");
  if (!(await runWorker(dir, ["--slow", "fraud"], /^inside fraud/u, io))) return false;
  heading(
    io,
    "3  A new process takes over, repeats only the call that was cut off, and is killed while it rests",
  );
  if (!(await runWorker(dir, [], /^resting at approve/u, io))) return false;
  heading(io, "4  A third process: the adjuster approves, the payment runs as a called workflow");
  return runWorker(dir, ["--approve"], null, io);
}

/** Runs a worker; at the first line that `killAt` matches it is killed with SIGKILL. True if it came out so. */
async function runWorker(
  dir: string,
  flags: readonly string[],
  killAt: RegExp | null,
  io: Io,
): Promise<boolean> {
  const bin = fileURLToPath(new URL("../../bin/tessera.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "demo-worker", "--dir", dir, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let isKilled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (isKilled) continue;
    io.out(`   ${line}`);
    if (killAt?.test(line) !== true) continue;
    isKilled = child.kill("SIGKILL");
    io.out(mark.bad(`   SIGKILL to process ${child.pid}`));
  }
  const end = await ended(child);
  return killAt === null ? end === "exit 0" : end === "SIGKILL";
}

function ended(child: ChildProcess): Promise<string> {
  if (child.exitCode !== null) return Promise.resolve(`exit ${child.exitCode}`);
  if (child.signalCode !== null) return Promise.resolve(child.signalCode);
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? `exit ${code}`)));
}

async function lookBack(dir: string, io: Io): Promise<boolean> {
  heading(io, "5  What is left: the final state, replayed from the journal, and the audit");
  const opened = openDemo(dir, { background: false, onCall: () => {} });
  try {
    const stored = await opened.engine.run(RUN_ID).state();
    const replayed = await opened.engine.replay(RUN_ID);
    const audit = await opened.engine.audit();
    if (stored.kind === "refused" || replayed.kind === "refused") return false;
    io.out(`   ${statusLine(stored)}`);
    io.out(`   data     ${JSON.stringify(stored.data)}`);
    io.out(`   marking  ${JSON.stringify(stored.marking)}`);
    const isSame = jsonEqual(stored as unknown as Json, replayed as unknown as Json);
    io.out(`   replay   ${isSame ? mark.good("equal to the stored state") : mark.bad("DIFFERENT")}`);
    io.out(
      `   audit    ${audit.isSound ? mark.good("passes") : mark.bad("FAILS")} (${audit.runs.length} runs)`,
    );
    const isOnce = await effectsOnce(dir, io);
    return (
      stored.status === "completed" && stored.outcomes.includes("paid") && isSame && audit.isSound && isOnce
    );
  } finally {
    await opened.close();
  }
}

/** The file outside the database: the cut-off call stands there twice, under one key; every other call once. */
async function effectsOnce(dir: string, io: Io): Promise<boolean> {
  const lines = (await readFile(join(dir, "effects.jsonl"), "utf8")).trim().split("\n");
  const calls = lines.map((line) => JSON.parse(line) as { readonly node: string; readonly key: string });
  const keys = new Set(calls.map(({ key }) => key));
  const twice = [...keys].filter((key) => calls.filter((call) => call.key === key).length > 1);
  const names = twice.map((key) => calls.find((call) => call.key === key)?.node);
  io.out(
    `   effects  ${calls.length} calls under ${keys.size} idempotency keys; repeated after the kill: ${names.join(", ")}`,
  );
  return names.length === 1 && names[0] === "fraud";
}

async function foreignNet(dir: string, net: string | null, io: Io): Promise<boolean> {
  if (net === null) return true;
  heading(io, "6  A net from elsewhere is imported, proved, and run to its end on SQLite");
  const proved = await checkCommand(net, { json: false }, io);
  if (proved !== EXIT.done) return false;
  return (await runCommand(net, { db: join(dir, "nets.db"), waitMs: 5_000, json: false }, io)) === EXIT.done;
}

/** The net that ships with the repository; none in an installed package. */
function exampleNet(): string | null {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..");
  const net = join(root, "examples", "nets", "order-fulfilment.pnml");
  return existsSync(net) ? net : null;
}

function heading(io: Io, text: string): void {
  io.out("");
  io.out(mark.strong(text));
}
