/** @module What a thread of `tessera check` runs: files come as messages, one at a time, and are answered by what is to be printed. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type CheckCommand, saidOf } from "./commands/check.ts";
import type { Answer } from "./commands/check-threads.ts";

function serve(port: MessagePort): void {
  const options = workerData as CheckCommand;
  port.on("message", async (file: string) => {
    const answer: Answer = await saidOf(file, options).then(
      (said) => ({ said }),
      (fault: unknown) => ({
        fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault),
      }),
    );
    port.postMessage(answer);
  });
}

if (parentPort !== null) serve(parentPort);
