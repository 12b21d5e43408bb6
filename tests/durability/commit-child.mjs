/**
 * @module Commits groups one after the other, for a test that counts the flushes of this process.
 *
 *     node commit-child.mjs full|normal FILE GROUPS
 *
 * full: the store as it is. normal: the same tables and rows on a connection with synchronous NORMAL, which the store
 * would refuse; it shows that the count can tell the difference. Prints `ready` before the first and `done` after the
 * last awaited group.
 */
import { writeSync } from "node:fs";
import { groupCommitter } from "@tessera/persist";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";

const [mode, file, groupText] = process.argv.slice(2);
const groups = Number(groupText);

/** Two turns a group, of runs of their own. */
function turnsOf(group) {
  return [0, 1].map((n) => ({
    tenant: "default",
    run: `run-${group}-${n}`,
    definition: `sha256:${"d".repeat(64)}`,
    expect: 0,
    record: { semantics: 1, sequence: 1, at: 1_000, input: { kind: "start", data: { n } }, steps: [] },
    status: "running",
    modes: [],
    created: { workflow: "order", graph: `g-${group}-${n}` },
    items: { set: [], closed: [] },
    effects: { add: [], done: [] },
  }));
}

async function full() {
  const store = sqliteStore({ path: file });
  const committer = groupCommitter(store);
  say("ready");
  for (let group = 0; group < groups; group += 1) {
    const results = await Promise.all(turnsOf(group).map(committer.commit));
    if (results.some(({ kind }) => kind !== "ok")) throw new Error(JSON.stringify(results));
  }
  say("done");
  await committer.close();
  await store.close();
}

async function normal() {
  await sqliteStore({ path: file }).close();
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.exec("INSERT INTO tessera_tenants (id, name) VALUES (1, 'default')");
  const insert = db.prepare(
    `INSERT INTO tessera_runs (tenant, run, workflow, definition, graph, status, modes, sequence, head, started_at, updated_at)
     VALUES (1, ?, 'order', zeroblob(32), ?, 'running', '', 1, zeroblob(32), 1000, 1000)`,
  );
  const commit = db.transaction((turns) => {
    for (const { run, created } of turns) insert.run(run, created.graph);
  });
  say("ready");
  for (let group = 0; group < groups; group += 1) {
    commit.immediate(turnsOf(group));
    await new Promise((resolve) => setImmediate(resolve));
  }
  say("done");
  db.close();
}

/** One write, so that it stands in the trace where it happened. */
function say(word) {
  writeSync(1, `${word}\n`);
}

await { full, normal }[mode]();
