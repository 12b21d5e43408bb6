/**
 * @module How a token leaves a node: what an outcome fires and what is recorded of it. Only the step fires:
 * it hands over the firing of its own game.
 */
import {
  canPlay,
  ERROR,
  hasRoom,
  invariant,
  type NodeId,
  nodeIdOf,
  type StepRecord,
  type TransitionIndex,
} from "@tessera/core";
import { FAIL } from "@tessera/gateways";
import type { Effect } from "./answer.ts";
import { type Branch, type Chosen, chooseBranch, isUnavailable } from "./branch.ts";
import { clearKeys, type Draft, fail, intervene, record, takeEffect } from "./draft.ts";
import { heldView } from "./held.ts";
import type { InTheMaking } from "./making.ts";
import { takenByReset } from "./taken.ts";

/** The branch of an effect, or its trouble. */
export function branchOf(
  draft: Draft,
  node: number,
  group: readonly TransitionIndex[],
  effect: Effect,
): Branch {
  return effect.kind === "trouble" ? effect : chooseBranch(draft, node, group, effect.outcome, effect.data);
}

/**
 * The token leaves `node` by a transition of `group` under the effect's outcome. Trouble, or an outcome that no arc
 * takes, discards the effect and takes `error`; where even that has no arc, the run fails with the reason.
 */
export function leave(
  draft: Draft,
  node: number,
  group: readonly TransitionIndex[],
  effect: Effect,
  extra: Pick<StepRecord, "closed" | "trouble" | "sent" | "dropped">,
  branch: Branch = branchOf(draft, node, group, effect),
): void {
  if (branch.kind === "chosen" && effect.kind === "effect") {
    goOn(draft, branch, effect, extra);
    return;
  }
  const trouble = branch.kind === "trouble" ? branch.trouble : { code: "NO_ARC", message: "no arc" };
  // Nothing has fired yet: the token waits where it is until the operator has registered what is missing.
  if (isUnavailable(trouble) && extra.closed === undefined) {
    intervene(draft, node, trouble);
    return;
  }
  const cause = extra.trouble ?? trouble;
  const isErrorItself = effect.kind === "effect" && effect.outcome === ERROR;
  const repair = isErrorItself
    ? branch
    : chooseBranch(draft, node, group, ERROR, heldView(draft.plan, draft, node).data);
  if (repair.kind === "trouble" && isUnavailable(repair.trouble) && extra.closed === undefined) {
    intervene(draft, node, repair.trouble);
    return;
  }
  if (repair.kind === "chosen") {
    recordFired(draft, playBranch(draft, repair), extra, { outcome: ERROR, trouble: cause });
    return;
  }
  const nodeId = draft.plan.nodes[node]?.id ?? "";
  record(draft, { ...extra, node: nodeId, trouble: cause });
  const origin = cause === trouble ? {} : { cause: cause.code, causeMessage: cause.message };
  const repaired = repair.kind === "trouble" && repair !== branch ? { repair: repair.trouble.code } : {};
  fail(draft, { ...trouble, facts: { ...trouble.facts, node: nodeId, ...origin, ...repaired } });
}

/** Takes the effect and fires the branch: one step. */
export function goOn(
  draft: Draft,
  branch: Chosen,
  effect: Effect & { readonly kind: "effect" },
  extra: StepRecord,
): void {
  const { program, closes } = draft.plan;
  const node = program.net.transitions[branch.transition]?.origin?.node ?? -1;
  const closed = extra.dropped === undefined ? null : (closes.get(node) ?? null);
  const taken = takeEffect(draft, node, effect, closed);
  recordFired(draft, playBranch(draft, branch), extra, { outcome: branch.outcome }, taken);
}

/** Fires the transition and, behind an OR split, its whole chain: one macro step, guards evaluated once. */
function playBranch(draft: Draft, { transition, chain }: Chosen): readonly TransitionIndex[] {
  const { program } = draft.plan;
  draft.fire(transition);
  if (chain.length === 0) return [transition];
  const fired = [transition];
  const head =
    program.net.transitions[transition]?.post.find(([place]) => program.chains.has(place))?.[0] ?? -1;
  let rest = chain.length;
  for (const link of program.chains.get(head) ?? []) {
    const isTaken = chain.includes(link.arc);
    if (isTaken) rest -= 1;
    const isLast = isTaken && rest === 0 && link.stop.length > 0;
    const moves = isLast ? link.stop : isTaken ? link.take : link.skip;
    // The default of a chain without skip places is taken at the head or not mentioned at all.
    if (!isTaken && moves.length === 0) continue;
    const move = moves.find((t) => canPlay(draft.game, t));
    invariant(move !== undefined, "D6.2", () => ({ arc: link.arc, chain: [...chain] }));
    draft.fire(move);
    fired.push(move);
    if (isLast) break;
  }
  return fired;
}

export function playStep(draft: Draft, transitions: readonly TransitionIndex[], extra: StepRecord): void {
  for (const t of transitions) {
    if (!hasRoom(draft.game, t)) {
      const transition = draft.plan.program.net.transitions[t]?.id ?? "";
      const message = "a place would hold more tokens than can be counted";
      fail(draft, { code: "OVERFLOW", message, facts: { transition } });
      return;
    }
    draft.fire(t);
  }
  recordFired(draft, transitions, extra, extra, extra);
}

/** Blocks that hold something back and have no token any more: they were left, or emptied, and nothing of it is kept. */
function leftBlocks(
  { plan, game, overlays }: Draft,
  staged: NonNullable<StepRecord["staged"]>,
  dropped: readonly NodeId[],
): readonly NodeId[] {
  if (overlays.length + staged.length === 0) return NOTHING;
  const holding = new Set([...overlays, ...staged].map(({ block }) => block));
  return [...holding].filter((block) => {
    const places = plan.blockPlaces.get(block) ?? [];
    return !dropped.includes(block) && !places.some((place) => (game.marking[place] ?? 0) > 0);
  });
}

const NOTHING: readonly never[] = [];

type Taken = Pick<StepRecord, "patch" | "mutation" | "staged">;

/** Nothing was taken of an effect. */
const NOTHING_TAKEN: Taken = {};

/**
 * Records what was fired; a loop's fail branch clears its verdict, and items whose token a reset took close. The record is
 * put together in one order, member by member: as a copy with changes it would be a form of its own every time, and
 * whatever reads records later would be slow.
 */
function recordFired(
  draft: Draft,
  fired: readonly TransitionIndex[],
  extra: StepRecord,
  { outcome, trouble = extra.trouble }: Pick<StepRecord, "outcome" | "trouble">,
  { patch, mutation, staged }: Taken = NOTHING_TAKEN,
): void {
  const { plan } = draft;
  draft.firedCount += fired.length;
  const { opened, changed, sent } = extra;
  const closed = joined(extra.closed, takenByReset(draft, fired, extra.closed ?? NOTHING));
  const dropped = joined(extra.dropped, leftBlocks(draft, staged ?? NOTHING, extra.dropped ?? NOTHING));
  const node = nodeIdOf(plan.program, fired[0] ?? -1);
  const step: InTheMaking<StepRecord> = node === undefined ? { fired } : { node, fired };
  if (outcome !== undefined) step.outcome = outcome;
  if (patch !== undefined) step.patch = patch;
  if (opened !== undefined) step.opened = opened;
  if (closed !== undefined) step.closed = closed;
  if (changed !== undefined) step.changed = changed;
  if (trouble !== undefined) step.trouble = trouble;
  if (mutation !== undefined) step.mutation = mutation;
  if (sent !== undefined) step.sent = sent;
  if (staged !== undefined) step.staged = staged;
  if (dropped !== undefined) step.dropped = dropped;
  record(draft, step);
  if (plan.clears.size === 0) return;
  const failed = fired.filter((t) => plan.program.net.transitions[t]?.origin?.outcome === FAIL);
  clearKeys(
    draft,
    failed.flatMap((t) => plan.clears.get(t) ?? []),
  );
}

function joined<T>(some: readonly T[] | undefined, more: readonly T[]): readonly T[] | undefined {
  return more.length === 0 ? some : [...(some ?? NOTHING), ...more];
}
