/** @module What every turn must be before a store takes it, and about how much it weighs. */
import { invariant, type Json, type JsonObject, jsonBytes, jsonEqual, type RunStatus } from "@tessera/core";
import type { Pruning } from "./pruning.ts";
import type { CommitResult, Turn } from "./store.ts";

/**
 * A turn agrees with itself: its record follows on the sequence that it expects, it creates a run iff that is 0, it
 * writes the run's own graph, the mutations of the graph are those that its steps record, in order, and it claims only
 * effects that it adds, each once.
 * A turn that does not is a bug of its maker.
 *
 * @definition D10.6
 */
export function checkTurn(turn: Turn): void {
  const { record, expect, created, graph } = turn;
  invariant(record.sequence === expect + 1, "D10.6", () => ({ expect, sequence: record.sequence }));
  invariant((created !== undefined) === (expect === 0), "D10.6", () => ({
    expect,
    isCreated: created !== undefined,
  }));
  const committed = graph?.mutations ?? NONE;
  let recorded = 0;
  for (const { mutation } of record.steps) {
    if (mutation === undefined) continue;
    const index = recorded;
    const other = committed[index];
    const isEqual =
      other === mutation ||
      (other !== undefined && jsonEqual(other as unknown as Json, mutation as unknown as Json));
    invariant(isEqual, "D10.6", () => ({ mutation: index }));
    recorded += 1;
  }
  invariant(recorded === committed.length, "D10.6", () => ({ recorded, committed: committed.length }));
  checkClaim(turn.effects);
  if (turn.snapshot !== undefined) {
    const { sequence } = turn.snapshot;
    invariant(sequence === record.sequence, "D10.6", () => ({
      snapshot: sequence,
      sequence: record.sequence,
    }));
  }
}

function checkClaim({ add, claim }: Turn["effects"]): void {
  if (claim === undefined) return;
  const { effects } = claim;
  const added = new Set(add.map(({ id }) => id));
  invariant(new Set(effects).size === effects.length, "D10.6", () => ({ claimed: [...effects] }));
  invariant(
    effects.every((id) => added.has(id)),
    "D10.6",
    () => ({ claimed: [...effects], added: [...added] }),
  );
}

/**
 * A pruning agrees with itself (D10.20): the state that it keeps is that after the last turn that goes.
 */
export function checkPruning({ sequence, state }: Pruning): void {
  invariant(state.sequence === sequence, "D10.20", () => ({ sequence, state: state.sequence }));
}

/** What a store knows that decides about a turn; each is asked only when the answer matters. */
export interface TurnFacts {
  /** The sequence of the run, 0 when there is none. */
  readonly runSequence: () => number;
  /** The sequence of the run's turn that has this dedupe id. */
  readonly duplicateOf: (dedupe: string) => number | null;
  /** The token under which the effect is leased, 0 when it is not, or is not there. */
  readonly fencingToken: (effect: string) => number;
  /** Is this item of this run open? */
  readonly isOpen: (run: string, item: string) => boolean;
  /** Is this message still there for somebody to take? */
  readonly isBuffered: (message: number) => boolean;
  /** The sequence of the graph, 0 when nobody has written it. */
  readonly graphSequence: (graph: string) => number;
}

/**
 * Why a turn is not taken, null if it is: in this order, its dedupe id is known; another worker holds the lease; the
 * run has another sequence; the item that called the new run is no longer open; the message that it takes is
 * gone; the graph has another sequence.
 *
 * @definition D10.7
 */
export function refusal(turn: Turn, facts: TurnFacts): CommitResult | null {
  const { dedupe, fence, expect, created, graph, takes } = turn;
  const known = dedupe === undefined ? null : facts.duplicateOf(dedupe);
  if (known !== null) return { kind: "duplicate", sequence: known };
  if (fence !== undefined) {
    const found = facts.fencingToken(fence.effect);
    if (found !== fence.token) return { kind: "conflict", on: "fence", expected: fence.token, found };
  }
  const sequence = facts.runSequence();
  if (sequence !== expect) return { kind: "conflict", on: "run", expected: expect, found: sequence };
  if (created?.parent !== undefined && !facts.isOpen(created.parent.run, created.parent.item)) {
    return { kind: "conflict", on: "parent", expected: 1, found: 0 };
  }
  if (takes !== undefined && !facts.isBuffered(takes))
    return { kind: "conflict", on: "message", expected: takes, found: 0 };
  if (graph !== undefined) {
    const found = facts.graphSequence(graph.id);
    if (found !== graph.expect) return { kind: "conflict", on: "graph", expected: graph.expect, found };
  }
  return null;
}

/** Has a run with this status ended? It has no open items then. */
export function hasEnded(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** About how many bytes a turn takes: exact for what can be large, a constant for the rest. Cost: the large part. */
export function approximateBytes(turn: Turn): number {
  const { record, effects, snapshot } = turn;
  let bytes = OVERHEAD + (record.input.kind === "start" ? jsonBytes(record.input.data) : 0);
  for (const step of record.steps) {
    bytes += OVERHEAD;
    for (const op of step.patch?.ops ?? NONE) {
      if (op.kind === "set") bytes += jsonBytes(op.value);
      if (op.kind === "splice") bytes += jsonBytes(op.insert);
    }
    if (step.mutation !== undefined) bytes += jsonBytes(step.mutation as unknown as Json);
    for (const { reason, data } of step.opened ?? NONE) bytes += factBytes(reason?.facts) + factBytes(data);
    for (const { reason, data } of step.changed ?? NONE) bytes += factBytes(reason?.facts) + factBytes(data);
    for (const { data } of step.sent ?? NONE) bytes += OVERHEAD + jsonBytes(data);
    bytes += factBytes(step.trouble?.facts);
  }
  for (const { payload } of effects.add) bytes += OVERHEAD + jsonBytes(payload);
  return snapshot === undefined ? bytes : bytes + OVERHEAD + jsonBytes(snapshot.data);
}

const NONE: readonly never[] = [];

/** Of a row without what can be large in it. */
const OVERHEAD = 128;

function factBytes(facts: JsonObject | undefined): number {
  return facts === undefined ? 0 : jsonBytes(facts);
}
