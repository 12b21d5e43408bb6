/** @module What `tessera check` says of a file: its verdicts, how they are printed, and the exit code that they make. */
import type { Json, JsonObject, Net } from "@tessera/core";
import { type CheckableLine, type Level, type RepairHint, wordOf } from "@tessera/proofs";
import type { GuardFinding } from "@tessera/proofs/smt";
import { EXIT, mark } from "../io.ts";
import type { ToldLines } from "../told-lines.ts";
import { guardJson, guardLines } from "./check-solver.ts";

/** One obligation as printed. */
export interface Line {
  readonly id: string;
  readonly verdict: "holds" | "fails" | "unknown";
  /** Of what the verdict speaks, where that was asked: guards as free choices, or on values. */
  readonly level?: Level;
  readonly method: string;
  /** Reported, and not owed. */
  readonly isDiagnosis?: true;
  readonly witness?: Json;
  /** What is wrong, for people: in elements, with the steps that lead there. */
  readonly message?: string;
  readonly told?: ToldLines;
  readonly limit?: Json;
  /** With --smt, where z3 had a share: does the verdict rest on its word? */
  readonly solver?: { readonly name: string; readonly isTrusted: boolean };
}

/** What a certificate is made of. */
export interface Proof {
  readonly net: Net;
  readonly lines: readonly CheckableLine[];
  /** What is said of the data, with its evidence. */
  readonly data?: JsonObject | null;
}

/** One file's answer: verdicts, or why there are none. */
export type FileReport =
  | {
      readonly file: string;
      readonly sound: boolean | null;
      readonly obligations: readonly Line[];
      readonly ms: number;
      readonly assumptions?: readonly string[];
      /** Changes of one gateway each that would make it sound. */
      readonly hints?: readonly RepairHint[];
      /** With --smt: what z3 says of the guards of each node by themselves. */
      readonly guards?: readonly GuardFinding[];
      /** With --smt: the conditions that z3 does not decide, with the reasons. */
      readonly left?: readonly string[];
      readonly proof: Proof;
    }
  | { readonly file: string; readonly error: string; readonly issues: readonly string[] };

/** What `--json` prints of a file. */
export function withoutIssues(report: FileReport): JsonObject {
  if ("error" in report) return { file: report.file, error: report.issues.join("\n") };
  const { file, sound, ms, assumptions = [], hints = [], guards, left = [] } = report;
  const obligations = report.obligations.map(({ told: _told, ...rest }) => rest);
  const line = {
    file,
    sound,
    obligations: obligations as unknown as Json,
    ms: Math.round(ms * 100) / 100,
    ...(guards === undefined ? {} : { guards: guardJson(guards) }),
    ...(left.length === 0 ? {} : { left: [...left] }),
    ...(hints.length === 0 ? {} : { hints: hints as unknown as Json }),
  };
  // A verdict that rests on something that the file does not say must say so.
  return assumptions.length === 0 ? line : { ...line, assumptions: [...assumptions] };
}

/** What people read of a file. */
export function readable(report: FileReport): readonly string[] {
  if ("error" in report) return report.issues.map((line) => mark.bad(line));
  const verdict =
    report.sound === null ? mark.open("unknown") : report.sound ? mark.good("sound") : mark.bad("not sound");
  const runs = new Map<string, string>();
  return [
    `${report.file}: ${verdict} ${mark.dim(`(${report.ms.toFixed(1)} ms)`)}`,
    ...report.obligations.flatMap((line) => obligationLines(line, runs)),
    ...guardLines(report.guards ?? []),
    ...(report.left ?? []).map((text) => `  open     ${text}`),
    ...(report.hints ?? []).map((hint) => `  hint: ${hintText(hint)}, and the workflow is sound`),
    ...(report.assumptions ?? []).map((text) => mark.dim(`  assuming: ${text}`)),
  ];
}

/** The change in the words of the gateways: parallel, exclusive, inclusive. */
function hintText({ node, label, part, from, to }: RepairHint): string {
  const kinds = { any: "exclusive", first: "exclusive", all: "parallel", or: "inclusive" } as const;
  const name = wordOf(label === undefined ? { id: node } : { id: node, name: label });
  return `make the ${part} of ${name} ${kinds[to]} (${to}) instead of ${kinds[from]} (${from})`;
}

/** What each obligation says, for people. */
export const OBLIGATIONS: Readonly<Record<string, string>> = {
  O1: "option to complete",
  O2: "proper completion",
  O3: "no dead transition",
  O4: "1-safe",
  O5: "outcomes and guards total",
  O6: "joins can be reached",
  O7: "loops bounded",
  O8: "loop verdicts honest",
  O9: "parallel branches safe",
  O12: "subprocess returns",
  O13: "agents enclosed",
  deadlock: "no deadlock",
  bounded: "bounded",
};

/** `runs`: those that were printed already, by their lines, with the obligation that they stand at. */
function obligationLines(line: Line, runs: Map<string, string>): readonly string[] {
  const { id, verdict, level, method, witness, told, limit } = line;
  const shown =
    verdict === "holds" ? mark.good("holds") : verdict === "fails" ? mark.bad("fails") : mark.open("unknown");
  const head = `  ${id.padEnd(8)} ${(OBLIGATIONS[id] ?? "").padEnd(26)} ${shown}${level === undefined ? "" : `@${level}`} ${mark.dim(method)}`;
  if (told !== undefined) {
    const run = told.steps.join("\n");
    const before = runs.get(run);
    runs.set(run, before ?? id);
    const isRepeated = before !== undefined && told.steps.length > 0;
    const steps = isRepeated ? [`after the steps shown at ${before}`] : told.steps;
    return [head, ...[...told.what, ...steps].map((text) => `           ${text}`)];
  }
  const details = witness ?? limit;
  return details === undefined ? [head] : [head, `           ${JSON.stringify(details)}`];
}

/** The exit code of a file. */
export function exitOf(report: FileReport): number {
  if ("error" in report) return EXIT.badInput;
  if (
    report.sound === false ||
    report.obligations.some((line) => line.verdict === "fails" && isDemanded(line) && !isSpurious(line))
  )
    return EXIT.fails;
  if (
    report.sound === null ||
    report.obligations.some((line) => isDemanded(line) && (line.verdict === "unknown" || isSpurious(line)))
  )
    return EXIT.unknown;
  return EXIT.done;
}

/** Values were asked for, and the failure is one of the net with its guards as free choices: no run need show it. */
function isSpurious({ id, verdict, level }: Line): boolean {
  return verdict === "fails" && level === "net" && ["O1", "O2", "O3", "O4"].includes(id);
}

/**
 * deadlock, boundedness and O6 are diagnoses beside the obligations, and a bare net owes no 1-safeness. O9 is owed where
 * the definition asks for it.
 */
function isDemanded({ id, isDiagnosis }: Line): boolean {
  return isDiagnosis !== true && !["deadlock", "bounded", "O6", "O4"].includes(id);
}

/** Bad input outranks fails, which outranks unknown, which outranks holds. */
export function worse(left: number, right: number): number {
  const rank = [EXIT.done, EXIT.unknown, EXIT.fails, EXIT.badInput] as readonly number[];
  return rank.indexOf(left) > rank.indexOf(right) ? left : right;
}
