/** @module `tessera audit`: whether the journals say the truth, of some run or of the whole database. */
import { availableParallelism } from "node:os";
import { type AuditFinding, auditDatabase, type DatabaseAudit } from "@tessera/engine";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { openStore, requireFile } from "../open-engine.ts";
import { withEngine } from "./inspect.ts";

/** Flags of the command. */
export interface AuditOptions {
  readonly db: string;
  readonly threads?: number;
  readonly tenant?: string;
  readonly brokenMax?: number;
  readonly timeoutMs?: number;
  readonly json: boolean;
}

/** Databases with fewer runs are audited here: a thread takes longer to begin. */
const RUNS_FOR_THREADS = 500;
const THREADS_MAX = 8;

/** Audits one run, or all runs and graphs of a database in several threads. */
export async function auditCommand(run: string | undefined, options: AuditOptions, io: Io): Promise<number> {
  if (run !== undefined) return auditRun(run, options, io);
  const audit = await auditFile(options, io);
  if (options.json) io.out(JSON.stringify(audit));
  else printAudit(audit, io);
  return exitOf(audit);
}

/** Audits the whole database in a file. Throws UsageError when it is none. */
export async function auditFile(options: Omit<AuditOptions, "json">, io: Io): Promise<DatabaseAudit> {
  const { db, tenant, brokenMax, timeoutMs } = options;
  const worth = await threadsFor(db);
  const audit = await auditDatabase({
    store: {
      module: "@tessera/persist/sqlite",
      name: "sqliteStore",
      args: [{ path: db }, { isReader: true }],
    },
    threads: options.threads ?? worth,
    ...(tenant === undefined ? {} : { tenant }),
    ...(brokenMax === undefined ? {} : { brokenMax }),
    ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
    onProgress: ({ runs, graphs, runsTotal }) =>
      io.progress(`${runs} of ${runsTotal} runs, ${graphs} graphs audited`),
  });
  io.progress("");
  return audit;
}

function exitOf({ isSound, isComplete }: DatabaseAudit): number {
  if (!isSound) return EXIT.fails;
  return isComplete ? EXIT.done : EXIT.unknown;
}

/** How many threads are worth it. Throws UsageError when it is no database. */
async function threadsFor(db: string): Promise<number> {
  requireFile(db);
  const store = openStore(db);
  try {
    const { runs } = await store.counts();
    const total = runs.reduce((sum, { count }) => sum + count, 0);
    return total < RUNS_FOR_THREADS ? 0 : Math.min(THREADS_MAX, availableParallelism());
  } finally {
    await store.close();
  }
}

function printAudit({ broken, first, isComplete, ...audit }: DatabaseAudit, io: Io): void {
  const { runs, graphs, turns, erased, pruned, isSound } = audit;
  for (const part of broken) {
    io.out(`${"run" in part ? part.run : `graph ${part.graph}`}  ${mark.bad(part.verdict)}`);
    for (const finding of part.findings) io.out(`  ${findingText(finding)}`);
  }
  if (first !== null) {
    const where = first.run === null ? `graph ${first.graph}` : first.run;
    io.out(mark.bad(`first: ${where} of tenant ${first.tenant}, ${findingText(first)}`));
  }
  const kept = [
    ...(erased > 0 ? [`${erased} with erasures`] : []),
    ...(pruned > 0 ? [`${pruned} pruned`] : []),
  ];
  const what = `${runs} runs and ${graphs} graphs (${[`${turns} turns`, ...kept].join(", ")})`;
  if (!isComplete) io.out(mark.open(`${what}: the audit is not complete`));
  if (!isSound) io.out(mark.bad("the audit FAILS"));
  else if (isComplete) io.out(mark.good(`${what}: the audit passes`));
}

function findingText({ check, sequence, message }: AuditFinding): string {
  return `${check}${sequence === null ? "" : ` at turn ${sequence}`}: ${message}`;
}

function auditRun(run: string, { db, json, tenant }: AuditOptions, io: Io): Promise<number> {
  return withEngine(db, async ({ engine }) => {
    const audit = await engine.audit({ runs: [run], ...(tenant === undefined ? {} : { tenant }) });
    const parts = [...audit.runs, ...audit.graphs];
    if (audit.runs.length === 0)
      throw new UsageError(`there is no run "${run}"`, "tessera runs --db FILE lists them");
    for (const part of parts) {
      const name = "run" in part ? part.run : `graph ${part.graph}`;
      if (json) io.out(JSON.stringify(part));
      else if (part.verdict !== "ok") io.out(`${name}  ${mark.bad(part.verdict)}`);
      for (const finding of json ? [] : part.findings) io.out(`  ${findingText(finding)}`);
      if (!json && "prunedTo" in part && part.prunedTo > 0)
        io.out(mark.dim(`${name}  pruned up to turn ${part.prunedTo}; checked from there`));
    }
    if (!json)
      io.out(
        audit.isSound ? mark.good(`${run} and its graph: the audit passes`) : mark.bad("the audit FAILS"),
      );
    return audit.isSound ? EXIT.done : EXIT.fails;
  });
}
