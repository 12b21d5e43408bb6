/** @module What the rows of runs and of their journals hold in a store on SQL, and what they say to its callers. */
import type { Hash, Mutation, RunStatus, TurnRecord, WaitingMode } from "@tessera/core";
import { GENESIS, payloadHash } from "./chain.ts";
import { hashOf } from "./hash-bytes.ts";
import type { JournalRow } from "./journal-row.ts";
import type { RunRow } from "./store.ts";

/** The columns of `StoredRun`. */
export const RUN_COLUMNS = `r.id, r.run, r.workflow, r.definition, r.business_key, r.parent_run, r.parent_item, r.graph,
  r.status, r.modes, r.sequence, r.head, r.started_at, r.updated_at, r.pruned_to`;

/** A row of the table of runs. */
export interface StoredRun {
  readonly id: number;
  readonly run: string;
  readonly workflow: string;
  readonly definition: Uint8Array;
  readonly business_key: string | null;
  readonly parent_run: string | null;
  readonly parent_item: string | null;
  readonly graph: string;
  readonly status: RunStatus;
  readonly modes: string;
  readonly sequence: number;
  readonly head: Uint8Array;
  readonly started_at: number;
  readonly updated_at: number;
  readonly pruned_to: number | null;
}

/** A row as queries see it. */
export function runRow(tenant: string, stored: StoredRun): RunRow {
  const { parent_run: parentRun, parent_item: parentItem } = stored;
  return {
    tenant,
    run: stored.run,
    workflow: stored.workflow,
    definition: hashOf(stored.definition),
    businessKey: stored.business_key,
    parent: parentRun === null || parentItem === null ? null : { run: parentRun, item: parentItem },
    graph: stored.graph,
    status: stored.status,
    modes: stored.modes === "" ? [] : (stored.modes.split(",") as WaitingMode[]),
    sequence: stored.sequence,
    head: hashOf(stored.head),
    startedAt: stored.started_at,
    updatedAt: stored.updated_at,
    prunedTo: stored.pruned_to ?? 0,
  };
}

/** A row of the journal. */
export interface StoredTurn {
  readonly sequence: number;
  readonly head: Uint8Array;
  readonly salt: Uint8Array | null;
  readonly payload: Uint8Array | null;
  readonly payload_hash: Uint8Array | null;
  readonly erased_by: string | null;
  readonly erased_reason: string | null;
  readonly erased_at: number | null;
}

/** The hash of a payload is stored only once the payload is gone; before, it is what the payload hashes to. */
export function journalRow(stored: StoredTurn, previous: Hash): Omit<JournalRow, "record"> {
  const {
    sequence,
    salt,
    payload,
    payload_hash: kept,
    erased_by: by,
    erased_reason: reason,
    erased_at: at,
  } = stored;
  const computed = salt === null || payload === null ? null : payloadHash(salt, payload);
  return {
    sequence,
    previous,
    head: hashOf(stored.head),
    payloadHash: computed ?? (kept === null ? GENESIS : hashOf(kept)),
    salt: salt === null ? null : Buffer.from(salt).toString("hex"),
    payload: payload === null ? null : Uint8Array.from(payload),
    erased: at === null ? null : { by: by ?? "", reason: reason ?? "", at },
  };
}

/** Who erased a payload, why and when: recorded in its row. */
export type Erasure = NonNullable<JournalRow["erased"]>;

/** The mutations of a record, in order. */
export function recordedMutations({ steps }: TurnRecord): readonly Mutation[] {
  return steps.flatMap(({ mutation }) => (mutation === undefined ? [] : [mutation]));
}
