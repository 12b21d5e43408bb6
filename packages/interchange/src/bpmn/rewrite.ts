/** @module What BPMN defines by plainer elements is written with those: loops, several tokens at once, several events at one. */
import type { IssueLog } from "../issue-log.ts";
import type { BpmnFlow, EventDefinition } from "./model.ts";
import {
  connect,
  insertAfter,
  madeNode,
  moveIncoming,
  moveOutgoing,
  type OpenNode,
  type OpenScope,
  type Rewriting,
} from "./open-model.ts";
import { expressionOf, type Raw, textOf, typeOf } from "./raw.ts";
import { noteKey, refuse } from "./unsupported.ts";
import { implementation } from "./vendor.ts";

/** Rounds of a loop, and tokens at once, that are written out. */
const COPIES_MAX = 20;

/**
 * Writes loop activities, completion quantities and events with several definitions with plainer elements.
 *
 * @definition D14.17
 */
export function rewriteNodes(rewriting: Rewriting, scope: OpenScope, log: IssueLog): void {
  for (const node of [...scope.nodes]) {
    if (node.loop !== undefined && typeOf(node.loop) === "standardLoopCharacteristics")
      writeLoop(rewriting, scope, node, node.loop, log);
    writeQuantity(rewriting, scope, node, log);
    const isAwaited = node.incoming.some(({ source }) => source.type === "eventBasedGateway");
    if (node.type === "receiveTask" && isAwaited && node.message === undefined)
      node.message = { type: "messageEventDefinition", raw: node.raw, xml: node.xml, reference: undefined };
    if (node.message !== undefined) writeMessageTask(rewriting, node, node.message);
    if (node.definitions.length > 1) writeEvents(rewriting, scope, node);
  }
}

function againBy(key: string): NonNullable<BpmnFlow["condition"]> {
  return { text: key, language: undefined, data: { key, op: "is", value: true } };
}

/**
 * A loop: the condition is asked by an exclusive gateway behind the activity, or before it. With a maximum, or with
 * nothing else, the rounds are written one behind the other.
 */
function writeLoop(rewriting: Rewriting, scope: OpenScope, node: OpenNode, loop: Raw, log: IssueLog): void {
  const written = expressionOf(loop, "loopCondition");
  const isOpen = (written === undefined || written.text === "") && typeof loop["loopMaximum"] !== "number";
  if (isOpen) noteKey(log, node, "when it goes round again: a run reads true or false");
  const condition = isOpen ? againBy(node.element.id) : written;
  const hasCondition = condition !== undefined && condition.text !== "";
  const max = loop["loopMaximum"];
  const isFirst = loop["testBefore"] === true;
  const roundsMax = typeof max === "number" ? max : undefined;
  if (roundsMax !== undefined && (roundsMax < 1 || roundsMax > COPIES_MAX)) {
    refuse(log, node, "BPMN038", `a loopMaximum of ${roundsMax}; from 1 to ${COPIES_MAX} are supported`);
    return;
  }
  if (roundsMax !== undefined && (node.content !== undefined || node.boundaries.length > 0)) {
    refuse(log, node, "BPMN038", "a loopMaximum on a subprocess or beside boundary events is not supported");
    return;
  }
  node.loop = undefined;
  const out = madeNode(node, rewriting.fresh(`${node.id}:out`), "intermediateThrowEvent");
  moveOutgoing(node, out);
  const rounds = [node];
  while (rounds.length < (roundsMax ?? 1)) rounds.push(copyOf(rewriting, node, rounds.length + 1));
  const tests = !hasCondition
    ? []
    : rounds.map((_, index) => {
        const wish = index === 0 ? `${node.id}:loop` : `${node.id}:loop:${index + 1}`;
        return madeNode(node, rewriting.fresh(wish), "exclusiveGateway");
      });
  insertAfter(scope, node, ...rounds.slice(1), ...tests, out);
  const [firstTest] = tests;
  if (isFirst && firstTest !== undefined) moveIncoming(node, firstTest);
  rounds.forEach((round, index) => {
    const next = roundsMax === undefined ? node : rounds[index + 1];
    const before = isFirst ? tests[index] : undefined;
    const behind = isFirst ? (roundsMax === undefined ? firstTest : tests[index + 1]) : tests[index];
    if (before !== undefined) ask(rewriting, scope, before, round, out, condition);
    if (isFirst || behind === undefined) {
      connect(rewriting, scope, round, (isFirst ? behind : next) ?? out);
      return;
    }
    connect(rewriting, scope, round, next === undefined ? out : behind);
    if (next !== undefined) ask(rewriting, scope, behind, next, out, condition);
  });
  const used = new Set(scope.flows.flatMap(({ source, target }) => [source, target]));
  for (const test of tests) if (!used.has(test)) scope.nodes.splice(scope.nodes.indexOf(test), 1);
}

function ask(
  rewriting: Rewriting,
  scope: OpenScope,
  test: OpenNode,
  again: OpenNode,
  out: OpenNode,
  condition: ReturnType<typeof expressionOf>,
): void {
  connect(rewriting, scope, test, again, condition);
  test.defaultFlow = connect(rewriting, scope, test, out);
}

function copyOf({ fresh }: Rewriting, node: OpenNode, round: number): OpenNode {
  return { ...node, id: fresh(`${node.id}:${round}`), incoming: [], outgoing: [], boundaries: [] };
}

/** More than one token when the activity is complete: a fork of so many flows to where its flows leave. */
function writeQuantity(rewriting: Rewriting, scope: OpenScope, node: OpenNode, log: IssueLog): void {
  const quantity = node.completionQuantity;
  if (quantity === undefined || quantity === 1) return;
  if (typeof quantity !== "number" || !(quantity > 1) || quantity > COPIES_MAX) {
    refuse(log, node, "BPMN044", `a completionQuantity of ${String(quantity)} is not supported`);
    return;
  }
  node.completionQuantity = undefined;
  const fork = madeNode(node, rewriting.fresh(`${node.id}:tokens`), "parallelGateway");
  const out = madeNode(node, rewriting.fresh(`${node.id}:out`), "intermediateThrowEvent");
  moveOutgoing(node, out);
  insertAfter(scope, node, fork, out);
  connect(rewriting, scope, node, fork);
  for (let token = 0; token < quantity; token += 1) connect(rewriting, scope, fork, out);
}

/**
 * A receive task with a message is an event that catches it, within a subprocess where boundary events stand at it; a
 * send task with one, for which no engine is told how to send it, an event that throws it.
 */
function writeMessageTask(rewriting: Rewriting, node: OpenNode, message: EventDefinition): void {
  node.message = undefined;
  if (node.type === "sendTask") {
    if (implementation(node.xml) !== undefined || textOf(node.raw, "implementation") !== undefined) return;
    if (node.boundaries.length > 0) return;
    node.type = "intermediateThrowEvent";
    node.definitions = [message];
    return;
  }
  if (node.boundaries.length === 0) {
    node.type = "intermediateCatchEvent";
    node.definitions = [message];
    return;
  }
  const inner = madeNode(node, rewriting.fresh(`${node.id}:receive`), "intermediateCatchEvent");
  inner.definitions = [message];
  node.type = "subProcess";
  node.content = { nodes: [inner], flows: [] };
}

/** Several definitions: all are thrown, one after the other; any one is caught, or all if the event says so. */
function writeEvents(rewriting: Rewriting, scope: OpenScope, node: OpenNode): void {
  const part = (type: string, index: number): OpenNode => ({
    ...madeNode(node, rewriting.fresh(`${node.id}:${index + 1}`), type),
    isInterrupting: node.isInterrupting,
    definitions: node.definitions.slice(index, index + 1),
  });
  const indices = node.definitions.map((_, index) => index);
  switch (node.type) {
    case "intermediateThrowEvent":
    case "endEvent": {
      // What ends the scope comes last.
      const ordered = [...node.definitions].sort(
        (a, b) => Number(isEnding(a.type)) - Number(isEnding(b.type)),
      );
      node.definitions = ordered;
      const before = indices.slice(0, -1).map((index) => part("intermediateThrowEvent", index));
      const [first] = before;
      if (first === undefined) return;
      moveIncoming(node, first);
      insertAfter(scope, node, ...before);
      before.forEach((event, index) => void connect(rewriting, scope, event, before[index + 1] ?? node));
      node.definitions = ordered.slice(-1);
      return;
    }
    case "intermediateCatchEvent": {
      const isAll = node.raw["parallelMultiple"] === true;
      const fork = madeNode(
        node,
        rewriting.fresh(`${node.id}:events`),
        isAll ? "parallelGateway" : "eventBasedGateway",
      );
      const events = indices.map((index) => part("intermediateCatchEvent", index));
      moveIncoming(node, fork);
      insertAfter(scope, node, fork, ...events);
      for (const event of events) {
        connect(rewriting, scope, fork, event);
        connect(rewriting, scope, event, node);
      }
      node.type = isAll ? "parallelGateway" : "intermediateThrowEvent";
      node.definitions = [];
      if (isAll) splitBehind(rewriting, scope, node);
      return;
    }
    case "boundaryEvent": {
      if (node.raw["parallelMultiple"] === true) return;
      const host = scope.nodes.find(({ boundaries }) => boundaries.includes(node));
      if (host === undefined) return;
      const events = indices.map((index) => part("boundaryEvent", index));
      host.boundaries.splice(host.boundaries.indexOf(node), 1, ...events);
      insertAfter(scope, node, ...events);
      for (const event of events) connect(rewriting, scope, event, node);
      node.type = "intermediateThrowEvent";
      node.definitions = [];
      return;
    }
    default:
      return;
  }
}

function isEnding(type: string): boolean {
  return (
    type === "terminateEventDefinition" || type === "errorEventDefinition" || type === "cancelEventDefinition"
  );
}

/** A parallel gateway ignores conditions: what leaves the event leaves a node of its own. */
function splitBehind(rewriting: Rewriting, scope: OpenScope, node: OpenNode): void {
  const out = madeNode(node, rewriting.fresh(`${node.id}:out`), "intermediateThrowEvent");
  moveOutgoing(node, out);
  insertAfter(scope, node, out);
  connect(rewriting, scope, node, out);
}
