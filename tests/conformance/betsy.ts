/** @module The cases of the betsy suite, run through import and engine: input to task trace. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConditionResult, Data, WorkflowDefinition } from "@tessera/core";
import { accepted, type Port } from "@tessera/engine";
import { testEngine } from "@tessera/engine/testing";
import { importBpmn } from "@tessera/interchange";

export const BETSY: string = fileURLToPath(new URL("../../../shared/data/bpmn/betsy", import.meta.url));

/** One line of the table of verdicts. */
export interface BetsyCase {
  readonly model: string;
  readonly input: string;
  readonly expected: string;
  readonly options: string;
}

/** What became of a case. outside: refused by the import, with the codes. */
export type BetsyResult =
  | { readonly kind: "outside"; readonly codes: readonly string[] }
  | { readonly kind: "ran"; readonly trace: readonly string[]; readonly status: string };

/** The cases whose model is there, in the order of the table. */
export function betsyCases(): readonly BetsyCase[] {
  const lines = readFileSync(join(BETSY, "VERDICTS.csv"), "utf8").trim().split("\n").slice(1);
  return lines.flatMap((line) => {
    const [model = "", , input = "", expected = "", options = ""] = line.split(",");
    return existsSync(join(BETSY, `${model}.bpmn`)) ? [{ model, input, expected, options }] : [];
  });
}

/** The script of a task, as INDEX.md says that it is bound; what it appends to the trace. */
function entryOf(script: string): string | null {
  const task = /^SCRIPT_task(\d+)$/u.exec(script)?.[1];
  if (task !== undefined) return `Task${task}`;
  if (script === "INCREMENT_INTEGER_VARIABLE_AND_LOG") return "Increment";
  return script === "CREATE_MARKER_FILE" ? "MarkerExists" : null;
}

function portOf(script: string, trace: string[]): Port {
  return ({ data }) => {
    const entry = entryOf(script);
    if (entry !== null) trace.push(entry);
    if (script === "THROW_ERROR") return { outcome: "ERR_CODE" };
    if (script === "SET_STRING_DATA") return { patch: { data: "String" } };
    if (script === "LOG_DATA") trace.push(data["data"] === "String" ? "DataCorrect" : "DataWrong");
    if (script === "INCREMENT_INTEGER_VARIABLE_AND_LOG")
      return { patch: { integerVariable: Number(data["integerVariable"] ?? 0) + 1 } };
    return undefined;
  };
}

function evaluate(text: string, data: Data): ConditionResult {
  if (text === "true" || text === "false") return { kind: "value", value: text === "true" };
  const letter = /^test\.contains\("(\w)"\)$/u.exec(text)?.[1];
  const test = data["test"];
  if (letter === undefined || typeof test !== "string")
    return { kind: "error", code: "TEST", message: `unknown condition ${text}`, facts: {} };
  return { kind: "value", value: test.includes(letter) };
}

/** Runs one case to rest, on a clock that is moved by an hour. */
export async function runBetsy({ model, input, options }: BetsyCase): Promise<BetsyResult> {
  const imported = await importBpmn(readFileSync(join(BETSY, `${model}.bpmn`)), {
    port: ({ script }) => script?.trim(),
  });
  if (!imported.ok) return { kind: "outside", codes: [...new Set(imported.issues.map(({ code }) => code))] };
  const definitions = imported.value.processes.map(({ definition }) => definition);
  const trace: string[] = [];
  const test = testEngine({
    ports: Object.fromEntries(scriptsOf(definitions).map((script) => [script, portOf(script, trace)])),
    conditions: { unspecified: evaluate },
    // Many of these models are unsound on purpose: here they run all the same.
    prover: async () => ({ obligations: [], labels: null, assumptions: [] }),
  });
  for (const definition of definitions) accepted(await test.engine.deploy(definition));
  const letters = input.startsWith("input") ? input.slice(5).toLowerCase() : "";
  const integer = /setIntegerVariable\((\d+)\)/u.exec(options)?.[1];
  const data = { test: letters, ...(integer === undefined ? {} : { integerVariable: Number(integer) }) };
  if (options.includes("useParallelProcess"))
    accepted(await test.engine.start({ workflow: "ParallelProcess", id: "parallel", data }));
  await test.settle();
  const main = definitions.find(({ id }) => id === model) ?? definitions[0];
  const run = accepted(await test.engine.start({ workflow: main?.id ?? "", id: "run", data }));
  await test.settle();
  await test.clock.advance("PT1H");
  const view = accepted(await run.state());
  await test.engine.close();
  return { kind: "ran", trace, status: view.status };
}

function scriptsOf(definitions: readonly WorkflowDefinition[]): readonly string[] {
  const ports = definitions.flatMap(({ nodes }) => nodes.map(({ meta }) => meta?.["port"]));
  return [...new Set(ports.filter((port) => typeof port === "string"))];
}

/** Does the trace say what the table says? The order of parallel tasks does not matter. */
export function agrees({ expected }: BetsyCase, result: BetsyResult & { readonly kind: "ran" }): boolean {
  if (expected === "(no assertion)") return true;
  if (expected === "RuntimeException" || expected === "GenericError") return result.status === "failed";
  const wanted = expected.split(" > ").sort();
  return wanted.join(" > ") === [...result.trace].sort().join(" > ");
}
