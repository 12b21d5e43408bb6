/** @module One turn, pure: an input is applied, automatic transitions fire to quiescence, the record says everything. The only module outside core and proofs that fires. */
import {
  canPlay,
  ERROR,
  firstPlayable,
  hasRoom,
  type ItemId,
  invariant,
  isFinal,
  nodeIdOf,
  play,
  playable,
  type RunState,
  type StepRecord,
  startGame,
  type TransitionIndex,
  type Trouble,
} from "@tessera/core";
import { FAIL } from "@tessera/gateways";
import { acceptAnswer, type Effect, plainEffect, runInline } from "./answer.ts";
import { type Branch, type Chosen, chooseBranch, isUnavailable } from "./branch.ts";
import { chooseInConflict } from "./choice.ts";
import {
  adoptEffect,
  blowFuse,
  changeData,
  clearKeys,
  type Draft,
  endIfStuck,
  fail,
  finishDraft,
  isFuseBlown,
  nextItemId,
  record,
  startData,
  startDraft,
} from "./draft.ts";
import { formOf, formTrouble } from "./form.ts";
import { type Action, readInput } from "./input.ts";
import { openItem } from "./open-item.ts";
import { begunState, editData, placeTokens, suspensionRefusal, waysOut } from "./operator.ts";
import type { Plan } from "./plan.ts";
import type { InputEvent, InputRefusal, StepEnvironment, TurnReady } from "./turn.ts";

/**
 * One turn on one run: applies `event` to `state`, fires automatic transitions in document order until none is
 * enabled, the budget of firings is used up or the run ends, and returns the record with the state it leads to.
 * The same arguments give the same bytes on every host. An input that does not fit is refused and leaves no trace.
 * Law: `state` of the result equals `applyTurn(program, state, record)`.
 *
 * @definition D9.1
 */
export function step(
  plan: Plan,
  state: RunState,
  event: InputEvent,
  env: StepEnvironment,
): TurnReady | InputRefusal {
  const { program } = plan;
  if (state.terminal !== null || state.status === "completed") {
    const facts = { status: state.status };
    return { kind: "refused", code: "ended", message: `the run is ${state.status}`, facts };
  }
  const suspended = suspensionRefusal(state, event.input.kind);
  if (suspended !== null) return suspended;
  const begun = begunState(state, event, env.now);
  const draft = startDraft(
    plan,
    begun,
    startGame(program.fast, begun.marking, program.automatic, program.rules),
    env,
  );
  const action = readInput(plan, draft.items, state.sequence, event, env);
  if (action.kind === "refused") return action;
  const refusal = applyAction(draft, action, event);
  if (refusal !== null) return refusal;
  const isAtWork = draft.terminal === null && begun.suspension === undefined;
  const isUnfinished = isAtWork && runToQuiescence(draft);
  if (isAtWork && !isUnfinished) endIfStuck(draft);
  if (draft.terminal === null && draft.items.size > 0 && isFuseBlown(draft)) blowFuse(draft);
  return finishDraft(draft, begun, event, isUnfinished && draft.terminal === null);
}

function applyAction(draft: Draft, action: Action, event: InputEvent): InputRefusal | null {
  switch (action.kind) {
    case "start":
      if (event.input.kind === "start") startData(draft, event.input.data);
      return null;
    case "continue":
      return null;
    case "end":
      draft.terminal = action.terminal;
      return null;
    case "record":
      record(draft, action.step);
      return null;
    case "edit":
      return editData(draft, event.payload?.patch ?? {});
    case "place":
      return placeTokens(draft, action.step, event.payload?.patch ?? {});
    case "finish":
      return finishItem(draft, action, event.input.kind === "complete" || event.input.kind === "skip");
  }
}

/**
 * finish(n, o): the item's token leaves its rest place under the outcome, or under error if the answer is refused.
 * A person can correct what they sent, so it is refused; a worker's answer is history and takes the error outcome.
 */
function finishItem(
  draft: Draft,
  action: Action & { readonly kind: "finish" },
  isPerson: boolean,
): InputRefusal | null {
  const { plan } = draft;
  const { item, outcome, payload, trouble } = action;
  const { patch = {}, mutation = null } = payload;
  const node = plan.nodeIndex.get(item.node) ?? -1;
  const group = waysOut(draft, item);
  const definition = plan.nodes[node];
  const form = definition === undefined || !isPerson ? null : formOf(definition);
  const unfilled = form === null ? null : formTrouble(form, patch);
  const isPlain = mutation === null && Object.keys(patch).length === 0;
  const answer = { outcome, patch, mutation };
  const accept = (): Effect =>
    isPlain ? plainEffect(draft, outcome) : acceptAnswer(plan, node, draft, answer, draft.env);
  const effect: Effect = unfilled === null ? accept() : { kind: "trouble", trouble: unfilled };
  const branch = branchOf(draft, node, group, effect);
  if (branch.kind === "trouble") {
    const { code, message, facts } = branch.trouble;
    const refuse = (refusal: InputRefusal["code"]): InputRefusal => {
      return { kind: "refused", code: refusal, message, facts: { ...facts, code } };
    };
    const repair = chooseBranch(draft, node, group, ERROR, draft.data);
    if (isUnavailable(branch.trouble)) return refuse("unavailable");
    if (repair.kind === "trouble" && isUnavailable(repair.trouble)) return refuse("unavailable");
    if (isPerson && (effect.kind === "trouble" || repair.kind === "trouble")) return refuse("invalid-data");
  }
  const extra = { closed: [item.id], ...(trouble === null ? {} : { trouble }) };
  leave(draft, node, group, effect, extra, branch);
  return null;
}

/** Fires automatic transitions; true when the budget of firings ran out before quiescence. */
function runToQuiescence(draft: Draft): boolean {
  while (draft.terminal === null && !isAtRest(draft)) {
    const { firingsMax, turnBytesMax } = draft.env.limits;
    if (draft.firedCount >= firingsMax || draft.bytes >= turnBytesMax) return true;
    if (isFuseBlown(draft)) {
      blowFuse(draft);
      return false;
    }
    automaticStep(draft, nextTransition(draft));
  }
  return false;
}

/** Nothing automatic is enabled; a bare net that may end where transitions are enabled ends there. */
function isAtRest(draft: Draft): boolean {
  const { program } = draft.plan;
  if (program.compiled.kind === "net" && isFinal(program.net, draft.game.marking)) return true;
  return draft.held.size === 0 ? firstPlayable(draft.game) === -1 : freeTransition(draft) === -1;
}

/** Document order; a node that an intervention holds waits; between transitions of a bare net that compete, a choice. */
function nextTransition(draft: Draft): TransitionIndex {
  const { program } = draft.plan;
  if (program.compiled.kind !== "net")
    return draft.held.size === 0 ? firstPlayable(draft.game) : freeTransition(draft);
  const seed = `${draft.env.seed}/${draft.sequence}/${draft.firedCount}`;
  const choice = chooseInConflict(program.net, playable(draft.game), draft.data, seed);
  if (choice.patch !== null) changeData(draft, choice.data, choice.patch);
  return choice.transition;
}

function freeTransition(draft: Draft): TransitionIndex {
  const { program } = draft.plan;
  return playable(draft.game).find((t) => !draft.held.has(nodeIdOf(program, t) ?? "")) ?? -1;
}

function automaticStep(draft: Draft, t: TransitionIndex): void {
  const { program } = draft.plan;
  const origin = program.net.transitions[t]?.origin;
  const group = program.groups[program.groupOf[t] ?? -1] ?? [t];
  if (program.compiled.kind === "net" || origin === undefined) {
    fireStep(draft, [t], {});
    return;
  }
  switch (origin.phase) {
    case "start":
      startNode(draft, t, origin.node);
      return;
    case "enter":
      clearVerdicts(draft, t);
      fireStep(draft, [t], {});
      return;
    case "settle":
      fireStep(draft, [t], {});
      return;
    case "leave":
      leave(draft, origin.node, group, plainEffect(draft, origin.outcome ?? "done"), {});
      return;
    case "step":
      inlineStep(draft, origin.node, group, t);
      return;
    default:
      invariant(false, "D9.1", () => ({
        transition: program.net.transitions[t]?.id ?? t,
        phase: origin.phase,
      }));
  }
}

function inlineStep(draft: Draft, node: number, group: readonly TransitionIndex[], t: TransitionIndex): void {
  const { plan, env } = draft;
  if (plan.nodes[node]?.kind === "end") {
    fireStep(draft, [t], { outcome: "done" });
    return;
  }
  clearVerdicts(draft, t);
  const effect = runInline(plan, node, draft, env);
  if (plan.bodies[node] === "inline" && plan.nodes[node]?.kind !== "decision") draft.hasReadGraph = true;
  if (effect.kind !== "missing") {
    leave(draft, node, group, effect, {});
    return;
  }
  const message = `no function "${effect.name}" is registered`;
  holdNode(draft, node, { code: "FUNCTION_MISSING", message, facts: { name: effect.name } });
}

/** An intervention: the node's token waits where it is until somebody retries. */
function holdNode(draft: Draft, node: number, reason: Trouble): void {
  const id = draft.plan.nodes[node]?.id ?? "";
  const openedAt = draft.env.now;
  record(draft, {
    node: id,
    opened: [{ id: nextItemId(draft, node), kind: "intervention", node: id, openedAt, reason }],
  });
}

/** A verdict from before the loop was entered must not be read inside it, not even by the entry's own body. */
function clearVerdicts(draft: Draft, t: TransitionIndex): void {
  const isFailBranch = draft.plan.program.net.transitions[t]?.origin?.outcome === FAIL;
  if (!isFailBranch) clearKeys(draft, draft.plan.clears.get(t) ?? []);
}

/** start(n): the token comes to rest and its item opens. */
function startNode(draft: Draft, t: TransitionIndex, node: number): void {
  clearVerdicts(draft, t);
  const opening = openItem(draft.plan, node, nextItemId(draft, node), draft.data, draft.env);
  if (opening.kind === "item") {
    const { item } = opening;
    fireStep(draft, [t], { opened: [item.kind === "job" ? { ...item, turn: draft.sequence } : item] });
    return;
  }
  // The token comes to rest and leaves at once under error: the net knows no other way out of the node.
  fireStep(draft, [t], {});
  leave(draft, node, draft.plan.program.finish.get(node) ?? [], opening, {});
}

function branchOf(draft: Draft, node: number, group: readonly TransitionIndex[], effect: Effect): Branch {
  return effect.kind === "trouble" ? effect : chooseBranch(draft, node, group, effect.outcome, effect.data);
}

/**
 * The token leaves `node` by a transition of `group` under the effect's outcome. Trouble, or an outcome that no arc
 * takes, discards the effect and takes `error`; where even that has no arc, the run fails with the reason.
 */
function leave(
  draft: Draft,
  node: number,
  group: readonly TransitionIndex[],
  effect: Effect,
  extra: Pick<StepRecord, "closed" | "trouble">,
  branch: Branch = branchOf(draft, node, group, effect),
): void {
  if (branch.kind === "chosen" && effect.kind === "effect") {
    adoptEffect(draft, effect);
    recordFired(draft, fireBranch(draft, branch), {
      ...extra,
      outcome: branch.outcome,
      ...(effect.patch === null ? {} : { patch: effect.patch }),
      ...(effect.mutation === null ? {} : { mutation: effect.mutation }),
    });
    return;
  }
  const trouble = branch.kind === "trouble" ? branch.trouble : { code: "NO_ARC", message: "no arc" };
  // Nothing has fired yet: the token waits where it is until the operator has registered what is missing.
  if (isUnavailable(trouble) && extra.closed === undefined) {
    holdNode(draft, node, trouble);
    return;
  }
  const cause = extra.trouble ?? trouble;
  const isErrorItself = effect.kind === "effect" && effect.outcome === ERROR;
  const repair = isErrorItself ? branch : chooseBranch(draft, node, group, ERROR, draft.data);
  if (repair.kind === "trouble" && isUnavailable(repair.trouble) && extra.closed === undefined) {
    holdNode(draft, node, repair.trouble);
    return;
  }
  if (repair.kind === "chosen") {
    recordFired(draft, fireBranch(draft, repair), { ...extra, outcome: ERROR, trouble: cause });
    return;
  }
  const nodeId = draft.plan.nodes[node]?.id ?? "";
  record(draft, { ...extra, node: nodeId, trouble: cause });
  const origin = cause === trouble ? {} : { cause: cause.code, causeMessage: cause.message };
  const repaired = repair.kind === "trouble" && repair !== branch ? { repair: repair.trouble.code } : {};
  fail(draft, { ...trouble, facts: { ...trouble.facts, node: nodeId, ...origin, ...repaired } });
}

/** Fires the transition and, behind an OR split, its whole chain: one macro step, guards evaluated once. */
function fireBranch(draft: Draft, { transition, chain }: Chosen): readonly TransitionIndex[] {
  const { program } = draft.plan;
  play(draft.game, transition);
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
    play(draft.game, move);
    fired.push(move);
    if (isLast) break;
  }
  return fired;
}

function fireStep(draft: Draft, transitions: readonly TransitionIndex[], extra: StepRecord): void {
  for (const t of transitions) {
    if (!hasRoom(draft.game, t)) {
      const transition = draft.plan.program.net.transitions[t]?.id ?? "";
      const message = "a place would hold more tokens than can be counted";
      fail(draft, { code: "OVERFLOW", message, facts: { transition } });
      return;
    }
    play(draft.game, t);
  }
  recordFired(draft, transitions, extra);
}

/** Records what was fired; a loop's fail branch clears its verdict, and items whose token a reset took close. */
function recordFired(draft: Draft, fired: readonly TransitionIndex[], extra: StepRecord): void {
  const { plan } = draft;
  draft.firedCount += fired.length;
  const node = nodeIdOf(plan.program, fired[0] ?? -1);
  const closed = [...(extra.closed ?? []), ...takenByReset(draft, fired, extra.closed ?? [])];
  const where = node === undefined ? {} : { node };
  record(draft, { ...where, fired, ...extra, ...(closed.length === 0 ? {} : { closed }) });
  const failed = fired.filter((t) => plan.program.net.transitions[t]?.origin?.outcome === FAIL);
  clearKeys(
    draft,
    failed.flatMap((t) => plan.clears.get(t) ?? []),
  );
}

function takenByReset(
  draft: Draft,
  fired: readonly TransitionIndex[],
  closed: readonly ItemId[],
): readonly ItemId[] {
  const { plan, game } = draft;
  const { net, restNode } = plan.program;
  if (!fired.some((t) => (net.transitions[t]?.reset.length ?? 0) > 0)) return [];
  const resting = new Set<string>();
  for (const [place, node] of restNode) {
    if ((game.marking[place] ?? 0) > 0) resting.add(plan.nodes[node]?.id ?? "");
  }
  const waiting = new Set(playable(game).map((t) => nodeIdOf(plan.program, t)));
  return [...draft.items.values()].flatMap((item) => {
    const isThere = resting.has(item.node) || (item.kind === "intervention" && waiting.has(item.node));
    return isThere || closed.includes(item.id) ? [] : [item.id];
  });
}
