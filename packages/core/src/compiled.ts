/** @module The fast form of the firing rule: integer arrays, a marking changed in place, the enabled set maintained. */
import { createEnabledSet, type EnabledSet, firstFrom, insert, members, remove } from "./enabled-set.ts";
import { NO_RULES, type NonLocalRules, type RuleTracker } from "./fire.ts";
import { invariant } from "./invariant.ts";
import type { Net, PlaceIndex, TransitionIndex, WeightedPlace } from "./net.ts";

/**
 * A net as integer arrays. Row r of a table is `[start[r], start[r + 1])` of its columns.
 * `consumers` of a place: the transitions that read it with their weights; weight 0 marks an optional input (`any`).
 * `effect` of a transition: postset minus preset, zeros left out.
 */
export interface CompiledNet {
  readonly net: Net;
  readonly placeCount: number;
  readonly transitionCount: number;
  readonly consumerStart: Int32Array;
  readonly consumerTransition: Int32Array;
  readonly consumerWeight: Int32Array;
  readonly effectStart: Int32Array;
  readonly effectPlace: Int32Array;
  readonly effectChange: Int32Array;
  /** Conditions of each transition that the empty marking does not meet. */
  readonly lackingEmpty: Conditions;
  /** 1 where a transition resets or has optional inputs: fired place by place. */
  readonly isSlow: Uint8Array;
  /** Has some transition optional inputs? */
  readonly hasOptional: boolean;
  /** Transitions that the empty marking enables. */
  readonly spontaneous: readonly TransitionIndex[];
}

/** Numbers of conditions by transition: in bytes wherever they fit, since every game begins with a copy. */
export type Conditions = Uint8Array | Int32Array;

/** A marking being played: changed in place by `play`. `lacking[t]` counts unmet conditions; `enabled` holds the selectable t with none. */
export interface TokenGame {
  readonly compiled: CompiledNet;
  readonly marking: Int32Array;
  readonly lacking: Conditions;
  /** Marked places of `any(t)`; meaningful where any(t) is not empty. */
  readonly anyMarked: Int32Array;
  readonly selectable: Uint8Array | null;
  readonly enabled: EnabledSet;
  readonly rules: NonLocalRules;
  /** The rules in their incremental form; null where they have none. */
  readonly tracker: RuleTracker | null;
}

/** The most tokens that a place of a game can hold, and the greatest weight: what the arrays can count. */
export const TOKENS_MAX: number = 0x7fffffff;

/** Compiles `net`. Weights above TOKENS_MAX break invariant D1.2. Cost: linear in the arcs. */
export function compileNet(net: Net): CompiledNet {
  const consumers: [t: number, weight: number][][] = net.places.map(() => []);
  const effects: WeightedPlace[][] = [];
  const lackingEmpty = conditionsOf(net);
  const isSlow = new Uint8Array(net.transitions.length);
  net.transitions.forEach((t, index) => {
    const weightMax = Math.max(
      0,
      ...t.pre.map(([, weight]) => weight),
      ...t.post.map(([, weight]) => weight),
    );
    invariant(weightMax <= TOKENS_MAX, "D1.2", () => ({ transition: t.id, weightMax }));
    for (const [place, weight] of t.pre) consumers[place]?.push([index, weight]);
    for (const place of t.any) consumers[place]?.push([index, 0]);
    isSlow[index] = t.any.length > 0 || t.reset.length > 0 ? 1 : 0;
    const change = new Map<PlaceIndex, number>();
    for (const [place, weight] of t.pre) change.set(place, -weight);
    for (const [place, weight] of t.post) change.set(place, (change.get(place) ?? 0) + weight);
    effects.push([...change].filter(([, weight]) => weight !== 0));
  });
  const [consumerStart, consumerTransition, consumerWeight] = table(consumers);
  const [effectStart, effectPlace, effectChange] = table(effects);
  return {
    net,
    placeCount: net.places.length,
    transitionCount: net.transitions.length,
    consumerStart,
    consumerTransition,
    consumerWeight,
    effectStart,
    effectPlace,
    effectChange,
    lackingEmpty,
    isSlow,
    hasOptional: net.transitions.some(({ any }) => any.length > 0),
    spontaneous: net.transitions.flatMap((_, t) => (lackingEmpty[t] === 0 ? [t] : [])),
  };
}

function conditionsOf({ transitions }: Net): Conditions {
  const conditions = transitions.map(({ pre, any }) => pre.length + (any.length > 0 ? 1 : 0));
  return conditions.every((count) => count <= BYTE_MAX)
    ? Uint8Array.from(conditions)
    : Int32Array.from(conditions);
}

const BYTE_MAX = 0xff;

/** Markings of up to so many places are cut from a page of so many numbers: memory of its own costs each more than its game. */
const CUT_MAX = 64;
const PAGE_SIZE = 256;
let page = new Int32Array(0);
let used = 0;

/** The empty marking of `size` places. */
function emptyMarking(size: number): Int32Array {
  if (size > CUT_MAX) return new Int32Array(size);
  if (used + size > page.length) {
    page = new Int32Array(PAGE_SIZE);
    used = 0;
  }
  used += size;
  return page.subarray(used - size, used);
}

/** Of a net without optional inputs: nothing is ever counted in it. */
const NO_COUNTS = new Int32Array(0);

/**
 * Starts a game in `marking`. `selectable` limits the enabled set to some transitions (1 = may be selected).
 * Requires one count per place, each from 0 to TOKENS_MAX (else InvariantViolation D1.2).
 * Cost: a copy of two arrays plus the consumers of the marked places; never a scan of presets.
 */
export function startGame(
  compiled: CompiledNet,
  marking: ArrayLike<number>,
  selectable: Uint8Array | null = null,
  rules: NonLocalRules = NO_RULES,
): TokenGame {
  invariant(marking.length === compiled.placeCount, "D1.2", () => ({
    places: compiled.placeCount,
    found: marking.length,
  }));
  const game: TokenGame = {
    compiled,
    marking: emptyMarking(compiled.placeCount),
    lacking: compiled.lackingEmpty.slice(),
    anyMarked: compiled.hasOptional ? new Int32Array(compiled.transitionCount) : NO_COUNTS,
    selectable,
    enabled: createEnabledSet(compiled.transitionCount),
    rules,
    tracker: rules.track?.(compiled.net) ?? null,
  };
  for (const t of compiled.spontaneous) {
    if (isSelectable(game, t)) insert(game.enabled, t);
    game.tracker?.onEnabled(t, true);
  }
  for (let place = 0; place < marking.length; place += 1) {
    const tokens = marking[place] ?? 0;
    if (tokens !== 0) setTokens(game, place, tokens);
  }
  return game;
}

/**
 * Is `t` enabled in the game's marking?
 *
 * @refines D1.3
 */
export function canPlay(game: TokenGame, t: TransitionIndex): boolean {
  return game.lacking[t] === 0 && isPermitted(game, t);
}

/** The first enabled selectable transition whose rule permits it, in document order; -1 when there is none. */
export function firstPlayable(game: TokenGame): TransitionIndex {
  let t = firstFrom(game.enabled, 0);
  while (t !== -1 && !isPermitted(game, t)) t = firstFrom(game.enabled, t + 1);
  return t;
}

/** The enabled selectable transitions in document order. */
export function playable(game: TokenGame): readonly TransitionIndex[] {
  return members(game.enabled).filter((t) => isPermitted(game, t));
}

/**
 * Would firing `t` keep every place within TOKENS_MAX? Only a net with unbounded places can make this false.
 * With resets or optional inputs the answer is on the safe side. Cost: the places that `t` changes.
 */
export function hasRoom(game: TokenGame, t: TransitionIndex): boolean {
  const { compiled, marking } = game;
  const end = compiled.effectStart[t + 1] as number;
  for (let row = compiled.effectStart[t] as number; row < end; row += 1) {
    const tokens = marking[compiled.effectPlace[row] as number] as number;
    if (tokens + (compiled.effectChange[row] as number) > TOKENS_MAX) return false;
  }
  return true;
}

/**
 * Fires `t` in place. Requires that it is enabled (else InvariantViolation D1.4, the marking unchanged) and that no
 * place comes to hold more than TOKENS_MAX (else InvariantViolation D1.2; `hasRoom` asks beforehand).
 * Cost: the consumers of the places that change.
 *
 * @refines D1.4
 */
export function play(game: TokenGame, t: TransitionIndex): void {
  invariant(canPlay(game, t), "D1.4", () => ({
    transition: game.compiled.net.transitions[t]?.id ?? t,
    enabled: false,
  }));
  const { compiled, marking } = game;
  if (compiled.isSlow[t] === 1) {
    playPlaceByPlace(game, t);
    return;
  }
  const end = compiled.effectStart[t + 1] as number;
  for (let row = compiled.effectStart[t] as number; row < end; row += 1) {
    const place = compiled.effectPlace[row] as number;
    setTokens(game, place, (marking[place] as number) + (compiled.effectChange[row] as number));
  }
}

function playPlaceByPlace(game: TokenGame, t: TransitionIndex): void {
  const transition = game.compiled.net.transitions[t];
  if (transition === undefined) return;
  const add = (place: PlaceIndex, change: number) =>
    setTokens(game, place, (game.marking[place] ?? 0) + change);
  for (const [place, weight] of transition.pre) add(place, -weight);
  for (const place of transition.any) if ((game.marking[place] ?? 0) > 0) add(place, -1);
  for (const place of transition.reset) setTokens(game, place, 0);
  for (const [place, weight] of transition.post) add(place, weight);
}

function setTokens(game: TokenGame, place: PlaceIndex, tokens: number): void {
  const { compiled, marking } = game;
  const before = marking[place] as number;
  if (before === tokens) return;
  invariant(tokens >= 0 && tokens <= TOKENS_MAX, "D1.2", () => ({
    place: compiled.net.places[place]?.id ?? place,
    tokens,
  }));
  marking[place] = tokens;
  if ((before === 0) !== (tokens === 0)) game.tracker?.onMarked(place, tokens > 0);
  const end = compiled.consumerStart[place + 1] as number;
  for (let row = compiled.consumerStart[place] as number; row < end; row += 1) {
    const t = compiled.consumerTransition[row] as number;
    const weight = compiled.consumerWeight[row] as number;
    if (weight === 0) {
      anyChanged(game, t, before > 0, tokens > 0);
      continue;
    }
    const met = tokens >= weight;
    if (met !== before >= weight) changeLacking(game, t, met ? -1 : 1);
  }
}

function anyChanged(game: TokenGame, t: TransitionIndex, wasMarked: boolean, isMarked: boolean): void {
  if (wasMarked === isMarked) return;
  const before = game.anyMarked[t] as number;
  game.anyMarked[t] = before + (isMarked ? 1 : -1);
  if (before === 0) changeLacking(game, t, -1);
  else if (game.anyMarked[t] === 0) changeLacking(game, t, 1);
}

function changeLacking(game: TokenGame, t: TransitionIndex, change: number): void {
  const lacking = (game.lacking[t] as number) + change;
  game.lacking[t] = lacking;
  if ((lacking === 0) !== (lacking - change === 0)) game.tracker?.onEnabled(t, lacking === 0);
  if (!isSelectable(game, t)) return;
  if (lacking === 0) insert(game.enabled, t);
  else if (lacking - change === 0) remove(game.enabled, t);
}

function isSelectable(game: TokenGame, t: TransitionIndex): boolean {
  return game.selectable === null || game.selectable[t] === 1;
}

function isPermitted(game: TokenGame, t: TransitionIndex): boolean {
  const name = game.compiled.net.transitions[t]?.rule;
  if (name === undefined) return true;
  if (game.tracker !== null) return game.tracker.permits(t);
  const rule = game.rules.get(name);
  invariant(rule !== undefined, "D1.3", () => ({ missingRule: name }));
  return rule(game.compiled.net, game.marking, t);
}

function table(
  rows: readonly (readonly (readonly [number, number])[])[],
): [Int32Array, Int32Array, Int32Array] {
  const start = new Int32Array(rows.length + 1);
  rows.forEach((row, index) => {
    start[index + 1] = (start[index] as number) + row.length;
  });
  const cells = rows.flat();
  return [start, Int32Array.from(cells, ([left]) => left), Int32Array.from(cells, ([, right]) => right)];
}
