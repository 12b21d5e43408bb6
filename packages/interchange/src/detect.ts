/** @module Which format a file is in: by its content, and only where that says nothing, by its name. */
import { bad, type Issue, type Result } from "@tessera/core";
import type { ImportedNet } from "./imported-net.ts";
import { importLola } from "./lola.ts";
import { tokenAt } from "./lola-tokens.ts";
import { importPnml, type PnmlOptions } from "./pnml.ts";
import type { Source } from "./source-text.ts";

/** Options of `importNet`; those of the format that is found are used. */
export interface ImportOptions extends PnmlOptions {
  /** The file's name or path: its extension decides where the content does not. */
  readonly fileName?: string;
}

/**
 * Reads a net in whichever of the formats it is: what starts with `<` is read as PNML, what starts with a keyword of
 * LoLA's as LoLA; else the extension `.pnml`, `.xml` or `.lola` decides, so that the issue says what is wrong with it.
 * Returns the net, or all issues of the reader, or IMP001; never throws. Cost: linear.
 */
export function importNet(
  source: Source,
  options: ImportOptions = {},
): Result<ImportedNet, readonly Issue[]> {
  switch (formatOf(head(source)) ?? formatByName(options.fileName ?? "")) {
    case "pnml":
      return importPnml(source, options);
    case "lola":
      return importLola(source, options);
    default: {
      const message = `${options.fileName ?? "the file"} is neither PNML nor a LoLA net`;
      const facts = {
        ...(options.fileName === undefined ? {} : { fileName: options.fileName.slice(0, 400) }),
      };
      return bad([{ code: "IMP001", path: [], message: message.slice(0, 400), facts }]);
    }
  }
}

const LOLA_WORDS = new Set(["PLACE", "MARKING", "TRANSITION", "SORT", "FUNCTION", "VAR"]);

function formatOf(text: string): ImportedNet["format"] | undefined {
  if (/^\s*</.test(text)) return "pnml";
  const token = tokenAt(text, 0);
  return token.kind === "word" && LOLA_WORDS.has(token.text) ? "lola" : undefined;
}

function formatByName(fileName: string): ImportedNet["format"] | undefined {
  const extension = /\.([a-z]+)$/.exec(fileName.toLowerCase())?.[1];
  if (extension === "pnml" || extension === "xml") return "pnml";
  return extension === "lola" ? "lola" : undefined;
}

/** Enough of the text to tell the format, byte by byte: marks and the zero bytes of UTF-16 are dropped. */
function head(source: Source): string {
  const text =
    typeof source === "string"
      ? source.slice(0, 65_536)
      : Buffer.from(source.subarray(0, 65_536)).toString("latin1");
  return text.replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff|\ufeff)/, "").replaceAll("\0", "");
}
