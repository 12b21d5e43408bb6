/**
 * @module Every BPMN file of the data folder through import, compilation and proof: `node tests/conformance/bpmn-table.mjs [--files] [FOLDER ...]`.
 *
 * Build first (`npm run build`). Prints for each folder how many files were imported, refused (by code) and what the
 * checker says of the imported processes; with --files a line for each file.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { importBpmn } from "@tessera/interchange";
import { checkNet } from "@tessera/proofs";

export const BPMN = fileURLToPath(new URL("../../../shared/data/bpmn", import.meta.url));
const LIMITS = { statesMax: 20_000, statesAfterFailureMax: 2_000, timeoutMs: 4_000 };

/**
 * What becomes of one file: the codes that refused it, or a line for each process.
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
    const report = checkNet(compiled.value.net, { limits });
    const failing = report.obligations.filter(({ verdict }) => verdict.kind === "fails").map(({ id }) => id);
    const verdict = report.sound === null ? "unknown" : report.sound ? "sound" : "unsound";
    return { id: definition.id, verdict, failing, states: report.states };
  });
  return { kind: "imported", processes, warnings: imported.value.warnings };
}

async function main(given) {
  if (!existsSync(BPMN)) {
    console.log(`skipped: ${BPMN} is not there`);
    return;
  }
  const withFiles = given.includes("--files");
  const wanted = given.filter((argument) => !argument.startsWith("--"));
  const total = { files: 0, imported: 0 };
  const allCodes = new Map();
  for (const folder of readdirSync(BPMN).sort()) {
    if (wanted.length > 0 && !wanted.includes(folder)) continue;
    const row = { files: 0, imported: 0, verdicts: new Map(), codes: new Map() };
    for (const name of readdirSync(path.join(BPMN, folder), { recursive: true }).sort()) {
      if (!/\.(?:bpmn2?|xml)$/.test(name)) continue;
      row.files += 1;
      const started = performance.now();
      const result = await judgeFile(path.join(BPMN, folder, name));
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      if (result.kind === "imported") {
        row.imported += 1;
        for (const { verdict } of result.processes) add(row.verdicts, verdict);
      } else
        for (const code of result.codes) {
          add(row.codes, code);
          add(allCodes, code);
        }
      if (withFiles) {
        const what =
          result.kind === "refused"
            ? result.codes.join(" ")
            : result.processes
                .map((p) => `${p.id} ${p.verdict} ${(p.failing ?? []).join("+")} ${p.states ?? ""}`)
                .join("; ");
        console.log(`  ${folder}/${name}: ${result.kind} ${what} (${seconds} s)`);
      }
    }
    total.files += row.files;
    total.imported += row.imported;
    console.log(
      `${folder}: ${row.files} files, ${row.imported} imported (${list(row.verdicts)}); refused: ${list(row.codes)}`,
    );
  }
  console.log(`total: ${total.files} files, ${total.imported} imported; refused by code: ${list(allCodes)}`);
}

function add(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function list(counts) {
  return (
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, count]) => `${key} ${count}`)
      .join(", ") || "-"
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
