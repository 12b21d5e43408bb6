/**
 * @module Every file of the data folder through the front door: `node tests/conformance/front-door.mjs [--write] [--no-proofs] [FOLDER ...]`.
 *
 * Build first (`npm run build`). For each file: refused, with the codes; or imported, with the verdict of the checker and,
 * for BPMN, what a run with scripted answers came to. Prints figures by folder; with --write also docs/front-door.md.
 * With --no-proofs, which is quick, no verdicts are asked for. Limits are in states, so that the table is the same on every machine; a limit in time only ends what is stuck.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "@tessera/core";
import { orJoinRules, STANDARD_KINDS } from "@tessera/gateways";
import { detectFormat, importBpmn, importNet, importYawl } from "@tessera/interchange";
import { checkNet, proveWorkflow } from "@tessera/proofs";
import { runScripted } from "./scripted-run.mjs";

export const DATA = fileURLToPath(new URL("../../../shared/data", import.meta.url));
/** The folder of BPMN files. */
export const BPMN = path.join(DATA, "bpmn");
const LIMITS = { statesMax: 3_000, statesAfterFailureMax: 500, timeoutMs: 5_000 };
const BPMN_FILE = /\.(?:bpmn2?|xml)$/;
const NET_FILE = /\.(?:pnml|pnmlx|lola|net|yawl|ywl|xml)$/;

/**
 * Folders below the data folder, with the files in each.
 *
 * @returns {[folder: string, files: string[]][]}
 */
export function folders() {
  const found = [];
  const add = (below, pattern) => {
    for (const { name } of readdirSync(path.join(DATA, below), { withFileTypes: true }).filter((e) =>
      e.isDirectory(),
    )) {
      const folder = `${below}/${name}`;
      const files = readdirSync(path.join(DATA, folder), { recursive: true, encoding: "utf8" });
      found.push([folder, files.filter((file) => pattern.test(file)).sort()]);
    }
  };
  add("bpmn", BPMN_FILE);
  add("nets", NET_FILE);
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * What becomes of one BPMN file: the codes that refused it, or the verdict on each process.
 *
 * @param {string} file
 * @param {{ statesMax: number, statesAfterFailureMax: number, timeoutMs: number }} [limits]
 * @returns {Promise<
 *   | { kind: "refused", codes: string[], issues: readonly import("@tessera/core").Issue[] }
 *   | { kind: "imported", warnings: readonly import("@tessera/core").Issue[],
 *       processes: { id: string, verdict: string, failing?: string[], states?: number }[] }>}
 */
export async function judgeFile(file, limits = LIMITS) {
  const imported = await importBpmn(readFileSync(file));
  if (!imported.ok)
    return {
      kind: "refused",
      codes: [...new Set(imported.issues.map(({ code }) => code))],
      issues: imported.issues,
    };
  const processes = imported.value.processes.map(({ definition }) => {
    const compiled = compile(definition, STANDARD_KINDS);
    if (!compiled.ok) return { id: definition.id, verdict: "not compiled", issues: compiled.issues };
    const report = proveWorkflow(compiled.value, { limits });
    const failing = report.obligations.filter(({ verdict }) => verdict.kind === "fails").map(({ id }) => id);
    const verdict = report.sound === null ? "unknown" : report.sound ? "sound" : "unsound";
    return { id: definition.id, verdict, failing, states: report.states };
  });
  return { kind: "imported", processes, warnings: imported.value.warnings };
}

/** What becomes of one file, as a class (a line of the table groups files by it) and as facts. */
export async function judge(folder, file, isUnproved = false) {
  const bytes = readFileSync(path.join(DATA, folder, file));
  if (!folder.startsWith("bpmn/")) return judgeNet(file, bytes, isUnproved);
  return judgeBpmn(bytes, { prove: !isUnproved });
}

/**
 * Refused, or imported, proved and run, as far as that is wanted.
 *
 * @param {Uint8Array} bytes
 * @param {{ prove?: boolean, run?: boolean }} [wanted]
 * @returns {Promise<
 *   | { kind: "refused", codes: string[], issues: readonly import("@tessera/core").Issue[], class: string }
 *   | { kind: "imported", verdict: string, end: string, ran?: { kind: string, code?: string }, class: string }>}
 */
export async function judgeBpmn(bytes, { prove = true, run = true } = {}) {
  const imported = await importBpmn(bytes);
  if (!imported.ok) return refusal(imported.issues);
  const definitions = imported.value.processes.map(({ definition }) => definition);
  const verdicts = prove ? definitions.map(verdictOf) : [];
  const ran = run ? await runScripted(definitions) : undefined;
  const end = ran === undefined ? "" : ran.kind === "fails" ? `run fails (${ran.code})` : `run ${ran.kind}`;
  return {
    kind: "imported",
    verdict: worst(verdicts),
    end,
    ran,
    class: [worst(verdicts), end].filter(Boolean).join(", ") || "imported",
  };
}

function verdictOf(definition) {
  const compiled = compile(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new Error(`${definition.id}: ${compiled.issues[0]?.message}`);
  const report = proveWorkflow(compiled.value, { limits: LIMITS });
  return verdictText(report);
}

function verdictText({ sound, obligations }) {
  if (sound === true) return "sound";
  if (sound === null) return "unknown";
  const failing = obligations.filter(({ id, verdict }) => verdict.kind === "fails" && /^O[1-4]$/.test(id));
  return `unsound (${failing.map(({ id }) => id).join(" ")})`;
}

/** The verdict of a file with several processes: the first that is not sound. */
function worst(verdicts) {
  return (
    verdicts.find((verdict) => verdict.startsWith("unsound")) ??
    verdicts.find((v) => v !== "sound") ??
    verdicts[0] ??
    ""
  );
}

function judgeNet(file, bytes, isUnproved) {
  if (detectFormat(bytes, file) === "yawl") return judgeYawl(bytes, isUnproved);
  const imported = importNet(bytes, { fileName: file });
  if (!imported.ok) return refusal(imported.issues);
  if (isUnproved) return { kind: "imported", verdict: "", end: "", class: "imported" };
  const report = checkNet(imported.value.net, { limits: LIMITS });
  const verdict = verdictText(report);
  return { kind: "imported", verdict, end: "", class: verdict };
}

/** A YAWL specification is a net definition, with the rules of its OR joins. */
function judgeYawl(bytes, isUnproved) {
  const imported = importYawl(bytes);
  if (!imported.ok) return refusal(imported.issues);
  if (isUnproved) return { kind: "imported", verdict: "", end: "", class: "imported" };
  const compiled = compile(imported.value.definition, STANDARD_KINDS);
  if (!compiled.ok) throw new Error(`${imported.value.name}: ${compiled.issues[0]?.message}`);
  const rules = orJoinRules(compiled.value);
  const verdict = verdictText(checkNet(compiled.value.net, { limits: LIMITS, rules }));
  return { kind: "imported", verdict, end: "", class: verdict };
}

function refusal(issues) {
  const codes = [...new Set(issues.map(({ code }) => code))].sort();
  return /** @type {const} */ ({ kind: "refused", codes, issues, class: `refused: ${codes.join(" ")}` });
}

async function main(given) {
  if (!existsSync(DATA)) {
    console.log(`skipped: ${DATA} is not there`);
    return;
  }
  const wanted = given.filter((argument) => !argument.startsWith("--"));
  const tables = [];
  for (const [folder, files] of folders()) {
    if (wanted.length > 0 && !wanted.some((name) => folder.startsWith(name))) continue;
    const classes = new Map();
    for (const file of files) {
      const { class: name } = await judge(folder, file, given.includes("--no-proofs"));
      classes.set(name, [...(classes.get(name) ?? []), file]);
    }
    tables.push({ folder, files, classes });
    const refused = [...classes].reduce(
      (n, [name, list]) => n + (name.startsWith("refused") ? list.length : 0),
      0,
    );
    console.log(`${folder}: ${files.length} files, ${files.length - refused} imported`);
  }
  if (given.includes("--write"))
    writeFileSync(
      new URL("../../docs/front-door.md", import.meta.url),
      document(tables, given.includes("--no-proofs")),
    );
}

/** The table: figures by folder, then every file under what became of it. */
function document(tables, isUnproved) {
  const figures = tables.map(({ folder, files, classes }) => {
    const count = (test) => [...classes].reduce((n, [name, list]) => n + (test(name) ? list.length : 0), 0);
    const refused = count((name) => name.startsWith("refused"));
    const verdicts = (name) => (isUnproved ? "-" : count((each) => each.startsWith(name)));
    const cells = [
      folder,
      files.length,
      files.length - refused,
      verdicts("sound"),
      verdicts("unsound"),
      verdicts("unknown"),
      folder.startsWith("bpmn/") ? count((name) => name.endsWith("run completed")) : "-",
      refused,
    ];
    return cells;
  });
  const sum = (rows, name) =>
    rows.reduce(
      (total, row) => total.map((cell, i) => (i === 0 ? name : cell + (Number(row[i]) || 0))),
      Array(8).fill(0),
    );
  const bpmn = figures.filter(([folder]) => folder.startsWith("bpmn/"));
  const nets = figures.filter(([folder]) => folder.startsWith("nets/"));
  const rows = [...bpmn, sum(bpmn, "**all BPMN**"), ...nets, sum(nets, "**all nets**").with(6, "-")];
  const lines = tables.flatMap(({ folder, classes }) => [
    `## ${folder}`,
    "",
    ...[...classes]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, files]) => `- **${name}** (${files.length}): ${files.join(", ")}`),
    "",
  ]);
  return `${[
    "# Every file through the front door",
    "",
    "Generated by `node tests/conformance/front-door.mjs --write` from files of other projects, which are not part of this repository.",
    "A file is refused with the codes of its issues (docs/errors.md), or imported. Then: the verdict on O1 to O4 at the level of the net,",
    `unknown beyond ${LIMITS.statesMax} states or ${LIMITS.timeoutMs / 1000} s; and what a run of all its processes with scripted answers came to. An unsound verdict`,
    "names the obligations that fail. A run that fails does so for a reason that it records, for example an exclusive gateway none of",
    "whose conditions holds, or a deadlock that the verdict names too.",
    ...(isUnproved ? ["", "This table was made with `--no-proofs`: its verdicts are left out."] : []),
    "",
    "| folder | files | imported | sound | unsound | unknown | run to the end | refused |",
    "| --- | --: | --: | --: | --: | --: | --: | --: |",
    ...rows.map(
      (cells) => `| ${cells.map((cell, i) => (isUnproved && i > 2 && i < 6 ? "-" : cell)).join(" | ")} |`,
    ),
    "",
    ...lines,
  ]
    .join("\n")
    .trimEnd()}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
