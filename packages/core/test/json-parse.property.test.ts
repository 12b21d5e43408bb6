import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../src/json.ts";
import { parseJson } from "../src/json-parse.ts";
import { json } from "./json-arbitrary.ts";

/** Texts of `value`: each character as it is or escaped, blanks between, as `random` says. Keys in the order of the object. */
function spelt(value: Json, random: () => number): string {
  const blank = () => [" ", "\n", "\t", "\r", "", "", ""][random() % 7] as string;
  const unit = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;
  const text = (of: string) => {
    const units = Array.from({ length: of.length }, (_, at) => of.charCodeAt(at));
    const written = units.map((code, at) => {
      if (random() % 4 === 0) return unit(code);
      if (code === 0x22 || code === 0x5c) return `\\${String.fromCharCode(code)}`;
      if (code === 0x0a) return "\\n";
      return code < 0x20 ? unit(code) : of.charAt(at);
    });
    return `"${written.join("")}"`;
  };
  const write = (part: Json): string => {
    if (typeof part === "string") return text(part);
    if (part === null || typeof part !== "object") return Object.is(part, -0) ? "-0" : String(part);
    const members = Array.isArray(part)
      ? part.map((member) => blank() + write(member) + blank())
      : Object.entries(part).map(
          ([key, member]) => `${blank()}${text(key)}${blank()}:${blank()}${write(member)}${blank()}`,
        );
    return Array.isArray(part) ? `[${members.join(",")}]` : `{${members.join(",")}}`;
  };
  return blank() + write(value) + blank();
}

/** Law: a text comes back as the value that it spells, with the keys in their order, whatever was read before. */
function textLaw(parse: (text: string) => Json): void {
  // After these, Node 24 reads a key that begins with an escape as a backslash.
  for (const before of ["h", "a", "b", "toString"]) JSON.parse(`{"${before}":[],"\\\\":0}`);
  fc.assert(
    fc.property(json, fc.infiniteStream(fc.nat()), (value, stream) => {
      const back = parse(spelt(value, () => stream.next().value as number));
      expect(isDeepStrictEqual(back, value)).toBe(true);
      expect(keysOf(back)).toEqual(keysOf(value));
    }),
    { numRuns: 1_000 },
  );
}

/** All keys in document order. */
function keysOf(value: Json): readonly string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysOf(member)]);
}

describe("[D4.14] the value of a JSON text", () => {
  it("[D4.14] is the value that it spells", () => textLaw(parseJson));

  it("[D4.14] the law catches a backslash for a key, a lost __proto__, keys in another order", () => {
    const renamed = (text: string) =>
      rebuilt(JSON.parse(text) as Json, (key) => (key === "\n" || key === '"' ? "\\" : key));
    const assigned = (text: string) => {
      const value = JSON.parse(text) as Json;
      return keysOf(value).includes("__proto__")
        ? rebuilt(value, (key) => (key === "__proto__" ? "" : key))
        : value;
    };
    const sorted = (text: string) => rebuilt(JSON.parse(text) as Json, (key) => key, true);
    for (const broken of [renamed, assigned, sorted]) expect(() => textLaw(broken)).toThrow();
  });

  it("[D4.14] a key with an escape stays itself after an object with the key \\ was read", () => {
    for (const [at, key] of ['"', "\n", "\t", "\u0001", '"x', "\\", "a\\", 'a\\"'].entries()) {
      const first = `k${at}`;
      JSON.parse(`{"${first}":[],"\\\\":0}`);
      JSON.parse(`{"${first}":[],"a\\\\":0}`);
      const value = { [first]: [], [key]: 1 };
      expect(Object.keys(parseJson(JSON.stringify(value)) as object)).toEqual([first, key]);
    }
  });

  it("[D4.14] of a key that stands twice the last member counts, however it is spelt", () => {
    expect(parseJson('{"a":1,"\\u0061":2,"b":3}')).toEqual({ a: 2, b: 3 });
    expect(parseJson('{"#0":1,"=x":2,"\\n":3}')).toEqual({ "#0": 1, "=x": 2, "\n": 3 });
  });

  it("[D4.14] refuses what is not JSON, and reads what is deep", () => {
    for (const text of ["", "{", '{"\\n"}', '{"\\x":1}', '"\\', "[1,]"])
      expect(() => parseJson(text)).toThrow(SyntaxError);
    const deep = parseJson(`${"[".repeat(50_000)}{"\\n":1}${"]".repeat(50_000)}`);
    expect(Array.isArray(deep)).toBe(true);
  });
});

function rebuilt(value: Json, name: (key: string) => string, isSorted = false): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((member: Json) => rebuilt(member, name, isSorted));
  const entries = Object.entries(value).map(
    ([key, member]) => [name(key), rebuilt(member, name, isSorted)] as const,
  );
  return Object.fromEntries(isSorted ? entries.sort(([a], [b]) => (a < b ? 1 : -1)) : entries) as Json;
}
