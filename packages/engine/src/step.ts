/** @module One turn, pure: an input is applied, automatic transitions fire to quiescence, the record says everything. The only module outside core and proofs that fires. */
import {
  DONE,
  ERROR,
  firstPlayable,
  type ItemId,
  invariant,
  isFinal,
  nodeIdOf,
  play,
  playable,
  type RunState,
  startGame,
  type TransitionIndex,
} from "@tessera/core";
import { PASS } from "@tessera/gateways";
import type { Action } from "./action.ts";
import { acceptAnswer, type Effect, plainEffect, runInline } from "./answer.ts";
import { chooseBranch, isUnavailable } from "./branch.ts";
import { chooseInConflict } from "./choice.ts";
import {
  blowFuse,
  changeData,
  type Draft,
  endIfStuck,
  finishDraft,
  intervene,
  isFuseBlown,
  record,
  startData,
  startDraft,
} from "./draft.ts";
import { formOf, formTrouble } from "./form.ts";
import { visibleGraph } from "./graph-claim.ts";
import { type GraphRead, staleReads } from "./graph-reads.ts";
import { heldView } from "./held.ts";
import { readInput } from "./input.ts";
import { instancesOf } from "./instances.ts";
import { branchOf, leave, playStep } from "./leave.ts";
import { mergeBlock } from "./merging.ts";
import { begunState, editData, placeTokens, suspensionRefusal, waysOut } from "./operator.ts";
import type { Plan } from "./plan.ts";
import { startOutcome } from "./start-event.ts";
import {
  besideItem,
  clearVerdicts,
  enterScope,
  scopeItem,
  settleRun,
  startNode,
  throwStep,
} from "./step-events.ts";
import type { InputEvent, InputPayload, InputRefusal, StepEnvironment, TurnReady } from "./turn.ts";

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
  const begun = begunState(state, event, env.at);
  const game = startGame(program.fast, begun.marking, program.automatic, program.rules);
  const draft = startDraft(plan, begun, { game, fire: (t) => play(game, t) }, env);
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
      if (event.input.kind === "start") startData(draft, event.input.data, event.input.event);
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
    case "beside":
      return besideItem(draft, action);
    case "settle":
      return settleRun(draft, action);
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
  const { patch = NO_KEYS, mutation = null, reads = NOTHING } = payload;
  const node = plan.nodeIndex.get(item.node) ?? -1;
  const group = waysOut(draft, item);
  const definition = plan.nodes[node];
  const view = heldView(plan, draft, node);
  if (reads.length > 0) {
    draft.hasReadGraph = true;
    const stale = staleReads(visibleGraph(plan, node, view.data, view.graph), reads);
    if (stale.length > 0) return staleRead(item.id, stale);
  }
  const form = definition === undefined || !isPerson ? null : formOf(definition);
  const unfilled = form === null ? null : formTrouble(form, patch);
  const isPlain = mutation === null && Object.keys(patch).length === 0;
  const effect: Effect =
    unfilled !== null
      ? { kind: "trouble", trouble: unfilled }
      : isPlain
        ? plainEffect(view, outcome)
        : acceptAnswer(plan, node, view, { outcome, patch, mutation }, draft.env);
  const branch = branchOf(draft, node, group, effect);
  if (branch.kind === "trouble") {
    const { code, message, facts } = branch.trouble;
    const refuse = (refusal: InputRefusal["code"]): InputRefusal => {
      return { kind: "refused", code: refusal, message, facts: { ...facts, code } };
    };
    const repair = chooseBranch(draft, node, group, ERROR, view.data);
    if (isUnavailable(branch.trouble)) return refuse("unavailable");
    if (repair.kind === "trouble" && isUnavailable(repair.trouble)) return refuse("unavailable");
    if (isPerson && (effect.kind === "trouble" || repair.kind === "trouble")) return refuse("invalid-data");
  }
  const closed = item.instances === undefined ? [item.id] : [item.id, ...instancesOf(draft, item)];
  leave(draft, node, group, effect, trouble === null ? { closed } : { closed, trouble }, branch);
  return null;
}

const NO_KEYS: NonNullable<InputPayload["patch"]> = {};
const NOTHING: readonly never[] = [];

/** Nothing of the answer is kept: the host lets the job look again, or gives up. */
function staleRead(item: ItemId, stale: readonly GraphRead[]): InputRefusal {
  const message = "what the job read of the graph has changed";
  const facts = { item, reads: stale.map(({ kind, name }) => ({ kind, name })) };
  return { kind: "refused", code: "stale-read", message, facts };
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
    playStep(draft, [t], {});
    return;
  }
  switch (origin.phase) {
    case "start":
      startNode(draft, t, origin.node);
      return;
    case "enter":
      enterScope(draft, t, origin.node);
      return;
    case "settle":
      playStep(draft, [t], {});
      return;
    case "leave":
    case "raise": {
      const closed = origin.phase === "leave" ? scopeItem(draft, origin.node) : [];
      const effect = plainEffect(heldView(draft.plan, draft, origin.node), origin.outcome ?? "done");
      leave(draft, origin.node, group, effect, closed.length === 0 ? {} : { closed });
      return;
    }
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

/** Where the node ends a block, what the block holds back is merged first; a loop's only where it passes. */
function leaveInline(draft: Draft, node: number, group: readonly TransitionIndex[], effect: Effect): void {
  const { plan } = draft;
  const block = plan.closes.get(node);
  const closer = plan.nodes[node]?.id ?? "";
  const isEnd = effect.kind === "effect" && (effect.outcome === DONE || effect.outcome === PASS);
  if (block === undefined || !isEnd || !draft.overlays.some((overlay) => overlay.block === closer)) {
    leave(draft, node, group, effect, {});
    return;
  }
  const merged = mergeBlock(plan, block, draft, effect.outcome, draft.env);
  leave(draft, node, group, merged, { dropped: [closer] });
}

function inlineStep(draft: Draft, node: number, group: readonly TransitionIndex[], t: TransitionIndex): void {
  const { plan, env } = draft;
  if (plan.nodes[node]?.kind === "end") {
    playStep(draft, [t], { outcome: "done" });
    return;
  }
  const definition = plan.nodes[node];
  const begun = definition?.kind === "start" ? startOutcome(definition, draft.startEvent) : null;
  if (begun !== null) {
    leave(draft, node, group, plainEffect(draft, begun), {});
    return;
  }
  if (definition?.kind === "throw") {
    throwStep(draft, node, group);
    return;
  }
  clearVerdicts(draft, t);
  const effect = runInline(plan, node, heldView(plan, draft, node), env);
  if (plan.bodies[node] === "inline" && plan.nodes[node]?.kind !== "decision") draft.hasReadGraph = true;
  if (effect.kind !== "missing") {
    leaveInline(draft, node, group, effect);
    return;
  }
  const message = `no function "${effect.name}" is registered`;
  intervene(draft, node, { code: "FUNCTION_MISSING", message, facts: { name: effect.name } });
}
