/** @module The demo's worker: one process that runs the claim until it rests, ends, or is killed. */
import { join } from "node:path";
import type { PortContext } from "@tessera/engine";
import { eventText } from "../commands/journal.ts";
import { type Io, mark } from "../io.ts";
import { type Opened, openEngine } from "../open-engine.ts";
import { FUNCTIONS, makePorts } from "./handlers.ts";

/** The demo's run. */
export const RUN_ID = "claim-4711";

/** How the worker behaves: a job that takes long, or a person who approves. */
export interface WorkerOptions {
  readonly dir: string;
  readonly slow?: string;
  readonly approve?: boolean;
}

/** Short leases, so that the next process takes a killed one's job up soon; long enough for a machine that is busy. */
const LIMITS = { leaseMs: 2_000 };

/** The demo's engine on the demo's database. */
export function openDemo(
  dir: string,
  options: {
    readonly slow?: string | undefined;
    readonly background: boolean;
    readonly onCall: (node: string, context: PortContext) => void;
  },
): Opened {
  const ports = makePorts({
    effects: join(dir, "effects.jsonl"),
    slowJob: options.slow ?? null,
    slowMs: 60_000,
    onCall: options.onCall,
  });
  return openEngine(join(dir, "demo.db"), {
    background: options.background,
    handlers: { functions: FUNCTIONS, ports },
    limits: LIMITS,
  });
}

/** Says on its stdout what it does: the parent prints that, and kills it at the words it waits for. */
export async function work({ dir, slow, approve }: WorkerOptions, io: Io): Promise<void> {
  const called = new Set<string>();
  const opened = openDemo(dir, {
    slow,
    background: true,
    onCall: (node, { idempotencyKey }) => {
      called.add(node);
      io.out(`port ${node} is called, key ${idempotencyKey}`);
    },
  });
  const run = opened.engine.run(RUN_ID);
  const before = await opened.engine.history(RUN_ID);
  let printed = before.kind === "refused" || slow !== undefined ? 0 : before.events.length;
  for (;;) {
    printed = await printSteps(opened, printed, io);
    const view = await run.state();
    if (view.kind === "refused") throw new Error(view.message);
    if (view.status === "completed" || view.status === "failed" || view.status === "cancelled") break;
    const [task] = (await opened.engine.workItems.list({ run: RUN_ID, kind: "work-item" })).rows;
    if (task !== undefined && approve === true) {
      io.out(`kim completes ${task.node} (${task.id}): approve`);
      await opened.engine.workItems.complete({
        task: task.id,
        by: { id: "kim", groups: ["adjusters"] },
        outcome: "approve",
        data: { approvedBy: "kim" },
      });
    } else if (slow !== undefined && called.has(slow) && view.items.length === 1) {
      io.out(`inside ${slow}: started, not finished`);
    } else if (task !== undefined) {
      io.out(`resting at ${task.node}: ${task.id} waits for ${task.candidateGroups.join(", ")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await printSteps(opened, printed, io);
  await opened.close();
}

async function printSteps({ engine }: Opened, printed: number, io: Io): Promise<number> {
  const history = await engine.history(RUN_ID);
  if (history.kind === "refused") return printed;
  for (const event of history.events.slice(printed))
    io.out(`  ${mark.dim(String(event.sequence).padStart(3))} ${eventText(event)}`);
  return history.events.length;
}
