/** @module Stage 3: what a search left open, asked of the state equation of the net as it is. */
import { type Net, netClass } from "@tessera/core";
import { enabledGoals, faultGoals, finalGoals, type Goal } from "../certificate/goal.ts";
import { elementsOf } from "../elements.ts";
import { isMonotone } from "../obligations/boundedness.ts";
import { hasFinals } from "../structure.ts";
import type {
  DeadElement,
  EquationCertificate,
  EquationStep,
  NetEvidence,
  NetObligationId,
  Verdict,
} from "../verdict.ts";
import { fails, holds } from "../verdict.ts";
import { type NeverProver, neverProver } from "./never.ts";
import { placeWeights } from "./weights.ts";

/**
 * How much may be computed for each obligation, and for each element: these are many. After `openMax` elements that stay open the
 * others are not asked.
 */
export interface StageWork {
  readonly openMax: number;
  readonly workMax: number;
  readonly forElement: number;
  readonly casesMax: number;
}

/** Where soundness is open. */
export const WORK: StageWork = {
  workMax: 100_000_000,
  forElement: 4_000_000,
  casesMax: 1000,
  openMax: 1000,
};

/** Where soundness is refuted, and the rest is diagnosis: a millisecond or two. */
export const WORK_AFTER_FAILURE: StageWork = {
  workMax: 150_000,
  forElement: 5_000,
  casesMax: 50,
  openMax: 10,
};

/** Verdicts on what is open among `ids`; those that the equation does not decide are not in the map. */
export type Decided = ReadonlyMap<NetObligationId, Verdict<NetEvidence>>;

/**
 * O2, O4 and deadlock hold where no marking with such a fault satisfies the equation, `bounded` where weights bound every
 * place; O1 fails where no final marking does, O3 where none does that enables an element. `isSeen`: was the transition
 * met? Of nets with resets the skeleton is asked what it can tell of them (T24.9); nets with optional inputs or rules are not asked.
 */
export function* equationStage(
  net: Net,
  ids: ReadonlySet<NetObligationId>,
  isSeen: (t: number) => boolean,
  isOver: () => boolean,
  work: StageWork = WORK,
): Generator<number, Decided> {
  const decided = new Map<NetObligationId, Verdict<NetEvidence>>();
  if (netClass(net) === "non-local" || ids.size === 0) return decided;
  const { workMax, casesMax } = work;
  const prover = neverProver(net, net.initial, { isOver, workMax, casesMax });
  for (const id of ids) {
    if (!isMonotone(net) && !isToldBySkeleton(net, id)) continue;
    if (isOver()) return decided;
    yield 0;
    const verdict =
      id === "O3"
        ? yield* deadElements(net, prover, isSeen, isOver, work)
        : asked(net, id, prover, isOver, workMax);
    if (verdict !== null) decided.set(id, verdict);
  }
  return decided;
}

/** Faults that more tokens do not undo. A listed final marking is one, with more tokens on it there may be another. */
function isToldBySkeleton({ finals }: Net, id: NetObligationId): boolean {
  return id === "O3" || id === "O4" || id === "bounded" || (id === "O2" && finals.kind === "ends");
}

function asked(
  net: Net,
  id: Exclude<NetObligationId, "O3">,
  prover: NeverProver,
  isOver: () => boolean,
  workMax: number,
): Verdict<NetEvidence> | null {
  switch (id) {
    case "bounded": {
      const found = placeWeights(net, { isOver, workMax });
      if (found.kind !== "weights") return null;
      return holds({
        class: "compact",
        method: "weights of places",
        states: 0,
        certificate: found.certificate,
      });
    }
    case "O1": {
      if (!hasFinals(net)) return null;
      const certificate = allNever(prover, finalGoals(net));
      if (certificate === null) return null;
      return fails({ kind: "E2", run: { sequence: [], marking: net.initial }, certificate });
    }
    default: {
      if (id === "O2" && !hasFinals(net)) return null;
      const certificate = allNever(prover, faultGoals(net, id)!);
      if (certificate === null) return null;
      return holds({ class: "compact", method: "state equation", states: 0, certificate });
    }
  }
}

/** One argument for each goal; null if one has none. */
function allNever(prover: NeverProver, goals: readonly Goal[], workMax?: number): EquationCertificate | null {
  const proofs: (readonly EquationStep[])[] = [];
  for (const goal of goals) {
    const found = prover(goal, workMax);
    if (found.kind !== "never") return null;
    proofs.push(found.steps);
  }
  return { kind: "state-equation", proofs };
}

function* deadElements(
  net: Net,
  prover: NeverProver,
  isSeen: (t: number) => boolean,
  isOver: () => boolean,
  { forElement, openMax }: StageWork,
): Generator<number, Verdict<NetEvidence> | null> {
  const dead: DeadElement[] = [];
  const known = new Map<number, readonly EquationStep[]>();
  let open = 0;
  for (const element of elementsOf(net)) {
    if (isOver() || open === openMax) break;
    if (element.transitions.some(isSeen)) continue;
    yield 0;
    const certificate = allNever(prover, enabledGoals(net, element.transitions), forElement);
    if (certificate === null) {
      open += 1;
      continue;
    }
    dead.push(element);
    element.transitions.forEach((t, index) => {
      known.set(t, certificate.proofs[index]!);
    });
  }
  if (dead.length === 0) return null;
  return fails({ kind: "E3", dead, certificate: { kind: "state-equation", proofs: [...known.values()] } });
}
