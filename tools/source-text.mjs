/**
 * @module TypeScript and JavaScript text cut into code, comments and literals, for the tools beside this file.
 *
 * A lexer only, so that no tool depends on a compiler's interface: what a tool asks for (imports, tags in comments,
 * names of tests) never needs more. A slash begins a regular expression where a value may begin.
 */

/** A piece of a source: `kind` is "code", "comment", "string", "template" or "regex"; `start` counts code units. */
export function pieces(source) {
  const cut = [];
  let at = 0;
  let codeStart = 0;
  const push = (kind, start, end) => {
    if (end > start) cut.push({ kind, text: source.slice(start, end), start });
  };
  while (at < source.length) {
    const literal = literalAt(source, at, codeStart, cut);
    if (literal === undefined) {
      at += 1;
      continue;
    }
    push("code", codeStart, at);
    push(literal.kind, at, literal.end);
    at = literal.end;
    codeStart = at;
  }
  push("code", codeStart, source.length);
  return cut;
}

function literalAt(source, at, codeStart, cut) {
  const two = source.slice(at, at + 2);
  if (two === "//") return { kind: "comment", end: endOf(source, "\n", at) };
  if (two === "/*") return { kind: "comment", end: endOf(source, "*/", at + 2, 2) };
  const one = source[at];
  if (one === '"' || one === "'") return { kind: "string", end: endOfQuoted(source, at, one) };
  if (one === "`") return { kind: "template", end: endOfTemplate(source, at) };
  if (one === "/" && valueMayBegin(source.slice(codeStart, at), cut)) {
    return { kind: "regex", end: endOfRegex(source, at) };
  }
  return undefined;
}

function endOf(source, needle, from, extra = 0) {
  const found = source.indexOf(needle, from);
  return found === -1 ? source.length : found + extra;
}

function endOfQuoted(source, start, quote) {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === quote || source[at] === "\n") return at + 1;
  }
  return source.length;
}

/** Templates nest: `${` opens code, which may hold further templates, strings and braces. */
function endOfTemplate(source, start) {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "`") return at + 1;
    else if (source.startsWith("${", at)) at = endOfSubstitution(source, at + 2) - 1;
  }
  return source.length;
}

function endOfSubstitution(source, start) {
  let depth = 1;
  for (let at = start; at < source.length; at += 1) {
    const one = source[at];
    if (one === '"' || one === "'") at = endOfQuoted(source, at, one) - 1;
    else if (one === "`") at = endOfTemplate(source, at) - 1;
    else if (one === "{") depth += 1;
    else if (one === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return source.length;
}

function endOfRegex(source, start) {
  let isInClass = false;
  for (let at = start + 1; at < source.length; at += 1) {
    const one = source[at];
    if (one === "\\") at += 1;
    else if (one === "[") isInClass = true;
    else if (one === "]") isInClass = false;
    else if (one === "\n") return start + 1;
    else if (one === "/" && !isInClass) {
      let end = at + 1;
      while (/[a-z]/.test(source[end] ?? "")) end += 1;
      return end;
    }
  }
  return start + 1;
}

function valueMayBegin(codeBefore, cut) {
  const code = codeBefore.trimEnd();
  if (code === "") {
    const last = cut.findLast((piece) => piece.kind !== "comment" && piece.text.trim() !== "");
    return last === undefined || (last.kind === "code" && valueMayBegin(last.text, []));
  }
  return (
    /[=(,:;!&|?{}[+\-*%<>~^]$/.test(code) ||
    /\b(?:return|typeof|case|of|in|void|throw|yield|await)$/.test(code)
  );
}

const blank = (text) => text.replace(/[^\n]/g, " ");

/** The source with every comment blanked out; offsets and lines stay. */
export function withoutComments(source) {
  return pieces(source)
    .map((piece) => (piece.kind === "comment" ? blank(piece.text) : piece.text))
    .join("");
}

/** Only the comments; offsets and lines stay. */
export function onlyComments(source) {
  return pieces(source)
    .map((piece) => (piece.kind === "comment" ? piece.text : blank(piece.text)))
    .join("");
}

/** String and template literals with their text (escapes left as written) and the line they begin on. */
export function literals(source) {
  return pieces(source)
    .filter((piece) => piece.kind === "string" || piece.kind === "template")
    .map((piece) => ({
      text: piece.text.slice(1, -1),
      line: lineOf(source, piece.start),
      start: piece.start,
    }));
}

/** The line (from 1) of an offset. */
export function lineOf(source, offset) {
  let line = 1;
  for (let at = source.indexOf("\n"); at !== -1 && at < offset; at = source.indexOf("\n", at + 1)) line += 1;
  return line;
}
