import { createHash } from "node:crypto";
import type { Hash } from "@tessera/core";
import { chainHead, GENESIS, type JournalRow, memoryStore, payloadHash, verifyChain } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { history } from "../src/contract/sample.ts";

const sha256 = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return `sha256:${hash.digest("hex")}`;
};

describe("the hash chain", () => {
  const salt = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");

  it("[D10.2] a payload hash is SHA-256 of salt and payload", () => {
    expect(payloadHash(salt, Buffer.from("turn"))).toBe(sha256(salt, "turn"));
  });

  it("[D10.3] a head is SHA-256 of the canonical header", () => {
    const payload = payloadHash(salt, Buffer.from("turn"));
    const header = `[1,"${GENESIS}","acme","run \\"7\\"",1,"${payload}"]`;
    expect(chainHead({ tenant: "acme", run: 'run "7"' }, 1, GENESIS, payload)).toBe(sha256(header));
  });

  it("[D10.4] the first bad sequence is named with the reason; a row of another run or a cut start does not fit", async () => {
    const store = memoryStore();
    await history(
      store,
      [0, 1, 2].map((expect) => ({ run: "a", expect })),
    );
    const rows = await store.journal("default", "a", 0, 9);
    const identity = { tenant: "default", run: "a" };
    const changed = rows.with(1, { ...(rows[1] as JournalRow), payload: Buffer.from("x") });
    expect(verifyChain(identity, changed)).toEqual({ kind: "broken", sequence: 2, reason: "payload" });
    expect(verifyChain({ ...identity, run: "b" }, rows)).toEqual({
      kind: "broken",
      sequence: 1,
      reason: "head",
    });
    expect(verifyChain(identity, rows.slice(1))).toEqual({ kind: "broken", sequence: 1, reason: "sequence" });
    const anchor = { sequence: 1, head: rows[0]?.head as Hash };
    expect(verifyChain(identity, rows.slice(1), anchor)).toMatchObject({ kind: "ok", sequence: 3 });
    const wrong = { ...anchor, head: GENESIS };
    expect(verifyChain(identity, rows.slice(1), wrong)).toEqual({
      kind: "broken",
      sequence: 2,
      reason: "previous",
    });
    expect(verifyChain(identity, [])).toEqual({ kind: "ok", sequence: 0, head: GENESIS, erased: [] });
  });
});
