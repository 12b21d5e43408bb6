/** @module Packed rows: the set of them against a map of texts, their fields against arithmetic by hand. */
import type { Net } from "@tessera/core";
import { arbitraryNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  convertRows,
  initialWidths,
  packedLayout,
  readRow,
  tokensIn,
  writeRow,
} from "../../src/explicit/packed-layout.ts";
import { isEnabledIn, packedRules } from "../../src/explicit/packed-rules.ts";
import { bytesOf, forget, intern, makeRoom, packedSet, repacked } from "../../src/explicit/packed-set.ts";
import { net as parse } from "../net-text.ts";
import { successorsOf } from "../oracle.ts";

/** Puts a row where the next one is to be. */
function write(set: ReturnType<typeof packedSet>, row: readonly number[]): void {
  makeRoom(set);
  row.forEach((word, at) => {
    set.words[set.count * set.wordCount + at] = word;
  });
}

const rowOf = (set: ReturnType<typeof packedSet>, row: number) => [
  ...set.words.subarray(row * set.wordCount, (row + 1) * set.wordCount),
];

describe("a set of rows", () => {
  it("[D8.1] numbers each new row, finds it again, and forgets the newest (oracle: a map of texts)", () => {
    const word = fc.oneof(fc.nat({ max: 2 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));
    const op = fc.record({ row: fc.array(word, { minLength: 3, maxLength: 3 }), isForgotten: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(op, { maxLength: 60 }), (wordCount, ops) => {
        const set = packedSet(wordCount);
        const known = new Map<string, number>();
        for (const { row, isForgotten } of ops) {
          const own = row.slice(0, wordCount);
          write(set, own);
          const expected = known.get(own.join()) ?? known.size;
          expect(intern(set)).toBe(expected);
          if (expected < known.size) continue;
          if (isForgotten) forget(set);
          else known.set(own.join(), expected);
          expect(set.count).toBe(known.size);
        }
        for (const [text, row] of known) expect(rowOf(set, row).join()).toBe(text);
      }),
    );
  });

  it("[D8.1] tells rows apart that have the same hash", () => {
    // What the hash is after one word; the next word is added to it bit by bit, so that it can make up for another.
    const mixed = (hash: number) => {
      const product = Math.imul(hash, 0x9e3779b1);
      return product ^ (product >>> 15);
    };
    const [a, b, c] = [5, 77, -3];
    const second = mixed(a) ^ mixed(c) ^ b;
    for (const rows of [
      [
        [a, b],
        [c, second],
      ],
      [
        [9, a, b],
        [9, a + 1, mixed(mixed(9) ^ a) ^ mixed(mixed(9) ^ (a + 1)) ^ b],
      ],
    ]) {
      const set = packedSet(rows[0]!.length);
      for (const round of [0, 1])
        for (const [row, words] of rows.entries()) {
          write(set, words);
          expect({ round, row: intern(set) }).toEqual({ round, row });
        }
      // They stand in slots one after the other: their hash is the same.
      const taken = [...set.slots.keys()].filter((slot) => set.slots[slot] !== 0);
      expect(taken[1]! - taken[0]!).toBe(1);
    }
  });

  it("[D8.1] finds thousands of rows while it grows, also after they were packed anew", () => {
    const set = packedSet(2);
    const count = 5000;
    const row = (n: number) => [n % 71, Math.imul(n, 0x01000193)];
    expect(bytesOf(set)).toBe(4 * (256 * 2 + 1024));
    for (let n = 0; n < count; n += 1) {
      write(set, row(n));
      expect(intern(set)).toBe(n);
      // Never more than seven in ten slots are taken, and there is a row to write to.
      expect(set.slots.length * 0.7).toBeGreaterThanOrEqual(set.count);
    }
    expect(set.slots.length).toBe(8192);
    // Rows have grown by a half each time.
    const rows = [256, 384, 576, 864, 1296, 1944, 2916, 4374, 6561];
    expect(set.words.length).toBe(2 * rows.at(-1)!);
    // The other way about, and one word more.
    const wide = repacked(set, 3, (from, size, words) => {
      for (let n = 0; n < size; n += 1) {
        words[3 * n] = from[2 * n + 1]!;
        words[3 * n + 1] = from[2 * n]!;
      }
    });
    expect([wide.count, wide.wordCount, wide.slots.length]).toEqual([count, 3, 8192]);
    for (const at of [0, 1, 70, 71, 4999]) {
      expect(rowOf(wide, at)).toEqual([...row(at).toReversed(), 0]);
      write(wide, [...row(at).toReversed(), 0]);
      expect(intern(wide)).toBe(at);
    }
    write(wide, [1, 2, 3]);
    expect(intern(wide)).toBe(count);
  });
});

const marking = fc.array(fc.nat({ max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 12 });

describe("a layout", () => {
  it("[D8.1] has a field of its width for each place, none across two words (oracle: counted by hand)", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 31 }), { minLength: 1, maxLength: 12 }), (widths) => {
        const layout = packedLayout(Int32Array.from(widths));
        let [word, shift] = [0, 0];
        const begins = new Map<number, number>();
        widths.forEach((width, place) => {
          if (shift + width > 32) [word, shift] = [word + 1, 0];
          expect([layout.word[place], layout.shift[place], layout.max[place]]).toEqual([
            word,
            shift,
            2 ** width - 1,
          ]);
          begins.set(32 * word + shift, place);
          shift += width;
        });
        expect(layout.wordCount).toBe(word + 1);
        expect([...layout.placeAt]).toEqual(
          Array.from({ length: 32 * (word + 1) }, (_, bit) => begins.get(bit) ?? -1),
        );
      }),
    );
  });

  it("[D8.1] gives back what was written, in any row, and in a wider layout too", () => {
    fc.assert(
      fc.property(
        marking,
        marking,
        fc.array(fc.nat({ max: 20 }), { minLength: 12, maxLength: 12 }),
        (M, other, more) => {
          const bits = (tokens: number) => Math.max(1, tokens.toString(2).length);
          const second = M.map((tokens, place) => Math.min(tokens, other[place] ?? 0));
          const narrow = packedLayout(Int32Array.from(M, bits));
          const words = new Int32Array(2 * narrow.wordCount).fill(-1);
          for (const [row, one] of [M, second].entries())
            writeRow(narrow, words, row * narrow.wordCount, one);
          expect(readRow(narrow, words, 0)).toEqual(M);
          expect(readRow(narrow, words, narrow.wordCount)).toEqual(second);
          for (const [place, tokens] of M.entries()) expect(tokensIn(narrow, words, 0, place)).toBe(tokens);
          const wide = packedLayout(
            Int32Array.from(M, (tokens, place) => Math.min(31, bits(tokens) + more[place]!)),
          );
          const target = new Int32Array(2 * wide.wordCount);
          convertRows(narrow, words, 2, wide, target);
          expect(readRow(wide, target, 0)).toEqual(M);
          expect(readRow(wide, target, wide.wordCount)).toEqual(second);
        },
      ),
    );
  });

  it("[D8.1] is at first as wide as the start and each arc ask for", () => {
    const net = parse("t: i -> a + 2b + 7c; u: 4d + 8e -> o", { initial: { i: 3, a: 1 } });
    expect([...initialWidths(net)]).toEqual([2, 1, 2, 3, 3, 4, 1]);
  });
});

describe("the rules over packed rows", () => {
  const nets = fc.oneof(arbitraryNet(), arbitraryNet({ weightMax: 3 }));

  it("[D1.3] [D1.4] enable and fire as the definition does, and watch each transition once (oracle: by hand)", () => {
    fc.assert(
      fc.property(
        nets,
        fc.array(fc.nat({ max: 5 }), { minLength: 12, maxLength: 12 }),
        (net: Net, tokens) => {
          const M = net.places.map((_, place) => tokens[place] ?? 0);
          const layout = packedLayout(
            initialWidths({ ...net, initial: M }).map((width) => width + (width > 1 ? 3 : 0)),
          );
          const isOut = M.some((count, place) => count > layout.max[place]!);
          if (isOut) return;
          const rules = packedRules(net, layout);
          const words = new Int32Array(2 * layout.wordCount);
          writeRow(layout, words, layout.wordCount, M);
          const next = new Map(successorsOf(net, M).map((one) => [one.t, one.next]));
          net.transitions.forEach((_, t) => {
            expect(isEnabledIn(rules, layout, words, layout.wordCount, t)).toBe(next.has(t));
            const after = next.get(t);
            if (after === undefined || after.some((count, place) => count > layout.max[place]!)) return;
            const row = words.slice(layout.wordCount);
            for (let k = rules.addStart[t]!; k < rules.addStart[t + 1]!; k += 1)
              row[rules.addWord[k]!] = (row[rules.addWord[k]!]! + rules.addend[k]!) | 0;
            expect(readRow(layout, row, 0)).toEqual(after);
            const gains = after.map((count, place) => count - M[place]!);
            const told = gains.map(() => 0);
            for (let k = rules.gainStart[t]!; k < rules.gainStart[t + 1]!; k += 1)
              told[rules.gainPlace[k]!]! += rules.gain[k]!;
            expect(told).toEqual(gains.map((gain) => Math.max(0, gain)));
          });
          const consumers = net.places.map(
            (_, p) => net.transitions.filter((t) => t.pre.some(([q]) => q === p)).length,
          );
          const watched = net.places.flatMap((_, place) =>
            [...rules.watched.subarray(rules.watchStart[place], rules.watchStart[place + 1])].map((t) => ({
              t,
              place,
            })),
          );
          const expected = net.transitions.flatMap(({ pre }, t) => {
            const [first, ...others] = pre.map(([place]) => place);
            if (first === undefined) return [];
            const place = others.reduce(
              (best, one) => (consumers[one]! < consumers[best]! ? one : best),
              first,
            );
            return [{ t, place }];
          });
          expect(watched).toEqual(expected.toSorted((a, b) => a.place - b.place));
          expect([...rules.unwatched]).toEqual(
            net.transitions.flatMap(({ pre }, t) => (pre.length === 0 ? [t] : [])),
          );
          expect(rules.transitionCount).toBe(net.transitions.length);
        },
      ),
      { numRuns: 200 },
    );
  });
});
