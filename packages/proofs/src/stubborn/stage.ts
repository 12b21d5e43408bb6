/** @module A search in stages: a few markings by breadth, what they leave open by stubborn sets, and the whole if it must be. */
import type { Net, PlaceIndex } from "@tessera/core";
import { DEFAULT_LIMITS, startBudget } from "../limits.ts";
import type { Search } from "../search.ts";
import {
  assemble,
  type CheckOptions,
  conclusion,
  EACH,
  type NetReport,
  netReport,
  searchNet,
} from "../soundness.ts";
import type { NetEvidence, NetObligationId, Verdict } from "../verdict.ts";
import { hasStubbornSets, type StubbornAnswers, stubbornAnswers } from "./prove.ts";

/** Nets with fewer markings are searched plainly: shortest witnesses, and nothing to be trusted but the firing rule. */
const STATES_FIRST = 4096;
/** Once soundness is decided stubborn sets only settle the other obligations. */
const STATES_REFUTED = 1000;

/** A report, and the last search behind it; `finals` where stubborn sets settled what the search had left open. */
export interface Staged {
  readonly report: NetReport;
  readonly found: Search | null;
  readonly isSettled: boolean;
  readonly finals: readonly (readonly PlaceIndex[])[] | null;
}

/**
 * Decides the obligations of `net`. `isWhole`: more will be asked of the markings than the obligations do, so the whole
 * search comes first. `begun`: a search that was ended early; if it refutes soundness it is not begun anew.
 */
export function* stagedSearch(
  net: Net,
  options: CheckOptions,
  isWhole: boolean,
  begun: Search | null = null,
): Generator<number, Staged> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { statesMax, statesAfterFailureMax } = limits;
  const isStaged = hasStubbornSets(net);
  const firstMax = isStaged && !isWhole ? Math.min(statesMax, STATES_FIRST) : statesMax;
  const known = begun === null || isWhole ? null : netReport(net, begun);
  const isKnown = known !== null && (known.complete || known.sound !== null);
  const first = isKnown
    ? begun
    : yield* searchNet(net, { ...options, limits: { ...limits, statesMax: firstMax } });
  const report = isKnown ? known : netReport(net, first);
  const open = openIn(report);
  if (first === null || first.limit?.kind !== "states" || open.size === 0 || !isStaged)
    return { report, found: first, isSettled: false, finals: null };
  const budget = startBudget(limits, options.now ?? (() => performance.now()), options.signal ?? null);
  const most = report.sound === null ? statesMax : Math.min(statesMax, STATES_REFUTED);
  const answers = yield* stubbornAnswers(first, open, budget, most);
  const filled = withAnswers(net, report, answers);
  const isSettled = openIn(filled).size === 0;
  if (isSettled || isWhole || statesMax <= firstMax)
    return { report: filled, found: first, isSettled, finals: isSettled ? answers.finals : null };
  // Once soundness is decided the rest only settles the other obligations.
  const restMax = filled.sound === null ? statesMax : Math.min(statesMax, statesAfterFailureMax);
  if (restMax <= firstMax) return { report: filled, found: first, isSettled, finals: null };
  const found = yield* searchNet(net, { ...options, limits: { ...limits, statesMax: restMax } });
  return { report: withAnswers(net, netReport(net, found), answers), found, isSettled: false, finals: null };
}

function openIn({ obligations }: NetReport): ReadonlySet<NetObligationId> {
  // Where no final marking is stated, none of the stages can tell.
  return new Set(
    obligations.flatMap(({ id, verdict }) =>
      verdict.kind === "unknown" && verdict.limit.kind !== "no-finals" ? [id] : [],
    ),
  );
}

/** The report with answers where it has none. A complete search answers everything itself. */
function withAnswers(net: Net, report: NetReport, { verdicts, states }: StubbornAnswers): NetReport {
  if (report.complete || verdicts.size === 0) return report;
  const results = Object.fromEntries(
    report.obligations.map(({ id, verdict }) => [
      id,
      verdict.kind === "unknown" ? (verdicts.get(id) ?? verdict) : verdict,
    ]),
  ) as Readonly<Record<NetObligationId, Verdict<NetEvidence>>>;
  const whole = conclusion(results);
  const sound = report.soundness.kind === "unknown" ? soundnessOf(whole, results.O2) : report.soundness;
  return assemble(net, Math.max(report.states, states), false, results, sound);
}

/** The graphs behind O1 are those behind O2, with the runs of O3. */
function soundnessOf(whole: Verdict<NetEvidence>, proper: Verdict<NetEvidence>): Verdict<NetEvidence> {
  if (whole.kind !== "holds" || proper.kind !== "holds") return whole;
  return whole.evidence.certificate === proper.evidence.certificate ? whole : EACH;
}
