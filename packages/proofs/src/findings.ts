/** @module What a search meets on its way: the first fault of each kind, with the run that shows it. */

import type { Net } from "@tessera/core";
import { isFinal } from "@tessera/core";
import { isMonotone, strictlyCovers } from "./obligations/boundedness.ts";
import { noCompletion, wholeTrap } from "./obligations/option-to-complete.ts";
import { improperCompletion } from "./obligations/proper-completion.ts";
import { unsafePlace } from "./obligations/safeness.ts";
import type { SearchObserver, StateSpace } from "./state-space.ts";
import { markingAt, SEVERAL, sequenceTo } from "./state-space.ts";
import type { Structure } from "./structure.ts";
import { finalPlaces, hasFinals, hasNestedFinals } from "./structure.ts";
import type { Finding, NoCompletion, PumpEvidence, Run, RunEvidence, StuckEvidence } from "./verdict.ts";

/** How far back a covered marking is looked for: the check must stay cheap on deep nets, and pumps are short. */
const ANCESTORS_MAX = 64;

/** The first fault of each kind; null while none was met. */
export interface Findings {
  stuck: StuckEvidence | null;
  improper: RunEvidence | null;
  unsafe: RunEvidence | null;
  deadlock: RunEvidence | null;
  pump: PumpEvidence | null;
}

/** What is looked for in `net`, computed once. */
export interface Watch {
  readonly net: Net;
  readonly structure: Structure;
  readonly isMonotone: boolean;
  /** False where the net states no final marking: then only the other obligations are looked at. */
  readonly hasFinals: boolean;
  /** 1 for the places whose marking can matter to O1 and O2 even if they get one token only. */
  readonly marked: Uint8Array;
  /** Can a marking be at fault that a step has only taken tokens from: one final marking, left for more than another? */
  readonly isNested: boolean;
}

/** No finding yet. */
export function noFindings(): Findings {
  return { stuck: null, improper: null, unsafe: null, deadlock: null, pump: null };
}

/** What the searches of `net` look for. */
export function watchOf(net: Net, structure: Structure): Watch {
  const marked = new Uint8Array(net.places.length);
  // With a list of final markings any further token may step beyond one.
  if (net.finals.kind === "markings" && net.finals.markings.length > 0) marked.fill(1);
  for (const place of finalPlaces(net)) marked[place] = 1;
  structure.trap.forEach((inTrap, place) => {
    if (inTrap === 1) marked[place] = 1;
  });
  const facts = { isMonotone: isMonotone(net), hasFinals: hasFinals(net), isNested: hasNestedFinals(net) };
  return { net, structure, marked, ...facts };
}

/** An observer that reports to `findings`. `space` gives the space that it observes, once that exists. */
export function observer(watch: Watch, findings: Findings, space: () => StateSpace): SearchObserver {
  return {
    marked: watch.marked,
    isEach: watch.isNested,
    onFlagged: (state, flags) => {
      inspectState(watch, findings, space(), state);
      if ((flags & SEVERAL) !== 0 && watch.isMonotone && findings.pump === null) {
        findings.pump = pumpAt(space(), state);
      }
    },
    onDead: (state) => {
      const marking = markingAt(space(), state);
      if (findings.deadlock !== null || isFinal(watch.net, marking)) return;
      const run: Run = { sequence: sequenceTo(space(), state), marking };
      findings.deadlock = seen(run, { kind: "deadlock" });
      if (watch.hasFinals && isWanted(findings)) {
        findings.stuck = stuck(run, { kind: "closed-set", size: 1, markings: [marking] });
      }
    },
  };
}

/** Looks for the faults that are visible in the marking of `state`. */
export function inspectState(watch: Watch, findings: Findings, space: StateSpace, state: number): void {
  const { net, structure } = watch;
  const asksFinals = watch.hasFinals && (isWanted(findings) || findings.improper === null);
  if (!asksFinals && findings.unsafe !== null) return;
  const marking = markingAt(space, state);
  const run = (): Run => ({ sequence: sequenceTo(space, state), marking });
  if (watch.hasFinals && isWanted(findings)) {
    const certificate =
      noCompletion(structure, marking) ?? (findings.stuck === null ? wholeTrap(structure, marking) : null);
    if (certificate !== null) findings.stuck = stuck(run(), certificate);
  }
  if (findings.improper === null && watch.hasFinals) {
    const finding = improperCompletion(net, marking);
    if (finding !== null) findings.improper = seen(run(), finding);
  }
  if (findings.unsafe === null) {
    const place = unsafePlace(net, marking);
    if (place !== null) findings.unsafe = seen(run(), { kind: "unsafe", place });
  }
}

/** The nearest ancestor of `state`, of the last ANCESTORS_MAX, that its marking strictly covers, as a pump. */
function pumpAt(space: StateSpace, state: number): PumpEvidence | null {
  const { cells, stride, placeCount } = space.store;
  const later = cells.subarray(state * stride, state * stride + placeCount);
  let back = 0;
  for (let at = space.parent[state]!; at >= 0 && back < ANCESTORS_MAX; at = space.parent[at]!) {
    back += 1;
    if (!strictlyCovers(later, cells.subarray(at * stride, at * stride + placeCount))) continue;
    const sequence = sequenceTo(space, state);
    return {
      kind: "E3-pump",
      run: { sequence, marking: markingAt(space, state) },
      from: sequence.length - back,
    };
  }
  return null;
}

/** A trap says that something never ends, but not what goes wrong: it gives way to the first evidence that does. */
function isWanted({ stuck: known }: Findings): boolean {
  return known === null || known.certificate.kind === "trap";
}

function seen(run: Run, finding: Finding): RunEvidence {
  return { kind: "E1", run, finding };
}

function stuck(run: Run, certificate: NoCompletion): StuckEvidence {
  return { kind: "E2", run, certificate };
}
