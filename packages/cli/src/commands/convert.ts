/** @module `tessera convert`: a file in one format to a file in another. */
import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { type Compiled, compile, type Definition, type Issue, type Net, type Result } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import {
  drawingToDot,
  drawingToSvg,
  exportBpmn,
  exportLola,
  exportPnml,
  exportTina,
  type Format,
  netDefinition,
  netDrawing,
  workflowDrawing,
} from "@tessera/interchange";
import type { Names } from "@tessera/proofs";
import { EXIT, type Io, mark, UsageError } from "../io.ts";
import { issueLines, type Loaded, loadFile } from "../load-file.ts";

/** Options of the command. */
export interface ConvertCommand {
  readonly from?: Format;
  readonly to?: OutFormat;
  readonly process?: string;
}

/** The formats that can be written. */
export type OutFormat = "bpmn" | "dot" | "json" | "lola" | "pnml" | "svg" | "tina";

/** Formats by the ending of the file that is written. */
const ENDINGS: ReadonlyMap<string, OutFormat> = new Map([
  ["bpmn", "bpmn"],
  ["dot", "dot"],
  ["gv", "dot"],
  ["json", "json"],
  ["lola", "lola"],
  ["net", "tina"],
  ["pnml", "pnml"],
  ["svg", "svg"],
]);

/** A file as a definition with its net; a net file becomes a net definition. */
export interface Source {
  readonly definition: Definition;
  readonly compiled: Compiled;
  readonly warnings: readonly Issue[];
  /** The elements of the file behind nodes and arcs, where they are known. */
  readonly names: Names;
}

/** Converts. Exit: 0 written, 3 bad input, or what the format cannot hold. */
export async function convertCommand(
  input: string,
  output: string,
  options: ConvertCommand,
  io: Io,
): Promise<number> {
  const to = options.to ?? formatOf(output);
  const source = await sourceOf(input, options);
  if ("issues" in source) return refuse(input, source.issues, io);
  const written = await write(source, to, basename(input).replace(/\.[^.]*$/u, ""));
  if (!written.ok) return refuse(input, written.issues, io);
  const { text, warnings } = written.value;
  for (const line of issueLines(input, [...source.warnings, ...warnings])) io.err(mark.dim(line));
  if (output === "-") io.out(text.trimEnd());
  else await writeOut(output, text);
  return EXIT.done;
}

/** Writes the file. Throws UsageError when that is not possible. */
export async function writeOut(output: string, text: string): Promise<void> {
  await writeFile(output, text).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${output}: cannot be written: ${error.message}`,
      "give a path in a folder that exists",
    );
  });
}

function formatOf(output: string): OutFormat {
  const format = ENDINGS.get(/\.([a-z]+)$/u.exec(output.toLowerCase())?.[1] ?? "");
  if (format !== undefined) return format;
  throw new UsageError(
    output === "-"
      ? "standard output has no ending that tells a format"
      : `${output}: the ending tells no format`,
    `end the name in ${[...ENDINGS.keys()].map((ending) => `.${ending}`).join(" ")}, or give --to`,
  );
}

/** Reads and compiles a file. Of several processes it takes the one asked for, else the last, which calls the others. */
export async function sourceOf(
  file: string,
  options: { readonly from?: Format; readonly process?: string },
): Promise<Source | { readonly issues: readonly Issue[] }> {
  const loaded = await loadFile(file, options.from);
  if (loaded.kind === "bad") return { issues: loaded.issues };
  const definition = choose(file, loaded, options.process);
  const compiled = compile(definition, STANDARD_KINDS);
  if (!compiled.ok) return { issues: compiled.issues };
  const warnings = loaded.kind === "net" ? loaded.imported.warnings : loaded.warnings;
  const names = loaded.kind === "processes" ? loaded.names.get(definition) : undefined;
  return { definition, compiled: compiled.value, warnings, names: names ?? {} };
}

function choose(file: string, loaded: Exclude<Loaded, { kind: "bad" }>, id: string | undefined): Definition {
  if (loaded.kind === "net") return netDefinition(loaded.imported, basename(file).replace(/\.[^.]*$/u, ""));
  const all = loaded.kind === "definition" ? [loaded.definition] : loaded.definitions;
  const found = id === undefined ? all.at(-1) : all.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new UsageError(
    `${file}: there is no process "${id}"`,
    `it has ${all.map((each) => each.id).join(", ")}`,
  );
}

interface Written {
  readonly text: string;
  readonly warnings: readonly Issue[];
}

async function write(
  { definition, compiled }: Source,
  to: OutFormat,
  fileName: string,
): Promise<Result<Written, readonly Issue[]>> {
  const { net } = compiled;
  const name = definition.label ?? definition.id ?? fileName;
  switch (to) {
    case "json":
      return plain({ ok: true, value: `${JSON.stringify(definition, null, 2)}\n` });
    case "pnml":
      return plain(exportPnml(net, { name }));
    case "lola":
      return exportLola(net, { name });
    case "tina":
      return exportTina(net, { name });
    case "bpmn":
      if (definition.kind === "net")
        throw new UsageError(
          "a bare net is no process: BPMN is written of workflows",
          "write pnml, lola, tina, dot or svg",
        );
      return exportBpmn(definition);
    case "dot":
      return plain({ ok: true, value: drawingToDot(drawingOf(compiled, name)) });
    case "svg":
      return plain(await drawingToSvg(drawingOf(compiled, name)));
  }
}

/** The workflow as a graph of its nodes; a net, or with `asNet` the net behind the workflow, as places and transitions. */
export function drawingOf(
  compiled: Compiled,
  title: string,
  shown: {
    readonly marking?: Net["initial"];
    readonly run?: readonly number[];
    readonly asNet?: boolean;
  } = {},
): ReturnType<typeof netDrawing> {
  const { asNet = false, ...rest } = shown;
  return compiled.kind === "net" || asNet
    ? netDrawing(compiled.net, { title, ...rest })
    : workflowDrawing(compiled, { title, ...rest });
}

function plain(result: Result<string, readonly Issue[]>): Result<Written, readonly Issue[]> {
  return result.ok ? { ok: true, value: { text: result.value, warnings: [] } } : result;
}

/** Prints the issues, a line each. */
export function refuse(file: string, issues: readonly Issue[], io: Io): number {
  for (const line of issueLines(file, issues)) io.err(mark.bad(line));
  return EXIT.badInput;
}
