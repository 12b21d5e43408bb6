/** @module The elements and flows of a BPMN process that is being written, with ids that XML allows. */
import type { Issue, Path } from "@tessera/core";
import type { InterchangeCode } from "../issue-codes.ts";
import type { FlowCondition } from "./feel-text.ts";

/** An element: `extensions` and `body` are XML text, before and behind its references to flows. */
export interface PlannedElement {
  readonly id: string;
  readonly tag: string;
  readonly name: string;
  readonly attributes: Map<string, string>;
  extensions: string;
  body: string;
  /** Id of the subprocess that holds it; undefined for the process. */
  readonly scope: string | undefined;
  readonly incoming: string[];
  readonly outgoing: string[];
}

/** A sequence flow. */
export interface PlannedFlow {
  readonly id: string;
  readonly source: PlannedElement;
  readonly target: PlannedElement;
  readonly condition: FlowCondition | null;
}

/** A process under construction. */
export interface Plan {
  readonly elements: PlannedElement[];
  readonly flows: PlannedFlow[];
  /** Error codes with the ids of their definitions. */
  readonly errors: Map<string, string>;
  readonly issues: Issue[];
  readonly warnings: Issue[];
  readonly taken: Set<string>;
}

/** A plan with nothing in it. */
export function emptyPlan(): Plan {
  return { elements: [], flows: [], errors: new Map(), issues: [], warnings: [], taken: new Set() };
}

/** Adds an element whose id is `wanted`, or like it where XML does not allow that or it is taken. */
export function addElement(
  plan: Plan,
  wanted: string,
  tag: string,
  name: string,
  scope: string | undefined,
): PlannedElement {
  const id = freshId(plan, wanted);
  const element: PlannedElement = {
    id,
    tag,
    name,
    attributes: new Map(),
    extensions: "",
    body: "",
    scope,
    incoming: [],
    outgoing: [],
  };
  plan.elements.push(element);
  return element;
}

/** Adds a flow. Viewers and layouts find it by what stands at its ends, so both ends name it. */
export function addFlow(
  plan: Plan,
  source: PlannedElement,
  target: PlannedElement,
  condition: FlowCondition | null = null,
): PlannedFlow {
  const flow = { id: freshId(plan, `flow${plan.flows.length + 1}`), source, target, condition };
  plan.flows.push(flow);
  source.outgoing.push(flow.id);
  target.incoming.push(flow.id);
  return flow;
}

/** The id of the definition of an error code. */
export function errorId(plan: Plan, code: string): string {
  const known = plan.errors.get(code) ?? freshId(plan, `error${plan.errors.size + 1}`);
  plan.errors.set(code, known);
  return known;
}

/** An id that XML allows and nothing else has: letters, digits, `_`, `.` and `-` stay, the rest becomes its number. */
export function freshId(plan: Plan, wanted: string): string {
  const safe = wanted.replace(/[^A-Za-z0-9_.-]/gu, (c) => `_${(c.codePointAt(0) ?? 0).toString(16)}_`);
  const start = /^[A-Za-z_]/.test(safe) ? safe : `_${safe}`;
  let id = start;
  for (let i = 2; plan.taken.has(id); i += 1) id = `${start}_${i}`;
  plan.taken.add(id);
  return id;
}

/** What BPMN cannot say of the definition. */
export function refuse(plan: Plan, code: InterchangeCode, path: Path, message: string): void {
  plan.issues.push({ code, path, message: message.slice(0, 400) });
}

/** What is left out of the file. */
export function leaveOut(plan: Plan, code: InterchangeCode, path: Path, message: string): void {
  plan.warnings.push({ code, path, message: message.slice(0, 400), severity: "warning" });
}

/** Character data and attribute values, whatever the text. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"\t\n\r]/gu, (c) => `&#${c.charCodeAt(0)};`);
}

/** Items by key, keys and items in the order of the list. */
export function grouped<K, T>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const known = groups.get(keyOf(item));
    if (known === undefined) groups.set(keyOf(item), [item]);
    else known.push(item);
  }
  return groups;
}
