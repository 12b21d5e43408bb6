/** @module Writing a net in TINA's textual format. */
import { bad, type Issue, type Net, ok, type Result } from "@tessera/core";
import { finalsWarning, type NetText, type NetWriteOptions, plainIssues } from "./net-text.ts";
import { TINA_KEYWORDS } from "./tina.ts";

/**
 * Writes `net` as a TINA net: a pl line for each place, then a tr line for each transition, both in order. Names that are
 * not plain stand in braces. Final markings are not part of the format: a warning says so.
 * Law: `importTina` of the text is the same net but for final markings and for white space around labels.
 * Errors: TINA007, TINA008, all at once. Cost: linear.
 *
 * @definition D11.13
 */
export function exportTina(net: Net, options: NetWriteOptions = {}): Result<NetText, readonly Issue[]> {
  const issues = [...plainIssues(net, "TINA007", "TINA"), ...nameIssues(net)];
  if (issues.length > 0) return bad(issues);
  const side = (arcs: readonly (readonly [number, number])[]) =>
    arcs
      .map(([p, weight]) => `${name(net.places[p]?.id ?? "")}${weight === 1 ? "" : `*${weight}`} `)
      .join("");
  const label = (text: string | undefined) =>
    text === undefined || text.trim() === "" ? "" : ` : ${name(text)}`;
  // A net without any token says so at its first place; silence would let a reader choose a start.
  const isEmpty = net.initial.every((tokens) => tokens === 0);
  const marking = (p: number) =>
    (net.initial[p] ?? 0) > 0 || (isEmpty && p === 0) ? ` (${net.initial[p] ?? 0})` : "";
  const lines = [
    ...(options.name === undefined || options.name === ""
      ? []
      : [`net ${name(options.name.replace(/\p{Surrogate}/gu, "\ufffd"))}`]),
    ...net.places.map((place, p) => `pl ${name(place.id)}${label(place.label)}${marking(p)}`),
    ...net.transitions.map((t) =>
      `tr ${name(t.id)}${label(t.label)} ${side(t.pre)}-> ${side(t.post)}`.trimEnd(),
    ),
    "",
  ];
  return ok({ text: lines.join("\n"), warnings: finalsWarning(net, "TINA") });
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function name(text: string): string {
  if (/^[A-Za-z0-9_']+$/.test(text) && !TINA_KEYWORDS.has(text)) return text;
  return `{${text.replace(/[{}\\]/g, "\\$&")}}`;
}

/** A lone surrogate cannot be written as UTF-8, and an empty name is none. */
function nameIssues(net: Net): readonly Issue[] {
  const lists = [["places", net.places] as const, ["transitions", net.transitions] as const];
  return lists.flatMap(([list, nodes]) =>
    nodes.flatMap(({ id, label }, i) => {
      if (id !== "" && !LONE_SURROGATE.test(id) && !LONE_SURROGATE.test(label ?? "")) return [];
      return [
        { code: "TINA008", path: [list, i], message: "an id is empty, or a name has a lone surrogate" },
      ];
    }),
  );
}
