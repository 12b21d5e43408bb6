/**
 * @module The soundness checker on real nets: each net of a folder proved with its certificates checked, times apart from
 * parsing; and the exploration of large state spaces. Reads the nets beside the repository, if they are there.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { importBpmn, importNet } from "@tessera/interchange";
import { checkLines, checkWorkflowEvidence, exploreNet, proveNet, proveWorkflow } from "@tessera/proofs";
import { calibrate } from "./harness.mjs";

const DATA = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../shared/data");
/** So many that the median of a small net is not that of the rounds in which garbage happened to be collected there. */
const ROUNDS = 25;
/** Rounds of one model at most, and after so long no further one begins. */
const MODEL_ROUNDS = 36;
const BUDGET_MS = 5_000;
/** Limits of the models: they are decided by structure, so more is never needed, and a regression ends soon. */
const LIMITS = { statesMax: 20_000, statesAfterFailureMax: 2_000, timeoutMs: 5_000 };
const LARGE = [
  "ParamProductionCell-PT-3",
  "DoubleExponent-PT-003",
  "IOTPpurchase-PT-C03M03P03D03",
  "SatelliteMemory-PT-X01000Y0032",
  "ShieldIIPs-PT-001B",
];

/** A verdict whose evidence is not accepted ends the measurement: a figure of a wrong answer is none. */
function supported(file, checks) {
  const bad = checks.find(({ kind }) => kind === "invalid");
  if (bad !== undefined) throw new Error(`${file}: ${bad.reason}`);
}

/** Median of `values`. */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Proves every net in each round, and checks what was answered. Times in milliseconds that passed. */
function proveAll(nets) {
  const totals = [];
  const each = nets.map(() => []);
  let open = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    open = 0;
    let total = 0;
    nets.forEach(({ file, net }, index) => {
      const started = performance.now();
      const report = proveNet(net);
      supported(file, checkLines(net, [...report.obligations, { id: "sound", verdict: report.soundness }]));
      const ms = performance.now() - started;
      total += ms;
      each[index].push(ms);
      if (report.sound === null) open += 1;
    });
    totals.push(total);
  }
  const slowest = nets
    .map(({ file }, index) => ({ file, ms: median(each[index]) }))
    .sort((a, b) => b.ms - a.ms);
  return { totalMs: median(totals), slowest: slowest.slice(0, 3), open };
}

function folder(name) {
  const at = path.join(DATA, "nets/workflow-nets", name);
  const started = performance.now();
  const nets = readdirSync(at)
    .filter((file) => file.endsWith(".pnml"))
    .map((file) => {
      const result = importNet(readFileSync(path.join(at, file)), { fileName: file });
      if (!result.ok) throw new Error(file);
      return { file, net: result.value.net };
    });
  return { nets, parseMs: performance.now() - started };
}

/** Median of what `round` takes, warmed up: the second half of the rounds that fit the budget. */
function timed(round) {
  const times = [];
  const until = performance.now() + BUDGET_MS;
  for (let count = 0; count < MODEL_ROUNDS && (count === 0 || performance.now() < until); count += 1) {
    const started = performance.now();
    round();
    times.push(performance.now() - started);
  }
  return median(times.slice(Math.floor(times.length / 2)));
}

/** One model: soundness with O1 to O4 of its net, and everything that is asked of a workflow; each with its evidence checked. */
async function blocks(file) {
  const imported = await importBpmn(readFileSync(path.join(DATA, "bpmn/rba-benchmark", file)));
  if (!imported.ok) throw new Error(file);
  const { value: compiled } = compile(imported.value.processes.at(-1).definition, STANDARD_KINDS);
  const { net } = compiled;
  let sound = null;
  const netMs = timed(() => {
    const report = proveNet(net, { limits: LIMITS });
    supported(file, checkLines(net, [...report.obligations, { id: "sound", verdict: report.soundness }]));
    sound = report.sound;
  });
  const workflowMs = timed(() => {
    const { obligations } = proveWorkflow(compiled, { limits: LIMITS });
    const isOfNet = ({ id }) => /^(?:O[1-4]|deadlock|bounded)$/.test(id);
    supported(file, checkLines(net, obligations.filter(isOfNet)));
    supported(
      file,
      obligations.filter((line) => !isOfNet(line)).map((line) => checkWorkflowEvidence(compiled, line)),
    );
  });
  return { nodes: compiled.definition.nodes.length, sound, netMs, workflowMs };
}

function explored(name) {
  const result = importNet(readFileSync(path.join(DATA, "nets/mcc", `${name}.pnml`)), { fileName: name });
  const rounds = [];
  for (let round = 0; round < 3; round += 1) {
    const started = performance.now();
    const found = exploreNet(result.value.net, { limits: { statesMax: 10_000_000, bytesMax: 2 ** 31 } });
    rounds.push({ found, ms: performance.now() - started });
  }
  const ms = median(rounds.map((round) => round.ms));
  const { found } = rounds[0];
  return {
    name,
    states: found.states,
    firings: found.firings,
    perSecond: (found.states / ms) * 1000,
    bytesPerState: found.bytes / found.states,
  };
}

/** The lines of the figures, each when it is known. */
async function* figures() {
  for (const name of ["ibm", "sap"]) {
    const { nets, parseMs } = folder(name);
    const { totalMs, slowest, open } = proveAll(nets);
    const worst = slowest.map(({ file, ms }) => `${file} ${ms.toFixed(2)} ms`).join(", ");
    yield `${name}: ${nets.length} nets in ${totalMs.toFixed(0)} ms (parsing ${parseMs.toFixed(0)} ms), ${open} open; slowest ${worst}`;
  }
  for (const file of ["p17x01.bpmn", "400.bpmn", "500.bpmn"]) {
    if (!existsSync(path.join(DATA, "bpmn/rba-benchmark", file))) continue;
    const { nodes, sound, netMs, workflowMs } = await blocks(file);
    const verdict = sound === null ? "not decided" : sound ? "sound" : "not sound";
    yield `${file}: ${nodes} nodes, ${verdict}: its net ${netMs.toFixed(2)} ms, the whole report ${workflowMs.toFixed(2)} ms`;
  }
  for (const name of LARGE) {
    const { states, firings, perSecond, bytesPerState } = explored(name);
    yield `${name}: ${states} states, ${firings} firings, ${Math.round(perSecond)} states/s, ${bytesPerState.toFixed(1)} bytes a state`;
  }
}

if (existsSync(DATA)) {
  for await (const line of figures())
    process.stdout.write(`${line} (calibration loop ${calibrate().toFixed(0)} ms)\n`);
} else process.stdout.write("skipped: the nets are not beside the repository\n");
