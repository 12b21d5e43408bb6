/** @module Runs of handlers beside a token on plain data, read from the text of D23.9, for checkers. */
import type { CompiledWorkflow, Outcome, PlaceIndex, TransitionIndex } from "@tessera/core";
import { awaitedEvents, eventsOf } from "@tessera/gateways";
import { endOfHandler } from "../data-level/answers-of-nodes.ts";
import type { PlainState, World } from "./data-frame.ts";
import type { PlainResult, PlainStep } from "./data-leave.ts";

/** A handler that writes keys which are asked: at most `most` open runs are told apart. */
export interface Beside {
  readonly node: number;
  readonly rest: PlaceIndex;
  readonly event: Outcome;
  readonly ended: Outcome;
  readonly most: number;
  /** `most` stands for more as well. */
  readonly isOrMore: boolean;
  /** The event may come as often as somebody likes. */
  readonly isAgain: boolean;
}

/** The handlers that are counted, nodes and events in document order. */
export function besideOf(
  { definition, net }: CompiledWorkflow,
  asked: ReadonlySet<string>,
  mayWrite: (node: number, outcome: Outcome, key: string) => boolean,
): readonly Beside[] {
  const found: Beside[] = [];
  for (const [node, given] of definition.nodes.entries()) {
    for (const event of awaitedEvents(given)) {
      const ended = endOfHandler(event);
      if (ended === null || ![...asked].some((key) => mayWrite(node, ended, key))) continue;
      const openMax = event.handler!.openMax;
      // Without a number of times; one of a duration and an end stops there (D9.7).
      const [head = "", first = "", last] = event.time?.by === "cycle" ? event.time.text.split("/") : [];
      const isEndless = head.toUpperCase() === "R" && (last === undefined || !/^\s*[-+]?P/iu.test(first));
      found.push({
        node,
        rest: net.places.findIndex(({ origin }) => origin?.kind === "rest" && origin.node === node),
        event: event.id,
        ended,
        most: Math.min(2, openMax),
        isOrMore: openMax > 2,
        isAgain: event.on !== "timer" || isEndless,
      });
    }
  }
  return found;
}

/** Do two tokens rest at a node that awaits events beside them? Of these the net does not tell whose they are. */
export function isCrowded(
  { program, compiled }: Pick<World, "program" | "compiled">,
  { marking }: Pick<PlainState, "marking">,
): boolean {
  return [...program.restNode].some(
    ([place, node]) =>
      marking[place]! > 1 &&
      eventsOf(compiled.definition.nodes[node]!).some(
        (event) => !event.isInterrupting && event.handler === null,
      ),
  );
}

/** What is open after a firing: a reset of a rest place takes the handlers of its node. */
export function openAfter(
  { program, beside }: Pick<World, "program" | "beside">,
  fired: readonly TransitionIndex[],
  open: readonly number[],
): readonly number[] {
  const isTaken = ({ rest }: Beside) =>
    fired.some((t) => program.net.transitions[t]!.reset.some((place) => place === rest));
  return open.map((count, at) => (isTaken(beside[at]!) ? 0 : count));
}

/** A run begins while the token rests; an open one ends, and writes what it may or nothing. */
export function besideSteps(
  { beside, answersTo }: World,
  { marking, data, open }: PlainState,
  isOrdered: boolean,
): readonly PlainStep[] {
  const steps: PlainStep[] = [];
  for (const [at, { node, rest, event, ended, most, isOrMore, isAgain }] of beside.entries()) {
    const count = open[at]!;
    const step = (outcome: Outcome, after: typeof data, left: readonly number[], isSure: boolean) => {
      const results = left.map((now): PlainResult => {
        return { kind: "state", marking, data: after, open: open.with(at, now), fired: [] };
      });
      const said = { isSure, isPlayable: isSure, isProvision: false, isBeside: true, gap: "never" } as const;
      steps.push({ node, outcome, data: after, isOrdered, ...said, results });
    };
    if (marking[rest]! > 0 && count < most) step(event, data, [count + 1], isAgain);
    if (count === 0) continue;
    const left = isOrMore && count === most ? [count - 1, count] : [count - 1];
    for (const { data: after, isSure } of answersTo(node, ended, data)) step(ended, after, left, isSure);
  }
  return steps;
}
