/** @module BPMN files written as text, imported and run by the engine, for tests of the kinds of fault of other engines. */
import type { Data, Json } from "@tessera/core";
import { accepted, type RunHandle } from "@tessera/engine";
import { type TestEngine, type TestOptions, testEngine } from "@tessera/engine/testing";
import { importBpmn } from "@tessera/interchange";

/** Who completes tasks. */
export const BY = { id: "tester" };

/** A file with one process `p` around `content`. */
export function file(content: string, before = ""): string {
  return `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" id="d" targetNamespace="t" expressionLanguage="feel">${before}<process id="p" isExecutable="true">${content}</process></definitions>`;
}

/** Flows "a > b" or "a > b : condition". */
export function flows(...given: readonly string[]): string {
  return given
    .map((text, index) => {
      const [, source, target, condition] = /^(\S+) > (\S+?)(?: : (.*))?$/u.exec(text) ?? [];
      const inner =
        condition === undefined
          ? ""
          : `<conditionExpression>${condition.replace(/</gu, "&lt;")}</conditionExpression>`;
      return `<sequenceFlow id="f${index}" sourceRef="${source}" targetRef="${target}">${inner}</sequenceFlow>`;
    })
    .join("");
}

/** A run, and what a test does with it. */
export interface Running {
  readonly test: TestEngine;
  readonly run: RunHandle;
  readonly trace: readonly string[];
  readonly complete: (...nodes: readonly string[]) => Promise<void>;
  readonly status: () => Promise<string>;
  readonly data: () => Promise<Data>;
}

/** Starts the last process of a file; a port appends its name to the trace and answers what `answers` says. */
export async function start(
  text: string,
  data: { readonly [key: string]: Json } = {},
  answers: Readonly<Record<string, (data: Data) => { readonly [key: string]: Json }>> = {},
  options: TestOptions = {},
): Promise<Running> {
  const imported = await importBpmn(text);
  if (!imported.ok)
    throw new Error(imported.issues.map(({ code, message }) => `${code} ${message}`).join("\n"));
  const definitions = imported.value.processes.map(({ definition }) => definition);
  const trace: string[] = [];
  const names = definitions.flatMap(({ nodes }) => nodes.flatMap(({ meta }) => meta?.["port"] ?? []));
  const test = testEngine({
    ports: Object.fromEntries(
      names.map((name) => [
        String(name),
        ({ data: seen }: { readonly data: Data }) => {
          trace.push(String(name));
          return { patch: answers[String(name)]?.(seen) ?? {} };
        },
      ]),
    ),
    prover: async () => ({ obligations: [], labels: null, assumptions: [] }),
    ...options,
  });
  for (const definition of definitions) accepted(await test.engine.deploy(definition));
  const run = accepted(await test.engine.start({ workflow: definitions.at(-1)?.id ?? "", id: "run", data }));
  await test.settle();
  return {
    test,
    run,
    trace,
    complete: async (...nodes) => {
      for (const node of nodes) {
        accepted(await run.complete({ node, by: BY }));
        await test.settle();
      }
    },
    status: async () => accepted(await run.state()).status,
    data: async () => accepted(await run.state()).data,
  };
}

/** A start event `s` and an end event `e`. */
export const ends = `<startEvent id="s"/><endEvent id="e"/>`;
/** A task that a port does. */
export const tool = (id: string) => `<serviceTask id="${id}" name="${id}"/>`;
/** A task that a person does. */
export const user = (id: string, more = "") => `<userTask id="${id}">${more}</userTask>`;
