/** @module O1, option to complete: whatever happened, the run can still end well. */

import type { Marking, Net } from "@tessera/core";
import { fireSequence, invariant, isFinal } from "@tessera/core";
import type { Search } from "../search.ts";
import type { SearchStatus, StateSpace } from "../state-space.ts";
import {
  advance,
  canReach,
  markingAt,
  reverseEdges,
  sequenceTo,
  stateSpace,
  statesFrom,
} from "../state-space.ts";
import type { Structure } from "../structure.ts";
import { smallTrap } from "../structure.ts";
import type { NoCompletion, PumpEvidence, StuckEvidence, Verdict } from "../verdict.ts";
import { fails, holds, unknown } from "../verdict.ts";
import { pumpRefutes, strictlyCovers } from "./boundedness.ts";

/** Closed sets up to this size are listed in the evidence; larger ones are counted, and the checker builds them again. */
const LISTED_MAX = 256;
/** How far a completing run is looked for after a pump. */
const COMPLETION_STATES = 4096;

/**
 * Option to complete: from every reachable marking a final one is reachable. Decided backwards from the final
 * states of a complete space; refuted earlier where a certificate was met on the way. Cost: linear in the edges.
 *
 * @definition D8.2
 */
export function optionToComplete(found: Search): Verdict<StuckEvidence | PumpEvidence> {
  const { space, findings, limit, watch } = found;
  if (findings.stuck !== null) return fails(withSmallTrap(watch.net, watch.structure, findings.stuck));
  if (limit === null) {
    const stuck = stuckState(space, watch.structure);
    if (stuck !== null) return fails(stuck);
    return holds({ class: "enumerated", method: "state space", states: space.store.count });
  }
  if (findings.pump !== null && pumpRefutes(watch.net, watch.structure) === "O1") {
    return fails(stuckAfterPump(watch.net, watch.structure, findings.pump));
  }
  return unknown(limit);
}

/**
 * The evidence that a pump gives against O1 where T8.1 applies. From M, before the pump, a run to a final marking F
 * is looked for; from M + K it leads to F + K, which L8.1 shows to be stuck. If none is found within COMPLETION_STATES,
 * the theorem alone is the evidence: to see all that can be reached from M is impossible, since it can be pumped up.
 */
function stuckAfterPump(net: Net, structure: Structure, pump: PumpEvidence): StuckEvidence | PumpEvidence {
  const prefix = pump.run.sequence.slice(0, pump.from);
  const before = fireSequence(net, net.initial, prefix);
  invariant(before.kind === "fired" && structure.soleFinal !== null, "T8.1", () => ({ from: pump.from }));
  let final = isFinal(net, before.marking) ? 0 : -1;
  // Every firing produces, so one that reaches a final marking puts a token on a place of it.
  const marked = Uint8Array.from(structure.finalMax, (max) => (max > 0 ? 1 : 0));
  const onFlagged = (state: number) => {
    if (isFinal(net, markingAt(space, state))) final = state;
  };
  const space: StateSpace = stateSpace(net, {
    from: before.marking,
    observer: { marked, onFlagged, onDead: () => {} },
  });
  let status: SearchStatus = "paused";
  while (final < 0 && status === "paused") status = advance(space, COMPLETION_STATES, 16);
  if (final < 0) return pump;
  const sequence = [...pump.run.sequence, ...sequenceTo(space, final)];
  const after = fireSequence(net, net.initial, sequence);
  invariant(after.kind === "fired", "T8.1", () => ({ sequence }));
  const certificate = { kind: "covers-final", final: structure.soleFinal } as const;
  return { kind: "E2", run: { sequence, marking: after.marking }, certificate };
}

/**
 * A state of the complete `space` from which no final marking is reachable, with its closed set; null if there is
 * none. The first such state in breadth-first order, but one that enables nothing (its closed set is itself) before
 * all others.
 */
function stuckState(space: StateSpace, structure: Structure): StuckEvidence | null {
  const completes = canReach(reverseEdges(space), finalStates(space, structure));
  const stuck = firstStuck(space, completes);
  if (stuck < 0) return null;
  return {
    kind: "E2",
    run: { sequence: sequenceTo(space, stuck), marking: markingAt(space, stuck) },
    certificate: closedSet(space, statesFrom(space, stuck)),
  };
}

function closedSet(space: StateSpace, states: readonly number[]): NoCompletion {
  const markings = states.length > LISTED_MAX ? null : states.map((state) => markingAt(space, state));
  return { kind: "closed-set", size: states.length, markings };
}

/** A certificate in the marking `M` itself that no final marking is reachable (L8.1, L8.2); null says nothing. */
export function noCompletion(structure: Structure, M: Marking): NoCompletion | null {
  const { finalMax, isNeverTaken, alwaysProduces, soleFinal } = structure;
  for (let place = 0; place < M.length; place += 1)
    if (M[place]! > finalMax[place]! && isNeverTaken[place] === 1) return { kind: "overfull", place };
  if (soleFinal === null || !alwaysProduces || !strictlyCovers(M, soleFinal)) return null;
  return { kind: "covers-final", final: soleFinal };
}

/** The certificate that `M` marks a trap without a place of a final marking (L8.3), if it does. */
export function trapCertificate(net: Net, structure: Structure, M: Marking): NoCompletion | null {
  const whole = wholeTrap(structure, M);
  return whole === null ? null : { kind: "trap", places: smallTrap(net, structure.trap, M) };
}

/** As `trapCertificate`, with every place of the greatest trap: for a search, which mostly finds better evidence later. */
export function wholeTrap({ trap }: Structure, M: Marking): NoCompletion | null {
  const isMarked = M.some((tokens, p) => tokens > 0 && trap[p] === 1);
  return isMarked ? { kind: "trap", places: [...trap.keys()].filter((p) => trap[p] === 1) } : null;
}

/** The evidence with no more places of a trap than it needs. */
function withSmallTrap(net: Net, { trap }: Structure, stuck: StuckEvidence): StuckEvidence {
  if (stuck.certificate.kind !== "trap") return stuck;
  return { ...stuck, certificate: { kind: "trap", places: smallTrap(net, trap, stuck.run.marking) } };
}

/** 1 for the final states. Most states have a token where no final marking has one, and are dismissed unread. */
function finalStates(space: StateSpace, { finalMax }: Structure): Uint8Array {
  const { cells, stride, count, placeCount } = space.store;
  const finals = new Uint8Array(count);
  for (let state = 0; state < count; state += 1) {
    const base = state * stride;
    let place = 0;
    while (place < placeCount && cells[base + place]! <= finalMax[place]!) place += 1;
    if (place === placeCount && isFinal(space.net, markingAt(space, state))) finals[state] = 1;
  }
  return finals;
}

function firstStuck(space: StateSpace, completes: Uint8Array): number {
  let first = -1;
  for (let state = 0; state < completes.length; state += 1) {
    if (completes[state] === 1) continue;
    if (space.edgeStart[state] === space.edgeStart[state + 1]) return state;
    if (first < 0) first = state;
  }
  return first;
}
