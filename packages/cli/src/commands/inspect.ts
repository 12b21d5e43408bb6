/** @module `tessera show`, `complete`, `cancel`: looking at a run and answering its work items. */
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { loadHandlers, type Opened, openExisting } from "../open-engine.ts";
import { statusLine, taskLine } from "./lines.ts";
import { parseObject } from "./run.ts";

/** Works on the file `db` without doing background work, and closes it. */
export async function withEngine(db: string, work: (opened: Opened) => Promise<number>): Promise<number> {
  const opened = openExisting(db, { background: false });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
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
  const opened = openExisting(options.db, { background: options.handlers !== undefined, handlers });
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
  const opened = openExisting(options.db, { background: true });
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
