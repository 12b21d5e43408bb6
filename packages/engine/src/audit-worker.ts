/** @module What a thread of the audit runs: batches come as messages, and are answered in their order. */
import { parentPort, workerData } from "node:worker_threads";
import { type AuditBatch, type AuditSetup, openBatches } from "./audit-batch.ts";

const opened = openBatches(workerData as AuditSetup);
let last: Promise<void> = Promise.resolve();

parentPort?.on("message", (batch: AuditBatch) => {
  last = last.then(async () => {
    const { audit } = await opened;
    parentPort?.postMessage(await audit(batch));
  });
});
