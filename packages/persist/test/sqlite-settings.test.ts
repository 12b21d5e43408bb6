import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { commit, history, kinds, turn } from "../src/contract/sample.ts";
import { applicationDatabase, temporaryFile } from "./temporary.ts";

const coded = (code: string) => expect.objectContaining({ name: "StoreError", code });

describe("opening", () => {
  it("[D10.9] refuses a handle whose commits could be lost, names what is wrong, and changes nothing", () => {
    const wrong: readonly (readonly [setting: string, trouble: RegExp])[] = [
      ["synchronous = NORMAL", /synchronous is NORMAL: use FULL/],
      ["synchronous = OFF", /synchronous is OFF: use FULL/],
      ["journal_mode = DELETE", /journal_mode is delete: use WAL/],
      ["journal_mode = MEMORY", /journal_mode is memory: use WAL/],
      ["query_only = ON", /query_only is on/],
    ];
    for (const [setting, trouble] of wrong) {
      const database = applicationDatabase();
      database.pragma(setting);
      const name = setting.split(" ")[0] ?? "";
      const before = database.pragma(name, { simple: true });
      const open = () => sqliteStore({ database });
      expect(open).toThrow(coded("settings"));
      expect(open).toThrow(trouble);
      expect(database.pragma(name, { simple: true })).toBe(before);
      expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([]);
    }
  });

  it("[D10.9] refuses a handle that says FULL only until it is used", () => {
    const database = new Database(temporaryFile());
    database.pragma("journal_mode = WAL");
    expect(() => sqliteStore({ database })).toThrow(/synchronous is NORMAL: use FULL/);
    database.close();
  });

  it("[D10.9] accepts EXTRA", () => {
    const database = applicationDatabase();
    database.pragma("synchronous = EXTRA");
    sqliteStore({ database });
  });

  it("[D10.9] refuses read-only and in-memory databases and open transactions", () => {
    const file = temporaryFile();
    const writer = applicationDatabase(file);
    sqliteStore({ database: writer });
    const reader = new Database(file, { readonly: true });
    reader.pragma("synchronous = FULL");
    expect(() => sqliteStore({ database: reader })).toThrow(/read-only/);
    reader.close();
    expect(() => sqliteStore({ path: ":memory:" })).toThrow(/memoryStore/);
    writer.exec("BEGIN");
    expect(() => sqliteStore({ database: writer })).toThrow(/a transaction is open/);
    writer.exec("ROLLBACK");
  });

  it("[D10.9] a file that is no database is corrupt, one that cannot be opened a fault of input and output", () => {
    const file = temporaryFile();
    writeFileSync(
      file,
      "this is a text, and a long one, so that nobody takes it for an empty file".repeat(40),
    );
    expect(() => sqliteStore({ path: file })).toThrow(coded("corrupt"));
    expect(readFileSync(file, "utf8")).toMatch(/^this is a text/);
    expect(() => sqliteStore({ path: path.join(path.dirname(file), "none", "runs.sqlite") })).toThrow(
      coded("io"),
    );
    expect(() => sqliteStore({ path: path.dirname(file) })).toThrow(coded("io"));
  });

  it("[D10.9] a file of its own is in WAL mode", async () => {
    const file = temporaryFile();
    const store = sqliteStore({ path: file });
    await history(store, [{ run: "a", expect: 0 }]);
    expect(existsSync(`${file}-wal`)).toBe(true);
    await store.close();
  });
});

describe("settings that change later", () => {
  it("[D10.9] a commit on a handle that was lowered to NORMAL is refused and undone", async () => {
    const database = applicationDatabase();
    const store = sqliteStore({ database });
    await history(store, [{ run: "a", expect: 0 }]);
    database.pragma("synchronous = NORMAL");
    await expect(commit(store, { run: "a", expect: 1 })).rejects.toThrow(coded("settings"));
    expect(() => store.transaction((tx) => tx.commit([turn({ run: "a", expect: 1 })]))).toThrow(
      coded("settings"),
    );
    database.pragma("synchronous = FULL");
    expect((await store.load("default", "a"))?.row.sequence).toBe(1);
    expect(kinds([await commit(store, { run: "a", expect: 1 })])).toBe("ok");
  });
});
