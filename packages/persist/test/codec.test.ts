import type { Hash, Json, TurnRecord } from "@tessera/core";
import {
  BLOB_BYTES,
  decodeRecord,
  decodeState,
  encodeRecord,
  NO_BLOBS,
  RECORD_VERSION,
} from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { UPCASTS } from "../src/upcast.ts";

/** A finished review, the next node started, one key of D set: what a turn usually is. */
const TYPICAL: TurnRecord = {
  semantics: 1,
  sequence: 13,
  at: 1_700_000_000_000,
  input: { kind: "complete", item: "12.0", outcome: "approve", by: "alice@example.org" },
  steps: [
    {
      node: "review",
      fired: [12],
      outcome: "approve",
      patch: { version: 1, ops: [{ kind: "set", path: ["approved"], value: true }] },
      closed: ["12.0"],
    },
    {
      node: "ship",
      fired: [13],
      opened: [{ id: "13.0", kind: "job", node: "ship", openedAt: 1_700_000_000_000 }],
    },
  ],
};

function encodedText(record: TurnRecord): string {
  return Buffer.from(encodeRecord(record).bytes).toString("latin1").slice(1);
}

function versioned(version: number, tree: Json | string): Uint8Array {
  return Buffer.from(String.fromCharCode(version) + (typeof tree === "string" ? tree : JSON.stringify(tree)));
}

function codesOf(bytes: Uint8Array): readonly string[] {
  const decoded = decodeRecord(bytes, NO_BLOBS);
  return decoded.ok ? [] : decoded.issues.map(({ code }) => code);
}

describe("the record format", () => {
  it("[D10.1] a usual turn takes less than 250 bytes, and these", () => {
    expect(encodeRecord(TYPICAL).bytes.length).toBeLessThan(250);
    expect(encodeRecord(TYPICAL).bytes[0]).toBe(RECORD_VERSION);
    expect(encodedText(TYPICAL)).toBe(
      '[1,13,1700000000000,["c","12.0","approve","alice@example.org"],' +
        '[["review",[12],"approve",[1,[["s",["approved"],true]]],0,["12.0"]],' +
        '["ship",[13],0,0,[["13.0","j","ship",0]]]]]',
    );
  });

  it("[D10.1] moments that are not whole or far from the turn's are kept exactly", () => {
    const dueAt = [1_700_000_086_400, 0.5, -Number.MAX_SAFE_INTEGER, Number.MAX_VALUE];
    const opened = dueAt.map((at, n) => ({
      id: `1.${n}`,
      kind: "timer" as const,
      node: "t",
      openedAt: at,
      dueAt: at,
    }));
    const record: TurnRecord = { ...TYPICAL, steps: [{ opened }] };
    expect(decodeRecord(encodeRecord(record).bytes, NO_BLOBS)).toEqual({ ok: true, value: record });
    const between: TurnRecord = { ...record, at: 0.25 };
    expect(decodeRecord(encodeRecord(between).bytes, NO_BLOBS)).toEqual({ ok: true, value: between });
  });

  it("[D10.1] a number that is no JSON is a bug of the engine", () => {
    const steps = [
      { patch: { version: 1 as const, ops: [{ kind: "set" as const, path: ["x"], value: Number.NaN }] } },
    ];
    expect(() => encodeRecord({ ...TYPICAL, steps })).toThrow(expect.objectContaining({ code: "INVARIANT" }));
    expect(() => encodeRecord({ ...TYPICAL, sequence: 1.5 })).toThrow(
      expect.objectContaining({ id: "D10.1" }),
    );
  });

  it("JOURNAL001: bytes that are no record are refused", () => {
    const empty = new Uint8Array();
    const wrong: readonly Json[] = [
      {},
      [],
      7,
      [1, 2, 3, ["c"], []],
      [1, 2, 3, ["?"], []],
      [1, 2, 3, ["g", 1], []],
      [1, 2, 3, ["g"], [[0, [1.5]]]],
      [1, 2, 3, ["g"], [], 0, 0, 0],
      [1, 2, 3, ["s", []], []],
      { b: [], r: 7 },
      { b: [[0, 1]], r: [1, 2, 3, ["g"], []] },
    ];
    for (const bytes of [empty, versioned(2, "["), versioned(0, [1]), Buffer.from([2, 0xff, 0xfe])]) {
      expect(codesOf(bytes)).toEqual(["JOURNAL001"]);
    }
    for (const tree of wrong) expect([tree, codesOf(versioned(2, tree))]).toEqual([tree, ["JOURNAL001"]]);
    expect(codesOf(versioned(2, [1, 2, 3, ["g"], []]))).toEqual([]);
  });

  it("JOURNAL001: numbers, texts and depths that JSON values here cannot have are refused", () => {
    const withData = (value: string) => versioned(2, `[1,1,0,["s",{"x":${value}}],[]]`);
    expect(codesOf(withData("1"))).toEqual([]);
    expect(codesOf(withData("1e999"))).toEqual(["JOURNAL001"]);
    expect(codesOf(withData('"\\ud800"'))).toEqual(["JOURNAL001"]);
    expect(codesOf(withData('{"\\udc00":1}'))).toEqual(["JOURNAL001"]);
    expect(codesOf(withData(`${"[".repeat(200)}${"]".repeat(200)}`))).toEqual([]);
    expect(codesOf(withData(`${"[".repeat(201)}${"]".repeat(201)}`))).toEqual(["JOURNAL001"]);
  });

  it("JOURNAL002: a newer version is refused as such, and the versions are facts", () => {
    const decoded = decodeRecord(versioned(RECORD_VERSION + 1, [1]), NO_BLOBS);
    expect(decoded.ok ? null : decoded.issues[0]).toMatchObject({
      code: "JOURNAL002",
      facts: { version: RECORD_VERSION + 1, known: RECORD_VERSION },
    });
    expect(decodeState(versioned(9, []), NO_BLOBS)).toMatchObject({
      ok: false,
      issues: [{ code: "JOURNAL002" }],
    });
  });

  it("[D10.16] a record of version 1 is read as the present version has it", () => {
    const trouble = ["X", "failed"];
    const old = [
      1,
      2,
      5,
      ["r", "1.0", "done"],
      [
        ["n", [3], "done", 0, 0, ["1.0"], trouble],
        ["m", [4]],
      ],
    ];
    expect(decodeRecord(versioned(1, old), NO_BLOBS)).toEqual({
      ok: true,
      value: {
        semantics: 1,
        sequence: 2,
        at: 5,
        input: { kind: "result", item: "1.0", outcome: "done" },
        steps: [
          {
            node: "n",
            fired: [3],
            outcome: "done",
            closed: ["1.0"],
            trouble: { code: "X", message: "failed" },
          },
          { node: "m", fired: [4] },
        ],
      },
    });
  });

  it("[D10.16] there is a step from every old version to the next, and it leaves alone what is no record", () => {
    for (let version = 1; version < RECORD_VERSION; version += 1) {
      const upcast = UPCASTS.get(version);
      for (const tree of [null, {}, [], [1, 2, 3, 4, 5], [1, 2, 3, 4, [7, "x", []]]]) {
        expect(upcast?.(tree)).toEqual(tree);
      }
    }
  });
});

describe("large values", () => {
  const large = "x".repeat(BLOB_BYTES);
  const start = (data: { readonly [key: string]: Json }): TurnRecord => ({
    ...TYPICAL,
    input: { kind: "start", data },
    steps: [{ patch: { version: 1, ops: [{ kind: "set", path: ["c"], value: data["a"] ?? null }] } }],
  });

  it("[D10.15] a value above 64 KiB stands beside the record, the same value once", () => {
    const record = start({ a: large, b: [large], c: "small", 7: large });
    const { bytes, blobs } = encodeRecord(record);
    expect(bytes.length).toBeLessThan(600);
    expect(blobs.map((blob) => blob.bytes.length)).toEqual([BLOB_BYTES + 2, BLOB_BYTES + 4]);
    const source = (hash: Hash) => blobs.find((blob) => blob.hash === hash)?.bytes ?? null;
    expect(decodeRecord(bytes, source)).toEqual({ ok: true, value: record });
  });

  it("[D10.15] the limit is in bytes of UTF-8 and belongs to the record", () => {
    const beside = (value: string) => encodeRecord(start({ a: value })).blobs.length;
    expect(beside("x".repeat(BLOB_BYTES - 2))).toBe(0);
    expect(beside("x".repeat(BLOB_BYTES - 1))).toBe(1);
    expect(beside("\u00e9".repeat(BLOB_BYTES / 2 - 1))).toBe(0);
    expect(beside("\u00e9".repeat(BLOB_BYTES / 2))).toBe(1);
  });

  it("JOURNAL003: a value that is missing, or not what its hash says, is refused", () => {
    const { bytes, blobs } = encodeRecord(start({ a: large }));
    const changed = () => Buffer.from(blobs[0]?.bytes ?? []).fill("y", 5, 6);
    for (const source of [NO_BLOBS, changed]) {
      const decoded = decodeRecord(bytes, source);
      expect(decoded.ok ? null : decoded.issues[0]).toMatchObject({
        code: "JOURNAL003",
        facts: { hash: blobs[0]?.hash ?? "" },
      });
    }
  });
});
