/** @module `tessera check` of many files in threads: each takes the next file, and what it said is printed in the order of the files. */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { CheckCommand } from "./check.ts";

/** What a check of a file said: the lines, and the worst exit code. */
export interface Said {
  readonly lines: readonly string[];
  readonly exit: number;
}

/** What a thread answers; `fault`: what it was thrown, which is a bug. */
export type Answer = { readonly said: Said } | { readonly fault: string };

/** The file that a thread runs is always the built one: Node itself loads it. */
const WORKER = createRequire(import.meta.url).resolve("@tessera/cli/check-worker");

/** Checks `files` in `count` threads; yields what was said, in their order. Rejects with what a thread died of. */
export async function* checkInThreads(
  files: readonly string[],
  options: CheckCommand,
  count: number,
  isColoured: boolean,
): AsyncGenerator<Said> {
  const { FORCE_COLOR: _, ...environment } = process.env;
  // A thread has no terminal of its own to look at.
  const env = isColoured ? { ...environment, FORCE_COLOR: "1" } : environment;
  const workers = Array.from(
    { length: count },
    () => new Worker(WORKER, { workerData: options, env, execArgv: [] }),
  );
  const answers = files.map(pending);
  let next = 0;
  for (const worker of workers) {
    let at = 0;
    const take = (): void => {
      at = next;
      next += 1;
      if (at < files.length) worker.postMessage(files[at]);
    };
    worker.on("message", (answer: Answer) => {
      if ("said" in answer) answers[at]?.resolve(answer.said);
      else answers[at]?.reject(new Error(answer.fault));
      take();
    });
    worker.on("error", (fault) => answers[at]?.reject(fault));
    worker.on("exit", () => answers[at]?.reject(new Error(`a thread ended at ${files[at]}`)));
    take();
  }
  try {
    for (const { promise } of answers) yield await promise;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

interface Pending {
  readonly promise: Promise<Said>;
  readonly resolve: (said: Said) => void;
  readonly reject: (fault: unknown) => void;
}

function pending(): Pending {
  let settle: Omit<Pending, "promise"> | undefined;
  const promise = new Promise<Said>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // A fault is told when this answer is waited for: it must not end the program before.
  promise.catch(() => undefined);
  return { promise, ...(settle as Omit<Pending, "promise">) };
}
