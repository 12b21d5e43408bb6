/** @module `tessera tasks`: what waits for people and outside systems. */
import type { ItemKind } from "@tessera/core";
import type { WorkItem } from "@tessera/engine";
import type { ItemQuery } from "@tessera/persist";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { withEngine } from "./inspect.ts";
import { taskLine } from "./lines.ts";
import { orUsage } from "./runs.ts";

/** Flags of the command. */
export interface TasksOptions {
  readonly db: string;
  readonly run?: string;
  readonly assignee?: string;
  readonly group?: string;
  /** The work list of this actor. */
  readonly for?: string;
  readonly groups?: readonly string[];
  readonly kind?: ItemKind;
  readonly dueBy?: string;
  readonly tenant?: string;
  readonly after?: string;
  readonly limit: number;
  readonly json: boolean;
}

/** What somebody can answer; other items are shown when they are asked for by their kind. */
const ANSWERED: ReadonlySet<ItemKind> = new Set<ItemKind>(["work-item", "external", "intervention"]);

/** Lists open items: oldest first, or with `dueBy` the earliest due first. */
export function tasksCommand(options: TasksOptions, io: Io): Promise<number> {
  const { kind, limit, json } = options;
  const query = readQuery(options);
  return withEngine(options.db, async ({ engine }) => {
    const shown: WorkItem[] = [];
    let next: string | null = options.after ?? null;
    do {
      const after: { readonly after?: string } = next === null ? {} : { after: next };
      const page = await orUsage(() =>
        engine.workItems.list({ ...query, limit: limit - shown.length, ...after }),
      );
      shown.push(...page.rows.filter((item) => kind !== undefined || ANSWERED.has(item.kind)));
      next = page.next;
    } while (next !== null && shown.length < limit);
    for (const item of shown) io.out(json ? JSON.stringify(item) : taskLine(item));
    if (shown.length === 0 && !json) io.out(mark.dim("no tasks"));
    if (next !== null && !json) io.out(mark.dim(`more: --after ${next}`));
    return EXIT.done;
  });
}

function readQuery(options: TasksOptions): Partial<ItemQuery> {
  const { run, assignee, group, kind, tenant } = options;
  return {
    ...(run === undefined ? {} : { run }),
    ...(assignee === undefined ? {} : { assignee }),
    ...(group === undefined ? {} : { candidateGroup: group }),
    ...(options.for === undefined ? {} : { actor: options.for }),
    ...(options.groups === undefined ? {} : { groups: options.groups }),
    ...(kind === undefined ? {} : { kind }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(options.dueBy === undefined ? {} : { dueBy: readTime(options.dueBy) }),
  };
}

/** A time in ms since the epoch: an ISO 8601 date, or the number itself. */
export function readTime(text: string): number {
  const at = /^-?\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isSafeInteger(at)) throw new UsageError(`"${text}" is no time`, "as in 2027-01-31T12:00:00Z");
  return at;
}
