/** @module The command line: names, flags and help of every command. */
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { checkCommand } from "./commands/check.ts";
import { EXIT, type Io, mark, UsageError } from "./io.ts";

/**
 * Runs the command in `argv` (without node and script) and returns the exit code. A wrong flag or file gives one line
 * and a hint on stderr, exit 3; only a bug throws.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.done;
  const done = (result: Promise<number>) => result.then((value) => void (code = value));
  const program = makeProgram(io, done);
  try {
    await program.parseAsync([...argv], { from: "user" });
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

function makeProgram(io: Io, done: (result: Promise<number>) => Promise<void>): Command {
  const program = new Command("tessera")
    .description("Run, prove and test workflows that are Petri nets.")
    .exitOverride()
    .showHelpAfterError("hint: tessera --help")
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.err(text.trimEnd()) });
  addCheck(program, io, done);
  return program;
}

function addCheck(program: Command, io: Io, done: (result: Promise<number>) => Promise<void>): void {
  program
    .command("check")
    .argument("<target>", "a definition (JSON), a net (PNML, LoLA), or a directory of them")
    .description("Prove the obligations of a definition or net. Exit: 0 holds, 1 fails, 2 unknown, 3 bad input.")
    .option("--json", "one JSON line a file", false)
    .option("--states-max <count>", "markings to explore at most", positive)
    .option("--timeout-ms <ms>", "time for each file at most", positive)
    .addHelpText("after", "\nExamples:\n  tessera check order.json\n  tessera check nets/ --json > verdicts.jsonl")
    .action((target: string, options: { json: boolean; statesMax?: number; timeoutMs?: number }) => done(checkCommand(target, options, io)));
}

/** A positive integer of a flag. */
export function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("it must be a positive whole number");
  return value;
}
