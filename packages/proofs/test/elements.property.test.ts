/** @module The elements of a net (D8.4) against their definition read literally, set by set. */
import type { Net, Transition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementsOf } from "../src/elements.ts";
import type { DeadElement } from "../src/verdict.ts";
import { net as parse } from "./net-text.ts";

type Elements = (net: Net) => readonly DeadElement[];

const arcs = fc.uniqueArray(fc.nat(12), { maxLength: 3 });
const origin = fc.record({
  node: fc.nat(1),
  phase: fc.constantFrom("start", "skip", "finish"),
  consumed: arcs,
  chosen: arcs,
  outcome: fc.constantFrom(undefined, "done", "error"),
});
const mark = fc.record({
  hasAny: fc.boolean(),
  generated: fc.constantFrom(undefined, false, true, true),
  origin: fc.option(origin, { nil: undefined, freq: 5 }),
});

/** Nets in which only that matters which says whose variants the transitions are. */
const marked = fc.array(mark, { maxLength: 7 }).map((marks): Net => {
  const given = parse("t: i -> o");
  const transitions = marks.map(({ hasAny, generated, origin: from }, t): Transition => {
    const { outcome, ...rest } = from ?? { outcome: undefined };
    const whence = from === undefined ? {} : { origin: { ...rest, ...(outcome && { outcome }) } };
    const any = hasAny ? [1] : [];
    const how = generated === undefined ? {} : { generated };
    return { ...given.transitions[0]!, id: `t${t}`, any, ...how, ...whence } as Transition;
  });
  return { ...given, transitions };
});

/** D8.4, for each kind of element anew: which transitions have that node, phase and outcome, and which name that arc. */
function byDefinition({ transitions }: Net): readonly DeadElement[] {
  const all = transitions.map((transition, t) => ({ ...transition, t }));
  const isVariant = ({ generated, origin: from }: Transition) => generated === true && from !== undefined;
  const single = all.filter((t) => !isVariant(t));
  const kinds = [...new Set(all.map(({ origin: from }) => kindOf(from)))].filter((kind) => kind !== "none");
  const named = ({ any, origin: from }: Transition, arc: number) =>
    from !== undefined &&
    from.phase !== "skip" &&
    (from.chosen.includes(arc) || (any.length === 0 && from.consumed.includes(arc)));
  const element = (of: typeof all, what: (first: Transition) => DeadElement["element"]) =>
    of.some(isVariant) ? [{ element: what(of[0]!), transitions: of.map(({ t }) => t) }] : [];
  return [
    ...single.map(({ t }) => ({ element: { kind: "transition", transition: t } as const, transitions: [t] })),
    ...kinds.flatMap((kind) =>
      element(
        all.filter(({ origin: from }) => kindOf(from) === kind),
        ({ origin: from }) => ({
          kind: "outcome",
          node: from!.node,
          phase: from!.phase,
          outcome: from!.outcome ?? null,
        }),
      ),
    ),
    ...Array.from({ length: 13 }, (_, arc) => arc).flatMap((arc) =>
      element(
        all.filter((t) => named(t, arc)),
        () => ({ kind: "arc", arc }),
      ),
    ),
  ];
}

const kindOf = (from: Transition["origin"]) =>
  from === undefined ? "none" : `${from.node} ${from.phase} ${from.outcome}`;

function isDefinition(implementation: Elements): void {
  fc.assert(
    fc.property(marked, (net) => {
      expect(implementation(net)).toEqual(byDefinition(net));
    }),
    {
      numRuns: 500,
    },
  );
}

describe("the elements of a net", () => {
  it("[D8.4] are those of the definition, in the order of transitions, outcomes and arcs", () => {
    isDefinition(elementsOf);
  });

  it("[D8.4] the law refuses elements that lose a variant, an arc or a transition that was drawn", () => {
    const broken: readonly Elements[] = [
      (net) => elementsOf(net).filter(({ element }) => element.kind !== "arc"),
      (net) => elementsOf({ ...net, transitions: net.transitions.map((t) => ({ ...t, generated: true })) }),
      (net) => elementsOf({ ...net, transitions: net.transitions.map((t) => ({ ...t, any: [] })) }),
      (net) =>
        net.transitions.map((_, t) => ({ element: { kind: "transition", transition: t }, transitions: [t] })),
    ];
    for (const implementation of broken) expect(() => isDefinition(implementation)).toThrow();
  });
});
