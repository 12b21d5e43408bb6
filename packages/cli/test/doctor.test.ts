/** @module `tessera doctor` and `tessera backup`. */
import { join } from "node:path";
import type { Hash } from "@tessera/core";
import { sqliteStore } from "@tessera/persist/sqlite";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { folder, tessera } from "./capture.ts";

it("doctor says what a database holds and what is wrong with it; backup copies one that is whole", async () => {
  const root = folder();
  const path = join(root, "runs.db");
  await sqliteStore({ path }).close();
  const whole = await tessera("doctor", path);
  expect([whole.code, whole.out]).toEqual([0, expect.stringContaining("0 runs, 0 turns")]);
  const copy = join(root, "copy.db");
  expect((await tessera("backup", path, copy, "--json")).code).toBe(0);
  expect((await tessera("backup", path, copy)).code).toBe(3);
  new Database(copy)
    .exec(
      `INSERT INTO tessera_tenants (name) VALUES ('t');
       INSERT INTO tessera_runs (tenant, run, workflow, definition, graph, status, modes, sequence, head, started_at, updated_at)
       VALUES (1, 'r', 'w', x'00', 'r', 'waiting', '', 3, x'00', 0, 0)`,
    )
    .close();
  const torn = await tessera("doctor", copy, "--json");
  expect(torn.code).toBe(1);
  expect(JSON.parse(torn.out)).toMatchObject({
    runs: 1,
    problems: [expect.stringContaining("1 runs"), expect.stringContaining("1 counts")],
    audit: null,
  });
  expect((await tessera("doctor", join(root, "none.db"))).code).toBe(3);
});

it("doctor shows what will start by itself, and when", async () => {
  const path = join(folder(), "runs.db");
  const store = sqliteStore({ path });
  const timers = [
    { event: "daily", dueAt: Date.UTC(2030, 0, 2), remaining: -1, repeat: "R/2030-01-01T00:00:00.000Z/P1D" },
    { event: "once", dueAt: Date.UTC(2030, 0, 1, 12), remaining: 0, repeat: null },
  ];
  const hash = `sha256:${"d".repeat(64)}` as Hash;
  const row = { hash, name: "w", definition: {} as never, manifest: {}, deployedAt: 0, timers };
  await store.putDefinition("acme", row);
  await store.close();
  const { out } = await tessera("doctor", path, "--quick");
  expect(out.split("\n").filter((line) => line.includes("starts"))).toEqual([
    "  2030-01-01T12:00:00.000Z starts w (once) of tenant acme, for the last time",
    "  2030-01-02T00:00:00.000Z starts w (daily) of tenant acme, and so on",
  ]);
  const { startTimers } = JSON.parse((await tessera("doctor", path, "--quick", "--json")).out);
  expect(startTimers).toEqual(
    timers.map((timer) => ({ ...timer, tenant: "acme", workflow: "w", definition: hash })).reverse(),
  );
});
