/**
 * @module `npm run bench:growth`: how the time of a proof, its evidence checked, grows with the process: blocks in a row, loops in each
 * other, branches side by side. Writes docs/growth.svg and docs/growth.md.
 */
import fs from "node:fs";
import path from "node:path";
import {
  compileWorkflow,
  composeWorkflow,
  human,
  inclusive,
  loop,
  parallel,
  sequence,
  step,
  verifier,
  when,
} from "@tessera/core";
import { orJoinRules, STANDARD_KINDS } from "@tessera/gateways";
import { checkLines, checkWorkflowEvidence, proveWorkflow } from "@tessera/proofs";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { calibrate } from "./harness.mjs";

const DOCS = path.resolve(import.meta.dirname, "../docs");
const ROUNDS = 9;
/** A size is not measured again once its rounds took so long, and no greater size after one that took longer. */
const BUDGET_MS = 4_000;
const STATES_MAX = 200_000;

const upTo = (count) => Array.from({ length: count }, (_, index) => index);
const ask = (id) => step(id, human());

/** What is proved: a name, the sizes, the body of a size. */
const FAMILIES = [
  {
    name: "n blocks of two parallel branches in a row",
    sizes: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    body: (n) => sequence(...upTo(n).map((at) => parallel(`p${at}`, ask(`a${at}`), ask(`b${at}`)))),
  },
  {
    name: "n parallel branches",
    sizes: [2, 5, 10, 20, 50, 100, 200, 500, 1_000],
    body: (n) => parallel("p", ...upTo(n).map((at) => ask(`a${at}`))),
  },
  {
    name: "n inclusive branches",
    sizes: [2, 5, 10, 20, 50, 100, 200, 500, 1_000],
    body: (n) =>
      inclusive(
        "o",
        upTo(n).map((at) => when({ predicate: `k${at}` }, ask(`a${at}`))),
        ask("none"),
      ),
  },
  {
    name: "n governed loops in each other",
    sizes: [1, 2, 3, 4, 5, 6, 8, 10, 15, 20],
    body: (n) => upTo(n).reduce((inner, at) => nested(inner, at), ask("work")),
  },
];

function nested(body, at) {
  return loop(`l${at}`, {
    budget: 3,
    proves: "the work was found good",
    body,
    verify: step(`v${at}`, verifier({ passKey: `passed${at}`, reads: [] })),
    repair: step(`r${at}`, human()),
    exhausted: ask(`x${at}`),
  });
}

function compiledOf(body) {
  const { definition } = composeWorkflow({ id: "growth", body });
  const compiled = compileWorkflow(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error.slice(0, 3)));
  return compiled.value;
}

const isOfNet = ({ id }) => /^(?:O[1-4]|deadlock|bounded)$/.test(id);

/** The median of the rounds, null where the proof reached a limit. */
function measured(compiled) {
  const times = [];
  const until = performance.now() + BUDGET_MS;
  let isDecided = true;
  for (let round = 0; round < ROUNDS && (round === 0 || performance.now() < until); round += 1) {
    const started = performance.now();
    const report = proveWorkflow(compiled, { limits: { states: STATES_MAX } });
    // What the lines on the net share is built once.
    const ofNet = report.obligations.filter(isOfNet);
    const rest = report.obligations.filter((line) => !isOfNet(line));
    const checks = [
      ...checkLines(compiled.net, ofNet, { rules: orJoinRules(compiled) }),
      ...rest.map((line) => checkWorkflowEvidence(compiled, line)),
    ];
    const bad = checks.find(({ kind }) => kind === "invalid");
    if (bad !== undefined) throw new Error(bad.reason);
    times.push(performance.now() - started);
    isDecided = report.sound === true;
  }
  times.sort((a, b) => a - b);
  return { ms: times[Math.floor(times.length / 2)], isDecided };
}

/** Both axes logarithmic: a straight line of slope 1 is linear growth. */
function plotOf(rows) {
  const spec = {
    width: 560,
    height: 360,
    background: "white",
    data: { values: rows },
    mark: { type: "line", point: true },
    encoding: {
      x: {
        field: "transitions",
        type: "quantitative",
        scale: { type: "log" },
        title: "transitions of the net",
      },
      y: {
        field: "ms",
        type: "quantitative",
        scale: { type: "log" },
        title: "proof and check of its evidence, ms",
      },
      color: {
        field: "name",
        type: "nominal",
        title: null,
        legend: { orient: "bottom", columns: 2, labelLimit: 400 },
      },
    },
  };
  return new View(parse(compile(spec).spec), { renderer: "none" }).toSVG();
}

/** The slope between the last two sizes on logarithmic axes: 1 is linear, 2 quadratic. */
function slopeOf(rows) {
  const [before, last] = rows.slice(-2);
  if (last === undefined) return null;
  return Math.log(last.ms / before.ms) / Math.log(last.transitions / before.transitions);
}

function pageOf(rows, calibrationMs) {
  const tables = FAMILIES.map(({ name }) => {
    const own = rows.filter((row) => row.name === name);
    const slope = slopeOf(own.filter(({ isDecided }) => isDecided));
    return [
      `## ${name[0].toUpperCase()}${name.slice(1)}`,
      "",
      ...(slope === null
        ? []
        : [
            `Growth between the last two decided sizes: transitions to the power of ${slope.toFixed(2)}.`,
            "",
          ]),
      "| n | places | transitions | ms | verdict |",
      "|---:|---:|---:|---:|---|",
      ...own.map(
        ({ n, places, transitions, ms, isDecided }) =>
          `| ${n} | ${places} | ${transitions} | ${ms.toFixed(2)} | ${isDecided ? "sound" : "unknown: limit reached"} |`,
      ),
      "",
    ].join("\n");
  });
  return `# How proofs grow

Made by \`npm run bench:growth\`: median of up to ${ROUNDS} rounds of \`proveWorkflow\` and of the check of all its evidence, one process, limit
${STATES_MAX.toLocaleString("en-US")} states; Node ${process.versions.node}, calibration loop ${calibrationMs.map((ms) => ms.toFixed(0)).join(" and ")} ms (before and after).
Each workflow is composed of the builder's blocks, so each is sound; what grows is the time to show it.

![Time of the proof against the size of the net](growth.svg)

${tables.join("\n")}`;
}

const rows = [];
const calibrationMs = [calibrate()];
for (const { name, sizes, body } of FAMILIES) {
  for (const n of sizes) {
    const compiled = compiledOf(body(n));
    const { ms, isDecided } = measured(compiled);
    const { places, transitions } = compiled.net;
    rows.push({ name, n, places: places.length, transitions: transitions.length, ms, isDecided });
    process.stdout.write(`${name}, n = ${n}: ${ms.toFixed(2)} ms${isDecided ? "" : ", not decided"}\n`);
    if (ms > BUDGET_MS || !isDecided) break;
  }
}
calibrationMs.push(calibrate());
fs.writeFileSync(path.join(DOCS, "growth.svg"), `${await plotOf(rows)}\n`);
fs.writeFileSync(path.join(DOCS, "growth.md"), pageOf(rows, calibrationMs));
