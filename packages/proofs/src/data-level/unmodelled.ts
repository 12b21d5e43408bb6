/** @module Why the data level says nothing of a workflow: parts whose effect on D it does not describe, by name. */
import type { CompiledWorkflow, DataType, WorkflowNode } from "@tessera/core";
import { eventsOf, mergeBlocks, multiOf, thrownBy } from "@tessera/gateways";
import { endOfHandler } from "./answers-of-nodes.ts";
import { type Field, isOfType, type Questions, typeOf } from "./conditions-read.ts";
import type { Domain } from "./domain.ts";

/** The reason, in ids of nodes and keys; null if every part is described. */
export function unmodelled({ definition, graph, kinds }: CompiledWorkflow, domain: Domain): string | null {
  const { questions, slotsOfKey } = domain;
  for (const { closer, merges } of mergeBlocks(graph)) {
    const key = [...merges.keys()].find((one) => slotsOfKey.has(one));
    const id = definition.nodes[closer]!.id;
    if (key !== undefined)
      return `"${id}" merges what its branches write to "${key}", and a condition asks for it`;
  }
  for (const [index, node] of definition.nodes.entries()) {
    const results = multiOf(node)?.results ?? null;
    if (results !== null) {
      if (node.writes !== undefined && !node.writes.includes(results))
        return `"${node.id}" collects its results in "${results}", which it does not declare to write`;
      const type = typeOf(questions, results);
      const isList = type === undefined || ((type.type === "array" || type.type === "any") && !type.values);
      if (!isList || questions.passKeys.has(results))
        return `"${node.id}" collects its results in "${results}", which takes no list`;
    }
    const body = kinds[index]!.body(node);
    const form = body === "work-item" || body === "external" ? (questions.forms[index] ?? []) : [];
    // Where cases tell the value of the key, they tell that none fits.
    const idle = form.find((field) => !isCase(domain, field.key) && !isFillable(field, questions));
    if (idle !== undefined)
      return `"${node.id}" asks for "${idle.key}", which no value of its declaration can fill`;
    const outside = form.find((field) => !field.isOptional && !isWritable(node, field, questions));
    if (outside !== undefined) return `"${node.id}" asks for "${outside.key}", which it may not write`;
    const clash = eventsOf(node).map(endOfHandler);
    if (kinds[index]!.alphabet(node).some((outcome) => clash.includes(outcome)))
      return `"${node.id}" has an outcome with the name of the end of a handler`;
    // Whether the message or the clock can be waited for depends on the case then, and the product lets both happen.
    const waited = keysWaitedFor(node);
    const read = waited.find(({ key }) => slotsOfKey.has(key));
    if (read !== undefined)
      return `"${node.id}" takes from "${read.key}" what it waits for or sends, and a condition asks for it`;
    const none = waited.find((one) => !isHeld(one, typeOf(questions, one.key) ?? ANYTHING));
    if (none !== undefined)
      return `"${node.id}" takes from "${none.key}" what it waits for or sends, and no value of its declaration is such`;
  }
  return null;
}

function isCase({ slots }: Domain, key: string): boolean {
  return slots.some(({ reference }) => reference.key === key && reference.path.length === 0);
}

/** Is there a value that the form takes and the declaration allows? A field that may be left out always can be. */
function isFillable(field: Field, questions: Questions): boolean {
  const declared = typeOf(questions, field.key) ?? ANYTHING;
  const listed = field.values ?? declared.values;
  if (field.isOptional) return true;
  if (listed !== undefined)
    return listed.some((value) => isOfType(value, field) && isOfType(value, declared));
  const types = [field.type, declared.type];
  const isNumber = (type: string) => type === "number" || type === "integer";
  return field.type === declared.type || types.includes("any") || types.every(isNumber);
}

/** May the node write what the form asks for? Verdicts of loops are for verifiers alone. */
function isWritable({ writes }: WorkflowNode, { key }: Field, { passKeys }: Questions): boolean {
  return !passKeys.has(key) && writes?.includes(key) !== false;
}

const ANYTHING: DataType = { type: "any" };

/** A key of D from which a node takes the key of a message, any scalar, or a time, a text. */
interface Waited {
  readonly key: string;
  readonly isTime: boolean;
}

function keysWaitedFor(node: WorkflowNode): readonly Waited[] {
  const at = (key: unknown, isTime: boolean): readonly Waited[] =>
    typeof key === "string" ? [{ key, isTime }] : [];
  const ofEvents = eventsOf(node).flatMap(({ key, time }) => [
    ...at(key, false),
    ...at(time?.by === "key" ? time.key : null, true),
  ]);
  return [
    ...ofEvents,
    ...at(node.kind === "timer" ? node.meta?.key : null, true),
    ...at(thrownBy(node)?.key, false),
  ];
}

/** Does the declaration allow some value that a message can carry as its key, or a text? */
function isHeld({ isTime }: Waited, type: DataType): boolean {
  const taken = isTime ? ["string"] : ["string", "number", "integer", "boolean"];
  if (type.values !== undefined)
    return type.values.some((value) => value !== "" && isOfType(value, type) && taken.includes(typeof value));
  return type.type === "any" || taken.includes(type.type);
}
