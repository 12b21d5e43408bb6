/** @module A turn in the making: what `applyTurn` will fold, kept as it grows. Fires nothing. */
import {
  type Data,
  deriveStatus,
  diff,
  foldOverlays,
  type ItemId,
  invariant,
  isFinal,
  itemId,
  type Json,
  jsonBytes,
  type Mutation,
  type NodeId,
  type OpenItem,
  type Outcome,
  type Overlay,
  type Patch,
  type ProductGraph,
  patchBytes,
  type RunState,
  SEMANTICS_VERSION,
  type StepRecord,
  stagedBytes,
  type Terminal,
  type TokenGame,
  type TransitionIndex,
  type Trouble,
  type TurnRecord,
} from "@tessera/core";
import type { MergeBlock } from "@tessera/gateways";
import type { Effect } from "./answer.ts";
import { divide, heldView, patchedData } from "./held.ts";
import type { InTheMaking } from "./making.ts";
import type { Plan } from "./plan.ts";
import type { InputEvent, StepEnvironment, TurnReady } from "./turn.ts";

/** The state of a turn between two of its steps. Changed in place; never outlives the call of `step`. */
export interface Draft {
  readonly plan: Plan;
  readonly env: StepEnvironment;
  readonly game: TokenGame;
  /** Fires a transition of the game: handed over by the step, the only module of the engine that may. */
  readonly fire: (t: TransitionIndex) => void;
  readonly items: Map<ItemId, OpenItem>;
  /** Nodes that an intervention holds, with the number of their interventions. */
  held: ReadonlyMap<NodeId, number>;
  readonly sequence: number;
  readonly stepsBefore: number;
  data: Data;
  dataBytesBound: number;
  graph: ProductGraph;
  /** What blocks hold back. */
  overlays: readonly Overlay[];
  hasReadGraph: boolean;
  readonly mutations: Mutation[];
  readonly steps: StepRecord[];
  terminal: Terminal | null;
  /** The event that the run starts with. */
  startEvent: Outcome | undefined;
  /** Items opened by each node, by node index. */
  readonly visits: number[];
  firedCount: number;
  /** Bytes of data, patches and mutations so far. */
  bytes: number;
}

/** The draft of the turn after `state`. */
export function startDraft(
  plan: Plan,
  state: RunState,
  { game, fire }: Pick<Draft, "game" | "fire">,
  env: StepEnvironment,
): Draft {
  const draft: Draft = {
    plan,
    env,
    game,
    fire,
    items: new Map(),
    held: NOBODY,
    sequence: state.sequence + 1,
    stepsBefore: state.stepCount,
    data: state.data,
    dataBytesBound: state.dataBytesBound,
    graph: env.graph,
    overlays: state.overlays ?? NOTHING,
    hasReadGraph: false,
    mutations: [],
    steps: [],
    terminal: null,
    startEvent: undefined,
    visits: state.visits.slice(),
    firedCount: 0,
    bytes: 0,
  };
  for (const item of state.items) setItem(draft, item);
  return draft;
}

const NOTHING: readonly never[] = [];
const NOBODY: ReadonlyMap<NodeId, number> = new Map();

/** Adds a step and makes its changes of the open items, in the order in which a replay makes them. */
export function record(draft: Draft, step: StepRecord): void {
  for (const id of step.closed ?? NOTHING) dropItem(draft, id);
  for (const item of step.changed ?? NOTHING) setItem(draft, item);
  for (const item of step.opened ?? NOTHING) {
    setItem(draft, item);
    const node = draft.plan.nodeIndex.get(item.node) ?? -1;
    draft.visits[node] = (draft.visits[node] ?? 0) + 1;
  }
  draft.steps.push(step);
  if (step.staged === undefined && step.dropped === undefined) return;
  const folded = foldOverlays(draft.overlays, step);
  invariant(folded.kind === "overlays", "D21.4", () => ({
    issues: folded.kind === "overlays" ? [] : folded.issues,
  }));
  draft.overlays = folded.overlays;
  draft.dataBytesBound += stagedBytes(step.staged ?? []);
}

/** Ends the run as failed. */
export function fail(draft: Draft, trouble: Trouble): void {
  draft.terminal = { kind: "failed", trouble };
}

/** The id of the next item that `node` opens; `nth`: of the nth from now. */
export function nextItemId(draft: Draft, node: number, nth = 1): ItemId {
  return itemId(draft.plan.nodes[node]?.id ?? "", (draft.visits[node] ?? 0) + nth);
}

/** An intervention: the node's token waits where it is until somebody retries. */
export function intervene(draft: Draft, node: number, reason: Trouble): void {
  const id = draft.plan.nodes[node]?.id ?? "";
  const openedAt = draft.env.at;
  record(draft, {
    node: id,
    opened: [{ id: nextItemId(draft, node), kind: "intervention", node: id, openedAt, reason }],
  });
}

/** Makes the effect of a step the state of the turn. */
export function adoptEffect(draft: Draft, effect: Effect & { readonly kind: "effect" }): void {
  draft.data = effect.data;
  draft.graph = effect.graph;
  if (effect.patch !== null) addPatchBytes(draft, effect.patch);
  if (effect.mutation === null) return;
  draft.mutations.push(effect.mutation);
  draft.bytes += jsonBytes(effect.mutation as unknown as Json);
}

/**
 * Makes the effect of a step of `node` the state of the turn, but for what the blocks around it hold back; returns what
 * is recorded of it. `closed`: the block that the step ends.
 */
export function takeEffect(
  draft: Draft,
  node: number,
  effect: Effect & { readonly kind: "effect" },
  closed: MergeBlock | null,
): Pick<StepRecord, "patch" | "mutation" | "staged"> {
  const { plan } = draft;
  const isFree = (plan.around[node] ?? NOTHING).every(({ block }) => block === closed);
  if (isFree) {
    adoptEffect(draft, effect);
    return recorded(effect.patch, effect.mutation);
  }
  const { data } = heldView(plan, draft, node, closed);
  const { patch, mutation, staged } = divide(plan, draft.overlays, node, data, effect, closed);
  const graph = mutation === null ? draft.graph : effect.graph;
  adoptEffect(draft, { ...effect, data: patchedData(draft.data, patch), patch, mutation, graph });
  draft.bytes += staged.length === 0 ? 0 : jsonBytes(staged as unknown as Json);
  return { ...recorded(patch, mutation), ...(staged.length === 0 ? {} : { staged }) };
}

function recorded(patch: Patch | null, mutation: Mutation | null): Pick<StepRecord, "patch" | "mutation"> {
  if (patch === null && mutation === null) return UNCHANGED;
  return { ...(patch === null ? {} : { patch }), ...(mutation === null ? {} : { mutation }) };
}

const UNCHANGED: Pick<StepRecord, "patch" | "mutation"> = {};

/** A step that only changes D. */
export function changeData(draft: Draft, data: Data, patch: Patch): void {
  draft.data = data;
  addPatchBytes(draft, patch);
  draft.steps.push({ patch });
}

/** Makes `data` the D of the turn that starts the run. */
export function startData(draft: Draft, data: Data, event?: Outcome): void {
  draft.startEvent = event;
  draft.data = data;
  draft.dataBytesBound = jsonBytes(data);
  draft.bytes += draft.dataBytesBound;
}

function addPatchBytes(draft: Draft, patch: Patch): void {
  const bytes = patchBytes(patch);
  draft.dataBytesBound += bytes;
  draft.bytes += bytes;
}

/** Unsets those of `keys` that D has, as a step of its own. */
export function clearKeys(draft: Draft, keys: readonly string[]): void {
  if (!keys.some((key) => Object.hasOwn(draft.data, key))) return;
  const next = Object.fromEntries(Object.entries(draft.data).filter(([key]) => !keys.includes(key)));
  changeData(draft, next, diff(draft.data, next));
}

/** Quiescent, nothing open, not final: a deadlock or an improper end. Never silence. */
export function endIfStuck(draft: Draft): void {
  const { net } = draft.plan.program;
  if (draft.terminal !== null || draft.items.size > 0 || isFinal(net, draft.game.marking)) return;
  const marked = net.places
    .filter((_, place) => (draft.game.marking[place] ?? 0) > 0)
    .map((place) => place.id);
  const message = "no transition is enabled, nothing is awaited, and the marking is not final";
  fail(draft, { code: "DEADLOCK", message, facts: { marked } });
}

/** Has the run used up its steps? */
export function isFuseBlown(draft: Draft): boolean {
  return draft.stepsBefore + draft.steps.length >= draft.env.limits.stepsMax;
}

/** Ends the run by the fuse. */
export function blowFuse(draft: Draft): void {
  const { stepsMax } = draft.env.limits;
  fail(draft, { code: "FUSE", message: `the run took ${stepsMax} steps`, facts: { stepsMax } });
}

/** The turn as it will be committed. What a terminal event leaves open is closed with it. */
export function finishDraft(
  draft: Draft,
  state: RunState,
  { input }: InputEvent,
  isUnfinished: boolean,
): TurnReady {
  const { program } = draft.plan;
  const { terminal } = draft;
  if (terminal !== null && draft.items.size > 0) record(draft, { closed: [...draft.items.keys()] });
  const items = [...draft.items.values()];
  const made: InTheMaking<TurnRecord> = {
    semantics: SEMANTICS_VERSION,
    sequence: draft.sequence,
    at: draft.env.at,
    input,
    steps: draft.steps,
  };
  if (program.compiled.kind === "net") made.seed = draft.env.seed;
  if (terminal !== null) made.terminal = terminal;
  return {
    kind: "turn",
    record: made,
    state: stateAfter(draft, state, items),
    mutations: draft.mutations,
    graph: draft.graph,
    hasReadGraph: draft.hasReadGraph,
    bytes: draft.bytes,
    isUnfinished,
  };
}

function stateAfter(draft: Draft, before: RunState, items: readonly OpenItem[]): RunState {
  const { game, terminal, overlays } = draft;
  const { suspension } = before;
  const { status, modes } = deriveStatus(draft.plan.program, game, items, terminal, suspension !== undefined);
  const state: InTheMaking<RunState> = {
    definition: before.definition,
    status,
    modes,
    marking: game.marking,
    data: draft.data,
    items,
    sequence: draft.sequence,
    stepCount: draft.stepsBefore + draft.steps.length,
    visits: draft.visits,
    dataBytesBound: draft.dataBytesBound,
    terminal,
  };
  if (overlays.length > 0 && terminal === null) state.overlays = overlays;
  if (suspension !== undefined) state.suspension = suspension;
  return state;
}

function setItem(draft: Draft, item: OpenItem): void {
  const before = draft.items.get(item.id);
  if (before?.kind === "intervention") holdNode(draft, before.node, -1);
  if (item.kind === "intervention") holdNode(draft, item.node, 1);
  draft.items.set(item.id, item);
}

function dropItem(draft: Draft, id: ItemId): void {
  const item = draft.items.get(id);
  if (item?.kind === "intervention") holdNode(draft, item.node, -1);
  draft.items.delete(id);
}

function holdNode(draft: Draft, node: NodeId, change: 1 | -1): void {
  const held = new Map(draft.held);
  const count = (held.get(node) ?? 0) + change;
  if (count === 0) held.delete(node);
  else held.set(node, count);
  draft.held = held;
}
