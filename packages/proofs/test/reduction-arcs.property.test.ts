import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Arcs,
  addNode,
  arcsOf,
  ascending,
  INPUT,
  isLinked,
  link,
  NEXT_OF_PLACE,
  NONE,
  OUTPUT,
  placesOf,
  TRANSITION,
  transitionsOf,
  unlink,
} from "../src/reduction/arcs.ts";
import { net } from "./net-text.ts";

const [PLACES, TRANSITIONS] = [4, 4];
const WORDS_OF_AN_ARC = 6;
type Side = typeof INPUT | typeof OUTPUT;
interface Arc {
  readonly side: Side;
  readonly place: number;
  readonly t: number;
}

const arc = fc.record({
  side: fc.constantFrom<Side>(INPUT, OUTPUT),
  place: fc.nat({ max: PLACES - 1 }),
  t: fc.nat({ max: TRANSITIONS - 1 }),
});
const isSame = (one: Arc) => (other: Arc) =>
  one.side === other.side && one.place === other.place && one.t === other.t;

/** No arcs; `given` says how many transitions come with the net, the others are added. */
function empty(given: number): Arcs {
  const bare = net("t: i -> o");
  const arcs = arcsOf({
    ...bare,
    places: Array.from({ length: PLACES }, () => bare.places[0]!),
    transitions: Array.from({ length: given }, () => ({ ...bare.transitions[0]!, pre: [], post: [] })),
  });
  for (let t = given; t < TRANSITIONS; t += 1) addNode(arcs);
  return arcs;
}

function cellOf(arcs: Arcs, { side, place, t }: Arc): number {
  let cell = arcs.ofPlace[2 * place + side]!;
  while (cell !== NONE && arcs.cells[cell + TRANSITION] !== t) cell = arcs.cells[cell + NEXT_OF_PLACE]!;
  return cell;
}

/** Everything that can be asked of the arcs, from a list of them, the oldest first. */
function asked(list: readonly Arc[]) {
  return ([INPUT, OUTPUT] as const).map((side) => {
    const newest = list.filter((one) => one.side === side).toReversed();
    return {
      ofPlaces: Array.from({ length: PLACES }, (_, p) =>
        newest.flatMap(({ place, t }) => (place === p ? [t] : [])),
      ),
      ofTransitions: Array.from({ length: TRANSITIONS }, (_, n) =>
        newest.flatMap(({ place, t }) => (t === n ? [place] : [])),
      ),
    };
  });
}

function answered(arcs: Arcs) {
  return ([INPUT, OUTPUT] as const).map((side) => ({
    ofPlaces: Array.from({ length: PLACES }, (_, p) => transitionsOf(arcs, side, p)),
    ofTransitions: Array.from({ length: TRANSITIONS }, (_, t) => placesOf(arcs, side, t)),
  }));
}

describe("the arcs of a net under reduction", () => {
  it("[D13.9] are those that were put in and not taken out, the newest first (oracle: a plain list)", () => {
    fc.assert(
      fc.property(fc.array(arc, { maxLength: 40 }), fc.nat({ max: TRANSITIONS }), (changes, given) => {
        const arcs = empty(given);
        let list: readonly Arc[] = [];
        let most = 0;
        for (const one of changes) {
          // What is there is taken out, what is not is put in.
          if (list.some(isSame(one))) {
            unlink(arcs, one.side, cellOf(arcs, one));
            list = list.filter((other) => !isSame(one)(other));
          } else {
            link(arcs, one.side, one.place, one.t);
            list = [...list, one];
          }
          most = Math.max(most, list.length);
          expect(answered(arcs)).toEqual(asked(list));
          for (const side of [INPUT, OUTPUT] as const)
            for (let place = 0; place < PLACES; place += 1)
              for (let t = 0; t < TRANSITIONS; t += 1)
                expect(isLinked(arcs, side, place, t)).toBe(list.some(isSame({ side, place, t })));
        }
        for (let p = 0; p < PLACES; p += 1)
          for (const side of [INPUT, OUTPUT] as const)
            expect(arcs.countOfPlace[2 * p + side]).toBe(asked(list)[side]!.ofPlaces[p]!.length);
        // Room that was given back is used again.
        expect(arcs.cells.length).toBe(WORDS_OF_AN_ARC * most);
      }),
      { seed: 13_009 },
    );
  });

  it("[D13.6] [D13.7] nodes have the same signature if they have the same neighbours, in whatever order these came", () => {
    fc.assert(
      fc.property(fc.uniqueArray(arc, { comparator: (a, b) => isSame(a)(b) }), arc, (list, extra) => {
        const signs = (order: readonly Arc[]) => {
          const arcs = empty(TRANSITIONS);
          for (const { side, place, t } of order) link(arcs, side, place, t);
          return arcs;
        };
        const [forth, back] = [signs(list), signs(list.toReversed())];
        expect(forth.signOfPlace).toEqual(back.signOfPlace);
        expect(forth.signOfTransition).toEqual(back.signOfTransition);
        if (!list.some(isSame(extra))) {
          link(forth, extra.side, extra.place, extra.t);
          unlink(forth, extra.side, cellOf(forth, extra));
          expect(forth.signOfPlace).toEqual(back.signOfPlace);
          expect(forth.signOfTransition).toEqual(back.signOfTransition);
        }
        const neighbours = asked(list);
        const isTold = (signs: readonly number[], of: "ofPlaces" | "ofTransitions") => {
          const texts = signs.map((_, n) =>
            neighbours.map((side) => [...side[of][n]!].sort().join()).join("|"),
          );
          for (let p = 0; p < signs.length; p += 1)
            for (let q = 0; q < signs.length; q += 1)
              expect(signs[p] === signs[q]).toBe(texts[p] === texts[q]);
        };
        isTold(forth.signOfPlace, "ofPlaces");
        isTold(forth.signOfTransition, "ofTransitions");
      }),
      { seed: 13_006 },
    );
  });

  it("[D13.6] sums over different sets of up to three neighbours do not agree", () => {
    const nodes = 24;
    const seen = new Map<number, string>();
    const bare = net("t: i -> o");
    const arcs = arcsOf({
      ...bare,
      places: [bare.places[0]!],
      transitions: Array.from({ length: nodes }, () => ({ ...bare.transitions[0]!, pre: [], post: [] })),
    });
    // Taken one by one, what is added to the sum is seen; sums of sets are sums of these.
    const own = Array.from({ length: 2 * nodes }, (_, item) => {
      const side = (item % 2) as Side;
      link(arcs, side, 0, Math.floor(item / 2));
      const sign = arcs.signOfPlace[0]!;
      unlink(arcs, side, arcs.ofPlace[side]!);
      expect(arcs.signOfPlace[0]).toBe(0);
      return sign;
    });
    const meet = (set: readonly number[]) => {
      const sum = set.reduce((total, item) => (total + own[item]!) | 0, 0);
      expect(seen.get(sum) ?? set.join()).toBe(set.join());
      seen.set(sum, set.join());
    };
    meet([]);
    for (let a = 0; a < own.length; a += 1) {
      meet([a]);
      for (let b = a + 1; b < own.length; b += 1) {
        meet([a, b]);
        for (let c = b + 1; c < own.length; c += 1) meet([a, b, c]);
      }
    }
    expect(seen.size).toBe(1 + 48 + (48 * 47) / 2 + (48 * 47 * 46) / 6);
  });

  it("[D13.9] of a net stand in its order, and take no more room than they need", () => {
    const given = net("t: i + c -> a + b; u: a -> o; v: b + i -> o");
    const arcs = arcsOf(given);
    const sides = (side: Side) => given.transitions.map((_, t) => placesOf(arcs, side, t));
    expect(sides(INPUT)).toEqual(given.transitions.map(({ pre }) => pre.map(([place]) => place)));
    expect(sides(OUTPUT)).toEqual(given.transitions.map(({ post }) => post.map(([place]) => place)));
    expect(transitionsOf(arcs, INPUT, 0)).toEqual([0, 2]);
    expect(transitionsOf(arcs, OUTPUT, 4)).toEqual([1, 2]);
    expect(arcs.cells.length).toBe(WORDS_OF_AN_ARC * 9);
    link(arcs, INPUT, 3, 1);
    expect(arcs.cells.length).toBe(WORDS_OF_AN_ARC * 10);
  });

  it("[D13.9] what follows an arc can be read after it was taken out", () => {
    const arcs = arcsOf(net("t: i -> a; u: i -> b; v: i -> c"));
    const met: number[] = [];
    for (let cell = arcs.ofPlace[INPUT]!; cell !== NONE; cell = arcs.cells[cell + NEXT_OF_PLACE]!) {
      met.push(arcs.cells[cell + TRANSITION]!);
      unlink(arcs, INPUT, cell);
    }
    expect(met).toEqual([0, 1, 2]);
    expect(arcs.ofPlace[INPUT]).toBe(NONE);
  });

  it("[D13.9] numbers are sorted by size, however many there are", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 200 }), { maxLength: 40 }), (items) => {
        const sorted: number[] = [];
        for (let value = 0; value <= 200; value += 1)
          for (const item of items) if (item === value) sorted.push(item);
        expect(ascending([...items])).toEqual(sorted);
      }),
      { seed: 13_010 },
    );
    expect(ascending([100, 20, 3, ...Array.from({ length: 16 }, (_, k) => k + 200)])[0]).toBe(3);
  });
});
