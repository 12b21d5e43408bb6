/** @module What is carried over from a remainder to the net, verdict by verdict, on nets written by hand. */
import { fireSequence, type Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { checkNet } from "../../src/index.ts";
import { type Carrier, carriedOver, carriedSoundness, carrierOf } from "../../src/terminating/carry-over.ts";
import {
  type EquationStep,
  fails,
  holds,
  type NetEvidence,
  type NetObligationId,
  type NeverFires,
  type Run,
  type Support,
  unknown,
  type Verdict,
} from "../../src/verdict.ts";
import { base, leftOf, partOf, TWO_ENDS } from "../certificate/terminating-parts.ts";
import { net as parse } from "../net-text.ts";

const carrierFor = (net: Net, places: string, exits: string): Carrier => {
  const part = partOf(net, places, exits);
  return carrierOf(net, part, leftOf(net, part));
};

const OPEN = unknown({ kind: "method", reason: "what is left without terminations does not tell" });

/** The verdicts on the net, of a report on the remainder with these. */
function carried(carrier: Carrier, verdicts: Partial<Record<NetObligationId, Verdict<NetEvidence>>>) {
  const obligations = Object.entries(verdicts).map(([id, verdict]) => ({
    id: id as NetObligationId,
    verdict,
    level: "net" as const,
    method: "by hand",
  }));
  return Object.fromEntries(carriedOver(carrier, { ...checkNet(carrier.left.net), obligations }));
}

/** What is said of `id` in the net, of evidence against it in the remainder. */
const against = (carrier: Carrier, id: NetObligationId, evidence: NetEvidence) =>
  carried(carrier, { [id]: fails(evidence) })[id];

const support = (method: string, more: Partial<Support> = {}): Support => ({
  class: "enumerated",
  method,
  states: 3,
  ...more,
});

describe("what holds in a remainder", () => {
  const carrier = carrierFor(base, "d", "x");
  const { part } = carrier;
  const by = (inner: Support, proper?: Support) =>
    holds({
      class: inner.class,
      method: `without terminations, ${inner.method}`,
      states: inner.states,
      certificate: { kind: "terminating", part, inner, ...(proper && { proper }) },
    });
  const all = (inner: Support) =>
    Object.fromEntries(["O1", "O2", "O3", "O4", "deadlock", "bounded"].map((id) => [id, holds(inner)]));

  it("[T13.6] holds in the net, by the part and what showed it", () => {
    const inner = support("search");
    expect(carried(carrier, all(inner))).toEqual(
      Object.fromEntries(Object.keys(all(inner)).map((id) => [id, by(inner)])),
    );
  });

  it("[T13.6] O1 and the absence of deadlocks need O2, and name what shows it if that is something else", () => {
    const [inner, proper] = [support("one"), support("other", { class: "compact", states: 7 })];
    for (const id of ["O1", "deadlock"] as const) {
      expect(carried(carrier, { [id]: holds(inner) })[id]).toEqual(OPEN);
      const refuted = fails<NetEvidence>({ kind: "E3-ill-formed", reason: { kind: "rank-large" } });
      for (const O2 of [OPEN, refuted])
        expect(carried(carrier, { [id]: holds(inner), O2 })[id]).toEqual(OPEN);
      expect(carried(carrier, { [id]: holds(inner), O2: holds(proper) })[id]).toEqual(by(inner, proper));
    }
    for (const id of ["O2", "O3", "O4", "bounded"] as const)
      expect(carried(carrier, { O2: holds(proper), [id]: holds(inner) })[id]).toEqual(by(inner));
    for (const id of ["O3", "O4", "bounded"] as const)
      expect(carried(carrier, { [id]: holds(inner) })[id]).toEqual(by(inner));
  });

  it("[T13.6] evidence is the same if it has the class, the number of markings and the certificate", () => {
    const closed = { kind: "closed-set", size: 3, markings: null } as never;
    const isNamed = (inner: Support, proper: Support) => {
      const verdict = carried(carrier, { O1: holds(inner), O2: holds(proper) })["O1"];
      const certificate = verdict?.kind === "holds" ? verdict.evidence.certificate : undefined;
      if (certificate?.kind !== "terminating") throw new Error("not carried over");
      return certificate.proper !== undefined;
    };
    expect(isNamed(support("one"), support("other"))).toBe(false);
    expect(isNamed(support("one"), support("one", { states: 4 }))).toBe(true);
    expect(isNamed(support("one"), support("one", { class: "compact" }))).toBe(true);
    const one = support("one", { certificate: closed });
    expect(isNamed(one, support("other", { certificate: closed }))).toBe(false);
    expect(isNamed(one, support("one"))).toBe(true);
    expect(isNamed(support("one"), one)).toBe(true);
  });

  it("[T13.6] reductions are the same if all that they rest on is", () => {
    const grounds = {
      steps: [],
      rank: { kind: "rank", weights: [], firings: [], kernel: [], order: [] },
      stubborn: { kind: "stubborn", graphs: [] },
      equation: { kind: "state-equation", proofs: [] },
    } as const;
    const by = (more: object) =>
      support("reduction", { certificate: { kind: "reduction", ...grounds, ...more } as never });
    const isNamed = (proper: Support) => {
      const verdict = carried(carrier, { O1: holds(by({})), O2: holds(proper) })["O1"];
      return JSON.stringify(verdict).includes('"proper"');
    };
    expect(isNamed(by({ size: 3 }))).toBe(false);
    for (const [key, value] of Object.entries(grounds)) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      expect({ key, isNamed: isNamed(by({ [key]: copy })) }).toEqual({ key, isNamed: true });
    }
    expect(isNamed(support("reduction", { certificate: grounds.equation }))).toBe(true);
    expect(isNamed(support("reduction"))).toBe(true);
  });

  it("[T13.6] O3 needs all exits, O4 a safe part, boundedness a narrow one", () => {
    const inner = support("search");
    const { left } = carrier;
    const without = (more: object, id: NetObligationId) => {
      const verdicts = carried({ ...carrier, ...more }, all(inner));
      return {
        [id]: verdicts[id],
        others: Object.keys(verdicts).filter((k) => verdicts[k]?.kind !== "holds"),
      };
    };
    expect(without({ isAllShown: () => false }, "O3")).toEqual({ O3: OPEN, others: ["O3"] });
    expect(without({ left: { ...left, isSafe: false } }, "O4")).toEqual({ O4: OPEN, others: ["O4"] });
    expect(without({ left: { ...left, isNarrow: false } }, "bounded")).toEqual({
      bounded: OPEN,
      others: ["bounded"],
    });
  });

  it("[T13.6] soundness is carried over where it holds and all exits are shown", () => {
    const inner = support("rank");
    expect(carriedSoundness(carrier, holds(inner))).toEqual(by(inner));
    expect(carriedSoundness(carrier, OPEN)).toBeNull();
    expect(
      carriedSoundness(carrier, fails({ kind: "E3-ill-formed", reason: { kind: "rank-large" } })),
    ).toBeNull();
    expect(carriedSoundness({ ...carrier, isAllShown: () => false }, holds(inner))).toBeNull();
    // Nothing shows that `a` and `b` are ever marked together, which `x` needs.
    const joined = parse(
      "t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o; x: a + d -> f; y: f -> e reset i a b c d f",
      TWO_ENDS,
    );
    const silent = carrierFor(joined, "f", "x");
    for (const { isAllShown, expected } of [
      { isAllShown: silent.isAllShown, expected: false },
      { isAllShown: carrier.isAllShown, expected: true },
    ])
      expect([isAllShown(), isAllShown()]).toEqual([expected, expected]);
  });

  it("[T13.6] what is open stays so, with its reason", () => {
    const limit = unknown({ kind: "states", at: 5 });
    expect(carried(carrier, { O1: limit, O2: OPEN })).toEqual({ O1: limit, O2: OPEN });
  });
});

/** A run of the remainder, by the numbers of the net. */
function runIn({ left }: Carrier, ...sequence: readonly number[]): Run {
  const inner = sequence.map((t) => left.transitions.indexOf(t));
  const result = fireSequence(left.net, left.net.initial, inner);
  if (result.kind !== "fired") throw new Error(`not enabled: ${sequence}`);
  return { sequence: inner, marking: result.marking };
}

describe("what fails in a remainder", () => {
  /** The part comes first, so that places and transitions have other numbers in the remainder. */
  const PART = "x: a -> d; y: d -> e reset i a b c d";
  const twice = parse(`${PART}; t: i -> a + b; u: a -> o; v: b -> o; w: b -> c`, TWO_ENDS);
  const carrier = carrierFor(twice, "d", "x");
  const [T, U, V, W] = [2, 3, 4, 5];
  const o = twice.places.findIndex(({ id }) => id === "o");
  const run = (...sequence: readonly number[]) => runIn(carrier, ...sequence);
  const tokens = (marked: Readonly<Record<string, number>>, net = twice) =>
    net.places.map(({ id }) => marked[id] ?? 0);

  it("[T13.7] a second token on an end is shown by the run in the net, if it is one there", () => {
    const finding = { kind: "second-token", place: 0 } as const;
    const found = { kind: "second-token", place: o };
    expect(against(carrier, "O2", { kind: "E1", run: run(T, U, V), finding })).toEqual({
      kind: "fails",
      evidence: { kind: "E1", run: { sequence: [T, U, V], marking: tokens({ o: 2 }) }, finding: found },
    });
    expect(against(carrier, "O2", { kind: "E1", run: run(T, U), finding })).toEqual(OPEN);
    const beyond = { kind: "beyond-final", final: [] } as const;
    expect(against(carrier, "O2", { kind: "E1", run: run(T, U, V), finding: beyond })).toMatchObject({
      evidence: { finding: found },
    });
  });

  it("[T13.7] two tokens on a place, where the net has them", () => {
    const finding = { kind: "unsafe", place: 0 } as const;
    expect(against(carrier, "O4", { kind: "E1", run: run(T, U, V), finding })).toEqual({
      kind: "fails",
      evidence: {
        kind: "E1",
        run: { sequence: [T, U, V], marking: tokens({ o: 2 }) },
        finding: { kind: "unsafe", place: o },
      },
    });
    expect(against(carrier, "O4", { kind: "E1", run: run(T), finding })).toEqual(OPEN);
  });

  it("[T13.7] a deadlock, unless the net ends there", () => {
    const finding = { kind: "deadlock" } as const;
    expect(against(carrier, "deadlock", { kind: "E1", run: run(T, U, W), finding })).toEqual({
      kind: "fails",
      evidence: { kind: "E1", run: { sequence: [T, U, W], marking: tokens({ o: 1, c: 1 }) }, finding },
    });
    const ended = parse("x: a -> d; y: d -> e reset i a d; t: i -> a; u: a -> o", TWO_ENDS);
    const end = carrierFor(ended, "d", "x");
    expect(against(end, "deadlock", { kind: "E1", run: runIn(end, 2, 3), finding })).toEqual(OPEN);
  });

  it("[T13.7] a pump, and a net that is ill-formed, tell nothing", () => {
    const finding = { kind: "pump", from: 0 } as const;
    expect(against(carrier, "bounded", { kind: "E1", run: run(T, U, V), finding })).toEqual(OPEN);
    expect(against(carrier, "O1", { kind: "E3-pump", run: run(T, U, V), from: 1 })).toEqual(OPEN);
    expect(against(carrier, "O1", { kind: "E3-ill-formed", reason: { kind: "rank-large" } })).toEqual(OPEN);
  });

  it("[T13.7] a run that goes on after a termination of the remainder is none of the net", () => {
    const net = parse("y: a -> e reset i a b; t: i -> a + b; u: b -> o", TWO_ENDS);
    const empty = carrierFor(net, "", "");
    const after = runIn(empty, 1, 0, 2);
    const two = { kind: "second-token", place: 0 } as const;
    expect(against(empty, "O2", { kind: "E1", run: after, finding: two })).toEqual(OPEN);
    const certificate = { kind: "closed-set", size: 1, markings: null } as const;
    expect(against(empty, "O1", { kind: "E2", run: after, certificate })).toEqual(OPEN);
  });

  it("[T13.7] what cannot end is drawn out in the remainder, away from the exits", () => {
    const certificate = { kind: "closed-set", size: 1, markings: null } as const;
    // After `t` the net can still end by `x`; after `u` and `w` nothing can happen.
    expect(against(carrier, "O1", { kind: "E2", run: run(T), certificate })).toMatchObject({
      kind: "fails",
      evidence: { kind: "E2", run: { sequence: [T, U, V], marking: tokens({ o: 2 }) } },
    });
    expect(against(carrier, "O1", { kind: "E2", run: run(T, W), certificate })).toMatchObject({
      kind: "fails",
      evidence: { run: { sequence: [T, W, U], marking: tokens({ o: 1, c: 1 }) } },
    });
    // A room without an exit, in which there is no end of going on.
    const text =
      "x: a -> d; y: d -> e reset i a c g d; t: i -> a; u: a -> o; w: a -> c; l: c -> g; m: g -> c";
    const endless = parse(text, TWO_ENDS);
    const room = carrierFor(endless, "d", "x");
    const inside = runIn(room, 2, 4);
    expect(against(room, "O1", { kind: "E2", run: inside, certificate })).toMatchObject({
      kind: "fails",
      evidence: { run: { sequence: [2, 4], marking: tokens({ c: 1 }, endless) } },
    });
    // With an exit to the room the net can end.
    const open = parse(`${text}; z: g -> d`, TWO_ENDS);
    expect(against(carrierFor(open, "d", "x z"), "O1", { kind: "E2", run: inside, certificate })).toEqual(
      OPEN,
    );
  });
});

describe("what is dead in a remainder", () => {
  const certificate: NeverFires = { kind: "empty-siphon", places: [0] };
  /** The elements of the net that are dead, by their transitions, where those of the remainder are with these ids. */
  const deadBy = (net: Net, places: string, exits: string, ids: string, by: NeverFires = certificate) => {
    const carrier = carrierFor(net, places, exits);
    const { transitions } = carrier.left;
    const dead = ids.split(" ").map((id) => {
      const t = transitions.findIndex((original) => net.transitions[original]!.id === id);
      return { element: { kind: "transition", transition: t } as const, transitions: [t] };
    });
    const verdict = against(carrier, "O3", { kind: "E3", dead, certificate: by })!;
    if (verdict.kind !== "fails") return verdict;
    if (verdict.evidence.kind !== "E3") throw new Error(verdict.evidence.kind);
    const { certificate: wrapped, dead: found } = verdict.evidence;
    return { ids: found.map((e) => e.transitions.map((t) => net.transitions[t]!.id).join(" ")), wrapped };
  };

  it("[T13.7] is dead in the net, and with it what of the part needs a token that only such transitions make", () => {
    const net = parse("s: i -> o; u: a -> o; x: a -> f; y: f -> e reset i a f", TWO_ENDS);
    expect(deadBy(net, "f", "x", "u")).toEqual({
      ids: ["u", "x", "y"],
      wrapped: { kind: "terminating", part: partOf(net, "f", "x"), inner: certificate },
    });
  });

  it("[T13.7] an exit from where tokens come, or are at the start, is alive, and so is what follows it", () => {
    const fed = parse("s: i -> a; u: a -> o; v: b -> o; x: a -> f; y: f -> e reset i a b f", TWO_ENDS);
    expect(deadBy(fed, "f", "x", "v")).toMatchObject({ ids: ["v"] });
    const marked = parse("s: i + a -> o; v: b -> o; x: a -> f; y: f -> e reset i a b f", {
      ...TWO_ENDS,
      initial: { i: 1, a: 1 },
    });
    expect(deadBy(marked, "f", "x", "v")).toMatchObject({ ids: ["v"] });
    // One place without tokens is enough.
    const lacking = parse(
      "s: i -> a; u: a -> o; v: b -> o; x: a + b -> f; y: f -> e reset i a b f",
      TWO_ENDS,
    );
    expect(deadBy(lacking, "f", "x", "v")).toMatchObject({ ids: ["v", "x", "y"] });
  });

  /** `u` and the exit `x` stand for one element; `x` is alive. */
  const variants = (net: Net, ids: string): Net => ({
    ...net,
    transitions: net.transitions.map((t) =>
      ids.split(" ").includes(t.id)
        ? {
            ...t,
            generated: true,
            origin: { node: 0, phase: "step", consumed: [], chosen: [], outcome: "done" },
          }
        : t,
    ),
  });

  it("[T13.7] [D8.4] an element is dead if all its variants are, and nothing rests on a variant that is not named", () => {
    const text =
      "s: i -> a; r: a -> o; u: b -> c; w: c -> o; x: a -> f; z: c -> g; y: f -> e reset i a b c f g; q: g -> e reset i a b c f g";
    const net = parse(text, TWO_ENDS);
    // Without variants `z` and `q` are dead with `u`.
    expect(deadBy(net, "f g", "x z", "u w")).toMatchObject({ ids: ["u", "w", "z", "q"] });
    expect(deadBy(variants(net, "u x"), "f g", "x z", "u w")).toMatchObject({ ids: ["w"] });
    expect(deadBy(variants(net, "u x"), "f g", "x z", "u")).toEqual(OPEN);
  });

  it("[T24.1] [T13.7] of an equation the arguments for the transitions that are named are kept, in their order", () => {
    const net = parse(
      "u: a -> o; s: i -> o; v: b -> o; w: c -> o; x: a -> f; y: f -> e reset i a b c f; k: i -> f",
      TWO_ENDS,
    );
    const step = (place: number): readonly EquationStep[] => [
      { kind: "farkas", constraints: [], factors: [], places: [place], weights: [1] },
    ];
    const by = (...places: number[]): NeverFires => ({ kind: "state-equation", proofs: places.map(step) });
    const wrapped = (inner: NeverFires) => ({ wrapped: { kind: "terminating", inner } });
    expect(deadBy(net, "f", "x k", "w u v", by(3, 1, 2))).toMatchObject({ ids: ["u", "v", "w", "x"] });
    expect(deadBy(net, "f", "x k", "w u v", by(3, 1, 2))).toMatchObject(wrapped(by(1, 2, 3)));
    const grouped = variants(net, "v k");
    expect(deadBy(grouped, "f", "x k", "w u v", by(3, 1, 2))).toMatchObject(wrapped(by(1, 3)));
  });
});
