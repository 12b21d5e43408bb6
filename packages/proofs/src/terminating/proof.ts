/** @module The stage for nets with terminating transitions: what is left without them is proved, then the net itself. */
import type { Net, PlaceIndex } from "@tessera/core";
import { type Remainder, withoutTermination } from "../certificate/remainder.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { type NetShape, netShape } from "../net-shape.ts";
import type { NetProof, PipelineReport } from "../pipeline.ts";
import { assemble, type CheckOptions, conclusion, EACH, netReport, searchNet } from "../soundness.ts";
import type { NetEvidence, NetObligationId, Verdict } from "../verdict.ts";
import { carriedOver, carriedSoundness, carrierOf } from "./carry-over.ts";
import { terminatingParts, terminations } from "./find-part.ts";

/** Proves a net without terminating parts. */
export type ProveLeft = (
  net: Net,
  options: CheckOptions,
  kept: readonly PlaceIndex[],
) => Generator<number, NetProof>;

type Verdicts = Map<NetObligationId, Verdict<NetEvidence>>;

/** What is known so far, and the last report on a remainder. */
interface State {
  readonly verdicts: Verdicts;
  /** What shows soundness at once, if anything does. */
  sound: Verdict<NetEvidence> | null;
}

/**
 * The proof of `net` by its terminating parts (T13.6); null if it has none. What no part settles is asked of the net
 * itself.
 */
export function* terminatedProof(
  net: Net,
  options: CheckOptions,
  kept: readonly PlaceIndex[],
  proveLeft: ProveLeft,
): Generator<number, NetProof | null> {
  const isTerminating = terminations(net);
  const state: State = { verdicts: new Map(), sound: null };
  let last: PipelineReport | null = null;
  let finals: NetProof["finals"];
  for (const part of terminatingParts(net, isTerminating)) {
    const left = withoutTermination(net, part, isTerminating);
    if (typeof left === "string") continue;
    const { report } = yield* proveLeft(left.net, options, keptIn(left, kept));
    last ??= report;
    const carrier = carrierOf(net, part, left);
    for (const [id, verdict] of carriedOver(carrier, report)) settle(state.verdicts, id, verdict);
    state.sound ??= carriedSoundness(carrier, report.soundness);
    if (isSettled(state)) {
      if (kept.length === 0 && report === last) finals = finalsOf(net, left, report);
      break;
    }
  }
  if (last === null) return null;
  const shape = netShape(net);
  if (isSettled(state)) return settled(net, shape, state, last, finals);
  return yield* withSearch(net, shape, state, options);
}

/** The kept places in the remainder; those that it does not have are asked of nothing. */
function keptIn({ places }: Remainder, kept: readonly PlaceIndex[]): readonly PlaceIndex[] {
  return places.flatMap((place, index) => (kept.includes(place) ? [index] : []));
}

function settle(verdicts: Verdicts, id: NetObligationId, verdict: Verdict<NetEvidence>): void {
  const known = verdicts.get(id);
  if (known === undefined || known.kind === "unknown") verdicts.set(id, verdict);
}

function isSettled({ verdicts }: State): boolean {
  return [...verdicts.values()].every(({ kind }) => kind !== "unknown");
}

function settled(
  net: Net,
  shape: NetShape,
  { verdicts, sound }: State,
  last: PipelineReport,
  finals: NetProof["finals"],
): NetProof {
  const results = resultsOf(verdicts);
  const whole = conclusion(results);
  const shown = whole.kind === "holds" ? (sound ?? EACH) : whole;
  const report = assemble(net, last.states, last.complete, results, shown);
  return {
    report: { ...report, shape, stage: last.stage },
    found: null,
    reduced: null,
    ...(finals && { finals }),
  };
}

function* withSearch(
  net: Net,
  shape: NetShape,
  { verdicts, sound: shown }: State,
  options: CheckOptions,
): Generator<number, NetProof> {
  const { statesMax, statesAfterFailureMax } = { ...DEFAULT_LIMITS, ...options.limits };
  // Once soundness is refuted the rest only settles the other obligations.
  const isRefuted = conclusion(resultsOf(verdicts)).kind === "fails";
  const limits = {
    ...options.limits,
    statesMax: isRefuted ? Math.min(statesMax, statesAfterFailureMax) : statesMax,
  };
  const found = yield* searchNet(net, { ...options, limits });
  const rest = netReport(net, found);
  for (const { id, verdict } of rest.obligations) settle(verdicts, id, verdict);
  const results = resultsOf(verdicts);
  const whole = conclusion(results);
  // A run that refutes is believed before anything that was shown.
  const refuted = [whole, rest.soundness].find(({ kind }) => kind === "fails");
  const isEach = whole.kind === "holds" && rest.soundness.kind === "unknown";
  const sound = refuted ?? shown ?? (isEach ? EACH : rest.soundness);
  const report = assemble(net, rest.states, rest.complete, results, sound);
  return { report: { ...report, shape, stage: "search" }, found, reduced: null };
}

function resultsOf(verdicts: Verdicts): Readonly<Record<NetObligationId, Verdict<NetEvidence>>> {
  return Object.fromEntries(verdicts) as Record<NetObligationId, Verdict<NetEvidence>>;
}

/**
 * The reachable final markings where they are known without a search: in a remainder that is sound, has one end and no
 * resets, nothing is left beside a token on the end (T8.3), so no exit has fired then; and each end of the part is
 * marked alone. Null if more than that is needed.
 */
function finalsOf(net: Net, left: Remainder, report: PipelineReport): NetProof["finals"] {
  const { finals, transitions } = left.net;
  if (net.finals.kind !== "ends" || finals.kind !== "ends") return undefined;
  const isPlain = transitions.every(({ reset, post }) => reset.length === 0 && post.length > 0);
  const isSound = report.obligations.every(({ verdict }) => verdict.kind === "holds");
  if (!isPlain || !isSound || finals.ends.length !== 1) return undefined;
  // O3 asks of each termination whether it happens, but for variants.
  const isEach =
    net.finals.ends.length === 1 ||
    net.transitions.every((t) => t.generated !== true || t.reset.length === 0);
  return isEach ? net.finals.ends.map((end) => [end]) : undefined;
}
