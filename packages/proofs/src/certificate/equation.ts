/** @module Checks that no reachable marking is in a set, by the state equation, siphons and traps (T24.1). */
import { type Marking, type Net, netClass, type Transition, type TransitionIndex } from "@tessera/core";
import type { EquationCertificate, EquationStep, FarkasStep, WeightCertificate } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { type Constraint, faultGoals, type Goal, hasAtLeast, hasAtMost, isUpward, opposite } from "./goal.ts";
import { isPositive } from "./integer-vectors.ts";
import { checkSiphon, needs } from "./never-final.ts";

/** Markings that are left to exclude: what is true of them, and the transitions that no run from the start fires. */
interface Case {
  readonly constraints: readonly Constraint[];
  readonly dead: ReadonlySet<TransitionIndex>;
}

/**
 * Do the steps show that no marking reachable from `M` satisfies `goal`? Plain and weighted nets; where there are resets, of
 * the skeleton, for goals that more tokens do not leave (T24.9). Cost: linear in the net and the steps together, times the depth of the cases.
 *
 * @definition D24.3
 */
export function checkNever(net: Net, M: Marking, goal: Goal, steps: readonly EquationStep[]): Checked {
  const kind = netClass(net);
  if (kind === "non-local" || (kind === "reset" && !isUpward(goal)))
    return invalid("the state equation says nothing of this net");
  const sole = goal.filter((clause) => clause.length === 1).flat();
  const open: Case[] = [{ constraints: sole, dead: new Set() }];
  for (const [index, step] of steps.entries()) {
    const given = open.pop();
    if (given === undefined) return invalid(`step ${index} has no case`);
    const next = casesAfter(net, M, goal, given, step);
    if (typeof next === "string") return invalid(`step ${index}: ${next}`);
    open.push(...next.toReversed());
  }
  return open.length === 0 ? VALID : invalid(`${open.length} cases are left`);
}

/** Does the certificate show, by one argument each, that no marking reachable from `M` is in one of `goals`? */
export function checkAllNever(
  net: Net,
  M: Marking,
  goals: readonly Goal[],
  { proofs }: EquationCertificate,
): Checked {
  if (proofs.length !== goals.length) return invalid("not one argument for each set of markings");
  const checked = goals.map((goal, index) => checkNever(net, M, goal, proofs[index]!));
  return checked.find(({ kind }) => kind !== "valid") ?? VALID;
}

/** Does it show an obligation that speaks of single markings, or, by weights, that the net is bounded? */
export function checkNoFault(
  net: Net,
  id: string,
  certificate: EquationCertificate | WeightCertificate,
): Checked {
  if (certificate.kind === "weights")
    return id === "bounded" ? checkWeights(net, certificate) : invalid(`weights show nothing of ${id}`);
  const goals = faultGoals(net, id);
  return goals === null
    ? invalid(`the state equation shows nothing of ${id}`)
    : checkAllNever(net, net.initial, goals, certificate);
}

/** Do positive weights of all places bound the tokens of a net (T24.2, T24.9)? */
export function checkWeights(net: Net, { weights }: WeightCertificate): Checked {
  if (netClass(net) === "non-local") return invalid("weights say nothing of this net");
  if (weights.length !== net.places.length || !weights.every(isPositive))
    return invalid("the weights are not positive");
  const weigh = (side: Transition["pre"]) =>
    side.reduce((sum, [place, weight]) => sum + BigInt(weight) * BigInt(weights[place]!), 0n);
  const isRaised = net.transitions.some(({ pre, post }) => weigh(post) > weigh(pre));
  return isRaised ? invalid("a transition raises the weighted sum") : VALID;
}

/** The cases to which a step leads, the first first; or what is wrong with it. */
function casesAfter(
  net: Net,
  M: Marking,
  goal: Goal,
  { constraints, dead }: Case,
  step: EquationStep,
): readonly Case[] | string {
  const withMore = (...more: readonly Constraint[]): Case => ({
    constraints: [...constraints, ...more],
    dead,
  });
  switch (step.kind) {
    case "farkas":
      return refute(net, M, { constraints, dead }, step);
    case "siphon": {
      const places = new Set(step.places);
      const siphon = checkSiphon(net, M, places);
      if (siphon.kind === "invalid") return siphon.reason;
      const needing = net.transitions.flatMap((t, index) => (needs(t, places) ? [index] : []));
      return [{ constraints, dead: new Set([...dead, ...needing]) }];
    }
    case "trap": {
      const places = new Set(step.places);
      if (!step.places.some((place) => (M[place] ?? 0) > 0)) return "the trap is not marked";
      const isTrap = net.transitions.every(
        ({ pre, post }) => !pre.some(([p]) => places.has(p)) || post.some(([p]) => places.has(p)),
      );
      return isTrap ? [withMore({ terms: [...places].map((p) => [p, 1]), atLeast: 1 })] : "not a trap";
    }
    case "value":
      return [withMore(hasAtMost(step.place, step.at)), withMore(hasAtLeast(step.place, step.at + 1))];
    case "either": {
      const clause = goal[step.clause];
      if (clause === undefined) return "no such clause";
      return clause.map((constraint, index) => withMore(constraint, ...clause.slice(0, index).map(opposite)));
    }
  }
}

/** No case is left if the factors and weights contradict the constraints (Farkas). */
function refute(net: Net, M: Marking, given: Case, step: FarkasStep): readonly Case[] | string {
  const weights = new Map<number, bigint>();
  const sums = new Map<number, bigint>();
  const add = (to: Map<number, bigint>, place: number, value: bigint) =>
    to.set(place, (to.get(place) ?? 0n) + value);
  let total = 0n;
  if (step.places.length !== step.weights.length) return "not one weight for each place";
  step.places.forEach((place, index) => {
    const weight = BigInt(step.weights[index]!);
    add(weights, place, weight);
    add(sums, place, weight);
    total += weight * BigInt(M[place] ?? 0);
  });
  if (step.constraints.length !== step.factors.length) return "not one factor for each constraint";
  for (const [index, number] of step.constraints.entries()) {
    const constraint = given.constraints[number];
    const factor = BigInt(step.factors[index]!);
    if (constraint === undefined || factor < 0n) return "no such constraint, or a factor below zero";
    for (const [place, value] of constraint.terms) add(sums, place, factor * BigInt(value));
    total += factor * BigInt(constraint.atLeast);
  }
  if ([...sums.values()].some((sum) => sum > 0n)) return "a place has a positive sum";
  if (total <= 0n) return "the total is not positive";
  for (const [index, { pre, post }] of net.transitions.entries()) {
    if (given.dead.has(index)) continue;
    let gain = 0n;
    for (const [place, weight] of post) gain += (weights.get(place) ?? 0n) * BigInt(weight);
    for (const [place, weight] of pre) gain -= (weights.get(place) ?? 0n) * BigInt(weight);
    if (gain < 0n) return `transition ${index} lowers the weighted sum`;
  }
  return [];
}
