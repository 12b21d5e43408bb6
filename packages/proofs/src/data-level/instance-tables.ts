/** @module Nodes that run several instances, and whether what begins there can also be done. */
import {
  type CompiledWorkflow,
  type Condition,
  type DataReference,
  type Operand,
  parseCondition,
} from "@tessera/core";
import { eventsOf, fixedPoint, type MultiInstance, multiOf } from "@tessera/gateways";
import { endOfHandler, mayWrite } from "./answers-of-nodes.ts";
import type { Domain } from "./domain.ts";

/** `isSteady`: what begins can also be done, whatever comes meanwhile: no list shrinks, no condition lacks an answer. */
export interface Instances {
  readonly multi: MultiInstance;
  readonly isSteady: boolean;
}

/** The nodes that run several instances, by index. */
export function instancesOf(compiled: CompiledWorkflow, domain: Domain): ReadonlyMap<number, Instances> {
  const found = compiled.definition.nodes.flatMap(
    (node, index): readonly (readonly [number, Instances])[] => {
      const multi = multiOf(node);
      if (multi === null) return [];
      const mayShrink =
        multi.mode === "sequential" &&
        multi.collection !== null &&
        isWrittenBeside(compiled, domain, index, multi.collection);
      return [[index, { multi, isSteady: !mayShrink && !mayLackAnswer(multi) }]];
    },
  );
  return new Map(found);
}

const COUNTS: ReadonlySet<string> = new Set([
  "numberOfInstances",
  "numberOfActiveInstances",
  "numberOfCompletedInstances",
  "numberOfTerminatedInstances",
]);

/** Can the completion condition be without an answer? It is not asked after the last instance. */
function mayLackAnswer({ completion, collection, count }: MultiInstance): boolean {
  if (completion === null || (collection === null && count < 2)) return false;
  const parsed = parseCondition(completion);
  return parsed.ok && mayErr(parsed.value);
}

function mayErr(condition: Condition): boolean {
  switch (condition.kind) {
    case "all":
    case "any":
      return condition.conditions.some(mayErr);
    case "not":
      return mayErr(condition.condition);
    case "isAssigned":
      return false;
    case "compare":
      if (condition.op === "is" || condition.op === "isNot") return false;
      return !isCount(condition.left) || !isNumber(condition.right) || condition.op === "contains";
    default:
      return true;
  }
}

function isCount({ key, path }: DataReference): boolean {
  return COUNTS.has(key) && path.length === 0;
}

function isNumber(operand: Operand): boolean {
  return operand.kind === "constant" ? typeof operand.value === "number" : isCount(operand.reference);
}

/** May somebody write the key while a token rests at the node? Where tokens can be together is a safe guess (D16.1). */
function isWrittenBeside(
  { definition, net, kinds }: CompiledWorkflow,
  { questions }: Domain,
  own: number,
  key: string,
): boolean {
  const writes = (node: number, outcome: string): boolean => {
    const given = definition.nodes[node]!;
    return mayWrite(questions, kinds[node]!.body(given), given, node, outcome, key);
  };
  const isHandled = definition.nodes.some((node, index) =>
    eventsOf(node).some((event) => {
      const ended = endOfHandler(event);
      return ended !== null && writes(index, ended);
    }),
  );
  if (isHandled) return true;
  const rest = net.places.findIndex(({ origin }) => origin?.kind === "rest" && origin.node === own);
  const { areCoMarked } = fixedPoint(net);
  return net.transitions.some(({ origin, pre }) => {
    if (origin?.outcome === undefined || !writes(origin.node, origin.outcome)) return false;
    if (origin.node === own && origin.phase === "finish") return false;
    return pre.every(([place]) => place === rest || areCoMarked(place, rest));
  });
}
