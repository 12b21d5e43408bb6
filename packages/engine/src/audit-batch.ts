/** @module A part of the audit of a database, with a store of its own: what one thread does. */
import type { GraphId, RunRow, RunStore, TenantId } from "@tessera/persist";
import { auditGraph, auditRun, type GraphAudit, type RunAudit } from "./audit.ts";
import { systemClock } from "./clock.ts";
import { makeHost } from "./host.ts";
import { DEFAULT_ENGINE_LIMITS } from "./limits.ts";
import { loggerWith, SILENT } from "./logger.ts";
import { makeRegistry, type Registrations } from "./registry.ts";

/** A name that a module exports; the module as `import()` takes it: a package, or a URL. */
export interface Exported {
  readonly module: string;
  readonly name: string;
}

/** What each thread opens for itself. */
export interface AuditSetup {
  /** The function that opens the store, and its arguments, which are copied to the threads. */
  readonly store: Exported & { readonly args: readonly unknown[] };
  /** The `Registrations` of the application, where definitions use kinds of its own. */
  readonly registrations?: Exported;
}

/** Runs as they were listed, or graphs, to be audited. */
export type AuditBatch =
  | { readonly kind: "runs"; readonly tenant: TenantId; readonly rows: readonly RunRow[] }
  | { readonly kind: "graphs"; readonly tenant: TenantId; readonly graphs: readonly GraphId[] };

/** What they came to, in their order. */
export interface BatchAnswer {
  readonly tenant: TenantId;
  readonly runs: readonly RunAudit[];
  readonly graphs: readonly GraphAudit[];
}

/** An opened store, and the audit on it. */
export interface Batches {
  readonly store: RunStore;
  readonly audit: (batch: AuditBatch) => Promise<BatchAnswer>;
  readonly close: () => Promise<void>;
}

/** Opens the store and what the audit needs. */
export async function openBatches({ store: opening, registrations }: AuditSetup): Promise<Batches> {
  const open = await imported<(...args: readonly unknown[]) => RunStore | Promise<RunStore>>(opening);
  const given = registrations === undefined ? {} : await imported<Registrations>(registrations);
  const store = await open(...opening.args);
  const host = makeHost({
    store,
    registry: makeRegistry(given),
    clock: systemClock(),
    ids: () => "",
    random: () => 0,
    logger: loggerWith(SILENT, {}),
    limits: DEFAULT_ENGINE_LIMITS,
  });
  return {
    store,
    audit: async (batch) => {
      const runs: RunAudit[] = [];
      const graphs: GraphAudit[] = [];
      if (batch.kind === "runs") for (const row of batch.rows) runs.push(await auditRun(host, row));
      else for (const graph of batch.graphs) graphs.push(await auditGraph(host, batch.tenant, graph));
      return { tenant: batch.tenant, runs, graphs };
    },
    close: () => store.close(),
  };
}

async function imported<T>({ module, name }: Exported): Promise<T> {
  const found = ((await import(module)) as Readonly<Record<string, unknown>>)[name];
  if (found === undefined) throw new TypeError(`${module} exports no ${name}`);
  return found as T;
}
