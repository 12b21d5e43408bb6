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
import { checkEvidence, checkWorkflowEvidence, exploreNet, proveNet, proveWorkflow } from "@tessera/proofs";
import { calibrate } from "./harness.mjs";

const DATA = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../shared/data");
const ROUNDS = 9;
const LARGE = [
  "ParamProductionCell-PT-3",
  "DoubleExponent-PT-003",
  "IOTPpurchase-PT-C03M03P03D03",
  "SatelliteMemory-PT-X01000Y0032",
  "ShieldIIPs-PT-001B",
];

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
    nets.forEach(({ net }, index) => {
      const started = performance.now();
      const report = proveNet(net);
      for (const { id, verdict } of report.obligations) checkEvidence(net, id, verdict);
      checkEvidence(net, "sound", report.soundness);
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

async function blocks(file) {
  const imported = await importBpmn(readFileSync(path.join(DATA, "bpmn/rba-benchmark", file)));
  if (!imported.ok) throw new Error(file);
  const compiled = compile(imported.value.processes.at(-1).definition, STANDARD_KINDS);
  const times = [];
  let report;
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const started = performance.now();
    report = proveWorkflow(compiled.value);
    for (const line of report.obligations) checkWorkflowEvidence(compiled.value, line);
    times.push(performance.now() - started);
  }
  return {
    file,
    nodes: compiled.value.definition.nodes.length,
    sound: report.sound,
    ms: median(times.slice(ROUNDS)),
  };
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
    edges: found.edges,
    perSecond: (found.states / ms) * 1000,
    bytesPerState: found.bytes / found.states,
  };
}

export async function run() {
  if (!existsSync(DATA)) return { title: "proofs", skipped: "the nets are not beside the repository" };
  const calibrationMs = [calibrate()];
  const lines = [];
  for (const name of ["ibm", "sap"]) {
    const { nets, parseMs } = folder(name);
    const { totalMs, slowest, open } = proveAll(nets);
    lines.push(
      `  ${name}: ${nets.length} nets in ${totalMs.toFixed(0)} ms (parsing ${parseMs.toFixed(0)} ms), ${open} open; slowest ${slowest.map(({ file, ms }) => `${file} ${ms.toFixed(2)} ms`).join(", ")}`,
    );
    calibrationMs.push(calibrate());
  }
  for (const file of ["p17x01.bpmn", "400.bpmn", "500.bpmn"]) {
    if (!existsSync(path.join(DATA, "bpmn/rba-benchmark", file))) continue;
    const { nodes, sound, ms } = await blocks(file);
    lines.push(`  ${file}: ${nodes} nodes, ${sound ? "sound" : "not shown sound"}, ${ms.toFixed(2)} ms`);
  }
  calibrationMs.push(calibrate());
  for (const name of LARGE) {
    const { states, edges, perSecond, bytesPerState } = explored(name);
    lines.push(
      `  ${name}: ${states} states, ${edges} firings, ${Math.round(perSecond)} states/s, ${bytesPerState.toFixed(1)} bytes a state`,
    );
    calibrationMs.push(calibrate());
  }
  return { calibrationMs, lines };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { lines = [], calibrationMs = [], skipped } = await run();
  process.stdout.write(
    `${skipped ?? `calibration loop ${calibrationMs.map((ms) => ms.toFixed(0)).join(" ")} ms`}\n${lines.join("\n")}\n`,
  );
}
