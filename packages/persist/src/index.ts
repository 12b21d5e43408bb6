/** @module @tessera/persist: public names. */
// The port

// The journal's format
export { BLOB_BYTES, type Blob, type BlobSource, NO_BLOBS } from "./blob.ts";
export type { BlockedOptions } from "./blocked-turns.ts";
export {
  type ChainAnchor,
  type ChainBreak,
  type ChainIdentity,
  type ChainRow,
  type ChainVerdict,
  chainHead,
  GENESIS,
  payloadHash,
  verifyChain,
} from "./chain.ts";
export {
  decodeRecord,
  decodeState,
  type Encoded,
  encodeRecord,
  encodeState,
  RECORD_VERSION,
} from "./codec.ts";
export type { CommitTurns } from "./commit-turns.ts";
export type { EffectClaim } from "./effect-claim.ts";
export type { EnlistedStore } from "./enlisted-store.ts";
export { type GroupCommitter, type GroupOptions, groupCommitter } from "./group-commit.ts";
export { CODES } from "./issue-codes.ts";
export type { GraphRow, JournalRow } from "./journal-row.ts";
export { type MemoryOptions, type MemoryStore, memoryStore } from "./memory.ts";
export type {
  BufferedMessage,
  Delivery,
  NewMessage,
  NewSignal,
  Published,
  StartEvent,
} from "./message.ts";
export type { Anchor, PrunableQuery, PruneResult, Pruning } from "./pruning.ts";
export type {
  IndexedScalar,
  IndexedValue,
  ItemCount,
  ItemCountQuery,
  ItemFilter,
  ItemQuery,
  Page,
  PageQuery,
  RunCount,
  RunQuery,
  StoreCounts,
} from "./query.ts";
export type { StartTimer, StartTimerQuery, StartTimerRow } from "./start-timer.ts";
export {
  type ClaimedEffect,
  type CommitResult,
  DEFAULT_TENANT,
  type DefinitionRow,
  EFFECT_KINDS,
  type EffectCommand,
  type EffectKind,
  type EraseResult,
  type GraphId,
  type ItemRow,
  type LoadedRun,
  type NewRun,
  type ParentLink,
  type RunId,
  type RunRow,
  type RunStore,
  StoreError,
  type StoreErrorCode,
  type SyncStore,
  type TenantId,
  type Turn,
} from "./store.ts";
export { checkTurn } from "./turn-check.ts";
