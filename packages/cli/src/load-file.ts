/** @module Reading a file that a person names: a definition in JSON, a BPMN file, or a net in PNML or LoLA. */
import { readFile } from "node:fs/promises";
import { type Definition, formatIssue, type Issue, parseDefinition } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { type ImportedNet, importBpmn, importNet } from "@tessera/interchange";
import { UsageError } from "./io.ts";

/** What stands in a file. */
export type Loaded =
  | { readonly kind: "definition"; readonly definition: Definition; readonly warnings: readonly Issue[] }
  /** The processes of a BPMN file; those that others call come before them, so the last is the one to run. */
  | {
      readonly kind: "processes";
      readonly definitions: readonly Definition[];
      readonly warnings: readonly Issue[];
    }
  | { readonly kind: "net"; readonly imported: ImportedNet }
  | { readonly kind: "bad"; readonly issues: readonly Issue[] };

/** The endings that a directory is searched for. */
export const ENDINGS: readonly string[] = [".json", ".bpmn", ".bpmn2", ".pnml", ".lola"];

/** Reads and parses `file`. Throws UsageError when it cannot be read. */
export async function loadFile(file: string): Promise<Loaded> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file}: ${readProblem(error)}`,
      "give the path of a definition (JSON), a process (BPMN) or a net (PNML, LoLA)",
    );
  });
  if (isBpmn(file, bytes)) {
    const imported = await importBpmn(bytes);
    if (!imported.ok) return { kind: "bad", issues: imported.issues };
    const definitions = imported.value.processes.map(({ definition }) => definition);
    return { kind: "processes", definitions, warnings: imported.value.warnings };
  }
  if (!file.endsWith(".json")) {
    const imported = importNet(bytes, { fileName: file });
    return imported.ok ? { kind: "net", imported: imported.value } : { kind: "bad", issues: imported.issues };
  }
  const json = parseJson(bytes.toString("utf8"));
  if (!json.ok) return { kind: "bad", issues: json.issues };
  const parsed = parseDefinition(json.value, STANDARD_KINDS);
  if (!parsed.ok) return { kind: "bad", issues: parsed.issues };
  return { kind: "definition", definition: parsed.value, warnings: [] };
}

/** By its ending, and for `.xml` by the namespace, which stands in the first tag. */
function isBpmn(file: string, bytes: Buffer): boolean {
  if (/\.bpmn2?$/iu.test(file)) return true;
  return (
    /\.xml$/iu.test(file) && bytes.subarray(0, 8192).includes("http://www.omg.org/spec/BPMN/20100524/MODEL")
  );
}

function parseJson(
  text: string,
):
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] } {
  try {
    return { ok: true, value: JSON.parse(text.replace(/^\uFEFF/u, "")) };
  } catch (error) {
    return {
      ok: false,
      issues: [
        {
          code: "CLI001",
          path: [],
          message: `not JSON: ${error instanceof Error ? error.message : String(error)}`,
        },
      ],
    };
  }
}

function readProblem(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return "no such file";
  if (error.code === "EISDIR") return "this is a directory";
  if (error.code === "EACCES") return "no permission to read it";
  return error.message;
}

/** The issues of a file, a line each. */
export function issueLines(file: string, issues: readonly Issue[]): readonly string[] {
  return issues.map((issue) => `${file}: ${formatIssue(issue)}`);
}
