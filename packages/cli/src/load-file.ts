/** @module Reading a file that a person names: a definition in JSON, a BPMN file, a YAWL specification, or a net in PNML, LoLA or TINA's format. */
import { open } from "node:fs/promises";
import { type Definition, formatIssue, type Issue, parseDefinition } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import {
  type BpmnElement,
  detectFormat,
  type Format,
  type ImportedNet,
  type ImportedProcess,
  importBpmn,
  importNet,
  importYawl,
  readJsonText,
} from "@tessera/interchange";
import type { Names, Written } from "@tessera/proofs";
import { UsageError } from "./io.ts";

/** What stands in a file. */
export type Loaded =
  | { readonly kind: "definition"; readonly definition: Definition; readonly warnings: readonly Issue[] }
  /**
   * The processes of a BPMN file, those that others call before them, so that the last is the one to run; or the net of
   * a YAWL specification.
   */
  | {
      readonly kind: "processes";
      readonly definitions: readonly Definition[];
      readonly warnings: readonly Issue[];
      /** The elements of the file behind the nodes and arcs of each definition of a BPMN file. */
      readonly names: ReadonlyMap<Definition, Names>;
    }
  | { readonly kind: "net"; readonly imported: ImportedNet }
  | { readonly kind: "bad"; readonly issues: readonly Issue[] };

/** The endings that a directory is searched for. */
export const ENDINGS: readonly string[] = [
  ".json",
  ".bpmn",
  ".bpmn2",
  ".bpmn20.xml",
  ".pnml",
  ".lola",
  ".net",
  ".yawl",
];

/** No reader takes more; a file that is longer, or never ends, is not read further. */
const BYTES_MAX = 64 * 1024 * 1024;

/** Reads and parses `file`, as the format that it is in or that `format` says. Throws UsageError when it cannot be read. */
export async function loadFile(file: string, format?: Format): Promise<Loaded> {
  const bytes = await readBounded(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file}: ${readProblem(error)}`,
      "give the path of a definition (JSON), a process (BPMN, YAWL) or a net (PNML, LoLA, TINA)",
    );
  });
  if (bytes === null)
    return refused("CLI002", `the file has more than ${BYTES_MAX} bytes`, { bytesMax: BYTES_MAX });
  const found = format ?? detectFormat(bytes, file);
  switch (found) {
    case "json":
      return loadJson(bytes);
    case "bpmn": {
      const imported = await importBpmn(bytes);
      if (!imported.ok) return { kind: "bad", issues: imported.issues };
      const { processes, warnings } = imported.value;
      const definitions = processes.map(({ definition }) => definition);
      const names = new Map(processes.map((process) => [process.definition, namesOf(process)]));
      return { kind: "processes", definitions, warnings, names };
    }
    case "yawl": {
      const imported = importYawl(bytes);
      if (!imported.ok) return { kind: "bad", issues: imported.issues };
      const { definition, warnings } = imported.value;
      return { kind: "processes", definitions: [definition], warnings, names: new Map() };
    }
    case "lola":
    case "pnml":
    case "tina": {
      const imported = importNet(bytes, { format: found });
      return imported.ok
        ? { kind: "net", imported: imported.value }
        : { kind: "bad", issues: imported.issues };
    }
    case undefined:
      return refused("CLI003", "the file is in no format that is known here", {});
  }
}

/** The elements of a process as verdicts name them. */
function namesOf({ elements, flows }: ImportedProcess): Names {
  const written = ({ position, ...element }: BpmnElement): Written => ({ ...element, line: position.line });
  return {
    nodes: new Map([...elements].map(([id, element]) => [id, written(element)])),
    arcs: new Map([...flows].map(([arc, element]) => [arc, written(element)])),
  };
}

function loadJson(bytes: Uint8Array): Loaded {
  const json = readJsonText(bytes);
  if (!json.ok) return { kind: "bad", issues: json.issues };
  const parsed = parseDefinition(json.value, STANDARD_KINDS);
  if (!parsed.ok) return { kind: "bad", issues: parsed.issues };
  return { kind: "definition", definition: parsed.value, warnings: [] };
}

function refused(code: string, message: string, facts: NonNullable<Issue["facts"]>): Loaded {
  return { kind: "bad", issues: [{ code, path: [], message, facts }] };
}

/** The bytes of the file; null if there are more than BYTES_MAX. */
async function readBounded(file: string): Promise<Uint8Array | null> {
  const handle = await open(file, "r");
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(1024 * 1024));
      if (bytesRead === 0) return Buffer.concat(chunks);
      length += bytesRead;
      if (length > BYTES_MAX) return null;
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
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
