import type { Net } from "@tessera/core";
import { checkEvidence, checkNet, type NetReport, proveNet } from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { hasNets, readNet, readVerdicts, STRIDE } from "./real-nets.ts";

/** Every `STRIDE`th row of a folder, checked with the default limits. */
function checkFolder(folder: "ibm" | "sap", check: (net: Net) => NetReport = checkNet) {
  const rows = readVerdicts("workflow-nets").filter((row) => row["set"]!.toLowerCase().startsWith(folder));
  const wrong: string[] = [];
  let answered = 0;
  let sampled = 0;
  let states = 0;
  for (const [index, row] of rows.entries()) {
    if (index % STRIDE !== 0) continue;
    sampled += 1;
    const name = row["net"]!;
    const net = readNet(`workflow-nets/${folder}`, `${name}.pnml`);
    const report = check(net);
    states += report.states;
    if (report.sound !== null) answered += 1;
    if (report.sound !== null && report.sound !== (row["soundness"] === "sound"))
      wrong.push(`${name}: soundness`);
    wrong.push(...disagreements(name, row, report, check === checkNet));
    for (const { id, verdict } of report.obligations) {
      if (verdict.kind === "fails" && checkEvidence(net, id, verdict).kind === "invalid")
        wrong.push(`${name}: evidence ${id}`);
    }
    if (checkEvidence(net, "sound", report.soundness).kind === "invalid") wrong.push(`${name}: evidence`);
  }
  process.stderr.write(`${folder}: ${answered} of ${sampled} answered, ${states} markings\n`);
  return { wrong, answered, sampled };
}

/** Counts of markings and dead transitions where both sides know them. */
function disagreements(
  name: string,
  row: Readonly<Record<string, string>>,
  report: NetReport,
  isPlain: boolean,
): string[] {
  const found: string[] = [];
  // The pipeline counts the markings of a smaller net.
  if (isPlain && report.complete && Number(row["states"]) !== report.states && /^\d+$/.test(row["states"]!)) {
    found.push(`${name}: ${report.states} markings, not ${row["states"]}`);
  }
  if (isPlain && report.complete && !/^\d+$/.test(row["states"]!) && report.states <= 200_000)
    found.push(`${name}: not finite`);
  const o3 = report.obligations.find(({ id }) => id === "O3")!.verdict;
  const dead = o3.kind === "fails" && o3.evidence.kind === "E3" ? o3.evidence.dead.length : 0;
  if (row["dead_transitions"] === "" || o3.kind === "unknown") return found;
  const expected = Number(row["dead_transitions"]);
  // An incomplete search may show fewer transitions dead than there are, never more, and never none if there are some.
  const agrees = report.complete ? dead === expected : dead <= expected && dead > 0 === expected > 0;
  if (!agrees) found.push(`${name}: ${dead} dead transitions, not ${expected}`);
  return found;
}

describe.runIf(hasNets("workflow-nets"))("industrial workflow nets", () => {
  it("[D8.8] [D8.9] IBM: no wrong verdict, all evidence valid, at least 95 % answered", () => {
    const { wrong, answered, sampled } = checkFolder("ibm");
    expect(wrong).toEqual([]);
    expect(sampled).toBeGreaterThan(180);
    expect(answered / sampled).toBeGreaterThanOrEqual(0.95);
  }, 600_000);

  it("[D8.8] [D8.9] SAP: no wrong verdict, all evidence valid, at least 75 % answered", () => {
    const { wrong, answered, sampled } = checkFolder("sap");
    expect(wrong).toEqual([]);
    expect(sampled).toBeGreaterThan(50);
    expect(answered / sampled).toBeGreaterThanOrEqual(0.75);
  }, 600_000);

  it.each(["ibm", "sap"] as const)(
    "[T13.1] [T13.2] [D8.8] %s: the pipeline decides every net, with valid evidence",
    (folder) => {
      const { wrong, answered, sampled } = checkFolder(folder, (net) => proveNet(net));
      expect(wrong).toEqual([]);
      expect(answered).toBe(sampled);
    },
    600_000,
  );
});
