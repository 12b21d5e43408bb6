/** @module A workflow that times start, in processes that are killed: one run for each time, and none left out. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { accepted, createEngine } from "@tessera/engine";
import type { Page, RunRow } from "@tessera/persist";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { hasPostgres, startPostgres } from "./postgres-server.mjs";
import { EVERY_MS } from "./start-timer-child.mjs";
import { chooseStore, openStore } from "./victim-store.mjs";

const CHILD = fileURLToPath(new URL("start-timer-child.mjs", import.meta.url));
/** Processes at a time, and how often all of them are killed. */
const PROCESSES = 3;
const ROUNDS = 4;

/** A process that has deployed, and works until it is killed. */
async function child(dir: string): Promise<ChildProcess> {
  const started = spawn(process.execPath, [CHILD, dir], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void started.kill("SIGKILL"));
  await once(started.stdout, "data");
  return started;
}

/** The runs that are there after processes were killed in the middle of their work, and those that there must be. */
async function timesOf(
  postgres?: object,
): Promise<{ readonly runs: readonly string[]; readonly due: readonly string[] }> {
  const dir = mkdtempSync(join(tmpdir(), "tessera-times-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  chooseStore(dir, postgres);
  for (let round = 0; round < ROUNDS; round += 1) {
    const children = await Promise.all(Array.from({ length: PROCESSES }, () => child(dir)));
    for (const each of children) {
      await sleep(150 + 70 * round);
      each.kill("SIGKILL");
    }
    // Nobody is there for some times.
    await sleep(3 * EVERY_MS);
  }
  const store = await openStore(dir);
  const engine = createEngine({ store, pollMs: 100 });
  engine.resume();
  // The row of a definition is that of its first deployment.
  const newest = await store.newestDefinition("default", "timed");
  const deployedAt = newest === null ? Number.NaN : ((await store.definition(newest.hash))?.deployedAt ?? 0);
  const [before] = await store.startTimers({ limit: 1 });
  for (const until = Date.now(); ; await sleep(20)) {
    const [next] = await store.startTimers({ limit: 1 });
    if (next !== undefined && next.dueAt > until) break;
  }
  await engine.close();
  const [next] = await store.startTimers({ limit: 1 });
  const runs: string[] = [];
  for (let after: string | undefined; ; ) {
    const page: Page<RunRow> = await store.runs({
      tenant: "default",
      limit: 100,
      ...(after === undefined ? {} : { after }),
    });
    runs.push(...page.rows.map(({ run }) => run));
    if (page.next === null) break;
    after = page.next;
  }
  const asker = createEngine({ store, concurrency: 0 });
  expect(accepted(await asker.audit()).isSound).toBe(true);
  await asker.close();
  await store.close();
  expect(before?.dueAt).toBeLessThan(next?.dueAt ?? 0);
  return { runs: runs.sort(), due: series(deployedAt, next?.dueAt ?? 0) };
}

/** Oracle: the ids of all times after the first deployment and before the time that comes next. */
function series(deployedAt: number, next: number): readonly string[] {
  const ids: string[] = [];
  for (let at = deployedAt + EVERY_MS; at < next; at += EVERY_MS)
    ids.push(`timed/often@${new Date(at).toISOString()}`);
  return ids;
}

/** There is a run for each of many times, and no other one. */
async function expectEachOnce(postgres?: object): Promise<void> {
  const { runs, due } = await timesOf(postgres);
  expect(runs).toEqual(due);
  expect(due.length).toBeGreaterThan(ROUNDS * 3);
}

describe("[D17.13] [D10.24] processes that are killed start one run for each time", () => {
  it("[D17.13] on SQLite", () => expectEachOnce(), 180_000);
});

describe.skipIf(!hasPostgres("starts by time on PostgreSQL"))("on PostgreSQL", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server?.stop(), 120_000);

  it(
    "[D17.13] [D10.24] the same",
    () => expectEachOnce({ connection: server.connection, schema: "timed" }),
    180_000,
  );
});
