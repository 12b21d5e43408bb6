/** @module The lines of a report that limits have left open, asked of the state equation: of the reduced net, then of the net. */
import type { Net } from "@tessera/core";
import { DEFAULT_LIMITS, startBudget } from "../limits.ts";
import type { NetProof } from "../pipeline.ts";
import { type CheckOptions, methodOf, type NetReport } from "../soundness.ts";
import type { NetObligationId } from "../verdict.ts";
import { type Decided, equationStage, type StageWork, WORK, WORK_AFTER_FAILURE } from "./stage.ts";

/** What is carried over from a reduced net by T13.1. */
const CARRIED: readonly NetObligationId[] = ["O2", "O4", "deadlock", "bounded"];

/**
 * Once soundness is refuted, what is left open of the reduced net is asked there, where the equation is small: no
 * weights of the net are lost, for those of the places that are left, with those of their twins, are weights of the
 * reduced net.
 */
export function* withReducedEquation<Report extends NetReport>(
  net: Net,
  report: Report,
  options: CheckOptions,
): Generator<number, { readonly report: Report; readonly asked: ReadonlySet<NetObligationId> }> {
  const ids = openIn(report);
  const asked = new Set(report.sound === false ? CARRIED.filter((id) => ids.has(id)) : []);
  const decided = yield* ask(net, asked, report, { options, work: WORK_AFTER_FAILURE, isSeen: () => false });
  return { report: { ...report, ...settled(report, decided) }, asked };
}

/** What the limits left open is asked of the state equation. */
export function* withEquation(net: Net, proof: NetProof, options: CheckOptions): Generator<number, NetProof> {
  const { report, found, asked } = proof;
  const open = new Set([...openIn(report)].filter((id) => asked?.has(id) !== true));
  const isSeen = (t: number) => found !== null && found.space.enabledAt[t] !== -1;
  const work = report.sound === null ? WORK : WORK_AFTER_FAILURE;
  const decided = yield* ask(net, open, report, { options, work, isSeen });
  return decided.size === 0 ? proof : { ...proof, report: { ...report, ...settled(report, decided) } };
}

function openIn({ obligations }: NetReport): ReadonlySet<NetObligationId> {
  return new Set(
    obligations.flatMap(({ id, verdict }) =>
      verdict.kind === "unknown" && verdict.limit.kind !== "no-finals" ? [id] : [],
    ),
  );
}

interface Asking {
  readonly options: CheckOptions;
  readonly work: StageWork;
  readonly isSeen: (t: number) => boolean;
}

function* ask(
  net: Net,
  ids: ReadonlySet<NetObligationId>,
  { states }: NetReport,
  { options, work, isSeen }: Asking,
): Generator<number, Decided> {
  if (ids.size === 0) return new Map();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const budget = startBudget(limits, options.now ?? (() => performance.now()), options.signal ?? null);
  return yield* equationStage(net, ids, isSeen, () => budget.exhausted(states) !== null, work);
}

/** The lines with what was decided. The equation never shows soundness; it refutes it by O1 or O3. */
function settled(
  report: NetReport,
  decided: Decided,
): Pick<NetReport, "obligations" | "soundness" | "sound"> {
  const obligations = report.obligations.map((line) => {
    const verdict = decided.get(line.id);
    return verdict === undefined ? line : { ...line, verdict, method: methodOf(verdict) };
  });
  const refuted = [decided.get("O1"), decided.get("O3")].find((verdict) => verdict?.kind === "fails");
  const soundness = report.sound === null && refuted !== undefined ? refuted : report.soundness;
  return { obligations, soundness, sound: soundness.kind === "unknown" ? null : soundness.kind === "holds" };
}
