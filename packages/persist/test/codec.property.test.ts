/** Laws of the record format. Oracle: equality of JSON, which knows nothing of the format. */
import { type Json, jsonEqual, type RunState, type TurnRecord } from "@tessera/core";
import {
  type BlobSource,
  CODES,
  decodeRecord,
  decodeState,
  type Encoded,
  encodeRecord,
  encodeState,
  NO_BLOBS,
} from "@tessera/persist";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { record, reordered, state } from "./records.ts";

type Encode<T> = (value: T) => Encoded;
type Decode = (
  bytes: Uint8Array,
  blobs: BlobSource,
) => ReturnType<typeof decodeRecord> | ReturnType<typeof decodeState>;

/** Law: decoding what was encoded gives an equal value. Generated: any value of the type. */
function comesBack<T>(values: fc.Arbitrary<T>, encode: Encode<T>, decode: Decode): void {
  fc.assert(
    fc.property(values, (value) => {
      const { bytes, blobs } = encode(value);
      const decoded = decode(bytes, (hash) => blobs.find((blob) => blob.hash === hash)?.bytes ?? null);
      expect(decoded.ok && jsonEqual(decoded.value as unknown as Json, value as unknown as Json)).toBe(true);
    }),
  );
}

/** Law: equal values have equal bytes, whatever the order of their keys. */
function isOfTheValue<T>(values: fc.Arbitrary<T>, encode: Encode<T>): void {
  fc.assert(
    fc.property(values, (value) => {
      expect(Buffer.from(encode(reordered(value)).bytes)).toEqual(Buffer.from(encode(value).bytes));
    }),
  );
}

/** Law: whatever the bytes, the answer is a value or coded issues; a value encodes and comes back. */
function neverThrows(decode: typeof decodeRecord): void {
  fc.assert(
    fc.property(damaged, (bytes) => {
      const decoded = decode(bytes, NO_BLOBS);
      if (!decoded.ok) {
        expect(decoded.issues.length).toBeGreaterThan(0);
        for (const { code } of decoded.issues) expect(Object.keys(CODES)).toContain(code);
        return;
      }
      const again = decode(encodeRecord(decoded.value).bytes, NO_BLOBS);
      expect(again).toEqual(decoded);
    }),
    { numRuns: 2_000 },
  );
}

/** Noise; text behind a version byte; and encoded records with bytes changed, cut off or put in. */
const damaged: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc
    .tuple(fc.nat(3), fc.json())
    .map(([version, text]) => Buffer.from(`${String.fromCharCode(version)}${text}`)),
  fc
    .tuple(
      record,
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(2)), { maxLength: 3 }),
    )
    .map(([value, edits]) => {
      const bytes = [...encodeRecord(value).bytes];
      for (const [at, byte, kind] of edits)
        bytes.splice(at % (bytes.length + 1), kind === 2 ? 9 : kind, byte);
      return Uint8Array.from(bytes);
    }),
);

describe("the record format", () => {
  it("[D10.1] a record comes back from its bytes", () => {
    comesBack(record, encodeRecord, decodeRecord);
  });

  it("[D10.1] a state comes back from its bytes", () => {
    comesBack(state, encodeState, decodeState);
  });

  it("[D10.1] equal records have equal bytes", () => {
    isOfTheValue(record, encodeRecord);
    isOfTheValue(state, encodeState);
  });

  it("[D10.1] no bytes make the reader throw", () => {
    neverThrows(decodeRecord);
  });

  it("[D10.1] the laws notice a format that loses a member, depends on order, or throws", () => {
    const forgetful = (value: TurnRecord): Encoded =>
      encodeRecord({ ...value, steps: value.steps.map(({ changed: _, ...step }) => step) });
    expect(() => comesBack(record, forgetful, decodeRecord)).toThrow();
    const inOrder = (value: TurnRecord | RunState): Encoded => ({
      bytes: Buffer.from(JSON.stringify(value)),
      blobs: [],
    });
    expect(() => isOfTheValue(record, inOrder)).toThrow();
    const brittle: typeof decodeRecord = (bytes, blobs) => {
      JSON.parse(Buffer.from(bytes.subarray(1)).toString());
      return decodeRecord(bytes, blobs);
    };
    expect(() => neverThrows(brittle)).toThrow();
  });
});
