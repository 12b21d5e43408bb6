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
  repairHints,
  type WorkflowObligation,
  type WorkflowReport,
} from "@tessera/proofs";
import { EXIT, type Io, isColoured, UsageError } from "../io.ts";
import { ENDINGS, issueLines, loadFile } from "../load-file.ts";
import { linesOfTold, toldLines } from "../told-lines.ts";
import {
  exitOf,
  type FileReport,
  type Line,
  type Proof,
  readable,
  withoutIssues,
  worse,
} from "./check-report.ts";
import { checkInThreads, type Said } from "./check-threads.ts";

/** Options of the command. */
export interface CheckCommand {
  readonly json: boolean;
  readonly statesMax?: number;
  readonly timeoutMs?: number;
  /** `data`: guards are asked on values as well. Default: the net alone. */
  readonly level?: Level;
  /** Where the certificate of the only file goes. */
  readonly certificate?: string;
  /**
   * How many threads check the files of a directory. Default: 1. Each loads and warms up the program anew, so that they pay
   * where files take long, and not where each takes milliseconds.
   */
  readonly threads?: number;
}

/**
 * Checks a file, or every definition and net below a directory in one process. Returns the worst exit code:
 * bad input > fails > unknown > holds. With `certificate` the evidence of the file's net is written there; of the process
 * to run, which is the last, where a file has several.
 */
export async function checkCommand(target: string, options: CheckCommand, io: Io): Promise<number> {
  const files = await filesOf(target);
  if (options.certificate !== undefined && files.length > 1)
    throw new UsageError(`${target}: a certificate is of one file`, "tessera check FILE --certificate OUT");
  const threads = Math.min(files.length, options.threads ?? 1);
  if (threads > 1) return printAll(checkInThreads(files, options, threads, isColoured), files, io);
  const proofs: Proof[] = [];
  const worst = await printAll(
    inTurn(files, options, io, (proof) => proofs.push(proof)),
    files,
    io,
  );
  const last = proofs.at(-1);
  if (options.certificate !== undefined && last !== undefined)
    await writeFile(
      options.certificate,
      `${JSON.stringify(certificateOf(last.net, last.lines, last.data))}\n`,
    );
  return worst;
}

/** Prints what is said of each file; the worst of the exit codes. */
async function printAll(said: AsyncIterable<Said>, files: readonly string[], io: Io): Promise<number> {
  let worst: number = EXIT.done;
  let printed = 0;
  const progress = (): void => {
    if (files.length > 1 && printed < files.length)
      io.progress(`${printed + 1}/${files.length} ${files[printed] ?? ""}`);
  };
  progress();
  for await (const { lines, exit } of said) {
    io.progress("");
    for (const line of lines) io.out(line);
    worst = worse(worst, exit);
    printed += 1;
    progress();
  }
  return worst;
}

/** The files one after the other, in this thread. */
async function* inTurn(
  files: readonly string[],
  options: CheckCommand,
  io: Io,
  onProof: (proof: Proof) => void,
): AsyncGenerator<Said> {
  for (const file of files) yield await saidOf(file, options, io.progress, onProof);
}

/** Checks a file; what is to be printed of it. `onProof` is given what a certificate is made of. */
export async function saidOf(
  file: string,
  options: CheckCommand,
  progress: Io["progress"] = () => undefined,
  onProof: (proof: Proof) => void = () => undefined,
): Promise<Said> {
  const lines: string[] = [];
  let exit: number = EXIT.done;
  for (const report of await checkFile(file, options, progress)) {
    lines.push(...(options.json ? [JSON.stringify(withoutIssues(report))] : readable(report)));
    exit = worse(exit, exitOf(report));
    if (!("error" in report)) onProof(report.proof);
  }
  return { lines, exit };
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

async function checkFile(
  file: string,
  options: CheckCommand,
  progress: Io["progress"],
): Promise<readonly FileReport[]> {
  const started = performance.now();
  const loaded = await loadFile(file);
  if (loaded.kind === "bad") return [badFile(file, issueLines(file, loaded.issues))];
  const settings = {
    limits: {
      ...(options.statesMax === undefined ? {} : { statesMax: options.statesMax }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
    onProgress: (states: number) => progress(`${file}: ${states} states`),
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
