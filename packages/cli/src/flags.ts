/** @module What the flags of several commands have in common. */
import { type Command, InvalidArgumentError } from "commander";

/** Takes the exit code of an action. */
export type Done = (result: Promise<number>) => Promise<void>;

/** A command on a database. */
export function database(command: Command): Command {
  return command.requiredOption("--db <path>", "the database");
}

/** A whole number of a flag that may be 0. */
export function natural(text: string): number {
  return text === "0" ? 0 : positive(text);
}

/** A positive integer of a flag. */
export function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("it must be a positive whole number");
  return value;
}
