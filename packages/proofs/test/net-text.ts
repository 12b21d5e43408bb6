/** @module Nets in one line, for fixtures: "t1: i -> a + 2b; t2: a + b -> o reset c". */
import type { Net, Transition, WeightedPlace } from "@tessera/core";

/** Places in order of appearance; one token on `i` unless `initial` says otherwise; the end is `o` unless `ends` does. */
export function net(
  text: string,
  options: {
    readonly initial?: Readonly<Record<string, number>>;
    readonly ends?: readonly string[];
    readonly finals?: readonly Readonly<Record<string, number>>[];
  } = {},
): Net {
  const ids: string[] = [];
  const indexOf = (id: string) => {
    const known = ids.indexOf(id);
    return known >= 0 ? known : ids.push(id) - 1;
  };
  const side = (part: string): WeightedPlace[] =>
    part
      .split("+")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map((item) => {
        const [, weight, id] = /^(\d*)([A-Za-z]\w*)$/.exec(item) ?? [];
        if (id === undefined) throw new Error(`no place: "${item}"`);
        return [indexOf(id), weight === "" ? 1 : Number(weight)];
      });
  const list = (part: string | undefined) =>
    (part ?? "")
      .split(/\s+/)
      .filter((id) => id !== "")
      .map(indexOf);
  const transitions = text.split(";").map((line): Transition => {
    const [, id, pre, any, post, reset] =
      /^\s*(\w+):\s*([^>]*?)(?:\s+any\s+([\w\s]+?))?\s*->\s*(.*?)(?:\s*reset\s+([\w\s]+))?\s*$/.exec(line) ??
      [];
    if (id === undefined) throw new Error(`no transition: "${line}"`);
    return { id, pre: side(pre ?? ""), any: list(any), post: side(post ?? ""), reset: list(reset) };
  });
  const { initial = { i: 1 }, ends = ["o"], finals } = options;
  for (const id of [...Object.keys(initial), ...(finals?.flatMap(Object.keys) ?? ends)]) indexOf(id);
  const vector = (tokens: Readonly<Record<string, number>>) => ids.map((id) => tokens[id] ?? 0);
  return {
    places: ids.map((id) => ({ id, role: "control" })),
    transitions,
    initial: vector(initial),
    finals:
      finals === undefined
        ? { kind: "ends", ends: ends.map(indexOf) }
        : { kind: "markings", markings: finals.map(vector) },
  };
}
