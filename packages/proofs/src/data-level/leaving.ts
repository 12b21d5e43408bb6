/** @module How a token leaves a node on a case: the way that its outcome goes, what is forgotten, what fires. */
import { ERROR, type Outcome, type TransitionIndex } from "@tessera/core";
import { EXHAUSTED, FAIL } from "@tessera/gateways";
import { waysOn } from "./answers.ts";
import { dataOf } from "./domain.ts";
import { emptied } from "./handlers.ts";
import { cleared, fireBranch, type MarkingFacts, outcomeOf, type Result, type Stepper } from "./stepper.ts";

/**
 * What the world chooses at a node: an outcome with new values. `results`: everything that it can lead to, more than one
 * only where open conditions decide, or what the cases do not tell. `isSure`: the world can choose it wherever the case
 * is this one; else it is for what is outside the model to say (an error of a timer). `isPlayable`: a run can bring it
 * about. `isProvision`: D does not allow it; the outcome is there because O5 asks for it. `isBeside`: a run beside a token
 * begins or ends.
 */
export interface Choice {
  readonly node: number;
  readonly outcome: Outcome | null;
  /** The case that the answer leaves, before routing. */
  readonly cells: readonly number[];
  readonly isSure: boolean;
  readonly isPlayable: boolean;
  readonly isProvision: boolean;
  readonly isBeside?: true;
  readonly results: readonly Result[];
  /** Why no arc can be taken under the outcome, on some way or, with `isGapSure`, on every one. */
  readonly gap: string | null;
  readonly isGapSure: boolean;
}

/** Where a token leaves: the marking and the transitions of which one fires. */
export interface Leaving {
  readonly stepper: Stepper;
  readonly facts: MarkingFacts;
  readonly group: readonly TransitionIndex[];
  /** Where one that cannot be taken leaves under error, if not by the same group. */
  readonly repair?: readonly TransitionIndex[];
}

/** A token moves on by itself. */
export function plain(
  { stepper, facts }: Leaving,
  node: number,
  t: TransitionIndex,
  cells: readonly number[],
): Choice {
  const { marking, fired } = fireBranch(stepper, facts.marking, t, []);
  const after = emptied(stepper, fired, cells);
  const results: readonly Result[] = [{ kind: "state", marking, cells: after, fired, outcome: null }];
  return {
    node,
    outcome: null,
    cells,
    isSure: true,
    isPlayable: true,
    isProvision: false,
    results,
    gap: null,
    isGapSure: false,
  };
}

interface Manner {
  readonly isSure?: boolean;
  readonly isPlayable?: boolean;
  readonly isProvision?: boolean;
  readonly isPerson?: boolean;
}

/**
 * The token leaves under `outcome` with the case `after`; where no arc can be taken, under error with the case `before`;
 * where that has no arc either, the run fails, or the person who answered has to answer otherwise.
 */
export function leave(
  leaving: Leaving,
  node: number,
  outcome: Outcome,
  after: readonly number[],
  before: readonly number[],
  { isSure = true, isPlayable = isSure, isProvision = false, isPerson = false }: Manner = {},
): Choice {
  const ways = branchesOf(leaving, node, outcome === FAIL ? [FAIL, EXHAUSTED] : [outcome], after);
  const troubles = ways.filter((way) => way.kind === "failed");
  const { group, repair = group } = leaving;
  const repaired =
    outcome === ERROR ? troubles : branchesOf({ ...leaving, group: repair }, node, [ERROR], before);
  const results = ways.flatMap((way): readonly Result[] => {
    if (way.kind !== "failed") return [way];
    if (outcome === ERROR) return isPerson ? [{ kind: "refused" }] : [way];
    return repaired.map((result): Result => {
      if (result.kind !== "failed") return result;
      return isPerson ? { kind: "refused" } : way;
    });
  });
  const gap = troubles[0]?.trouble ?? null;
  const isGapSure = gap !== null && troubles.length === ways.length && isPlayable && !isProvision;
  const choice = { node, outcome, cells: after, isSure, isPlayable, isProvision, gap, isGapSure };
  return { ...choice, results: unique(results) };
}

/** One choice that leads to what any of `choices` does: which of them it is, is not told. */
export function untold(choices: readonly [Choice, ...Choice[]], manner: Partial<Choice> = {}): Choice {
  const [first] = choices;
  return {
    ...first,
    gap: choices.find(({ gap }) => gap !== null)?.gap ?? null,
    isGapSure: choices.every(({ isGapSure }) => isGapSure),
    results: unique(choices.flatMap(({ results }) => results)),
    ...manner,
  };
}

type Way = Exclude<Result, { readonly kind: "refused" }>;

/** The transitions by which a token can leave under the first of `labels` that has one; `failed` where none has. */
function branchesOf(
  { stepper, facts, group }: Leaving,
  node: number,
  labels: readonly Outcome[],
  cells: readonly number[],
): readonly Way[] {
  const [label, ...rest] = labels;
  if (label === undefined) return [];
  const { compiled, domain, arcsOf } = stepper;
  const candidates = group.filter((t) => facts.enabled.has(t) && outcomeOf(stepper, t) === label);
  if (candidates.length === 0 && rest.length > 0)
    return branchesOf({ stepper, facts, group }, node, rest, cells);
  const further = (trouble: string): readonly Way[] =>
    rest.length > 0
      ? branchesOf({ stepper, facts, group }, node, rest, cells)
      : [{ kind: "failed", trouble }];
  return waysOn(compiled, domain, node, arcsOf(node, label), label, dataOf(domain, cells)).flatMap((way) => {
    if (way.kind === "trouble") return further(way.trouble);
    const chosen = (t: TransitionIndex) => compiled.net.transitions[t]?.origin?.chosen ?? [];
    const own = candidates.find((t) => String(chosen(t)) === String(way.arcs));
    const head = candidates.find((t) => chosen(t).length === 0);
    const transition = own ?? head;
    if (transition === undefined) return further(`no arc is open under "${label}"`);
    const { marking, fired } = fireBranch(
      stepper,
      facts.marking,
      transition,
      own === undefined ? way.arcs : [],
    );
    const failed = fired.filter((t) => outcomeOf(stepper, t) === FAIL);
    const next = failed.reduce<readonly number[]>((now, t) => cleared(stepper, t, now), cells);
    return [{ kind: "state", marking, cells: emptied(stepper, fired, next), fired, outcome: label }];
  });
}

function unique(results: readonly Result[]): readonly Result[] {
  const seen = new Set<string>();
  return results.filter((result) => {
    const key = JSON.stringify(result);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
