/**
 * @module Hostile files and large models at full size: `npm run hostile [-- ELEMENTS BYTES]`, 100,000 and 100 MB unless given.
 *
 * Prints processor time and memory of each; exits with 1 at an answer that is not the one expected.
 */
import * as core from "@tessera/core";
import * as gateways from "@tessera/gateways";
import * as interchange from "@tessera/interchange";
import { answerTo, hostileFiles, largeModels, longFiles } from "./models.mjs";

const [elements = 100_000, bytes = 100_000_000] = process.argv.slice(2).map(Number);
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let isRight = true;
const cases = [
  ...hostileFiles(elements),
  ...longFiles(bytes),
  ...largeModels(elements).map((model) => [...model, "read"]),
];
for (const [name, reader, given, expected] of cases) {
  const source = typeof given === "function" ? given() : given;
  const started = cpuMs();
  const answer = await answerTo(reader, source, { core, gateways, interchange });
  const ms = Math.round(cpuMs() - started);
  const megabytes = (source.length / 1e6).toFixed(1);
  const rss = Math.round(process.memoryUsage().rss / 1e6);
  isRight &&= answer === expected;
  const verdict = answer === expected ? answer : `${answer}, expected ${expected}`;
  console.log(
    `${name.padEnd(46)} ${megabytes.padStart(6)} MB ${String(ms).padStart(7)} ms ${String(rss).padStart(5)} MB rss  ${verdict}`,
  );
}
if (!isRight) process.exitCode = 1;
