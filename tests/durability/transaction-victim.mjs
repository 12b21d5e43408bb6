// The process that the transaction kill test kills: it writes an order and starts its run, both or neither, on and on.
// node transaction-victim.mjs DIR [planted]: planted writes the order and starts the run one after the other.
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { accepted, createEngine } from "@tessera/engine";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";

const [dir, planted] = process.argv.slice(2);
const database = new Database(join(dir, "shop.db"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec("CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY)");
const store = sqliteStore({ database });
const engine = createEngine({ store, pollMs: Number.POSITIVE_INFINITY });
accepted(
  await engine.deploy({
    format: 1,
    kind: "workflow",
    id: "order",
    entry: "placed",
    nodes: [
      { id: "placed", kind: "start" },
      { id: "pick", kind: "human" },
      { id: "done", kind: "end" },
    ],
    arcs: [
      { from: "placed", to: "pick" },
      { from: "pick", to: "done" },
    ],
  }),
);
const insert = database.prepare("INSERT INTO orders (id) VALUES (?)");
process.stdout.write("started\n");
for (let count = database.prepare("SELECT count(*) AS n FROM orders").get().n; ; count += 1) {
  const id = `order-${count}-${process.pid}`;
  const start = (tx) => accepted(tx.start({ workflow: "order", id, data: { count } }));
  if (planted === "planted") {
    insert.run(id);
    await breathe();
    engine.transaction(start);
  } else {
    engine.transaction((tx) => {
      insert.run(id);
      start(tx);
    });
  }
  await breathe();
}
