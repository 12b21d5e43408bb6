/** @module What a command may touch of the world: two streams and the working directory. */
import colors from "picocolors";

/** The streams of a command. `isTerminal` decides on progress and colours, never on content. */
export interface Io {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Overwrites one line of progress on a terminal; silent in a pipe. Empty text clears it. */
  readonly progress: (text: string) => void;
  readonly isTerminal: boolean;
}

/** Exit codes of every command: 0 holds or done, 1 fails, 2 unknown, 3 bad input. */
export const EXIT = { done: 0, fails: 1, unknown: 2, badInput: 3 } as const;

/** The streams of this process. A closed pipe (`| head`) ends the program quietly. */
export function processIo(): Io {
  const isTerminal = process.stderr.isTTY === true;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.done);
    throw error;
  });
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    progress: (text) => {
      if (isTerminal) process.stderr.write(`\r\u001b[2K${text.slice(0, 100)}`);
    },
    isTerminal,
  };
}

/** Colours on a terminal that can, or where they are asked for; never in a pipe, not even of a CI machine. */
export const isColoured: boolean =
  colors.isColorSupported && (process.stdout.isTTY === true || process.env["FORCE_COLOR"] !== undefined);
const pc = colors.createColors(isColoured);

/** Marks for verdicts and outcomes, coloured on a terminal that can. */
export const mark = {
  good: (text: string): string => pc.green(text),
  bad: (text: string): string => pc.red(text),
  open: (text: string): string => pc.yellow(text),
  dim: (text: string): string => pc.dim(text),
  strong: (text: string): string => pc.bold(text),
};

/** Trouble that a person can mend: one line and a hint. Everything else that is thrown is a bug. */
export class UsageError extends Error {
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.name = "UsageError";
    this.hint = hint;
  }
}
