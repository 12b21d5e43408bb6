/** @module `tessera prune`: old turns go, an anchor stays. */
import { DEFAULT_TENANT } from "@tessera/persist";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { withEngine } from "./inspect.ts";
import { readTime } from "./tasks.ts";

/** Flags of the command. */
export interface PruneOptions {
  readonly db: string;
  readonly before?: string;
  readonly at?: number;
  readonly as: string;
  readonly reason: string;
  readonly tenant?: string;
  readonly json: boolean;
}

/** Prunes one run, or all that ended before a time. */
export function pruneCommand(run: string | undefined, options: PruneOptions, io: Io): Promise<number> {
  const { before, at, reason, json, tenant = DEFAULT_TENANT } = options;
  const order = { tenant, by: { id: options.as }, reason };
  if ((run === undefined) === (before === undefined) || (at !== undefined && run === undefined))
    throw new UsageError(
      "name a run, or a time with --before",
      "tessera prune RUN --as me --reason old --db FILE",
    );
  return withEngine(options.db, async ({ engine }) => {
    const pruned = await engine.prune(
      run === undefined
        ? { ...order, before: readTime(before ?? "") }
        : { ...order, run, ...(at === undefined ? {} : { at }) },
    );
    if (pruned.kind === "refused") throw new UsageError(`${pruned.code}: ${pruned.message}`);
    if (json) io.out(JSON.stringify(pruned));
    for (const each of json ? [] : pruned.runs) io.out(`${each.run}  pruned up to turn ${each.sequence}`);
    for (const { run: id, refusal } of json ? [] : pruned.refused)
      io.out(mark.bad(`${id}  ${refusal.code}: ${refusal.message}`));
    if (!json && pruned.runs.length + pruned.refused.length === 0) io.out(mark.dim("nothing to prune"));
    return pruned.refused.length === 0 ? EXIT.done : EXIT.fails;
  });
}
