/** @module Runs that handle events beside a token, as far as they write what is asked: how many are open, begin and end. */
import type { CompiledWorkflow, Outcome, PlaceIndex, TransitionIndex } from "@tessera/core";
import { awaitedEvents, type NodeEvent } from "@tessera/gateways";
import { allowedCells, endOfHandler, isWrittenBy, writesOf } from "./answers-of-nodes.ts";
import { combinations } from "./combinations.ts";
import type { Domain } from "./domain.ts";
import type { Choice } from "./leaving.ts";
import type { MarkingFacts, Result, Stepper } from "./stepper.ts";

/**
 * An event whose handler writes keys that are asked: a case has, behind its slots, how many of its runs are open, up to
 * `countMax`. `isMore`: the greatest number stands for more as well. `isUnlimited`: the event can come any number of times.
 */
export interface CountedHandler {
  readonly node: number;
  readonly rest: PlaceIndex;
  readonly event: Outcome;
  readonly ended: Outcome;
  readonly countMax: number;
  readonly isMore: boolean;
  readonly isUnlimited: boolean;
}

/** Open runs of one handler that are told apart. */
const COUNT_MAX = 2;

/**
 * The handlers of the workflow whose ends a case must know of; those that write nothing that is asked change no answer.
 *
 * @definition D23.9
 */
export function countedHandlers(
  { definition, net, kinds }: CompiledWorkflow,
  { questions, slotsOfKey }: Pick<Domain, "questions" | "slotsOfKey">,
): readonly CountedHandler[] {
  const isAsked = (key: string) => slotsOfKey.has(key) && !questions.passKeys.has(key);
  return definition.nodes.flatMap((node, index) => {
    const rest = net.places.findIndex(({ origin }) => origin?.kind === "rest" && origin.node === index);
    return awaitedEvents(node).flatMap((event): readonly CountedHandler[] => {
      const ended = endOfHandler(event);
      if (ended === null) return [];
      const { keys } = writesOf(questions, kinds[index]!.body(node), node, index, ended);
      if (keys === null ? ![...slotsOfKey.keys()].some(isAsked) : !keys.some(isAsked)) return [];
      const openMax = event.handler?.openMax ?? 0;
      const countMax = Math.min(openMax, COUNT_MAX);
      const isMore = openMax > countMax;
      return [
        { node: index, rest, event: event.id, ended, countMax, isMore, isUnlimited: isUnlimited(event) },
      ];
    });
  });
}

/** A repetition without a number of times, but for one of a duration and an end (D9.7). */
const ENDLESS = /^R\/(?!\s*[-+]?P[^/]*\/)/iu;

/** A message or signal can be sent again; a time without an end comes again. */
function isUnlimited({ on, time }: NodeEvent): boolean {
  return on !== "timer" || (time !== null && time.by === "cycle" && ENDLESS.test(time.text));
}

/** The case after a firing: a reset takes the handlers of the nodes whose rest places it empties. */
export function emptied(
  { compiled, domain, handlers }: Stepper,
  fired: readonly TransitionIndex[],
  cells: readonly number[],
): readonly number[] {
  if (handlers.length === 0) return cells;
  const reset = new Set(fired.flatMap((t) => compiled.net.transitions[t]!.reset));
  return handlers.reduce<readonly number[]>(
    (now, { rest }, at) => (reset.has(rest) ? now.with(domain.slots.length + at, 0) : now),
    cells,
  );
}

/** The runs that may begin beside a token, and those that may end, with what they leave. */
export function besideChoices(
  stepper: Stepper,
  { marking }: MarkingFacts,
  cells: readonly number[],
): readonly Choice[] {
  const { domain, compiled, handlers } = stepper;
  return handlers.flatMap((handler, at) => {
    const { node, rest, countMax, isMore, event, ended } = handler;
    const index = domain.slots.length + at;
    const count = cells[index]!;
    const found: Choice[] = [];
    const add = (outcome: Outcome, afterwards: readonly (readonly number[])[], isSure: boolean) => {
      const results = afterwards.map((after): Result => {
        return { kind: "state", marking, cells: after, fired: [], outcome };
      });
      const settings = { isSure, isPlayable: isSure, isProvision: false, isBeside: true } as const;
      found.push({ node, outcome, cells: afterwards[0]!, ...settings, results, gap: null, isGapSure: false });
    };
    if ((marking[rest] ?? 0) > 0 && count < countMax)
      add(event, [cells.with(index, count + 1)], handler.isUnlimited);
    if (count === 0) return found;
    const writes = writesOf(
      domain.questions,
      compiled.kinds[node]!.body(compiled.definition.nodes[node]!),
      compiled.definition.nodes[node]!,
      node,
      ended,
    );
    for (const after of combinations(
      domain,
      allowedCells(domain, writes),
      cells,
      () => true,
      isWrittenBy(domain, writes),
    )) {
      const isLast = !isMore || count < countMax;
      const counts = isLast ? [count - 1] : [count - 1, count];
      add(
        ended,
        counts.map((left) => after.cells.with(index, left)),
        after.isRoom && after.isFree,
      );
    }
    return found;
  });
}
