/** @module Writing a net in LoLA's format. */
import { bad, type Issue, type Net, ok, type Result } from "@tessera/core";
import { isLolaName } from "./lola-tokens.ts";
import { finalsWarning, type NetText, type NetWriteOptions, plainIssues } from "./net-text.ts";

/**
 * Writes `net` as a LoLA place/transition net. Ids that are no words of LoLA get `%` and four hexadecimal digits for each
 * character that does not fit (and for `%`), so that different ids stay different; a warning counts them. Labels and final
 * markings are not part of the format: warnings say so.
 * Law: `importLola` of the text is the same net but for these. Errors: LOLA010, LOLA013, all at once. Cost: linear.
 *
 * @definition D11.12
 */
export function exportLola(net: Net, options: NetWriteOptions = {}): Result<NetText, readonly Issue[]> {
  const issues = [...plainIssues(net, "LOLA010", "LoLA"), ...placeIssues(net)];
  if (issues.length > 0) return bad(issues);
  const place = (p: number) => lolaName(net.places[p]?.id ?? "");
  const entries = (side: readonly (readonly [number, number])[]) =>
    side.map(([p, weight]) => ` ${place(p)}: ${weight}`).join(",");
  const marked = net.initial.flatMap((tokens, p) => (tokens > 0 ? [[p, tokens] as const] : []));
  // Zeros are stated where there is no token: silence would let a reader choose a start.
  const marking = entries(marked.length > 0 ? marked : net.places.slice(0, 1).map((_, p) => [p, 0] as const));
  const comment =
    options.name === undefined || options.name === ""
      ? []
      : [`{ ${options.name.replace(/[{}\p{Cc}]/gu, " ")} }`];
  const lines = [
    ...comment,
    `PLACE${net.places.map((_, p) => ` ${place(p)}`).join(",")};`,
    `MARKING${marking};`,
    ...net.transitions.flatMap(({ id, pre, post }) => [
      `TRANSITION ${lolaName(id)}`,
      `  CONSUME${entries(pre)};`,
      `  PRODUCE${entries(post)};`,
    ]),
    "",
  ];
  return ok({ text: lines.join("\n"), warnings: lossesOf(net) });
}

function placeIssues(net: Net): readonly Issue[] {
  if (net.places.length > 0) return [];
  return [{ code: "LOLA013", path: ["places"], message: "a LoLA net has at least one place" }];
}

/** The id as a word of LoLA. */
function lolaName(id: string): string {
  const isPlain = isLolaName(id) && !/%[0-9A-F]{4}/.test(id);
  if (isPlain) return id;
  const encoded = (unit: string) => `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  const escaped = id.replace(/[^\w.-]/g, encoded);
  // A keyword is no name; nor is the empty word, which no other id becomes.
  return isLolaName(escaped) ? escaped : escaped === "" ? "%" : `${encoded(escaped)}${escaped.slice(1)}`;
}

function lossesOf(net: Net): readonly Issue[] {
  const nodes = [...net.places, ...net.transitions];
  const renamed = nodes.filter(({ id }) => lolaName(id) !== id).map(({ id }) => id);
  const labelled = nodes.filter(({ label }) => label !== undefined).length;
  const warning = (code: string, message: string, facts: NonNullable<Issue["facts"]>): Issue => ({
    code,
    path: [],
    message: message.slice(0, 400),
    facts,
    severity: "warning",
  });
  const ids = renamed.slice(0, 10).map((id) => id.slice(0, 100));
  return [
    ...finalsWarning(net, "LoLA"),
    ...(renamed.length === 0
      ? []
      : [
          warning("LOLA011", `${renamed.length} ids are no words of LoLA and were written with %`, {
            count: renamed.length,
            ids,
          }),
        ]),
    ...(labelled === 0
      ? []
      : [warning("LOLA012", `${labelled} labels are not written`, { count: labelled })]),
  ];
}
