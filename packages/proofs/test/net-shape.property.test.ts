/** @module What a net looks like, against the definitions read literally: paths by closure, presets as sets. */
import type { Net } from "@tessera/core";
import {
  arbitraryMistakenWorkflowNet,
  arbitraryNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFreeChoice, type NetShape, netShape } from "../src/net-shape.ts";
import { net as parse } from "./net-text.ts";

type Shape = (net: Net) => Omit<NetShape, "class">;

const nets = fc.oneof(
  arbitraryNet(),
  arbitraryNet({ weightMax: 2 }),
  arbitraryWorkflowNet(),
  arbitraryMistakenWorkflowNet().map(({ net }) => net),
  arbitraryNetOfClass("reset"),
  arbitraryNetOfClass("non-local"),
  arbitraryWorkflowNet().map(heavy),
);

/** The net with two tokens for each that its first transition makes. */
function heavy(net: Net): Net {
  const [first, ...others] = net.transitions;
  if (first === undefined) return net;
  return { ...net, transitions: [{ ...first, post: first.post.map(([p]) => [p, 2] as const) }, ...others] };
}

/** From each node all that some arcs lead to, one or more: places are "p0", transitions "t0". */
function paths({ places, transitions }: Net): (from: string, to: string) => boolean {
  const after = new Map<string, Set<string>>();
  const nodes = [...places.map((_, p) => `p${p}`), ...transitions.map((_, t) => `t${t}`)];
  for (const node of nodes) after.set(node, new Set());
  transitions.forEach(({ pre, any, post }, t) => {
    for (const p of [...pre.map(([place]) => place), ...any]) after.get(`p${p}`)!.add(`t${t}`);
    for (const [p] of post) after.get(`t${t}`)!.add(`p${p}`);
  });
  for (const middle of nodes)
    for (const from of nodes)
      if (after.get(from)!.has(middle)) for (const to of after.get(middle)!) after.get(from)!.add(to);
  return (from, to) => after.get(from)!.has(to);
}

const byHand: Shape = (net) => {
  const { places, transitions, initial, finals } = net;
  const marked = [...initial.keys()].filter((p) => initial[p]! > 0);
  const source = marked.length === 1 && initial[marked[0]!] === 1 ? marked[0]! : null;
  const takesFrom = (p: number) => transitions.some((t) => t.any.includes(p) || t.pre.some(([q]) => q === p));
  const ends = finals.kind === "ends" ? finals.ends : [];
  const sink = ends.length === 1 && !takesFrom(ends[0]!) ? ends[0]! : null;
  const isPlain = transitions.every(
    ({ pre, post, any, reset, rule }) =>
      [...pre, ...post].every(([, weight]) => weight === 1) &&
      any.length === 0 &&
      reset.length === 0 &&
      rule === undefined,
  );
  const isPath = paths(net);
  const nodes = [...places.map((_, p) => `p${p}`), ...transitions.map((_, t) => `t${t}`)];
  const between = (node: string) =>
    (node === `p${source}` || isPath(`p${source}`, node)) &&
    (node === `p${sink}` || isPath(node, `p${sink}`));
  const isStronglyConnected = source !== null && sink !== null && nodes.every(between);
  const preset = (t: number) =>
    [...new Set(transitions[t]!.pre.map(([p]) => p))].sort((a, b) => a - b).join();
  const share = (t: number, u: number) =>
    transitions[t]!.pre.some(([p]) => transitions[u]!.pre.some(([q]) => p === q));
  const all = [...transitions.keys()];
  const count = (p: number, side: "pre" | "post") =>
    transitions.filter((t) => t[side].some(([q]) => q === p)).length;
  return {
    source,
    sink,
    isWorkflowNet: isPlain && isStronglyConnected,
    isFreeChoice: isPlain && all.every((t) => all.every((u) => !share(t, u) || preset(t) === preset(u))),
    isStateMachine: isPlain && transitions.every(({ pre, post }) => pre.length <= 1 && post.length <= 1),
    isMarkedGraph: isPlain && places.every((_, p) => count(p, "pre") <= 1 && count(p, "post") <= 1),
    isAcyclic: nodes.every((node) => !isPath(node, node)),
    isStronglyConnected,
  };
};

/** Law: every fact is that of the definition; and each is met both ways. */
function isRight(shape: Shape): void {
  const met = new Map<string, Set<boolean>>();
  fc.assert(
    fc.property(nets, (net) => {
      const expected = byHand(net);
      const { class: _, ...found } = { class: "", ...shape(net) };
      expect({ ...found }).toEqual(expected);
      for (const [fact, value] of Object.entries(expected))
        met.set(fact, (met.get(fact) ?? new Set()).add(value !== false && value !== null));
    }),
    { numRuns: 300 },
  );
  for (const [fact, values] of met) expect({ fact, ways: values.size }).toEqual({ fact, ways: 2 });
}

describe("the shape of a net", () => {
  it("[D13.1] [D13.2] is that of the definitions (oracle: closure and sets)", () => {
    isRight(netShape);
  });

  it.each([
    ["two producers of a place", "t: i -> a + b; u: a -> o; v: b -> o"],
    ["two consumers of a place", "t: i -> a; u: i -> b; v: a + b -> o"],
    ["two outputs", "t: i -> a + o; u: a -> i"],
    ["two inputs", "t: i + a -> o; u: i -> a"],
    ["a place behind the sink", "t: i -> o; u: a -> o"],
    ["a place that leads nowhere", "t: i -> o + a"],
    ["nothing marked", "t: a -> o"],
    ["a sink that is taken from at will", "t: i -> o; u: i any o -> a"],
    ["a cycle", "t: i -> a; u: a -> b; v: b -> a; w: b -> o"],
  ])("[D13.1] with %s", (_, text) => {
    const { class: _class, ...found } = { ...netShape(parse(text)) };
    expect(found).toEqual(byHand(parse(text)));
  });

  it("[D13.1] the source is the only marked place, with one token", () => {
    const sources = [{ i: 1 }, { i: 2 }, { i: 1, a: 1 }, { a: 1 }, {}].map(
      (initial) => netShape(parse("t: i -> a; u: a -> o", { initial })).source,
    );
    expect(sources).toEqual([0, null, null, 1, null]);
    const [none, several] = [[], ["o", "e"]].map((ends) => netShape(parse("t: i -> o", { ends })));
    expect([none!.sink, several!.sink, none!.isStronglyConnected]).toEqual([null, null, false]);
  });

  it("[D13.1] [D13.2] the law refuses shapes that mistake a fact", () => {
    const broken: readonly Shape[] = [
      (net) => ({ ...byHand(net), isFreeChoice: isFreeChoice(net) }),
      (net) => ({ ...byHand(net), isWorkflowNet: byHand(net).isStronglyConnected }),
      (net) => ({ ...byHand(net), source: net.initial.findIndex((tokens) => tokens > 0) }),
      (net) => ({ ...byHand(net), isAcyclic: net.transitions.length === 0 }),
    ];
    for (const [index, shape] of broken.entries()) expect(() => isRight(shape), `shape ${index}`).toThrow();
  });

  it("[D13.2] presets of more than eight places are the same as sets too", () => {
    const side = (letters: string) => [...letters].join(" + ");
    const free = (first: string, second: string) =>
      isFreeChoice(parse(`t: ${side(first)} -> o; u: ${side(second)} -> o`));
    expect(free("abcdefghi", "ihgfedcba")).toBe(true);
    expect(free("abcdefghi", "abcdefghj")).toBe(false);
    expect(free("abcdefghi", "abcdefgh")).toBe(false);
    expect(free("abcdefghi", "jklmnpqrs")).toBe(true);
    expect(free("abcdefgh", "hgfedcba")).toBe(true);
    expect(free("abcdefgh", "abcdefgj")).toBe(false);
  });
});
