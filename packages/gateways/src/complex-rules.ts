/** @module The names of the rules of complex gateways, and the one that does not look beyond the gateway's own places. */
import type { Net, NonLocalRule, NonLocalRules } from "@tessera/core";

const STARTS = "complex:";
const RESTS = "complex-rest:";

/** The rule of the transitions by which the complex gateway `node` starts. */
export function startRule(node: string): string {
  return `${STARTS}${node}`;
}

/** The rule of the transition by which the complex gateway at index `node` gives up its input `arc`. */
export function restRule(node: number, arc: number): string {
  return `${RESTS}${node}:${arc}`;
}

/** Node and arc of a rule that `restRule` made; null for any other. */
export function restOf(rule: string): { readonly node: number; readonly arc: number } | null {
  if (!rule.startsWith(RESTS)) return null;
  const [node = -1, arc = -1] = rule.slice(RESTS.length).split(":").map(Number);
  return { node, arc };
}

/** Does the name belong to a rule by which a complex gateway starts? */
export function isStartRule(rule: string): boolean {
  return rule.startsWith(STARTS);
}

/**
 * The rules by which the complex gateways of `net` start: no input of theirs is still to be waited for, so that no
 * second round begins before the first is over.
 */
export function startRules(net: Net): NonLocalRules {
  const rules = new Map<string, NonLocalRule>();
  for (const { rule, origin } of net.transitions) {
    if (rule === undefined || origin === undefined || !isStartRule(rule) || rules.has(rule)) continue;
    const late = net.places.flatMap((place, index) =>
      place.origin?.kind === "skip" && place.origin.node === origin.node ? [index] : [],
    );
    rules.set(rule, (_net, M) => late.every((place) => M[place] === 0));
  }
  return rules;
}
