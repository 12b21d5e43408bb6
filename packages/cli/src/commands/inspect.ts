/** @module `tessera runs`, `show`, `tasks`, `complete`, `cancel`: looking at runs and answering their work items. */
import type { RunStatus } from "@tessera/core";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { loadHandlers, type Opened, openEngine } from "../open-engine.ts";
import { runLine, statusLine, taskLine } from "./lines.ts";
import { parseObject } from "./run.ts";

/** Works on the file `db` without doing background work, and closes it. */
export async function withEngine(db: string, work: (opened: Opened) => Promise<number>): Promise<number> {
  const opened = openEngine(db, { background: false });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Lists runs, newest first. */
export function runsCommand(
  options: {
    readonly db: string;
    readonly status?: RunStatus;
    readonly workflow?: string;
    readonly limit: number;
    readonly json: boolean;
  },
  io: Io,
): Promise<number> {
  const { db, status, workflow, limit, json } = options;
  return withEngine(db, async ({ engine }) => {
    const filter = {
      ...(status === undefined ? {} : { status }),
      ...(workflow === undefined ? {} : { workflow }),
    };
    const page = await engine.runs({ ...filter, limit });
    for (const row of page.rows) io.out(json ? JSON.stringify(row) : runLine(row));
    if (page.rows.length === 0 && !json) io.out(mark.dim("no runs"));
    if (page.next !== null && !json) io.out(mark.dim(`more: raise --limit above ${limit}`));
    return EXIT.done;
  });
}

/** Shows one run: status, marking, data, what is open. */
export function showCommand(
  run: string,
  options: { readonly db: string; readonly json: boolean },
  io: Io,
): Promise<number> {
  return withEngine(options.db, async ({ engine }) => {
    const view = await engine.run(run).state();
    if (view.kind === "refused") throw new UsageError(view.message, "tessera runs --db FILE lists them");
    if (options.json) {
      io.out(JSON.stringify(view));
      return EXIT.done;
    }
    io.out(statusLine(view));
    io.out(`  version  ${view.definition}`);
    io.out(`  marking  ${JSON.stringify(view.marking)}`);
    io.out(`  data     ${JSON.stringify(view.data)}`);
    if (view.terminal?.kind === "failed")
      io.out(mark.bad(`  ${view.terminal.trouble.code}: ${view.terminal.trouble.message}`));
    const items = await engine.workItems.list({ run });
    for (const item of items.rows) io.out(`  open     ${taskLine(item)}`);
    return EXIT.done;
  });
}

/** Lists what waits for people and outside systems. */
export function tasksCommand(
  options: {
    readonly db: string;
    readonly run?: string;
    readonly assignee?: string;
    readonly group?: string;
    readonly json: boolean;
  },
  io: Io,
): Promise<number> {
  return withEngine(options.db, async ({ engine }) => {
    const { run, assignee, group } = options;
    const filter = {
      ...(run === undefined ? {} : { run }),
      ...(assignee === undefined ? {} : { assignee }),
      ...(group === undefined ? {} : { candidateGroup: group }),
    };
    const page = await engine.workItems.list({ ...filter, limit: 1000 });
    const open = page.rows.filter(
      ({ kind }) => kind === "work-item" || kind === "external" || kind === "intervention",
    );
    for (const item of open) io.out(options.json ? JSON.stringify(item) : taskLine(item));
    if (open.length === 0 && !options.json) io.out(mark.dim("no tasks"));
    return EXIT.done;
  });
}

/** Completes a task as an actor and works on until the run waits or ends. */
export async function completeCommand(
  task: string,
  options: {
    readonly db: string;
    readonly outcome?: string;
    readonly data?: string;
    readonly as: string;
    readonly group?: readonly string[];
    readonly handlers?: string;
  },
  io: Io,
): Promise<number> {
  const data = options.data === undefined ? {} : { data: parseObject(options.data) };
  const outcome = options.outcome === undefined ? {} : { outcome: options.outcome };
  const handlers = await loadHandlers(options.handlers);
  const opened = openEngine(options.db, { background: options.handlers !== undefined, handlers });
  try {
    const by = { id: options.as, groups: options.group ?? [] };
    const done = await opened.engine.workItems.complete({ task, by, ...outcome, ...data });
    if (done.kind === "refused")
      throw new UsageError(
        `${done.code}: ${done.message}`,
        "tessera tasks --db FILE shows tasks, outcomes and who may complete them",
      );
    if (options.handlers !== undefined) await opened.engine.run(done.run).result({ timeoutMs: 2_000 });
    const view = await opened.engine.run(done.run).state();
    if (view.kind === "run") io.out(statusLine(view));
    return EXIT.done;
  } finally {
    await opened.close();
  }
}

/** Cancels a run with the runs that it called. */
export async function cancelCommand(
  run: string,
  options: { readonly db: string; readonly reason?: string; readonly as?: string },
  io: Io,
): Promise<number> {
  // Called runs are cancelled through the outbox, so this command does background work until it is empty.
  const opened = openEngine(options.db, { background: true });
  try {
    const by = options.as === undefined ? {} : { by: { id: options.as } };
    const reason = options.reason === undefined ? {} : { reason: options.reason };
    const done = await opened.engine.run(run).cancel({ ...by, ...reason });
    if (done.kind === "refused") throw new UsageError(`${done.code}: ${done.message}`);
    const view = await opened.engine.run(run).state();
    if (view.kind === "run") io.out(statusLine(view));
    return EXIT.done;
  } finally {
    await opened.close();
  }
}
