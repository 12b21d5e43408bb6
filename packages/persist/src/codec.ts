/** @module The record format: a version byte, then compact JSON in UTF-8. Old versions are read for ever. */
import {
  bad,
  type Hash,
  type Issue,
  invariant,
  issue,
  type Json,
  ok,
  type Result,
  type RunState,
  type TurnRecord,
} from "@tessera/core";
import { type Blob, type BlobSource, parseJson, parseUtf8 } from "./blob.ts";
import { RECORD, STATE } from "./record-shape.ts";
import type { Shape, Sink, Source } from "./shape.ts";
import { putCharacter, putText, restart, textWriter, writtenBytes, writtenText } from "./text-writer.ts";
import { STATE_UPCASTS, UPCASTS, type Upcast } from "./upcast.ts";

/** The version that is written. */
export const RECORD_VERSION = 2;

/** Encoded bytes, and the large values that they refer to by hash, each once. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly blobs: readonly Blob[];
}

/**
 * A turn as bytes. Law: equal records give equal bytes on every host, and `decodeRecord` gives an equal record back.
 * Values above `BLOB_BYTES` are in `blobs`, not in the bytes. Cost: linear in the record.
 *
 * @definition D10.1
 */
export function encodeRecord(turn: TurnRecord): Encoded {
  return encode(RECORD, turn);
}

/**
 * The turn in `bytes`. Issues: JOURNAL001 no record, JOURNAL002 a newer version, JOURNAL003 a large value that is
 * missing or is not what its hash says. Never throws, whatever the bytes.
 */
export function decodeRecord(bytes: Uint8Array, blobs: BlobSource): Result<TurnRecord, readonly Issue[]> {
  return decode(RECORD, bytes, blobs, UPCASTS);
}

/** A state as bytes, for a snapshot; the same laws. */
export function encodeState(state: RunState): Encoded {
  return encode(STATE, state);
}

/** The state in `bytes`; the same issues. */
export function decodeState(bytes: Uint8Array, blobs: BlobSource): Result<RunState, readonly Issue[]> {
  return decode(STATE, bytes, blobs, STATE_UPCASTS);
}

/** A value of any shape as compact text without a version: for columns whose version is that of their table. */
export function writeText<T>(
  shape: Shape<T>,
  value: T,
): { readonly text: string; readonly blobs: readonly Blob[] } {
  restart(WRITER);
  const blobs = writeBody(shape, value);
  const text = writtenText(WRITER);
  restart(WRITER);
  return { text, blobs };
}

/** Of one value at a time: a shape writes nothing but what it is given. Begun anew also when done: much room is let go of. */
const WRITER = textWriter();

/** Appends the body of a value, or the envelope that it needs where large values stand beside it. */
function writeBody<T>(shape: Shape<T>, value: T): readonly Blob[] {
  const from = WRITER.length;
  const sink: Sink = { out: WRITER, base: 0, slotCount: 0, beside: [] };
  shape.write(value, sink);
  // An object would be taken for the envelope below.
  invariant(WRITER.bytes[from] !== BRACE, "D10.1");
  if (sink.beside.length === 0) return NONE;
  const body = WRITER.bytes.toString("utf8", from, WRITER.length);
  const blobs = new Map(sink.beside.map(({ blob }) => [blob.hash, blob]));
  const beside = sink.beside.map(({ slot, blob }) => `[${slot},"${blob.hash.slice(HASH_PREFIX.length)}"]`);
  WRITER.length = from;
  putText(WRITER, `{"b":[${beside.join(",")}],"r":${body}}`);
  return [...blobs.values()];
}

const BRACE = 0x7b;

/** The value in the text that `writeText` wrote; the issues of `decodeRecord`. */
export function readText<T>(shape: Shape<T>, text: string, blobs: BlobSource): Result<T, readonly Issue[]> {
  const tree = parseJson(text);
  return tree === undefined ? notARecord() : readTree(shape, tree, blobs);
}

/** The bytes of `bytes` hold a value of `shape`, after the steps of `upcasts` from its version to the present one. */
function decode<T>(
  shape: Shape<T>,
  bytes: Uint8Array,
  blobs: BlobSource,
  upcasts: ReadonlyMap<number, Upcast>,
): Result<T, readonly Issue[]> {
  const version = bytes[0] ?? 0;
  if (version > RECORD_VERSION) {
    const facts = { version, known: RECORD_VERSION };
    return bad([
      issue("JOURNAL002", [], `Version ${version} of the record format is newer than this release.`, facts),
    ]);
  }
  let tree = parseUtf8(bytes.subarray(1));
  if (tree === undefined) return notARecord();
  for (let from = version; from < RECORD_VERSION; from += 1) {
    const upcast = upcasts.get(from);
    if (upcast === undefined) return notARecord();
    tree = upcast(tree);
  }
  return readTree(shape, tree, blobs);
}

function encode<T>(shape: Shape<T>, value: T): Encoded {
  restart(WRITER);
  // The version is below 128: one byte of UTF-8.
  putCharacter(WRITER, RECORD_VERSION);
  const blobs = writeBody(shape, value);
  const bytes = writtenBytes(WRITER);
  restart(WRITER);
  return { bytes, blobs };
}

function readTree<T>(shape: Shape<T>, tree: Json, blobs: BlobSource): Result<T, readonly Issue[]> {
  const envelope = openEnvelope(tree);
  if (envelope === undefined) return notARecord();
  const source: Source = { base: 0, slotCount: 0, beside: envelope.beside, blobs, trouble: null };
  const value = shape.read(envelope.body, source);
  if (source.trouble !== null) return bad(source.trouble);
  return value === undefined ? notARecord() : ok(value);
}

interface Envelope {
  readonly body: Json;
  readonly beside: ReadonlyMap<number, Hash>;
}

/** A body without large values stands alone; with them it is the member r beside b, the list of [slot, hash]. */
function openEnvelope(tree: Json): Envelope | undefined {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree))
    return { body: tree, beside: NO_SLOTS };
  const { b, r } = tree as { readonly [key: string]: Json };
  if (!Array.isArray(b) || r === undefined) return undefined;
  const beside = new Map<number, Hash>();
  for (const entry of b as readonly Json[]) {
    const [slot, hex] = Array.isArray(entry) ? (entry as readonly Json[]) : [];
    if (typeof slot !== "number" || typeof hex !== "string") return undefined;
    beside.set(slot, `${HASH_PREFIX}${hex}` as Hash);
  }
  return { body: r, beside };
}

function notARecord(): { readonly ok: false; readonly issues: readonly Issue[] } {
  return bad([issue("JOURNAL001", [], "These bytes are not an encoded record.")]);
}

const HASH_PREFIX = "sha256:";
const NONE: readonly never[] = [];
const NO_SLOTS: ReadonlyMap<number, Hash> = new Map();
