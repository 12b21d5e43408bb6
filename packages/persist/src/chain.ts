/** @module The hash chain over the journal of a run: nothing in it changes unseen, and a payload can be erased. */
import { canonicalJson, type Hash } from "@tessera/core";
import { hashBytes } from "./blob.ts";

/** The version of the header that the heads are hashes of. */
const CHAIN_VERSION = 1;

/** The head before the first turn. */
export const GENESIS: Hash = `sha256:${"0".repeat(64)}` as Hash;

/** Which run a chain belongs to: a row of another run does not fit into it. */
export interface ChainIdentity {
  readonly tenant: string;
  readonly run: string;
}

/** What the chain needs of a row of the journal; the store's `JournalRow` has it. */
export interface ChainRow {
  readonly sequence: number;
  readonly previous: Hash;
  readonly head: Hash;
  readonly payloadHash: Hash;
  /** 32 hexadecimal digits; null when the payload is erased. */
  readonly salt: string | null;
  readonly payload: Uint8Array | null;
  readonly erased: { readonly at: number } | null;
}

/**
 * The hash that stands for a payload in the chain: SHA-256 of the salt's 16 bytes and the payload. Who does not have the
 * salt cannot test guesses of an erased payload against it.
 *
 * @definition D10.2
 */
export function payloadHash(salt: Uint8Array, payload: Uint8Array): Hash {
  const salted = Buffer.allocUnsafe(salt.length + payload.length);
  salted.set(salt);
  salted.set(payload, salt.length);
  return hashBytes(salted);
}

/**
 * The head after a row: SHA-256 of the canonical JSON [version, previous head, tenant, run, sequence, payload hash].
 *
 * @definition D10.3
 */
export function chainHead(identity: ChainIdentity, sequence: number, previous: Hash, payload: Hash): Hash {
  // Member by member: the canonical form of a list is that of its members, and this is done for every turn. In a hash
  // nothing is escaped.
  const before = `[${CHAIN_VERSION},"${previous}",${canonicalJson(identity.tenant)},`;
  return hashBytes(`${before}${canonicalJson(identity.run)},${canonicalJson(sequence)},"${payload}"]`);
}

/** Where a chain was found broken. */
export interface ChainBreak {
  readonly kind: "broken";
  /** The sequence that the row at fault should have. */
  readonly sequence: number;
  /**
   * sequence: a row is missing or doubled. previous: it does not follow on the head before. payload: the payload is not
   * what its hash says. head: the head is not that of the header. erasure: a payload is gone and nobody erased it, or
   * it is said to be erased and there.
   */
  readonly reason: "sequence" | "previous" | "payload" | "head" | "erasure";
}

/** The verdict on a chain. `erased`: the sequences whose payload was erased; their headers verify. */
export type ChainVerdict =
  | {
      readonly kind: "ok";
      readonly sequence: number;
      readonly head: Hash;
      readonly erased: readonly number[];
    }
  | ChainBreak;

/** From where a chain is verified: the sequence and the head of the row before the first one. */
export interface ChainAnchor {
  readonly sequence: number;
  readonly head: Hash;
}

/**
 * Verifies consecutive rows of one run, from the start or from an anchor. A chain that was cut at its end verifies:
 * compare the verdict's sequence and head with those of the run.
 * Cost: linear in the payloads.
 *
 * @definition D10.4
 */
export function verifyChain(
  identity: ChainIdentity,
  rows: readonly ChainRow[],
  anchor: ChainAnchor = { sequence: 0, head: GENESIS },
): ChainVerdict {
  let { sequence, head } = anchor;
  const erased: number[] = [];
  for (const row of rows) {
    sequence += 1;
    const reason = rowTrouble(identity, row, sequence, head);
    if (reason !== null) return { kind: "broken", sequence, reason };
    if (row.erased !== null) erased.push(sequence);
    head = row.head;
  }
  return { kind: "ok", sequence, head, erased };
}

function rowTrouble(
  identity: ChainIdentity,
  row: ChainRow,
  sequence: number,
  head: Hash,
): ChainBreak["reason"] | null {
  if (row.sequence !== sequence) return "sequence";
  if (row.previous !== head) return "previous";
  if ((row.payload === null || row.salt === null) !== (row.erased !== null)) return "erasure";
  if (
    row.payload !== null &&
    row.salt !== null &&
    payloadHash(Buffer.from(row.salt, "hex"), row.payload) !== row.payloadHash
  )
    return "payload";
  return chainHead(identity, sequence, head, row.payloadHash) === row.head ? null : "head";
}
