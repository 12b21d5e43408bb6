/** @module Driving a run from the command line: scripted people answer, jobs and timers are waited for. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RunHandle, RunView, WorkItem } from "@tessera/engine";
import type { Answers } from "../answers.ts";
import { UsageError } from "../io.ts";
import type { Opened } from "../open-engine.ts";

/** How a drive ended: the run's last view, and the items that nobody answered. */
export interface Driven {
  readonly view: RunView;
  readonly open: readonly WorkItem[];
}

/** Between two looks at a run that is busy, in ms. */
const LOOK_MS = 15;

/**
 * Answers the run's open items (and those of the runs that it calls) from the script until the run has ended, or
 * nothing happens but waiting for people, or `waitMs` have passed without anything but the clock to wait for.
 */
export async function drive(
  opened: Opened,
  run: RunHandle,
  answers: Answers,
  waitMs: number,
): Promise<Driven> {
  let idleSince = Date.now();
  let seen = -1;
  for (;;) {
    const view = await viewOf(run);
    if (view.status !== "running" && view.status !== "waiting") return { view, open: [] };
    const open = await openItems(opened, run);
    const isAnswered = await answerOne(opened, open, answers);
    if (isAnswered || view.sequence !== seen) idleSince = Date.now();
    seen = view.sequence;
    const isClock = view.modes.includes("waiting_timer") || open.some((item) => item.kind === "timer");
    const isStill = view.status === "waiting" && !isAnswered && !isClock;
    if (isStill && Date.now() - idleSince > LOOK_MS * 4) return { view, open };
    if (Date.now() - idleSince > waitMs) return { view, open };
    if (!isAnswered) await sleep(LOOK_MS);
  }
}

async function viewOf(run: RunHandle): Promise<RunView> {
  const view = await run.state();
  if (view.kind === "refused") throw new UsageError(view.message);
  return view;
}

async function openItems({ engine }: Opened, run: RunHandle): Promise<readonly WorkItem[]> {
  const page = await engine.workItems.list({ tenant: run.tenant, limit: 1000 });
  return page.rows.filter((item) => item.run === run.id || item.run.startsWith(`${run.id}/`));
}

async function answerOne({ engine }: Opened, open: readonly WorkItem[], answers: Answers): Promise<boolean> {
  for (const item of open) {
    if (item.kind !== "work-item" && item.kind !== "external") continue;
    const answer = answers.next(item.node);
    if (answer === undefined) continue;
    const by = { id: answer.as ?? item.assignee ?? item.assignees[0] ?? "cli", groups: item.candidateGroups };
    const outcome = answer.outcome === undefined ? {} : { outcome: answer.outcome };
    const data = answer.data === undefined ? {} : { data: answer.data };
    const done = await engine.workItems.complete({
      tenant: item.tenant,
      task: item.id,
      by,
      ...outcome,
      ...data,
    });
    if (done.kind === "refused")
      throw new UsageError(`the answer for "${item.node}" was refused: ${done.message}`);
    return true;
  }
  return false;
}
