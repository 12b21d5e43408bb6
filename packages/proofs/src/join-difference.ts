/** @module Where BPMN's and YAWL's rules for OR-joins differ on what a definition can reach. */
import type { Compiled, NonLocalRules } from "@tessera/core";
import { joinRules, orJoinRules } from "@tessera/gateways";
import { advance, markingAt, sequenceTo, stateSpace } from "./state-space.ts";
import type { Run } from "./verdict.ts";

/**
 * same: the rules agree in every reachable marking. differs: a shortest run to a marking in which they do not, the rule
 * of the join, and what each says. unknown: they agree in the markings that fit within `statesMax`.
 */
export type JoinDifference =
  | { readonly kind: "same"; readonly states: number }
  | {
      readonly kind: "differs";
      readonly rule: string;
      readonly run: Run;
      readonly bpmn: boolean;
      readonly yawl: boolean;
    }
  | { readonly kind: "unknown"; readonly states: number };

/**
 * Do the two rules of `joinSemantics` agree on every marking that `compiled` reaches under its own? What differs is found
 * in the order of breadth, so its run is shortest. Cost: the states, and for each the questions of its joins.
 *
 * @definition D15.12
 */
export function joinDifference(
  compiled: Compiled,
  { statesMax = 100_000 }: { readonly statesMax?: number } = {},
): JoinDifference {
  const { net } = compiled;
  const [bpmn, yawl] = [joinRules(compiled, "bpmn"), joinRules(compiled, "yawl")];
  const space = stateSpace(net, { rules: orJoinRules(compiled) });
  const isComplete = advance(space, statesMax) === "complete";
  const joins = net.transitions.flatMap(({ rule, any }, t) =>
    rule === undefined || any.length === 0 ? [] : [{ rule, t }],
  );
  const says = (rules: NonLocalRules, rule: string, t: number, marking: Run["marking"]) =>
    rules.get(rule)?.(net, marking, t) === true;
  for (let state = 0; state < space.store.count && joins.length > 0; state += 1) {
    const marking = markingAt(space, state);
    for (const { rule, t } of joins) {
      const answers = { bpmn: says(bpmn, rule, t, marking), yawl: says(yawl, rule, t, marking) };
      if (answers.bpmn === answers.yawl) continue;
      return { kind: "differs", rule, run: { sequence: sequenceTo(space, state), marking }, ...answers };
    }
  }
  return { kind: isComplete ? "same" : "unknown", states: space.store.count };
}
