/** @module Fragments: the transitions of a node, from its entries, its outcomes and its branches. */
import {
  DONE,
  ERROR,
  type FragmentBuilder,
  type Outcome,
  type Phase,
  type ResetSet,
  type WeightedPlace,
} from "@tessera/core";
import { type Beside, beside, raises } from "./event-fragment.ts";
import { awaitedEvents, eventOutcomes } from "./events.ts";
import { type Entry, entries } from "./join.ts";
import type { OrEncoding } from "./or-encoding.ts";
import { branches } from "./split.ts";

/**
 * An automatic node: one transition t(n, entry, o, branch) for each entry, outcome and branch.
 *
 * @definition D6.4
 */
export function stepFragment(b: FragmentBuilder, encoding: OrEncoding = "by-structure"): void {
  produce(b, "step", entries(b, encoding), encoding);
}

/**
 * A node that waits: a rest place `n.active`, start(n) from each entry to it, and finish(n, o) from it to each
 * branch of o. A wait is a token at rest plus exactly one open item. Events that leave the wait open stand beside it
 * (D17.2).
 *
 * @definition D6.5
 */
export function restFragment(b: FragmentBuilder): void {
  const rest = restPlace(b);
  const aside = beside(b);
  for (const { consumed, ...taken } of entries(b)) {
    b.transition({
      id: variantId(b, "start", consumed, null, []),
      ...taken,
      post: [[rest, 1], ...aside.armed],
      origin: { node: b.index, phase: "start", consumed, chosen: [] },
    });
  }
  const outcomes = b.alphabet.filter((outcome) => !aside.labels.has(outcome));
  finishes(b, rest, outcomes, aside);
}

/** The rest place of the builder's node. */
function restPlace(b: FragmentBuilder): number {
  return b.place(`${b.node.id}.active`, { kind: "rest", node: b.index });
}

/** finish(n, o) for `outcomes`, one for each state of what stands beside the rest place. */
function finishes(
  b: FragmentBuilder,
  rest: number,
  outcomes: readonly Outcome[],
  { ways }: Beside,
  reset?: ResetSet,
): void {
  for (const outcome of outcomes) {
    for (const { post, chosen } of branches(b, outcome)) {
      for (const { pre, suffix } of ways) {
        b.transition({
          id: `${variantId(b, "finish", [], outcome, chosen)}${suffix}`,
          pre: [[rest, 1], ...pre],
          post,
          ...(reset === undefined ? {} : { reset }),
          ...(ways.length > 1 ? { generated: true } : {}),
          origin: { node: b.index, phase: "finish", consumed: [], outcome, chosen },
        });
      }
    }
  }
}

/**
 * An end: the token rests on the end place. A terminate end empties everything else in its scope first.
 *
 * @definition D6.6
 */
export function endFragment(b: FragmentBuilder): void {
  const end = b.place(`${b.node.id}.end`, { kind: "end", node: b.index });
  const reset: { reset?: ResetSet } =
    b.node.meta?.terminate === true ? { reset: { scope: b.node.scope ?? null } } : {};
  for (const { consumed, ...taken } of entries(b)) {
    b.transition({
      id: variantId(b, "step", consumed, DONE, []),
      ...taken,
      post: [[end, 1]],
      ...reset,
      origin: { node: b.index, phase: "step", consumed, outcome: DONE, chosen: [] },
    });
  }
}

/**
 * An embedded subprocess: enter(n) marks the source place of its content; leave(n, e) takes the token of the inner
 * end e and continues under e's label. With events a token rests at n meanwhile; an interrupting one, finish(n, o),
 * takes it and empties the content.
 *
 * @definition D6.7
 * @definition D17.9
 */
export function scopeFragment(b: FragmentBuilder, labelOf: (endNode: number) => string): void {
  const content = b.content();
  const awaited = awaitedEvents(b.node);
  const aside = beside(b);
  const rest: readonly WeightedPlace[] = awaited.length > 0 ? [[restPlace(b), 1]] : [];
  for (const { consumed, ...taken } of entries(b)) {
    b.transition({
      id: variantId(b, "enter", consumed, null, []),
      ...taken,
      post: [[content.source, 1], ...rest, ...aside.armed],
      origin: { node: b.index, phase: "enter", consumed, chosen: [] },
    });
  }
  const ends = content.ends.map((end) => ({ ...end, outcome: labelOf(end.node) }));
  for (const outcome of new Set(ends.map((end) => end.outcome))) {
    const ways = branches(b, outcome);
    for (const { node, place } of ends.filter((end) => end.outcome === outcome)) {
      for (const { post, chosen } of ways) {
        const id = `${variantId(b, "leave", [], outcome, chosen)}<${b.graph.definition.nodes[node]!.id}`;
        const origin = { node: b.index, phase: "leave", consumed: [], outcome, chosen } as const;
        for (const { pre, suffix } of aside.ways) {
          const generated = aside.ways.length > 1 ? { generated: true } : {};
          b.transition({
            id: `${id}${suffix}`,
            pre: [[place, 1], ...rest, ...pre],
            post,
            ...generated,
            origin,
          });
        }
      }
    }
  }
  const interrupting = awaited.filter((event) => event.isInterrupting).map(({ id }) => id);
  const outcomes = [...interrupting, ...eventOutcomes(b.node).filter((outcome) => outcome === ERROR)];
  for (const [place] of rest) finishes(b, place, outcomes, aside, { scope: b.node.id, ends: true });
  raises(b);
}

/**
 * One transition for each way in, outcome and way out. A choice chain is made once and shared by every way in.
 * `also`: what `done` marks besides.
 */
export function produce(
  b: FragmentBuilder,
  phase: Phase,
  ways: readonly Entry[],
  encoding: OrEncoding,
  also: readonly WeightedPlace[] = [],
): void {
  const out = b.alphabet.flatMap((outcome) =>
    branches(b, outcome, encoding).map((branch) => ({ ...branch, outcome })),
  );
  for (const { consumed, ...taken } of ways) {
    for (const { outcome, post, chosen } of out) {
      const id = variantId(b, phase, consumed, outcome, chosen);
      const marked = outcome === DONE ? [...post, ...also] : post;
      b.transition({
        id,
        ...taken,
        post: marked,
        origin: { node: b.index, phase, consumed, outcome, chosen },
      });
    }
  }
}

/** Unique among the node's transitions: phase, arcs in, outcome, arcs out. */
function variantId(
  b: FragmentBuilder,
  phase: Phase,
  consumed: readonly number[],
  outcome: string | null,
  chosen: readonly number[],
): string {
  const into = consumed.length > 0 && b.inputs.length > 1 ? `<${consumed.join("+")}` : "";
  const label = outcome === null ? "" : `:${outcome}`;
  const out = chosen.length > 0 ? `>${chosen.join("+")}` : "";
  return `${b.node.id}.${phase}${into}${label}${out}`;
}
