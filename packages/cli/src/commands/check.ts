/** @module `tessera check`: proves files and prints verdicts with witnesses. */
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CompiledWorkflow,
  compile,
  type Definition,
  type Json,
  type JsonObject,
  type Net,
} from "@tessera/core";
import { orJoinRules, STANDARD_KINDS } from "@tessera/gateways";
import {
  type CheckableLine,
  certificateOf,
  type DataObligation,
  type DataReport,
  dataCertificate,
  explainEvidence,
  type Level,
  type Names,
  type NetEvidence,
  type NetReport,
  type ObligationResult,
  type ProofOptions,
  proveNet,
  proveWorkflow,
  type RepairHint,
  repairHints,
  type WorkflowObligation,
  type WorkflowReport,
  wordOf,
} from "@tessera/proofs";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { ENDINGS, issueLines, loadFile } from "../load-file.ts";
import { linesOfTold, type ToldLines, toldLines } from "../told-lines.ts";

/** Options of the command. */
export interface CheckCommand {
  readonly json: boolean;
  readonly statesMax?: number;
  readonly timeoutMs?: number;
  /** `data`: guards are asked on values as well. Default: the net alone. */
  readonly level?: Level;
  /** Where the certificate of the only file goes. */
  readonly certificate?: string;
}

/** One obligation as printed. */
interface Line {
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
}

/** What a certificate is made of. */
interface Proof {
  readonly net: Net;
  readonly lines: readonly CheckableLine[];
  /** What is said of the data, with its evidence. */
  readonly data?: JsonObject | null;
}

/** One file's answer: verdicts, or why there are none. */
type FileReport =
  | {
      readonly file: string;
      readonly sound: boolean | null;
      readonly obligations: readonly Line[];
      readonly ms: number;
      readonly assumptions?: readonly string[];
      /** Changes of one gateway each that would make it sound. */
      readonly hints?: readonly RepairHint[];
      readonly proof: Proof;
    }
  | { readonly file: string; readonly error: string; readonly issues: readonly string[] };

/**
 * Checks a file, or every definition and net below a directory in one process. Returns the worst exit code:
 * bad input > fails > unknown > holds. With `certificate` the evidence of the file's net is written there; of the process
 * to run, which is the last, where a file has several.
 */
export async function checkCommand(target: string, options: CheckCommand, io: Io): Promise<number> {
  const files = await filesOf(target);
  if (options.certificate !== undefined && files.length > 1)
    throw new UsageError(`${target}: a certificate is of one file`, "tessera check FILE --certificate OUT");
  let last: Proof | null = null;
  let worst: number = EXIT.done;
  for (const [index, file] of files.entries()) {
    if (files.length > 1) io.progress(`${index + 1}/${files.length} ${file}`);
    for (const report of await checkFile(file, options, io)) {
      io.progress("");
      if (options.json) io.out(JSON.stringify(withoutIssues(report)));
      else for (const line of readable(report)) io.out(line);
      worst = worse(worst, exitOf(report));
      if (!("error" in report)) last = report.proof;
    }
  }
  if (options.certificate !== undefined && last !== null)
    await writeFile(
      options.certificate,
      `${JSON.stringify(certificateOf(last.net, last.lines, last.data))}\n`,
    );
  return worst;
}

async function filesOf(target: string): Promise<readonly string[]> {
  const facts = await stat(target).catch(() => {
    throw new UsageError(
      `${target}: no such file or directory`,
      "tessera check FILE or tessera check DIRECTORY",
    );
  });
  if (!facts.isDirectory()) return [target];
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile() && ENDINGS.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (found.length === 0) throw new UsageError(`${target}: no file with an ending of ${ENDINGS.join(", ")}`);
  return found;
}

async function checkFile(file: string, options: CheckCommand, io: Io): Promise<readonly FileReport[]> {
  const started = performance.now();
  const loaded = await loadFile(file);
  if (loaded.kind === "bad") return [badFile(file, issueLines(file, loaded.issues))];
  const settings = {
    limits: {
      ...(options.statesMax === undefined ? {} : { statesMax: options.statesMax }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
    onProgress: (states: number) => io.progress(`${file}: ${states} states`),
    ...(options.level === undefined ? {} : { level: options.level }),
  };
  if (loaded.kind === "net") {
    const { net, warnings } = loaded.imported;
    const report = proveNet(net, settings);
    const ms = performance.now() - started;
    return [
      {
        file,
        sound: report.sound,
        obligations: report.obligations.map((result) => netLine(net, result)),
        ms,
        assumptions: issueLines(file, warnings),
        proof: { net, lines: linesOf(report) },
      },
    ];
  }
  if (loaded.kind === "definition") return [checkDefinition(file, loaded.definition, settings)];
  const { names } = loaded;
  const isOne = loaded.definitions.length === 1;
  const warnings = issueLines(file, loaded.warnings);
  return loaded.definitions.map((definition, index) => {
    const where = isOne ? file : `${file}#${definition.id}`;
    const report = checkDefinition(where, definition, { ...settings, names: names.get(definition) ?? {} });
    if ("error" in report || index > 0) return report;
    return { ...report, assumptions: [...(report.assumptions ?? []), ...warnings] };
  });
}

function checkDefinition(file: string, definition: Definition, settings: ProofOptions): FileReport {
  const started = performance.now();
  const compiled = compile(definition, STANDARD_KINDS);
  if (!compiled.ok) return badFile(file, issueLines(file, compiled.issues));
  const { value } = compiled;
  if (value.kind === "net") {
    const report = proveNet(value.net, { ...settings, rules: orJoinRules(value) });
    return {
      file,
      sound: report.sound,
      obligations: report.obligations.map((result) => netLine(value.net, result)),
      ms: performance.now() - started,
      proof: { net: value.net, lines: linesOf(report) },
    };
  }
  const report = proveWorkflow(value, settings);
  const { data } = report;
  const obligations = report.obligations.map((line) => {
    // What is decided on values says more than what is decided of the net; what is open there says less.
    const found = data?.obligations.find(({ id, verdict }) => id === line.id && verdict.kind !== "unknown");
    if (found !== undefined) return dataLine(found);
    const told = workflowLine(value, line, settings.names);
    return data === undefined ? told : { ...told, level: line.level };
  });
  const sound = data === undefined ? report.sound : soundOnData(report, data);
  const hints =
    report.sound === false && sound !== true ? repairHints(value.definition, STANDARD_KINDS).hints : [];
  return {
    file,
    sound,
    obligations,
    ms: performance.now() - started,
    assumptions: [...report.assumptions, ...(data?.assumptions ?? [])],
    hints,
    proof: {
      net: value.net,
      lines: linesOf(report),
      data: data === undefined ? null : dataCertificate(value, data.obligations),
    },
  };
}

function workflowLine(
  compiled: CompiledWorkflow,
  { id, verdict, method, witness, isDiagnosis, message }: WorkflowObligation,
  names: Names | undefined,
): Line {
  const line = { id, verdict: verdict.kind, method, ...(isDiagnosis === undefined ? {} : { isDiagnosis }) };
  if (verdict.kind === "unknown") return { ...line, limit: verdict.limit as unknown as Json };
  if (verdict.kind === "holds" || witness === undefined) return line;
  return { ...line, message, witness, told: toldLines(compiled, verdict.evidence, names) };
}

function dataLine({ id, verdict, method, message, witness, told }: DataObligation): Line {
  const line = { id, verdict: verdict.kind, level: "data", method } as const;
  if (verdict.kind !== "fails" || witness === undefined || told === undefined) return line;
  return { ...line, message, witness, told: linesOfTold(told) };
}

/** O1, O2 and O3 together, as far as they are decided at the level of the data. */
function soundOnData({ obligations }: WorkflowReport, data: DataReport): boolean | null {
  const parts = ["O1", "O2", "O3"].map((id) => {
    const found = data.obligations.find((line) => line.id === id)?.verdict.kind ?? "unknown";
    const carried = obligations.find((line) => line.id === id && line.level === "data")?.verdict.kind;
    return found === "unknown" ? (carried ?? found) : found;
  });
  if (parts.includes("fails")) return false;
  return parts.every((part) => part === "holds") ? true : null;
}

const NET_OBLIGATIONS: ReadonlySet<string> = new Set(["O1", "O2", "O3", "O4", "deadlock", "bounded"]);

/** The verdicts that speak of the net alone, and soundness. */
function linesOf(report: NetReport | WorkflowReport): readonly CheckableLine[] {
  const lines = report.obligations.filter(({ id }) => NET_OBLIGATIONS.has(id));
  return [...(lines as readonly CheckableLine[]), { id: "sound", verdict: report.soundness }];
}

function netLine(net: Net, { id, verdict, method }: ObligationResult): Line {
  if (verdict.kind === "fails")
    return { id, verdict: "fails", method, witness: explainEvidence(net, verdict.evidence as NetEvidence) };
  if (verdict.kind === "unknown")
    return { id, verdict: "unknown", method, limit: verdict.limit as unknown as JsonObject };
  return { id, verdict: "holds", method };
}

function badFile(file: string, issues: readonly string[]): FileReport {
  return { file, error: issues[0] ?? `${file}: unreadable`, issues };
}

function withoutIssues(report: FileReport): JsonObject {
  if ("error" in report) return { file: report.file, error: report.issues.join("\n") };
  const { file, sound, ms, assumptions = [], hints = [] } = report;
  const obligations = report.obligations.map(({ told: _told, ...rest }) => rest);
  const line = {
    file,
    sound,
    obligations: obligations as unknown as Json,
    ms: Math.round(ms * 100) / 100,
    ...(hints.length === 0 ? {} : { hints: hints as unknown as Json }),
  };
  // A verdict that rests on something that the file does not say must say so.
  return assumptions.length === 0 ? line : { ...line, assumptions: [...assumptions] };
}

function readable(report: FileReport): readonly string[] {
  if ("error" in report) return report.issues.map((line) => mark.bad(line));
  const verdict =
    report.sound === null ? mark.open("unknown") : report.sound ? mark.good("sound") : mark.bad("not sound");
  const runs = new Map<string, string>();
  return [
    `${report.file}: ${verdict} ${mark.dim(`(${report.ms.toFixed(1)} ms)`)}`,
    ...report.obligations.flatMap((line) => obligationLines(line, runs)),
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

function exitOf(report: FileReport): number {
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
function worse(left: number, right: number): number {
  const rank = [EXIT.done, EXIT.unknown, EXIT.fails, EXIT.badInput] as readonly number[];
  return rank.indexOf(left) > rank.indexOf(right) ? left : right;
}
