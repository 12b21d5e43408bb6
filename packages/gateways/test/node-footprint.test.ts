import {
  acyclicConstraint,
  type Constraint,
  type ConstraintScope,
  commitMutation,
  EMPTY_MUTATION,
  fillTemplate,
  type GraphClaim,
  type JsonObject,
  type Mutation,
  noOrphanConstraint,
  objectOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
  templateKeys,
  touchedBy,
  type WorkflowNode,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  coMarking,
  dataFootprint,
  type Footprint,
  type FootprintOptions,
  graphFootprint,
  mutationFootprint,
  nodeFootprint,
  overlaps,
  parallelConflicts,
  type Region,
  workflowFootprint,
} from "../src/index.ts";
import { arcs, compiledOf, node, workflow } from "./workflow-text.ts";

const ALL = [{ kind: "graph" }];
const object = (id: string): Region => ({ kind: "object", id });
const type = (name: string): Region => ({ kind: "type", type: name });

/** The node, alone in a workflow, with the constraints that the workflow names. */
const footprintOf = (
  kind: string,
  change: Partial<WorkflowNode>,
  options: FootprintOptions = {},
  constraints?: readonly string[],
) => {
  const definition = workflow([node("n", kind, change), node("e", "end")], arcs("n -> e"));
  const named = constraints === undefined ? definition : { ...definition, constraints };
  return graphFootprint(compiledOf(named), 0, options);
};
const withScope = (scope: ConstraintScope): FootprintOptions => ({ constraints: [{ name: "c", scope }] });

describe("[D16.11] what a node does with G", () => {
  it("[D16.11] [D16.9] [C20-35] functions and jobs do what they claim, and everything where they claim nothing", () => {
    for (const kind of ["transform", "tool", "agent", "integration"]) {
      expect(footprintOf(kind, {})).toEqual({ reads: ALL, writes: ALL });
      expect(footprintOf(kind, { graph: { reads: { objects: ["a/{k}"] } } })).toEqual({
        reads: [object("a/{k}")],
        writes: ALL,
      });
      expect(footprintOf(kind, { graph: { writes: { types: ["T"], objects: ["b"] } } })).toEqual({
        reads: ALL,
        writes: [object("b"), type("T")],
      });
      expect(footprintOf(kind, { graph: { reads: {}, writes: {} } })).toEqual({ reads: [], writes: [] });
    }
  });

  it("[D16.11] [C20-35] a verifier writes nothing; people, waits, decisions, gateways and timers do nothing", () => {
    const passKey = { meta: { passKey: "ok" } };
    expect(footprintOf("verifier", passKey)).toEqual({ reads: ALL, writes: [] });
    expect(footprintOf("verifier", { ...passKey, graph: { reads: { types: ["T"] } } })).toEqual({
      reads: [type("T")],
      writes: [],
    });
    const keyed = { meta: { key: "k", branches: { a: "done" }, default: true } };
    for (const [kind, change] of [
      ["human", {}],
      ["wait", {}],
      ["gateway", {}],
      ["timer", { meta: { duration: "PT1S" } }],
    ] as const) {
      expect(footprintOf(kind, change), kind).toEqual({ reads: [], writes: [] });
    }
    const decision = workflow(
      [node("n", "decision", keyed), node("e", "end"), node("f", "end")],
      arcs("n -> e, n:default -> f"),
    );
    expect(graphFootprint(compiledOf(decision), 0)).toEqual({ reads: [], writes: [] });
    expect(graphFootprint(compiledOf(decision), 9)).toEqual({ reads: [], writes: [] });
  });

  it("[D16.11] [C20-35] a called workflow does what its nodes do, everything where that is not known", () => {
    const call = workflow(
      [node("n", "subprocess", { meta: { workflow: "child" } }), node("e", "end")],
      arcs("n -> e, n:error -> e, n:cancelled -> e"),
    );
    expect(graphFootprint(compiledOf(call), 0)).toEqual({ reads: ALL, writes: ALL });
    const child = workflow(
      [
        node("a", "tool", { graph: { reads: { objects: ["x"] }, writes: { objects: ["y"] } } }),
        node("b", "tool", { graph: { reads: { objects: ["x"] }, writes: { types: ["T"] } } }),
        node("e", "end"),
      ],
      arcs("a -> b, b -> e"),
    );
    const footprint = workflowFootprint(compiledOf(child));
    expect(footprint).toEqual({ reads: [object("x")], writes: [object("y"), type("T")] });
    const children = new Map([["child", footprint]]);
    expect(graphFootprint(compiledOf(call), 0, { children })).toEqual(footprint);
    expect(graphFootprint(compiledOf(call), 0, { children: new Map([["other", footprint]]) })).toEqual({
      reads: ALL,
      writes: ALL,
    });
  });

  it("[D16.11] [D5.1] [C20-35] adds the scopes of constraints that its writes can touch, and no other", () => {
    const relation: Region = { kind: "relation", rel: "r" };
    const graph = { reads: {}, writes: { types: ["T"] } };
    const of = (scope: ConstraintScope, claim: GraphClaim = graph) =>
      footprintOf("tool", { graph: claim }, withScope(scope));
    const own = { reads: [], writes: [type("T")] };
    expect(of({ kind: "object" })).toEqual(own);
    expect(of({ kind: "links" })).toEqual({ reads: ALL, writes: [type("T")] });
    expect(of({ kind: "relation", rel: "r" })).toEqual({ reads: [], writes: [type("T"), relation] });
    expect(of({ kind: "relation" })).toEqual({ reads: [], writes: [type("T"), { kind: "relation" }] });
    expect(of({ kind: "types", types: ["T", "U"] })).toEqual({ reads: [], writes: [type("T"), type("U")] });
    expect(of({ kind: "types", types: ["U"] })).toEqual(own);
    expect(of({ kind: "graph" })).toEqual({ reads: ALL, writes: [type("T"), { kind: "graph" }] });
    const payloads: GraphClaim = { reads: {}, writes: { types: ["T"], payloadOnly: true } };
    expect(of({ kind: "relation", rel: "r" }, payloads)).toEqual(own);
    // The type of an object is not known from its id.
    const byId: GraphClaim = { reads: {}, writes: { objects: ["x"] } };
    expect(of({ kind: "types", types: ["U"] }, byId)).toEqual({
      reads: [],
      writes: [object("x"), type("U")],
    });
    // Who writes nothing touches nothing.
    const nothing: GraphClaim = { reads: { objects: ["x"] }, writes: {} };
    expect(of({ kind: "graph" }, nothing)).toEqual({ reads: [object("x")], writes: [] });
    const unclaimed = of({ kind: "relation", rel: "r" }, { reads: {} });
    expect(unclaimed).toEqual({ reads: [], writes: [{ kind: "graph" }, relation] });
  });

  it("[D16.11] [C20-35] takes a constraint that is named and not known for one about all of G", () => {
    const graph = { reads: {}, writes: { types: ["T"] } };
    const all = { reads: ALL, writes: [type("T"), { kind: "graph" }] };
    expect(footprintOf("tool", { graph }, {}, ["c"])).toEqual(all);
    expect(footprintOf("tool", { graph }, withScope({ kind: "object" }), ["c"])).toEqual({
      reads: [],
      writes: [type("T")],
    });
    expect(footprintOf("tool", { graph }, withScope({ kind: "object" }), ["c", "d"])).toEqual(all);
  });

  it("[D16.7] [D16.12] [C20-35] the keys in templates are read; the whole is the union of D and G", () => {
    const graph = { reads: { objects: ["a/{k}/{l}"] }, writes: { objects: ["b/{m}", "c/{k}"] } };
    const definition = workflow(
      [node("n", "tool", { graph, reads: ["r"], writes: ["w"] }), node("e", "end")],
      arcs("n -> e"),
    );
    const keys = ["k", "l", "m", "r"].map((key) => ({ kind: "key", key }));
    const data = dataFootprint(compiledOf(definition), 0);
    expect(data).toEqual({ reads: keys, writes: [{ kind: "key", key: "w" }] });
    expect(nodeFootprint(compiledOf(definition), 0)).toEqual({
      reads: [...keys, object("a/{k}/{l}")],
      writes: [...data.writes, object("b/{m}"), object("c/{k}")],
    });
  });
});

describe("[D16.10] filled templates", () => {
  it("[D16.10] [C20-35] put the text of scalars in the holes, and name nothing where that cannot be", () => {
    expect(fillTemplate("doc/{o}/{n}/{b}/{o}", { o: "x", n: 1.5, b: false })).toBe("doc/x/1.5/false/x");
    expect(fillTemplate("plain", {})).toBe("plain");
    expect(fillTemplate("{o}", { o: "$&{o}" })).toBe("$&{o}");
    expect(fillTemplate("{o}", { o: "" })).toBe("");
    for (const data of [{}, { o: null }, { o: [1] }, { o: {} }])
      expect(fillTemplate("a{o}", data)).toBeNull();
    expect(fillTemplate("{toString}", {})).toBeNull();
    expect(fillTemplate("{a}{b}", { a: "1" })).toBeNull();
    expect(templateKeys("doc/{o}/{n}/{o}/{}")).toEqual(["o", "n", ""]);
    expect(templateKeys("{ } }{")).toEqual([" "]);
  });
});

describe("[D16.8] conflicts over G", () => {
  const fork = (left: GraphClaim, right: GraphClaim, join = {}) =>
    compiledOf(
      workflow(
        [
          node("s", "gateway", { split: "all" }),
          node("a", "tool", { reads: [], writes: [], graph: left }),
          node("b", "tool", { reads: [], writes: [], graph: right }),
          node("j", "gateway", { join: "all", ...join }),
          node("e", "end"),
          node("f", "end"),
        ],
        arcs(
          "s -> a, s -> b, a -> j, b -> j, j -> e",
          ...(Object.keys(join).length > 0 ? ["j:error -> f"] : ["a:error -> f"]),
        ),
      ),
    );
  const conflicts = (compiled: ReturnType<typeof fork>, options: FootprintOptions = {}) =>
    parallelConflicts(compiled, coMarking(compiled.net), options).map(({ nodes }) => nodes.join());
  const writing = (id: string): GraphClaim => ({ reads: {}, writes: { objects: [id] } });

  it("[D16.8] [C20-35] templates apart are no conflict, templates that meet are, and so is a relation of both", () => {
    expect(conflicts(fork(writing("a/{k}"), writing("b/{k}")))).toEqual([]);
    expect(conflicts(fork(writing("a/{k}"), writing("a/{l}")))).toEqual(["a,b"]);
    expect(conflicts(fork(writing("a"), { reads: { objects: ["a"] }, writes: {} }))).toEqual(["a,b"]);
    const constraints = [acyclicConstraint()];
    expect(conflicts(fork(writing("a/{k}"), writing("b/{k}")), { constraints })).toEqual(["a,b"]);
  });

  it("[D16.8] [D21.1] [C20-77] what a staged block merges is no conflict between its branches", () => {
    const staged = { meta: { stage: true } };
    expect(conflicts(fork(writing("a"), writing("a")))).toEqual(["a,b"]);
    expect(conflicts(fork(writing("a"), writing("a"), staged))).toEqual([]);
    const keys = { reads: ["k"], writes: ["k"] };
    const racing = (meta: JsonObject | undefined) =>
      compiledOf(
        workflow(
          [
            node("s", "gateway", { split: "all" }),
            node("a", "tool", { ...keys, graph: writing("a") }),
            node("b", "tool", { ...keys, graph: writing("a") }),
            node("j", "gateway", { join: "all", ...(meta === undefined ? {} : { meta }) }),
            node("e", "end"),
            node("f", "end"),
          ],
          arcs(
            "s -> a, s -> b, a -> j, b -> j, j -> e",
            meta === undefined ? "a:error -> f" : "j:error -> f",
          ),
        ),
      );
    const regions = (compiled: ReturnType<typeof racing>) =>
      parallelConflicts(compiled, coMarking(compiled.net)).flatMap(({ overlaps: found }) => [
        ...new Set(found.map(({ left }) => left.kind)),
      ]);
    expect(regions(racing(undefined))).toEqual(["key", "object"]);
    expect(regions(racing({ merge: { k: "sum" } }))).toEqual(["object"]);
    expect(regions(racing({ merge: { l: "sum" } }))).toEqual(["key", "object"]);
    expect(regions(racing({ stage: true }))).toEqual(["key"]);
    expect(regions(racing({ stage: true, merge: { k: "last" } }))).toEqual([]);
  });

  it("[D16.12] [D21.1] [C20-77] the join of a staged block writes what its branches do, and merged keys", () => {
    const staged = fork(writing("a"), writing("b"), { meta: { stage: true, merge: { k: "max" } } });
    const key = { kind: "key", key: "k" };
    expect(nodeFootprint(staged, 3)).toEqual({ reads: [key], writes: [key, object("a"), object("b")] });
    const merged = fork(writing("a"), writing("b"), { meta: { merge: { k: "max" } } });
    expect(nodeFootprint(merged, 3)).toEqual({ reads: [key], writes: [key] });
    expect(nodeFootprint(merged, 1)).toEqual({ reads: [], writes: [object("a")] });
  });
});

/** Read off D16.13, without the engine's code: everything that Delta writes or links to is named. */
function isWithin(claim: GraphClaim, data: JsonObject, G: ProductGraph, delta: Mutation): boolean {
  const created = new Map(delta.create.map((made) => [made.id, made.type]));
  const isNamed = (name: string, parts: readonly GraphClaim["reads"][]) =>
    parts.some((part) => {
      const kind = created.get(name) ?? objectOf(G, name)?.type;
      return (
        (part?.objects ?? []).some((text) => fillTemplate(text, data) === name) ||
        (kind !== undefined && (part?.types ?? []).includes(kind))
      );
    });
  const { written, deleted } = touchedBy(G, delta);
  const own = [...written, ...deleted, ...[...delta.create, ...delta.update].map(({ id }) => id)];
  const targets = [...delta.create, ...delta.update].flatMap(({ links = [] }) => links.map(({ to }) => to));
  const isPlain =
    delta.create.length + delta.delete.length === 0 && delta.update.every(({ links }) => links === undefined);
  return (
    own.every((name) => isNamed(name, [claim.writes])) &&
    targets.every((name) => isNamed(name, [claim.reads, claim.writes])) &&
    (claim.writes?.payloadOnly !== true || isPlain)
  );
}

const ids = ["a1", "b1", "c1", "p1", "q1"];
const id = fc.constantFrom(...ids);
const typeOf = (name: string) => (name < "n" ? "low" : "high");
const made = fc
  .tuple(id, fc.uniqueArray(id, { maxLength: 2 }), fc.nat(3))
  .map(([name, to, n]): ProductObject => {
    return { id: name, type: typeOf(name), payload: { n }, links: to.map((target) => ({ to: target })) };
  });
const graphs = fc.uniqueArray(made, { selector: ({ id: name }) => name, maxLength: 5 }).map((list) => {
  const known = new Set(list.map(({ id: name }) => name));
  return list.map((one) => ({ ...one, links: one.links.filter(({ to }) => known.has(to)) }));
});
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  made.map((one) => ({ ...EMPTY_MUTATION, create: [one] })),
  made.map(({ id: name, links }) => ({ ...EMPTY_MUTATION, update: [{ id: name, links }] })),
  made.map(({ id: name, payload }) => ({ ...EMPTY_MUTATION, update: [{ id: name, payload }] })),
  id.map((name) => ({ ...EMPTY_MUTATION, delete: [name] })),
);
const data: JsonObject = { k: 1, l: "1" };
const templateOf = (name: string) => `${name[0]}${"acp".includes(name[0] ?? "") ? "{k}" : "1"}`;
const extra = fc.uniqueArray(fc.constantFrom("a{k}", "b1", "c{l}", "q{gone}"), { maxLength: 1 });
const types = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.constantFrom(["low"], ["high"]) },
);
/** A mutation and a claim that is about what it needs. */
const claimed = fc
  .record({ delta: mutation, read: extra, written: extra, types, payloadOnly: fc.boolean() })
  .map(({ delta, read, written, types: named, payloadOnly }) => {
    const own = [...delta.create, ...delta.update].map(({ id: name }) => name);
    const targets = [...delta.create, ...delta.update].flatMap(({ links = [] }) => links.map(({ to }) => to));
    const writes = [...new Set([...[...own, ...delta.delete].map(templateOf), ...written])];
    const claim: GraphClaim = {
      reads: { objects: [...new Set([...targets.map(templateOf), ...read])], types: named },
      writes: { objects: writes, ...(payloadOnly ? { payloadOnly: true as const } : {}) },
    };
    return { delta, claim };
  });
/** Along links: who is written needs every target of its links to be less than 3. */
const alongLinks: Constraint = {
  name: "along",
  version: 1,
  class: "semantic",
  scope: { kind: "links" },
  check: () => [],
};
const someConstraints = fc.oneof(
  fc.constant([]),
  fc.subarray([acyclicConstraint(), noOrphanConstraint(["high"]), alongLinks]),
);

/**
 * Law T16.2. Oracle: the footprint of the mutations themselves (D16.6). Generated: claims of two nodes, graphs,
 * mutations within the claims, any of three constraints.
 */
function claimLaw(
  footprint: (claimed: GraphClaim, constraints: readonly Constraint[]) => Footprint,
  numRuns = 6_000,
) {
  const seen = { disjoint: 0 };
  fc.assert(
    fc.property(claimed, claimed, graphs, someConstraints, (left, right, list, constraints) => {
      const G = productGraph(list);
      const both = [left, right];
      if (!both.every(({ claim, delta }) => isWithin(claim, data, G, delta))) return;
      const [own, other] = both.map(({ claim }) => footprint(claim, constraints));
      if (overlaps(own as Footprint, other as Footprint).length > 0) return;
      seen.disjoint += 1;
      const [a, b] = both.map(({ delta }) => mutationFootprint(G, delta, constraints));
      expect(overlaps(a as Footprint, b as Footprint)).toEqual([]);
    }),
    { numRuns },
  );
  return seen;
}

describe("[T16.2] claims keep mutations apart", () => {
  const stated = (graph: GraphClaim, constraints: readonly Constraint[]) =>
    footprintOf("tool", { graph }, { constraints });

  it("[T16.2] [D16.11] [D16.13] [C20-35] mutations within disjoint claims are disjoint", () => {
    expect(claimLaw(stated).disjoint).toBeGreaterThan(20);
  });

  it("[T16.2] the law catches footprints without the scopes, and without what is read", () => {
    const noScopes = (graph: GraphClaim) => footprintOf("tool", { graph });
    const noReads = (graph: GraphClaim, constraints: readonly Constraint[]) => ({
      ...stated(graph, constraints),
      reads: [],
    });
    for (const broken of [noScopes, noReads]) expect(() => claimLaw(broken, 60_000)).toThrow();
  });

  it("[D16.6] [C20-35] a constraint that looks along links reads what the written object links to", () => {
    const G = productGraph([
      { id: "x", type: "t", payload: {}, links: [{ to: "y" }] },
      { id: "y", type: "t", payload: {}, links: [] },
    ]);
    const payload: Mutation = { ...EMPTY_MUTATION, update: [{ id: "x", payload: { n: 1 } }] };
    expect(mutationFootprint(G, payload, []).reads).toEqual([]);
    expect(mutationFootprint(G, payload, [alongLinks]).reads).toEqual([object("y")]);
    expect(commitMutation(G, payload, []).kind).toBe("committed");
  });
});
