/** @module What nodes can answer: outcomes that the world may choose, and keys of D that may get any value with them. */
import {
  type BodyKind,
  type CompiledWorkflow,
  ERROR,
  EXPIRED,
  type Outcome,
  type WorkflowNode,
} from "@tessera/core";
import { eventsOf, hasArcs, isEventLabel, mergeBlocks, multiOf } from "@tessera/gateways";
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

/**
 * Why the data level says nothing of a workflow; null if it does: parts whose effect on D is not described here.
 */
export function unsupported({ definition, graph }: CompiledWorkflow): string | null {
  if (mergeBlocks(graph).length > 0) return "blocks that hold changes back are not modelled with their data";
  for (const node of definition.nodes) {
    if (multiOf(node) !== null) return `the instances of "${node.id}" are not modelled with their data`;
    if (node.meta?.activation !== undefined)
      return `the activation of "${node.id}" is not modelled with data`;
    if (eventsOf(node).some((event) => !hasArcs(event)))
      return `what handlers of "${node.id}" write is not modelled`;
  }
  return null;
}

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
  const event = eventsOf(node).find(({ id }) => id === outcome);
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

/** The keys that a mapping writes; null where it maps every key. */
function mappedKeys(mapping: unknown): readonly string[] | null {
  if (typeof mapping !== "object" || mapping === null) return [];
  const keys = Object.keys(mapping);
  return keys.includes("*") ? null : keys;
}

/** For each slot the values that the answer may leave there, as indices; null where it leaves what was there. */
export function allowedCells(
  domain: Domain,
  { keys, fields, mayUnset }: Writes,
): readonly (readonly number[] | null)[] {
  const { slots, questions } = domain;
  return slots.map(({ reference: { key, path }, values }) => {
    if (questions.passKeys.has(key) || (keys !== null && !keys.includes(key))) return null;
    const isThere = (cell: number) => mayUnset || path.length > 0 || values[cell] !== undefined;
    const all = values.map((_, cell) => cell).filter(isThere);
    const field = fields?.find((one) => one.key === key);
    if (field === undefined || path.length > 0) return all;
    return all.filter((cell) => isFilled(field, values[cell]));
  });
}

function isFilled(field: Field, value: Value): boolean {
  return value !== undefined && isOfType(value, field);
}
