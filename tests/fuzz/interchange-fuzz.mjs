/**
 * @module Hours of mangled files: `node tests/fuzz/interchange-fuzz.mjs [COUNT] [SEED] [FILE ...]` after `npm run build`.
 *
 * The corpus is the fixtures of interchange and the files given. Stops at the first answer that is not as promised and
 * leaves the file that caused it in the current folder.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as core from "@tessera/core";
import * as interchange from "@tessera/interchange";
import { checkReaders, mangled, randomFrom } from "./interchange.mjs";

const [count = 100_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2, 4).map(Number);
const fixtures = fileURLToPath(new URL("../../packages/interchange/test/fixtures/", import.meta.url));
const files = [...readdirSync(fixtures).map((name) => fixtures + name), ...process.argv.slice(4)];
const corpus = files.map((file) => Uint8Array.from(readFileSync(file)));
const random = randomFrom(seed);
const answers = new Map();
console.log(`${count} files from ${corpus.length}, seed ${seed}`);
for (let i = 1; i <= count; i += 1) {
  const bytes = mangled(corpus, random);
  const started = performance.now();
  try {
    const answer = checkReaders(bytes, { ...interchange, core });
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  } catch (error) {
    const name = `interchange-fuzz-${seed}-${i}.bin`;
    writeFileSync(name, bytes);
    console.error(`file ${i} of seed ${seed}, left as ${name}:`, error);
    process.exit(1);
  }
  const ms = performance.now() - started;
  if (ms > 5000) console.log(`file ${i}: ${bytes.length} bytes took ${Math.round(ms)} ms`);
  if (i % 10_000 === 0) console.log(`${i} files`);
}
const table = [...answers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([answer, n]) => `${answer} ${n}`);
console.log(table.join("\n"));
