// The process that the kill test of enlisted transactions kills: it writes an order and starts its run in one transaction of
// its own on PostgreSQL, on and on. node enlisted-victim.mjs CONNECTION SCHEMA plain|planted: planted commits the order first.
import { accepted, createEngine } from "@tessera/engine";
import { postgresStore } from "@tessera/persist/postgres";
import pg from "pg";

/** A workflow that waits for a person. */
export const PLACED = {
  format: 1,
  kind: "workflow",
  id: "order",
  entry: "placed",
  nodes: [
    { id: "placed", kind: "start" },
    { id: "pick", kind: "human" },
    { id: "pause", kind: "timer", meta: { duration: "PT0.05S" } },
    { id: "done", kind: "end" },
  ],
  arcs: [
    { from: "placed", to: "pick" },
    { from: "pick", to: "pause" },
    { from: "pause", to: "done" },
  ],
};

const [connection, schema, how] = process.argv.slice(2);
if (how !== undefined) {
  const store = await postgresStore({ connection: JSON.parse(connection) }, { schema });
  const engine = createEngine({ store, pollMs: Number.POSITIVE_INFINITY });
  accepted(await engine.deploy(PLACED));
  const client = new pg.Client(JSON.parse(connection));
  await client.connect();
  const orders = `"${schema}".orders`;
  await client.query(`CREATE TABLE IF NOT EXISTS ${orders} (id TEXT PRIMARY KEY)`);
  process.stdout.write("started\n");
  for (let count = 0; ; count += 1) {
    const id = `order-${process.pid}-${count}`;
    await client.query("BEGIN");
    await client.query(`INSERT INTO ${orders} VALUES ($1)`, [id]);
    if (how === "planted") await client.query("COMMIT; BEGIN");
    accepted(await engine.enlist(client).start({ workflow: "order", id }));
    await client.query("COMMIT");
  }
}
