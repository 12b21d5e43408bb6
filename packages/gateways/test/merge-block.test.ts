import { type JsonObject, parseWorkflow, type WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { mergeBlocks, mergeRule, mergeRules, STANDARD_KINDS } from "../src/index.ts";
import { decision, end, gate, verifier, ways } from "./loop-text.ts";
import { arcs, compiledOf, issuesOf, node, workflow } from "./workflow-text.ts";

/** s forks to a and b, which join at j; j's error goes to f. */
const forked = (
  meta: JsonObject,
  {
    split = "all",
    join = "all",
    extra = [],
    list = "s -> a, s -> b, a -> j, b -> j",
  }: {
    readonly split?: "all" | "or";
    readonly join?: "all" | "or";
    readonly extra?: readonly WorkflowNode[];
    readonly list?: string;
  } = {},
) =>
  workflow(
    [
      gate("s", { split }),
      node("a", "human"),
      node("b", "human"),
      gate("j", { join, meta }),
      end(),
      end("f"),
      ...extra,
    ],
    arcs(list, "j -> e, j:error -> f"),
  );

/** The blocks by ids: closer, split, and the nodes of each branch. */
const blocksOf = (definition: ReturnType<typeof workflow>) => {
  const { graph } = compiledOf(definition);
  const id = (index: number) => definition.nodes[index]?.id;
  return mergeBlocks(graph).map(({ closer, split, isStaged, merges, branches }) => ({
    closer: id(closer),
    split: id(split),
    isStaged,
    merges: Object.fromEntries(merges),
    branches: branches.map(({ arc, members }) => [
      arc === -1 ? null : definition.arcs[arc]?.to,
      [...members].map(id).sort().join(),
    ]),
  }));
};

describe("[D21.1] blocks that hold back", () => {
  it("[D21.1] are AND blocks and OR blocks whose gateway stages or merges, with their branches", () => {
    const two = [
      ["a", "a"],
      ["b", "b"],
    ];
    expect(blocksOf(forked({ stage: true }))).toEqual([
      { closer: "j", split: "s", isStaged: true, merges: {}, branches: two },
    ]);
    const merge = { k: "sum", l: { function: "f" } };
    for (const [split, join] of [
      ["all", "all"],
      ["or", "or"],
      ["all", "or"],
    ] as const) {
      const [block] = blocksOf(forked({ merge }, { split, join }));
      expect(block).toEqual({
        closer: "j",
        split: "s",
        isStaged: false,
        merges: { k: { kind: "sum" }, l: { kind: "function", name: "f" } },
        branches: two,
      });
    }
    expect(blocksOf(forked({ stage: false, merge: {} }))).toEqual([]);
  });

  it("[D21.1] a branch has all its nodes, and what lies inside its embedded subprocesses", () => {
    const extra = [
      node("p", "subprocess", { meta: { entry: "q" } }),
      node("q", "gateway", { scope: "p" }),
      node("r", "end", { scope: "p" }),
      gate("x"),
    ];
    const list = "s -> a, s -> x, x -> b, b -> p, p -> j, a -> j, q -> r";
    const [block] = blocksOf(forked({ stage: true }, { extra, list }));
    expect(block?.branches).toEqual([
      ["a", "a"],
      ["x", "b,p,q,r,x"],
    ]);
  });

  it("[D21.1] nested blocks are blocks of their own, and lie in a branch of the outer one", () => {
    const extra = [
      gate("t", { split: "all" }),
      gate("u", { join: "all", meta: { stage: true } }),
      node("c", "human"),
      gate("x"),
    ];
    const list = "s -> a, s -> t, t -> b, t -> c, b -> u, c -> u, u -> x, u:error -> x, x -> j, a -> j";
    const blocks = blocksOf(forked({ stage: true }, { extra, list }));
    expect(blocks.map(({ closer, branches }) => [closer, branches])).toEqual([
      [
        "j",
        [
          ["a", "a"],
          ["t", "b,c,t,u,x"],
        ],
      ],
      [
        "u",
        [
          ["b", "b"],
          ["c", "c"],
        ],
      ],
    ]);
  });

  it("[D21.1] the body of a staged loop is a block with one branch and its decision as closer", () => {
    const looped = (stage: boolean) =>
      workflow(
        [gate("m"), verifier("v"), decision("d", ["m", "v"], 1, { stage }), end()],
        arcs(ways, "d:pass -> e, d:exhausted -> e"),
      );
    expect(blocksOf(looped(true))).toEqual([
      { closer: "d", split: "d", isStaged: true, merges: {}, branches: [[null, "d,m,v"]] },
    ]);
    expect(blocksOf(looped(false))).toEqual([]);
  });

  it("[D21.1] [D21.2] rules are the four names, or a function by name", () => {
    for (const kind of ["append", "sum", "max", "last"]) expect(mergeRule(kind)).toEqual({ kind });
    expect(mergeRule({ function: "f" })).toEqual({ kind: "function", name: "f" });
    for (const value of [
      "min",
      "",
      1,
      null,
      [],
      ["sum"],
      {},
      { function: "" },
      { function: 1 },
      { function: "f", x: 1 },
    ])
      expect(mergeRule(value)).toBeNull();
    expect([...mergeRules({ a: "sum", b: "no" }).keys()]).toEqual(["a"]);
    for (const value of [undefined, null, 1, "sum", ["sum"]]) expect([...mergeRules(value)]).toEqual([]);
  });
});

describe("[D21.2] what can be wrong with them", () => {
  const called = node("b", "subprocess", { meta: { workflow: "w" } });

  it("[D21.2] nothing, if they are well-formed", () => {
    expect(issuesOf(forked({ stage: true, merge: { k: "last", l: "append" } }))).toEqual([]);
    expect(issuesOf(forked({ merge: { k: { function: "f" } } }))).toEqual([]);
    expect(issuesOf(forked({ stage: false }))).toContain("WF005 arcs.5.outcome");
  });

  it("[D21.2] BLOCK001 the gateway closes a block with single entry and exit", () => {
    const outside = { extra: [gate("x")], list: "s -> a, s -> b, s -> x, a -> j, b -> j, x -> e" };
    expect(issuesOf(forked({ stage: true }, outside))).toEqual(["BLOCK001 nodes.3.meta"]);
    expect(issuesOf(forked({ merge: { k: "sum" } }, { split: "or", join: "all" }))).toEqual([
      "BLOCK001 nodes.3.meta",
    ]);
    const alone = workflow(
      [gate("j", { meta: { stage: true } }), end(), end("f")],
      arcs("j -> e, j:error -> f"),
    );
    expect(issuesOf(alone)).toEqual(["BLOCK001 nodes.0.meta"]);
  });

  it("[D21.2] BLOCK002 no workflow is called inside a block that holds back, or the body of a staged loop", () => {
    const list = "s -> a, s -> b, a -> j, b -> j, b:error -> j, b:cancelled -> j";
    const calling = (meta: JsonObject) => {
      const definition = forked(meta, { list });
      return { ...definition, nodes: definition.nodes.map((one) => (one.id === "b" ? called : one)) };
    };
    const inBranch = calling({ stage: true });
    expect(issuesOf(inBranch)).toEqual(["BLOCK002 nodes.3.meta"]);
    expect(issuesOf(calling({ merge: { k: "sum" } }))).toEqual(["BLOCK002 nodes.3.meta"]);
    expect(issuesOf(calling({}))).not.toContain("BLOCK002 nodes.3.meta");
    const looped = (stage: boolean) =>
      workflow(
        [gate("m"), called, verifier("v"), decision("d", ["m", "b", "v"], 1, { stage }), end()],
        arcs(
          "m -> b, b -> v, b:error -> v, b:cancelled -> v, v -> d, d:fail -> m, d:pass -> e, d:exhausted -> e",
        ),
      );
    expect(issuesOf(looped(true))).toEqual(["BLOCK002 nodes.3.meta"]);
    expect(issuesOf(looped(false))).toEqual([]);
  });

  it("[D21.2] BLOCK003 a rule is one that there is", () => {
    expect(issuesOf(forked({ merge: { k: "min", l: "sum", m: 1 } }))).toEqual([
      "BLOCK003 nodes.3.meta.merge.k",
      "BLOCK003 nodes.3.meta.merge.m",
    ]);
  });

  it("[D21.2] BLOCK004 the last value counts in staged blocks only", () => {
    expect(issuesOf(forked({ merge: { k: "last" } }))).toEqual(["BLOCK004 nodes.3.meta.merge.k"]);
  });

  it("[D21.2] BLOCK005 a pass key is its verifier's", () => {
    const definition = workflow(
      [
        gate("s", { split: "all" }),
        gate("m"),
        verifier("v"),
        decision("d", ["m", "v"]),
        node("b", "human"),
        gate("j", { join: "all", meta: { merge: { ok: "sum" } } }),
        end(),
        end("f"),
      ],
      arcs("s -> m, s -> b, b -> j, d:pass -> j, d:exhausted -> j, j -> e, j:error -> f", ways),
    );
    expect(issuesOf(definition)).toContain("BLOCK005 nodes.5.meta.merge.ok");
  });

  it("[D21.2] BLOCK006 a rule fits the declared type of its key", () => {
    const types = ["string", "number", "integer", "boolean", "object", "array", "any"] as const;
    const fitting = (rule: JsonObject[string]) =>
      types.filter((type) => {
        const found = issuesOf({ ...forked({ stage: true, merge: { k: rule } }), data: { k: { type } } });
        expect(found.filter((each) => each !== "BLOCK006 nodes.3.meta.merge.k")).toEqual([]);
        return found.length === 0;
      });
    expect(fitting("append")).toEqual(["array", "any"]);
    expect(fitting("sum")).toEqual(["number", "integer", "any"]);
    expect(fitting("max")).toEqual(["number", "integer", "any"]);
    for (const rule of ["last", { function: "f" }]) expect(fitting(rule)).toEqual(types);
  });

  it("[D21.2] BLOCK007 a key that is not declared, where others are, is a warning", () => {
    const misspelt = forked({ merge: { k: "sum", toString: "sum" } });
    const warningsOf = (definition: unknown) => {
      const parsed = parseWorkflow(definition, STANDARD_KINDS);
      return [parsed.ok, parsed.warnings.map(({ code, path }) => `${code} ${path.join(".")}`)];
    };
    expect(warningsOf(misspelt)).toEqual([true, []]);
    expect(warningsOf({ ...misspelt, data: { k: { type: "number" } } })).toEqual([
      true,
      ["BLOCK007 nodes.3.meta.merge.toString"],
    ]);
    for (const data of [null, [], "k", { k: null }, { k: "number" }, { k: { type: 1 } }]) {
      const { ok, issues } = parseWorkflow({ ...misspelt, data }, STANDARD_KINDS) as never as {
        readonly ok: boolean;
        readonly issues: readonly { readonly path: readonly unknown[] }[];
      };
      expect([ok, issues.some(({ path }) => path[0] === "data")]).toEqual([false, true]);
    }
  });

  it("[D6.9] KIND002 stage is a flag and merge a table; no other kind has them", () => {
    expect(issuesOf(forked({ stage: 1 }))).toContain("KIND002 nodes.3.meta.stage");
    expect(issuesOf(forked({ merge: [] }))).toContain("KIND002 nodes.3.meta.merge");
    const human = workflow([node("h", "human", { meta: { stage: true } }), end()], arcs("h -> e"));
    expect(issuesOf(human)).toEqual(["KIND003 nodes.0.meta.stage"]);
  });
});
