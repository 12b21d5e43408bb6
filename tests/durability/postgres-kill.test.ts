/** @module The kill test on PostgreSQL, with the victims of the one on SQLite: processes die, and so does the server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killTest, shareTest } from "./kill-harness.mjs";
import { hasPostgres, startPostgres } from "./postgres-server.mjs";

describe.skipIf(!hasPostgres("the kill test on PostgreSQL"))(
  "[O11] [C20-63] killed processes on PostgreSQL",
  () => {
    let server: Awaited<ReturnType<typeof startPostgres>>;
    beforeAll(async () => {
      server = await startPostgres();
    }, 120_000);
    afterAll(() => server?.stop(), 120_000);

    it("[D10.8] leave the same effects, data and markings as an undisturbed run, after 6 kills", async () => {
      const result = await killTest({ kills: 6, seed: 4, postgres: server.connection });
      expect(result.problems).toEqual([]);
      expect(result.kills).toBe(6);
    }, 300_000);

    it("[D10.11] three processes call every port once and agree on every run", async () => {
      const { ends, calls, doubled, isAudited } = await shareTest({
        processes: 3,
        runs: 6,
        postgres: server.connection,
      });
      expect(ends).toEqual(["exit 0", "exit 0", "exit 0"]);
      expect(calls).toBeGreaterThan(30);
      expect(doubled).toEqual([]);
      expect(isAudited).toBe(true);
    }, 300_000);

    it("[D10.23] of three, killed 3 times one after the other, leave the same as an undisturbed run", async () => {
      const result = await killTest({ kills: 3, seed: 5, processes: 3, postgres: server.connection });
      expect(result.problems).toEqual([]);
      expect(result.kills).toBe(3);
    }, 300_000);
  },
);
