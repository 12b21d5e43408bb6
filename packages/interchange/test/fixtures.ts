/** @module Reading the fixture files of this package, and the short forms that tests compare. */
import { readFileSync } from "node:fs";
import type { Issue, Net, Result } from "@tessera/core";
import type { ImportedNet } from "../src/index.ts";

/** The bytes of a fixture. */
export function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url));
}

/** `code line:column path` of each issue of a refusal; throws if the file was read. */
export function refusal(result: Result<unknown, readonly Issue[]>): readonly string[] {
  if (result.ok) throw new Error("the file was read");
  return result.issues.map(brief);
}

/** The imported net; throws with the issues if the file was refused. */
export function imported(result: Result<ImportedNet, readonly Issue[]>): ImportedNet {
  if (!result.ok)
    throw new Error(result.issues.map((issue) => `${brief(issue)} ${issue.message}`).join("\n"));
  return result.value;
}

/** The warnings of an imported net in the short form. */
export function warnings(result: Result<ImportedNet, readonly Issue[]>): readonly string[] {
  return imported(result).warnings.map((issue) =>
    issue.severity === "warning" ? brief(issue) : "not a warning",
  );
}

function brief({ code, position, path }: Issue): string {
  const at = position === undefined ? "-" : `${position.line}:${position.column}`;
  return `${code} ${at} ${path.join("/")}`.trim();
}

/** A net as text: `initial`, `finals`, and each transition as `id: 2 p + q -> r`, with resets in brackets. */
export function net(value: Net): unknown {
  const place = (p: number) => value.places[p]?.id ?? "?";
  const side = (arcs: Net["transitions"][number]["pre"]) =>
    arcs.map(([p, weight]) => (weight === 1 ? place(p) : `${weight} ${place(p)}`)).join(" + ");
  return {
    places: value.places.map(
      ({ id }, p) => `${id}${(value.initial[p] ?? 0) > 0 ? ` ${value.initial[p]}` : ""}`,
    ),
    transitions: value.transitions.map(
      ({ id, pre, post, reset }) =>
        `${id}: ${side(pre)} -> ${side(post)}${reset.length > 0 ? ` [${reset.map(place).join(" ")}]` : ""}`,
    ),
    finals:
      value.finals.kind === "ends"
        ? value.finals.ends.map(place)
        : value.finals.markings.map((m) =>
            m.flatMap((n, p) => (n > 0 ? [`${n} ${place(p)}`] : [])).join(" + "),
          ),
  };
}
