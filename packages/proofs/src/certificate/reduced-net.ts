/** @module Checks what is claimed of a net by way of its reduced net (D13.9): the steps are replayed, the rest enumerated. */
import type { Net, NonLocalRules, TransitionIndex } from "@tessera/core";
import type { ReductionStep } from "../reduction/step.ts";
import type { NetObligationId, NeverFires, ReductionCertificate, Support } from "../verdict.ts";
import { type Checked, invalid, VALID } from "./closed-set.ts";
import { checkNoFault } from "./equation.ts";
import { checkRank } from "./rank.ts";
import { checkEnumerated, type Enumerations, enumeration } from "./recompute.ts";
import { type Replayed, replayReduction } from "./reduction.ts";
import { type CheckedGraphs, checkNeverEnabled, checkStubborn } from "./stubborn.ts";

interface Options {
  readonly rules: NonLocalRules;
  readonly statesMax: number;
  /** Reductions that were replayed before. */
  readonly replays: Replays;
  readonly enumerations: Enumerations;
  readonly graphs: CheckedGraphs;
}

/**
 * Replayed reductions by net and steps: the lines of one report mostly share them. The same steps mean another thing in
 * another net, and a file may name one list of steps for the net and for what is left of it without a part.
 */
export type Replays = Map<Net, Map<readonly ReductionStep[], Replayed | string>>;

/**
 * Do the steps apply, and does the obligation hold in the reduced net, by enumeration, by stubborn sets, by the state
 * equation or by the rank theorem, which shows all of them? Then it holds in `net` (T13.1).
 */
export function checkReduction(
  net: Net,
  id: NetObligationId | "sound",
  { steps, rank, stubborn, equation }: ReductionCertificate,
  support: Support,
  options: Options,
): Checked {
  const replayed = replay(net, steps, options.replays);
  if (typeof replayed === "string") return invalid(replayed);
  if (rank !== undefined) return checkRank(replayed.net, rank);
  if (stubborn !== undefined) return checkStubborn(replayed.net, id, stubborn, options);
  if (equation !== undefined) return checkNoFault(replayed.net, id, equation);
  return checkEnumerated(replayed.net, id, support, options);
}

/** Is every transition of the reduced net that carries one of `dead` never enabled (T13.2)? */
export function checkDeadInReduced(
  net: Net,
  dead: ReadonlySet<TransitionIndex>,
  { steps, size, stubborn }: Extract<NeverFires, { readonly kind: "reduced" }>,
  options: Options,
): Checked {
  if (size > options.statesMax) return { kind: "unchecked", reason: `${size} markings` };
  const replayed = replay(net, steps, options.replays);
  if (typeof replayed === "string") return invalid(replayed);
  const { net: reduced, carries, spared } = replayed;
  for (const t of dead) if (spared.has(t)) return invalid(`the reduced net says nothing of transition ${t}`);
  if (stubborn !== undefined) {
    const silent = carries.flatMap((names, r) => (names.some((t) => dead.has(t)) ? [r] : []));
    return checkNeverEnabled(reduced, silent, stubborn, options);
  }
  const found = enumeration(reduced, size, options);
  if (found === null) return invalid(`not ${size} reachable markings`);
  for (const [r, names] of carries.entries()) {
    if (found.all.isEnabled[r] === 0) continue;
    const alive = names.find((t) => dead.has(t));
    if (alive !== undefined) return invalid(`transition ${alive} is enabled`);
  }
  return VALID;
}

function replay(net: Net, steps: readonly ReductionStep[], replays: Replays): Replayed | string {
  const ofNet = replays.get(net) ?? new Map<readonly ReductionStep[], Replayed | string>();
  replays.set(net, ofNet);
  const replayed = ofNet.get(steps) ?? replayReduction(net, steps);
  ofNet.set(steps, replayed);
  return replayed;
}
