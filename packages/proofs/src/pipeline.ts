/** @module The pipeline: structure, reduction and search of what is left, each stage only for the nets of its class. */
import { isFinal, type Net, type PlaceIndex } from "@tessera/core";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { isFreeChoice, type NetShape, netShape } from "./net-shape.ts";
import { rankTheorem } from "./rank.ts";
import { type Lifting, liftFailure, lifting } from "./reduction/lift.ts";
import { liftRuns } from "./reduction/lift-runs.ts";
import { type Reduction, reduce } from "./reduction/reduce.ts";
import type { Search } from "./search.ts";
import {
  type AsyncCheckOptions,
  assemble,
  type CheckOptions,
  conclusion,
  EACH,
  finish,
  finishAsync,
  methodOf,
  type NetReport,
  netReport,
  searchNet,
} from "./soundness.ts";
import { withEquation, withReducedEquation } from "./state-equation/open-lines.ts";
import { type StateSpace, sequenceTo } from "./state-space.ts";
import { hasFinals, hasNestedFinals } from "./structure.ts";
import { type Staged, stagedSearch } from "./stubborn/stage.ts";
import { type ProveLeft, terminatedProof } from "./terminating/proof.ts";
import type { NetEvidence, NetObligationId, RankCertificate, Support, Verdict } from "./verdict.ts";
import { fails, holds, unknown } from "./verdict.ts";

/** Free-choice nets with fewer markings are enumerated; the rank theorem decides those with more. */
const STATES_BEFORE_RANK = 256;

/** A reduced net tells most of what it has to tell in a few markings. */
const STATES_AFTER_FAILURE = 2000;

type AfterFailure = Partial<Limits> & Pick<Limits, "statesAfterFailureMax">;

/** The stage that gave the answers of a report, or most of them. */
export type Stage = "reduction" | "rank theorem" | "reduced search" | "search";

/** What is known of a net, its shape, and how it was found. */
export interface PipelineReport extends NetReport {
  readonly shape: NetShape;
  readonly stage: Stage;
}

/**
 * Decides the obligations of `net` as `checkNet` does, and agrees with it wherever both answer. Plain nets of control
 * places are reduced first. What the reduced net settles is carried over: `holds` with the steps as certificate,
 * `fails` with evidence in the original net. What cannot be carried over is asked of the original net. `states` counts
 * the markings of the net that was searched; `complete` says whether these are all of that net.
 */
export function proveNet(net: Net, options: CheckOptions = {}): PipelineReport {
  return finish(proveSteps(net, options), options).report;
}

/** As `proveNet`, but lets other work run between slices of some milliseconds. */
export async function proveNetAsync(net: Net, options: AsyncCheckOptions = {}): Promise<PipelineReport> {
  return (await finishAsync(proveSteps(net, options), options)).report;
}

/** A report with the searches behind it: of the net itself, or of the reduced net. */
export interface NetProof {
  readonly report: PipelineReport;
  readonly found: Search | null;
  readonly reduced: { readonly lift: Lifting; readonly found: Search } | null;
  /** The reachable final markings, each as the end places that it marks, where they are known without a search. */
  readonly finals?: readonly (readonly PlaceIndex[])[];
  /** What the state equation of the reduced net was asked. */
  readonly asked?: ReadonlySet<NetObligationId>;
}

/**
 * The steps of `proveNet`. `kept`: places that reductions leave alone, because more is asked of their tokens than the
 * obligations do.
 */
export function* proveSteps(
  net: Net,
  options: CheckOptions,
  kept: readonly PlaceIndex[] = [],
): Generator<number, NetProof> {
  const parted = yield* terminatedProof(net, options, kept, equatedProof);
  const proof =
    parted === null ? yield* equatedProof(net, options, kept) : yield* withEquation(net, parted, options);
  if (proof.report.sound !== null || !proof.report.shape.isFreeChoice) return proof;
  // The limits were reached: the structure may refute what no run was found against.
  const structure = rankTheorem(net);
  if (structure.kind !== "unsound") return proof;
  const soundness = fails({ kind: "E3-ill-formed", reason: structure.reason } as const);
  return { ...proof, report: { ...proof.report, soundness, sound: false } };
}

/** The proof without terminating parts. */
const equatedProof: ProveLeft = function* (net, options, kept) {
  return yield* withEquation(net, yield* searchedProof(net, options, kept), options);
};

function* searchedProof(
  net: Net,
  options: CheckOptions,
  kept: readonly PlaceIndex[],
): Generator<number, NetProof> {
  const shape = netShape(net);
  if (!isReducible(net, shape)) return yield* searched(net, shape, options, kept);
  const reduction = reduce(net, { kept });
  if (isComplete(reduction)) return completeProof(net, shape, reduction, options);
  const settings = { ...options, limits: { statesAfterFailureMax: STATES_AFTER_FAILURE, ...options.limits } };
  // Without steps the net itself: the reduced one does not say which transitions are variants.
  const left = reduction.steps.length === 0 ? net : reduction.net;
  const isRanked = kept.length === 0 && isFreeChoice(left);
  const few = isRanked ? yield* searchNet(left, capped(settings)) : null;
  if (isOpen(few)) {
    const rank = rankTheorem(reduction.net);
    if (rank.kind === "sound") {
      const report = rankReport(net, reduction, rank.certificate);
      const { sink } = shape;
      const finals = sink === null ? {} : { finals: [[sink]] };
      return { report: { ...report, shape }, found: null, reduced: null, ...finals };
    }
  }
  const staged = yield* stagedSearch(left, settings, kept.length > 0, few);
  const { found } = staged;
  if (reduction.steps.length === 0) return stagedProof(staged, shape);
  const lift = lifting(net, reduction);
  const reduced = found === null || staged.isSettled ? null : { lift, found };
  const { report: small, asked } = yield* withReducedEquation(reduction.net, staged.report, settings);
  let carried = carryOver(lift, small, found?.space ?? null);
  if (carried.open.has("O3")) carried = withDead(carried, yield* exactDead(net, settings));
  const finals = finalsOf(staged, (place) => reduction.places[place]!);
  if (carried.open.size === 0)
    return { report: { ...carried.report, shape }, found: null, reduced, asked, ...finals };
  // The rest is asked of the original net; once soundness is refuted that only settles the other obligations.
  const { statesMax = DEFAULT_LIMITS.statesMax, statesAfterFailureMax } = settings.limits;
  const isSettled = carried.report.sound !== null;
  const limits = {
    ...settings.limits,
    statesMax: isSettled ? Math.min(statesMax, statesAfterFailureMax) : statesMax,
  };
  const whole = yield* stagedSearch(net, { ...settings, limits }, kept.length > 0);
  const report = { ...merged(carried, whole.report), shape };
  return { report, found: whole.isSettled ? null : whole.found, reduced, ...finals };
}

/** Is nothing left to happen, and the start final and safe (T13.3)? A listed final marking may have many tokens on a place. */
function isComplete({ net, steps }: Reduction): boolean {
  const { transitions, initial } = net;
  return (
    transitions.length === 0 &&
    steps.length > 0 &&
    isFinal(net, initial) &&
    initial.every((tokens) => tokens <= 1)
  );
}

/** Everything holds; the one marking of the reduced net is looked at only by who asks for it. */
function completeProof(net: Net, shape: NetShape, reduction: Reduction, options: CheckOptions): NetProof {
  const certificate = { kind: "reduction", steps: reduction.steps } as const;
  const yes = holds({ class: "compact", method: "reduction", states: 1, certificate });
  const results = { O1: yes, O2: yes, O3: yes, O4: yes, deadlock: yes, bounded: yes };
  const report = { ...assemble(net, 1, true, results, yes), shape, stage: "reduction" } as const;
  let reduced: NetProof["reduced"] | undefined;
  return {
    report,
    found: null,
    get reduced() {
      if (reduced === undefined) {
        const found = finish(searchNet(reduction.net, options), options);
        reduced = found === null ? null : { lift: lifting(net, reduction), found };
      }
      return reduced;
    },
  };
}

/** Few markings: a net that has no more is enumerated sooner than the theorem decides it. */
function capped(options: CheckOptions): CheckOptions {
  const { statesMax = DEFAULT_LIMITS.statesMax } = options.limits ?? {};
  return { ...options, limits: { ...options.limits, statesMax: Math.min(statesMax, STATES_BEFORE_RANK) } };
}

/** Did the search end at its states, with nothing against soundness? */
function isOpen(found: Search | null): boolean {
  if (found?.limit?.kind !== "states") return false;
  const { stuck, improper, pump } = found.findings;
  return stuck === null && improper === null && pump === null;
}

/** Everything holds (T13.4, T13.1). */
function rankReport(
  net: Net,
  { steps }: Reduction,
  rank: RankCertificate,
): NetReport & { readonly stage: Stage } {
  const certificate = { kind: "reduction", steps, rank } as const;
  const yes = holds({ class: "compact", method: "rank theorem", states: 0, certificate });
  const results = { O1: yes, O2: yes, O3: yes, O4: yes, deadlock: yes, bounded: yes };
  return { ...assemble(net, 0, false, results, yes), stage: "rank theorem" };
}

/** O3 by a reduction that says of each transition whether it is dead; null if that takes too many states. */
function* exactDead(
  net: Net,
  options: CheckOptions & { readonly limits: AfterFailure },
): Generator<number, Verdict<NetEvidence> | null> {
  const reduction = reduce(net, { isExact: true });
  const statesMax = options.limits.statesAfterFailureMax;
  const found = yield* searchNet(reduction.net, { ...options, limits: { ...options.limits, statesMax } });
  const report = netReport(reduction.net, found);
  const dead = report.obligations.find(({ id }) => id === "O3")?.verdict;
  if (dead?.kind !== "fails" || !report.complete) return null;
  return carryFailure(lifting(net, reduction), "O3", dead.evidence, report.states);
}

function withDead(carried: CarriedOver, dead: Verdict<NetEvidence> | null): CarriedOver {
  if (dead === null) return carried;
  const { report } = carried;
  const obligations = report.obligations.map((line) =>
    line.id === "O3" ? { ...line, verdict: dead, method: methodOf(dead) } : line,
  );
  const sound = report.soundness.kind === "fails" ? report.soundness : dead;
  return {
    report: { ...report, obligations, soundness: sound, sound: false },
    open: new Set([...carried.open].filter((id) => id !== "O3")),
  };
}

/** Rules are proved for plain nets of control places whose final markings do not cover each other; end places that are taken from are treated as any final place. */
function isReducible(net: Net, shape: NetShape): boolean {
  return (
    shape.class === "plain" &&
    hasFinals(net) &&
    !hasNestedFinals(net) &&
    net.places.every(({ role }) => role === "control")
  );
}

function* searched(
  net: Net,
  shape: NetShape,
  options: CheckOptions,
  kept: readonly PlaceIndex[],
): Generator<number, NetProof> {
  return stagedProof(yield* stagedSearch(net, options, kept.length > 0), shape);
}

/** The proof by a search of the net itself. The markings of one that others had to finish are not all there are. */
function stagedProof(staged: Staged, shape: NetShape): NetProof {
  const found = staged.isSettled ? null : staged.found;
  const finals = finalsOf(staged, (place) => place);
  return { report: { ...staged.report, shape, stage: "search" }, found, reduced: null, ...finals };
}

/** The reachable final markings, if stubborn sets showed them and each marks one end: where more is asked, all is searched. */
function finalsOf(
  { finals }: Staged,
  original: (place: PlaceIndex) => PlaceIndex,
): { readonly finals?: readonly (readonly PlaceIndex[])[] } {
  if (finals === null || finals.some((marked) => marked.length !== 1)) return {};
  return { finals: finals.map((marked) => marked.map(original)) };
}

type Verdicts = Readonly<Record<NetObligationId, Verdict<NetEvidence>>>;

interface CarriedOver {
  readonly report: NetReport & { readonly stage: Stage };
  /** The obligations that the reduced net refutes, or leaves open by its limits, without evidence in the original. */
  readonly open: ReadonlySet<NetObligationId | "sound">;
}

function carryOver(lift: Lifting, reduced: NetReport, space: StateSpace | null): CarriedOver {
  const open = new Set<NetObligationId | "sound">();
  const size = reduced.complete ? reduced.states : null;
  const carry = (id: NetObligationId | "sound", verdict: Verdict<NetEvidence>): Verdict<NetEvidence> => {
    if (verdict.kind === "unknown") return verdict;
    const carried =
      verdict.kind === "holds"
        ? carryHolds(lift, verdict.evidence, reduced)
        : (carryFailure(lift, id, verdict.evidence, size) ??
          (id === "O3" ? everyElement(lift, space) : null));
    if (carried !== null) return carried;
    open.add(id);
    return unknown({ kind: "method", reason: "what the reduced net shows could not be carried over" });
  };
  const results = Object.fromEntries(reduced.obligations.map(({ id, verdict }) => [id, carry(id, verdict)]));
  const verdicts = results as Verdicts;
  const isPumped = reduced.soundness.kind === "fails" && reduced.soundness.evidence.kind === "E3-pump";
  const pump = isPumped ? carry("sound", reduced.soundness) : null;
  const isAlive = reduced.obligations.some(({ id, verdict }) => id === "O3" && verdict.kind === "holds");
  const sound = pump?.kind === "fails" ? pump : conclusionBy(verdicts, isAlive);
  const isTrivial = lift.reduction.net.transitions.length === 0;
  const report = assemble(lift.net, reduced.states, reduced.complete, verdicts, sound);
  return { report: { ...report, stage: isTrivial ? "reduction" : "reduced search" }, open };
}

/** The evidence of O1 shows soundness only where nothing is dead in the reduced net, not even a variant (`isAlive`). */
function conclusionBy(verdicts: Verdicts, isAlive: boolean): Verdict<NetEvidence> {
  const whole = conclusion(verdicts);
  return whole.kind === "holds" && !isAlive ? EACH : whole;
}

function carryFailure(
  lift: Lifting,
  id: NetObligationId | "sound",
  evidence: NetEvidence,
  size: number | null,
): Verdict<NetEvidence> | null {
  const lifted = liftFailure(lift, id, evidence, size);
  return lifted === null ? null : fails(lifted);
}

/**
 * O3 where variants of the compiler are dead and no element is: a run for each element, from the runs to the transitions
 * of the reduced net that were seen enabled. Null if they do not show every element.
 */
function everyElement(lift: Lifting, space: StateSpace | null): Verdict<NetEvidence> | null {
  if (space === null) return null;
  const seen = Array.from(space.enabledAt, (state, r) => ({ state, r })).filter(({ state }) => state >= 0);
  const runs = liftRuns(
    lift.net,
    lift.reduction,
    seen.map(({ state, r }) => [...sequenceTo(space, state), r]),
  );
  if (runs === null) return null;
  return holds({ class: "compact", method: "one run for each element", states: space.store.count, runs });
}

/** What holds in the reduced net holds in the original (T13.1): the steps are the certificate, or runs are lifted. */
function carryHolds(lift: Lifting, support: Support, reduced: NetReport): Verdict<NetEvidence> | null {
  const { steps, net } = lift.reduction;
  if (support.runs !== undefined) {
    const runs = liftRuns(lift.net, lift.reduction, support.runs);
    return runs === null ? null : holds({ ...support, runs });
  }
  if (support.certificate?.kind === "stubborn") {
    const { certificate: stubborn, method } = support;
    const certificate = { kind: "reduction", steps, stubborn } as const;
    return holds({ ...support, method: `reduction, ${method}`, certificate });
  }
  if (support.certificate?.kind === "state-equation" || support.certificate?.kind === "weights") {
    const certificate = { kind: "reduction", steps, equation: support.certificate } as const;
    return holds({ ...support, method: `reduction, ${support.method}`, certificate });
  }
  const isTrivial = net.transitions.length === 0;
  return holds({
    class: isTrivial ? "compact" : support.class,
    method: isTrivial ? "reduction" : `reduction, ${support.method}`,
    states: reduced.states,
    certificate: { kind: "reduction", steps },
  });
}

/** The lines that the original net had to settle, in place of those left open. */
function merged({ report, open }: CarriedOver, rest: NetReport): NetReport & { readonly stage: Stage } {
  const obligations = report.obligations.map((line, index) =>
    open.has(line.id) ? (rest.obligations[index] ?? line) : line,
  );
  const verdicts = Object.fromEntries(obligations.map(({ id, verdict }) => [id, verdict]));
  // What `rest` settled, the reduced net did not.
  const whole = conclusionBy(verdicts as Verdicts, false);
  const known = [report.soundness, rest.soundness, whole];
  const sound =
    known.find(({ kind }) => kind === "fails") ?? known.find(({ kind }) => kind === "holds") ?? whole;
  return {
    ...report,
    obligations,
    soundness: sound,
    sound: sound.kind === "unknown" ? null : sound.kind === "holds",
    stage: "search",
  };
}
