/** @module The soundness checker: what a net owes, decided by an explicit search with limits. */
import { setImmediate } from "node:timers/promises";
import type { Net, NetClass, NonLocalRules } from "@tessera/core";
import { NO_RULES, netClass, unreachable } from "@tessera/core";
import type { Abortable, Limits } from "./limits.ts";
import { DEFAULT_LIMITS, startBudget } from "./limits.ts";
import { TOKENS_MAX } from "./marking-store.ts";
import { pumpRefutes } from "./obligations/boundedness.ts";
import { deadTransitions } from "./obligations/dead-transitions.ts";
import { optionToComplete } from "./obligations/option-to-complete.ts";
import type { Search } from "./search.ts";
import { search } from "./search.ts";
import type { NetEvidence, NetObligationId, ObligationResult, RunEvidence, Verdict } from "./verdict.ts";
import { fails, holds, unknown } from "./verdict.ts";

/** Options of a check; all have defaults. */
export interface CheckOptions {
  readonly limits?: Partial<Limits>;
  /** Non-local rules by the name that transitions carry. */
  readonly rules?: NonLocalRules;
  /** Milliseconds from any origin, never going back. */
  readonly now?: () => number;
  readonly signal?: Abortable;
  /** Told the number of states between slices of the search. */
  readonly onProgress?: (states: number) => void;
}

/** Options of an asynchronous check. `pause` resolves when the search may go on; the default lets the event loop turn. */
export interface AsyncCheckOptions extends CheckOptions {
  readonly pause?: () => Promise<unknown>;
}

/** What is known of a net. */
export interface NetReport {
  readonly class: NetClass;
  /** Markings stored by the breadth-first search. */
  readonly states: number;
  /** Are these all reachable markings? */
  readonly complete: boolean;
  /** O1, O2, O3, O4, deadlock, bounded: in this order. */
  readonly obligations: readonly ObligationResult[];
  /** O1, O2 and O3 together, with the evidence. */
  readonly soundness: Verdict<NetEvidence>;
  /** `soundness` as true, false, or null for unknown. */
  readonly sound: boolean | null;
}

/**
 * Decides O1 to O4, deadlock and boundedness of `net` by explicit search, as far as the limits go. Every `fails`
 * carries evidence that `checkEvidence` accepts; `unknown` names the limit. Blocks until done; see `checkNetAsync`.
 * Cost: linear in the edges of the state space, at most `statesMax` states.
 */
export function checkNet(net: Net, options: CheckOptions = {}): NetReport {
  return finish(checkSteps(net, options), options);
}

/** As `checkNet`, but lets other work run between slices of some milliseconds. */
export function checkNetAsync(net: Net, options: AsyncCheckOptions = {}): Promise<NetReport> {
  return finishAsync(checkSteps(net, options), options);
}

/** Runs a check to its end. */
export function finish<T>(steps: Generator<number, T>, options: CheckOptions): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    options.onProgress?.(step.value);
  }
}

/** Runs a check to its end, with a pause between slices. */
export async function finishAsync<T>(steps: Generator<number, T>, options: AsyncCheckOptions): Promise<T> {
  const pause = options.pause ?? (() => setImmediate());
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    options.onProgress?.(step.value);
    await pause();
  }
}

/** The search of `net` under `options`; null if its numbers do not fit the packed markings. */
export function* searchNet(net: Net, options: CheckOptions): Generator<number, Search | null> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const now = options.now ?? (() => performance.now());
  if (hasHugeNumbers(net)) return null;
  const budget = startBudget(limits, now, options.signal ?? null);
  return yield* search(net, options.rules ?? NO_RULES, budget);
}

/** The steps of `checkNet`. */
export function* checkSteps(net: Net, options: CheckOptions): Generator<number, NetReport> {
  return netReport(net, yield* searchNet(net, options));
}

/** What a search says of the obligations of its net. */
export function netReport(net: Net, found: Search | null): NetReport {
  if (found === null) return hugeReport(net);
  const { space, walked, findings, limit, watch } = found;
  const results: Record<NetObligationId, Verdict<NetEvidence>> = {
    O1: watch.hasFinals ? optionToComplete(found) : unknown({ kind: "no-finals" }),
    O2: watch.hasFinals ? seenOrNot(found, findings.improper) : unknown({ kind: "no-finals" }),
    O3: deadTransitions(net, walked === null ? [space] : [space, walked], limit),
    O4: seenOrNot(found, findings.unsafe),
    deadlock: seenOrNot(found, findings.deadlock),
    bounded: seenOrNot(found, boundednessFailure(found)),
  };
  return assemble(net, space.store.count, limit === null, results, soundness(found, results));
}

/** A visible fault: seen, excluded by the complete space, or open. */
function seenOrNot({ space, limit }: Search, evidence: RunEvidence | null): Verdict<RunEvidence> {
  if (evidence !== null) return fails(evidence);
  if (limit !== null) return unknown(limit);
  return holds({ class: "enumerated", method: "state space", states: space.store.count });
}

function boundednessFailure({ findings: { pump } }: Search): RunEvidence | null {
  return pump === null ? null : { kind: "E1", run: pump.run, finding: { kind: "pump", from: pump.from } };
}

/**
 * Soundness: option to complete, proper completion and no dead transition. A pump can refute the first two together
 * (T8.2) where it refutes neither alone.
 *
 * @definition D8.8
 */
function soundness(
  { watch, findings: { pump } }: Search,
  results: Readonly<Record<"O1" | "O2" | "O3", Verdict<NetEvidence>>>,
): Verdict<NetEvidence> {
  // Where no final marking is stated soundness has no meaning, dead transitions or not.
  if (!watch.hasFinals) return results.O1;
  const whole = conclusion(results);
  if (whole.kind === "fails") return whole;
  if (pump !== null && pumpRefutes(watch.net, watch.structure) === "O1 or O2") return fails(pump);
  return whole;
}

/** Soundness where O1, O2 and O3 hold, but the evidence for the one does not show the others. */
export const EACH: Verdict<never> = holds({
  class: "recomputable",
  method: "O1, O2 and O3, each by its own evidence",
  states: 0,
});

/** O1, O2 and O3 together: a failure before an open question, and that before `holds`. */
export function conclusion(
  results: Readonly<Record<"O1" | "O2" | "O3", Verdict<NetEvidence>>>,
): Verdict<NetEvidence> {
  const parts = [results.O1, results.O2, results.O3];
  const decisive = parts.find(({ kind }) => kind === "fails") ?? parts.find(({ kind }) => kind === "unknown");
  return decisive ?? results.O1;
}

/** A report of these verdicts. */
export function assemble(
  net: Net,
  states: number,
  complete: boolean,
  results: Readonly<Record<NetObligationId, Verdict<NetEvidence>>>,
  sound: Verdict<NetEvidence>,
): NetReport {
  const ids: readonly NetObligationId[] = ["O1", "O2", "O3", "O4", "deadlock", "bounded"];
  const obligations = ids.map((id): ObligationResult => {
    const verdict = results[id];
    return { id, verdict, level: "net", method: methodOf(verdict) };
  });
  return {
    class: netClass(net),
    states,
    complete,
    obligations,
    soundness: sound,
    sound: sound.kind === "unknown" ? null : sound.kind === "holds",
  };
}

/** How a verdict was found, in a few words. */
export function methodOf(verdict: Verdict<NetEvidence>): string {
  if (verdict.kind === "holds") return `${verdict.evidence.class}: ${verdict.evidence.method}`;
  if (verdict.kind === "unknown") return verdict.limit.kind === "method" ? "none" : "state space, limited";
  const { evidence } = verdict;
  switch (evidence.kind) {
    case "E1":
      return `E1: ${evidence.finding.kind}`;
    case "E2":
    case "E3":
      return `${evidence.kind}: ${evidence.certificate.kind}`;
    case "E3-pump":
      return "E3: pump";
    case "E3-ill-formed":
      return `E3: ${evidence.reason.kind}`;
    default:
      return unreachable(evidence);
  }
}

/** Counts beyond 2^31 - 1 do not fit the packed markings. */
export function hasHugeNumbers(net: Net): boolean {
  const isHuge = (tokens: number) => tokens > TOKENS_MAX;
  return (
    net.initial.some(isHuge) ||
    net.transitions.some(({ pre, post }) => [...pre, ...post].some(([, weight]) => isHuge(weight)))
  );
}

function hugeReport(net: Net): NetReport {
  const open = unknown({ kind: "tokens", at: 0 });
  const results = { O1: open, O2: open, O3: open, O4: open, deadlock: open, bounded: open };
  return assemble(net, 0, false, results, open);
}
