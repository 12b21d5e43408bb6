/** @module LoLA's textual place/transition nets from outside: every issue at once, or the net with what was assumed. */
import { bad, type Issue, type Path, type PlaceIndex, type Result } from "@tessera/core";
import { addWeight, assembleNet, type ImportedNet, TOKENS_MAX, type TransitionPart } from "./imported-net.ts";
import type { InterchangeCode } from "./issue-codes.ts";
import { type IssueLog, issueLog, type Where } from "./issue-log.ts";
import { LOLA_KEYWORDS, type Token, tokenAt } from "./lola-tokens.ts";
import { decodeSource, positionsOf, type Source } from "./source-text.ts";

/** What a LoLA file may cost. */
export interface LolaLimits {
  /** Bytes of the input; UTF-16 code units if it is a string. */
  readonly bytesMax: number;
}

/** Options of `importLola`. */
export interface LolaOptions {
  readonly limits?: Partial<LolaLimits>;
  /** How many issues are listed at most. */
  readonly issuesMax?: number;
}

/** The default limits. */
export const LOLA_LIMITS: LolaLimits = { bytesMax: 16 * 1024 * 1024 };

/**
 * Reads a place/transition net in LoLA's format: PLACE with SAFE bounds, MARKING, TRANSITION with fairness, CONSUME,
 * PRODUCE. Names may be any words; a number left out is 1; a place named twice in a list counts twice.
 * Returns the net, or all issues (LOLAnnn, IMPnnn) with line and column; never throws. Cost: linear in the file.
 *
 * @definition D11.6
 */
export function importLola(source: Source, options: LolaOptions = {}): Result<ImportedNet, readonly Issue[]> {
  const { bytesMax } = { ...LOLA_LIMITS, ...options.limits };
  if (source.length > bytesMax) {
    const message = `the file has ${source.length} bytes; the limit is ${bytesMax}`;
    return bad([{ code: "LOLA005", path: [], message, facts: { bytes: source.length, bytesMax } }]);
  }
  const decoded = decodeSource(source);
  if (decoded.kind !== "text") {
    const { encoding } = decoded;
    const message = "the bytes are not UTF-8 text: save the file as UTF-8";
    const found = decoded.kind === "invalid" ? { byteOffset: decoded.byteOffset } : {};
    const position = decoded.kind === "invalid" ? { position: decoded.position } : {};
    return bad([{ code: "LOLA006", path: [], message, facts: { encoding, ...found }, ...position }]);
  }
  return parseNet(decoded.text, issueLog(options.issuesMax));
}

/** The state of one parse; `token` is the next one. */
interface Parse {
  readonly text: string;
  readonly log: IssueLog;
  readonly at: (offset: number, path: Path) => () => Where;
  token: Token;
  readonly places: { readonly id: string; tokens: number | undefined }[];
  readonly placeIndex: Map<string, PlaceIndex>;
  /** False after an error among the places: unknown names are then no news. */
  arePlacesKnown: boolean;
  readonly transitions: TransitionPart[];
  readonly transitionIds: Set<string>;
}

/** The sections of high-level nets. */
const HIGH_LEVEL = new Set(["SORT", "FUNCTION", "CONSTANT", "VAR", "GUARD", "START"]);

function parseNet(text: string, log: IssueLog): Result<ImportedNet, readonly Issue[]> {
  const positionAt = positionsOf(text);
  const parse: Parse = {
    text,
    log,
    at: (offset, path) => () => ({ path, position: positionAt(offset) }),
    token: tokenAt(text, 0),
    places: [],
    placeIndex: new Map(),
    arePlacesKnown: true,
    transitions: [],
    transitionIds: new Set(),
  };
  if (expectKeyword(parse, "PLACE", []) && parsePlaceSection(parse)) {
    parseMarking(parse);
    while (parse.token.kind !== "end" && parseTransition(parse));
  }
  const { places, transitions } = parse;
  const where = parse.at(0, []);
  return assembleNet({ format: "lola", name: "", places, transitions, finals: [], where }, log);
}

/** The places, or what follows them after an issue; false if there is nothing more to read. */
function parsePlaceSection(parse: Parse): boolean {
  parse.arePlacesKnown = parsePlaces(parse);
  return parse.arePlacesKnown || skipTo(parse, "MARKING");
}

/** `[SAFE [k] :] name, ...; ...` up to MARKING; false if a part cannot be read. */
function parsePlaces(parse: Parse): boolean {
  do {
    if (!parseSafe(parse)) return false;
    do {
      const name = parse.token;
      const path = ["places", parse.places.length];
      if (!expectName(parse, "the name of a place", path)) return false;
      if (parse.placeIndex.has(name.text)) {
        report(parse, "LOLA002", name, path, `the place "${name.text}" is declared twice`, {
          place: name.text,
        });
      } else {
        parse.placeIndex.set(name.text, parse.places.length);
        parse.places.push({ id: name.text, tokens: undefined });
      }
    } while (accept(parse, ","));
    if (!expectSign(parse, ";", ["places"])) return false;
  } while (isName(parse.token) || isKeyword(parse.token, "SAFE"));
  return true;
}

function parseSafe(parse: Parse): boolean {
  const { token } = parse;
  if (!isKeyword(token, "SAFE")) return true;
  const path = ["places", parse.places.length];
  advance(parse);
  if (!isSign(parse.token, ":") && parseNumber(parse, path) === null) return false;
  parse.log.warn("LOLA008", parse.at(token.offset, path), "the bound that SAFE promises is not used");
  return expectSign(parse, ":", path);
}

/** `MARKING [place [: tokens], ...];` */
function parseMarking(parse: Parse): void {
  if (!expectKeyword(parse, "MARKING", [])) {
    skipTo(parse, "TRANSITION");
    return;
  }
  const isRead = parseEntries(parse, ["marking"], (place, tokens, token, path) => {
    const entry = parse.places[place];
    const sum = (entry?.tokens ?? 0) + tokens;
    if (sum > TOKENS_MAX) report(parse, "IMP007", token, path, `"${token.text}" has too many tokens`, {});
    if (entry !== undefined) entry.tokens = sum;
  });
  if (!isRead) skipTo(parse, "TRANSITION");
}

/** One transition; false if nothing more can be read. */
function parseTransition(parse: Parse): boolean {
  const path = ["transitions", parse.transitions.length];
  if (!expectKeyword(parse, "TRANSITION", path)) return skipTo(parse, "TRANSITION");
  const name = parse.token;
  if (!expectName(parse, "the name of a transition", path)) return skipTo(parse, "TRANSITION");
  if (parse.transitionIds.has(name.text)) {
    report(parse, "LOLA002", name, path, `the transition "${name.text}" is declared twice`, {
      transition: name.text,
    });
  }
  parse.transitionIds.add(name.text);
  const transition: TransitionPart = { id: name.text, pre: new Map(), post: new Map(), reset: new Set() };
  parse.transitions.push(transition);
  const isRead =
    parseFairness(parse, path) &&
    expectKeyword(parse, "CONSUME", path) &&
    parseArcs(parse, transition.pre, [...path, "consume"]) &&
    expectKeyword(parse, "PRODUCE", path) &&
    parseArcs(parse, transition.post, [...path, "produce"]);
  return isRead || skipTo(parse, "TRANSITION");
}

function parseFairness(parse: Parse, path: Path): boolean {
  const { token } = parse;
  if (!isKeyword(token, "WEAK") && !isKeyword(token, "STRONG")) return true;
  advance(parse);
  parse.log.warn("LOLA007", parse.at(token.offset, path), `${token.text} FAIR is not read`);
  return expectKeyword(parse, "FAIR", path);
}

function parseArcs(parse: Parse, side: Map<PlaceIndex, number>, path: Path): boolean {
  return parseEntries(parse, path, (place, weight, token, at) => {
    if (weight === 0) {
      parse.log.warn(
        "LOLA009",
        parse.at(token.offset, at),
        `the arc of weight 0 at "${token.text}" is no arc`,
      );
    } else if (!addWeight(side, place, weight)) {
      report(parse, "IMP007", token, at, `the weight at "${token.text}" is too large`, {});
    }
  });
}

/** `[place [: number], ...];` with `each` called for every entry that is right. */
function parseEntries(
  parse: Parse,
  path: Path,
  each: (place: PlaceIndex, number: number, token: Token, path: Path) => void,
): boolean {
  for (let i = 0; !isSign(parse.token, ";"); i += 1) {
    const name = parse.token;
    const at = [...path, i];
    if (!expectName(parse, "the name of a place or ;", at)) return false;
    const number = accept(parse, ":") ? parseNumber(parse, at) : 1;
    if (number === null) return false;
    const place = parse.placeIndex.get(name.text);
    if (place !== undefined) each(place, number, name, at);
    else if (parse.arePlacesKnown) {
      report(parse, "LOLA003", name, at, `there is no place "${name.text}"`, { place: name.text });
    }
    if (!accept(parse, ",")) break;
  }
  return expectSign(parse, ";", path);
}

/** A number; one that is too large is an issue and counts as 0. Null: no number at all, which is an issue. */
function parseNumber(parse: Parse, path: Path): number | null {
  const { token } = parse;
  if (token.kind !== "word" || !/^\d+$/.test(token.text)) {
    unexpected(parse, "a number", path);
    return null;
  }
  advance(parse);
  const number = Number(token.text);
  if (number <= TOKENS_MAX) return number;
  report(parse, "IMP007", token, path, `the number is above ${TOKENS_MAX}`, { found: token.text });
  return 0;
}

function expectKeyword(parse: Parse, keyword: string, path: Path): boolean {
  if (!isKeyword(parse.token, keyword)) return unexpected(parse, keyword, path);
  advance(parse);
  return true;
}

function expectName(parse: Parse, what: string, path: Path): boolean {
  if (!isName(parse.token)) return unexpected(parse, what, path);
  advance(parse);
  return true;
}

function expectSign(parse: Parse, sign: string, path: Path): boolean {
  return accept(parse, sign) || unexpected(parse, sign, path);
}

function accept(parse: Parse, sign: string): boolean {
  if (!isSign(parse.token, sign)) return false;
  advance(parse);
  return true;
}

function advance(parse: Parse): void {
  parse.token = tokenAt(parse.text, parse.token.end);
}

/** Passes over everything before `keyword`; false if it does not come. */
function skipTo(parse: Parse, keyword: string): boolean {
  while (parse.token.kind !== "end" && !isKeyword(parse.token, keyword)) advance(parse);
  return parse.token.kind !== "end";
}

function unexpected(parse: Parse, expected: string, path: Path): false {
  const { token } = parse;
  const found =
    token.kind === "end" ? "the end of the file" : token.kind === "invalid" ? token.text : `"${token.text}"`;
  const isHighLevel = token.kind === "word" && HIGH_LEVEL.has(token.text);
  const code = isHighLevel ? "LOLA004" : "LOLA001";
  const message = isHighLevel
    ? `${token.text} belongs to high-level nets, which cannot be read`
    : `expected ${expected}, found ${found}`;
  report(parse, code, token, path, message, { expected, found });
  return false;
}

function report(
  parse: Parse,
  code: InterchangeCode,
  token: Token,
  path: Path,
  message: string,
  facts: Readonly<Record<string, string | number>>,
): void {
  parse.log.error(code, parse.at(token.offset, path), message, facts);
}

function isKeyword(token: Token, keyword: string): boolean {
  return token.kind === "word" && token.text === keyword;
}

function isName(token: Token): boolean {
  return token.kind === "word" && !LOLA_KEYWORDS.has(token.text);
}

function isSign(token: Token, sign: string): boolean {
  return token.kind === "punctuation" && token.text === sign;
}
