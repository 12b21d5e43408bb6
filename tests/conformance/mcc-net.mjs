/**
 * @module Everything that the table of the Model Checking Contest says of one net, as far as time goes: a line of JSON for
 * each answer as soon as it is there, so that whoever waits for it can end the process at any time.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { importNet } from "@tessera/interchange";
import { askNet, exploreNet } from "@tessera/proofs";

const [file = "", seconds = "20", megabytes = "2048"] = process.argv.slice(2);
const began = performance.now();
const leftMs = () => Number(seconds) * 1000 - (performance.now() - began);
const bytesMax = Number(megabytes) * 1024 * 1024 * 0.75;
const answered = new Set();

function tell(column, value) {
  if (answered.has(column)) return;
  answered.add(column);
  process.stdout.write(`${JSON.stringify({ column, value: String(value) })}\n`);
}

/** Asks with a share of the time that is left. */
function ask(net, column, kind, isTrue, share) {
  if (answered.has(column)) return;
  const limits = { statesMax: 50_000_000, timeoutMs: Math.max(1, leftMs() * share), bytesMax };
  const answer = askNet(net, { kind }, { limits });
  if (answer.kind !== "unknown") tell(column, isTrue(answer.kind === "holds"));
}

const imported = importNet(readFileSync(file), { fileName: file });
if (!imported.ok) throw new Error(`${file}: ${JSON.stringify(imported.issues[0])}`);
const { net } = imported.value;
const same = (holds) => holds;
// What runs, structure, linear algebra and stubborn sets may decide, before all markings are looked at.
ask(net, "deadlock", "deadlock-free", (holds) => !holds, 0.15);
ask(net, "one_safe", "safe", same, 0.1);
ask(net, "quasi_live", "quasi-live", same, 0.1);
ask(net, "stable_marking", "stable-place", same, 0.1);
ask(net, "live", "live", same, 0.1);
const facts = exploreNet(net, {
  limits: { statesMax: 50_000_000, timeoutMs: Math.max(1, leftMs() * 0.6), bytesMax },
});
// What was met is enough for some answers; the others need all markings.
const bound = Math.max(...facts.bounds);
if (facts.deadMarkings > 0) tell("deadlock", true);
if (bound > 1) tell("one_safe", false);
if (facts.neverEnabled.length === 0) tell("quasi_live", true);
if (facts.limit === null) {
  tell("states", facts.states);
  tell("transitions", facts.firings);
  tell("max_token_in_place", bound);
  tell("deadlock", facts.deadMarkings > 0);
  tell("one_safe", bound <= 1);
  tell("quasi_live", facts.neverEnabled.length === 0);
}
ask(net, "stable_marking", "stable-place", same, 0.5);
ask(net, "live", "live", same, 1);
