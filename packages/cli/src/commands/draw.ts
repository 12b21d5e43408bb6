/** @module `tessera draw`: a picture of a workflow or net, with a marking or the run that refutes an obligation. */
import {
  type Compiled,
  type Issue,
  type Marking,
  type Net,
  nearest,
  parseJson,
  type Result,
} from "@tessera/core";
import { drawingToDot, drawingToSvg, type Format } from "@tessera/interchange";
import { type Names, proveNet, proveWorkflow, type Run, type WorkflowEvidence } from "@tessera/proofs";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { issueLines } from "../load-file.ts";
import { toldLines } from "../told-lines.ts";
import { drawingOf, refuse, sourceOf, writeOut } from "./convert.ts";
import { type GraphKind, graphDrawing } from "./draw-graph.ts";

/** Options of the command. */
export interface DrawCommand {
  readonly from?: Format;
  readonly process?: string;
  readonly marking?: string;
  /** True: of the first obligation that fails; a text: of this one. */
  readonly witness?: string | true;
  readonly net: boolean;
  /** The markings and the firings between them, in place of the structure. */
  readonly graph?: GraphKind;
  readonly format?: "svg" | "dot";
  readonly out?: string;
  readonly statesMax?: number;
  readonly timeoutMs?: number;
}

/** Draws. Exit: 0 drawn, 3 bad input; with --witness as `check`: 1 drawn with a run that refutes, 2 unknown. */
export async function drawCommand(file: string, options: DrawCommand, io: Io): Promise<number> {
  if (options.marking !== undefined && options.witness !== undefined)
    throw new UsageError(
      "--marking and --witness exclude each other",
      "a witness shows the marking that it reaches",
    );
  if (options.graph !== undefined && (options.marking !== undefined || options.net))
    throw new UsageError("--graph shows every marking", "leave out --marking and --net");
  const source = await sourceOf(file, options);
  if ("issues" in source) return refuse(file, source.issues, io);
  const { definition, compiled, warnings, names } = source;
  const found = options.witness === undefined ? null : witnessOf(compiled, names, options);
  const marking =
    options.marking === undefined ? found?.run?.marking : parseMarking(compiled.net, options.marking);
  const title = definition.label ?? definition.id;
  const shown = {
    ...(marking === undefined ? {} : { marking }),
    ...(found?.run === undefined ? {} : { run: found.run.sequence }),
    asNet: options.net,
  };
  const drawing =
    options.graph === undefined
      ? drawingOf(compiled, title, shown)
      : graphDrawing(compiled, options.graph, { title, run: found?.run, nodesMax: options.statesMax });
  const text: Result<string, readonly Issue[]> =
    formatOf(options) === "dot" ? { ok: true, value: drawingToDot(drawing) } : await drawingToSvg(drawing);
  if (!text.ok) return refuse(file, text.issues, io);
  if (options.out === undefined) io.out(text.value.trimEnd());
  else await writeOut(options.out, text.value);
  for (const line of issueLines(file, warnings)) io.err(mark.dim(`assuming: ${line}`));
  if (found === null) return EXIT.done;
  io.err(found.text);
  return found.exit;
}

function formatOf({ format, out }: DrawCommand): "svg" | "dot" {
  if (format !== undefined) return format;
  const ending = /\.([a-z]+)$/u.exec(out?.toLowerCase() ?? "")?.[1];
  if (ending === undefined || ending === "svg") return "svg";
  if (ending === "dot" || ending === "gv") return "dot";
  throw new UsageError(
    `${out}: a drawing is written as .svg, .dot or .gv`,
    "or say --format svg or --format dot",
  );
}

/** A verdict on the command line: what to say, the run to draw, the exit code of `check`. */
interface Found {
  readonly text: string;
  readonly run?: Run;
  readonly exit: number;
}

/** An obligation as both provers give it. */
interface Line {
  readonly id: string;
  readonly verdict: { readonly kind: string; readonly evidence?: unknown };
  /** Reported, and not owed. */
  readonly isDiagnosis?: true;
}

function witnessOf(compiled: Compiled, names: Names, options: DrawCommand): Found {
  const limits = {
    ...(options.statesMax === undefined ? {} : { statesMax: options.statesMax }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  };
  const all: readonly Line[] =
    compiled.kind === "net"
      ? proveNet(compiled.net, { limits }).obligations
      : proveWorkflow(compiled, { limits, names }).obligations;
  const ids = all.map(({ id }) => id);
  const asked = typeof options.witness === "string" ? options.witness : undefined;
  if (asked !== undefined && !ids.includes(asked))
    throw new UsageError(`there is no obligation "${asked}"`, `it is one of ${ids.join(", ")}`);
  const lines = all.filter((line) => (asked === undefined ? isDemanded(line, compiled) : line.id === asked));
  const failing = lines.filter(({ verdict }) => verdict.kind === "fails");
  for (const line of failing) {
    const run = runOf(line);
    if (run === undefined) continue;
    const head = mark.bad(`${line.id} fails after ${run.sequence.length} steps`);
    return { text: [head, ...toldOf(compiled, line, names)].join("\n"), run, exit: EXIT.fails };
  }
  const [first] = failing;
  if (first !== undefined) {
    const head = mark.bad(`${first.id} fails; its evidence is no run`);
    return { text: [head, ...toldOf(compiled, first, names)].join("\n"), exit: EXIT.fails };
  }
  const open = lines.find(({ verdict }) => verdict.kind === "unknown");
  if (open !== undefined)
    return { text: mark.open(`${open.id} is unknown: no run to draw`), exit: EXIT.unknown };
  return {
    text: mark.good(asked === undefined ? "every obligation holds" : `${asked} holds`),
    exit: EXIT.done,
  };
}

/** What is wrong in the words of the file; of a bare net its own ids are all there is, and the picture has them. */
function toldOf(compiled: Compiled, { verdict }: Line, names: Names): readonly string[] {
  if (compiled.kind === "net" || verdict.evidence === undefined) return [];
  const { what, steps } = toldLines(compiled, verdict.evidence as WorkflowEvidence, names);
  return [...what.map((line) => `  ${line}`), ...steps];
}

/** Diagnoses, deadlock, boundedness and O6 stand beside the obligations, and a bare net owes no 1-safeness. */
function isDemanded({ id, isDiagnosis }: Line, { kind }: Compiled): boolean {
  if (isDiagnosis === true) return false;
  return !["deadlock", "bounded", "O6"].includes(id) && !(kind === "net" && id === "O4");
}

function runOf({ verdict }: Line): Run | undefined {
  const { evidence } = verdict;
  if (typeof evidence !== "object" || evidence === null || !("run" in evidence)) return undefined;
  return evidence.run as Run;
}

/** `{"p": 2}`, or `p=2,q` for ids without commas. Throws UsageError on what is no marking of the net. */
export function parseMarking(net: Net, text: string): Marking {
  const index = new Map(net.places.map(({ id }, p) => [id, p] as const));
  const marking = net.places.map(() => 0);
  for (const [id, tokens] of entriesOf(text)) {
    const place = index.get(id);
    if (place === undefined) {
      const known = [...index.keys()];
      const meant = nearest(id, known) ?? known.slice(0, 8).join(", ");
      throw new UsageError(`--marking: there is no place "${id}"`, `places here: ${meant}`);
    }
    if (!Number.isSafeInteger(tokens) || tokens < 0)
      throw new UsageError(`--marking: "${id}" needs a whole number of tokens`, HINT);
    marking[place] = tokens;
  }
  return marking;
}

const HINT = `--marking p1=2,p2 or --marking '{"p1": 2, "p2": 1}'`;

function entriesOf(text: string): readonly (readonly [string, number])[] {
  if (!text.trim().startsWith("{")) {
    return text.split(",").map((part) => {
      const [, id = "", count] = /^\s*(.*?)\s*(?:=\s*(\d+)\s*)?$/su.exec(part) ?? [];
      return [id, count === undefined ? 1 : Number(count)];
    });
  }
  try {
    return Object.entries(parseJson(text) as Record<string, number>);
  } catch {
    throw new UsageError("--marking is not JSON", HINT);
  }
}
