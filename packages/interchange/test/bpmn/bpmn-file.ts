/** @module BPMN files for tests, written as text. */
import type { Issue, WorkflowDefinition } from "@tessera/core";
import { type BpmnOptions, importBpmn } from "../../src/index.ts";

export const MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL";

/** A file with one executable process `p` around `content`; `before` stands before the process. */
export function file(content: string, before = "", attributes = ""): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="${MODEL}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" id="d" targetNamespace="t" ${attributes}>
${before}
<process id="p" isExecutable="true">
${content}
</process></definitions>`;
}

/** Sequence flows "a > b", numbered f1, f2, ...; "a > b : x = 1" has a condition. */
export function flows(...given: readonly string[]): string {
  return given
    .map((text, index) => {
      const [, source, target, condition] = /^(\S+) > (\S+?)(?: : (.*))?$/u.exec(text) ?? [];
      const inner =
        condition === undefined
          ? ""
          : `<conditionExpression>${condition.replace(/&/gu, "&amp;").replace(/</gu, "&lt;")}</conditionExpression>`;
      return `<sequenceFlow id="f${index + 1}" sourceRef="${source}" targetRef="${target}">${inner}</sequenceFlow>`;
    })
    .join("\n");
}

/** The definitions of a file that must be imported. */
export async function imported(
  text: string,
  options: BpmnOptions = {},
): Promise<{ readonly definitions: readonly WorkflowDefinition[]; readonly warnings: readonly Issue[] }> {
  const result = await importBpmn(text, options);
  if (!result.ok) throw new Error(result.issues.map(({ code, message }) => `${code} ${message}`).join("\n"));
  return {
    definitions: result.value.processes.map(({ definition }) => definition),
    warnings: result.value.warnings,
  };
}

/** The only definition of such a file. */
export async function definitionOf(text: string, options: BpmnOptions = {}): Promise<WorkflowDefinition> {
  const { definitions } = await imported(text, options);
  const [only, ...more] = definitions;
  if (only === undefined || more.length > 0) throw new Error(`${definitions.length} definitions`);
  return only;
}

/** The issues of a file that must be refused. */
export async function issuesOf(
  source: string | Uint8Array,
  options: BpmnOptions = {},
): Promise<readonly Issue[]> {
  const result = await importBpmn(source, options);
  if (result.ok) throw new Error("the file was imported");
  return result.issues;
}

/** The node of a definition. */
export function nodeOf(definition: WorkflowDefinition, id: string): WorkflowDefinition["nodes"][number] {
  const node = definition.nodes.find((other) => other.id === id);
  if (node === undefined)
    throw new Error(`no node ${id} among ${definition.nodes.map((n) => n.id).join(", ")}`);
  return node;
}

/** Arcs as texts: `a -> b`, `a -error-> b`; with `?` where there is a guard and `*` at a default. */
export function arcsOf(definition: WorkflowDefinition): readonly string[] {
  return definition.arcs
    .map((arc) => {
      const marks = `${arc.guard === undefined ? "" : "?"}${arc.default === true ? "*" : ""}`;
      return `${arc.from} -${arc.outcome ?? ""}${arc.outcome === undefined ? "" : "-"}> ${arc.to}${marks}`;
    })
    .sort();
}
