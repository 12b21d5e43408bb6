/** @module Several instances of a call on plain data, read from the text of D23.8, for checkers. */
import {
  type CompiledWorkflow,
  type Condition,
  type Data,
  DONE,
  ERROR,
  enabledTransitions,
  type Outcome,
  parseCondition,
  type TransitionIndex,
} from "@tessera/core";
import { awaitedEvents, fixedPoint, type MultiInstance, multiOf } from "@tessera/gateways";
import { endOfHandler } from "../data-level/answers-of-nodes.ts";
import type { World } from "./data-frame.ts";
import { type Leaving, leave, moved, type PlainStep } from "./data-leave.ts";
import { untoldOf } from "./data-untold.ts";

/** `isSteady`: the list does not change under the instances, and no condition that is asked lacks an answer. */
export interface Several extends MultiInstance {
  readonly isSteady: boolean;
}

/** Nodes with several instances, by index. */
export function severalOf(
  compiled: CompiledWorkflow,
  mayWrite: (node: number, outcome: Outcome, key: string) => boolean,
): ReadonlyMap<number, Several> {
  const found = new Map<number, Several>();
  for (const [node, given] of compiled.definition.nodes.entries()) {
    const multi = multiOf(given);
    if (multi === null) continue;
    const { mode, collection, completion, count } = multi;
    const parsed = completion === null ? null : parseCondition(completion);
    const isAsked = parsed?.ok === true && (collection !== null || count > 1);
    const isFixed =
      mode === "parallel" || collection === null || !changes(compiled, node, collection, mayWrite);
    found.set(node, { ...multi, isSteady: isFixed && !(isAsked && !hasAnswer(parsed.value)) });
  }
  return found;
}

/** Can a step that writes the key come while a token rests at the node? */
function changes(
  { definition, net }: CompiledWorkflow,
  own: number,
  key: string,
  mayWrite: (node: number, outcome: Outcome, key: string) => boolean,
): boolean {
  for (const [node, given] of definition.nodes.entries()) {
    const ends = awaitedEvents(given).flatMap((event) => endOfHandler(event) ?? []);
    if (ends.some((ended) => mayWrite(node, ended, key))) return true;
  }
  const rest = net.places.findIndex(({ origin }) => origin?.kind === "rest" && origin.node === own);
  const together = fixedPoint(net);
  for (const { origin, pre } of net.transitions) {
    const isEnd = origin?.node === own && origin.phase === "finish";
    if (origin?.outcome === undefined || isEnd || !mayWrite(origin.node, origin.outcome, key)) continue;
    if (pre.every(([place]) => place === rest || together.areCoMarked(rest, place))) return true;
  }
  return false;
}

const COUNTS = ["Instances", "ActiveInstances", "CompletedInstances", "TerminatedInstances"];

/** Does the condition have an answer on every D? Equality has, and the order of the counts among numbers. */
function hasAnswer(condition: Condition): boolean {
  if (condition.kind === "not") return hasAnswer(condition.condition);
  if (condition.kind === "all" || condition.kind === "any") return condition.conditions.every(hasAnswer);
  if (condition.kind === "isAssigned") return true;
  if (condition.kind !== "compare") return false;
  const { op, left, right } = condition;
  if (op === "is" || op === "isNot") return true;
  const isCount = ({ key, path }: typeof left) =>
    path.length === 0 && COUNTS.some((one) => key === `numberOf${one}`);
  const isNumber = right.kind === "constant" ? typeof right.value === "number" : isCount(right.reference);
  return ["greaterThan", "atLeast", "lessThan", "atMost"].includes(op) && isCount(left) && isNumber;
}

/** The data in which the key of the results holds a list, where it is asked for; the empty one if there are no instances. */
function withLists(
  { asked, answersTo }: World,
  node: number,
  { results }: MultiInstance,
  data: Data,
  isEmpty: boolean,
): readonly Data[] {
  if (results === null || !asked.has(results)) return [data];
  const all = answersTo(node, DONE, data).map((answer) => answer.data);
  const empty = all.filter(
    (one) => isEmpty && (one[results] as readonly unknown[] | undefined)?.length === 0,
  );
  return empty.length > 0 ? empty : all;
}

/** The token comes to rest, or leaves in the same step: done without instances, under error without a list. */
export function severalBegin(
  leaving: Leaving,
  node: number,
  several: Several,
  first: TransitionIndex,
  data: Data,
): PlainStep {
  const { world, isOrdered } = leaving;
  const isPlayable = several.results === null || !world.asked.has(several.results);
  const rested = moved(leaving, node, first, data);
  const [begun] = rested.results;
  if (begun?.kind !== "state") return rested;
  const list = several.collection === null ? null : (data[several.collection] ?? null);
  const total = several.collection === null ? several.count : Array.isArray(list) ? list.length : -1;
  const lists = withLists(world, node, several, data, total === 0);
  if (total > 0) return { ...rested, isPlayable, results: lists.map((one) => ({ ...begun, data: one })) };
  const { marking, open } = begun;
  const enabled = enabledTransitions(world.program.net, marking, world.program.rules);
  const group = (world.program.finish.get(node) ?? []).filter((t) => enabled.includes(t));
  const resting: Leaving = { world, marking, open, group, isOrdered };
  const left =
    total < 0
      ? leave(resting, node, ERROR, data, data)
      : untoldOf(
          lists.map((one) => leave(resting, node, DONE, one, data)),
          { isPlayable },
        );
  const results = left.results.map((one) =>
    one.kind === "state" ? { ...one, fired: [first, ...one.fired] } : one,
  );
  return { ...left, results };
}

/** The instances are done, or, where they may not all be, the node ends under error; with results, one of many is. */
export function severalDone(
  leaving: Leaving,
  node: number,
  several: Several,
  data: Data,
): readonly PlainStep[] {
  const { world, marking, open } = leaving;
  const isAsked = several.results !== null && world.asked.has(several.results);
  const lists = withLists(world, node, several, data, false);
  const done = lists.map((one) => leave(leaving, node, DONE, one, data));
  const broken = several.isSteady ? [] : [leave(leaving, node, ERROR, data, data)];
  const end = untoldOf([...done, ...broken], { isPlayable: !isAsked });
  if (!isAsked || done.length === 0) return [end];
  const results = lists.map((one) => ({ kind: "state", marking, data: one, open, fired: [] }) as const);
  return [end, { ...end, outcome: null, isSure: false, gap: "never", results }];
}
