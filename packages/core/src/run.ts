/** @module The run rho = (w, s, M, D, H) as a fold: `applyTurn` adds one recorded turn to a state. */

import { canPlay, firstPlayable, hasRoom, play, playable, startGame, type TokenGame } from "./compiled.ts";
import type { NonLocalRules } from "./fire.ts";
import type { Hash } from "./hash.ts";
import { formatIssue } from "./issue.ts";
import type { AssignmentInput, ItemId, OpenItem, WaitingMode } from "./item.ts";
import { itemModes, MODE_ORDER } from "./item.ts";
import { type Json, type JsonObject, jsonBytes, jsonEqual } from "./json.ts";
import { isFinal, sameMarking } from "./marking.ts";
import type { Mutation } from "./mutation.ts";
import type { TransitionIndex } from "./net.ts";
import { type OperatorInput, placesTokens, type Suspension } from "./operator-input.ts";
import { foldOverlays, type Overlay, type StagedChange, stagedBytes } from "./overlay.ts";
import { applyPatch, type Patch } from "./patch.ts";
import type { Program } from "./program.ts";
import { SEMANTICS, SEMANTICS_VERSION } from "./semantics.ts";
import type { NodeId, Outcome } from "./workflow.ts";

/** The five statuses of 20.3. */
export type RunStatus = "running" | "waiting" | "completed" | "failed" | "cancelled";

/** Why something did not go as the definition's happy path has it. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly facts?: JsonObject;
}

/** What ended a run by event. Completion is not here: it is derived from the marking. */
export type Terminal =
  | { readonly kind: "failed"; readonly trouble: Trouble }
  | { readonly kind: "cancelled"; readonly by?: string; readonly reason?: string };

/** What opened a turn, as recorded. */
export type TurnInput =
  | { readonly kind: "start"; readonly data: JsonObject; readonly by?: string; readonly event?: Outcome }
  | { readonly kind: "continue" }
  | { readonly kind: "result"; readonly item: ItemId; readonly outcome: Outcome; readonly trouble?: Trouble }
  | {
      readonly kind: "attempt-failed";
      readonly item: ItemId;
      readonly attempt: number;
      readonly trouble: Trouble;
      readonly retryAt: number;
    }
  | { readonly kind: "hold"; readonly item: ItemId; readonly trouble: Trouble }
  | { readonly kind: "complete"; readonly item: ItemId; readonly outcome: Outcome; readonly by: string }
  | AssignmentInput
  | { readonly kind: "timer"; readonly item: ItemId; readonly dueAt: number }
  | {
      readonly kind: "event";
      readonly item: ItemId;
      readonly event: Outcome;
      readonly on: "message" | "signal";
      readonly name: string;
      /** Id of the message, where its sender gave one. */
      readonly message?: string;
    }
  | { readonly kind: "child-status"; readonly item: ItemId; readonly childSequence: number }
  | { readonly kind: "retry"; readonly item: ItemId; readonly by: string; readonly reason: string }
  | { readonly kind: "cancel"; readonly by?: string; readonly reason?: string }
  | OperatorInput;

/** A message or a signal that a step sends, with what it carries. `ttlMs`: how long a message waits for its receiver. */
export interface SentEvent {
  readonly on: "message" | "signal";
  readonly name: string;
  readonly key?: string;
  readonly data: JsonObject;
  readonly ttlMs?: number;
}

/**
 * One step of a turn: the transitions fired together (a choice chain is one step), the outcome, the patch of D and
 * the mutation of G that committed with it, and the items that it opened, closed or changed. A step without `fired`
 * records a refusal, a claim, a tick. Absent members are empty. `marking`: what an operator's command put in the place
 * of the marking before, proved, in the first step of a turn. `staged` is held back; `dropped`: blocks that ended.
 */
export interface StepRecord {
  readonly node?: NodeId;
  readonly fired?: readonly TransitionIndex[];
  readonly outcome?: Outcome;
  readonly patch?: Patch;
  readonly mutation?: Mutation;
  readonly staged?: readonly StagedChange[];
  readonly dropped?: readonly NodeId[];
  readonly opened?: readonly OpenItem[];
  readonly closed?: readonly ItemId[];
  readonly changed?: readonly OpenItem[];
  readonly sent?: readonly SentEvent[];
  readonly trouble?: Trouble;
  readonly marking?: readonly number[];
}

/**
 * A turn as the journal keeps it: everything that replay needs, so that replay evaluates nothing and asks nobody.
 * `at` is the recorded time (ms since the epoch), `sequence` counts turns of the run from 1.
 */
export interface TurnRecord {
  readonly semantics: number;
  readonly sequence: number;
  readonly at: number;
  readonly seed?: string;
  readonly input: TurnInput;
  readonly steps: readonly StepRecord[];
  readonly terminal?: Terminal;
}

/**
 * The state of a run between turns. `definition` is w, `status` with `modes` is s, `marking` M, `data` D;
 * H is the journal and is never held in memory. `sequence` is the last turn applied, `stepCount` the steps so far,
 * `visits` the items that each node has opened so far, by node index (empty for a bare net). The
 * marking that a turn leaves is the typed array that it played on: a net of 10,000 nodes is copied in microseconds.
 *
 * @definition D20.3
 */
export interface RunState {
  readonly definition: Hash;
  readonly status: RunStatus;
  readonly modes: readonly WaitingMode[];
  readonly marking: ArrayLike<number>;
  readonly data: JsonObject;
  readonly items: readonly OpenItem[];
  readonly sequence: number;
  readonly stepCount: number;
  readonly visits: readonly number[];
  /** At least the bytes of `data` in canonical JSON: the start's, plus those of every patch. Saves counting D each turn. */
  readonly dataBytesBound: number;
  readonly terminal: Terminal | null;
  /** There while the run is suspended; `overlays`: what blocks hold back, in the order in which branches first wrote. */
  readonly suspension?: Suspension;
  readonly overlays?: readonly Overlay[];
}

/** The state before the first turn: the initial marking, no data. */
export function initialState(program: Program): RunState {
  return {
    definition: program.hash,
    status: "running",
    modes: [],
    marking: program.net.initial,
    data: {},
    items: [],
    sequence: 0,
    stepCount: 0,
    visits: program.compiled.kind === "net" ? [] : program.compiled.definition.nodes.map(() => 0),
    dataBytesBound: 2,
    terminal: null,
  };
}

/** Are the two states equal, whatever arrays hold their markings? */
export function sameState(left: RunState, right: RunState): boolean {
  const rest = ({ marking, ...others }: RunState): Json => others as unknown as Json;
  return sameMarking(left.marking, right.marking) && jsonEqual(rest(left), rest(right));
}

type MisfitCode = TurnMisfit | "not-enabled" | "overflow" | "patch" | "item" | "overlay";
type TurnMisfit = "semantics" | "sequence" | "input" | "terminal";

/** Why a recorded turn does not fit a state. */
export interface TurnRefusal {
  readonly kind: "refused";
  readonly code: MisfitCode;
  readonly step: number | null;
  readonly facts: JsonObject;
}

/**
 * Adds one recorded turn to a state: fires what was fired, applies patches, opens and closes items, derives the
 * status. Pure and total: a turn that does not fit is refused with the facts, and the state is unchanged.
 * rho is the fold of H: `turns.reduce(applyTurn, initialState)`. Cost: the turn's own size plus one copy of the marking.
 *
 * @definition D3.1
 */
export function applyTurn(
  program: Program,
  state: RunState,
  turn: TurnRecord,
  rules: NonLocalRules = program.rules,
): { readonly kind: "applied"; readonly state: RunState } | TurnRefusal {
  const misfit = turnMisfit(program, state, turn);
  if (misfit !== null) return misfit;
  const base = turnBase(state, turn);
  const game = startGame(program.fast, base.marking, program.automatic, rules);
  let { data, dataBytesBound } = base;
  const items = new Map(state.items.map((item) => [item.id, item]));
  const visits = base.visits.slice();
  let overlays = state.overlays ?? [];
  for (const [index, step] of turn.steps.entries()) {
    const refusal = fireAll(program, game, step.fired ?? [], index) ?? changeItems(items, step, index);
    if (refusal !== null) return refusal;
    for (const item of step.opened ?? []) countVisit(program, visits, item.node);
    if (step.staged !== undefined || step.dropped !== undefined) {
      const folded = foldOverlays(overlays, step);
      if (folded.kind === "refused") return refused("overlay", index, { issues: folded.issues });
      ({ overlays } = folded);
      dataBytesBound += stagedBytes(step.staged ?? []);
    }
    if (step.patch === undefined) continue;
    const patched = applyPatch(data, step.patch);
    if (!patched.ok) return refused("patch", index, { issues: patched.issues.map(formatIssue) });
    data = patched.value;
    dataBytesBound += patchBytes(step.patch);
  }
  const terminal = turn.terminal ?? null;
  const open = terminal === null ? [...items.values()] : [];
  return {
    kind: "applied",
    state: {
      definition: base.definition,
      ...deriveStatus(program, game, open, terminal, base.suspension !== undefined),
      marking: game.marking,
      data,
      items: open,
      sequence: turn.sequence,
      stepCount: state.stepCount + turn.steps.length,
      visits,
      dataBytesBound,
      terminal,
      ...(base.suspension === undefined ? {} : { suspension: base.suspension }),
      ...(overlays.length === 0 || terminal !== null ? {} : { overlays }),
    },
  };
}

function countVisit(program: Program, visits: number[], node: NodeId): void {
  const index = program.compiled.kind === "net" ? undefined : program.compiled.graph.nodeIndex.get(node);
  if (index !== undefined) visits[index] = (visits[index] ?? 0) + 1;
}

/** What a turn begins on. */
export type TurnBase = Pick<
  RunState,
  "definition" | "marking" | "data" | "dataBytesBound" | "visits" | "suspension"
>;

/**
 * What `turn` begins on: the state before it, but for the data of a start; the marking, visits, data and definition
 * that a reroute, a migration or a fork puts in its place; the suspension that the input begins or ends.
 *
 * @definition D3.6
 */
export function turnBase(
  state: RunState,
  { input, steps, at }: Pick<TurnRecord, "input" | "steps" | "at">,
): TurnBase {
  const { suspension: before } = state;
  const marking = steps[0]?.marking ?? state.marking;
  const data = input.kind === "start" || input.kind === "fork" ? input.data : state.data;
  const suspension = input.kind === "suspend" ? { by: input.by, reason: input.reason, at } : before;
  return {
    definition: input.kind === "migrate" ? input.to : state.definition,
    marking,
    data,
    dataBytesBound: data === state.data ? state.dataBytesBound : jsonBytes(data),
    visits: input.kind === "migrate" || input.kind === "fork" ? input.visits : state.visits,
    ...(suspension === undefined || input.kind === "resume" ? {} : { suspension }),
  };
}

/** Turns follow one another, the first one starts, none follows the end, and only an operator's puts tokens elsewhere. */
function turnMisfit(program: Program, state: RunState, turn: TurnRecord): TurnRefusal | null {
  // Rules of a later release may mean something else by the same record: it is not read by those of this one.
  if (!SEMANTICS.some(({ version }) => version === turn.semantics))
    return refused("semantics", null, { found: turn.semantics, newest: SEMANTICS_VERSION });
  const expected = state.sequence + 1;
  if (turn.sequence !== expected) return refused("sequence", null, { expected, found: turn.sequence });
  const isOver = state.status !== "running" && state.status !== "waiting";
  if (isOver) return refused("terminal", null, { status: state.status });
  const isFirst = state.sequence === 0;
  const { input, steps } = turn;
  if (isFirst !== (input.kind === "start" || input.kind === "fork"))
    return refused("input", null, { found: input.kind, isFirst });
  const isMoved = input.kind === "migrate" && (input.from !== state.definition || input.to !== program.hash);
  if (isMoved) return refused("input", null, { found: input.kind, definition: state.definition });
  const placed = steps.findIndex((step) => step.marking !== undefined);
  if (placed === -1) return null;
  const isPlacing =
    placed === 0 &&
    placesTokens(input.kind) &&
    steps.findLastIndex((step) => step.marking !== undefined) === 0;
  const isFitting = steps[0]?.marking?.length === program.net.places.length;
  return isPlacing && isFitting ? null : refused("input", placed, { found: input.kind });
}

function fireAll(
  program: Program,
  game: TokenGame,
  fired: readonly TransitionIndex[],
  step: number,
): TurnRefusal | null {
  for (const t of fired) {
    const transition = program.net.transitions[t]?.id ?? t;
    if (!canPlay(game, t)) return refused("not-enabled", step, { transition });
    if (!hasRoom(game, t)) return refused("overflow", step, { transition });
    play(game, t);
  }
  return null;
}

/**
 * The status of a run, a function of marking, open items and the last terminal event; never set by hand. The game
 * selects the automatic transitions (`startGame(program.fast, M, program.automatic)`).
 * failed and cancelled by event; completed iff the marking is final and no item is open; running iff an automatic
 * transition is enabled whose node no intervention holds, or an item is open that waits for nobody outside (a job, a
 * called run that runs); else waiting, with the modes of the items; without any item it is a deadlock: failed. A suspended
 * run that has not ended waits for a person. Several instances of a called run speak for the item that opened them.
 *
 * @definition D3.2
 */
export function deriveStatus(
  program: Program,
  game: TokenGame,
  items: readonly OpenItem[],
  terminal: Terminal | null,
  isSuspended = false,
): Pick<RunState, "status" | "modes"> {
  if (terminal !== null) return { status: terminal.kind, modes: [] };
  if (items.length === 0 && isFinal(program.net, game.marking)) return { status: "completed", modes: [] };
  if (isSuspended) return { status: "waiting", modes: ["waiting_human"] };
  const own = items.filter(({ instances }) => instances === undefined);
  const modes = (own.length > 0 ? own : items).map(itemModes);
  const isBusy = modes.some((of) => of.length === 0) || hasAutomaticStep(program, game, items);
  if (isBusy) return { status: "running", modes: [] };
  if (items.length === 0) return { status: "failed", modes: [] };
  if (modes.length === 1 && modes[0]?.length === 1) return { status: "waiting", modes: modes[0] };
  const found = new Set(modes.flat());
  return { status: "waiting", modes: MODE_ORDER.filter((mode) => found.has(mode)) };
}

/** Is an automatic transition enabled whose node no intervention holds? */
function hasAutomaticStep(program: Program, game: TokenGame, items: readonly OpenItem[]): boolean {
  if (items.every((item) => item.kind !== "intervention")) return firstPlayable(game) !== -1;
  const held = new Set(items.filter((item) => item.kind === "intervention").map((item) => item.node));
  return playable(game).some((t) => !held.has(nodeIdOf(program, t) ?? ""));
}

/** The bytes that a patch can add to D: its values and paths in canonical JSON. */
export function patchBytes(patch: Patch): number {
  return jsonBytes(patch as unknown as Json);
}

/** The id of the node (or of the transition of a bare net) that `t` belongs to. */
export function nodeIdOf(program: Program, t: TransitionIndex): NodeId | undefined {
  const { compiled, net } = program;
  const transition = net.transitions[t];
  if (compiled.kind === "net") return transition?.id;
  return transition?.origin === undefined ? undefined : compiled.definition.nodes[transition.origin.node]?.id;
}

/**
 * The view `tok` of 20.3: the nodes that own a marked control place. A token on an arc place belongs to the arc's
 * target (it waits before it), one on a rest, chain, source or end place to the place's node. A set: exact because
 * 1-safeness of control places is proved, never assumed.
 *
 * @definition D3.3
 */
export function tokenNodes(program: Program, marking: ArrayLike<number>): ReadonlySet<NodeId> {
  const { compiled, net } = program;
  if (compiled.kind === "net")
    return new Set(net.places.filter((_, p) => (marking[p] ?? 0) > 0).map((place) => place.id));
  const { definition } = compiled;
  const owners = net.places.flatMap((place, index) => {
    const { origin } = place;
    if ((marking[index] ?? 0) === 0 || place.role !== "control" || origin === undefined) return [];
    if (origin.kind === "arc") return [definition.arcs[origin.arc]?.to];
    if (origin.kind === "source") {
      const scope = origin.scope === null ? null : definition.nodes[origin.scope];
      const entry: Json | undefined = scope === null ? definition.entry : scope?.meta?.entry;
      return [typeof entry === "string" ? entry : undefined];
    }
    return [definition.nodes[origin.node]?.id];
  });
  return new Set(owners.filter((id): id is NodeId => id !== undefined));
}

function changeItems(items: Map<ItemId, OpenItem>, step: StepRecord, index: number): TurnRefusal | null {
  for (const id of step.closed ?? [])
    if (!items.delete(id)) return refused("item", index, { closed: id, open: false });
  for (const item of step.changed ?? []) {
    if (!items.has(item.id)) return refused("item", index, { changed: item.id, open: false });
    items.set(item.id, item);
  }
  for (const item of step.opened ?? []) {
    if (items.has(item.id)) return refused("item", index, { opened: item.id, open: true });
    items.set(item.id, item);
  }
  return null;
}

function refused(code: TurnRefusal["code"], step: number | null, facts: JsonObject): TurnRefusal {
  return { kind: "refused", code, step, facts };
}
