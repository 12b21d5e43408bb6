import { describe, expect, it } from "vitest";
import { parseCondition } from "../src/condition-parse.ts";
import {
  acyclicConstraint,
  noOrphanConstraint,
  payloadRule,
  REFERENCES,
  schemaConstraint,
} from "../src/constraints.ts";
import { commitMutation } from "../src/gate.ts";
import { allTouched, type Constraint, type ConstraintClass, checkIntegrity } from "../src/integrity.ts";
import type { Json } from "../src/json.ts";
import { EMPTY_MUTATION, type Mutation } from "../src/mutation.ts";
import { type FieldTypes, schemaFindings } from "../src/object-schema.ts";
import {
  EMPTY_GRAPH,
  objectsOf,
  type ProductGraph,
  type ProductObject,
  productGraph,
} from "../src/product-graph.ts";
import { codes, creates, deletes, node } from "./product-graph-text.ts";

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
