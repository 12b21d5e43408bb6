/**
 * @module `npm run bench -- [NAME ...] [--json]`: the comparisons of the files named, or of all.
 *
 * Tables go to standard output, or the figures as one JSON document; the same document is kept in .reports.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { tableOf } from "./harness.mjs";

const HERE = import.meta.dirname;
const REPORT = path.join(HERE, ".reports", "bench.json");
const NAMES = [
  "firings",
  "or-join",
  "engine",
  "durable",
  "durable-peers",
  "postgres",
  "data-size",
  "history",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false } },
});
const unknown = positionals.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(", ")}; there are ${NAMES.join(", ")}\n`);
  process.exit(2);
}

const report = {
  node: process.version,
  cpu: os.cpus()[0]?.model ?? "unknown",
  cores: os.availableParallelism(),
  loadBefore: os.loadavg()[0],
  comparisons: [],
};
for (const name of positionals.length === 0 ? NAMES : positionals) {
  const { comparisons } = await import(`./${name}.mjs`);
  for await (const comparison of comparisons()) {
    report.comparisons.push({ benchmark: name, ...comparison });
    if (!values.json) process.stdout.write(`${tableOf(comparison)}\n`);
  }
}
fs.mkdirSync(path.dirname(REPORT), { recursive: true });
fs.writeFileSync(REPORT, `${JSON.stringify(report, null, 2)}\n`);
if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
