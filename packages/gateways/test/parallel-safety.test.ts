import {
  acyclicConstraint,
  applyMutation,
  type Constraint,
  commitMutation,
  EMPTY_MUTATION,
  graphJson,
  type Mutation,
  noOrphanConstraint,
  objectOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  coMarking,
  dataFootprint,
  EVERYTHING,
  type Footprint,
  isInstance,
  mutationFootprint,
  overlaps,
  parallelConflicts,
  regionsMeet,
  templatesMeet,
} from "../src/index.ts";
import { arcs, compiledOf, node, workflow } from "./workflow-text.ts";

const object = (id: string, ...to: readonly string[]): ProductObject => ({
  id,
  type: id < "n" ? "low" : "high",
  payload: {},
  links: to.map((target) => ({ to: target })),
});
const linking = (id: string, ...to: readonly string[]): Mutation => ({
  ...EMPTY_MUTATION,
  update: [{ id, links: to.map((target) => ({ to: target })) }],
});
const creating = (made: ProductObject): Mutation => ({ ...EMPTY_MUTATION, create: [made] });
const deleting = (id: string): Mutation => ({ ...EMPTY_MUTATION, delete: [id] });
const union = (deltas: readonly Mutation[]): Mutation => ({
  create: deltas.flatMap(({ create }) => create),
  update: deltas.flatMap(({ update }) => update),
  delete: deltas.flatMap((delta) => delta.delete),
});

/** Which of the mutations the gate lets pass, one after the other, and the graph behind them. */
function inOrder(G: ProductGraph, deltas: readonly Mutation[], constraints: readonly Constraint[]) {
  let graph = G;
  const passed = deltas.map((delta) => {
    const answer = commitMutation(graph, delta, constraints);
    graph = answer.graph;
    return answer.kind === "committed";
  });
  return { passed, graph: JSON.stringify(graphJson(graph)) };
}

const passes = (G: ProductGraph, delta: Mutation, constraints: readonly Constraint[]) =>
  commitMutation(G, delta, constraints).kind === "committed";

function meet(G: ProductGraph, deltas: readonly Mutation[], constraints: readonly Constraint[]): boolean {
  const footprints = deltas.map((delta) => mutationFootprint(G, delta, constraints));
  return footprints.some((left, i) =>
    footprints.slice(i + 1).some((right) => overlaps(left, right).length > 0),
  );
}

describe("[D16.6] [T16.1] the five fixtures of parallel mutations, each a conflict", () => {
  const acyclic = [acyclicConstraint()];

  it("[D16.6] [C20-40] (i) x->y and y->x: each passes, the merge closes a cycle", () => {
    const G = productGraph([object("x"), object("y")]);
    const [a, b] = [linking("x", "y"), linking("y", "x")];
    expect([a, b].map((delta) => passes(G, delta, acyclic))).toEqual([true, true]);
    expect(passes(G, union([a, b]), acyclic)).toBe(false);
    expect(meet(G, [a, b], acyclic)).toBe(true);
  });

  it("[D16.6] [C20-40] (ii) a links to what b creates: a first fails, b first and the merge pass", () => {
    const G = productGraph([object("x")]);
    const [a, b] = [linking("x", "n"), creating(object("n"))];
    expect(inOrder(G, [a, b], []).passed).toEqual([false, true]);
    expect(inOrder(G, [b, a], []).passed).toEqual([true, true]);
    expect(passes(G, union([a, b]), [])).toBe(true);
    expect(meet(G, [a, b], [])).toBe(true);
  });

  it("[D16.6] [C20-36] (iii) a deletes u, b links v->u: b first passes, a first fails", () => {
    const G = productGraph([object("u"), object("v")]);
    const [a, b] = [deleting("u"), linking("v", "u")];
    expect(inOrder(G, [b, a], []).passed).toEqual([true, true]);
    expect(inOrder(G, [a, b], []).passed).toEqual([true, false]);
    // Together they pass: the union (D5.4) lets the deletion take the link along, as b first and then a does.
    expect(passes(G, union([a, b]), [])).toBe(true);
    expect(JSON.stringify(graphJson(applyMutation(G, union([a, b]))))).toBe(inOrder(G, [b, a], []).graph);
    expect(meet(G, [a, b], [])).toBe(true);
  });

  it("[D16.6] [C20-40] (iv) disjoint ids, and yet the merge closes a cycle", () => {
    const G = productGraph([object("x"), object("y", "z"), object("z"), object("w", "x")]);
    const [a, b] = [linking("x", "y"), linking("z", "w")];
    expect([a, b].map((delta) => passes(G, delta, acyclic))).toEqual([true, true]);
    expect(passes(G, union([a, b]), acyclic)).toBe(false);
    expect(meet(G, [a, b], acyclic)).toBe(true);
  });

  it("[D16.6] [C20-40] (v) x->y, y->z, z->x: every pair passes, the three do not", () => {
    const G = productGraph([object("x"), object("y"), object("z")]);
    const three = [linking("x", "y"), linking("y", "z"), linking("z", "x")];
    for (const left of three)
      for (const right of three)
        if (left !== right) expect(passes(G, union([left, right]), acyclic)).toBe(true);
    expect(passes(G, union(three), acyclic)).toBe(false);
    expect(meet(G, three, acyclic)).toBe(true);
  });
});

const ids = ["a", "b", "c", "p", "q"];
const id = fc.constantFrom(...ids);
const made = fc
  .tuple(id, fc.uniqueArray(id, { maxLength: 2 }), fc.nat(3))
  .map(([name, to, n]): ProductObject => ({ ...object(name, ...to), payload: { n } }));
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 1, arbitrary: made.map(creating) },
  {
    weight: 4,
    arbitrary: made.map(({ id: name, links }) => ({ ...EMPTY_MUTATION, update: [{ id: name, links }] })),
  },
  {
    weight: 2,
    arbitrary: made.map(({ id: name, payload }) => ({ ...EMPTY_MUTATION, update: [{ id: name, payload }] })),
  },
  { weight: 1, arbitrary: id.map(deleting) },
);
const graphs = fc.uniqueArray(made, { selector: ({ id: name }) => name, maxLength: 6 }).map((list) => {
  const known = new Set(list.map(({ id: name }) => name));
  return list.map((one) => ({ ...one, links: one.links.filter(({ to }) => known.has(to)) }));
});
const small: Constraint = {
  name: "small",
  version: 1,
  class: "semantic",
  scope: { kind: "object" },
  check: (graph, { written }) =>
    written
      .filter((name) => objectOf(graph, name)?.payload["n"] === 3)
      .map((name) => ({ message: `${name} is too big.`, facts: { id: name } })),
};
const someConstraints = fc.subarray([acyclicConstraint(), noOrphanConstraint(["high"]), small]);

function permutations<T>(members: readonly T[]): readonly (readonly T[])[] {
  if (members.length === 0) return [[]];
  return members.flatMap((first, index) =>
    permutations(members.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}

/**
 * Law (20.1, repaired): fixed mutations that are pairwise disjoint by `footprint` pass or fail alike in every order,
 * with the same result; and the merge passes iff all do, with that result. Oracle: the gate, in every order.
 * Generated: graphs that satisfy the constraints, 2 to 4 mutations, any of three constraints.
 */
function orderLaw(
  footprint: (G: ProductGraph, delta: Mutation, constraints: readonly Constraint[]) => Footprint,
  numRuns = 3_000,
  endOnFailure = false,
) {
  const seen = { disjoint: 0, rejected: 0, apart: 0 };
  fc.assert(
    fc.property(
      graphs,
      fc.array(mutation, { minLength: 2, maxLength: 4 }),
      someConstraints,
      (list, deltas, constraints) => {
        const G = productGraph(list);
        fc.pre(
          commitMutation(productGraph([]), { ...EMPTY_MUTATION, create: list }, constraints).kind ===
            "committed",
        );
        const footprints = deltas.map((delta) => footprint(G, delta, constraints));
        const isDisjoint = footprints.every((left, i) =>
          footprints.slice(i + 1).every((right) => overlaps(left, right).length === 0),
        );
        if (!isDisjoint) {
          seen.apart += 1;
          return;
        }
        seen.disjoint += 1;
        const first = inOrder(G, deltas, constraints);
        const verdictOf = new Map(deltas.map((delta, index) => [delta, first.passed[index]]));
        for (const order of permutations(deltas)) {
          const { passed, graph } = inOrder(G, order, constraints);
          expect(graph).toBe(first.graph);
          expect(passed).toEqual(order.map((delta) => verdictOf.get(delta)));
        }
        const all = first.passed.every(Boolean);
        if (!all) seen.rejected += 1;
        expect(passes(G, union(deltas), constraints)).toBe(all);
        if (all) expect(JSON.stringify(graphJson(applyMutation(G, union(deltas))))).toBe(first.graph);
      },
    ),
    { numRuns, endOnFailure },
  );
  return seen;
}

describe("[T16.1] the repaired Proposition 20.1", () => {
  it("[T16.1] [D16.5] [D16.6] [C20-39] disjoint mutations commute, in every order and as a merge", () => {
    const seen = orderLaw(mutationFootprint);
    expect(seen.disjoint).toBeGreaterThan(300);
    expect(seen.rejected).toBeGreaterThan(50);
    expect(seen.apart).toBeGreaterThan(300);
  });

  it("[T16.1] the law catches footprints without the scopes of constraints, without link targets", () => {
    const noScopes: typeof mutationFootprint = (G, delta) => mutationFootprint(G, delta, []);
    const noTargets: typeof mutationFootprint = (...args) => ({ ...mutationFootprint(...args), reads: [] });
    for (const broken of [noScopes, noTargets]) expect(() => orderLaw(broken, 30_000, true)).toThrow();
  });
});

describe("[D16.3] templates of ids", () => {
  const template = fc
    .array(fc.constantFrom("a", "b", "/", "{x}", "{y}"), { maxLength: 5 })
    .map((parts) => parts.join(""));
  const fill = (text: string, values: readonly string[]) => {
    let next = 0;
    return text.replace(/\{[^{}]*\}/gu, () => values[next++ % values.length] ?? "");
  };
  const values = fc.array(fc.constantFrom("", "a", "b", "/", "ab", "a/b"), { minLength: 1, maxLength: 3 });

  it("[D16.3] [C20-35] are never disjoint where an instance of one is an instance of the other", () => {
    let met = 0;
    fc.assert(
      fc.property(template, template, values, (left, right, made) => {
        const instance = fill(left, made);
        expect(isInstance(left, instance)).toBe(true);
        if (!isInstance(right, instance)) return;
        met += 1;
        expect(templatesMeet(left, right)).toBe(true);
        expect(templatesMeet(right, left)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
    expect(met).toBeGreaterThan(200);
  });

  it("[D16.3] [C20-35] are disjoint where their beginnings, ends or whole texts differ", () => {
    for (const [left, right, expected] of [
      ["a", "a", true],
      ["a", "b", false],
      ["doc/{o}", "doc/7", true],
      ["doc/{o}", "task/{o}", false],
      ["doc/{o}/x", "doc/{o}/y", false],
      ["doc/{o}/x", "{any}", true],
      ["{a}/x/{b}", "q/y/z", false],
      ["{a}/x/{b}", "q/x/z", true],
      ["ab{x}ba", "aba", false],
      ["{", "{", true],
    ] as const) {
      expect(templatesMeet(left, right), `${left} ${right}`).toBe(expected);
      expect(templatesMeet(right, left), `${right} ${left}`).toBe(expected);
    }
  });
});

describe("[D16.4] footprints", () => {
  it("[D16.4] [D16.5] [C20-35] what declares nothing meets every step that reads or writes, and no other", () => {
    for (const region of [
      { kind: "key", key: "k" },
      { kind: "object", id: "doc/{o}" },
      { kind: "type", type: "doc" },
      { kind: "relation", rel: "r" },
    ] as const) {
      expect(overlaps(EVERYTHING, { reads: [region], writes: [] })).not.toEqual([]);
      expect(overlaps({ reads: [], writes: [region] }, EVERYTHING)).not.toEqual([]);
      expect(overlaps({ reads: [region], writes: [] }, { reads: [region], writes: [] })).toEqual([]);
      expect(overlaps(EVERYTHING, { reads: [], writes: [] })).toEqual([]);
    }
  });

  it("[D16.5] [C20-35] regions have something in common as stated, whichever comes first", () => {
    const object = { kind: "object", id: "a" } as const;
    for (const [left, right, expected] of [
      [{ kind: "data" }, { kind: "graph" }, false],
      [{ kind: "key", key: "a" }, object, false],
      [{ kind: "key", key: "a" }, { kind: "key", key: "b" }, false],
      [{ kind: "key", key: "a" }, { kind: "data" }, true],
      [object, { kind: "type", type: "t" }, true],
      [{ kind: "type", type: "t" }, { kind: "type", type: "u" }, false],
      [{ kind: "type", type: "t" }, { kind: "type", type: "t" }, true],
      [{ kind: "relation" }, { kind: "relation", rel: "r" }, true],
      [{ kind: "relation", rel: "s" }, { kind: "relation", rel: "r" }, false],
      [{ kind: "relation" }, object, false],
      [{ kind: "relation" }, { kind: "graph" }, true],
    ] as const) {
      expect(regionsMeet(left, right)).toBe(expected);
      expect(regionsMeet(right, left)).toBe(expected);
    }
  });
});

const NONE = { reads: {}, writes: {} };

describe("[D16.8] conflicts of a workflow", () => {
  const fork = (left: object, right: object, kind = "tool") =>
    compiledOf(
      workflow(
        [
          node("s", "gateway", { split: "all" }),
          node("a", kind, { graph: NONE, ...left }),
          node("b", kind, { graph: NONE, ...right }),
          node("j", "gateway", { join: "all" }),
          node("e", "end"),
        ],
        arcs("s -> a, s -> b, a -> j, b -> j, j -> e"),
      ),
    );
  const conflicts = (compiled: ReturnType<typeof fork>) =>
    parallelConflicts(compiled, coMarking(compiled.net)).map(({ nodes, overlaps: found }) => [
      nodes.join(),
      found.map(({ left, right }) => `${JSON.stringify(left)} ${JSON.stringify(right)}`),
    ]);

  it("[D16.7] [D16.8] [C20-37] name both nodes and the keys that one writes and the other uses", () => {
    expect(conflicts(fork({ reads: ["x"], writes: ["a"] }, { reads: ["x"], writes: ["b"] }))).toEqual([]);
    expect(conflicts(fork({ reads: [], writes: ["k"] }, { reads: [], writes: ["k"] }))).toEqual([
      ["a,b", ['{"kind":"key","key":"k"} {"kind":"key","key":"k"}']],
    ]);
    expect(conflicts(fork({ reads: ["k"], writes: [] }, { reads: [], writes: ["k"] }))).toHaveLength(1);
  });

  it("[D16.7] [D16.8] [C20-35] take what is not declared for everything, and nodes in sequence for no conflict", () => {
    expect(conflicts(fork({}, { reads: [], writes: ["k"] }))).toHaveLength(1);
    expect(conflicts(fork({}, { reads: [], writes: [] }))).toEqual([]);
    const sequence = compiledOf(
      workflow([node("a", "tool"), node("b", "tool"), node("e", "end")], arcs("a -> b, b -> e")),
    );
    expect(conflicts(sequence)).toEqual([]);
  });

  it("[D16.7] [C20-35] read the guards of arcs, the key of a decision, and an opaque guard as everything", () => {
    const nodes = [node("d", "gateway"), node("a", "end"), node("b", "end")];
    const guarded = (guard: object) =>
      dataFootprint(
        compiledOf(
          workflow(nodes, [
            { from: "d", to: "a", guard: guard as never },
            { from: "d", to: "b", default: true },
          ]),
        ),
        0,
      );
    expect(guarded({ key: "k", op: "is", value: 1 })).toEqual({
      reads: [{ kind: "key", key: "k" }],
      writes: [],
    });
    expect(guarded({ predicate: "mine" })).toEqual({ reads: [{ kind: "data" }], writes: [] });
    const keyed = node("d", "decision", { meta: { key: "k", branches: { x: "yes" }, default: true } });
    const decision = compiledOf(
      workflow([keyed, node("a", "end"), node("b", "end")], arcs("d:yes -> a, d:default -> b")),
    );
    expect(dataFootprint(decision, 0)).toEqual({ reads: [{ kind: "key", key: "k" }], writes: [] });
    const verifier = compiledOf(
      workflow(
        [node("v", "verifier", { reads: ["r"], meta: { passKey: "ok" } }), node("a", "end")],
        arcs("v -> a"),
      ),
    );
    expect(dataFootprint(verifier, 0)).toEqual({
      reads: [{ kind: "key", key: "r" }],
      writes: [{ kind: "key", key: "ok" }],
    });
  });
});
