/** @module Fragments: the transitions of a node, from its entries, its outcomes and its branches. */
import { DONE, type FragmentBuilder, type Phase, type ResetSet } from "@tessera/core";
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
 * branch of o. A wait is a token at rest plus exactly one open item.
 *
 * @definition D6.5
 */
export function restFragment(b: FragmentBuilder): void {
  const rest = b.place(`${b.node.id}.active`, { kind: "rest", node: b.index });
  for (const { consumed, ...taken } of entries(b)) {
    b.transition({
      id: variantId(b, "start", consumed, null, []),
      ...taken,
      post: [[rest, 1]],
      origin: { node: b.index, phase: "start", consumed, chosen: [] },
    });
  }
  produce(b, "finish", [{ pre: [[rest, 1]], consumed: [] }]);
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
 * end e and continues under e's label.
 *
 * @definition D6.7
 */
export function scopeFragment(b: FragmentBuilder, labelOf: (endNode: number) => string): void {
  const content = b.content();
  for (const { consumed, ...taken } of entries(b)) {
    b.transition({
      id: variantId(b, "enter", consumed, null, []),
      ...taken,
      post: [[content.source, 1]],
      origin: { node: b.index, phase: "enter", consumed, chosen: [] },
    });
  }
  const ends = content.ends.map((end) => ({ ...end, outcome: labelOf(end.node) }));
  for (const outcome of new Set(ends.map((end) => end.outcome))) {
    const ways = branches(b, outcome);
    for (const { node, place } of ends.filter((end) => end.outcome === outcome)) {
      for (const { post, chosen } of ways) {
        const id = `${variantId(b, "leave", [], outcome, chosen)}<${b.graph.definition.nodes[node]?.id}`;
        const origin = { node: b.index, phase: "leave", consumed: [], outcome, chosen } as const;
        b.transition({ id, pre: [[place, 1]], post, origin });
      }
    }
  }
}

/** One transition for each way in, outcome and way out. A choice chain is made once and shared by every way in. */
function produce(
  b: FragmentBuilder,
  phase: Phase,
  ways: readonly Entry[],
  encoding: OrEncoding = "by-structure",
): void {
  const out = b.alphabet.flatMap((outcome) =>
    branches(b, outcome, encoding).map((branch) => ({ ...branch, outcome })),
  );
  for (const { consumed, ...taken } of ways) {
    for (const { outcome, post, chosen } of out) {
      const id = variantId(b, phase, consumed, outcome, chosen);
      b.transition({ id, ...taken, post, origin: { node: b.index, phase, consumed, outcome, chosen } });
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
