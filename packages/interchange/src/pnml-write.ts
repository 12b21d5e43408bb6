/** @module Writing a net as PNML that this package and other tools read back as the same net. */
import { bad, type Issue, isFinal, type Marking, type Net, ok, type Result } from "@tessera/core";
import type { InterchangeCode } from "./issue-codes.ts";
import { isDefaultEnds, subsetMarkings } from "./net-definition.ts";

/** Options of `exportPnml`. */
export interface PnmlWriteOptions {
  /** The net's name. */
  readonly name?: string;
}

/** Sets of more ends than this are refused where each subset would have to be written as a final marking. */
const LISTED_ENDS_MAX = 10;

/**
 * Writes `net` as a PNML place/transition net: ids, labels, weights, resets (arc type "reset"), initial marking, and
 * the final markings where they are not just the places without outgoing arcs.
 * Law: `importPnml` of the text is the same net, except that roles and origins of places and transitions are not
 * written, white space around labels is lost and an empty label is none.
 * Errors: PNML025 to PNML028, all at once. Cost: linear in the net.
 */
export function exportPnml(net: Net, options: PnmlWriteOptions = {}): Result<string, readonly Issue[]> {
  const finals = finalsToWrite(net);
  const issues = [...nodeIssues(net, options), ...(finals === null ? [finalsIssue()] : [])];
  if (issues.length > 0 || finals === null) return bad(issues);
  const arcId = arcIds(net);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">',
    ` <net id="net" type="http://www.pnml.org/version-2009/grammar/ptnet">${name(options.name)}`,
    '  <page id="page">',
    ...net.places.map((place, p) => writePlace(net, place.id, place.label, p)),
    ...net.transitions.map(
      ({ id, label }) => `   <transition id="${attributeText(id)}">${name(label)}</transition>`,
    ),
    ...net.transitions.flatMap((_, t) => writeArcs(net, t, arcId)),
    "  </page>",
    ...(finals.length === 0
      ? []
      : ["  <finalmarkings>", ...finals.map((m) => writeMarking(net, m)), "  </finalmarkings>"]),
    " </net>",
    "</pnml>",
    "",
  ];
  return ok(lines.join("\n"));
}

/** The final markings to list: none where the ends are the default; null where they cannot be written. */
function finalsToWrite(net: Net): readonly Marking[] | null {
  if (isDefaultEnds(net)) return [];
  if (net.finals.kind === "ends") {
    const { ends } = net.finals;
    return ends.length > 0 && ends.length <= LISTED_ENDS_MAX ? subsetMarkings(net, ends) : null;
  }
  // A reader takes no list, and an empty marking in it, for a file that does not say.
  const empty = net.places.map(() => 0);
  return net.finals.markings.length === 0 || isFinal(net, empty) ? null : net.finals.markings;
}

function finalsIssue(): Issue {
  return issue(
    "PNML026",
    ["finals"],
    "these final markings cannot be written: none, the empty one, or too many ends",
  );
}

/** Everything about ids, labels and transitions that PNML cannot hold. */
function nodeIssues(net: Net, options: PnmlWriteOptions): readonly Issue[] {
  const placeIds = new Set(net.places.map(({ id }) => id));
  return [
    ...textIssues(options.name, ["name"]),
    ...net.places.flatMap((place, p) => idIssues(place, ["places", p])),
    ...net.transitions.flatMap((transition, t) => {
      const { id, any, rule } = transition;
      const path = ["transitions", t];
      return [
        ...idIssues(transition, path),
        ...(any.length > 0 || rule !== undefined
          ? [issue("PNML025", path, `the transition "${id}" has optional inputs or a rule`)]
          : []),
        ...(placeIds.has(id) ? [issue("PNML028", [...path, "id"], `"${id}" is also the id of a place`)] : []),
      ];
    }),
  ];
}

function idIssues(
  node: { readonly id: string; readonly label?: string },
  path: Issue["path"],
): readonly Issue[] {
  const { id, label } = node;
  const empty = id === "" ? [issue("PNML027", [...path, "id"], "an id is empty")] : [];
  return [...empty, ...textIssues(id, [...path, "id"]), ...textIssues(label, [...path, "label"])];
}

function textIssues(text: string | undefined, path: Issue["path"]): readonly Issue[] {
  if (text === undefined || !FORBIDDEN.test(text)) return [];
  return [issue("PNML027", path, "the text has a character that XML cannot hold")];
}

/** What XML 1.0 cannot hold even as a character reference: most controls, lone surrogates, two noncharacters. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

function issue(code: InterchangeCode, path: Issue["path"], message: string): Issue {
  return { code, path, message: message.slice(0, 400) };
}

function writePlace(net: Net, id: string, label: string | undefined, p: number): string {
  const tokens = net.initial[p] ?? 0;
  // A net without any token says so at its first place; silence would let a reader choose a start.
  const isStated = tokens > 0 || (p === 0 && net.initial.every((count) => count === 0));
  const initial = isStated ? `<initialMarking><text>${tokens}</text></initialMarking>` : "";
  return `   <place id="${attributeText(id)}">${name(label)}${initial}</place>`;
}

function writeArcs(net: Net, t: number, arcId: () => string): readonly string[] {
  const transition = net.transitions[t];
  if (transition === undefined) return [];
  const { id, pre, post, reset } = transition;
  const place = (p: number) => net.places[p]?.id ?? "";
  const arc = (source: string, target: string, content: string) =>
    `   <arc id="${arcId()}" source="${attributeText(source)}" target="${attributeText(target)}">${content}</arc>`;
  return [
    ...pre.map(([p, weight]) => arc(place(p), id, inscription(weight))),
    ...reset.map((p) => arc(place(p), id, "<arctype><text>reset</text></arctype>")),
    ...post.map(([p, weight]) => arc(id, place(p), inscription(weight))),
  ];
}

function writeMarking(net: Net, marking: Marking): string {
  const places = net.places.flatMap(({ id }, p) =>
    (marking[p] ?? 0) > 0 ? [`<place idref="${attributeText(id)}"><text>${marking[p]}</text></place>`] : [],
  );
  return `   <marking>${places.join("")}</marking>`;
}

function inscription(weight: number): string {
  return weight === 1 ? "" : `<inscription><text>${weight}</text></inscription>`;
}

function name(label: string | undefined): string {
  return label === undefined ? "" : `<name><text>${escaped(label)}</text></name>`;
}

/** Ids for arcs that no node has. */
function arcIds(net: Net): () => string {
  const taken = new Set([...net.places, ...net.transitions].map(({ id }) => id));
  let next = 0;
  return () => {
    do next += 1;
    while (taken.has(`a${next}`));
    return `a${next}`;
  };
}

function attributeText(text: string): string {
  // Readers replace raw tabs and line ends in attributes by blanks.
  return escaped(text).replaceAll('"', "&quot;").replaceAll("\t", "&#9;").replaceAll("\n", "&#10;");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}
