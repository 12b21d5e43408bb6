/** Laws of the writer of lists of members. Oracle: the text of D10.1 read literally, member by member, present or not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { integer, list, may, need, record, type Shape, type Sink, text, union } from "../src/shape.ts";
import { textWriter, writtenText } from "../src/text-writer.ts";

const NAMES = ["id", "kind", "node", "openedAt", "turn", "dueAt", "outcomes", "assignee"] as const;
type Value = { readonly [K in (typeof NAMES)[number]]?: string | number | undefined };

/** What a shape writes of a value. */
function textOf<T>(shape: Shape<T>, value: T): string {
  const sink: Sink = { out: textWriter(), base: 0, slotCount: 0, beside: [] };
  shape.write(value, sink);
  return writtenText(sink.out);
}

/** Every second member is a whole number, so both texts of absence occur. */
const isNumber = (name: string): boolean => NAMES.indexOf(name as keyof Value) % 2 === 1;
const shaped = Object.fromEntries(
  NAMES.map((name) => [name, may((isNumber(name) ? integer : text) as Shape<string | number>)]),
);
const RECORD = record<Value>(shaped as unknown as Parameters<typeof record<Value>>[0]);
const UNION = union<{ readonly kind: "a" } & Omit<Value, "kind">>({
  a: ["x", Object.fromEntries(Object.entries(shaped).filter(([name]) => name !== "kind")) as never],
});

/** The members in order, absent ones as `0` or `null`, those at the end left out. */
function literally(value: Value, names: readonly string[], first: readonly string[]): string {
  const all = names.map((name) => {
    const member = value[name as keyof Value];
    return member === undefined ? null : JSON.stringify(member);
  });
  const count = all.findLastIndex((written) => written !== null) + 1;
  const members = all
    .slice(0, count)
    .map((written, at) => written ?? (isNumber(names[at] ?? "") ? "null" : "0"));
  return `[${[...first, ...members].join(",")}]`;
}

/** Values with any of the members, in any order of their keys, some there and undefined, and keys that are no members. */
const values: fc.Arbitrary<Value> = fc
  .uniqueArray(fc.tuple(fc.constantFrom<string>(...NAMES, "other", "__proto__", "7"), fc.nat(3)), {
    selector: ([name]) => name,
  })
  .map((entries) => {
    const members = entries.map(([name, n]) => [
      name,
      n === 0 ? undefined : isNumber(name) ? n : `"${"é".repeat(n)}`,
    ]);
    return Object.fromEntries(members) as Value;
  });

type Write = (value: Value) => string;

function isLiteral(write: Write, names: readonly string[], first: readonly string[]): void {
  fc.assert(
    fc.property(values, (value) => {
      expect(write(value)).toBe(literally(value, names, first));
    }),
  );
}

const writeRecord: Write = (value) => textOf(RECORD, value);
const writeUnion: Write = (value) => textOf(UNION, { ...value, kind: "a" as const });
const OTHERS = NAMES.filter((name) => name !== "kind");

describe("the writer of members", () => {
  it("[D10.1] writes the members that are there as the definition does that looks at all", () => {
    isLiteral(writeRecord, NAMES, []);
    isLiteral(writeUnion, OTHERS, ['"x"']);
  });

  it("[D10.1] writes lists, of shapes and of nothing", () => {
    expect(textOf(list(integer), [])).toBe("[]");
    expect(textOf(list(list(text)), [["a"], [], ["b", "c"]])).toBe('[["a"],[],["b","c"]]');
  });

  it("[D10.1] the law notices a writer in the order of the keys, one without gaps, and one that keeps the end", () => {
    const inOrder: Write = (value) => `[${Object.values(value).map((member) => JSON.stringify(member))}]`;
    const gapless: Write = (value) => writeRecord(value).replaceAll(",null", "");
    const full: Write = (value) => `${writeRecord(value).slice(0, -1)},0]`;
    for (const broken of [inOrder, gapless, full])
      expect(() => isLiteral(broken, NAMES, [])).toThrow("Property failed");
  });

  it("[D10.1] has no more members than there are bits to mark them", () => {
    const many = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`m${n}`, need(text)]));
    expect(() => record(many as never)).toThrow(expect.objectContaining({ id: "D10.1" }));
  });
});
