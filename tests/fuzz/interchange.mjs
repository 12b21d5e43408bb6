/**
 * @module Mangled files for the readers of interchange, and what must hold of every answer to them.
 *
 * Used by the suite (a few thousand files) and by `fuzz.mjs` (as many as asked for).
 */

/** What mangled files are made of besides the files themselves: markup, names and numbers that code trips over. */
const PIECES = [
  "<",
  ">",
  "/>",
  "</",
  "&",
  ";",
  "&amp;",
  "&#0;",
  "&#xD800;",
  "&#x10FFFF;",
  "&lol;",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "<?xml version='1.1'?>",
  "<!DOCTYPE a [<!ENTITY b 'c'>]>",
  "<net>",
  "</net>",
  "<page id='x'>",
  "<place id='__proto__'/>",
  "<transition id='constructor'/>",
  "<arc source='a' target='b'/>",
  "<net id='n'/>",
  "<page id='t'><net/></page>",
  "xmlns:a='b'",
  "xmlns=''",
  "type='inhibitor'",
  "type='reset'",
  "type='read'",
  "<text>",
  "</text>",
  "-1",
  "0",
  "2147483648",
  "1e9",
  "99999999999999999999",
  "<finalmarkings><marking><place idref='o'><text>1</text></place></marking></finalmarkings>",
  "\0",
  "\ufeff",
  "\ufffe",
  "\r",
  "\n",
  "\t",
  "\u2028",
  "\u{1f600}",
  "PLACE",
  "MARKING",
  "TRANSITION",
  "CONSUME",
  "PRODUCE",
  "SAFE",
  "STRONG",
  "FAIR",
  "{",
  "}",
  "/*",
  "*/",
  "//",
  ",",
  ":",
  "(",
  ")",
  '"',
  "'",
  "id=''",
  "ref='r'",
  "<referencePlace id='r' ref='r'/>",
  "pl ",
  "tr ",
  "->",
  "?-1",
  "*2",
  "[0,w[",
  "#",
  "\\",
].map((piece) => new TextEncoder().encode(piece));

/** A generator of numbers in [0, 1) that the seed determines (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A file of the corpus with one to eight changes, mostly few: cut, doubled, overwritten, filled with pieces or parts of others. */
export function mangled(corpus, random) {
  const below = (n) => Math.floor(random() * n);
  let bytes = corpus[below(corpus.length)];
  for (let changes = 1 + below(1 + below(8)); changes > 0; changes -= 1) {
    const from = below(bytes.length + 1);
    const to = Math.min(bytes.length, from + below(below(2) === 0 ? 4 : 200));
    // Half of the changes keep lines whole, so that the file stays well-formed and what is wrong is the net.
    bytes =
      below(2) === 0
        ? changed(bytes, from, to, corpus, below)
        : withLines(bytes, corpus[below(corpus.length)], below);
  }
  return bytes;
}

function changed(bytes, from, to, corpus, below) {
  const other = corpus[below(corpus.length)];
  const start = below(other.length + 1);
  switch (below(8)) {
    case 0:
      return bytes.slice(0, from);
    case 1:
      return join(bytes.slice(0, from), bytes.slice(to));
    case 2:
      return join(bytes.slice(0, to), bytes.slice(from));
    case 3:
      return join(bytes.slice(0, from), PIECES[below(PIECES.length)], bytes.slice(from));
    case 4:
      return join(bytes.slice(0, from), PIECES[below(PIECES.length)], bytes.slice(to));
    case 5:
      return join(bytes.slice(0, from), other.slice(start, start + 1 + below(300)), bytes.slice(to));
    case 6:
      return bytes.map((byte, at) => (at >= from && at < to ? below(256) : byte));
    default:
      return bytes.map((byte, at) => (at === from ? byte ^ (1 << below(8)) : byte));
  }
}

/** Lines dropped, doubled, moved, or taken from another file. */
function withLines(bytes, other, below) {
  const lines = linesOf(bytes);
  const theirs = linesOf(other);
  const line = lines[below(lines.length)] ?? "";
  const at = below(lines.length + 1);
  const edits = [
    () => lines.splice(at, 1),
    () => lines.splice(at, 0, line),
    () => lines.splice(at, 1, line),
    () => lines.splice(at, 0, theirs[below(theirs.length)] ?? ""),
    () =>
      lines.splice(
        at,
        1,
        line.replace(/"[^"]*"/, (theirs.join("").match(/"[^"]*"/g) ?? ['"x"']).at(below(9)) ?? '"y"'),
      ),
  ];
  edits[below(edits.length)]();
  return Uint8Array.from(Buffer.from(lines.join("\n"), "latin1"));
}

/** The lines, a character a byte, so that joining them gives back the bytes. */
function linesOf(bytes) {
  return Buffer.from(bytes).toString("latin1").split("\n");
}

function join(...parts) {
  return Uint8Array.from(Buffer.concat(parts));
}

/**
 * Reads the bytes with every reader of `api` (the public names of interchange, and of core under `core`) and throws
 * if an answer is not as promised: a net that is one and survives storing, or issues that can be shown.
 * Returns what `importNet` answered: a format, or the code of the first issue.
 */
export function checkReaders(bytes, api) {
  const text = new TextDecoder().decode(bytes);
  for (const source of [bytes, text]) {
    const xml = api.readXml(source);
    if (!xml.ok) checkIssues(xml.issues, api);
    for (const read of [api.importPnml, api.importLola, api.importTina, api.importNet])
      checkAnswer(read(source), api);
  }
  const answer = api.importNet(bytes);
  return answer.ok ? answer.value.format : answer.issues[0].code;
}

/** An answer of a reader of nets is a net that is one and survives storing and writing, or issues that can be shown. */
export function checkAnswer(answer, api) {
  if (!answer.ok) {
    checkIssues(answer.issues, api);
    return;
  }
  const { net, warnings } = answer.value;
  if (warnings.length > 0) checkIssues(warnings, api);
  api.core.makeNet(net);
  const definition = api.netDefinition(answer.value, "fuzz");
  must(api.core.isJson(definition), "the definition is JSON");
  const compiled = api.core.compileNetDefinition(JSON.parse(JSON.stringify(definition)));
  must(compiled.ok, "the definition compiles");
  must(
    compiled.value.net.transitions.length === net.transitions.length,
    "the definition has the same transitions",
  );
  const written = api.exportPnml(net);
  if (!written.ok) checkIssues(written.issues, api);
  const again = written.ok ? api.importPnml(written.value) : undefined;
  must(again === undefined || again.ok, "what is written can be read");
  must(
    again === undefined || JSON.stringify(again.value.net) === JSON.stringify(net),
    "what is written is the same net",
  );
  const tina = api.exportTina(net);
  if (!tina.ok) checkIssues(tina.issues, api);
  const back = tina.ok ? api.importTina(tina.value.text) : undefined;
  must(back === undefined || back.ok, "what is written for TINA can be read");
  const shape = ({ places, transitions, initial }) => JSON.stringify([places, transitions, initial]);
  must(
    back === undefined || shape(back.value.net) === shape(net),
    "what is written for TINA is the same net",
  );
  const lola = api.exportLola(net);
  if (!lola.ok) checkIssues(lola.issues, api);
  must(!lola.ok || api.importLola(lola.value.text).ok, "what is written for LoLA can be read");
}

/** Issues are some, declared, short, and JSON. `lengthMax`: of a message, in code units. */
export function checkIssues(issues, api, lengthMax = 500) {
  must(issues.length > 0, "a refusal has issues");
  for (const issue of issues) {
    must(Object.hasOwn(api.CODES, issue.code), `${issue.code} is declared`);
    must(issue.message !== "" && issue.message.length <= lengthMax, "the message is short");
    must(api.core.isJson(issue), "the issue is JSON");
    const { line, column } = issue.position ?? { line: 1, column: 1 };
    must(line >= 1 && column >= 1, "lines and columns count from 1");
  }
}

export function must(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}
