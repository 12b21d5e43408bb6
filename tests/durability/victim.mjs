// The process that the kill test kills. Uses the compiled packages, as an installed program would.
// node victim.mjs DIR RUNS [planted]: starts RUNS runs (idempotent by id) and works until all have ended, then exits 0.
// On the store that victim-store.mjs finds in DIR.
// Every call of a port appends a line to DIR/effects.jsonl, outside the database.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { accepted, createEngine } from "@tessera/engine";
import { CHILD, PROCESS } from "./process.mjs";
import { openStore } from "./victim-store.mjs";

const [dir, runCount, planted] = process.argv.slice(2);
const store = await openStore(dir, planted === "planted");
// The line break comes first: a line that a kill cut off must not run into the next one.
const touch = (line) => appendFileSync(join(dir, "effects.jsonl"), `\n${JSON.stringify(line)}`);

const port =
  (answer) =>
  async ({ idempotencyKey, data, node }) => {
    touch({ key: idempotencyKey, node: node.id, phase: "begin", pid: process.pid });
    await sleep(4);
    touch({ key: idempotencyKey, node: node.id, phase: "end" });
    return { patch: answer(data) };
  };

const engine = createEngine({
  store,
  functions: {
    prepare: ({ data }) => ({ patch: { total: 0, rounds: 0, base: data.seed * 10 } }),
    judge: ({ data }) => data.rounds >= data.seed % 3,
    again: ({ data }) => ({ patch: { rounds: data.rounds + 1 } }),
  },
  ports: {
    left: port(({ base }) => ({ leftSum: base + 1 })),
    right: port(({ base }) => ({ rightSum: base + 2 })),
    left2: port(({ leftSum }) => ({ leftSum: leftSum * 2 })),
    attempt: port(({ rounds }) => ({ tried: rounds })),
    work: port(({ given }) => ({ made: given + 7 })),
    last: port(({ made, leftSum, rightSum }) => ({ total: made + leftSum + rightSum })),
  },
  concurrency: 4,
  pollMs: 20,
  limits: { leaseMs: Number(process.env.TESSERA_LEASE ?? 150), claimsMax: 10_000, snapshotTurns: 5 },
});
accepted(await engine.deploy(CHILD));
accepted(await engine.deploy(PROCESS));
const ids = Array.from({ length: Number(runCount) }, (_, index) => `run-${index}`);
for (const [index, id] of ids.entries())
  accepted(await engine.start({ workflow: "process", id, data: { seed: index } }));
engine.resume();
process.stdout.write("started\n");

for (;;) {
  const { rows } = await engine.workItems.list({ kind: "work-item", limit: 100 });
  for (const { id } of rows)
    await engine.workItems.complete({
      task: id,
      by: { id: "kim" },
      outcome: "yes",
      data: { approved: true },
    });
  // One look at all of them: a page has not more than a thousand, and some runs move while pages are turned.
  const { runs } = await engine.counts();
  if (runs.every(({ status, count }) => count === 0 || ["completed", "failed", "cancelled"].includes(status)))
    break;
  await sleep(3);
}
await engine.close();
await store.close();
