/** @module Threads that audit: batches go to whichever has least to do. */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { AuditBatch, AuditSetup, BatchAnswer } from "./audit-batch.ts";

/** Threads that take batches. */
export interface AuditThreads {
  /** Rejects with what the thread died of. */
  readonly audit: (batch: AuditBatch) => Promise<BatchAnswer>;
  /** Ends the threads. */
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly resolve: (answer: BatchAnswer) => void;
  readonly reject: (fault: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Batches that it has, oldest first: it answers them in this order. */
  readonly batches: Waiting[];
  fault: unknown;
}

/** The file that a thread runs is always the built one: Node itself loads it. */
const WORKER = createRequire(import.meta.url).resolve("@tessera/engine/audit-worker");

/** Starts `count` threads. */
export function auditThreads({ store, registrations }: AuditSetup, count: number): AuditThreads {
  const setup: AuditSetup = { store, ...(registrations === undefined ? {} : { registrations }) };
  const threads = Array.from({ length: count }, () => startThread(setup));
  return {
    audit: (batch) =>
      new Promise((resolve, reject) => {
        const thread = threads.reduce((least, each) =>
          each.batches.length < least.batches.length ? each : least,
        );
        if (thread.fault !== null) {
          reject(thread.fault);
          return;
        }
        thread.batches.push({ resolve, reject });
        thread.worker.postMessage(batch);
      }),
    close: async () => {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

function startThread(setup: AuditSetup): Thread {
  const worker = new Worker(WORKER, { workerData: setup, execArgv: [] });
  const thread: Thread = { worker, batches: [], fault: null };
  const die = (fault: unknown): void => {
    thread.fault ??= fault;
    for (const { reject } of thread.batches.splice(0)) reject(thread.fault);
  };
  worker.on("message", (answer: BatchAnswer) => thread.batches.shift()?.resolve(answer));
  worker.on("error", die);
  worker.on("exit", () => die(new Error("a thread of the audit has ended")));
  return thread;
}
