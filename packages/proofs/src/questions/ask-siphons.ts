/** @module Questions about siphons and traps, and what Commoner's condition answers. */
import { type Net, netClass } from "@tessera/core";
import { DEFAULT_LIMITS, startBudget } from "../limits.ts";
import { isFreeChoice } from "../net-shape.ts";
import { isMonotone } from "../obligations/boundedness.ts";
import { hasHugeNumbers } from "../soundness.ts";
import {
  type CommonerAnswer,
  commoner,
  minimalSiphons,
  type SiphonLimits,
} from "../state-equation/minimal-siphons.ts";
import type { Answer, AskOptions } from "./answer.ts";

/** The questions of this file. */
export type SiphonQuestion = "minimal-siphons" | "minimal-traps" | "commoner";

/**
 * minimal-siphons, minimal-traps: holds with all of them; unknown, with the limit, where they are too many. commoner: does each siphon
 * contain a marked trap?
 */
export function askSiphons(net: Net, kind: SiphonQuestion, options: AskOptions): Answer {
  if (!isMonotone(net))
    return {
      kind: "unknown",
      limit: { kind: "method", reason: "siphons and traps say nothing of this net" },
    };
  if (hasHugeNumbers(net)) return { kind: "unknown", limit: { kind: "tokens", at: 0 } };
  const limits = limitsOf(options);
  if (kind === "commoner") return answerOf(commoner(net, limits));
  const of = kind === "minimal-siphons" ? "siphons" : "traps";
  const found = minimalSiphons(net, of, limits);
  return found.kind === "all"
    ? { kind: "holds", shown: { kind: "minimal-sets", of, argument: found.argument } }
    : { kind: "unknown", limit: found.limit };
}

/**
 * What Commoner's condition says of liveness, in plain free-choice nets, and of deadlocks, in plain nets (T24.6, T24.7). Null where it
 * says nothing.
 */
export function byCommoner(
  net: Net,
  kind: "live" | "deadlock-free",
  limits: Partial<SiphonLimits>,
): Answer | null {
  if (netClass(net) !== "plain" || net.transitions.length === 0) return null;
  if (kind === "live" && !isFreeChoice(net)) return null;
  const found = commoner(net, limits);
  if (found.kind === "limit" || (found.kind === "fails" && kind === "deadlock-free")) return null;
  return answerOf(found);
}

function answerOf(found: CommonerAnswer): Answer {
  switch (found.kind) {
    case "holds":
      return { kind: "holds", shown: { kind: "siphon-traps", certificate: found.certificate } };
    case "fails":
      return { kind: "fails", shown: { kind: "bare-siphon", places: found.siphon } };
    case "limit":
      return { kind: "unknown", limit: found.limit };
  }
}

function limitsOf(options: AskOptions): Partial<SiphonLimits> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const budget = startBudget(limits, options.now ?? (() => performance.now()), options.signal ?? null);
  return { exhausted: () => budget.exhausted(0) };
}
