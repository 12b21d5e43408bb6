/** @module From the parts that a reader found to a net, with its initial and final markings and what was assumed. */
import {
  bad,
  type FinalMarkings,
  type Issue,
  type Marking,
  makeNet,
  type Net,
  ok,
  type PlaceIndex,
  type Result,
  type TransitionIndex,
  type WeightedPlace,
} from "@tessera/core";
import { withComplements } from "./complement.ts";
import { finalsOf } from "./final-markings.ts";
import type { IssueLog, Where } from "./issue-log.ts";

/** The formats that hold a net. */
export type NetFormat = "pnml" | "lola" | "tina";

/** A net from a file, and what was assumed in reading it. Show the warnings wherever a verdict is shown. */
export interface ImportedNet {
  readonly format: NetFormat;
  /** The net's name; its id, or empty, if it has none. */
  readonly name: string;
  /** Places and transitions in document order; labels are their names, ids those of the file. */
  readonly net: Net;
  readonly warnings: readonly Issue[];
  /** Did the file state a non-empty initial marking? If not, IMP002 or IMP003 is among the warnings. */
  readonly initialGiven: boolean;
  /** Did the file state a final marking? If not, the places without outgoing arcs are the ends. */
  readonly finalGiven: boolean;
}

/** A place as read. `tokens` is undefined if the file says nothing about it. */
export interface PlacePart {
  readonly id: string;
  readonly label?: string;
  readonly tokens: number | undefined;
  /** The largest number of tokens that a firing may leave, where the file states one. */
  readonly capacity?: Bound;
}

/** A number of tokens, and where it is stated. */
export interface Bound {
  readonly tokens: number;
  readonly where: () => Where;
}

/** `place` never holds more than `tokens` after a firing. */
export interface Capacity extends Bound {
  readonly place: PlaceIndex;
}

/** `transition` is enabled only while `place` holds fewer than `weight` tokens. */
export interface Inhibition {
  readonly place: PlaceIndex;
  readonly transition: TransitionIndex;
  readonly weight: number;
  readonly where: () => Where;
}

/** A transition as read; the maps are in the order of the arcs. */
export interface TransitionPart {
  readonly id: string;
  readonly label?: string;
  readonly pre: Map<PlaceIndex, number>;
  readonly post: Map<PlaceIndex, number>;
  readonly reset: Set<PlaceIndex>;
  /** Places that must hold fewer tokens than stated. */
  readonly inhibitors?: ReadonlyMap<PlaceIndex, Bound>;
}

/** What a reader found. Ids are unique, indices in range, numbers positive integers up to `TOKENS_MAX`. */
export interface NetParts {
  readonly format: NetFormat;
  readonly name: string;
  readonly places: readonly PlacePart[];
  readonly transitions: readonly TransitionPart[];
  /** The final markings that the file states; empty if none. */
  readonly finals: readonly Marking[];
  /** The place of the net in the text, for issues that concern all of it. */
  readonly where: () => Where;
}

/** The largest number of tokens and weight: markings are kept in arrays of 32-bit integers. */
export const TOKENS_MAX = 2_147_483_647;

/** Adds `weight` to the arc of `place` in `side`; false if the sum is above `TOKENS_MAX`. */
export function addWeight(side: Map<PlaceIndex, number>, place: PlaceIndex, weight: number): boolean {
  const sum = (side.get(place) ?? 0) + weight;
  side.set(place, sum);
  return sum <= TOKENS_MAX;
}

/**
 * The net of `parts`. Without an initial marking the only source place gets one token, with a warning, and if there
 * is no such place the marking stays empty, with a warning. Without final markings the ends are the places without
 * outgoing arcs. Capacities and inhibitor arcs become complement places where that says the same, else they are issues;
 * issues that are in `log` already are all that is returned. Cost: linear in the net, but for bounds (D11.10).
 */
export function assembleNet(parts: NetParts, log: IssueLog): Result<ImportedNet, readonly Issue[]> {
  if (log.hasErrors()) return bad(log.errors());
  const flow = flowOf(parts);
  const initial = initialMarking(parts, flow, log);
  const finals = finalMarkings(parts, flow, log);
  const isolated = parts.places.filter((_, p) => !flow.consumed[p] && !flow.produced[p]).map(({ id }) => id);
  if (isolated.length > 0) {
    const places = isolated.slice(0, 10);
    log.warn("IMP005", parts.where, `places without arcs: ${places.join(", ")}`, {
      places,
      count: isolated.length,
    });
  }
  const net = makeNet({
    places: parts.places.map(({ id, label }) => ({ id, ...labelled(label), role: "control" })),
    transitions: parts.transitions.map(({ id, label, pre, post, reset }) => ({
      id,
      ...labelled(label),
      pre: weighted(pre),
      any: [],
      post: weighted(post),
      reset: [...reset],
    })),
    initial,
    finals,
  });
  const code = parts.format === "pnml" ? "PNML012" : "TINA006";
  const restricted = withComplements(net, { ...restrictionsOf(parts), code, where: parts.where }, log);
  if (!restricted.ok) return restricted;
  return ok({
    format: parts.format,
    name: parts.name,
    net: makeNet(restricted.value),
    warnings: log.warnings(),
    initialGiven: parts.places.some(({ tokens }) => (tokens ?? 0) > 0),
    finalGiven: parts.finals.length > 0,
  });
}

function restrictionsOf({ places, transitions }: NetParts): {
  readonly capacities: readonly Capacity[];
  readonly inhibitions: readonly Inhibition[];
} {
  return {
    capacities: places.flatMap(({ capacity }, place) =>
      capacity === undefined ? [] : [{ ...capacity, place }],
    ),
    inhibitions: transitions.flatMap(({ inhibitors }, transition) =>
      [...(inhibitors ?? [])].map(([place, { tokens, where }]) => ({
        place,
        transition,
        weight: tokens,
        where,
      })),
    ),
  };
}

/** For each place: does some arc (a reset too) lead out of it, does some arc lead into it? */
interface Flow {
  readonly consumed: readonly boolean[];
  readonly produced: readonly boolean[];
}

function flowOf(parts: NetParts): Flow {
  const consumed = parts.places.map(() => false);
  const produced = parts.places.map(() => false);
  for (const { pre, post, reset } of parts.transitions) {
    for (const place of [...pre.keys(), ...reset]) consumed[place] = true;
    for (const place of post.keys()) produced[place] = true;
  }
  return { consumed, produced };
}

/**
 * The initial marking: the tokens that the file states; if it states nothing at all and exactly one place has
 * outgoing and no incoming arcs, and no transition is without input, one token there; else the empty marking.
 *
 * @definition D11.3
 */
function initialMarking(parts: NetParts, flow: Flow, log: IssueLog): Marking {
  const initial = parts.places.map(({ tokens }) => tokens ?? 0);
  if (initial.some((tokens) => tokens > 0)) return initial;
  const isSilent = parts.places.every(({ tokens }) => tokens === undefined);
  const sources = parts.places.flatMap((_, p) => (flow.consumed[p] && !flow.produced[p] ? [p] : []));
  const [source] = sources;
  const startsItself = parts.transitions.some(({ pre }) => pre.size === 0);
  if (isSilent && !startsItself && sources.length === 1 && source !== undefined) {
    const place = parts.places[source]?.id ?? "";
    log.warn("IMP002", parts.where, `no initial marking: one token is put on the source place ${place}`, {
      place,
    });
    return initial.with(source, 1);
  }
  const facts = {
    sources: sources.slice(0, 10).map((p) => parts.places[p]?.id ?? ""),
    count: sources.length,
  };
  log.warn("IMP003", parts.where, "no initial marking: no place has a token", facts);
  return initial;
}

/**
 * The final markings: those that the file states, written as `ends` where they are exactly the non-empty subsets of
 * a set of places without outgoing arcs (one token on one such place is the simplest case); if it states none, the
 * places without outgoing arcs are the ends.
 *
 * @definition D11.4
 */
function finalMarkings(parts: NetParts, flow: Flow, log: IssueLog): FinalMarkings {
  if (parts.finals.length > 0) {
    return finalsOf(parts.finals, (place) => flow.consumed[place] !== true);
  }
  const ends = parts.places.flatMap((_, p) => (flow.consumed[p] ? [] : [p]));
  if (ends.length === 0)
    log.warn("IMP004", parts.where, "every place has an outgoing arc: no marking is final");
  return { kind: "ends", ends };
}

function weighted(side: ReadonlyMap<PlaceIndex, number>): readonly WeightedPlace[] {
  return [...side].map(([place, weight]): WeightedPlace => [place, weight]);
}

function labelled(label: string | undefined): { readonly label?: string } {
  return label === undefined ? {} : { label };
}
