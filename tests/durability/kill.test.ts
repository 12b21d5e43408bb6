/** @module The kill test: SIGKILL at random moments loses nothing and doubles nothing. */
import { describe, expect, it } from "vitest";
import { killTest, shareTest } from "./kill-harness.mjs";

describe("[O11] [C20-63] killed processes", () => {
  it("leave the same effects, data and markings as an undisturbed run, after 20 kills", async () => {
    const result = await killTest({ kills: 20, seed: 1 });
    expect(result.problems).toEqual([]);
    expect(result.kills).toBe(20);
    expect(result.inside / result.kills).toBeGreaterThanOrEqual(0.3);
  }, 300_000);

  it("BR-037: three processes on one file call every port once and agree on every run", async () => {
    const { ends, calls, doubled, isAudited } = await shareTest({ processes: 3, runs: 9 });
    expect(ends).toEqual(["exit 0", "exit 0", "exit 0"]);
    expect(calls).toBeGreaterThan(50);
    expect(doubled).toEqual([]);
    expect(isAudited).toBe(true);
  }, 300_000);

  it("BR-042: of three on one file, killed 4 times one after the other, leave the same as an undisturbed run", async () => {
    const result = await killTest({ kills: 4, seed: 3, processes: 3 });
    expect(result.problems).toEqual([]);
    expect(result.kills).toBe(4);
  }, 300_000);

  it("are noticed when the outbox is not written in the turn's transaction (planted)", async () => {
    const result = await killTest({ kills: 8, seed: 2, planted: true, endMs: 12_000 });
    expect(result.problems).not.toEqual([]);
  }, 300_000);
});
