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
import type { SolvedReport } from "@tessera/proofs/smt";
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
import { type OpenSolver, openSolver } from "./check-solver.ts";
import { checkInThreads, type Said } from "./check-threads.ts";

/** Options of the command. */
export interface CheckCommand {
  readonly json: boolean;
  readonly statesMax?: number;
  readonly timeoutMs?: number;
  /** `data`: guards are asked on values as well. Default: the net alone. */
  readonly level?: Level;
  /** Guards that compute are asked of z3, at the level of the data; it must be installed. */
  readonly smt?: boolean;
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
  const solver = options.smt === true ? await openSolver() : null;
  const proofs: Proof[] = [];
  let worst: number;
  try {
    if (threads > 1) return await printAll(checkInThreads(files, options, threads, isColoured), files, io);
    const said = inTurn(files, options, io, { onProof: (proof) => proofs.push(proof), solver });
    worst = await printAll(said, files, io);
  } finally {
    await solver?.close();
  }
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
  aids: Aids,
): AsyncGenerator<Said> {
  for (const file of files) yield await saidOf(file, options, io.progress, aids);
}

/** `onProof` is given what a certificate is made of; `solver`: that of the command, for all its files. */
interface Aids {
  readonly onProof?: (proof: Proof) => void;
  readonly solver?: OpenSolver | null;
}

/** Checks a file; what is to be printed of it. With --smt and no solver given it has one of its own. */
export async function saidOf(
  file: string,
  options: CheckCommand,
  progress: Io["progress"] = () => undefined,
  { onProof = () => undefined, solver: given = null }: Aids = {},
): Promise<Said> {
  const solver = given ?? (options.smt === true ? await openSolver() : null);
  const reports = await checkFile(file, options, progress, solver).finally(async () => {
    if (given === null) await solver?.close();
  });
  const lines: string[] = [];
  let exit: number = EXIT.done;
  for (const report of reports) {
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
  solver: OpenSolver | null,
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
  if (loaded.kind === "definition") return [await checkDefinition(file, loaded.definition, settings, solver)];
  const { names } = loaded;
  const isOne = loaded.definitions.length === 1;
  const warnings = issueLines(file, loaded.warnings);
  const reports: FileReport[] = [];
  for (const definition of loaded.definitions) {
    const where = isOne ? file : `${file}#${definition.id}`;
    const own = { ...settings, names: names.get(definition) ?? {} };
    const report = await checkDefinition(where, definition, own, solver);
    const isFirst = reports.length === 0 && !("error" in report);
    reports.push(isFirst ? { ...report, assumptions: [...(report.assumptions ?? []), ...warnings] } : report);
  }
  return reports;
}

async function checkDefinition(
  file: string,
  definition: Definition,
  settings: ProofOptions,
  solver: OpenSolver | null,
): Promise<FileReport> {
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
  const report: WorkflowReport & Partial<Pick<SolvedReport, "guards">> =
    solver === null ? proveWorkflow(value, settings) : await solver.prove(value, settings);
  const { data, guards } = report;
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
    assumptions: [
      ...report.assumptions,
      ...(data?.assumptions ?? []),
      ...(guards?.assumptions ?? []).map((text) => `of guards by themselves: ${text}`),
    ],
    hints,
    ...(guards === undefined ? {} : { guards: guards.findings }),
    ...(data?.solver === undefined ? {} : { left: data.solver.left }),
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

function dataLine({ id, verdict, method, message, witness, told, solver }: DataObligation): Line {
  const share =
    solver === undefined
      ? {}
      : {
          solver: { name: solver.name, isTrusted: solver.isTrusted },
          method: `${method}, ${solver.isTrusted ? `on the word of ${solver.name}` : `values by ${solver.name}, confirmed`}`,
        };
  const line = { id, verdict: verdict.kind, level: "data", method, ...share } as const;
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
