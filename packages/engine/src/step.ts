/** @module One turn, pure: an input is applied, automatic transitions fire to quiescence, the record says everything. The only module outside core and proofs that fires. */
import {
  canPlay,
  type Data,
  diff,
  deriveStatus,
  ERROR,
  firstPlayable,
  invariant,
  isFinal,
  type ItemId,
  jsonBytes,
  type Mutation,
  nodeIdOf,
  type OpenItem,
  type Outcome,
  type Patch,
  patchBytes,
  play,
  playable,
  type ProductGraph,
  type RunState,
  SEMANTICS_VERSION,
  type StepRecord,
  startGame,
  type Terminal,
  type TokenGame,
  type TransitionIndex,
  type Trouble,
} from "@tessera/core";
import { acceptAnswer, type Effect, runInline } from "./answer.ts";
import { chooseInConflict } from "./choice.ts";
import { type Action, readInput } from "./input.ts";
import { openItem } from "./open-item.ts";
import type { Plan } from "./plan.ts";
import { routeOutcome } from "./route.ts";
import type { InputEvent, InputRefusal, StepEnvironment, TurnReady } from "./turn.ts";
import { EXHAUSTED, FAIL } from "@tessera/gateways";

/** A turn in the making: what applyTurn will fold, kept as it grows. */
interface Turn {
  readonly plan: Plan;
  readonly env: StepEnvironment;
  readonly game: TokenGame;
  readonly items: Map<ItemId, OpenItem>;
  readonly sequence: number;
  data: Data;
  dataBytesBound: number;
  graph: ProductGraph;
  readonly mutations: Mutation[];
  readonly steps: StepRecord[];
  terminal: Terminal | null;
  openedCount: number;
  firedCount: number;
}

/**
 * One turn on one run: applies `event` to `state`, fires automatic transitions in document order until none is
 * enabled, the budget of firings is used up or the run ends, and returns the record with the state it leads to.
 * The same arguments give the same bytes on every host. An input that does not fit is refused and leaves no trace.
 * Law: `state` of the result equals `applyTurn(program, state, record)`.
 *
 * @definition D9.1
 */
export function step(plan: Plan, state: RunState, event: InputEvent, env: StepEnvironment): TurnReady | InputRefusal {
  const { program } = plan;
  if (state.terminal !== null || state.status === "completed") {
    return { kind: "refused", code: "ended", message: `the run is ${state.status}`, facts: { status: state.status } };
  }
  const turn: Turn = {
    plan,
    env,
    game: startGame(program.fast, state.marking, program.automatic),
    items: new Map(state.items.map((item) => [item.id, item])),
    sequence: state.sequence + 1,
    data: state.data,
    dataBytesBound: state.dataBytesBound,
    graph: env.graph,
    mutations: [],
    steps: [],
    terminal: null,
    openedCount: 0,
    firedCount: 0,
  };
  const action = readInput(plan, turn.items, state.sequence > 0, event, env);
  if (action.kind === "refused") return action;
  const refusal = applyAction(turn, action, event);
  if (refusal !== null) return refusal;
  const isUnfinished = turn.terminal === null && runToQuiescence(turn, state.stepCount);
  if (!isUnfinished) endIfStuck(turn);
  return finishTurn(turn, state, event, isUnfinished);
}

function applyAction(turn: Turn, action: Action, event: InputEvent): InputRefusal | null {
  switch (action.kind) {
    case "start":
      turn.data = event.input.kind === "start" ? event.input.data : turn.data;
      turn.dataBytesBound = jsonBytes(turn.data);
      return null;
    case "continue":
      return null;
    case "end":
      turn.terminal = action.terminal;
      return null;
    case "record":
      record(turn, action.step);
      return null;
    case "finish":
      return finishItem(turn, action);
  }
}

/** finish(n, o): the item's token leaves its rest place under the outcome, or under error if the answer is refused. */
function finishItem(turn: Turn, { item, outcome, payload, trouble }: Action & { readonly kind: "finish" }): InputRefusal | null {
  const { plan } = turn;
  const node = plan.nodeIndex.get(item.node) ?? -1;
  const { patch, mutation } = payload;
  const answer = { outcome, ...(patch === undefined ? {} : { patch }), ...(mutation === undefined ? {} : { mutation }) };
  const effect = acceptAnswer(plan, node, turn, () => answer, turn.env);
  const isPerson = item.kind === "work-item" || item.kind === "external";
  // A person can correct what they sent, so it is refused; a worker's answer is history and takes the error outcome.
  if (effect.kind === "trouble" && isPerson) {
    return { kind: "refused", code: "invalid-data", message: effect.trouble.message, facts: { code: effect.trouble.code, ...effect.trouble.facts } };
  }
  leave(turn, node, plan.program.finish.get(node) ?? [], effect, { closed: [item.id], ...(trouble === null ? {} : { trouble }) });
  return null;
}

/** Fires automatic transitions; true when the budget of firings ran out before quiescence. */
function runToQuiescence(turn: Turn, stepsBefore: number): boolean {
  const { limits } = turn.env;
  while (turn.terminal === null) {
    const t = nextTransition(turn);
    if (t === -1) return false;
    if (turn.firedCount >= limits.firingsMax) return true;
    if (stepsBefore + turn.steps.length >= limits.stepsMax) {
      fail(turn, { code: "FUSE", message: `the run took ${limits.stepsMax} steps`, facts: { stepsMax: limits.stepsMax } });
      return false;
    }
    automaticStep(turn, t);
  }
  return false;
}

/** Document order; a node that an intervention holds waits; between transitions of a bare net that compete, a choice. */
function nextTransition(turn: Turn): TransitionIndex {
  const { program } = turn.plan;
  if (program.compiled.kind === "net") {
    const choice = chooseInConflict(program.net, playable(turn.game), turn.data, `${turn.env.seed}/${turn.sequence}/${turn.firedCount}`);
    if (choice.patch !== null) {
      turn.data = choice.data;
      turn.steps.push({ patch: choice.patch });
      turn.dataBytesBound += patchBytes(choice.patch);
    }
    return choice.transition;
  }
  const held = new Set([...turn.items.values()].filter((item) => item.kind === "intervention").map((item) => item.node));
  if (held.size === 0) return firstPlayable(turn.game);
  return playable(turn.game).find((t) => !held.has(nodeIdOf(program, t) ?? "")) ?? -1;
}

function automaticStep(turn: Turn, t: TransitionIndex): void {
  const { plan } = turn;
  const { program } = plan;
  const origin = program.net.transitions[t]?.origin;
  const group = program.groups[program.groupOf[t] ?? -1] ?? [t];
  if (program.compiled.kind === "net" || origin === undefined) return void fireStep(turn, [t], {});
  switch (origin.phase) {
    case "start":
      return startNode(turn, t, origin.node);
    case "enter":
    case "settle":
      return void fireStep(turn, [t], {});
    case "leave":
      return leave(turn, origin.node, group, { kind: "effect", outcome: origin.outcome ?? "done", data: turn.data, patch: null, mutation: null, graph: turn.graph }, {});
    case "step":
      return inlineStep(turn, origin.node, group, t);
    default:
      invariant(false, "D9.1", () => ({ transition: program.net.transitions[t]?.id ?? t, phase: origin.phase }));
  }
}

function inlineStep(turn: Turn, node: number, group: readonly TransitionIndex[], t: TransitionIndex): void {
  const { plan } = turn;
  const isEnd = plan.nodes[node]?.kind === "end";
  if (isEnd) return void fireStep(turn, [t], { outcome: "done" });
  const before = withCleared(turn, t);
  const effect = runInline(plan, node, before, turn.env);
  if (effect.kind !== "missing") return leave(turn, node, group, effect, {});
  const reason = { code: "FUNCTION_MISSING", message: `no function "${effect.name}" is registered`, facts: { name: effect.name } };
  const item: OpenItem = { id: nextItemId(turn), kind: "intervention", node: plan.nodes[node]?.id ?? "", openedAt: turn.env.now, reason };
  record(turn, { node: item.node, opened: [item] });
}

/** A verdict from before the loop was entered must not be read inside it, not even by the entry's own body. */
function withCleared(turn: Turn, t: TransitionIndex): Turn {
  const keys = turn.plan.clears.get(t) ?? [];
  const isFailBranch = turn.plan.program.net.transitions[t]?.origin?.outcome === FAIL;
  if (isFailBranch || !keys.some((key) => Object.hasOwn(turn.data, key))) return turn;
  const cleared = withoutKeys(turn.data, keys);
  turn.steps.push({ patch: cleared.patch });
  turn.data = cleared.data;
  turn.dataBytesBound += patchBytes(cleared.patch);
  return turn;
}

function startNode(turn: Turn, t: TransitionIndex, node: number): void {
  withCleared(turn, t);
  const opening = openItem(turn.plan, node, nextItemId(turn), turn.data, turn.env);
  if (opening.kind === "item") return void fireStep(turn, [t], { opened: [opening.item] });
  // The token comes to rest and leaves at once under error: the net knows no other way out of the node.
  fireStep(turn, [t], {});
  leave(turn, node, turn.plan.program.finish.get(node) ?? [], opening, {});
}

/**
 * The token leaves `node` by a transition of `group` under the effect's outcome. Trouble, or an outcome that no arc
 * takes, discards the effect and takes `error`; where even that has no arc, the run fails with the reason.
 */
function leave(turn: Turn, node: number, group: readonly TransitionIndex[], effect: Effect, extra: Partial<StepRecord>): void {
  const attempt = effect.kind === "effect" ? chosenTransition(turn, node, group, effect) : effect;
  if (attempt.kind === "chosen" && effect.kind === "effect") {
    commitEffect(turn, effect);
    fireStep(turn, firedWithChain(turn, attempt), {
      ...extra,
      outcome: attempt.outcome,
      ...(effect.patch === null ? {} : { patch: effect.patch }),
      ...(effect.mutation === null ? {} : { mutation: effect.mutation }),
    });
    return;
  }
  const trouble = attempt.kind === "trouble" ? attempt.trouble : { code: "NO_ARC", message: "no arc" };
  const isErrorItself = effect.kind === "effect" && effect.outcome === ERROR;
  const plain: Effect & { kind: "effect" } = { kind: "effect", outcome: ERROR, data: turn.data, patch: null, mutation: null, graph: turn.graph };
  const repair = isErrorItself ? attempt : chosenTransition(turn, node, group, plain);
  if (repair.kind === "chosen") return void fireStep(turn, firedWithChain(turn, repair), { ...extra, outcome: ERROR, trouble: extra.trouble ?? trouble });
  const nodeId = turn.plan.nodes[node]?.id;
  record(turn, { ...extra, ...(nodeId === undefined ? {} : { node: nodeId }), trouble: extra.trouble ?? trouble });
  fail(turn, { ...trouble, facts: { ...trouble.facts, node: nodeId ?? null, ...(extra.trouble === undefined ? {} : { cause: extra.trouble.code, causeMessage: extra.trouble.message }) } });
}

interface Chosen {
  readonly kind: "chosen";
  readonly transition: TransitionIndex;
  readonly outcome: Outcome;
  /** Arcs that an OR split takes; empty where the transition marks its arcs itself. */
  readonly chain: readonly number[];
}

function chosenTransition(turn: Turn, node: number, group: readonly TransitionIndex[], effect: Effect & { readonly kind: "effect" }): Chosen | { readonly kind: "trouble"; readonly trouble: Trouble } {
  const { net } = turn.plan.program;
  // A failed round is `fail` while the loop's budget lasts, then `exhausted`: the counters say which is enabled.
  const labels = effect.outcome === FAIL ? [FAIL, EXHAUSTED] : [effect.outcome];
  let trouble: Trouble = { code: "NO_ARC", message: `no arc for outcome "${effect.outcome}"` };
  for (const outcome of labels) {
    const candidates = group.filter((t) => net.transitions[t]?.origin?.outcome === outcome && canPlay(turn.game, t));
    if (candidates.length === 0 && outcome !== labels[labels.length - 1]) continue;
    const route = routeOutcome(turn.plan, node, outcome, effect.data, turn.env);
    if (route.kind === "trouble") {
      trouble = route.trouble;
      continue;
    }
    const own = candidates.find((t) => sameArcs(net.transitions[t]?.origin?.chosen ?? [], route.arcs));
    if (own !== undefined) return { kind: "chosen", transition: own, outcome, chain: [] };
    const head = candidates.find((t) => net.transitions[t]?.origin?.chosen.length === 0);
    if (head !== undefined) return { kind: "chosen", transition: head, outcome, chain: route.arcs };
  }
  return { kind: "trouble", trouble };
}

function sameArcs(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((arc, index) => arc === right[index]);
}

/** The transition and, behind an OR split, its whole chain: one macro step, guards evaluated once. Fires nothing yet. */
function firedWithChain(turn: Turn, chosen: Chosen): readonly TransitionIndex[] | (() => readonly TransitionIndex[]) {
  if (chosen.chain.length === 0) return [chosen.transition];
  return () => {
    const { program } = turn.plan;
    const fired = [chosen.transition];
    play(turn.game, chosen.transition);
    const head = program.net.transitions[chosen.transition]?.post.find(([place]) => program.chains.has(place))?.[0] ?? -1;
    for (const link of program.chains.get(head) ?? []) {
      const moves = chosen.chain.includes(link.arc) ? link.take : link.skip;
      const move = moves.find((t) => canPlay(turn.game, t));
      invariant(move !== undefined, "D6.2", () => ({ arc: link.arc, chain: [...chosen.chain] }));
      play(turn.game, move);
      fired.push(move);
    }
    return fired;
  };
}

function commitEffect(turn: Turn, effect: Effect & { readonly kind: "effect" }): void {
  turn.data = effect.data;
  turn.graph = effect.graph;
  if (effect.patch !== null) turn.dataBytesBound += patchBytes(effect.patch);
  if (effect.mutation !== null) turn.mutations.push(effect.mutation);
}

/** Fires, then records the step; a loop's fail branch clears its verdict, and items whose token a reset took close. */
function fireStep(turn: Turn, transitions: readonly TransitionIndex[] | (() => readonly TransitionIndex[]), extra: Partial<StepRecord>): void {
  const fired = typeof transitions === "function" ? transitions() : transitions;
  if (typeof transitions !== "function") for (const t of fired) play(turn.game, t);
  turn.firedCount += fired.length;
  const node = nodeIdOf(turn.plan.program, fired[0] ?? -1);
  const closed = [...(extra.closed ?? []), ...takenByReset(turn, fired, extra.closed ?? [])];
  record(turn, { ...(node === undefined ? {} : { node }), fired, ...extra, ...(closed.length === 0 ? {} : { closed }) });
  const isFail = fired.some((t) => turn.plan.program.net.transitions[t]?.origin?.outcome === FAIL);
  if (!isFail) return;
  const keys = fired.flatMap((t) => turn.plan.clears.get(t) ?? []);
  const cleared = withoutKeys(turn.data, keys);
  if (cleared.patch.ops.length === 0) return;
  turn.data = cleared.data;
  turn.dataBytesBound += patchBytes(cleared.patch);
  turn.steps.push({ patch: cleared.patch });
}

function takenByReset(turn: Turn, fired: readonly TransitionIndex[], closed: readonly ItemId[]): readonly ItemId[] {
  const { net, restNode } = turn.plan.program;
  if (!fired.some((t) => (net.transitions[t]?.reset.length ?? 0) > 0)) return [];
  const resting = new Set<string>();
  for (const [place, node] of restNode) if ((turn.game.marking[place] ?? 0) > 0) resting.add(turn.plan.nodes[node]?.id ?? "");
  const waiting = new Set(playable(turn.game).map((t) => nodeIdOf(turn.plan.program, t)));
  return [...turn.items.values()].flatMap((item) => {
    const isThere = item.kind === "intervention" ? waiting.has(item.node) : resting.has(item.node);
    return isThere || closed.includes(item.id) ? [] : [item.id];
  });
}

/** Quiescent, nothing open, not final: a deadlock or an improper end. Never silence. */
function endIfStuck(turn: Turn): void {
  if (turn.terminal !== null || turn.items.size > 0 || isFinal(turn.plan.program.net, turn.game.marking)) return;
  const { net } = turn.plan.program;
  const marked = net.places.filter((_, place) => (turn.game.marking[place] ?? 0) > 0).map((place) => place.id);
  fail(turn, { code: "DEADLOCK", message: "no transition is enabled, nothing is awaited, and the marking is not final", facts: { marked } });
}

function finishTurn(turn: Turn, state: RunState, { input }: InputEvent, isUnfinished: boolean): TurnReady {
  const { program } = turn.plan;
  if (turn.terminal !== null && turn.items.size > 0) record(turn, { closed: [...turn.items.keys()] });
  const items = [...turn.items.values()];
  const { terminal } = turn;
  return {
    kind: "turn",
    record: {
      semantics: SEMANTICS_VERSION,
      sequence: turn.sequence,
      at: turn.env.now,
      ...(program.compiled.kind === "net" ? { seed: turn.env.seed } : {}),
      input,
      steps: turn.steps,
      ...(terminal === null ? {} : { terminal }),
    },
    state: {
      definition: state.definition,
      ...deriveStatus(program, turn.game, items, terminal),
      marking: Array.from(turn.game.marking),
      data: turn.data,
      items,
      sequence: turn.sequence,
      stepCount: state.stepCount + turn.steps.length,
      dataBytesBound: turn.dataBytesBound,
      terminal,
    },
    mutations: turn.mutations,
    graph: turn.graph,
    isUnfinished,
  };
}

function record(turn: Turn, step: StepRecord): void {
  for (const id of step.closed ?? []) turn.items.delete(id);
  for (const item of step.changed ?? []) turn.items.set(item.id, item);
  for (const item of step.opened ?? []) turn.items.set(item.id, item);
  turn.steps.push(step);
}

function fail(turn: Turn, trouble: Trouble): void {
  turn.terminal = { kind: "failed", trouble };
}

function nextItemId(turn: Turn): ItemId {
  const id = `${turn.sequence}.${turn.openedCount}`;
  turn.openedCount += 1;
  return id;
}

function withoutKeys(data: Data, keys: readonly string[]): { readonly data: Data; readonly patch: Patch } {
  const next = Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));
  return { data: next, patch: diff(data, next) };
}
