/** @module What nodes can answer: outcomes that the world may choose, and keys of D that may get any value with them. */
import { type BodyKind, DONE, ERROR, EXPIRED, type Outcome, type WorkflowNode } from "@tessera/core";
import { eventsOf, isEventLabel, multiOf, type NodeEvent } from "@tessera/gateways";
import { type Field, isOfType, type Questions } from "./conditions-read.ts";
import type { Domain, Value } from "./domain.ts";

/**
 * Keys that an answer may set: null for every key. `fields`: those of a form, which must be filled. `mayUnset`: functions
 * and ports may take keys away; people, events and called runs only leave out what they do not set.
 */
export interface Writes {
  readonly keys: readonly string[] | null;
  readonly fields: readonly Field[] | null;
  readonly mayUnset: boolean;
}

const NO_WRITES: Writes = { keys: [], fields: null, mayUnset: false };

/** May a person or somebody outside answer so? What they answer can be refused, and they can answer again. */
export function isAnsweredByPerson(body: BodyKind, node: WorkflowNode, outcome: Outcome): boolean {
  return (body === "work-item" || body === "external") && isAnswer(node, outcome);
}

/** Is the label one that a body answers with, not the clock or an event? */
function isAnswer(node: WorkflowNode, outcome: Outcome): boolean {
  const listed = node.meta?.outcomes;
  const isListed = Array.isArray(listed) && listed.includes(EXPIRED);
  return (outcome !== EXPIRED || isListed) && !isEventLabel(node, outcome);
}

/**
 * The keys that `node` may write with `outcome`: those that it declares, of a form its fields, of a call its outputs, of
 * an event its payload; every key where nothing is declared. Pass keys are left out by who asks.
 */
export function writesOf(
  questions: Questions,
  body: BodyKind,
  node: WorkflowNode,
  index: number,
  outcome: Outcome,
): Writes {
  const declared = node.writes ?? null;
  const within = (keys: readonly string[] | null): readonly string[] | null =>
    declared === null ? keys : keys === null ? declared : keys.filter((key) => declared.includes(key));
  const handled = eventsOf(node).find((event) => endOfHandler(event) === outcome);
  if (handled !== undefined)
    return { keys: within(mappedKeys(handled.handler?.outputs)), fields: null, mayUnset: false };
  const event = eventsOf(node).find(({ id }) => id === outcome);
  if (event?.handler != null) return NO_WRITES;
  if (event !== undefined) return { keys: within(mappedKeys(event.payload)), fields: null, mayUnset: false };
  switch (body) {
    case "inline":
    case "job":
      return isAnswer(node, outcome) ? { keys: declared, fields: null, mayUnset: true } : NO_WRITES;
    case "work-item":
    case "external": {
      if (!isAnswer(node, outcome)) return NO_WRITES;
      const fields = questions.forms[index] ?? null;
      return { keys: within(fields?.map(({ key }) => key) ?? null), fields, mayUnset: false };
    }
    case "child":
      return outcome === ERROR || outcome === "cancelled"
        ? NO_WRITES
        : { keys: within(mappedKeys(node.meta?.outputs)), fields: null, mayUnset: false };
    default:
      return NO_WRITES;
  }
}

/** May the node set `key` under the outcome? A verifier writes its verdict, several instances the list of their results. */
export function mayWrite(
  questions: Questions,
  body: BodyKind,
  node: WorkflowNode,
  index: number,
  outcome: Outcome,
  key: string,
): boolean {
  if (node.kind === "verifier" && typeof node.meta?.passKey === "string")
    return outcome === DONE && node.meta.passKey === key;
  if (outcome === DONE && multiOf(node)?.results === key) return true;
  const { keys } = writesOf(questions, body, node, index, outcome);
  return !questions.passKeys.has(key) && (keys === null || keys.includes(key));
}

/** The outcome under which the end of a handler is told; null where the event has none. No node has it (D23.9). */
export function endOfHandler({ id, handler }: NodeEvent): Outcome | null {
  return handler === null ? null : `${id}: ended`;
}

/** The keys that a mapping writes; null where it maps every key. A "*" that does not stand for itself maps none (D20.16). */
function mappedKeys(mapping: unknown): readonly string[] | null {
  if (typeof mapping !== "object" || mapping === null) return [];
  const isOfAll = ([key, from]: readonly [string, unknown]) => key === "*" && from === "*";
  return Object.entries(mapping).some(isOfAll) ? null : Object.keys(mapping).filter((key) => key !== "*");
}

/** For each slot the values that the answer may leave there, as indices; null where it leaves what was there. */
export function allowedCells(
  domain: Domain,
  { keys, fields, mayUnset }: Writes,
): readonly (readonly number[] | null)[] {
  const { slots, questions } = domain;
  const isWritten = isWrittenBy(domain, { keys, fields, mayUnset });
  return slots.map(({ reference: { key, path }, values }, slot) => {
    const group = domain.told?.groups.find((one) => one.slot === slot);
    if (group !== undefined) return [...group.keys].some(isWritten) ? values.map((_, cell) => cell) : null;
    if (questions.passKeys.has(key) || (keys !== null && !keys.includes(key))) return null;
    const isThere = (cell: number) => mayUnset || path.length > 0 || values[cell] !== undefined;
    const all = values.map((_, cell) => cell).filter(isThere);
    const field = fields?.find((one) => one.key === key);
    if (field === undefined || path.length > 0) return all;
    return all.filter((cell) => isFilled(field, values[cell]));
  });
}

/** Is a key one that the answer may set? Verdicts of loops are for verifiers alone. */
export function isWrittenBy({ questions }: Domain, { keys }: Writes): (key: string) => boolean {
  return (key) => !questions.passKeys.has(key) && (keys === null || keys.includes(key));
}

function isFilled(field: Field, value: Value): boolean {
  return value !== undefined && isOfType(value, field);
}
