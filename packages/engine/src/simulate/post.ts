/** @module What has been published in a simulation and who took it: a model beside the store, from the calls that the workers make. */
import { canonicalJson, type RunState } from "@tessera/core";
import type { Delivery, NewMessage, NewSignal, Published, Turn } from "@tessera/persist";
import type { Version } from "../versions.ts";
import {
  awaited,
  type FoldedRuns,
  type Letter,
  type Newest,
  openItems,
  receiversOf,
  startedBy,
  startersOf,
  startsOf,
} from "./receivers.ts";
import { makeSignals } from "./signals.ts";
import { violated } from "./violation.ts";

/** What the post learns, in the order in which the store did it, and what it can be asked. */
export interface Post {
  readonly published: (message: NewMessage, now: number, answer: Published) => void;
  readonly broadcast: (signal: NewSignal, answer: Published) => void;
  /** A worker has looked, at its time `now`, for at most `limit` messages with their receivers. */
  readonly looked: (now: number, limit: number, found: readonly Delivery[]) => void;
  /** A turn was taken; the runs are those after it, its own was `before`. */
  readonly turned: (turn: Turn, before: RunState, after: RunState) => void;
  /** What is buffered at the time `now` and can be taken: by an item, or if none waits by a start. */
  readonly deliverable: (now: number) => readonly Deliverable[];
  /** Could a message start a workflow, and did each that was published under this name and key end before anybody took it? */
  readonly isLost: (name: string, key: string | null, now: number) => boolean;
  /** Does an item wait for a signal that was given? */
  readonly owesSignals: () => boolean;
  /** Nothing is on its way any more: a signal that an item still waits for is lost. */
  readonly settled: () => void;
}

/** A message with somebody who could take it. */
export interface Deliverable {
  readonly letter: Letter;
  readonly to: Delivery["to"];
}

/** When a signal that is to start a workflow expires. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * The laws of messages, as they are broken: under its id a message is stored once; while it is buffered, not expired and
 * somebody waits for it, every look shows it, and otherwise none; one turn takes it, whose input it is.
 *
 * @definition D17.14
 */
export function makePost(runs: FoldedRuns, versions: ReadonlyMap<string, Version>, newest: Newest): Post {
  const letters: Letter[] = [];
  const times = new Map<string, number>();
  const ids = new Set<string>();
  const signals = makeSignals(runs);
  const once = (on: string, name: string, id: string | undefined, { kind }: Published): void => {
    if (id === undefined) return;
    const key = JSON.stringify([on, name, id]);
    if (kind === "stored" && ids.has(key)) violated(`the ${on} ${key} is stored a second time`);
    if (kind === "known" && !ids.has(key)) violated(`the ${on} ${key} is known, and was never stored`);
    ids.add(key);
  };
  const add = ({ name, key, id, data, expiresAt }: NewMessage): void => {
    const given = { name, key: key ?? null, id: id ?? null, data, expiresAt };
    letters.push({ ...FRESH, on: "message", ...given, target: null });
  };
  const spread = ({ name, data }: NewSignal): number => {
    const common = { ...FRESH, on: "signal", name, key: null, id: null, data, expiresAt: NEVER } as const;
    for (const target of startedBy(newest, name)) letters.push({ ...common, target });
    return signals.given(name);
  };
  const purge = (now: number): void => {
    for (const letter of letters) if (letter.expiresAt <= now) letter.mayBeGone = true;
  };
  return {
    published: (message, now, answer) => {
      once("message", message.name, message.id, answer);
      purge(now);
      if (answer.kind === "stored") add(message);
    },
    broadcast: (signal, answer) => {
      once("signal", signal.name, signal.id, answer);
      if (answer.kind === "known") return;
      const count = spread(signal);
      if (count !== answer.receivers)
        violated(`the signal "${signal.name}" went to ${answer.receivers} items, and ${count} waited for it`);
    },
    looked: (now, limit, found) => {
      const shown = found.map(({ message, to }) => ({ letter: namedLetter(letters, message), to }));
      for (const { letter } of shown) checkShown(letter, now);
      if (found.length >= limit) return;
      for (const { letter, to } of takeable(letters, runs, newest, now)) checkSeen(shown, letter, to);
    },
    turned: (turn, before, after) => {
      const { takes, sends, record } = turn;
      const letter = letters.find(({ number }) => number === takes && number !== null);
      const earlier = times.get(turn.run) ?? Number.NEGATIVE_INFINITY;
      times.set(turn.run, record.at);
      if (record.at < earlier)
        violated(`${where(turn)} is of ${earlier - record.at} ms before the turn before`);
      if (takes !== undefined) take(turn, before, letter, versions, record.at > earlier);
      else if (record.input.kind === "event" && record.input.on === "message")
        violated(`${where(turn)} is opened by a message that it did not take`);
      signals.turned(turn, after);
      const { messages = [], signals: given = [] } = sends ?? {};
      const count = record.steps.reduce((sum, { sent = [] }) => sum + sent.length, 0);
      if (count !== messages.length + given.length) violated(`${where(turn)} sends other than it records`);
      if (messages.length > 0) purge(sends?.now ?? record.at);
      for (const message of messages) add(message);
      for (const signal of given) spread(signal);
    },
    deliverable: (now) => takeable(letters, runs, newest, now),
    isLost: (name, key, now) => {
      const own = letters.filter(
        (letter) => letter.on === "message" && letter.name === name && letter.key === key,
      );
      const isOver = own.every(({ takenBy, expiresAt }) => takenBy === null && expiresAt <= now);
      const begins = [...newest.values()].some((version) =>
        startsOf(version).some((event) => event.on === "message" && event.name === name),
      );
      return begins && own.length > 0 && isOver;
    },
    owesSignals: signals.areOwed,
    settled: signals.settled,
  };
}

const FRESH: Pick<Letter, "number" | "takenBy" | "mayBeGone"> = {
  number: null,
  takenBy: null,
  mayBeGone: false,
};

/** The letter that the store calls by this number; of some that nothing tells apart, one that is surely there. */
function namedLetter(letters: readonly Letter[], { number, ...message }: Delivery["message"]): Letter {
  const { on, name, key, id, data, expiresAt } = message;
  const content = canonicalJson(data);
  const isSame = (letter: Letter): boolean =>
    letter.number === null &&
    letter.on === on &&
    letter.name === name &&
    letter.key === key &&
    letter.id === id &&
    letter.expiresAt === expiresAt &&
    canonicalJson(letter.data) === content;
  const found =
    letters.find((letter) => letter.number === number) ??
    letters.find((letter) => isSame(letter) && !letter.mayBeGone) ??
    letters.find(isSame);
  if (found === undefined)
    return violated(`a worker is shown the message "${name}", which nobody has published`);
  found.number = number;
  return found;
}

function checkShown(letter: Letter, now: number): void {
  const { takenBy, expiresAt } = letter;
  if (takenBy !== null) violated(`${named(letter)} is shown again, and ${takenBy} took it`);
  if (expiresAt <= now) violated(`${named(letter)} is shown ${now - expiresAt} ms after its end`);
}

/** Of a look that had room for more: a message is there with each item that waits for it, or with a start. */
function checkSeen(shown: readonly Deliverable[], letter: Letter, to: Deliverable["to"]): void {
  if (shown.some((each) => each.letter === letter && isSame(each.to, to))) return;
  const who = to.kind === "item" ? `${to.run}/${to.item}` : `the start of ${to.workflow}`;
  violated(`${named(letter)} is not shown to a worker, and ${who} waits for it`);
}

function isSame(left: Deliverable["to"], right: Deliverable["to"]): boolean {
  if (left.event !== right.event) return false;
  if (left.kind === "start") return right.kind === "start" && left.workflow === right.workflow;
  return right.kind === "item" && left.run === right.run && left.item === right.item;
}

function takeable(
  letters: readonly Letter[],
  runs: FoldedRuns,
  newest: Newest,
  now: number,
): readonly Deliverable[] {
  return letters.flatMap((letter) => {
    if (letter.takenBy !== null || letter.mayBeGone || letter.expiresAt <= now) return [];
    const items = receiversOf(runs, letter);
    return (items.length > 0 ? items : startersOf(newest, letter)).map((to) => ({ letter, to }));
  });
}

/** A turn takes a letter: nobody has it, it has not expired, the turn is about it, and the run had waited for it. */
function take(
  turn: Turn,
  before: RunState,
  letter: Letter | undefined,
  versions: ReadonlyMap<string, Version>,
  isByClock: boolean,
): void {
  const { record, created } = turn;
  const { input } = record;
  if (letter === undefined) violated(`${where(turn)} takes a message that nobody was shown`);
  const { on, name, key, id, expiresAt, takenBy, target } = letter;
  if (takenBy !== null) violated(`${where(turn)} takes ${named(letter)}, which ${takenBy} took`);
  // A turn that has the time of the turn before came while the clock was behind it: by the clock nothing was late.
  if (isByClock && expiresAt <= record.at)
    violated(`${where(turn)} takes ${named(letter)} ${record.at - expiresAt} ms after its end`);
  const isAbout =
    input.kind === "event"
      ? on === "message" && input.on === on && input.name === name && (input.message ?? null) === id
      : input.kind === "start" && created !== undefined && (target ?? created.workflow) === created.workflow;
  if (!isAbout) violated(`${where(turn)} takes ${named(letter)} and is about something else`);
  const waits =
    input.kind === "event"
      ? openItems(before)
          .filter((item) => item.id === input.item)
          .flatMap((item) => awaited(item, "message", name))
          .some((each) => each.event === input.event && (each.key ?? null) === key)
      : input.kind === "start" &&
        (created?.businessKey ?? null) === key &&
        startsOf(versionOf(versions, turn)).some(
          (event) => event.id === input.event && event.on === on && event.name === name,
        );
  if (!waits) violated(`${where(turn)} takes ${named(letter)}, for which it does not wait`);
  letter.takenBy = where(turn);
}

function versionOf(versions: ReadonlyMap<string, Version>, turn: Turn): Version {
  return versions.get(turn.definition) ?? violated(`${where(turn)} runs in an unknown definition`);
}

function where({ run, record }: Turn): string {
  return `${run}@${record.sequence}`;
}

function named({ on, name, key, id, number }: Letter): string {
  const keyed = key === null ? "" : ` for ${key}`;
  return `the ${on} "${name}"${keyed} (${id ?? `number ${number}`})`;
}
