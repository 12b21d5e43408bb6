/** @module The command line: names, flags and help of every command. */
import { Command, CommanderError, Option } from "commander";
import { checkCommand } from "./commands/check.ts";
import { convertCommand } from "./commands/convert.ts";
import { demoCommand, demoWorkerCommand } from "./commands/demo.ts";
import { backupCommand, doctorCommand } from "./commands/doctor.ts";
import { drawCommand } from "./commands/draw.ts";
import { cancelCommand, completeCommand, showCommand } from "./commands/inspect.ts";
import { proveCommand } from "./commands/prove.ts";
import { runCommand } from "./commands/run.ts";
import { runsCommand } from "./commands/runs.ts";
import { messageCommand, signalCommand } from "./commands/send.ts";
import { tasksCommand } from "./commands/tasks.ts";
import { verifyCommand } from "./commands/verify.ts";
import { type Done, database, positive } from "./flags.ts";
import { EXIT, type Io, mark, UsageError } from "./io.ts";
import { addJournal } from "./program-journal.ts";

/**
 * Runs the command in `argv` (without node and script) and returns the exit code. A wrong flag or file gives one line
 * and a hint on stderr, exit 3; only a bug throws.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.done;
  const done: Done = async (result) => {
    code = await result;
  };
  try {
    await makeProgram(io, done).parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    return troubleCode(error, io);
  }
}

function troubleCode(error: unknown, io: Io): number {
  io.progress("");
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.badInput;
  if (error instanceof UsageError) {
    io.err(mark.bad(error.message));
    if (error.hint !== undefined) io.err(mark.dim(`hint: ${error.hint}`));
    return EXIT.badInput;
  }
  throw error;
}

function makeProgram(io: Io, done: Done): Command {
  const program = new Command("tessera")
    .description("Run, prove and test workflows that are Petri nets.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) =>
        io.err(`${text.trimEnd()}\n${mark.dim("hint: tessera --help, or tessera COMMAND --help")}`),
    });
  addCheck(program, io, done);
  addPictures(program, io, done);
  addVerify(program, io, done);
  addProve(program, io, done);
  addRun(program, io, done);
  addInspection(program, io, done);
  addTasks(program, io, done);
  addSending(program, io, done);
  addJournal(program, io, done);
  addCare(program, io, done);
  addDemo(program, io, done);
  return program;
}

function addCheck(program: Command, io: Io, done: Done): void {
  program
    .command("check")
    .argument(
      "<target>",
      "a definition (JSON), a process (BPMN, YAWL), a net (PNML, LoLA, TINA), or a directory of them",
    )
    .description(
      "Prove the obligations of a definition or net. Exit: 0 holds, 1 fails, 2 unknown, 3 bad input.",
    )
    .option("--json", "one JSON line a file", false)
    .option("--states-max <count>", "markings to explore at most", positive)
    .option("--timeout-ms <ms>", "time for each file at most", positive)
    .addOption(
      new Option(
        "--level <level>",
        "net: guards are free choices; data: they are asked on values as well",
      ).choices(["net", "data"]),
    )
    .option(
      "--smt",
      "--level data, and guards in FEEL that compute are asked of z3: install z3-solver for it",
      false,
    )
    .option("--certificate <out>", "write the evidence to a file that `tessera verify` checks")
    .option("--threads <count>", "threads for a directory whose files take long; default: 1", positive)
    .addHelpText(
      "after",
      "\nExamples:\n  tessera check order.json\n  tessera check nets/ --json > verdicts.jsonl",
    )
    .action((target, options) => done(checkCommand(target, options, io)));
}

const FORMATS = ["bpmn", "json", "lola", "pnml", "tina", "yawl"];
const OUT_FORMATS = ["bpmn", "dot", "json", "lola", "pnml", "svg", "tina"];

function addPictures(program: Command, io: Io, done: Done): void {
  program
    .command("convert")
    .argument("<in>", "a definition (JSON), a process (BPMN, YAWL) or a net (PNML, LoLA, TINA)")
    .argument("<out>", "the file to write; its ending tells the format; - is standard output, with --to")
    .description(
      "Write a file in another format. A workflow becomes its net where the format holds nets. Exit: 0 written, 3 bad input or not expressible.",
    )
    .addOption(
      new Option("--from <format>", "the format of IN; told by its content otherwise").choices(FORMATS),
    )
    .addOption(new Option("--to <format>", "the format of OUT").choices(OUT_FORMATS))
    .option("--process <id>", "which process of a BPMN file; the last one otherwise")
    .addHelpText(
      "after",
      "\nExamples:\n  tessera convert net.pnml net.lola\n  tessera convert order.bpmn order.pnml\n  tessera convert order.json order.bpmn\n  tessera convert order.json order.svg\n  tessera convert net.net - --to pnml",
    )
    .action((input, output, options) => done(convertCommand(input, output, options, io)));
  program
    .command("draw")
    .argument("<file>", "a definition (JSON), a process (BPMN, YAWL) or a net (PNML, LoLA, TINA)")
    .description(
      "Draw a workflow or net as SVG or DOT. Exit: 0 drawn, 3 bad input; with --witness as check: 1 drawn with a run that refutes, 2 unknown.",
    )
    .option("--marking <tokens>", "the marking to show: p1=2,p2 or a JSON object; the initial one otherwise")
    .option(
      "--witness [obligation]",
      "prove, and number the steps of the run that refutes the first (or this) obligation",
    )
    .option("--net", "the net behind a workflow: places and transitions", false)
    .addOption(
      new Option(
        "--graph <which>",
        "its markings: those that are reachable, or the coverability graph, in which tokens may be without bound",
      ).choices(["states", "coverability"]),
    )
    .addOption(new Option("--format <format>", "svg, or what --out ends in").choices(["svg", "dot"]))
    .option("--out <file>", "write there; standard output otherwise")
    .addOption(
      new Option("--from <format>", "the format of FILE; told by its content otherwise").choices(FORMATS),
    )
    .option("--process <id>", "which process of a BPMN file; the last one otherwise")
    .option(
      "--states-max <count>",
      "with --witness: markings to explore at most; with --graph: to draw at most (500)",
      positive,
    )
    .option("--timeout-ms <ms>", "with --witness: time at most", positive)
    .addHelpText(
      "after",
      "\nExamples:\n  tessera draw order.bpmn --out order.svg\n  tessera draw net.pnml --marking p1,p2=3 --format dot\n  tessera draw order.json --witness O2 --out why.svg\n  tessera draw net.pnml --graph states --witness --out states.svg",
    )
    .action((file, options) => done(drawCommand(file, options, io)));
}

function addCare(program: Command, io: Io, done: Done): void {
  program
    .command("doctor")
    .argument("<db>", "a database of runs")
    .description(
      "Check a database: its pages, its tables, every run and graph in it. Exit: 0 whole, 1 not, 3 bad input.",
    )
    .option("--quick", "the file and its tables only, no audit", false)
    .option("--json", "as one JSON line", false)
    .action((db, options) => done(doctorCommand(db, options, io)));
  program
    .command("backup")
    .argument("<db>", "a database of runs, which may be in use; or a backup, to restore it")
    .argument("<to>", "the new file")
    .description("Copy a database while it is in use, and check the copy. Exit: 0 done, 3 bad input.")
    .option("--json", "as one JSON line", false)
    .action((db, to, options) => done(backupCommand(db, to, options, io)));
}

function addVerify(program: Command, io: Io, done: Done): void {
  program
    .command("verify")
    .argument("<certificate>", "a file that `tessera check --certificate` wrote")
    .argument("<file>", "the definition or net that it speaks of")
    .description(
      "Check a certificate without proving anything. Exit: 0 supported, 1 not, 2 too large to check, 3 bad input.",
    )
    .option("--json", "one JSON line a claim", false)
    .option("--states-max <count>", "markings to build again at most", positive)
    .action((certificate, file, options) => done(verifyCommand(certificate, file, options, io)));
}

function addProve(program: Command, io: Io, done: Done): void {
  program
    .command("prove")
    .argument("<file>", "a definition (JSON), a process (BPMN), or a net (PNML, LoLA, TINA)")
    .argument("<question...>", "a name such as live or 2-sound, or a formula")
    .description(
      "Answer questions about the net of a file. Exit: 0 all hold, 1 one fails, 2 one is open, 3 bad input.",
    )
    .option("--json", "one JSON line a question", false)
    .option("--states-max <count>", "markings to explore at most", positive)
    .option("--timeout-ms <ms>", "time for each search at most", positive)
    .option("--itf <out>", "write the first run that an answer shows as an ITF trace")
    .option("--certificate <out>", "write the answers that show what `tessera verify` can check")
    .addHelpText(
      "after",
      '\nExamples:\n  tessera prove net.pnml live 2-sound "AG EF o = 1"\n  tessera prove net.pnml "G (a = 1 -> F b = 1) strong t1" --itf why.itf.json',
    )
    .action((file, questions, options) => done(proveCommand(file, questions, options, io)));
}

function addRun(program: Command, io: Io, done: Done): void {
  program
    .command("run")
    .argument(
      "<file>",
      "a definition (JSON), a process (BPMN), or a net (YAWL, PNML, LoLA, TINA) whose transitions become steps",
    )
    .description(
      "Run a definition or net on a SQLite file. Exit: 0 completed, 1 failed, 2 waiting, 3 bad input.",
    )
    .requiredOption("--db <path>", "the database; made if it is not there")
    .option("--data <json>", "the data to start with, a JSON object")
    .option("--answers <file>", "scripted answers of nodes, and choices of a net (JSON)")
    .option("--handlers <module>", "an ES module that exports functions, ports, predicates")
    .option("--call <file...>", "definitions that this one calls; deployed first")
    .option("--id <id>", "id of the run; starting it again changes nothing")
    .option("--accept <obligation...>", "run although these obligations fail or are open")
    .option("--wait-ms <ms>", "how long to wait for timers and jobs while nothing happens", positive, 10_000)
    .option("--json", "print the result as one JSON line", false)
    .addHelpText(
      "after",
      "\nExamples:\n  tessera run claim.json --db runs.db --data '{\"damage\": 900}' --answers answers.json\n  tessera run net.pnml --db runs.db",
    )
    .action((file, options) => done(runCommand(file, options, io)));
}

function addInspection(program: Command, io: Io, done: Done): void {
  database(program.command("runs").description("List runs, newest first."))
    .addOption(
      new Option("--status <status>", "only runs with this status").choices([
        "running",
        "waiting",
        "completed",
        "failed",
        "cancelled",
      ]),
    )
    .option("--workflow <name>", "only runs of this workflow")
    .option("--definition <hash>", "only runs that are in this version now")
    .option("--key <key>", "only runs with this business key")
    .option("--parent <run>", "only runs that this run called")
    .option("--data <path=value...>", "only runs with these values, of paths that the application indexes")
    .option("--tenant <tenant>", "whose runs")
    .option("--after <cursor>", "go on where an earlier page ended")
    .option("--count", "how many, by workflow, status and version", false)
    .option("--limit <count>", "at most this many", positive, 50)
    .option("--json", "a JSON line each", false)
    .addHelpText(
      "after",
      "\nExamples:\n  tessera runs --status waiting --workflow claim --db runs.db\n  tessera runs --data customer.city=Rome --db runs.db\n  tessera runs --count --db runs.db",
    )
    .action((options) => done(runsCommand(options, io)));
  database(
    program.command("show").argument("<run>").description("Show one run: status, marking, data, open items."),
  )
    .option("--json", "as one JSON line", false)
    .action((run, options) => done(showCommand(run, options, io)));
  database(
    program.command("cancel").argument("<run>").description("Cancel a run and the runs that it called."),
  )
    .option("--reason <text>", "why; recorded")
    .option("--as <actor>", "who; recorded")
    .action((run, options) => done(cancelCommand(run, options, io)));
}

const ITEM_KINDS = ["work-item", "external", "intervention", "job", "timer", "child", "event"];

function addTasks(program: Command, io: Io, done: Done): void {
  database(program.command("tasks").description("List what waits for people."))
    .option("--run <id>", "only of this run")
    .option("--assignee <actor>", "only claimed by or assigned to this actor")
    .option("--group <group>", "only offered to this group")
    .option("--for <actor>", "the work list of this actor: claimed, or offered and unclaimed")
    .option("--groups <group...>", "with --for: groups that the actor belongs to")
    .option("--due-by <time>", "only due by this time, the earliest first (2027-01-31T12:00:00Z)")
    .addOption(
      new Option("--kind <kind>", "only of this kind; what can be answered otherwise").choices(ITEM_KINDS),
    )
    .option("--tenant <tenant>", "whose tasks")
    .option("--after <cursor>", "go on where an earlier page ended")
    .option("--limit <count>", "at most this many", positive, 1000)
    .option("--json", "a JSON line each", false)
    .action((options) => done(tasksCommand(options, io)));
  database(
    program
      .command("complete")
      .argument("<task>", "a task id, as `tessera tasks` shows it")
      .description("Complete a task as an actor."),
  )
    .option("--outcome <label>", "one of the task's outcomes")
    .option("--data <json>", "keys of the run's data to set, a JSON object")
    .requiredOption("--as <actor>", "who completes it")
    .option("--group <group...>", "groups that the actor belongs to")
    .option("--handlers <module>", "work on with the bodies of this module")
    .addHelpText(
      "after",
      "\nExample:\n  tessera complete claim-1/9.0 --outcome approve --as kim --group adjusters --db runs.db",
    )
    .action((task, options) => done(completeCommand(task, options, io)));
}

function addSending(program: Command, io: Io, done: Done): void {
  database(
    program
      .command("message")
      .argument("<name>", "the name of the message")
      .description("Publish a message for the one who waits for it, now or until it expires."),
  )
    .option("--key <value>", "its correlation key")
    .option("--data <json>", "what it carries, a JSON object")
    .option("--id <id>", "with an id it is received at most once, however often it is sent")
    .option("--ttl-ms <ms>", "how long it waits for its receiver; an hour otherwise", positive)
    .option("--tenant <tenant>", "whose receivers")
    .option("--json", "as one JSON line", false)
    .addHelpText(
      "after",
      "\nExample:\n  tessera message paid --key order-7 --data '{\"sum\": 12}' --db runs.db",
    )
    .action((name, options) => done(messageCommand(name, options, io)));
  database(
    program
      .command("signal")
      .argument("<name>", "the name of the signal")
      .description("Give a signal to everybody who waits for it now."),
  )
    .option("--data <json>", "what it carries, a JSON object")
    .option("--id <id>", "with an id it is given once")
    .option("--tenant <tenant>", "whose receivers")
    .option("--json", "as one JSON line", false)
    .action((name, options) => done(signalCommand(name, options, io)));
}

function addDemo(program: Command, io: Io, done: Done): void {
  program
    .command("demo")
    .description("Prove a real process, run it durably, kill it twice, resume, replay and audit it.")
    .option("--net <file>", "a net to import, prove and run to its end afterwards")
    .option("--dir <path>", "keep the database here")
    .action((options) => done(demoCommand(options, io)));
  program
    .command("demo-worker", { hidden: true })
    .requiredOption("--dir <path>")
    .option("--slow <job>")
    .option("--approve")
    .action((options) => done(demoWorkerCommand(options, io)));
}
