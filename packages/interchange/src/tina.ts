/** @module TINA's textual nets (.net) from outside: every issue at once, or the net with what was assumed. */
import { bad, type Issue, type Path, type PlaceIndex, type Result } from "@tessera/core";
import { addWeight, assembleNet, type Bound, type ImportedNet, TOKENS_MAX } from "./imported-net.ts";
import type { InterchangeCode } from "./issue-codes.ts";
import { type IssueLog, issueLog, type Where } from "./issue-log.ts";
import { addInhibitor, addRead, applyReads, type OpenTransition } from "./open-transition.ts";
import { decodeSource, positionsOf, type Source } from "./source-text.ts";
import { type TinaToken, tinaTokenAt } from "./tina-tokens.ts";

/** Options of `importTina`. */
export interface TinaOptions {
  readonly limits?: { readonly bytesMax?: number };
  /** How many issues are listed at most. */
  readonly issuesMax?: number;
}

const BYTES_MAX = 16 * 1024 * 1024;
/** The words that start a declaration. A name in braces is none of them. */
export const TINA_KEYWORDS: ReadonlySet<string> = new Set(["net", "tr", "pl", "lb", "nt", "pr"]);

/**
 * Reads a place/transition net in TINA's textual format: places with markings, transitions with weighted, test and
 * inhibitor arcs, labels, notes. The net is the superposition of its declarations. Timed nets, priorities and
 * stopwatches are refused. Returns the net, or all issues (TINAnnn, IMPnnn) with line and column; never throws.
 * Cost: linear in the file; for inhibitor arcs also the search for bounds (D11.10).
 *
 * @definition D11.8
 */
export function importTina(source: Source, options: TinaOptions = {}): Result<ImportedNet, readonly Issue[]> {
  const bytesMax = options.limits?.bytesMax ?? BYTES_MAX;
  if (source.length > bytesMax) {
    const message = `the file has ${source.length} bytes; the limit is ${bytesMax}`;
    return bad([{ code: "TINA002", path: [], message, facts: { bytes: source.length, bytesMax } }]);
  }
  const decoded = decodeSource(source);
  if (decoded.kind !== "text") {
    const { encoding } = decoded;
    const position = decoded.kind === "invalid" ? { position: decoded.position } : {};
    const message = "the bytes are not UTF-8 text: save the file as UTF-8";
    return bad([{ code: "TINA003", path: [], message, facts: { encoding }, ...position }]);
  }
  return parseNet(decoded.text, issueLog(options.issuesMax));
}

/** The state of one parse; `token` is the next one. */
interface Parse {
  readonly text: string;
  readonly log: IssueLog;
  readonly at: (offset: number) => () => Where;
  token: TinaToken;
  name: string;
  readonly places: OpenPlace[];
  readonly placeIndex: Map<string, PlaceIndex>;
  readonly transitions: (OpenTransition & { label?: string })[];
  readonly transitionIndex: Map<string, number>;
  /** Labels by lb, which may come before their nodes. */
  readonly labels: { readonly token: TinaToken; readonly label: string }[];
}

interface OpenPlace {
  readonly id: string;
  label?: string;
  tokens: number | undefined;
}

function parseNet(text: string, log: IssueLog): Result<ImportedNet, readonly Issue[]> {
  const positionAt = positionsOf(text);
  const parse: Parse = {
    text,
    log,
    at: (offset) => () => ({ path: [] as Path, position: positionAt(offset) }),
    token: tinaTokenAt(text, 0),
    name: "",
    places: [],
    placeIndex: new Map(),
    transitions: [],
    transitionIndex: new Map(),
    labels: [],
  };
  while (parse.token.kind !== "end") if (!parseDeclaration(parse)) skipToKeyword(parse);
  for (const { token, label } of parse.labels) setLabelOf(parse, token, label);
  for (const transition of parse.transitions) applyReads(transition, log);
  const { places, transitions, name } = parse;
  return assembleNet({ format: "tina", name, places, transitions, finals: [], where: parse.at(0) }, log);
}

/** One declaration; false after an issue. */
function parseDeclaration(parse: Parse): boolean {
  const { token } = parse;
  if (!isKeyword(token)) return unexpected(parse, "net, tr, pl, lb or nt");
  advance(parse);
  switch (token.text) {
    case "net":
      parse.name = parse.token.text;
      return expectName(parse, "the name of the net");
    case "tr":
      return parseTransition(parse);
    case "pl":
      return parsePlace(parse);
    case "lb":
      return parseLabel(parse);
    case "nt":
      // A note: its name, whether it is shown, its text.
      return (
        expectName(parse, "a note") &&
        expectName(parse, "0 or 1") &&
        expectName(parse, "the text of the note")
      );
    default:
      report(parse, "TINA004", token, "priorities between transitions cannot be read");
      return false;
  }
}

/** `tr name [: label] [interval] [places -> places]` */
function parseTransition(parse: Parse): boolean {
  const { token } = parse;
  if (!expectName(parse, "the name of a transition")) return false;
  const transition = transitionNamed(parse, token.text);
  return (
    parseOwnLabel(parse, transition) &&
    parseInterval(parse) &&
    parseSides(
      parse,
      (name, arc) => addInput(parse, placeNamed(parse, name), transition, arc),
      (name, arc) => addOutput(parse, placeNamed(parse, name), transition, arc),
    )
  );
}

/** `pl name [: label] [(marking)] [transitions -> transitions]` */
function parsePlace(parse: Parse): boolean {
  const { token } = parse;
  if (!expectName(parse, "the name of a place")) return false;
  const index = placeNamed(parse, token.text);
  const place = parse.places[index];
  if (place === undefined || !parseOwnLabel(parse, place)) return false;
  if (accept(parse, "(")) {
    if (place.tokens !== undefined)
      report(parse, "TINA005", token, `the marking of "${token.text}" is stated twice`);
    const tokens = parseNumber(parse);
    if (tokens === null) return false;
    place.tokens = tokens;
    if (!expectSign(parse, ")")) return false;
  }
  return parseSides(
    parse,
    (name, arc) => addOutput(parse, index, transitionNamed(parse, name), arc),
    (name, arc) => addInput(parse, index, transitionNamed(parse, name), arc),
  );
}

/** `lb name label` */
function parseLabel(parse: Parse): boolean {
  const node = parse.token;
  if (!expectName(parse, "the name of a place or transition")) return false;
  const label = parse.token.text;
  if (!expectName(parse, "a label")) return false;
  parse.labels.push({ token: node, label });
  return true;
}

function setLabelOf(parse: Parse, token: TinaToken, label: string): void {
  const place = parse.places[parse.placeIndex.get(token.text) ?? -1];
  const transition = parse.transitions[parse.transitionIndex.get(token.text) ?? -1];
  const [node, other] = [place, transition].filter((each) => each !== undefined);
  if (node === undefined || other !== undefined) {
    const what = node === undefined ? "no node" : "a place and a transition";
    report(parse, "TINA005", token, `the label names ${what}: "${token.text}"`);
  } else setLabel(parse, token, node, label);
}

function parseOwnLabel(parse: Parse, node: { label?: string }): boolean {
  if (!accept(parse, ":")) return true;
  const { token } = parse;
  if (!expectName(parse, "a label")) return false;
  setLabel(parse, token, node, token.text);
  return true;
}

function setLabel(parse: Parse, token: TinaToken, node: { label?: string }, label: string): void {
  const trimmed = label.trim();
  if (node.label !== undefined && node.label !== trimmed)
    report(parse, "TINA005", token, `a second label: "${label}"`);
  if (trimmed !== "") node.label = trimmed;
}

/** An interval of firing times; [0,w[ says nothing, every other one is time. */
function parseInterval(parse: Parse): boolean {
  const { token } = parse;
  if (!isSign(token, "[") && !isSign(token, "]")) return true;
  advance(parse);
  const from = parseNumber(parse);
  if (from === null || !expectSign(parse, ",")) return false;
  const isOpen = parse.token.kind === "name" && parse.token.text === "w";
  if (isOpen) advance(parse);
  else if (parseNumber(parse) === null) return false;
  if (!accept(parse, "[") && !accept(parse, "]")) return unexpected(parse, "[ or ]");
  if (!isOpen || from !== 0 || token.text === "]") {
    report(
      parse,
      "TINA004",
      token,
      "a transition with an interval of firing times is not a place/transition net's",
    );
  }
  return true;
}

/** An arc as written behind a name. */
interface Arc {
  readonly token: TinaToken;
  readonly kind: "*" | "?" | "?-";
  readonly weight: number;
}

/** `names -> names`, or nothing at all. */
function parseSides(
  parse: Parse,
  left: (name: string, arc: Arc) => void,
  right: (name: string, arc: Arc) => void,
): boolean {
  if (!isPlainName(parse.token) && !isSign(parse.token, "->")) return true;
  return parseSide(parse, left) && expectSign(parse, "->") && parseSide(parse, right);
}

function parseSide(parse: Parse, each: (name: string, arc: Arc) => void): boolean {
  while (isPlainName(parse.token)) {
    const { token } = parse;
    advance(parse);
    const sign = parse.token.kind === "sign" ? parse.token.text : "";
    if (sign === "!" || sign === "!-") {
      report(parse, "TINA004", token, "a stopwatch arc is not a place/transition net's");
      return false;
    }
    const kind = sign === "*" || sign === "?" || sign === "?-" ? sign : null;
    if (kind === null) {
      each(token.text, { token, kind: "*", weight: 1 });
      continue;
    }
    advance(parse);
    const weight = parseNumber(parse);
    if (weight === null) return false;
    if (weight === 0) report(parse, "TINA001", token, `the arc at "${token.text}" has the weight 0`);
    else each(token.text, { token, kind, weight });
  }
  return true;
}

function addInput(
  parse: Parse,
  place: PlaceIndex,
  transition: OpenTransition,
  { token, kind, weight }: Arc,
): void {
  const bound: Bound = { tokens: weight, where: parse.at(token.offset) };
  if (kind === "?") addRead(transition, place, bound);
  else if (kind === "?-") addInhibitor(transition, place, bound);
  else if (!addWeight(transition.pre, place, weight)) tooLarge(parse, token);
}

function addOutput(
  parse: Parse,
  place: PlaceIndex,
  transition: OpenTransition,
  { token, kind, weight }: Arc,
): void {
  if (kind === "*") {
    if (!addWeight(transition.post, place, weight)) tooLarge(parse, token);
    return;
  }
  const what = kind === "?" ? "test" : "inhibitor";
  report(parse, "TINA006", token, `a ${what} arc leads from a transition to a place at "${token.text}"`);
}

function tooLarge(parse: Parse, token: TinaToken): void {
  report(parse, "IMP007", token, `the weight at "${token.text}" is too large`);
}

function placeNamed(parse: Parse, id: string): PlaceIndex {
  const known = parse.placeIndex.get(id);
  if (known !== undefined) return known;
  parse.placeIndex.set(id, parse.places.length);
  return parse.places.push({ id, tokens: undefined }) - 1;
}

function transitionNamed(parse: Parse, id: string): OpenTransition & { label?: string } {
  const known = parse.transitions[parse.transitionIndex.get(id) ?? -1];
  if (known !== undefined) return known;
  const made: OpenTransition = {
    id,
    pre: new Map(),
    post: new Map(),
    reset: new Set(),
    read: new Map(),
    inhibitors: new Map(),
  };
  parse.transitionIndex.set(id, parse.transitions.length);
  parse.transitions.push(made);
  return made;
}

/** Digits with a power of thousand; one that is too large is an issue and counts as 1. Null: no number. */
function parseNumber(parse: Parse): number | null {
  const { token } = parse;
  const [, digits, unit = ""] = (token.kind === "name" && /^(\d+)([KMGTPE]?)$/.exec(token.text)) || [];
  if (digits === undefined) {
    unexpected(parse, "a number");
    return null;
  }
  advance(parse);
  const number = Number(digits) * 1000 ** (unit === "" ? 0 : "KMGTPE".indexOf(unit) + 1);
  if (number <= TOKENS_MAX) return number;
  report(parse, "IMP007", token, `the number is above ${TOKENS_MAX}`);
  return 1;
}

function expectName(parse: Parse, what: string): boolean {
  if (!isPlainName(parse.token)) return unexpected(parse, what);
  advance(parse);
  return true;
}

function expectSign(parse: Parse, sign: string): boolean {
  return accept(parse, sign) || unexpected(parse, sign);
}

function accept(parse: Parse, sign: string): boolean {
  if (!isSign(parse.token, sign)) return false;
  advance(parse);
  return true;
}

function advance(parse: Parse): void {
  parse.token = tinaTokenAt(parse.text, parse.token.end);
}

/** Passes over everything before the next keyword. */
function skipToKeyword(parse: Parse): void {
  while (parse.token.kind !== "end" && !isKeyword(parse.token)) advance(parse);
}

function unexpected(parse: Parse, expected: string): false {
  const { token } = parse;
  const found =
    token.kind === "end" ? "the end of the file" : token.kind === "invalid" ? token.text : `"${token.text}"`;
  report(parse, "TINA001", token, `expected ${expected}, found ${found}`);
  return false;
}

function report(parse: Parse, code: InterchangeCode, token: TinaToken, message: string): void {
  parse.log.error(code, parse.at(token.offset), message, { at: token.text });
}

function isKeyword(token: TinaToken): boolean {
  return token.kind === "name" && TINA_KEYWORDS.has(token.text);
}

/** A name that does not start a declaration. */
function isPlainName(token: TinaToken): boolean {
  return token.kind === "braced" || (token.kind === "name" && !TINA_KEYWORDS.has(token.text));
}

function isSign(token: TinaToken, sign: string): boolean {
  return token.kind === "sign" && token.text === sign;
}
