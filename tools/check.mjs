/**
 * @module All checks in one go, cheapest first: `npm run check`. Stops at the first that fails and says how to rerun it.
 *
 * The counts of the tests go to .reports/vitest.json as well, for a machine that wants them.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** `[npm script, what it keeps true]` */
const STEPS = [
  ["lint", "format and lint"],
  ["imports", "who may import whom"],
  ["tidy", "house rules"],
  ["trace", "text, code and tests agree"],
  ["docs", "documents are current"],
  ["build", "every package compiles against its declared references"],
  ["types", "the step without Node, type tests"],
  ["dead", "nothing unused"],
  ["test:unit", "tests"],
];

const npm = process.env["npm_execpath"];
const [file, prefix] = npm?.endsWith("npm-cli.js") ? [process.execPath, [npm]] : ["npm", []];

for (const [script, purpose] of STEPS) {
  const startedMs = Date.now();
  const isLoud = script === "test:unit";
  const { status, stdout, stderr, signal } = spawnSync(file, [...prefix, "run", "--silent", script], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32" && prefix.length === 0,
    stdio: ["ignore", isLoud ? "inherit" : "pipe", isLoud ? "inherit" : "pipe"],
  });
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  if (status === 0) {
    process.stdout.write(`ok    ${script.padEnd(10)} ${seconds.padStart(6)} s  ${purpose}\n`);
    continue;
  }
  process.stdout.write(`${stdout ?? ""}${stderr ?? ""}`);
  process.stdout.write(
    `\nFAIL  ${script} (${purpose})${signal ? `, ended by ${signal}` : ""}: npm run ${script}\n`,
  );
  process.exit(1);
}
process.stdout.write("\nAll checks passed.\n");
