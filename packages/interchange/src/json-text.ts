/** @module JSON from outside: the first fault with its line and column, limits, no key twice. */
import { bad, type Issue, type Json, type JsonObject, ok, parseJson, type Result } from "@tessera/core";
import type { InterchangeCode } from "./issue-codes.ts";
import { decodeSource, positionsOf, type Source } from "./source-text.ts";

/** What a JSON file may cost; each limit is included. */
export interface JsonTextLimits {
  readonly bytesMax: number;
  readonly depthMax: number;
}

/** Enough for every definition that can be compiled. */
export const JSON_TEXT_LIMITS: JsonTextLimits = { bytesMax: 64 * 1024 * 1024, depthMax: 200 };

/**
 * Reads one JSON value (RFC 8259). Refused with one issue, at its line and column: what is not JSON, what is not in its
 * encoding, an object with the same key twice (one of the two would be lost), and what is beyond a limit.
 * Errors: JSON001 to JSON004, never a throw. Cost: linear, and no deeper on the stack however deep the value is.
 *
 * @definition D11.18
 */
export function readJsonText(
  source: Source,
  limits: Partial<JsonTextLimits> = {},
): Result<Json, readonly Issue[]> {
  const { bytesMax, depthMax } = { ...JSON_TEXT_LIMITS, ...limits };
  if (source.length > bytesMax)
    return refuse("JSON002", `the file has ${source.length} bytes; the limit is ${bytesMax}`, { bytesMax });
  const decoded = decodeSource(source);
  if (decoded.kind !== "text") {
    const at = decoded.kind === "invalid" ? { position: decoded.position } : {};
    return bad([{ code: "JSON003", path: [], message: `the bytes are not ${decoded.encoding} text`, ...at }]);
  }
  const fault = firstFault(decoded.text, depthMax);
  if (fault === null) return ok(parseJson(decoded.text));
  const { code, message, offset } = fault;
  const position = positionsOf(decoded.text)(Math.min(offset, decoded.text.length));
  return bad([{ code, path: [], message: message.slice(0, 200), position }]);
}

interface Fault {
  readonly code: InterchangeCode;
  readonly message: string;
  readonly offset: number;
}

const BLANKS = /[ \t\n\r]*/y;
// A run of plain characters at a time: a choice in a loop would grow the matcher's stack with the text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it excludes
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** An open array or object; `keys` are those that the object has so far. */
interface Open {
  readonly close: "]" | "}";
  readonly keys: Set<string> | null;
}

/** The first departure from the grammar, a repeated key or too great a depth; null if there is none. */
function firstFault(text: string, depthMax: number): Fault | null {
  const open: Open[] = [];
  let at = skip(BLANKS, text, 0);
  /** What may come next: a value, a value or the end of an empty container, a comma or the end. */
  let next: "value" | "first" | "more" = "value";
  for (;;) {
    const inner = open.at(-1);
    const sign = text[at] ?? "";
    if (next === "more" || (next === "first" && sign === inner?.close)) {
      if (inner === undefined) return at === text.length ? null : expected("the end of the file", text, at);
      if (sign === inner.close) {
        open.pop();
        next = "more";
        at = skip(BLANKS, text, at + 1);
        continue;
      }
      if (sign !== ",") return expected(`, or ${inner.close}`, text, at);
      at = skip(BLANKS, text, at + 1);
    }
    if (inner !== undefined && inner.keys !== null) {
      const key = keyAt(text, at, inner.keys);
      if (typeof key !== "number") return key;
      at = key;
    }
    const start = text[at] ?? "";
    if (start === "{" || start === "[") {
      if (open.length >= depthMax)
        return { code: "JSON002", message: `the value is deeper than ${depthMax}`, offset: at };
      open.push(start === "{" ? { close: "}", keys: new Set() } : { close: "]", keys: null });
      next = "first";
      at = skip(BLANKS, text, at + 1);
      continue;
    }
    const end = start === '"' ? stringEnd(text, at) : scalarEnd(text, at);
    if (end < 0) return start === '"' ? unfinished(text, at) : expected("a value", text, at);
    next = "more";
    at = skip(BLANKS, text, end);
  }
}

/** Past `"key" :`, which is entered into `keys`; or the fault. */
function keyAt(text: string, at: number, keys: Set<string>): number | Fault {
  if (text[at] !== '"') return expected("a key in quotes", text, at);
  const end = stringEnd(text, at);
  if (end < 0) return unfinished(text, at);
  const key = String(JSON.parse(text.slice(at, end)));
  if (keys.has(key))
    return {
      code: "JSON004",
      message: `the key ${JSON.stringify(key).slice(0, 100)} stands twice in one object`,
      offset: at,
    };
  keys.add(key);
  const colon = skip(BLANKS, text, end);
  return text[colon] === ":" ? skip(BLANKS, text, colon + 1) : expected(":", text, colon);
}

/** The offset behind the string that starts at `at`; -1 if it is not one. */
function stringEnd(text: string, at: number): number {
  let end = skip(PLAIN, text, at + 1);
  while (text[end] === "\\") {
    const escaped = skip(ESCAPE, text, end);
    if (escaped === end) return -1;
    end = skip(PLAIN, text, escaped);
  }
  return text[end] === '"' ? end + 1 : -1;
}

function scalarEnd(text: string, at: number): number {
  const end = Math.max(skip(WORD, text, at), skip(NUMBER, text, at));
  return end === at ? -1 : end;
}

/** The fault of a string: the first character that cannot stand there. */
function unfinished(text: string, at: number): Fault {
  let end = skip(PLAIN, text, at + 1);
  for (let next = skip(ESCAPE, text, end); next !== end; next = skip(ESCAPE, text, end))
    end = skip(PLAIN, text, next);
  const what = text[end] === "\\" ? "an escape" : "the quote that ends the text";
  return expected(what, text, end);
}

function expected(what: string, text: string, at: number): Fault {
  const character = text.codePointAt(at);
  const found =
    character === undefined ? "the end of the file" : JSON.stringify(String.fromCodePoint(character));
  return { code: "JSON001", message: `not JSON: expected ${what}, found ${found}`, offset: at };
}

/** The offset behind what `pattern` matches at `at`; `at` itself if it does not. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function refuse(
  code: InterchangeCode,
  message: string,
  facts: JsonObject,
): { readonly ok: false; readonly issues: readonly Issue[] } {
  return bad([{ code, path: [], message, facts }]);
}
