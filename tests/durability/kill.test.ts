/** @module The kill test: SIGKILL at random moments loses nothing and doubles nothing. */
import { describe, expect, it } from "vitest";
import { killTest } from "./kill-harness.mjs";

describe("[O11] [C20-63] killed processes", () => {
  it("leave the same effects, data and markings as an undisturbed run, after 20 kills", async () => {
    const result = await killTest({ kills: 20, seed: 1 });
    expect(result.problems).toEqual([]);
    expect(result.kills).toBe(20);
    expect(result.inside / result.kills).toBeGreaterThanOrEqual(0.3);
  }, 300_000);

  it("are noticed when the outbox is not written in the turn's transaction (planted)", async () => {
    const result = await killTest({ kills: 8, seed: 2, planted: true, endMs: 12_000 });
    expect(result.problems).not.toEqual([]);
  }, 300_000);
});
