/** @module Carries verdicts on what is left of a net over to the net itself (T13.6, T13.7). Failures are shown anew. */
import { fireSequence, type Net, type TransitionIndex } from "@tessera/core";
import type { Remainder } from "../certificate/remainder.ts";
import { silentElement } from "../certificate/shown-alive.ts";
import { elementsOf } from "../elements.ts";
import { improperCompletion } from "../obligations/proper-completion.ts";
import { unsafePlace } from "../obligations/safeness.ts";
import { drawnOut, liftDeadlock, stuckFrom } from "../reduction/lift.ts";
import type { NetReport } from "../soundness.ts";
import { structureOf } from "../structure.ts";
import {
  type DeadEvidence,
  fails,
  holds,
  type NetEvidence,
  type NetObligationId,
  type NeverFires,
  type Run,
  type RunEvidence,
  type Support,
  type TerminatingPart,
  unknown,
  type Verdict,
} from "../verdict.ts";

/** How long a run of the remainder is drawn out until nothing is enabled. */
const STEPS_MAX = 1000;

/** What carrying over needs to know. */
export interface Carrier {
  readonly net: Net;
  readonly part: TerminatingPart;
  readonly left: Remainder;
  /** Does T13.6 say of every element that it is alive where the remainder has O3? */
  readonly isAllShown: () => boolean;
}

/** What carrying over from `left` to `net` needs. */
export function carrierOf(net: Net, part: TerminatingPart, left: Remainder): Carrier {
  let isShown: boolean | null = null;
  const isAllShown = () => {
    isShown ??= silentElement(net, part, left) === null;
    return isShown;
  };
  return { net, part, left, isAllShown };
}

/** The verdicts that the report on the remainder allows for the net; those that it does not are open. */
export function carriedOver(
  carrier: Carrier,
  inner: NetReport,
): ReadonlyMap<NetObligationId, Verdict<NetEvidence>> {
  const proper = inner.obligations.find(({ id }) => id === "O2")?.verdict;
  const support = proper?.kind === "holds" ? proper.evidence : null;
  return new Map(
    inner.obligations.map(({ id, verdict }) => [
      id,
      verdict.kind === "holds"
        ? carriedHolds(carrier, id, verdict.evidence, support)
        : verdict.kind === "fails"
          ? carriedFailure(carrier, verdict.evidence)
          : verdict,
    ]),
  );
}

/** Soundness: what shows it of the remainder shows it of the net. */
export function carriedSoundness(carrier: Carrier, sound: Verdict<NetEvidence>): Verdict<NetEvidence> | null {
  if (sound.kind !== "holds" || !carrier.isAllShown()) return null;
  return supported(carrier, sound.evidence, null);
}

function carriedHolds(
  carrier: Carrier,
  id: NetObligationId,
  support: Support,
  proper: Support | null,
): Verdict<NetEvidence> {
  const { left } = carrier;
  const isCarried = {
    O1: () => proper !== null,
    O2: () => true,
    O3: carrier.isAllShown,
    O4: () => left.isSafe,
    deadlock: () => proper !== null,
    bounded: () => left.isNarrow,
  };
  if (!isCarried[id]()) return OPEN;
  const isMore = proper !== null && (id === "O1" || id === "deadlock") && !isSameEvidence(support, proper);
  return supported(carrier, support, isMore ? proper : null);
}

/** Does `one` show what `other` does: the same markings, or the same certificate? */
function isSameEvidence(one: Support, other: Support): boolean {
  const [a, b] = [one.certificate, other.certificate];
  if (one.class !== other.class || one.states !== other.states) return false;
  if (a?.kind !== "reduction" || b?.kind !== "reduction") return a === b;
  const isEach = (key: "steps" | "rank" | "stubborn" | "equation") => a[key] === b[key];
  return isEach("steps") && isEach("rank") && isEach("stubborn") && isEach("equation");
}

const OPEN = unknown({ kind: "method", reason: "what is left without terminations does not tell" });

/** `proper`: what shows O2, where `inner` does not and it is needed. */
function supported({ part }: Carrier, inner: Support, proper: Support | null): Verdict<never> {
  const { class: kind, method, states } = inner;
  const more = proper === null ? {} : { proper };
  const certificate = { kind: "terminating", part, inner, ...more } as const;
  return holds({ class: kind, method: `without terminations, ${method}`, states, certificate });
}

function carriedFailure(carrier: Carrier, evidence: NetEvidence): Verdict<NetEvidence> {
  const found = failure(carrier, evidence);
  return found === null ? OPEN : fails(found);
}

function failure(carrier: Carrier, evidence: NetEvidence): NetEvidence | null {
  switch (evidence.kind) {
    case "E1":
      return faultAt(carrier, evidence);
    case "E2": {
      const { net, left } = carrier;
      const end = drawnOut(left.net, evidence.run, STEPS_MAX) ?? evidence.run;
      const run = runOf(carrier, end.sequence);
      return run === null ? null : stuckFrom(net, structureOf(net), run);
    }
    case "E3":
      return deadOf(carrier, evidence);
    // A pump proves nothing of a net with resets, and what breaks the rank theorem names no run.
    case "E3-pump":
    case "E3-ill-formed":
      return null;
  }
}

/** The run in the net itself. It is another one if a termination of the remainder is in it. */
function runOf({ net, left }: Carrier, sequence: readonly TransitionIndex[]): Run | null {
  const original = sequence.map((t) => left.transitions[t]!);
  const result = fireSequence(net, net.initial, original);
  return result.kind === "fired" ? { sequence: original, marking: result.marking } : null;
}

function faultAt(carrier: Carrier, { run: inner, finding }: RunEvidence): NetEvidence | null {
  const { net } = carrier;
  const run = runOf(carrier, inner.sequence);
  if (run === null) return null;
  switch (finding.kind) {
    case "second-token":
    case "beyond-final": {
      const found = improperCompletion(net, run.marking);
      return found === null ? null : { kind: "E1", run, finding: found };
    }
    case "unsafe": {
      const place = unsafePlace(net, run.marking);
      return place === null ? null : { kind: "E1", run, finding: { kind: "unsafe", place } };
    }
    case "deadlock":
      return liftDeadlock(net, run);
    case "pump":
      return null;
  }
}

/** The elements of the net that are dead, since all their transitions are by T13.7. */
function deadOf({ net, part, left }: Carrier, { dead, certificate }: DeadEvidence): DeadEvidence | null {
  const inside = new Set(left.transitions);
  const silent = new Set(dead.flatMap(({ transitions }) => transitions.map((t) => left.transitions[t]!)));
  net.transitions.forEach((_, t) => {
    if (!inside.has(t)) silent.add(t);
  });
  // Variants that belong to no dead element are not named, so nothing may rest on them. The loop drops those too.
  for (;;) {
    const isFed = new Uint8Array(net.places.length);
    net.transitions.forEach(({ post }, t) => {
      if (!silent.has(t)) for (const [place] of post) isFed[place] = 1;
    });
    const isOpen = (t: TransitionIndex) =>
      !inside.has(t) && !net.transitions[t]!.pre.some(([p]) => net.initial[p] === 0 && isFed[p] === 0);
    const shown = elementsOf(net).filter(({ transitions }) =>
      transitions.every((t) => silent.has(t) && !isOpen(t)),
    );
    const named = new Set(shown.flatMap(({ transitions }) => transitions));
    if (named.size === silent.size)
      return shown.length === 0
        ? null
        : { kind: "E3", dead: shown, certificate: wrapped(part, only(certificate, dead, shown, left)) };
    silent.clear();
    for (const t of named) silent.add(t);
  }
}

/** The arguments of an equation for the transitions that are named, in the order in which the checker asks. */
function only(
  certificate: NeverFires,
  dead: DeadEvidence["dead"],
  shown: DeadEvidence["dead"],
  { transitions }: Remainder,
): NeverFires {
  if (certificate.kind !== "state-equation") return certificate;
  const asked = new Set(dead.flatMap((element) => element.transitions));
  const proofOf = new Map([...asked].map((t, at) => [transitions[t]!, certificate.proofs[at]!]));
  const named = new Set(shown.flatMap((element) => element.transitions));
  return {
    ...certificate,
    proofs: [...named].map((t) => proofOf.get(t)).filter((proof) => proof !== undefined),
  };
}

function wrapped(part: TerminatingPart, inner: NeverFires): NeverFires {
  return { kind: "terminating", part, inner };
}
