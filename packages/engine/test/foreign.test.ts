/** @module Two engines on one file: each notices what the other commits, long before it would poll. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@tessera/persist/sqlite";
import { afterEach, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { answers, scriptedPort, type TestEngine, testEngine } from "../src/testing.ts";
import { single } from "./definitions.ts";

const root = mkdtempSync(join(tmpdir(), "tessera-foreign-"));
const path = join(root, "runs.db");
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  rmSync(root, { recursive: true, force: true });
});

/** Polls once in an hour; a twentieth of it is how soon a commit of another process is noticed. */
function engineOn(options: Parameters<typeof testEngine>[0]): TestEngine {
  const store = sqliteStore({ path });
  const test = testEngine({ store, pollMs: 3_600_000, ...options });
  open.push(
    () => store.close(),
    () => test.engine.close(),
  );
  return test;
}

it("takes up a job that another process leaves, and hears of its end, without waiting for the next poll", async () => {
  const { port, calls } = scriptedPort([answers({ patch: { seen: true } })]);
  const starter = engineOn({ concurrency: 1, ports: {} });
  const worker = engineOn({ ports: { t: port } });
  accepted(await worker.engine.deploy(single("j", ["t", "tool"])));
  worker.engine.resume();
  await worker.clock.advance("PT4M");
  // A person elsewhere starts a run whose job this process can do.
  const other = engineOn({ concurrency: 0 });
  accepted(await other.engine.start({ workflow: "j", id: "r" }));
  expect(calls).toEqual([]);
  await worker.clock.advance("PT4M");
  expect(calls).toHaveLength(1);
  // And who only waits for the end hears of it in the same way.
  const ended = starter.engine.run("r").result();
  starter.engine.resume();
  await starter.clock.advance("PT4M");
  expect(await ended).toMatchObject({ status: "completed", data: { seen: true } });
});
