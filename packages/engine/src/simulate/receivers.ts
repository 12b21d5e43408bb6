/** @module Who could take a message in a simulation: read from the folded states and the definitions, apart from any store. */
import type { JsonObject, OpenItem, RunState, Subscription } from "@tessera/core";
import { eventsOf, type NodeEvent } from "@tessera/gateways";
import type { Delivery } from "@tessera/persist";
import { hasEnded } from "../commands.ts";
import { startData } from "../start-event.ts";
import type { Version } from "../versions.ts";

/** A message that was buffered, or a signal that is to start the workflow `target`. */
export interface Letter {
  readonly on: "message" | "signal";
  readonly name: string;
  readonly key: string | null;
  readonly id: string | null;
  readonly data: JsonObject;
  readonly expiresAt: number;
  readonly target: string | null;
  /** The store's number, once a worker was shown it. */
  number: number | null;
  /** The turn that took it. */
  takenBy: string | null;
  /** A message came at a time at which this one had expired: the store may have put it away. */
  mayBeGone: boolean;
}

/** A run as it was folded. */
export interface FoldedRun {
  readonly state: RunState;
  readonly version: Version;
}

/** All runs as they were folded, by id. */
export type FoldedRuns = ReadonlyMap<string, FoldedRun>;

/** The newest version of each workflow, by its name. */
export type Newest = ReadonlyMap<string, Version>;

type Taker = Delivery["to"];

/** The open items that wait for a message, with the event that each waits for. A suspended run takes none. */
export function receiversOf(runs: FoldedRuns, { on, name, key }: Letter): readonly Taker[] {
  if (on === "signal") return [];
  return [...runs].flatMap(([run, { state }]) =>
    state.suspension !== undefined
      ? []
      : openItems(state).flatMap((item) =>
          awaited(item, "message", name)
            .filter((each) => (each.key ?? null) === key)
            .map(({ event }) => ({ kind: "item" as const, run, item: item.id, event })),
        ),
  );
}

/** The starts that it opens; one whose data or key the workflow would refuse is none. */
export function startersOf(newest: Newest, letter: Letter): readonly Taker[] {
  const { on, name, target } = letter;
  return [...newest].flatMap(([workflow, version]) => {
    if (target !== null && target !== workflow) return [];
    return startsOf(version)
      .filter((event) => event.on === on && event.name === name && isTaken(version, event, letter))
      .map(({ id }) => ({ kind: "start" as const, workflow, event: id }));
  });
}

/** The events of a workflow's entry. */
export function startsOf({ plan }: Version): readonly NodeEvent[] {
  const { compiled } = plan.program;
  if (compiled.kind === "net") return [];
  const entry = plan.nodes.find(({ id }) => id === compiled.definition.entry);
  return entry?.kind === "start" ? eventsOf(entry) : [];
}

/** The workflows that a signal starts. */
export function startedBy(newest: Newest, name: string): readonly string[] {
  return [...newest].flatMap(([workflow, version]) =>
    startsOf(version).some((event) => event.on === "signal" && event.name === name) ? [workflow] : [],
  );
}

/** What a run has open; nothing when it has ended. */
export function openItems(state: RunState): readonly OpenItem[] {
  return hasEnded(state) ? [] : state.items;
}

/** What of an item waits for this name and can take it. */
export function awaited(item: OpenItem, on: "message" | "signal", name: string): readonly Subscription[] {
  const all = item.subscriptions ?? [];
  return all.filter((each) => each.on === on && each.name === name && each.isFull !== true);
}

function isTaken(version: Version, event: NodeEvent, letter: Letter): boolean {
  const read = startData(version.plan, event.id, letter);
  return read.kind === "data" && version.bodies().validate(read.data) === null;
}
