/** @module JSON text to value, with every key as it is written. */
import type { Json } from "./json.ts";

/**
 * The value of a JSON text (RFC 8259): what `JSON.parse` gives, but for a fault of V8 12.8 and later, Node 24 among them:
 * where an object with the key `\` was read before, a key that is written with an escape (a quote, a line break) comes
 * back as `\` (https://github.com/nodejs/node/issues/63785). So where a key has an escape, all keys of the text are spelt
 * without one before it is parsed, and read back after.
 * Throws: a SyntaxError for what is not JSON. Cost: that of `JSON.parse`, a scan where the text has a backslash, and a
 * second parse and a copy where a key has one.
 *
 * @definition D4.14
 */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  const spelt = text.includes("\\") ? spellKeys(text) : null;
  return spelt === null ? value : readBack(JSON.parse(spelt.text) as Json, spelt.keys);
}

/** A text whose keys have no escapes: `=` and the key as it stood, or `#` and the place of the key in `keys`. */
interface Spelt {
  readonly text: string;
  readonly keys: readonly string[];
}

/** The text with its keys spelt; null if none of them has an escape. `text` is known to be JSON. */
function spellKeys(text: string): Spelt | null {
  const parts: string[] = [];
  const keys: string[] = [];
  let copied = 0;
  for (let at = text.indexOf('"'); at !== -1; ) {
    const end = stringEnd(text, at);
    if (isColonNext(text, end)) {
      const token = text.slice(at, end);
      const isPlain = !token.includes("\\");
      parts.push(text.slice(copied, at), isPlain ? `"=${token.slice(1)}` : `"#${keys.length}"`);
      // A text that stands alone is no key: it is parsed as it is written.
      if (!isPlain) keys.push(JSON.parse(token) as string);
      copied = end;
    }
    at = text.indexOf('"', end);
  }
  if (keys.length === 0) return null;
  return { text: parts.join("") + text.slice(copied), keys };
}

/** The offset after the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isColonNext(text: string, from: number): boolean {
  let at = from;
  while (BLANKS.has(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

type Container = Json[] | { [key: string]: Json };

/** The value with its own keys; no deeper on the stack however deep the value is. */
function readBack(value: Json, keys: readonly string[]): Json {
  const root: Json[] = [];
  const open: [Container, Json][] = [[root, [value]]];
  const copyOf = (member: Json): Json => {
    if (member === null || typeof member !== "object") return member;
    const copy: Container = Array.isArray(member) ? [] : {};
    open.push([copy, member]);
    return copy;
  };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [copy, source] = next;
    if (Array.isArray(copy)) for (const member of source as readonly Json[]) copy.push(copyOf(member));
    else
      for (const [spelt, member] of Object.entries(source as object)) {
        const key = spelt.startsWith("#") ? (keys[Number(spelt.slice(1))] as string) : spelt.slice(1);
        // Defined, not assigned: `__proto__` is a key like any other.
        Object.defineProperty(copy, key, { value: copyOf(member), ...OWN });
      }
  }
  return root[0] as Json;
}

const OWN = { writable: true, enumerable: true, configurable: true };
