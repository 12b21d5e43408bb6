/** @module The words of LoLA's net format: names, numbers, punctuation; white space and comments are passed over. */

/** A token with its place in the text, in UTF-16 code units. */
export interface Token {
  readonly kind: "word" | "punctuation" | "end" | "invalid";
  readonly text: string;
  readonly offset: number;
  /** Where the next token may start. */
  readonly end: number;
}

/**
 * A name may have any character but blanks, punctuation, braces and control characters. Matched by code units:
 * by code points, the matcher's stack would grow with the name. Lone surrogates are looked for afterwards.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it excludes
const WORD = /[^,;:(){}\s\u0000-\u001f\u007f-\u009f]+/y;
const LONE_SURROGATE = /\p{Surrogate}/u;
const BLANKS = /[ \t\n\v\f\r]+/y;
const LINE = /[^\n\r]*/y;
const PUNCTUATION = /[,;:()]/y;

/** Words that mean something in the format and name nothing. */
export const LOLA_KEYWORDS: ReadonlySet<string> = new Set([
  "PLACE",
  "MARKING",
  "TRANSITION",
  "CONSUME",
  "PRODUCE",
  "SAFE",
  "WEAK",
  "STRONG",
  "FAIR",
]);

/** Is `text` a word that can name a place or transition? */
export function isLolaName(text: string): boolean {
  const token = tokenAt(text, 0);
  return token.kind === "word" && token.text === text && !LOLA_KEYWORDS.has(text);
}

/** The token at or after `from`. Cost: linear in what is passed over. */
export function tokenAt(text: string, from: number): Token {
  const offset = afterBlanks(text, from);
  if (offset >= text.length) return { kind: "end", text: "", offset, end: offset };
  if (text.startsWith("/*", offset) || text[offset] === "{") {
    return { kind: "invalid", text: "an open comment", offset, end: text.length };
  }
  const word = match(WORD, text, offset);
  if (word !== undefined) return wordToken(word, offset);
  const sign = match(PUNCTUATION, text, offset);
  if (sign !== undefined) return { kind: "punctuation", text: sign, offset, end: offset + 1 };
  return { kind: "invalid", text: character(text.charCodeAt(offset)), offset, end: offset + 1 };
}

function wordToken(word: string, offset: number): Token {
  const end = offset + word.length;
  const lone = LONE_SURROGATE.exec(word);
  return lone === null
    ? { kind: "word", text: word, offset, end }
    : { kind: "invalid", text: character(lone[0].charCodeAt(0)), offset: offset + lone.index, end };
}

/** Past blanks and comments of the three forms; a comment that is not closed stays, and becomes an invalid token. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  // A loop, not one expression: a file of a million comments must not exhaust the matcher's stack.
  for (;;) {
    const blanks = match(BLANKS, text, at);
    const next = blanks === undefined ? afterComment(text, at) : at + blanks.length;
    if (next === at) return at;
    at = next;
  }
}

/** Past the comment that starts at `at`; `at` itself if none does or it is not closed. */
function afterComment(text: string, at: number): number {
  if (text[at] === "{") return text.indexOf("}", at) + 1 || at;
  if (text.startsWith("/*", at)) {
    const close = text.indexOf("*/", at + 2);
    return close < 0 ? at : close + 2;
  }
  return text.startsWith("//", at) ? at + (match(LINE, text, at)?.length ?? 0) : at;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function character(unit: number): string {
  return `the character U+${unit.toString(16).toUpperCase().padStart(4, "0")}`;
}
