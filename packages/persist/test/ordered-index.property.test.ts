/** Law of the ordered index. Oracle: sorting a list after each change. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  entriesBehind,
  firstEntries,
  type IndexEntry,
  insertEntry,
  type OrderedIndex,
  removeEntry,
} from "../src/memory/ordered-index.ts";

type Insert = (index: OrderedIndex<string>, entry: IndexEntry<string>) => void;

/** Law: after insertions and removals the index is the sorted list of what is in it. Generated: keys with ties. */
function staysSorted(insert: Insert): void {
  const changes = fc.array(fc.tuple(fc.nat(4), fc.nat(9), fc.boolean()), { maxLength: 30 });
  fc.assert(
    fc.property(
      changes,
      fc.nat(5),
      fc.nat(6),
      fc.tuple(fc.nat(4), fc.nat(9)),
      (list, keyMax, limit, from) => {
        const index: OrderedIndex<string> = [];
        let oracle: IndexEntry<string>[] = [];
        for (const [key, id, isThere] of list) {
          removeEntry(index, key, id);
          oracle = oracle.filter((entry) => entry.key !== key || entry.id !== id);
          if (!isThere) continue;
          const entry = { key, id, value: `${key}/${id}` };
          insert(index, entry);
          oracle.push(entry);
        }
        oracle.sort((a, b) => a.key - b.key || a.id - b.id);
        expect(index).toEqual(oracle);
        expect(firstEntries(index, keyMax, limit)).toEqual(
          oracle.filter(({ key }) => key <= keyMax).slice(0, limit),
        );
        const behind = oracle.filter(({ key, id }) => key > from[0] || (key === from[0] && id > from[1]));
        expect(entriesBehind(index, from, keyMax, limit)).toEqual(
          behind.filter(({ key }) => key < keyMax).slice(0, limit),
        );
      },
    ),
  );
}

describe("the ordered index", () => {
  it("is the sorted list of what is in it", () => {
    staysSorted(insertEntry);
  });

  it("the law notices an index that appends", () => {
    expect(() => staysSorted((index, entry) => index.push(entry))).toThrow();
  });
});
