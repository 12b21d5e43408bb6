/** @module An application's own writes and the runs that they start: both or neither, whenever the process is killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";

const VICTIM = fileURLToPath(new URL("./transaction-victim.mjs", import.meta.url));

/** Kills the victim `kills` times at different moments; orders without a run and runs without an order are left over. */
async function killedOrders(kills: number, how: "plain" | "planted") {
  const dir = mkdtempSync(join(tmpdir(), "tessera-shop-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (let kill = 0; kill < kills; kill += 1) {
    const child = spawn(process.execPath, [VICTIM, dir, how], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    await sleep(20 + kill * 13);
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  const database = new Database(join(dir, "shop.db"), { readonly: true });
  const ids = (text: string) => (database.prepare(text).all() as { id: string }[]).map(({ id }) => id).sort();
  const found = { orders: ids("SELECT id FROM orders"), runs: ids("SELECT run AS id FROM tessera_runs") };
  database.close();
  return found;
}

describe("engine.transaction under SIGKILL", () => {
  it("leaves as many runs as orders, the same ones", async () => {
    const { orders, runs } = await killedOrders(10, "plain");
    expect(orders.length).toBeGreaterThan(10);
    expect(runs).toEqual(orders);
  }, 120_000);

  it("is missed when the application writes outside it (planted)", async () => {
    const { orders, runs } = await killedOrders(12, "planted");
    expect(orders.length).toBeGreaterThan(runs.length);
  }, 120_000);
});
