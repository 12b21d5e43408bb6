/** @module `tessera run`: runs a definition or a workflow net on a SQLite file. */

import { basename } from "node:path";
import { type Definition, type Json, type JsonObject, parseJson } from "@tessera/core";
import { netDefinition } from "@tessera/interchange";
import { NO_ANSWERS, readAnswers } from "../answers.ts";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { issueLines, loadFile } from "../load-file.ts";
import { loadHandlers, openEngine } from "../open-engine.ts";
import { drive } from "./drive.ts";
import { statusLine, taskLine } from "./lines.ts";

/** Options of the command. */
export interface RunCommand {
  readonly db: string;
  readonly data?: string;
  readonly answers?: string;
  readonly handlers?: string;
  readonly call?: readonly string[];
  readonly id?: string;
  readonly accept?: readonly string[];
  readonly waitMs: number;
  readonly json: boolean;
}

/** Deploys, starts and drives. Exit: 0 completed, 1 failed or cancelled, 2 still waiting, 3 bad input. */
export async function runCommand(file: string, options: RunCommand, io: Io): Promise<number> {
  const own = await definitionsOf(file);
  const definition = own.at(-1);
  if (definition === undefined) throw new UsageError(`${file}: nothing to run`);
  const called = (await Promise.all((options.call ?? []).map(definitionsOf))).flat();
  const answers = options.answers === undefined ? NO_ANSWERS : await readAnswers(options.answers);
  const handlers = await loadHandlers(options.handlers);
  const data = dataOf(options.data, answers.choices);
  const definitions = [...called, ...own];
  const opened = openEngine(options.db, { background: true, handlers, answers, definitions });
  try {
    const accept = (options.accept ?? []).map((obligation) => ({
      obligation,
      reason: "accepted on the command line",
      by: "cli",
    }));
    for (const each of definitions) {
      const deployed = await opened.engine.deploy(each, { accept });
      if (deployed.kind === "refused") return refusedDeploy(deployed, io);
    }
    const id = options.id === undefined ? {} : { id: options.id };
    const run = await opened.engine.start({ workflow: definition.id, data, ...id });
    if (run.kind === "refused") throw new UsageError(run.message);
    const { view, open } = await drive(opened, run, answers, options.waitMs);
    if (options.json)
      io.out(
        JSON.stringify({
          run: run.id,
          status: view.status,
          outcomes: view.outcomes,
          data: view.data,
          marking: view.marking,
        }),
      );
    else {
      io.out(statusLine(view));
      for (const item of open) io.out(`  ${taskLine(item)}`);
      if (view.terminal?.kind === "failed")
        io.out(mark.bad(`  ${view.terminal.trouble.code}: ${view.terminal.trouble.message}`));
    }
    if (view.status === "completed") return EXIT.done;
    return view.status === "running" || view.status === "waiting" ? EXIT.unknown : EXIT.fails;
  } finally {
    await opened.close();
  }
}

function refusedDeploy(
  refusal: { readonly code: string; readonly message: string; readonly facts: JsonObject },
  io: Io,
): number {
  io.err(mark.bad(refusal.message));
  if (refusal.code !== "unproved") return EXIT.badInput;
  const { obligations } = refusal.facts;
  for (const line of Array.isArray(obligations) ? (obligations as readonly Json[]) : [])
    io.err(`  ${JSON.stringify(line)}`);
  io.err(
    mark.dim("hint: mend the definition, or run it all the same with --accept O1 (recorded in the version)"),
  );
  return EXIT.fails;
}

/** The definitions in a file, the one to run last; a net becomes a definition whose transitions are steps. */
export async function definitionsOf(file: string): Promise<readonly Definition[]> {
  const loaded = await loadFile(file);
  if (loaded.kind === "bad") throw new UsageError(issueLines(file, loaded.issues).join("\n"));
  if (loaded.kind === "definition") return [loaded.definition];
  if (loaded.kind === "processes") return loaded.definitions;
  return [netDefinition(loaded.imported, basename(file).replace(/\.[^.]*$/u, ""))];
}

function dataOf(text: string | undefined, choices: readonly string[]): JsonObject {
  const given = text === undefined ? {} : parseObject(text);
  return choices.length === 0 ? given : { ...given, choices };
}

/** A JSON object from the command line. */
export function parseObject(text: string): JsonObject {
  try {
    const value: Json = parseJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    throw new UsageError(
      `--data is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      `--data '{"amount": 12}'`,
    );
  }
  throw new UsageError("--data is not a JSON object", `--data '{"amount": 12}'`);
}
