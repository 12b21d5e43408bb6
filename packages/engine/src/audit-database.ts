/** @module The audit of a whole database: every run and graph of every tenant, in several threads, one report. */
import type { GraphId, RunRow, RunStore, TenantId } from "@tessera/persist";
import type { AuditFinding, GraphAudit, RunAudit } from "./audit.ts";
import { type AuditBatch, type AuditSetup, type BatchAnswer, openBatches } from "./audit-batch.ts";
import { type AuditThreads, auditThreads } from "./audit-threads.ts";

/** What to audit and how. */
export interface DatabaseAuditOptions extends AuditSetup {
  /** Threads beside this one, each with a store of its own (default 0: in this thread). */
  readonly threads?: number;
  /** Only this tenant; all that have runs otherwise. */
  readonly tenant?: TenantId;
  /** Stops at so many runs and graphs that are broken (default 1000). */
  readonly brokenMax?: number;
  /** Stops when it is aborted; what was audited until then is reported. */
  readonly signal?: AbortSignal;
  /** Told now and then how far it is: how many runs and graphs are audited, of how many runs in all. */
  readonly onProgress?: (progress: {
    readonly runs: number;
    readonly graphs: number;
    readonly runsTotal: number;
  }) => void;
}

/** A run or graph that is not whole, or not all there, with its tenant. */
export type AuditedPart = { readonly tenant: TenantId } & (RunAudit | GraphAudit);

/** Where the first thing is wrong, in the order of the report. */
export interface FirstBad extends AuditFinding {
  readonly tenant: TenantId;
  readonly run: string | null;
  readonly graph: string | null;
}

/**
 * The report. The order is that of the tenants by name, then of the runs, newest first, then of the graphs as their
 * first runs come: it does not depend on the threads. `isSound`: nothing that was audited is broken; `isComplete`: all was.
 */
export interface DatabaseAudit {
  readonly kind: "database-audit";
  readonly isSound: boolean;
  readonly isComplete: boolean;
  readonly runs: number;
  readonly graphs: number;
  readonly turns: number;
  readonly erased: number;
  readonly pruned: number;
  readonly broken: readonly AuditedPart[];
  readonly first: FirstBad | null;
}

/** Runs that are listed, and runs or graphs that are audited, at a time. */
const PAGE = 200;
const BATCH = 25;

/**
 * Audits all runs and graphs of a store (D9.13). Others may use it meanwhile. Rejects with what a thread died of.
 * Cost: every journal is read once; with n threads on as many processors about an n-th of the time.
 *
 * @definition D9.19
 */
export async function auditDatabase(options: DatabaseAuditOptions): Promise<DatabaseAudit> {
  const { threads = 0, brokenMax = 1_000, signal } = options;
  const own = await openBatches(options);
  const pool: AuditThreads | null = threads > 0 ? auditThreads(options, threads) : null;
  const report = emptyReport();
  const { onProgress } = options;
  const audit = (batch: AuditBatch) => (pool === null ? own.audit(batch) : pool.audit(batch));
  try {
    const counts = await own.store.counts(options.tenant);
    const runsTotal = counts.runs.reduce((sum, { count }) => sum + count, 0);
    const tenants = [...new Set(counts.runs.map(({ tenant }) => tenant))].sort();
    const isComplete = await inOrder(
      batchesOf(own.store, tenants),
      audit,
      2 * Math.max(1, threads),
      (answer) => {
        addTo(report, answer, brokenMax);
        onProgress?.({ runs: report.runs, graphs: report.graphs, runsTotal });
        return report.broken.length < brokenMax && signal?.aborted !== true;
      },
    );
    return {
      ...report,
      kind: "database-audit",
      isSound: report.broken.length === 0,
      isComplete,
      first: firstOf(report.broken),
    };
  } finally {
    await pool?.close();
    await own.close();
  }
}

/** The batches in the order of the report: of each tenant the runs, then the graphs that they write. */
async function* batchesOf(store: RunStore, tenants: readonly TenantId[]): AsyncGenerator<AuditBatch> {
  for (const tenant of tenants) {
    const graphs = new Set<GraphId>();
    let rows: RunRow[] = [];
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = await store.runs({ tenant, limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const row of page.rows) {
        graphs.add(row.graph);
        rows.push(row);
        if (rows.length < BATCH) continue;
        yield { kind: "runs", tenant, rows };
        rows = [];
      }
      after = page.next ?? undefined;
      isMore = page.next !== null;
    }
    if (rows.length > 0) yield { kind: "runs", tenant, rows };
    const all = [...graphs];
    for (let at = 0; at < all.length; at += BATCH)
      yield { kind: "graphs", tenant, graphs: all.slice(at, at + BATCH) };
  }
}

/**
 * Works on what `source` gives, at most `ahead` at a time, and takes the answers in the order of the source. False when
 * `take` wanted no more and something was left.
 */
async function inOrder<T, A>(
  source: AsyncGenerator<T>,
  work: (task: T) => Promise<A>,
  ahead: number,
  take: (answer: A) => boolean,
): Promise<boolean> {
  const waiting: Promise<A>[] = [];
  try {
    for (let isOver = false; ; ) {
      while (!isOver && waiting.length < ahead) {
        const next = await source.next();
        if (next.done === true) isOver = true;
        else {
          const answer = work(next.value);
          // Whoever awaits it hears of it; until then it must not be unheard.
          answer.catch(() => undefined);
          waiting.push(answer);
        }
      }
      const first = waiting.shift();
      if (first === undefined) return true;
      if (!take(await first)) {
        const isLast = waiting.length === 0 && (isOver || (await source.next()).done === true);
        return isLast;
      }
    }
  } finally {
    await Promise.allSettled(waiting);
    await source.return(undefined);
  }
}

type Report = { -readonly [K in "runs" | "graphs" | "turns" | "erased" | "pruned"]: number } & {
  readonly broken: AuditedPart[];
};

function emptyReport(): Report {
  return { runs: 0, graphs: 0, turns: 0, erased: 0, pruned: 0, broken: [] };
}

/** Adds what a batch came to, up to the last broken part that is wanted. */
function addTo(report: Report, { tenant, runs, graphs }: BatchAnswer, brokenMax: number): void {
  for (const part of [...runs, ...graphs]) {
    if (report.broken.length >= brokenMax) return;
    if ("run" in part) {
      report.runs += 1;
      report.turns += part.turns;
      report.pruned += part.prunedTo > 0 ? 1 : 0;
    } else report.graphs += 1;
    report.erased += part.verdict === "erased" ? 1 : 0;
    if (part.verdict === "broken") report.broken.push({ tenant, ...part });
  }
}

/** The earliest finding of the first broken part; one of the whole comes after those of turns. */
function firstOf(broken: readonly AuditedPart[]): FirstBad | null {
  const [part] = broken;
  if (part === undefined) return null;
  const place = ({ sequence }: AuditFinding): number => sequence ?? Number.POSITIVE_INFINITY;
  const [finding] = [...part.findings].sort((a, b) =>
    place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0,
  );
  if (finding === undefined) return null;
  const names = "run" in part ? { run: part.run, graph: null } : { run: null, graph: part.graph };
  return { tenant: part.tenant, ...names, ...finding };
}
