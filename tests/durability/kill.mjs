// The long kill test: node tests/durability/kill.mjs [KILLS] [SEED] [PROCESSES] [postgres]. Prints its figures; exit 1 on any problem.
import { killTest } from "./kill-harness.mjs";
import { startPostgres } from "./postgres-server.mjs";

const kills = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const processes = Number(process.argv[4] ?? 1);
const onProgress = (done, inside) => {
  if (done % 20 === 0) process.stdout.write(`${done} kills, ${inside} inside a job\n`);
};
const server = process.argv[5] === "postgres" ? await startPostgres() : undefined;
const postgres = server?.connection;
const result = await killTest({ kills, seed, processes, postgres, endMs: 600_000, onProgress });
await server?.stop();
process.stdout.write(
  `seed ${seed}: ${result.kills} kills, ${result.inside} of them (${Math.round((100 * result.inside) / result.kills)} %) between start(n) and finish(n, o)\n`,
);
for (const problem of result.problems) process.stdout.write(`PROBLEM ${problem}\n`);
process.stdout.write(
  result.problems.length === 0 ? "nothing lost, nothing under another key, audit passes\n" : "FAILED\n",
);
process.exitCode = result.problems.length === 0 ? 0 : 1;
