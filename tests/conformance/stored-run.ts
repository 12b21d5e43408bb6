/** @module Runs in database files that engines are opened on one after the other, for tests of stopping and going on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json, WorkflowDefinition } from "@tessera/core";
import { accepted, type RunHandle, type RunView } from "@tessera/engine";
import { type TestEngine, type TestOptions, testEngine } from "@tessera/engine/testing";
import { importBpmn } from "@tessera/interchange";
import { sqliteStore } from "@tessera/persist/sqlite";
import { onTestFinished } from "vitest";
import { BY } from "./bpmn-run.ts";

/** An engine on a file, and its run "run". */
export interface Opened extends TestEngine {
  readonly run: RunHandle;
  readonly close: () => Promise<void>;
  readonly state: () => Promise<RunView>;
  readonly complete: (node: string, data?: { readonly [key: string]: Json }) => Promise<void>;
}

/** A database file of the test's own. */
export function database(): string {
  const folder = mkdtempSync(join(tmpdir(), "tessera-stopped-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "runs.sqlite");
}

/** An engine on the file; closed, with its store, by `close`. */
export function opened(path: string, options: TestOptions = {}): Opened {
  const store = sqliteStore({ path });
  const test = testEngine({
    prover: async () => ({ obligations: [], labels: null, assumptions: [] }),
    ...options,
    store,
  });
  test.engine.resume();
  const close = async () => {
    await test.engine.close();
    await store.close();
  };
  const run = test.engine.run("run");
  const state = async () => accepted(await run.state());
  const complete = async (node: string, data: { readonly [key: string]: Json } = {}) => {
    accepted(await run.complete({ node, by: BY, data }));
    await test.settle();
  };
  return { ...test, run, close, state, complete };
}

/** The definition of the only process of a file that must be imported. */
export async function definitionOf(text: string): Promise<WorkflowDefinition> {
  const imported = await importBpmn(text);
  if (!imported.ok) throw new Error(JSON.stringify(imported.issues));
  const [process] = imported.value.processes;
  if (process === undefined) throw new Error("no process");
  return process.definition;
}

/** Deploys and starts in a first engine, which is given back open. */
export async function begun(
  path: string,
  definition: WorkflowDefinition,
  options: TestOptions = {},
  data: { readonly [key: string]: Json } = {},
): Promise<Opened> {
  const first = opened(path, options);
  accepted(await first.engine.deploy(definition));
  accepted(await first.engine.start({ workflow: definition.id, id: "run", data }));
  await first.settle();
  return first;
}
