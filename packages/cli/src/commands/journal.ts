/** @module `tessera history`, `replay`: what the journal says. */
import { type Json, jsonEqual } from "@tessera/core";
import type { HistoryEvent } from "@tessera/engine";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { withEngine } from "./inspect.ts";
import { statusLine } from "./lines.ts";

/** Options of both commands. */
interface JournalOptions {
  readonly db: string;
  readonly json: boolean;
}

/** Prints the events of a run, oldest first. */
export function historyCommand(run: string, { db, json }: JournalOptions, io: Io): Promise<number> {
  return withEngine(db, async ({ engine }) => {
    for (let after: number | null = 0; after !== null; ) {
      const page = await engine.history(run, { after });
      if (page.kind === "refused") throw new UsageError(page.message, "tessera runs --db FILE lists them");
      for (const event of page.events) io.out(json ? JSON.stringify(event) : eventLine(event));
      after = page.next;
    }
    return EXIT.done;
  });
}

/** Folds the journal and compares the state with the stored one; at an earlier turn it only shows the state. */
export function replayCommand(
  run: string,
  { db, json, at }: JournalOptions & { readonly at?: number },
  io: Io,
): Promise<number> {
  return withEngine(db, async ({ engine }) => {
    const replayed = await engine.replay(run, at === undefined ? {} : { at });
    if (replayed.kind === "refused") throw new UsageError(replayed.message);
    if (json) io.out(JSON.stringify(replayed));
    else {
      io.out(statusLine(replayed));
      io.out(`  turn     ${replayed.sequence}`);
      io.out(`  marking  ${JSON.stringify(replayed.marking)}`);
      io.out(`  data     ${JSON.stringify(replayed.data)}`);
    }
    const stored = await engine.run(run).state();
    if (stored.kind === "refused" || replayed.sequence !== stored.sequence) return EXIT.done;
    const isSame = jsonEqual(replayed as unknown as Json, stored as unknown as Json);
    if (!json)
      io.out(
        isSame ? mark.good("  equal to the stored state") : mark.bad("  DIFFERENT from the stored state"),
      );
    return isSame ? EXIT.done : EXIT.fails;
  });
}

/** An event as one line: turn, time, what happened. */
export function eventLine(event: HistoryEvent): string {
  const place = mark.dim(
    `${String(event.sequence).padStart(4)}.${event.index}  ${new Date(event.at).toISOString()}`,
  );
  return `${place}  ${eventText(event)}`;
}

/** What happened, in words. */
export function eventText(event: HistoryEvent): string {
  switch (event.kind) {
    case "input":
      return `${mark.strong(event.input.kind)}${"item" in event.input ? ` ${event.input.item}` : ""}${event.by === null ? "" : ` by ${event.by}`}`;
    case "erased":
      return mark.open(`erased by ${event.by}: ${event.reason}`);
    case "pruned":
      return mark.open(`turns up to here pruned by ${event.by}: ${event.reason}`);
    case "unreadable":
      return mark.bad("not what was written: see tessera audit");
    case "end":
      return mark.bad(
        event.terminal.kind === "failed"
          ? `failed: ${event.terminal.trouble.code} ${event.terminal.trouble.message}`
          : "cancelled",
      );
    case "step": {
      const opened = (event.opened ?? []).map(({ kind, id }) => `opens ${kind} ${id}`);
      const changed = (event.changed ?? []).map(({ kind, id }) => `changes ${kind} ${id}`);
      const patch =
        event.patch === undefined
          ? []
          : [
              event.patch.ops
                .map(
                  (op) =>
                    `${op.path.join(".")}${op.kind === "set" ? `=${JSON.stringify(op.value)}` : ` ${op.kind}`}`,
                )
                .join(" "),
            ];
      const trouble =
        event.trouble === undefined ? [] : [mark.bad(`${event.trouble.code}: ${event.trouble.message}`)];
      const label = event.outcome === undefined ? "" : `:${event.outcome}`;
      const arcs = event.arcs.length === 0 ? [] : [mark.dim(event.arcs.join(", "))];
      return [`${event.node ?? "data"}${label}`, ...opened, ...changed, ...patch, ...trouble, ...arcs].join(
        "  ",
      );
    }
  }
}
