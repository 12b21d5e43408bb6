/** Copies of a database in use, and databases that are not whole. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { backupDatabase, checkDatabase, sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { commit, history, item } from "../src/contract/sample.ts";
import { temporaryFile } from "./temporary.ts";

describe("backup", () => {
  it("is a state of a database that is in use, and can be opened where it is restored", async () => {
    const root = dirname(temporaryFile());
    const path = join(root, "runs.db");
    const store = sqliteStore({ path });
    await history(store, [
      { run: "a", expect: 0, set: [item("1.0")] },
      { run: "a", expect: 1 },
    ]);
    const check = await backupDatabase(path, join(root, "copy.db"));
    expect(check).toMatchObject({ runs: 1, turns: 2, openItems: 1, outbox: 0, problems: [] });
    await commit(store, { run: "b", expect: 0 });
    await store.close();
    await backupDatabase(join(root, "copy.db"), join(root, "restored.db"));
    const restored = sqliteStore({ path: join(root, "restored.db") });
    expect((await restored.load("default", "a"))?.row.sequence).toBe(2);
    expect(await restored.load("default", "b")).toBeNull();
    await restored.close();
  });

  it("never writes over a file, and leaves nothing behind when it fails", async () => {
    const root = dirname(temporaryFile());
    const path = join(root, "runs.db");
    await sqliteStore({ path }).close();
    await expect(backupDatabase(path, path)).rejects.toMatchObject({ code: "misuse" });
    await expect(backupDatabase(join(root, "none.db"), join(root, "to.db"))).rejects.toMatchObject({
      code: "io",
    });
    const other = join(root, "other.db");
    new Database(other).exec("CREATE TABLE t (x)").close();
    await expect(backupDatabase(other, join(root, "to.db"))).rejects.toMatchObject({ code: "corrupt" });
    expect([existsSync(join(root, "to.db")), existsSync(join(root, "to.db.partial"))]).toEqual([
      false,
      false,
    ]);
  });
});

describe("checkDatabase", () => {
  it("names a run whose journal lost a turn, and pages that are damaged", async () => {
    const root = dirname(temporaryFile());
    const path = join(root, "runs.db");
    const store = sqliteStore({ path });
    await history(
      store,
      Array.from({ length: 40 }, (_, expect_) => ({ run: "a", expect: expect_ })),
    );
    await store.close();
    expect(checkDatabase(path).problems).toEqual([]);
    const torn = join(root, "torn.db");
    copyFileSync(path, torn);
    new Database(torn).exec("DELETE FROM tessera_journal WHERE sequence = 40").close();
    expect(checkDatabase(torn).problems).toEqual([
      "1 runs have more or fewer turns in the journal than they took",
    ]);
    const damaged = join(root, "damaged.db");
    const bytes = readFileSync(path);
    bytes.fill(0xff, 8_192, 40_960);
    writeFileSync(damaged, bytes);
    expect(checkDatabase(damaged).problems.length).toBeGreaterThan(0);
    writeFileSync(damaged, "no database at all, only text that is long enough to be read as one".repeat(20));
    expect(() => checkDatabase(damaged)).toThrow(expect.objectContaining({ code: "corrupt" }));
  });
});
