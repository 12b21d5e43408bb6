/** @module The nets that stand in a file, with the rules of their joins: of a net itself, of a definition, of each process. */
import { compile, type Definition, type Net, type NonLocalRules } from "@tessera/core";
import { orJoinRules, STANDARD_KINDS } from "@tessera/gateways";
import { UsageError } from "./io.ts";
import { issueLines, loadFile } from "./load-file.ts";

/** A net of a file. */
export interface FileNet {
  readonly net: Net;
  readonly rules: NonLocalRules;
}

/** The nets of `file`, at least one. Throws UsageError with every issue if it does not parse or compile. */
export async function netsOfFile(file: string): Promise<readonly FileNet[]> {
  const loaded = await loadFile(file);
  switch (loaded.kind) {
    case "bad":
      throw new UsageError(issueLines(file, loaded.issues).join("\n"));
    case "net":
      return [{ net: loaded.imported.net, rules: new Map() }];
    case "definition":
      return [netOf(file, loaded.definition)];
    case "processes":
      return loaded.definitions.map((definition) => netOf(file, definition));
  }
}

function netOf(file: string, definition: Definition): FileNet {
  const compiled = compile(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new UsageError(issueLines(file, compiled.issues).join("\n"));
  const { value } = compiled;
  return { net: value.net, rules: value.kind === "workflow" ? orJoinRules(value) : new Map() };
}
