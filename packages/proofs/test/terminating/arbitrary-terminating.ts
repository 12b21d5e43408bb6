/** @module Random nets with transitions that terminate the run, or nearly do. */
import type { Net, Transition, WeightedPlace } from "@tessera/core";
import { makeNet } from "@tessera/core";
import { arbitraryMistakenWorkflowNet, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import fc from "fast-check";

/**
 * One way to a termination: from places of the net, at once or over some places of its own, to an end of its own or one
 * that it shares with the way before. `flaw`: what makes it none.
 */
interface Way {
  readonly from: readonly number[];
  readonly length: number;
  readonly isShared: boolean;
  readonly isForked: boolean;
  readonly flaw: "none" | "keeps a place" | "marks two" | "end fed otherwise" | "start marked" | "end marked";
}

const ways = fc.array(
  fc.record<Way>({
    from: fc.uniqueArray(fc.nat(50), { minLength: 1, maxLength: 2 }),
    length: fc.nat(2),
    isShared: fc.boolean(),
    isForked: fc.boolean(),
    flaw: fc.oneof(
      { weight: 12, arbitrary: fc.constant("none" as const) },
      fc.constantFrom(
        "keeps a place" as const,
        "marks two" as const,
        "end fed otherwise" as const,
        "start marked" as const,
        "end marked" as const,
      ),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

/** A few places and transitions without any order; end places are not taken from. */
const wild = fc
  .record({ places: fc.integer({ min: 1, max: 4 }), ends: fc.integer({ min: 1, max: 2 }) })
  .chain(({ places, ends }) => {
    const inner = fc.nat(places - 1);
    const weight = fc.constantFrom(1, 1, 1, 1, 1, 2);
    const side = (place: fc.Arbitrary<number>, minLength: number) =>
      fc.uniqueArray(fc.tuple(place, weight), { minLength, maxLength: 2, selector: ([p]) => p });
    const transition = fc.record({
      pre: side(inner, 1),
      post: side(fc.nat(places + ends - 1), 0),
      reset: fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, fc.uniqueArray(inner, { maxLength: 2 })),
      generated: fc.boolean(),
    });
    return fc
      .record({
        transitions: fc.array(transition, { minLength: 1, maxLength: 5 }),
        second: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constant(1)),
        ended: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constant(1)),
        counters: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constant(1)),
      })
      .map(({ transitions, second, ended, counters }): Net => {
        const count = places + ends;
        return {
          places: Array.from({ length: count }, (_, p) => ({
            id: `p${p}`,
            role: counters === 1 && p === places - 1 ? ("counter" as const) : ("control" as const),
          })),
          transitions: transitions.map(({ generated, ...t }, index): Transition => {
            const origin = {
              node: index % 2,
              phase: "step",
              consumed: [],
              chosen: [],
              outcome: "done",
            } as const;
            return { id: `t${index}`, any: [], ...t, ...(generated ? { generated, origin } : {}) };
          }),
          initial: Array.from({ length: count }, (_, p) =>
            p === 0 ? 1 : p === 1 && p < places ? second : p === places ? ended : 0,
          ),
          finals: { kind: "ends", ends: Array.from({ length: ends }, (_, e) => places + e) },
        };
      });
  });

const bases = fc.oneof(
  wild,
  arbitraryWorkflowNet(),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
);

/** Nets of end places with one to three ways to a termination; one in eight has its final markings listed instead. */
export const terminatingNets: fc.Arbitrary<Net> = fc
  .tuple(bases, ways, fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true)))
  .map(([net, added, isListed]) => {
    const whole = withWays(net, added);
    return makeNet(isListed ? listed(whole) : whole);
  });

/** The final markings of the ends, written out for one end each. */
function listed(net: Net): Net {
  const ends = net.finals.kind === "ends" ? net.finals.ends : [];
  const markings = ends.map((end) => net.places.map((_, place) => (place === end ? 1 : 0)));
  return { ...net, finals: { kind: "markings", markings } };
}

function withWays(net: Net, added: readonly Way[]): Net {
  const ends = net.finals.kind === "ends" ? [...net.finals.ends] : [];
  const known = net.places.length;
  const inner = [...net.places.keys()].filter((place) => !ends.includes(place));
  const places = [...net.places];
  const initial = [...net.initial];
  const transitions: Transition[] = [...net.transitions];
  const last: { index: number; flaw: Way["flaw"] }[] = [];
  const place = (id: string, tokens = 0) => {
    initial.push(tokens);
    return places.push({ id, role: "control" }) - 1;
  };
  const add = (pre: readonly number[], post: readonly number[]) => {
    const one = (p: number): WeightedPlace => [p, 1];
    return (
      transitions.push({
        id: `w${transitions.length}`,
        pre: pre.map(one),
        any: [],
        post: post.map(one),
        reset: [],
      }) - 1
    );
  };
  added.forEach(({ from, length, isShared, isForked, flaw }, number) => {
    let at: readonly number[] = [...new Set(from.map((p) => inner[p % inner.length]!))];
    for (let step = 0; step < length; step += 1) {
      const next = place(`d${number}.${step}`, flaw === "start marked" ? 1 : 0);
      add(at, [next]);
      if (isForked && step === 1) add([next], [at[0]!]);
      at = [next];
    }
    if (!isShared || number === 0) ends.push(place(`e${number}`, flaw === "end marked" ? 1 : 0));
    const end = ends.at(-1)!;
    const extra = flaw === "marks two" ? [inner[0]!] : [];
    last.push({ index: add(at, [end, ...extra]), flaw });
    if (flaw === "end fed otherwise") add([inner[0]!], [end]);
  });
  const all = [...places.keys()].filter((p) => !ends.includes(p));
  for (const { index, flaw } of last) {
    const reset = flaw === "keeps a place" ? all.filter((p) => p !== known % all.length) : all;
    transitions[index] = { ...transitions[index]!, reset };
  }
  return { ...net, places, transitions, initial, finals: { kind: "ends", ends } };
}
