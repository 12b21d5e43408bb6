/** @module Random nets with odd ids, for the laws of this package. */
import { type FinalMarkings, makeNet, type Net, type WeightedPlace } from "@tessera/core";
import fc from "fast-check";

/** Ids that trip careless code: prototype members, markup, blanks, several scripts, one that looks like an arc's. */
const oddId = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "a1",
    "a2",
    "&amp;",
    "<x>",
    '"',
    "'",
    "]]>",
    "p t",
    " x ",
    "\n",
    "\t",
    "\r",
  ),
  fc.constantFrom(
    "\u00fc\u6c34",
    "\u{1f600}",
    "\u202eabc",
    "0",
    "-1",
    "PLACE",
    "{",
    "//",
    "%00",
    "e\u0301",
    "\u00e9",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
);

/** Names that LoLA can hold. */
const lolaId = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 4 })
  .map((id) => id.replace(/[,;:(){}\s\p{Cc}\p{Cs}]/gu, "_"))
  .filter(
    (id) => !/^(?:PLACE|MARKING|TRANSITION|CONSUME|PRODUCE|SAFE|WEAK|STRONG|FAIR|\/\/.*|\/\*.*)$/.test(id),
  );

/** A label as readers leave it: trimmed and not empty. */
const label = fc.option(
  oddId.map((text) => text.trim()).filter((text) => text !== ""),
  { nil: undefined },
);

interface Shape {
  readonly id: fc.Arbitrary<string>;
  /** May a place and a transition share an id? */
  readonly isShared: boolean;
  readonly hasLabels: boolean;
  readonly hasResets: boolean;
  readonly finals: "default" | "any";
}

/** Nets for PNML: labels, resets, weights, every kind of final markings. Ids are unique over places and transitions. */
export const pnmlNet: fc.Arbitrary<Net> = randomNet({
  id: oddId.filter((id) => !/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(id)),
  isShared: false,
  hasLabels: true,
  hasResets: true,
  finals: "any",
});

/** Nets for LoLA: weights; the places without outgoing arcs are the ends. */
export const lolaNet: fc.Arbitrary<Net> = randomNet({
  id: lolaId,
  isShared: true,
  hasLabels: false,
  hasResets: false,
  finals: "default",
});

function randomNet(shape: Shape): fc.Arbitrary<Net> {
  return fc.uniqueArray(shape.id, { minLength: 1, maxLength: 9 }).chain((ids) =>
    fc.integer({ min: 1, max: ids.length }).chain((placeCount) => {
      const placeIds = ids.slice(0, placeCount);
      const transitionIds = shape.isShared ? ids.slice(Math.max(0, placeCount - 1)) : ids.slice(placeCount);
      const weight = fc.oneof(
        { weight: 4, arbitrary: fc.constant(1) },
        fc.integer({ min: 2, max: 2_147_483_647 }),
      );
      const place = fc.nat({ max: placeCount - 1 });
      const side = fc.uniqueArray(fc.tuple(place, weight), { selector: ([p]) => p, maxLength: 3 });
      const own = shape.hasLabels ? label : fc.constant(undefined);
      return fc
        .record({
          labels: fc.array(own, { minLength: ids.length + 1, maxLength: ids.length + 1 }),
          initial: fc.array(fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: 5 })), {
            minLength: placeCount,
            maxLength: placeCount,
          }),
          sides: fc.array(
            fc.record({
              pre: side,
              post: side,
              reset: fc.uniqueArray(place, { maxLength: shape.hasResets ? 2 : 0 }),
            }),
            { minLength: transitionIds.length, maxLength: transitionIds.length },
          ),
          finals:
            shape.finals === "any" ? finalChoice(placeCount) : fc.constant({ kind: "default" } as const),
        })
        .map((parts) => build(placeIds, transitionIds, parts));
    }),
  );
}

type FinalChoice =
  | { readonly kind: "default" }
  | { readonly kind: "ends"; readonly mask: number }
  | { readonly kind: "markings"; readonly markings: readonly (readonly number[])[] };

function finalChoice(placeCount: number): fc.Arbitrary<FinalChoice> {
  const marking = fc.array(fc.nat({ max: 3 }), { minLength: placeCount, maxLength: placeCount });
  return fc.oneof(
    fc.constant({ kind: "default" } as const),
    fc.record({ kind: fc.constant("ends" as const), mask: fc.integer({ min: 1, max: 255 }) }),
    fc.record({
      kind: fc.constant("markings" as const),
      // Two tokens somewhere: then the list is never a set of ends in disguise. Two lists are never equal.
      markings: fc
        .uniqueArray(marking, { minLength: 1, maxLength: 3, selector: String })
        .filter((list) => list.some((m) => m.some((n) => n > 1)) && list.every((m) => m.some((n) => n > 0))),
    }),
  );
}

interface Parts {
  readonly labels: readonly (string | undefined)[];
  readonly initial: readonly number[];
  readonly sides: readonly {
    readonly pre: readonly WeightedPlace[];
    readonly post: readonly WeightedPlace[];
    readonly reset: readonly number[];
  }[];
  readonly finals: FinalChoice;
}

function build(placeIds: readonly string[], transitionIds: readonly string[], parts: Parts): Net {
  const labelled = (i: number) => {
    const text = parts.labels[i % parts.labels.length];
    return text === undefined ? {} : { label: text };
  };
  const consumed = new Set(parts.sides.flatMap(({ pre, reset }) => [...pre.map(([p]) => p), ...reset]));
  const free = placeIds.map((_, p) => p).filter((p) => !consumed.has(p));
  return makeNet({
    places: placeIds.map((id, p) => ({ id, ...labelled(p), role: "control" })),
    transitions: transitionIds.map((id, t) => ({
      id,
      ...labelled(placeIds.length + t),
      pre: parts.sides[t]?.pre ?? [],
      any: [],
      post: parts.sides[t]?.post ?? [],
      reset: parts.sides[t]?.reset ?? [],
    })),
    initial: parts.initial,
    finals: finalsOf(parts.finals, free),
  });
}

/** The choice on this net; ends are places without outgoing arcs, and where there is none the default holds. */
function finalsOf(choice: FinalChoice, free: readonly number[]): FinalMarkings {
  if (choice.kind === "markings") return choice;
  const chosen = choice.kind === "default" ? free : free.filter((_, i) => (choice.mask >> i) % 2 === 1);
  return { kind: "ends", ends: chosen.length === 0 ? free : chosen };
}
