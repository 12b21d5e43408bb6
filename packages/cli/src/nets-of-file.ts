/** @module The nets that stand in a file, with the rules of their joins: of a net itself, of a definition, of each process. */
import { type CompiledWorkflow, compile, type Definition, type Net, type NonLocalRules } from "@tessera/core";
import { orJoinRules, STANDARD_KINDS } from "@tessera/gateways";
import type { Names } from "@tessera/proofs";
import { UsageError } from "./io.ts";
import { issueLines, loadFile } from "./load-file.ts";

/** A net of a file. */
export interface FileNet {
  readonly net: Net;
  readonly rules: NonLocalRules;
  /** The workflow that the net is of, and the elements of its file; null of a bare net. */
  readonly workflow: { readonly compiled: CompiledWorkflow; readonly names: Names } | null;
}

/** The nets of `file`, at least one. Throws UsageError with every issue if it does not parse or compile. */
export async function netsOfFile(file: string): Promise<readonly FileNet[]> {
  const loaded = await loadFile(file);
  switch (loaded.kind) {
    case "bad":
      throw new UsageError(issueLines(file, loaded.issues).join("\n"));
    case "net":
      return [{ net: loaded.imported.net, rules: new Map(), workflow: null }];
    case "definition":
      return [netOf(file, loaded.definition, {})];
    case "processes":
      return loaded.definitions.map((definition) =>
        netOf(file, definition, loaded.names.get(definition) ?? {}),
      );
  }
}

function netOf(file: string, definition: Definition, names: Names): FileNet {
  const compiled = compile(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new UsageError(issueLines(file, compiled.issues).join("\n"));
  const { value } = compiled;
  if (value.kind === "net") return { net: value.net, rules: orJoinRules(value), workflow: null };
  return { net: value.net, rules: orJoinRules(value), workflow: { compiled: value, names } };
}
