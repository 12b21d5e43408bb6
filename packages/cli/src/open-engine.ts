/** @module An engine on a SQLite file, with the bodies that a module or an answers file gives. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Definition, InlineFunction, WorkflowNode } from "@tessera/core";
import { createEngine, type Engine, type Port, type Registrations } from "@tessera/engine";
import { STANDARD_KINDS } from "@tessera/gateways";
import { FEEL } from "@tessera/interchange";
import type { StoreError } from "@tessera/persist";
import { type SqliteStore, sqliteStore } from "@tessera/persist/sqlite";
import { type Answers, NO_ANSWERS } from "./answers.ts";
import { UsageError } from "./io.ts";

/** An engine with its store; `close` lets go of both. */
export interface Opened {
  readonly engine: Engine;
  readonly store: SqliteStore;
  readonly close: () => Promise<void>;
}

/** Functions and ports by name, as a handlers module exports them. */
export type Handlers = Pick<Registrations, "functions" | "ports" | "predicates" | "conditions">;

/** Settings of an opened engine. `background`: work on jobs and timers. */
export interface OpenOptions {
  readonly background: boolean;
  readonly handlers?: Handlers;
  readonly answers?: Answers;
  /** The definitions whose bodies the answers stand for. */
  readonly definitions?: readonly Definition[];
  readonly limits?: Parameters<typeof createEngine>[0]["limits"];
}

/** Opens `path`. Throws UsageError when it is no database, or one of a newer release. */
export function openEngine(path: string, options: OpenOptions): Opened {
  const store = openStore(path);
  const scripted = scriptedBodies(options.definitions ?? [], options.answers ?? NO_ANSWERS);
  const engine = createEngine({
    store,
    functions: { ...scripted.functions, ...options.handlers?.functions },
    ports: { ...scripted.ports, ...options.handlers?.ports },
    predicates: options.handlers?.predicates ?? {},
    conditions: { feel: FEEL, ...options.handlers?.conditions },
    pollMs: 100,
    ...(options.background ? {} : { concurrency: 0 }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  if (options.background) engine.resume();
  return {
    engine,
    store,
    close: async () => {
      await engine.close({ drainMs: 2_000 });
      await store.close();
    },
  };
}

/** Opens `path`, which is there already: of a mistyped name nothing is made. Throws UsageError as `openEngine`, and when it is not. */
export function openExisting(path: string, options: OpenOptions): Opened {
  requireFile(path);
  return openEngine(path, options);
}

/** Throws UsageError when there is no file `path`: a new one would be empty, and whoever asks it would hear that all is well. */
export function requireFile(path: string): void {
  if (!existsSync(path))
    throw new UsageError(`there is no file ${path}`, "--db names a database that tessera run has made");
}

/** Opens the store of `path`. Throws UsageError when it is no database, or one of a newer release. */
export function openStore(path: string): SqliteStore {
  try {
    return sqliteStore({ path });
  } catch (error) {
    if (error instanceof Error && (error as Partial<StoreError>).name === "StoreError") {
      throw new UsageError(
        `${path}: ${error.message}`,
        "--db names a database of tessera, or a file that is not there yet",
      );
    }
    throw error;
  }
}

/** Loads a module that exports `functions`, `ports`, `predicates` or `conditions`. */
export async function loadHandlers(file: string | undefined): Promise<Handlers> {
  if (file === undefined) return {};
  try {
    return (await import(pathToFileURL(file).href)) as Handlers;
  } catch (error) {
    throw new UsageError(
      `${file}: ${error instanceof Error ? error.message : String(error)}`,
      "--handlers names an ES module that exports functions, ports, predicates, conditions",
    );
  }
}

/** For each body that nobody wrote: a function or port that gives the scripted answer, or none. */
function scriptedBodies(
  definitions: readonly Definition[],
  answers: Answers,
): Required<Pick<Registrations, "functions" | "ports">> {
  const functions: Record<string, InlineFunction> = {};
  const ports: Record<string, Port> = {};
  const nodes = definitions.flatMap((definition) => (definition.kind === "net" ? [] : definition.nodes));
  for (const node of nodes) {
    const body = STANDARD_KINDS.get(node.kind)?.body(node);
    if (body === "inline" && node.kind !== "decision")
      functions[bodyName(node, "function")] = scriptedFunction(node, answers);
    if (body === "job") {
      ports[bodyName(node, "port")] = () => {
        const answer = answers.next(node.id);
        return { outcome: answer?.outcome, patch: answer?.data };
      };
    }
  }
  return { functions, ports };
}

function scriptedFunction(node: WorkflowNode, answers: Answers): InlineFunction {
  const passKey = node.kind === "verifier" ? node.meta?.passKey : undefined;
  return () => {
    const answer = answers.next(node.id);
    if (typeof passKey === "string") return answer?.data?.[passKey] === true;
    return { outcome: answer?.outcome, patch: answer?.data };
  };
}

function bodyName(node: WorkflowNode, member: "function" | "port"): string {
  const named = node.meta?.[member];
  return typeof named === "string" ? named : node.id;
}
