/** @module Models of a token simulator: its trace of what is entered and left, and ours, told apart only by the order of independent steps. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WorkflowDefinition } from "@tessera/core";
import { accepted, type RunHandle } from "@tessera/engine";
import { type TestEngine, testEngine } from "@tessera/engine/testing";
import { importBpmn } from "@tessera/interchange";

export const SIMULATION: string = fileURLToPath(
  new URL("../../../shared/data/bpmn/token-simulation", import.meta.url),
);

/** The elements that tokens left, in both orders, and the flows between them; or why there is nothing of ours. */
export type Simulated =
  | { readonly kind: "refused"; readonly codes: readonly string[] }
  | {
      readonly kind: "ran";
      readonly theirs: readonly string[];
      readonly ours: readonly string[];
      readonly flows: readonly (readonly [from: string, to: string])[];
    };

interface Told {
  readonly by: "enter" | "exit" | "signal";
  readonly element: string;
}

/** The trace of the simulator, without its scopes. */
function told(model: string): readonly Told[] {
  const events: readonly string[] = JSON.parse(readFileSync(join(SIMULATION, `${model}.json`), "utf8"));
  return events.flatMap((event) => {
    const [by, element = ""] = event.split(":");
    if (by !== "enter" && by !== "exit" && by !== "signal") return [];
    return [{ by, element }];
  });
}

/** Runs a model, waking what the simulator woke, in its order; only elements that are nodes on both sides are told. */
export async function simulate(model: string): Promise<Simulated> {
  const imported = await importBpmn(readFileSync(join(SIMULATION, `${model}.bpmn`)));
  if (!imported.ok) return { kind: "refused", codes: [...new Set(imported.issues.map(({ code }) => code))] };
  const processes = imported.value.processes;
  const test = testEngine({
    // The simulator takes the default where there is one, and all flows where there is no choice.
    conditions: { unspecified: () => ({ kind: "value", value: false }) },
    authorize: () => true,
    prover: async () => ({ obligations: [], labels: null, assumptions: [] }),
  });
  for (const { definition } of processes) accepted(await test.engine.deploy(definition));
  const main = processes.at(-1)?.definition;
  if (main === undefined) throw new Error(`${model} has no process`);
  const run = accepted(
    await test.engine.start({
      workflow: main.id,
      id: "run",
      data: { ...times(main), startEvent: firstOf(model) },
    }),
  );
  for (const { by, element } of told(model)) if (by !== "enter") await wake(test, run, element, by);
  await test.settle();
  const elements = new Map(processes.flatMap(({ elements: known }) => [...known]));
  const isTold = (node: string) => {
    const element = elements.get(node);
    return (
      element !== undefined &&
      (element.id === node || (element.type === "endEvent" && !node.endsWith(":end")))
    );
  };
  const exits = await exitsOf(run, test);
  await test.engine.close();
  // The process itself is told as well, and is no node.
  const nodes = new Set([...elements.values()].flatMap(({ id, type }) => (type === "process" ? [] : [id])));
  const theirs = told(model).flatMap(({ by, element }) =>
    by === "exit" && nodes.has(element) ? [element] : [],
  );
  const ours = exits.filter(isTold).map((node) => elements.get(node)?.id ?? node);
  const text = readFileSync(join(SIMULATION, `${model}.bpmn`), "utf8");
  const flows = [...text.matchAll(/sourceRef="([^"]+)"\s+targetRef="([^"]+)"/gu)].map(
    ([, from = "", to = ""]) => [from, to] as const,
  );
  return { kind: "ran", theirs, ours, flows };
}

/** The start event that the simulator was told to start. */
function firstOf(model: string): string {
  return told(model).find(({ by }) => by === "exit")?.element ?? "";
}

/** A second for every timer that has no time of its own. */
function times({ nodes }: WorkflowDefinition): { readonly [key: string]: string } {
  const keys = nodes.flatMap(({ meta }) => {
    const events = Array.isArray(meta?.["events"]) ? (meta["events"] as readonly { key?: unknown }[]) : [];
    return [meta?.["key"], ...events.map(({ key }) => key)].filter((key) => typeof key === "string");
  });
  return Object.fromEntries(keys.map((key) => [key, "PT1S"]));
}

/** Completes the element's work, or lets its time come. What has happened by itself is left alone. */
async function wake(test: TestEngine, run: RunHandle, element: string, by: "exit" | "signal"): Promise<void> {
  await test.settle();
  const { items } = accepted(await run.state());
  const item = items.find(({ node }) => node === element);
  if (item?.kind === "work-item" && by === "exit")
    accepted(await run.complete({ node: element, by: { id: "simulator" } }));
  const waited = items.find(
    ({ node, kind, subscriptions = [] }) =>
      (node === element && kind === "timer") ||
      subscriptions.some(({ event, on }) => event === element && on === "timer"),
  );
  if (by === "signal" && waited?.dueAt !== undefined)
    await test.clock.advance(Math.max(1, waited.dueAt - test.clock.now()));
}

/** The nodes that tokens left, as the history of the run has them. */
async function exitsOf(run: RunHandle, test: TestEngine): Promise<readonly string[]> {
  const history = accepted(await test.engine.history(run.id));
  return history.events.flatMap((event) => {
    if (event.kind !== "step" || event.node === undefined) return [];
    const left = (event.fired ?? []).filter((name) => /\.(?:step|finish|leave)\b/u.test(name));
    return left.map(() => event.node ?? "");
  });
}

/** Models that have both a file and a trace. */
export function isComplete(model: string): boolean {
  return existsSync(join(SIMULATION, `${model}.bpmn`)) && existsSync(join(SIMULATION, `${model}.json`));
}
