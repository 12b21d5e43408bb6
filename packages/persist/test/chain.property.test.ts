/** Laws of the hash chain. Oracle: the change that was made, which the verifier is not told. */
import type { Hash } from "@tessera/core";
import {
  type ChainRow,
  type ChainVerdict,
  GENESIS,
  type JournalRow,
  memoryStore,
  verifyChain,
} from "@tessera/persist";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { history } from "../src/contract/sample.ts";

type Verify = (rows: readonly ChainRow[]) => ChainVerdict;
const verify: Verify = (rows) => verifyChain({ tenant: "default", run: "a" }, rows);

/** Journals of one to five turns, some of whose payloads are erased. */
const journals = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(4), { maxLength: 2 }));

async function journalOf([length, erased]: readonly [number, readonly number[]]): Promise<
  readonly JournalRow[]
> {
  const store = memoryStore();
  const last = { run: "a", expect: length, status: "completed" as const, modes: [] };
  await history(store, [
    ...Array.from({ length }, (_, expect) => ({ run: "a", expect, data: { n: expect } })),
    last,
  ]);
  for (const index of erased) await store.erase("default", "a", index + 1, "dpo", "r", 1);
  return store.journal("default", "a", 0, 99);
}

const flipped = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from(bytes, (byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte));
const other = (hash: Hash): Hash => hash.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")) as Hash;

/** Every way to change one row, or none where it does not apply. */
const CHANGES: readonly ((row: JournalRow) => ChainRow | null)[] = [
  (row) => ({ ...row, sequence: row.sequence + 1 }),
  (row) => ({ ...row, previous: other(row.previous) }),
  (row) => ({ ...row, head: other(row.head) }),
  (row) => ({ ...row, payloadHash: other(row.payloadHash) }),
  (row) => (row.payload === null ? null : { ...row, payload: flipped(row.payload) }),
  (row) =>
    row.salt === null
      ? null
      : { ...row, salt: row.salt.replace(/^./, (digit) => (digit === "f" ? "0" : "f")) },
  (row) => (row.payload === null ? null : { ...row, payload: null, salt: null }),
  (row) => (row.erased === null ? null : { ...row, erased: null }),
  (row) => (row.erased === null ? null : { ...row, payload: new Uint8Array([2]), salt: "00" }),
];

/** Law: an unchanged journal verifies, and the erased rows are named; one changed row, left out or doubled, is found. */
async function noticesChanges(verifier: Verify): Promise<void> {
  const cases = fc.tuple(journals, fc.nat(), fc.nat(CHANGES.length - 1), fc.nat(2));
  await fc.assert(
    fc.asyncProperty(cases, async ([journal, at, change, how]) => {
      const rows = await journalOf(journal);
      const erased = rows.filter((row) => row.erased !== null).map((row) => row.sequence);
      expect(verifier(rows)).toEqual({ kind: "ok", sequence: rows.length, head: rows.at(-1)?.head, erased });
      const index = at % rows.length;
      const row = rows[index] as JournalRow;
      const changed = CHANGES[change]?.(row) ?? null;
      if (changed !== null) expect(verifier(rows.with(index, changed as JournalRow)).kind).toBe("broken");
      if (how === 1 && index < rows.length - 1)
        expect(verifier(rows.toSpliced(index, 1)).kind).toBe("broken");
      if (how === 2) expect(verifier(rows.toSpliced(index, 0, row)).kind).toBe("broken");
    }),
  );
}

describe("the hash chain", () => {
  it("[D10.2] [D10.3] [D10.4] [L10.1] a journal verifies until one thing in it is changed", async () => {
    await noticesChanges(verify);
  });

  it("[L10.1] the law notices a verifier that does not look at payloads, heads, or what is gone", async () => {
    const blind: readonly ((row: ChainRow) => ChainRow)[] = [
      (row) => ({ ...row, payload: new Uint8Array(), salt: "" }),
      (row) => ({ ...row, erased: row.payload === null ? { at: 0 } : null }),
    ];
    const trusting: Verify = (rows) => {
      const erased = rows.filter((row) => row.erased !== null).map(({ sequence }) => sequence);
      const isInOrder = rows.every(
        (row, at) => row.sequence === at + 1 && row.previous === (rows[at - 1]?.head ?? GENESIS),
      );
      const head = rows.at(-1)?.head ?? GENESIS;
      return isInOrder
        ? { kind: "ok", sequence: rows.length, head, erased }
        : { kind: "broken", sequence: 1, reason: "head" };
    };
    await expect(noticesChanges(trusting)).rejects.toThrow();
    for (const hide of blind)
      await expect(noticesChanges((rows) => verify(rows.map(hide)))).rejects.toThrow();
  });
});
