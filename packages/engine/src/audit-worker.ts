/** @module What a thread of the audit runs: batches come as messages, and are answered in their order. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type AuditBatch, type AuditSetup, openBatches } from "./audit-batch.ts";

function serve(port: MessagePort): void {
  const opened = openBatches(workerData as AuditSetup);
  let last: Promise<void> = Promise.resolve();
  port.on("message", (batch: AuditBatch) => {
    last = last.then(async () => {
      const { audit } = await opened;
      port.postMessage(await audit(batch));
    });
  });
}

if (parentPort !== null) serve(parentPort);
