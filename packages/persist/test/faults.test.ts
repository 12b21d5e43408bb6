import { StoreError } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { storeFault, whenFree } from "../src/sqlite/faults.ts";

const sqlite = (code: string): Error => Object.assign(new Error("from below"), { code });

describe("faults of SQLite", () => {
  it("[D10.9] become StoreErrors by their result code, with the cause", () => {
    const codes: Readonly<Record<string, string>> = {
      SQLITE_BUSY: "busy",
      SQLITE_BUSY_SNAPSHOT: "busy",
      SQLITE_LOCKED_SHAREDCACHE: "busy",
      SQLITE_FULL: "full",
      SQLITE_CORRUPT_INDEX: "corrupt",
      SQLITE_NOTADB: "corrupt",
      SQLITE_TOOBIG: "limit",
      SQLITE_READONLY_DBMOVED: "settings",
      SQLITE_IOERR_FSYNC: "io",
      SQLITE_CONSTRAINT_FOREIGNKEY: "io",
    };
    for (const [code, expected] of Object.entries(codes)) {
      const cause = sqlite(code);
      expect(storeFault(cause)).toMatchObject({ name: "StoreError", code: expected, cause });
    }
  });

  it("[D10.9] leave alone what is not theirs", () => {
    const others = [
      new Error("x"),
      sqlite("ENOENT"),
      new TypeError("x is not a function"),
      { code: "SQLITE_BUSY" },
      null,
      7,
    ];
    for (const other of others) expect(storeFault(other)).toBe(other);
    const own = new StoreError("full", "x");
    expect(storeFault(own)).toBe(own);
  });
});

describe("waiting for another writer", () => {
  const busyFor = (count: number) => {
    let left = count;
    return () => {
      left -= 1;
      if (left >= 0) throw sqlite("SQLITE_BUSY");
      return "done";
    };
  };
  const noting = (waited: number[]) => async (ms: number) => void waited.push(ms);

  it("[D10.8] is not done when nobody is in the way: the first attempt is made at once", () => {
    let isMade = false;
    void whenFree(() => {
      isMade = true;
    }, {});
    expect(isMade).toBe(true);
  });

  it("[D10.8] doubles up to a bound, spread by a random half, and ends", async () => {
    for (const [random, factor] of [
      [0, 0.5],
      [0.999_999, 1],
    ] as const) {
      const waited: number[] = [];
      const options = {
        sleep: noting(waited),
        random: () => random,
        waitMs: 2,
        waitMaxMs: 10,
        retriesMax: 5,
      };
      expect(await whenFree(busyFor(5), options)).toBe("done");
      for (const [at, full] of [2, 4, 8, 10, 10].entries()) expect(waited[at]).toBeCloseTo(full * factor, 3);
      await expect(whenFree(busyFor(6), options)).rejects.toMatchObject({ code: "busy" });
    }
  });

  it("[D10.8] by default takes about five seconds and then says busy", async () => {
    const waited: number[] = [];
    await expect(whenFree(busyFor(1_000), { sleep: noting(waited), random: () => 1 })).rejects.toMatchObject({
      code: "busy",
    });
    const total = waited.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toHaveLength(60);
    expect(total).toBeGreaterThan(4_000);
    expect(total).toBeLessThan(6_000);
  });

  it("[D10.8] other faults are not waited for", async () => {
    const waited: number[] = [];
    const full = () => {
      throw sqlite("SQLITE_FULL");
    };
    await expect(whenFree(full, { sleep: noting(waited) })).rejects.toMatchObject({ code: "full" });
    expect(waited).toEqual([]);
  });
});
