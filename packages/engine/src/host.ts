/** @module The host of one engine: its parts, what it remembers, and what a turn on a run is made of. */
import type { ProductGraph, RunState, TurnRecord } from "@tessera/core";
import {
  type BufferedMessage,
  type ClaimedEffect,
  type EffectClaim,
  type GraphId,
  type GroupCommitter,
  groupCommitter,
  type ParentLink,
  type RunId,
  type RunStore,
  type TenantId,
  type Turn,
} from "@tessera/persist";
import type { Clock } from "./clock.ts";
import type { TailSize } from "./commands.ts";
import type { EngineLimits } from "./limits.ts";
import type { Logger } from "./logger.ts";
import { type Mailboxes, mailboxes } from "./mailbox.ts";
import { type Recent, recentMap } from "./recent.ts";
import type { Refused } from "./refusal.ts";
import type { Registry } from "./registry.ts";
import type { InputEvent, TurnReady } from "./turn.ts";
import { makeVersions, type Version, type Versions } from "./versions.ts";

/** What a host needs from outside. */
export interface HostParts {
  readonly store: RunStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly random: () => number;
  readonly logger: Logger;
  readonly limits: EngineLimits;
  /** By workflow, the paths of D by which its runs are found; none when absent. */
  readonly indexedData?: ReadonlyMap<string, readonly string[]>;
}

/** A run as it is now, with what a turn on it needs. */
export interface LiveRun {
  readonly kind: "live";
  readonly tenant: TenantId;
  readonly run: RunId;
  readonly workflow: string;
  readonly businessKey: string | null;
  readonly parent: ParentLink | null;
  readonly graph: GraphId;
  readonly version: Version;
  readonly state: RunState;
  /** The time of its last turn, ms since the epoch; -Infinity before the first. */
  readonly at: number;
  readonly tail: TailSize;
  readonly wasUnfinished: boolean;
}

/** An input with what comes with it from outside. */
export interface TurnRequest {
  readonly event: InputEvent;
  /** Id of the command: at most one turn of the run has it. */
  readonly dedupe?: string;
  /** The buffered message that the turn takes, if it is there and has not expired at the time of the turn. */
  readonly takes?: Pick<BufferedMessage, "number" | "expiresAt">;
  /** Effects that the turn completes, and the lease under which one of them was worked on. */
  readonly done?: readonly string[];
  readonly fence?: Turn["fence"];
  /** The version in which the run goes on from this turn, where it is another one. */
  readonly version?: Version;
}

/** A turn that was committed. */
export interface Committed {
  readonly kind: "committed";
  readonly before: LiveRun | null;
  readonly live: LiveRun;
  readonly record: TurnRecord;
  readonly turn: Turn;
  readonly isUnfinished: boolean;
  /** The jobs of the turn that this engine has claimed with it. */
  readonly claimed: readonly ClaimedEffect[];
}

/** What this engine claims of the turns that it commits, while it has slots for jobs. */
export interface Claiming {
  /** The claim of a turn that is about to be committed, null for none: slots are kept for its jobs. */
  readonly of: (turn: Turn) => EffectClaim | null;
  /** The turn was not committed: the slots are free again. */
  readonly giveUp: (claim: EffectClaim) => void;
}

/** What became of a request. `duplicate`: the turn `sequence` has done it already. */
export type Submitted = Committed | { readonly kind: "duplicate"; readonly sequence: number } | Refused;

/** Looks at the run and says what is asked of it; asked again whenever the run turns out to be another. */
export type Decide = (live: LiveRun) => TurnRequest | Refused;

/** A graph with its sequence. */
export interface LiveGraph {
  readonly sequence: number;
  readonly graph: ProductGraph;
}

/** A turn that was computed and not committed yet. */
export interface Computed {
  readonly kind: "computed";
  readonly turn: Turn;
  readonly ready: TurnReady;
  readonly live: LiveRun;
  readonly graph: LiveGraph;
}

/** The host of one engine. */
export interface Host extends HostParts {
  readonly indexedData: ReadonlyMap<string, readonly string[]>;
  readonly versions: Versions;
  readonly committer: GroupCommitter;
  readonly mailboxes: Mailboxes;
  readonly runs: Recent<LiveRun>;
  readonly graphs: Recent<LiveGraph>;
  /** Told of every committed turn, after the commit. */
  readonly listeners: ((committed: Committed) => void)[];
  /** Set by the background work. */
  claiming: Claiming | null;
  isClosed: boolean;
}

/** Bytes of data of the runs that are kept in memory. */
const CACHED_BYTES_MAX = 256 * 1_048_576;
/** Graphs that are kept in memory. */
const GRAPHS_MAX = 200;

/** A host over its parts. `schedule`: when turns that are ready are committed together (default: setImmediate). */
export function makeHost(parts: HostParts, schedule?: (flush: () => void) => void): Host {
  return {
    ...parts,
    indexedData: parts.indexedData ?? new Map(),
    versions: makeVersions(parts.registry),
    committer: groupCommitter(parts.store, schedule === undefined ? {} : { schedule }),
    mailboxes: mailboxes(),
    runs: recentMap(parts.limits.cachedRunsMax, CACHED_BYTES_MAX, (live) => live.state.dataBytesBound),
    graphs: recentMap(GRAPHS_MAX),
    listeners: [],
    claiming: null,
    isClosed: false,
  };
}

/** About the bytes of a record besides its data. */
export const RECORD_BYTES = 200;

/** The key of a run, or of a graph, in caches and mailboxes. The length says where the tenant ends and the id begins. */
export function keyOf(tenant: TenantId, id: string): string {
  // A turn asks for the key of its run and, most often of the same name, of its graph.
  if (id === last.id && tenant === last.tenant) return last.key;
  last.tenant = tenant;
  last.id = id;
  last.key = `${tenant.length}/${tenant}/${id}`;
  return last.key;
}

const last = { tenant: "", id: "", key: "0//" };
