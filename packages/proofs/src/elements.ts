/** @module The elements of a net that O3 asks of: transitions, and what the compiler's variants have in common. */
import type { Net, TransitionIndex } from "@tessera/core";
import type { DeadElement, Element } from "./verdict.ts";

/**
 * The elements of `net`, each with the transitions that stand for it: every transition that an author or an imported
 * net wrote is one of its own. Variants that the compiler generated are not asked of one by one; their node with
 * phase and outcome, and each arc that they consume or choose (not skip), is one element, and all transitions that
 * share it stand for it.
 *
 * @definition D8.4
 */
export function elementsOf(net: Net): readonly DeadElement[] {
  const single = (t: TransitionIndex): DeadElement => ({
    element: { kind: "transition", transition: t },
    transitions: [t],
  });
  if (!net.transitions.some((t) => t.generated === true)) return net.transitions.map((_, t) => single(t));
  const elements: DeadElement[] = [];
  const outcomes = new Map<
    string,
    { element: Element; transitions: TransitionIndex[]; isGenerated: boolean }
  >();
  const arcs = new Map<number, { transitions: TransitionIndex[]; isGenerated: boolean }>();
  net.transitions.forEach(({ any, generated, origin }, t) => {
    const isGenerated = generated === true && origin !== undefined;
    if (!isGenerated) elements.push(single(t));
    if (origin === undefined) return;
    const { node, phase } = origin;
    const outcome = origin.outcome ?? null;
    const key = JSON.stringify([node, phase, outcome]);
    const group = outcomes.get(key) ?? {
      element: { kind: "outcome", node, phase, outcome },
      transitions: [],
      isGenerated: false,
    };
    outcomes.set(key, group);
    group.transitions.push(t);
    group.isGenerated ||= isGenerated;
    // A skip names the arc that it does not take; a join with optional inputs, arcs that it may find unmarked.
    const consumed = any.length > 0 ? [] : origin.consumed;
    for (const arc of phase === "skip" ? [] : new Set([...consumed, ...origin.chosen])) {
      const users = arcs.get(arc) ?? { transitions: [], isGenerated: false };
      arcs.set(arc, users);
      users.transitions.push(t);
      users.isGenerated ||= isGenerated;
    }
  });
  for (const { element, transitions, isGenerated } of outcomes.values()) {
    if (isGenerated) elements.push({ element, transitions });
  }
  for (const [arc, { transitions, isGenerated }] of [...arcs].sort(([a], [b]) => a - b)) {
    if (isGenerated) elements.push({ element: { kind: "arc", arc }, transitions });
  }
  return elements;
}
