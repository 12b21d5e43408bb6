/** @module The command line: the commands that read and prune journals. */
import type { Command } from "commander";
import { auditCommand } from "./commands/audit.ts";
import { historyCommand, replayCommand } from "./commands/journal.ts";
import { pruneCommand } from "./commands/prune.ts";
import { type Done, database, natural, positive } from "./flags.ts";
import type { Io } from "./io.ts";

/** Adds `history`, `replay`, `audit`, `prune`. */
export function addJournal(program: Command, io: Io, done: Done): void {
  database(
    program.command("history").argument("<run>").description("Print what happened in a run, a line a step."),
  )
    .option("--json", "a JSON line each", false)
    .action((run, options) => done(historyCommand(run, options, io)));
  database(
    program
      .command("replay")
      .argument("<run>")
      .description("Fold the journal again and compare with what is stored. Exit 1 when they differ."),
  )
    .option("--at <sequence>", "the state after this turn", positive)
    .option("--json", "as one JSON line", false)
    .action((run, options) => done(replayCommand(run, options, io)));
  database(
    program
      .command("audit")
      .argument("[run]")
      .description(
        "Verify the chain, the fold and the firing sequence of a run, or of all runs and graphs. Exit: 0 sound, 1 not, 2 not complete, 3 bad input.",
      ),
  )
    .option(
      "--threads <count>",
      "threads to audit in; 0 for none (default: by the size of the database)",
      natural,
    )
    .option("--tenant <tenant>", "only the runs of this tenant")
    .option("--broken-max <count>", "stop at so many broken runs and graphs", positive)
    .option("--timeout-ms <ms>", "stop after this time", positive)
    .option("--json", "as one JSON line; with RUN a line for it and its graph", false)
    .action((run, options) => done(auditCommand(run, options, io)));
  database(
    program
      .command("prune")
      .argument("[run]")
      .description(
        "Take old turns out of the journal; an anchor stays, from which chain, audit and replay go on. Exit 1 when a run is refused.",
      ),
  )
    .option("--before <time>", "all turns of all runs that ended before this time (2027-01-31T12:00:00Z)")
    .option("--at <sequence>", "of RUN only the turns up to this one", positive)
    .requiredOption("--as <actor>", "who; recorded")
    .requiredOption("--reason <text>", "why; recorded")
    .option("--tenant <tenant>", "whose runs")
    .option("--json", "as one JSON line", false)
    .action((run, options) => done(pruneCommand(run, options, io)));
}
