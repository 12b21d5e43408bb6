/** @module Writing a workflow as a BPMN 2.0 process with a diagram. */
import { bad, type Issue, ok, type Result, type WorkflowDefinition } from "@tessera/core";
import type { NetText } from "../net-text.ts";
import { emptyPlan, escaped, grouped, type Plan, type PlannedElement, type PlannedFlow } from "./plan.ts";
import { planProcess } from "./plan-process.ts";

/**
 * Writes `definition` as a BPMN 2.0 process: its nodes as events, tasks, gateways and subprocesses, its outcomes as
 * boundary events and gateways behind tasks, its guards in FEEL, with a diagram that a library lays out. What BPMN cannot
 * say is an issue, what is left out a warning; nothing is dropped silently.
 * Law: `importBpmn` of the text gives a workflow with the same verdict and the same tasks to do, in the same orders.
 * Errors: BPMN080 to BPMN083, all at once. Cost: linear, and that of the layout.
 *
 * @definition D11.19
 */
export async function exportBpmn(definition: WorkflowDefinition): Promise<Result<NetText, readonly Issue[]>> {
  const plan = emptyPlan();
  // The process comes first, so that its id is the definition's.
  const processId = planProcess(plan, definition);
  if (plan.issues.length > 0) return bad(plan.issues);
  const text = xmlOf(plan, definition, processId);
  // The library is only needed here.
  const { layoutProcess } = await import("bpmn-auto-layout");
  return ok({ text: `${(await layoutProcess(text)).trimEnd()}\n`, warnings: plan.warnings });
}

function xmlOf(plan: Plan, definition: WorkflowDefinition, processId: string): string {
  const inner = grouped(plan.elements, ({ scope }) => scope);
  const flows = grouped(plan.flows, ({ source }) => source.scope);
  const content = (scope: string | undefined): string =>
    [
      ...(inner.get(scope) ?? []).map((element) => elementText(element, content(element.id))),
      ...(flows.get(scope) ?? []).map(flowText),
    ].join("");
  const errors = [...plan.errors].map(
    ([code, id]) => `<error id="${id}" errorCode="${escaped(code)}" name="${escaped(code)}"/>`,
  );
  const name = escaped(definition.label ?? definition.id);
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' +
    ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="urn:tessera">' +
    `${errors.join("")}<process id="${processId}" name="${name}" isExecutable="true">${content(undefined)}</process></definitions>`
  );
}

function elementText(element: PlannedElement, content: string): string {
  const attributes = [...element.attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
  const name = element.name === "" ? "" : ` name="${escaped(element.name)}"`;
  const extensions =
    element.extensions === "" ? "" : `<extensionElements>${element.extensions}</extensionElements>`;
  const flows = [
    ...element.incoming.map((id) => `<incoming>${id}</incoming>`),
    ...element.outgoing.map((id) => `<outgoing>${id}</outgoing>`),
  ].join("");
  return `<${element.tag} id="${element.id}"${name}${attributes}>${extensions}${flows}${element.body}${content}</${element.tag}>`;
}

function flowText({ id, source, target, condition }: PlannedFlow): string {
  const start = `<sequenceFlow id="${id}" sourceRef="${source.id}" targetRef="${target.id}"`;
  if (condition === null) return `${start}/>`;
  const language =
    condition.language === undefined || condition.language === "unspecified"
      ? ""
      : ` language="${escaped(condition.language)}"`;
  return `${start}><conditionExpression xsi:type="tFormalExpression"${language}>${escaped(condition.text)}</conditionExpression></sequenceFlow>`;
}
