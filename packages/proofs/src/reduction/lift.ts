/** @module Carries verdicts on a reduced net over to the original: runs are written out, and every failure is shown anew. */
import type { Marking, Net, PlaceIndex, TransitionIndex } from "@tessera/core";
import { enabledTransitions, fire, fireSequence, isFinal, sameMarking } from "@tessera/core";
import { elementsOf } from "../elements.ts";
import { isMonotone, strictlyCovers } from "../obligations/boundedness.ts";
import { noCompletion, trapCertificate } from "../obligations/option-to-complete.ts";
import { improperCompletion } from "../obligations/proper-completion.ts";
import { unsafePlace } from "../obligations/safeness.ts";
import { advance, markingAt, stateSpace } from "../state-space.ts";
import { greatestEmptySiphon, type Structure, structureOf } from "../structure.ts";
import type {
  DeadElement,
  DeadEvidence,
  NetEvidence,
  NetObligationId,
  NeverFires,
  PumpEvidence,
  Run,
  StuckEvidence,
} from "../verdict.ts";
import type { Reduction } from "./reduce.ts";
import { flatten, markLeaves } from "./sequences.ts";

/** Closed sets up to this size are listed; up to the second they are counted. */
const LISTED_MAX = 256;
const COUNTED_MAX = 2000;
/** How long a lifted run is drawn out until nothing is enabled. */
const STEPS_MAX = 1000;
/** The same for a run that cannot complete: people see more where nothing can happen than some steps before. */
const STUCK_STEPS_MAX = 64;

/** What lifting needs to know of the original net, computed once. */
export interface Lifting {
  readonly net: Net;
  readonly reduction: Reduction;
  readonly structure: Structure;
}

/** Prepares lifting from the reduced net to `net`. The structure is looked at only for what fails. */
export function lifting(net: Net, reduction: Reduction): Lifting {
  let structure: Structure | null = null;
  return {
    net,
    reduction,
    get structure() {
      structure ??= structureOf(net);
      return structure;
    },
  };
}

/**
 * The run of the original net that a firing sequence of the reduced net stands for (T13.1). Null only where a sequence
 * was given that does not fire.
 */
export function liftRun({ net, reduction }: Lifting, sequence: readonly TransitionIndex[]): Run | null {
  const { sequences, runs, prefix } = reduction;
  const lifted: TransitionIndex[] = [];
  for (const part of prefix) for (const t of flatten(sequences, part)) lifted.push(t);
  for (const r of sequence) for (const t of flatten(sequences, runs[r] ?? -1)) lifted.push(t);
  const result = fireSequence(net, net.initial, lifted);
  return result.kind === "fired" ? { sequence: lifted, marking: result.marking } : null;
}

/**
 * Evidence against `id` in the original net, from evidence in the reduced net; null if none was found this way.
 * `size`: the reachable markings of the reduced net, if all were seen. What is returned is true of the original net
 * whatever the rules of reduction are worth, but for dead elements named by way of the reduced net.
 */
export function liftFailure(
  lift: Lifting,
  id: NetObligationId | "sound",
  evidence: NetEvidence,
  size: number | null,
): NetEvidence | null {
  if (evidence.kind === "E3") return liftDead(lift, evidence, size);
  // It says that the reduced net is not sound, and names no run.
  if (evidence.kind === "E3-ill-formed") return null;
  const run = liftRun(lift, evidence.run.sequence);
  if (run === null) return null;
  if (evidence.kind === "E2") return stuckFrom(lift.net, lift.structure, run);
  if (evidence.kind === "E3-pump") return liftPump(lift, run, evidence.run.sequence, evidence.from);
  switch (evidence.finding.kind) {
    case "second-token":
    case "beyond-final": {
      const finding = improperCompletion(lift.net, run.marking);
      return finding === null ? null : { kind: "E1", run, finding };
    }
    case "unsafe": {
      const place = unsafePlace(lift.net, run.marking);
      return place === null ? null : { kind: "E1", run, finding: { kind: "unsafe", place } };
    }
    case "deadlock":
      return liftDeadlock(lift.net, run);
    case "pump": {
      const pump = liftPump(lift, run, evidence.run.sequence, evidence.finding.from);
      if (pump === null || id !== "bounded") return pump;
      return { kind: "E1", run, finding: { kind: "pump", from: pump.from } };
    }
  }
}

/** What the reduced net took apart may still be enabled: it is fired until nothing is. */
export function liftDeadlock(net: Net, run: Run): NetEvidence | null {
  const end = drawnOut(net, run, STEPS_MAX);
  return end === null || isFinal(net, end.marking)
    ? null
    : { kind: "E1", run: end, finding: { kind: "deadlock" } };
}

/** The run, gone on with whatever is enabled until nothing is; null if that takes more than `stepsMax` firings. */
export function drawnOut(net: Net, run: Run, stepsMax: number): Run | null {
  const sequence = [...run.sequence];
  let marking: Marking = run.marking;
  for (let step = 0; step <= stepsMax; step += 1) {
    const enabled = enabledTransitions(net, marking);
    if (enabled.length === 0) return { sequence, marking };
    const moved = firstChange(net, marking, enabled);
    if (moved === null) return null;
    sequence.push(moved.t);
    marking = moved.marking;
  }
  return null;
}

function firstChange(
  net: Net,
  M: Marking,
  enabled: readonly TransitionIndex[],
): { readonly t: TransitionIndex; readonly marking: Marking } | null {
  for (const t of enabled) {
    const result = fire(net, M, t);
    if (result.kind === "fired" && !sameMarking(result.marking, M)) return { t, marking: result.marking };
  }
  return null;
}

function liftPump(
  lift: Lifting,
  run: Run,
  sequence: readonly TransitionIndex[],
  from: number,
): PumpEvidence | null {
  const before = liftRun(lift, sequence.slice(0, from));
  if (before === null || !isMonotone(lift.net) || !strictlyCovers(run.marking, before.marking)) return null;
  return { kind: "E3-pump", run, from: before.sequence.length };
}

/** A certificate that nothing final is reachable from the end of `run`: by structure, else by all that is reachable. */
export function stuckFrom(net: Net, structure: Structure, run: Run): StuckEvidence | null {
  const certificate = noCompletion(structure, run.marking);
  if (certificate !== null) return { kind: "E2", run, certificate };
  const end = drawnOut(net, run, STUCK_STEPS_MAX);
  if (end !== null && !isFinal(net, end.marking)) {
    return { kind: "E2", run: end, certificate: { kind: "closed-set", size: 1, markings: [end.marking] } };
  }
  const space = stateSpace(net, { from: run.marking });
  if (advance(space, COUNTED_MAX) === "complete") {
    const size = space.store.count;
    const markings = Array.from({ length: size }, (_, state) => markingAt(space, state));
    if (markings.some((M) => isFinal(net, M))) return null;
    const listed = size > LISTED_MAX ? null : markings;
    return { kind: "E2", run, certificate: { kind: "closed-set", size, markings: listed } };
  }
  const trap = trapCertificate(net, structure, run.marking);
  return trap === null ? null : { kind: "E2", run, certificate: trap };
}

/**
 * The dead elements of the original net. Transitions in a siphon that starts empty are dead by that; the others by
 * what names them in the reduced net, if its `size` is known. Null if the reduced net does not say of all of them.
 */
function liftDead(
  lift: Lifting,
  { dead, certificate }: DeadEvidence,
  size: number | null,
): DeadEvidence | null {
  const { net, reduction } = lift;
  const { sequences, runs, prefix } = reduction;
  const silent = new Set(dead.flatMap(({ transitions }) => transitions));
  const isAlive = markLeaves(sequences, [...prefix, ...runs.filter((_, r) => !silent.has(r))]);
  const elements = elementsOf(net).filter(({ transitions }) => transitions.every((t) => isAlive[t] === 0));
  const siphon = greatestEmptySiphon(net, net.initial);
  const empty = new Set<PlaceIndex>(siphon);
  const isStarved = ({ transitions }: DeadElement) =>
    transitions.every((t) => net.transitions[t]!.pre.some(([place]) => empty.has(place)));
  const starved = elements.filter(isStarved);
  if (elements.length > 0 && (starved.length === elements.length || (size === null && starved.length > 0)))
    return deadBy(starved, { kind: "empty-siphon", places: siphon });
  if (elements.length === 0) return null;
  const isInexact = markLeaves(sequences, reduction.inexact);
  if (elements.some(({ transitions }) => transitions.some((t) => isInexact[t] === 1))) return null;
  const { steps } = reduction;
  if (certificate.kind === "stubborn")
    return deadBy(elements, { kind: "reduced", size: 0, steps, stubborn: certificate });
  return size === null ? null : deadBy(elements, { kind: "reduced", size, steps });
}

function deadBy(dead: readonly DeadElement[], certificate: NeverFires): DeadEvidence {
  return { kind: "E3", dead, certificate };
}
