// What the power-loss check records: one process that commits turns of several runs and says when each commit was answered.
// node power-loss-child.mjs FILE GROUPS FULL|NORMAL. "ack RUN SEQUENCE" goes to stdout by one write, after the commit resolved.
import { writeSync } from "node:fs";
import { createEngine } from "@tessera/engine";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";

const [path, groups, level] = process.argv.slice(2);
const db = new Database(path);
db.pragma("journal_mode = WAL");
db.pragma(`synchronous = ${level}`);
// Checkpoints come often, so that cuts fall into them.
db.pragma("wal_autocheckpoint = 40");
const store = sqliteStore({ database: level === "FULL" ? db : pretending(db) });
const engine = createEngine({ store, concurrency: 0 });
await engine.deploy({
  format: 1,
  kind: "workflow",
  id: "w",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "ask", kind: "human", meta: { outcomes: ["done"] } },
    { id: "end", kind: "end" },
  ],
  arcs: [
    { from: "begin", to: "ask" },
    { from: "ask", to: "end" },
  ],
});
for (let group = 0; group < Number(groups); group += 1) {
  const ids = [0, 1, 2].map((index) => `r${group}-${index}`);
  await Promise.all(
    ids.map((id) => engine.start({ workflow: "w", id, data: { note: "x".repeat(300 * (group % 5)) } })),
  );
  writeSync(1, ids.map((id) => `ack ${id} 1\n`).join(""));
  const [first] = ids;
  await engine.run(first).complete({ node: "ask", by: { id: "ann" } });
  writeSync(1, `ack ${first} 2\n`);
}
// It ends as a power cut ends it: nothing is closed, nothing is checkpointed.
process.kill(process.pid, "SIGKILL");

/** A handle at NORMAL that says that it is at FULL: the store would refuse to work with it. */
function pretending(handle) {
  return new Proxy(handle, {
    get: (target, name) => {
      if (name === "pragma")
        return (text, options) => (text === "synchronous" ? 2 : target.pragma(text, options));
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
