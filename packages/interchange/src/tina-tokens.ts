/** @module The words of TINA's textual nets: plain and braced names, signs, arrows; blanks and lines that start with # are passed over. */

/** A token with its place in the text, in UTF-16 code units. A braced name is never a keyword. */
export interface TinaToken {
  readonly kind: "name" | "braced" | "sign" | "end" | "invalid";
  /** The name without braces and escapes, or the sign. */
  readonly text: string;
  readonly offset: number;
  /** Where the next token may start. */
  readonly end: number;
}

/** A plain name; wider than TINA's own letters, digits, primes and underscores, where nothing else can be meant. */
const NAME = /[\w'.@$%/&|~^+=;"`\u00a1-\uffff]+/y;
const SIGN = /->|\?-|!-|[:()[\],<>*?!]/y;
const BLANKS = /[ \t\n\v\f\r]+/y;
const COMMENT = /#[^\n\r]*/y;
const PLAIN_RUN = /[^{}\\]*/y;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The token at or after `from`. Cost: linear in what is passed over. */
export function tinaTokenAt(text: string, from: number): TinaToken {
  const offset = afterBlanks(text, from);
  if (offset >= text.length) return { kind: "end", text: "", offset, end: offset };
  const name = match(NAME, text, offset);
  if (name !== undefined) return named("name", name, offset, offset + name.length);
  if (text[offset] === "{") return bracedAt(text, offset);
  const sign = match(SIGN, text, offset);
  if (sign !== undefined) return { kind: "sign", text: sign, offset, end: offset + sign.length };
  return invalid(text.charCodeAt(offset), offset, offset + 1);
}

/** To the brace that closes; a backslash takes the next character as it is. */
function bracedAt(text: string, offset: number): TinaToken {
  const parts: string[] = [];
  let at = offset + 1;
  for (;;) {
    const run = match(PLAIN_RUN, text, at) ?? "";
    parts.push(run);
    at += run.length;
    if (text[at] === "}") return named("braced", parts.join(""), offset, at + 1);
    if (text[at] !== "\\" || at + 1 >= text.length) {
      return { kind: "invalid", text: "a brace that is not closed", offset, end: text.length };
    }
    parts.push(text.charAt(at + 1));
    at += 2;
  }
}

function named(kind: "name" | "braced", text: string, offset: number, end: number): TinaToken {
  const lone = LONE_SURROGATE.exec(text);
  if (lone !== null) return invalid(lone[0].charCodeAt(0), offset, end);
  return text === "" ? { kind: "invalid", text: "an empty name", offset, end } : { kind, text, offset, end };
}

/** Past blanks and comment lines; a # that does not start a line is no comment and becomes an invalid token. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    at += match(BLANKS, text, at)?.length ?? 0;
    if (text[at] !== "#" || !startsLine(text, at)) return at;
    at += match(COMMENT, text, at)?.length ?? 1;
  }
}

function startsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (text[before] === " " || text[before] === "\t")) before -= 1;
  return before < 0 || text[before] === "\n" || text[before] === "\r";
}

function invalid(unit: number, offset: number, end: number): TinaToken {
  return {
    kind: "invalid",
    text: `the character U+${unit.toString(16).toUpperCase().padStart(4, "0")}`,
    offset,
    end,
  };
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
