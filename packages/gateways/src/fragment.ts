/** @module Fragments: the transitions of a node, from its entries, its outcomes and its branches. */
import { DONE, type FragmentBuilder, type Phase, type ResetSet } from "@tessera/core";
import { type Entry, entries } from "./join.ts";
import { branches } from "./split.ts";

/**
 * An automatic node: one transition t(n, entry, o, branch) for each entry, outcome and branch.
 *
 * @definition D6.4
 */
export function stepFragment(b: FragmentBuilder): void {
  for (const entry of entries(b)) produce(b, "step", entry);
}

/**
 * A node that waits: a rest place `n.active`, start(n) from each entry to it, and finish(n, o) from it to each
 * branch of o. A wait is a token at rest plus exactly one open item.
 *
 * @definition D6.5
 */
export function restFragment(b: FragmentBuilder): void {
  const rest = b.place(`${b.node.id}.active`, { kind: "rest", node: b.index });
  for (const { pre, consumed } of entries(b)) {
    b.transition({
      id: variantId(b, "start", consumed, null, []),
      pre,
      post: [[rest, 1]],
      origin: { node: b.index, phase: "start", consumed, chosen: [] },
    });
  }
  produce(b, "finish", { pre: [[rest, 1]], consumed: [] });
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
  for (const { pre, consumed } of entries(b)) {
    b.transition({
      id: variantId(b, "step", consumed, DONE, []),
      pre,
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
  for (const { pre, consumed } of entries(b)) {
    b.transition({
      id: variantId(b, "enter", consumed, null, []),
      pre,
      post: [[content.source, 1]],
      origin: { node: b.index, phase: "enter", consumed, chosen: [] },
    });
  }
  for (const { node, place } of content.ends) {
    for (const branch of branches(b, labelOf(node))) {
      const outcome = labelOf(node);
      const id = `${variantId(b, "leave", [], outcome, branch.chosen)}<${b.graph.definition.nodes[node]?.id}`;
      const origin = { node: b.index, phase: "leave", consumed: [], outcome, chosen: branch.chosen } as const;
      b.transition({ id, pre: [[place, 1]], post: branch.post, origin });
    }
  }
}

function produce(b: FragmentBuilder, phase: Phase, { pre, consumed }: Entry): void {
  for (const outcome of b.alphabet) {
    for (const { post, chosen } of branches(b, outcome)) {
      b.transition({
        id: variantId(b, phase, consumed, outcome, chosen),
        pre,
        post,
        origin: { node: b.index, phase, consumed, outcome, chosen },
      });
    }
  }
}

/** Unique in the net: node, phase, arcs in, outcome, arcs out. */
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
