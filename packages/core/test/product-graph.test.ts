import { describe, expect, it } from "vitest";
import { parseCondition } from "../src/condition-parse.ts";
import {
  acyclicConstraint,
  noOrphanConstraint,
  payloadRule,
  REFERENCES,
  schemaConstraint,
} from "../src/constraints.ts";
import { commitMutation, type GateResult } from "../src/gate.ts";
import { contentHash } from "../src/hash.ts";
import { allTouched, type Constraint, type ConstraintClass, checkIntegrity } from "../src/integrity.ts";
import { InvariantViolation } from "../src/invariant.ts";
import type { Json } from "../src/json.ts";
import {
  applyMutation,
  EMPTY_MUTATION,
  type Mutation,
  mergeMutations,
  normaliseMutation,
  touchedBy,
} from "../src/mutation.ts";
import { type FieldTypes, schemaFindings } from "../src/object-schema.ts";
import {
  EMPTY_GRAPH,
  graphJson,
  hasObject,
  objectCount,
  objectJson,
  objectOf,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
  sourcesOf,
} from "../src/product-graph.ts";

function node(id: string, ...to: readonly string[]): ProductObject {
  return { id, type: "doc", payload: {}, links: to.map((target) => ({ to: target })) };
}

function creates(...create: readonly ProductObject[]): Mutation {
  return { ...EMPTY_MUTATION, create };
}

function links(id: string, ...to: readonly string[]): Mutation {
  return { ...EMPTY_MUTATION, update: [{ id, links: to.map((target) => ({ to: target })) }] };
}

function deletes(...ids: readonly string[]): Mutation {
  return { ...EMPTY_MUTATION, delete: ids };
}

/** Commits one after the other; the first refusal ends it. */
function inOrder(
  G: ProductGraph,
  constraints: readonly Constraint[],
  ...deltas: readonly Mutation[]
): "passes" | "fails" {
  let graph = G;
  for (const delta of deltas) {
    const result = commitMutation(graph, delta, constraints);
    if (result.kind === "rejected") return "fails";
    graph = result.graph;
  }
  return "passes";
}

function merged(...deltas: readonly Mutation[]): Mutation {
  const merge = mergeMutations(deltas);
  if (merge.kind === "conflict") throw new Error(merge.ids.join());
  return merge.mutation;
}

function codes(result: GateResult): readonly string[] {
  return result.kind === "committed"
    ? []
    : result.violations.map(({ code, constraint }) => `${code} ${constraint}`);
}

describe("[L5.1] parallel safety: the five cases that any implementation must reproduce", () => {
  const acyclic = [acyclicConstraint()];

  it("[L5.1] [C20-40] (i) each passes alone, the union closes a cycle", () => {
    const G = productGraph([node("x"), node("y")]);
    const [a, b] = [links("x", "y"), links("y", "x")];
    expect([inOrder(G, acyclic, a), inOrder(G, acyclic, b)]).toEqual(["passes", "passes"]);
    expect([inOrder(G, acyclic, a, b), inOrder(G, acyclic, b, a)]).toEqual(["fails", "fails"]);
    expect(inOrder(G, acyclic, merged(a, b))).toBe("fails");
  });

  it("[L5.1] [C20-40] (ii) a links to what b creates: a first fails, b first and the union pass", () => {
    const G = productGraph([node("x")]);
    const [a, b] = [links("x", "y"), creates(node("y"))];
    expect(inOrder(G, acyclic, a, b)).toBe("fails");
    expect(inOrder(G, acyclic, b, a)).toBe("passes");
    expect(inOrder(G, acyclic, merged(a, b))).toBe("passes");
  });

  it("[L5.1] (iii) a deletes what b links to: a first fails, b first passes", () => {
    const G = productGraph([node("u"), node("v")]);
    const [a, b] = [deletes("u"), links("v", "u")];
    expect(inOrder(G, acyclic, a, b)).toBe("fails");
    expect(inOrder(G, acyclic, b, a)).toBe("passes");
    const both = commitMutation(G, merged(a, b), acyclic);
    expect(objectsOf(both.graph)).toEqual([node("v")]);
  });

  it("[L5.1] (iv) disjoint ids, but the union closes a cycle through what was there", () => {
    const G = productGraph([node("w", "x"), node("x"), node("y", "z"), node("z")]);
    const [a, b] = [links("x", "y"), links("z", "w")];
    expect([inOrder(G, acyclic, a), inOrder(G, acyclic, b)]).toEqual(["passes", "passes"]);
    expect([inOrder(G, acyclic, a, b), inOrder(G, acyclic, b, a)]).toEqual(["fails", "fails"]);
    expect(inOrder(G, acyclic, merged(a, b))).toBe("fails");
  });

  it("[L5.1] (v) every pair passes, the three do not", () => {
    const G = productGraph([node("x"), node("y"), node("z")]);
    const [a, b, c] = [links("x", "y"), links("y", "z"), links("z", "x")];
    for (const [first, second] of [
      [a, b],
      [b, c],
      [c, a],
    ] as const) {
      expect(inOrder(G, acyclic, first, second)).toBe("passes");
      expect(inOrder(G, acyclic, merged(first, second))).toBe("passes");
    }
    expect(inOrder(G, acyclic, a, b, c)).toBe("fails");
    expect(inOrder(G, acyclic, merged(a, b, c))).toBe("fails");
  });

  it("[L5.1] [C20-41] a refused union leaves the graph as it was", () => {
    const G = productGraph([node("x"), node("y")]);
    const before = contentHash(graphJson(G));
    const result = commitMutation(G, merged(links("x", "y"), links("y", "x")), acyclic);
    expect(result.graph).toBe(G);
    expect(contentHash(graphJson(result.graph))).toBe(before);
  });
});

describe("[D18.3] product graph", () => {
  it("[D18.3] [D18.4] holds objects by id", () => {
    const graph = productGraph([node("b", "a", "c"), node("a", "c", "c")]);
    expect(objectCount(graph)).toBe(2);
    expect(objectOf(graph, "b")).toEqual(node("b", "a", "c"));
    expect(objectOf(graph, "c")).toBeUndefined();
    expect([hasObject(graph, "a"), hasObject(graph, "c"), hasObject(EMPTY_GRAPH, "a")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(sourcesOf(graph, "c")).toEqual(["a", "b"]);
    expect(sourcesOf(graph, "b")).toEqual([]);
    expect(objectsOf(graph).map(({ id }) => id)).toEqual(["a", "b"]);
    const twice = (): ProductGraph => productGraph([node("a"), node("b"), node("a")]);
    expect(twice).toThrow(InvariantViolation);
    expect(twice).toThrow(expect.objectContaining({ id: "D18.3", facts: { id: "a" } }));
  });

  it("[D18.4] an object as JSON is its four members", () => {
    const object: ProductObject = {
      id: "a",
      type: "doc",
      payload: { n: 1 },
      links: [{ rel: "r", to: "b" }, { to: "c" }],
    };
    expect(objectJson(object)).toEqual({
      id: "a",
      type: "doc",
      payload: { n: 1 },
      links: [{ rel: "r", to: "b" }, { to: "c" }],
    });
    expect(graphJson(productGraph([object]))).toEqual({ objects: [objectJson(object)] });
    expect(graphJson(EMPTY_GRAPH)).toEqual({ objects: [] });
  });
});

describe("[D19.2] raw application", () => {
  it("[D19.2] an update replaces what it gives and keeps the rest", () => {
    const object: ProductObject = { id: "a", type: "doc", payload: { n: 1 }, links: [{ to: "a" }] };
    const G = productGraph([object]);
    const after = (update: object): ProductObject | undefined =>
      objectOf(applyMutation(G, { ...EMPTY_MUTATION, update: [{ id: "a", ...update }] }), "a");
    expect(after({})).toEqual(object);
    expect(after({ payload: {} })).toEqual({ ...object, payload: {} });
    expect(after({ links: [] })).toEqual({ ...object, links: [] });
    expect(applyMutation(G, { ...EMPTY_MUTATION, update: [{ id: "b", payload: {} }] })).toBe(G);
  });

  it("[D19.2] a deletion takes every link to the object along, also of what the mutation writes", () => {
    const G = productGraph([node("a", "b"), node("b", "a", "c"), node("c", "b", "b")]);
    const after = applyMutation(G, {
      create: [node("d", "b", "a")],
      update: [{ id: "a", links: [{ to: "b" }] }],
      delete: ["b"],
    });
    expect(objectsOf(after)).toEqual([node("a"), node("c"), node("d", "a")]);
    expect(sourcesOf(after, "b")).toEqual([]);
    expect(sourcesOf(after, "c")).toEqual([]);
    expect(sourcesOf(after, "a")).toEqual(["d"]);
  });

  it("[D19.2] shares the objects that it does not write", () => {
    const G = productGraph([node("a"), node("b", "a"), node("c")]);
    const after = applyMutation(G, deletes("a"));
    expect(objectOf(after, "c")).toBe(objectOf(G, "c"));
    expect(applyMutation(G, EMPTY_MUTATION)).toBe(G);
  });
});

describe("[D5.3] [D5.4] forms of mutations", () => {
  it("[D5.3] folds, sorts and drops", () => {
    const delta: Mutation = {
      create: [node("b", "x"), node("a"), node("gone")],
      update: [
        { id: "b", payload: { n: 1 } },
        { id: "d", links: [{ to: "x" }, { to: "y" }] },
        { id: "c", payload: {} },
        { id: "c", links: [] },
        { id: "x" },
      ],
      delete: ["x", "w", "x", "gone"],
    };
    expect(normaliseMutation(delta)).toEqual({
      create: [node("a"), { ...node("b"), payload: { n: 1 } }],
      update: [
        { id: "c", payload: {}, links: [] },
        { id: "d", links: [{ to: "y" }] },
      ],
      delete: ["w", "x"],
    });
    expect(normaliseMutation(EMPTY_MUTATION)).toEqual(EMPTY_MUTATION);
  });

  it("[D5.4] [C20-74] equal objects are glued, different contents for one id are a conflict", () => {
    const gluing = mergeMutations([creates(node("a", "b")), creates(node("a", "b"), node("b"))]);
    expect(gluing).toEqual({ kind: "merged", mutation: creates(node("a", "b"), node("b")) });
    expect(
      mergeMutations([
        creates(node("b"), node("a")),
        creates(node("b", "a"), { ...node("a"), payload: { n: 1 } }),
      ]),
    ).toEqual({
      kind: "conflict",
      ids: ["a", "b"],
    });
    const other = (id: string): Mutation => ({ ...EMPTY_MUTATION, update: [{ id, payload: { n: 2 } }] });
    const one = (id: string): Mutation => ({ ...EMPTY_MUTATION, update: [{ id, payload: { n: 1 } }] });
    expect(mergeMutations([creates(node("b")), creates(node("b", "a")), one("a"), other("a")])).toEqual({
      kind: "conflict",
      ids: ["a", "b"],
    });
    expect(mergeMutations([creates(node("a")), creates({ ...node("a"), type: "task" })]).kind).toBe(
      "conflict",
    );
  });

  it("[D5.4] updates of different members of one object are joined, of the same member must agree", () => {
    const payload = (n: number): Mutation => ({ ...EMPTY_MUTATION, update: [{ id: "a", payload: { n } }] });
    expect(mergeMutations([payload(1), links("a", "b")])).toEqual({
      kind: "merged",
      mutation: { ...EMPTY_MUTATION, update: [{ id: "a", payload: { n: 1 }, links: [{ to: "b" }] }] },
    });
    expect(mergeMutations([payload(1), payload(1)]).kind).toBe("merged");
    expect(mergeMutations([payload(1), payload(2)])).toEqual({ kind: "conflict", ids: ["a"] });
    expect(mergeMutations([links("a", "b"), links("a", "c")])).toEqual({ kind: "conflict", ids: ["a"] });
    expect(mergeMutations([payload(1), links("a", "b"), payload(2)])).toEqual({
      kind: "conflict",
      ids: ["a"],
    });
    expect(mergeMutations([links("a"), links("a", "c")])).toEqual({ kind: "conflict", ids: ["a"] });
  });

  it("[D5.4] the union of nothing is nothing, and deletions come once", () => {
    expect(mergeMutations([])).toEqual({ kind: "merged", mutation: EMPTY_MUTATION });
    expect(mergeMutations([deletes("b", "a"), deletes("a")])).toEqual({
      kind: "merged",
      mutation: deletes("a", "b"),
    });
  });
});

describe("[D5.2] touched", () => {
  it("[D5.2] written, deleted, released", () => {
    const G = productGraph([node("a", "b"), node("b", "c"), node("c"), node("d", "e"), node("e")]);
    expect(
      touchedBy(G, { create: [node("n", "b")], update: [{ id: "d", links: [] }], delete: ["b"] }),
    ).toEqual({
      written: ["a", "d", "n"],
      deleted: ["b"],
      released: ["c", "e"],
    });
    expect(touchedBy(G, EMPTY_MUTATION)).toEqual({ written: [], deleted: [], released: [] });
    expect(touchedBy(G, { create: [], update: [{ id: "unknown" }], delete: ["unknown2"] })).toEqual({
      written: [],
      deleted: ["unknown2"],
      released: [],
    });
  });
});

describe("[D19.4] the four classes", () => {
  const violation = (G: ProductGraph, constraint: Constraint): unknown =>
    checkIntegrity(G, allTouched(G), [constraint]).map(({ code, facts }) => ({ code, ...facts }));

  it("[D19.4] GRAPH104 references name the source, the target and the relation", () => {
    const G = productGraph([
      { ...node("a", "a", "x"), links: [{ to: "a" }, { rel: "r", to: "x" }, { to: "y" }] },
    ]);
    expect(violation(G, REFERENCES)).toEqual([
      { code: "GRAPH104", id: "a", to: "x", rel: "r" },
      { code: "GRAPH104", id: "a", to: "y" },
    ]);
  });

  it("[D19.4] GRAPH102 a cycle is named by the ids along it, from the first that is met", () => {
    const G = productGraph([node("a", "b"), node("b", "c"), node("c", "d", "b"), node("d")]);
    expect(violation(G, acyclicConstraint())).toEqual([{ code: "GRAPH102", cycle: ["b", "c"] }]);
    expect(violation(productGraph([node("a", "a")]), acyclicConstraint())).toEqual([
      { code: "GRAPH102", cycle: ["a"] },
    ]);
    const diamond = productGraph([node("a", "b", "c"), node("b", "d"), node("c", "d"), node("d", "missing")]);
    expect(violation(diamond, acyclicConstraint())).toEqual([]);
  });

  it("[D19.4] GRAPH102 only links of the relation count", () => {
    const along = (rel: string, id: string, to: string): ProductObject => ({
      ...node(id),
      links: [{ rel, to }],
    });
    const G = productGraph([along("r", "a", "b"), along("s", "b", "a")]);
    expect(violation(G, acyclicConstraint("r"))).toEqual([]);
    expect(violation(G, acyclicConstraint())).toEqual([{ code: "GRAPH102", cycle: ["a", "b"] }]);
    const both = productGraph([along("r", "a", "b"), along("r", "b", "a")]);
    expect(violation(both, acyclicConstraint("r"))).toEqual([
      { code: "GRAPH102", cycle: ["a", "b"], rel: "r" },
    ]);
    expect(acyclicConstraint("r").name).not.toBe(acyclicConstraint().name);
    expect([acyclicConstraint().scope, acyclicConstraint("r").scope]).toEqual([
      { kind: "relation" },
      { kind: "relation", rel: "r" },
    ]);
  });

  it("[D19.4] a long chain needs no deep stack, and is searched once", () => {
    const chain = Array.from({ length: 50_000 }, (_, i) => node(`n${i}`, `n${i + 1}`));
    expect(violation(productGraph([...chain, node("n50000")]), acyclicConstraint())).toEqual([]);
  });

  it("[D19.4] GRAPH102 an orphan of a listed type", () => {
    const task = (id: string, ...to: readonly string[]): ProductObject => ({
      ...node(id, ...to),
      type: "task",
    });
    const G = productGraph([
      task("own", "own"),
      task("lone"),
      task("held"),
      node("root", "held"),
      node("free"),
    ]);
    expect(violation(G, noOrphanConstraint(["task", "other"]))).toEqual([
      { code: "GRAPH102", id: "lone" },
      { code: "GRAPH102", id: "own" },
    ]);
    expect(violation(G, noOrphanConstraint(["task"], "r"))).toEqual([
      { code: "GRAPH102", id: "held", rel: "r" },
      { code: "GRAPH102", id: "lone", rel: "r" },
      { code: "GRAPH102", id: "own", rel: "r" },
    ]);
    expect(violation(G, noOrphanConstraint([]))).toEqual([]);
    const forsaken = commitMutation(productGraph([task("held"), node("root", "held")]), deletes("root"), [
      noOrphanConstraint(["task"]),
    ]);
    expect(codes(forsaken)).toEqual(["GRAPH102 no-orphan"]);
    expect(noOrphanConstraint(["task"], "r")).toMatchObject({
      name: "no-orphan:r",
      scope: { kind: "relation", rel: "r" },
    });
  });

  it("[D19.4] [D18.5] GRAPH103 payloads satisfy the schema of their type", () => {
    const constraint = schemaConstraint(
      new Map([["doc", { required: new Map([["n", "number"]] as const), optional: new Map() }]]),
    );
    const G = productGraph([node("a"), { ...node("b"), payload: { n: 1 } }, { ...node("c"), type: "x" }]);
    expect(violation(G, constraint)).toEqual([
      { code: "GRAPH103", id: "a", field: "n" },
      { code: "GRAPH103", id: "c", type: "x" },
    ]);
  });

  it("[D19.4] GRAPH105 a rule on payloads; an error is not a pass", () => {
    const parsed = parseCondition({ key: "n", op: "atMost", value: 2 });
    if (!parsed.ok) throw new Error("the rule of the test");
    const constraint = payloadRule("small", 3, "doc", parsed.value);
    const G = productGraph([
      { ...node("a"), payload: { n: 2 } },
      { ...node("b"), payload: { n: 3 } },
      node("c"),
      { ...node("d"), type: "x" },
    ]);
    expect(violation(G, constraint)).toEqual([
      { code: "GRAPH105", id: "b" },
      { code: "COND101", id: "c", op: "atMost", key: "n", path: [], expected: "number", found: "missing" },
    ]);
    expect(
      checkIntegrity(G, allTouched(G), [constraint]).map(({ constraint, version, code, class: kind }) => [
        constraint,
        version,
        code,
        kind,
      ]),
    ).toEqual(Array(2).fill(["small", 3, "GRAPH105", "semantic"]));
    const ask = parseCondition({ predicate: "p" });
    if (!ask.ok) throw new Error("the rule of the test");
    const asking = payloadRule("asks", 1, "doc", ask.value, { predicates: new Map([["p", () => true]]) });
    expect(violation(G, asking)).toEqual([]);
  });

  it("[D19.4] GRAPH106 a constraint that throws is not a pass", () => {
    const throwing = (thrown: unknown): Constraint => ({
      name: "broken",
      version: 2,
      class: "semantic",
      scope: { kind: "graph" },
      check: () => {
        throw thrown;
      },
    });
    const G = productGraph([]);
    const result = commitMutation(G, creates(node("a")), [throwing(new Error("boom"))]);
    expect(result).toEqual({
      kind: "rejected",
      graph: G,
      violations: [
        {
          code: "GRAPH106",
          constraint: "broken",
          version: 2,
          class: "semantic",
          message: "The constraint broken threw.",
          facts: { reason: "boom" },
        },
      ],
    });
    expect(violation(G, throwing("text"))).toEqual([{ code: "GRAPH106", reason: "string" }]);
  });

  it("[D19.3] [D19.4] asks class by class, in a class in the given order, and names every violation", () => {
    const finding = (name: string, kind: ConstraintClass): Constraint => ({
      name,
      version: 1,
      class: kind,
      scope: { kind: "object" },
      check: () => [{ message: name, facts: {} }],
    });
    const constraints = [
      finding("sem", "semantic"),
      finding("ref", "reference"),
      finding("str2", "structural"),
      finding("type", "type"),
      finding("str1", "structural"),
    ];
    expect(codes(commitMutation(EMPTY_GRAPH, creates(node("a", "x")), constraints))).toEqual([
      "GRAPH102 str2",
      "GRAPH102 str1",
      "GRAPH103 type",
      "GRAPH104 references",
      "GRAPH104 ref",
      "GRAPH105 sem",
    ]);
  });
});

describe("[D5.1] the constraints of the core", () => {
  const condition = parseCondition({ all: [] });
  const always = condition.ok ? condition.value : undefined;

  it("[D5.1] have a name, a version, a class and a scope", () => {
    const constraints = [
      REFERENCES,
      schemaConstraint(new Map()),
      acyclicConstraint(),
      acyclicConstraint("r"),
      noOrphanConstraint([]),
      noOrphanConstraint([], "r"),
      payloadRule("rule", 2, "doc", always as NonNullable<typeof always>),
    ];
    expect(constraints.map(({ check: _, ...rest }) => rest)).toEqual([
      { name: "references", version: 1, class: "reference", scope: { kind: "links" } },
      { name: "schemas", version: 1, class: "type", scope: { kind: "object" } },
      { name: "acyclic", version: 1, class: "structural", scope: { kind: "relation" } },
      { name: "acyclic:r", version: 1, class: "structural", scope: { kind: "relation", rel: "r" } },
      { name: "no-orphan", version: 1, class: "structural", scope: { kind: "relation" } },
      { name: "no-orphan:r", version: 1, class: "structural", scope: { kind: "relation", rel: "r" } },
      { name: "rule", version: 2, class: "semantic", scope: { kind: "object" } },
    ]);
  });

  it("[D5.1] say what is wrong", () => {
    const isOne = parseCondition({ key: "n", op: "atLeast", value: 1 });
    if (!isOne.ok) throw new Error("the rule of the test");
    const schema = { required: new Map([["n", ["integer", "null"]] as const]), optional: new Map() };
    const G = productGraph([
      { ...node("a", "b"), payload: { n: 0 } },
      { ...node("b", "a", "x"), payload: { n: "1", m: 0 } },
      { ...node("c"), type: "task" },
      node("d"),
    ]);
    const constraints = [
      acyclicConstraint(),
      noOrphanConstraint(["task"]),
      schemaConstraint(new Map([["doc", schema]])),
      REFERENCES,
      payloadRule("positive", 1, "doc", isOne.value),
    ];
    expect(checkIntegrity(G, allTouched(G), constraints).map(({ message }) => message)).toEqual([
      "The links form a cycle: a, b.",
      "No other object links to c.",
      "b has the field m, which its schema does not have.",
      "b has a field n that is not integer or null.",
      "c is of the type task, which has no schema.",
      "d lacks the field n.",
      "b links to x, which does not exist.",
      "a does not satisfy the rule positive.",
      "The rule positive cannot be decided for b: atLeast needs number, but n is of type string.",
      "The rule positive cannot be decided for d: atLeast needs number, but n has no value there.",
    ]);
  });

  it("[D5.1] name orphans in code-unit order, whether written or released", () => {
    const task = (id: string): ProductObject => ({ ...node(id), type: "task" });
    const G = productGraph([node("root", "c", "a"), task("a"), task("b"), task("c"), task("d")]);
    const delta: Mutation = { create: [task("e")], update: [{ id: "d" }, { id: "b" }], delete: ["root"] };
    const result = commitMutation(G, delta, [noOrphanConstraint(["task"])]);
    expect(result.kind === "rejected" && result.violations.map(({ facts }) => facts["id"])).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
    ]);
  });
});

describe("[D19.5] the gate", () => {
  it("[D19.5] commits whole and says what was touched", () => {
    const G = productGraph([node("a")]);
    const result = commitMutation(G, { create: [node("b", "a")], update: [], delete: [] }, []);
    expect(result).toMatchObject({
      kind: "committed",
      touched: { written: ["b"], deleted: [], released: [] },
    });
    expect(objectsOf(result.graph)).toEqual([node("a"), node("b", "a")]);
    expect(commitMutation(G, EMPTY_MUTATION, []).graph).toBe(G);
  });

  it("[D5.5] [D19.5] GRAPH101 names every id that does not fit, before any constraint is asked", () => {
    const G = productGraph([node("a")]);
    const delta: Mutation = {
      create: [node("a"), node("b"), node("b")],
      update: [{ id: "b" }, { id: "x" }, { id: "a" }],
      delete: ["y", "b", "a"],
    };
    const result = commitMutation(G, delta, []);
    expect(
      result.kind === "rejected" &&
        result.violations.map(({ code, constraint, version, class: kind, facts }) => ({
          code,
          constraint,
          version,
          kind,
          ...facts,
        })),
    ).toEqual(
      [
        { id: "a", action: "create" },
        { id: "b", action: "create" },
        { id: "x", action: "update" },
        { id: "y", action: "delete" },
      ].map((facts) => ({
        code: "GRAPH101",
        constraint: "identity",
        version: 1,
        kind: "structural",
        ...facts,
      })),
    );
    expect(result.kind === "rejected" && result.violations.map(({ message }) => message)).toEqual([
      "a is created, but exists.",
      "b is created, but exists.",
      "x is updated, but does not exist.",
      "y is deleted, but does not exist.",
    ]);
    expect(result.graph).toBe(G);
  });

  it("[D19.5] enforces references without being asked", () => {
    expect(codes(commitMutation(EMPTY_GRAPH, creates(node("a", "b")), []))).toEqual(["GRAPH104 references"]);
  });
});

describe("[D18.5] schemas", () => {
  const schema = {
    required: new Map<string, FieldTypes>([
      ["n", "integer"],
      ["t", ["string", "null"]],
    ]),
    optional: new Map<string, FieldTypes>([
      ["any", "any"],
      ["list", "array"],
      ["map", "object"],
      ["x", "number"],
      ["ok", "boolean"],
      ["none", "null"],
    ]),
  };
  const fields = (payload: { readonly [key: string]: Json }): unknown =>
    schemaFindings("a", payload, schema).map(({ facts }) => facts);

  it("[D18.5] accepts every payload with the required fields and none outside", () => {
    expect(fields({ n: 1, t: null })).toEqual([]);
    expect(fields({ n: -0, t: "", any: [{}], list: [], map: {}, x: 0.5, ok: false, none: null })).toEqual([]);
    expect(fields({ n: 1e300, t: "", any: null })).toEqual([]);
  });

  it("[D18.5] names what is missing, of another type, or unknown", () => {
    expect(fields({})).toEqual([
      { id: "a", field: "n" },
      { id: "a", field: "t" },
    ]);
    expect(fields({ zzz: 1, n: 0.5, t: 1, extra: 0 })).toEqual([
      { id: "a", field: "extra" },
      { id: "a", field: "n", expected: ["integer"], found: "number" },
      { id: "a", field: "t", expected: ["string", "null"], found: "number" },
      { id: "a", field: "zzz" },
    ]);
    const rest = { n: 1, t: "" };
    for (const [field, wrong] of Object.entries({ list: {}, map: [], x: "1", ok: 0, none: false })) {
      expect(fields({ ...rest, [field]: wrong })).toHaveLength(1);
    }
    expect(fields({ ...rest, map: null, list: null, x: null })).toHaveLength(3);
    expect(fields(JSON.parse('{"n":1,"t":"","toString":1}'))).toEqual([{ id: "a", field: "toString" }]);
  });
});
