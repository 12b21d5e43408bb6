/** @module Which format a file is in: by its content, and only where that says nothing, by its name. */
import { bad, type Issue, type Result } from "@tessera/core";
import type { ImportedNet } from "./imported-net.ts";
import { importLola } from "./lola.ts";
import { tokenAt } from "./lola-tokens.ts";
import { importPnml, type PnmlOptions } from "./pnml.ts";
import type { Source } from "./source-text.ts";
import { importTina, TINA_KEYWORDS } from "./tina.ts";
import { tinaTokenAt } from "./tina-tokens.ts";

/** The formats that can be told apart. */
export type Format = "bpmn" | "json" | "lola" | "pnml" | "tina" | "yawl";

/** Options of `importNet`; those of the format that is found are used. */
export interface ImportOptions extends PnmlOptions {
  /** The file's name or path: its extension decides where the content does not. */
  readonly fileName?: string;
  /** The format, where it is known; else the content tells it. */
  readonly format?: Format;
}

/** XML formats by the local name of the root element. */
const ROOTS: ReadonlyMap<string, Format> = new Map([
  ["pnml", "pnml"],
  ["definitions", "bpmn"],
  ["specificationSet", "yawl"],
]);

/** Formats by the extension of the file's name. */
const EXTENSIONS: ReadonlyMap<string, Format> = new Map([
  ["bpmn", "bpmn"],
  ["bpmn2", "bpmn"],
  ["json", "json"],
  ["lola", "lola"],
  ["net", "tina"],
  ["pnml", "pnml"],
  ["yawl", "yawl"],
  ["ywl", "yawl"],
]);

/**
 * The format of a file: what the root element, the first keyword or the first brace says; else the extension of
 * `fileName`, so that the reader of that format says what is wrong; else, for any other XML, PNML. Undefined if
 * nothing says anything. Looks at the first 64 KiB. Never throws.
 *
 * @definition D11.9
 */
export function detectFormat(source: Source, fileName = ""): Format | undefined {
  const text = head(source);
  const extension = /\.([a-z0-9]+)$/.exec(fileName.toLowerCase())?.[1] ?? "";
  const isXml = /^\s*</.test(text);
  const found = isXml ? ROOTS.get(rootName(text)) : formatOfWords(text);
  return found ?? EXTENSIONS.get(extension) ?? (isXml || extension === "xml" ? "pnml" : undefined);
}

/**
 * Reads a net in whichever of the net formats it is (PNML, LoLA, TINA), as `detectFormat` tells.
 * Returns the net, or all issues of the reader, or IMP001; never throws. Cost: that of the reader.
 */
export function importNet(
  source: Source,
  options: ImportOptions = {},
): Result<ImportedNet, readonly Issue[]> {
  switch (options.format ?? detectFormat(source, options.fileName)) {
    case "bpmn":
    case "pnml":
    case "yawl":
      return importPnml(source, options);
    case "lola":
      return importLola(source, options);
    case "tina":
      return importTina(source, options);
    default: {
      const message = `${options.fileName ?? "the file"} is neither PNML nor a LoLA or TINA net`;
      const facts = {
        ...(options.fileName === undefined ? {} : { fileName: options.fileName.slice(0, 400) }),
      };
      return bad([{ code: "IMP001", path: [], message: message.slice(0, 400), facts }]);
    }
  }
}

const LOLA_WORDS = new Set(["PLACE", "MARKING", "TRANSITION", "SORT", "FUNCTION", "VAR"]);

function formatOfWords(text: string): Format | undefined {
  const lola = tokenAt(text, 0);
  if (lola.kind === "word" && LOLA_WORDS.has(lola.text)) return "lola";
  if (/^\s*[{[]\s*["{[}\]]/.test(text)) return "json";
  const tina = tinaTokenAt(text, 0);
  if (tina.kind !== "name" || !TINA_KEYWORDS.has(tina.text)) return undefined;
  // The words are short: only what follows like a name makes it a declaration.
  const next = tinaTokenAt(text, tina.end);
  return next.kind === "name" || next.kind === "braced" ? "tina" : undefined;
}

/** The local name of the first element; empty if there is none in sight. */
function rootName(text: string): string {
  let at = 0;
  // Past the declaration, instructions, comments and a document type, which the reader will refuse.
  for (;;) {
    at = text.indexOf("<", at);
    if (at < 0) return "";
    const close = text.startsWith("<!--", at) ? "-->" : /^<[?!]/.test(text.slice(at, at + 2)) ? ">" : null;
    if (close === null) break;
    const end = text.indexOf(close, at);
    if (end < 0) return "";
    at = end + close.length;
  }
  return /^<(?:[^\s<>/:]{1,200}:)?([^\s<>/:]{1,200})/.exec(text.slice(at, at + 500))?.[1] ?? "";
}

/** Enough of the text to tell the format, byte by byte: marks and the zero bytes of UTF-16 are dropped. */
function head(source: Source): string {
  const text =
    typeof source === "string"
      ? source.slice(0, 65_536)
      : Buffer.from(source.subarray(0, 65_536)).toString("latin1");
  return text.replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff|\ufeff)/, "").replaceAll("\0", "");
}
