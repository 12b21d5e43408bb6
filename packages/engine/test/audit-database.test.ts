/**
 * The audit of a whole database: the same report in any number of threads. Oracle: the audit of each run and graph by
 * itself. The threads run the built packages.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Audit, accepted, auditDatabase, type DatabaseAuditOptions } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const RUNS = 60;
const WORK = flow(
  "w",
  [
    ["f", "transform"],
    ["h", "human"],
    ["z", "end"],
  ],
  [
    ["f", "h"],
    ["f", "h", "error"],
    ["h", "z"],
  ],
);

/** A file with runs of two tenants, some ended, each with an object in its graph. */
async function database(): Promise<string> {
  const dir = mkdtempSync(path.join(tmpdir(), "tessera-audit-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = path.join(dir, "runs.db");
  const store = sqliteStore({ path: file });
  const { engine } = testEngine({
    store,
    functions: {
      f: () => ({
        mutation: { create: [{ id: "o", type: "t", payload: {}, links: [] }], update: [], delete: [] },
      }),
    },
  });
  for (const tenant of ["acme", "zeta"]) {
    accepted(await engine.deploy(WORK, { tenant }));
    for (let index = 0; index < RUNS / 2; index += 1) {
      accepted(await engine.start({ workflow: "w", id: `r${index}`, tenant, data: { n: index } }));
      if (index % 3 === 0)
        accepted(await engine.run(`r${index}`, tenant).complete({ node: "h", by: { id: "ann" } }));
    }
  }
  await engine.close();
  await store.close();
  return file;
}

function options(file: string, more: Partial<DatabaseAuditOptions> = {}): DatabaseAuditOptions {
  const args = [{ path: file }, { isReader: true }];
  return { store: { module: "@tessera/persist/sqlite", name: "sqliteStore", args }, ...more };
}

/** What is broken by the audit of one tenant after the other, in the words of the report. */
async function oneByOne(file: string): Promise<unknown> {
  const store = sqliteStore({ path: file });
  const { engine } = testEngine({ store });
  const audits: (readonly [string, Audit])[] = [];
  for (const tenant of ["acme", "zeta"]) audits.push([tenant, await engine.audit({ tenant })]);
  await store.close();
  return audits.flatMap(([tenant, { runs, graphs }]) =>
    [...runs, ...graphs].filter(({ verdict }) => verdict === "broken").map((part) => ({ tenant, ...part })),
  );
}

const DAMAGES: readonly (readonly [check: string, sql: string])[] = [
  ["chain", "UPDATE tessera_journal SET salt = zeroblob(16) WHERE id IN (7, 40)"],
  ["chain", "UPDATE tessera_journal SET head = zeroblob(32) WHERE id = 12"],
  ["chain", "DELETE FROM tessera_journal WHERE id IN (5, 50)"],
  ["chain", "UPDATE tessera_runs SET head = zeroblob(32) WHERE id = 9"],
  ["status", "UPDATE tessera_runs SET status = 'running' WHERE id IN (2, 33)"],
  ["items", "DELETE FROM tessera_items WHERE run IN (3, 44)"],
  ["items", "UPDATE tessera_items SET body = replace(body, '\"h\"', '\"f\"') WHERE run = 6"],
  ["graph", "UPDATE tessera_objects SET body = replace(body, '\"t\"', '\"u\"') WHERE id IN (11, 41)"],
  ["definition", "DELETE FROM tessera_definitions"],
  ["storage", "UPDATE tessera_definitions SET manifest = replace(manifest, '1', '2')"],
  ["storage", "UPDATE tessera_items SET body = 'damaged' WHERE run = 8"],
];

describe("the audit of a database", () => {
  it("[D9.19] [D9.13] counts what it saw of every tenant, in any number of threads", async () => {
    const file = await database();
    const seen: number[] = [];
    const onProgress: DatabaseAuditOptions["onProgress"] = ({ runs, runsTotal }) => {
      seen.push(runs);
      expect(runsTotal).toBe(RUNS);
    };
    const alone = await auditDatabase(options(file));
    expect(alone).toEqual({
      kind: "database-audit",
      isSound: true,
      isComplete: true,
      runs: RUNS,
      graphs: RUNS,
      turns: RUNS + RUNS / 3,
      erased: 0,
      pruned: 0,
      broken: [],
      first: null,
    });
    for (const threads of [1, 3])
      expect(await auditDatabase(options(file, { threads, onProgress }))).toEqual(alone);
    expect(seen.at(-1)).toBe(RUNS);
    expect(await auditDatabase(options(file, { tenant: "zeta" }))).toMatchObject({
      runs: RUNS / 2,
      isSound: true,
    });
    expect(await auditDatabase(options(file, { tenant: "nobody" }))).toMatchObject({
      runs: 0,
      isComplete: true,
    });
  });

  it.each(DAMAGES)("[D9.19] [D9.13] finds the same in any number of threads: %s, %s", async (check, sql) => {
    const file = await database();
    const db = new Database(file);
    db.pragma("foreign_keys = OFF");
    expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
    db.close();
    const alone = await auditDatabase(options(file));
    const together = await auditDatabase(options(file, { threads: 3 }));
    expect(together).toEqual(alone);
    expect(alone.isSound).toBe(false);
    expect(alone.broken).toEqual(await oneByOne(file));
    const [worst] = alone.broken;
    expect(alone.first).toMatchObject({ tenant: worst?.tenant });
    expect(alone.broken.flatMap(({ findings }) => findings.map((finding) => finding.check))).toContain(check);
  });

  it("[D9.19] names the first bad turn: of the first broken run, the earliest", async () => {
    const file = await database();
    const db = new Database(file);
    // r3 of both tenants has two turns; it is broken at the second, and so is r0, which is older.
    for (const run of ["r0", "r3"]) {
      const where = `(SELECT id FROM tessera_runs WHERE run = '${run}')`;
      db.exec(`UPDATE tessera_journal SET salt = zeroblob(16) WHERE sequence = 2 AND run IN ${where}`);
    }
    db.close();
    const { first, broken } = await auditDatabase(options(file, { threads: 2 }));
    expect(first).toMatchObject({ tenant: "acme", run: "r3", graph: null, check: "chain", sequence: 2 });
    expect(broken.map((part) => ("run" in part ? `${part.tenant}/${part.run}` : part.graph))).toEqual([
      "acme/r3",
      "acme/r0",
      "zeta/r3",
      "zeta/r0",
    ]);
  });

  it("[D9.19] stops at a number of broken parts, the same in any number of threads, or when it is told to", async () => {
    const file = await database();
    const db = new Database(file);
    db.exec("UPDATE tessera_journal SET salt = zeroblob(16) WHERE sequence = 1");
    db.close();
    const alone = await auditDatabase(options(file, { brokenMax: 4 }));
    expect(alone).toMatchObject({ isSound: false, isComplete: false, runs: 4 });
    expect(alone.broken).toHaveLength(4);
    expect(await auditDatabase(options(file, { brokenMax: 4, threads: 2 }))).toEqual(alone);
    const aborted = await auditDatabase(options(file, { signal: AbortSignal.abort(), threads: 1 }));
    expect(aborted).toMatchObject({ isComplete: false });
    expect(aborted.runs).toBeLessThan(RUNS);
  });

  it("[D9.19] writes nothing, and rejects with what a thread died of", async () => {
    const file = await database();
    const store = sqliteStore({ path: file }, { isReader: true });
    await expect(store.claimEffects("w", Number.MAX_SAFE_INTEGER, 1, 1)).resolves.toEqual([]);
    await expect(store.broadcast("acme", { name: "s", data: {}, at: 0 })).rejects.toThrow();
    await store.close();
    const registrations = { module: "data:text/javascript,export const given = {};", name: "other" };
    await expect(auditDatabase(options(file, { threads: 1, registrations }))).rejects.toThrow(
      /exports no other/,
    );
  });

  it("[D9.19] audits a run again that others go on with meanwhile", async () => {
    const { engine, store } = testEngine();
    accepted(
      await engine.deploy({ ...WORK, nodes: WORK.nodes.slice(1), entry: "h", arcs: WORK.arcs.slice(2) }),
    );
    accepted(await engine.start({ workflow: "w", id: "r" }));
    let isFirst = true;
    const busy = testEngine({
      store: {
        ...store,
        journal: async (...args) => {
          const rows = await store.journal(...args);
          if (isFirst)
            accepted(
              await engine.operations.edit({ run: "r", data: { n: 1 }, by: { id: "o" }, reason: "r" }),
            );
          isFirst = false;
          return rows;
        },
      },
    });
    expect(await busy.engine.audit()).toMatchObject({ isSound: true, runs: [{ verdict: "ok", turns: 2 }] });
  });
});
