/** Blocks that hold back: what branches see, what the join makes of it, and what is left when it is refused. */
import {
  acyclicConstraint,
  applyTurn,
  type Constraint,
  EMPTY_GRAPH,
  EMPTY_MUTATION,
  graphJson,
  type HandlerResult,
  type InlineContext,
  initialState,
  type Json,
  type JsonObject,
  type Mutation,
  objectOf,
  objectsOf,
  type ProductObject,
  productGraph,
  type RunState,
  type WorkflowDefinition,
} from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";
import { type BareOptions, type BareRun, bareRun, result, starting } from "./host.ts";

const object = (id: string, ...to: readonly string[]): ProductObject => ({
  id,
  type: "t",
  payload: {},
  links: to.map((target) => ({ to: target })),
});
const create = (...made: readonly ProductObject[]): Mutation => ({ ...EMPTY_MUTATION, create: made });
const link = (id: string, ...to: readonly string[]): Mutation => ({
  ...EMPTY_MUTATION,
  update: [{ id, links: to.map((target) => ({ to: target })) }],
});
const pay = (id: string, n: number): Mutation => ({ ...EMPTY_MUTATION, update: [{ id, payload: { n } }] });
const remove = (...ids: readonly string[]): Mutation => ({ ...EMPTY_MUTATION, delete: ids });

/** start, a fork of jobs a, b (and c), the join with `meta`, end; what is refused ends at bad. */
function block(
  meta: JsonObject,
  jobs: readonly string[] = ["a", "b"],
  join: "all" | "or" = "all",
): WorkflowDefinition {
  return flow(
    "w",
    [
      ["begin", "start"],
      ["s", "gateway", undefined, { split: "all" }],
      ...jobs.map((id) => [id, "tool"] as const),
      ["j", "gateway", meta, { join }],
      ["end", "end"],
      ["bad", "end", { outcome: "bad" }],
      ["lost", "end", { outcome: "lost", terminate: true }],
    ],
    [
      ["begin", "s"],
      ...jobs.flatMap(
        (id) =>
          [
            ["s", id],
            [id, "j"],
            [id, "lost", "error"],
          ] as const,
      ),
      ["j", "end"],
      ["j", "bad", "error"],
    ],
  );
}

/** Law of every run here: the state is the fold of its records. */
function foldOf(run: BareRun): RunState {
  let state = initialState(run.plan.program);
  for (const record of run.records) {
    const applied = applyTurn(run.plan.program, state, record);
    if (applied.kind === "refused") throw new Error(JSON.stringify(applied));
    state = applied.state;
  }
  return state;
}
const plain = (state: RunState) =>
  JSON.parse(JSON.stringify({ ...state, marking: [...Array.from(state.marking)] }));

type Answer = { readonly mutation?: Mutation; readonly patch?: { readonly [key: string]: Json } };

/** Runs a block of jobs that answer in this order, and gives what became of it. */
function played(
  definition: WorkflowDefinition,
  answers: readonly (readonly [node: string, answer: Answer])[],
  options: BareOptions & { readonly objects?: readonly ProductObject[]; readonly data?: JsonObject } = {},
) {
  const run = bareRun(definition, options);
  run.graph = productGraph(options.objects ?? []);
  const before = run.graph;
  run.take(starting(options.data ?? {}));
  const graphs: boolean[] = [];
  for (const [node, answer] of answers) {
    const { input } = result(run.item(node));
    const ready = run.take({ input, payload: { patch: {}, ...answer } });
    graphs.push(run.graph === before);
    expect(plain(foldOf(run))).toEqual(plain(ready.state));
  }
  const ends = run.plan.program.net.places.flatMap(({ id }, place) =>
    (run.state.marking[place] ?? 0) > 0 && id.endsWith(".end") ? [id.slice(0, -4)] : [],
  );
  const troubles = run.records.flatMap(({ steps }) => steps.flatMap(({ trouble }) => trouble?.code ?? []));
  return { run, graphs, ends, troubles, before, graph: run.graph };
}

const staged = { stage: true };
const acyclic: readonly Constraint[] = [acyclicConstraint()];

describe("[D21.9] staged blocks", () => {
  it("[D21.9] [C20-65] hold mutations back until the join, which commits their union", () => {
    const made = played(block(staged), [
      ["a", { mutation: create(object("x")) }],
      ["b", { mutation: create(object("y")) }],
    ]);
    expect(made.graphs).toEqual([true, false]);
    expect(objectsOf(made.graph).map(({ id }) => id)).toEqual(["x", "y"]);
    expect([made.ends, made.troubles]).toEqual([["end"], []]);
    const steps = made.run.records.flatMap(({ steps: taken }) => taken);
    expect(steps.filter(({ mutation }) => mutation !== undefined).map(({ node }) => node)).toEqual(["j"]);
    expect(steps.find(({ node }) => node === "a" && true)).toBeDefined();
    expect(steps.flatMap(({ staged: held = [] }) => held.map(({ block: of }) => of))).toEqual(["j", "j"]);
    expect(made.run.state).not.toHaveProperty("overlays");
  });

  it("[D21.9] [T16.1] [C20-64] the five fixtures: what passes as a union passes, what fails leaves G as it was", () => {
    const xy = [object("x"), object("y")];
    const three = [...xy, object("z")];
    for (const [name, jobs, answers, objects, passes] of [
      [
        "i",
        ["a", "b"],
        [
          ["a", link("x", "y")],
          ["b", link("y", "x")],
        ],
        xy,
        false,
      ],
      [
        "ii",
        ["a", "b"],
        [
          ["a", link("x", "n")],
          ["b", create(object("n"))],
        ],
        xy,
        true,
      ],
      [
        "iii",
        ["a", "b"],
        [
          ["a", remove("u")],
          ["b", link("v", "u")],
        ],
        [object("u"), object("v")],
        false,
      ],
      [
        "iv",
        ["a", "b"],
        [
          ["a", link("x", "y")],
          ["b", link("z", "w")],
        ],
        [object("x"), object("y", "z"), object("z"), object("w", "x")],
        false,
      ],
      [
        "v",
        ["a", "b", "c"],
        [
          ["a", link("x", "y")],
          ["b", link("y", "z")],
          ["c", link("z", "x")],
        ],
        three,
        false,
      ],
    ] as const) {
      for (const order of [answers, answers.toReversed()]) {
        const given = order.map(([node, mutation]) => [node, { mutation }] as const);
        const made = played(block(staged, jobs), given, { objects, constraints: acyclic });
        if (name === "iii") {
          // The union lets the deletion take the link along: nothing dangles, so it stands.
          expect([name, made.ends]).toEqual([name, ["end"]]);
          continue;
        }
        expect([name, made.ends]).toEqual([name, [passes ? "end" : "bad"]]);
        expect([name, made.troubles]).toEqual([name, passes ? [] : ["MERGE_REJECTED"]]);
        if (!passes) expect(made.graph).toBe(made.before);
      }
    }
  });

  it("[D21.9] [D5.4] [C20-65] branches that say different things of one object are refused, with the object", () => {
    const made = played(
      block(staged),
      [
        ["a", { mutation: pay("x", 1) }],
        ["b", { mutation: pay("x", 2) }],
      ],
      { objects: [object("x")] },
    );
    expect([made.ends, made.troubles, made.graph === made.before]).toEqual([
      ["bad"],
      ["MERGE_CONFLICT"],
      true,
    ]);
    const steps = made.run.records.flatMap(({ steps: taken }) => taken);
    expect(steps.find(({ trouble }) => trouble !== undefined)).toMatchObject({
      node: "j",
      outcome: "error",
      trouble: { facts: { objects: ["x"] } },
      dropped: ["j"],
    });
  });

  it("[D21.9] [C20-65] without a repair arc a refused merge fails the run with the reason, and G is as it was", () => {
    const definition = block(staged);
    const arcs = definition.arcs.filter(({ to }) => to !== "bad");
    const nodes = definition.nodes.filter(({ id }) => id !== "bad");
    const made = played(
      { ...definition, arcs, nodes },
      [
        ["a", { mutation: link("x", "y") }],
        ["b", { mutation: link("y", "x") }],
      ],
      { objects: [object("x"), object("y")], constraints: acyclic },
    );
    expect(made.run.state).toMatchObject({
      status: "failed",
      terminal: { trouble: { facts: { node: "j" } } },
    });
    expect(JSON.stringify(made.run.state.terminal)).toContain("MERGE_REJECTED");
    expect(made.graph).toBe(made.before);
    expect(made.run.state).not.toHaveProperty("overlays");
  });

  it("[D21.9] [C20-65] the union is judged on G as it is at the join", () => {
    const run = bareRun(block(staged), { constraints: acyclic });
    run.graph = productGraph([object("x"), object("y")]);
    run.take(starting());
    const answer = (node: string, mutation: Mutation) =>
      run.take({ input: result(run.item(node)).input, payload: { mutation } });
    answer("a", link("x", "y"));
    // Somebody else links y to x while the block is under way.
    run.graph = productGraph([object("x"), object("y", "x")]);
    const before = run.graph;
    const { record } = answer("b", EMPTY_MUTATION);
    expect(record.steps.find(({ node }) => node === "j")?.trouble?.code).toBe("MERGE_REJECTED");
    expect(run.graph).toBe(before);
  });

  it("[D21.6] [D21.8] [C20-65] a branch sees what it wrote itself and nothing of its neighbours", () => {
    const seen: string[] = [];
    const look =
      (name: string, mutation?: Mutation) =>
      ({ graph }: InlineContext): HandlerResult => {
        seen.push(
          `${name}: ${objectsOf(graph)
            .map(({ id }) => id)
            .join()}`,
        );
        return mutation === undefined ? {} : { mutation };
      };
    const definition = flow(
      "w",
      [
        ["begin", "start"],
        ["s", "gateway", undefined, { split: "all" }],
        ["a1", "transform"],
        ["a2", "transform"],
        ["b", "transform"],
        ["j", "gateway", staged, { join: "all" }],
        ["after", "transform"],
        ["end", "end"],
        ["bad", "end", { outcome: "bad", terminate: true }],
      ],
      [
        ["begin", "s"],
        ["s", "a1"],
        ["a1", "a2"],
        ["s", "b"],
        ["a2", "j"],
        ["b", "j"],
        ["j", "after"],
        ["after", "end"],
        ...["a1", "a2", "b", "j", "after"].map((id) => [id, "bad", "error"] as const),
      ],
    );
    const run = bareRun(definition, {
      functions: {
        a1: look("a1", create(object("x"))),
        a2: look("a2", { ...pay("x", 1), delete: ["g"] }),
        b: look("b", create(object("y"))),
        after: look("after"),
      },
    });
    run.graph = productGraph([object("g")]);
    run.take(starting());
    expect(seen.toSorted()).toEqual(["a1: g", "a2: g,x", "after: x,y", "b: g"]);
    expect(objectOf(run.graph, "x")?.payload).toEqual({ n: 1 });
    expect(objectOf(run.graph, "g")).toBeUndefined();
  });

  it("[D21.8] [C20-65] what does not fit the graph of its branch is refused at once, and only that step", () => {
    for (const [second, code] of [
      [create(object("x")), "GATE_REJECTED"],
      [pay("none", 1), "GATE_REJECTED"],
      [create(object("g")), "STAGE_DELETED"],
      [link("x", "g"), "STAGE_DELETED"],
    ] as const) {
      const definition = flow(
        "w",
        [
          ["begin", "start"],
          ["s", "gateway", undefined, { split: "all" }],
          ["a1", "tool"],
          ["a2", "tool"],
          ["fixed", "gateway"],
          ["b", "tool"],
          ["j", "gateway", staged, { join: "all" }],
          ["end", "end"],
          ["bad", "end", { outcome: "bad", terminate: true }],
        ],
        [
          ["begin", "s"],
          ["s", "a1"],
          ["a1", "a2"],
          ["a2", "fixed"],
          ["a2", "fixed", "error"],
          ["fixed", "j"],
          ["s", "b"],
          ["b", "j"],
          ["j", "end"],
          ...["a1", "b", "j"].map((id) => [id, "bad", "error"] as const),
        ],
      );
      const first = { ...create(object("x")), delete: ["g"] };
      const made = played(
        definition,
        [
          ["a1", { mutation: first }],
          ["a2", { mutation: second }],
          ["b", {}],
        ],
        { objects: [object("g")] },
      );
      expect([made.troubles, made.ends], JSON.stringify(second)).toEqual([[code], ["end"]]);
      expect(objectsOf(made.graph).map(({ id }) => id)).toEqual(["x"]);
    }
  });

  it("[D21.9] [C20-65] a block that is cut short keeps nothing", () => {
    const run = bareRun(block(staged));
    run.take(starting());
    run.take({ input: result(run.item("a")).input, payload: { mutation: create(object("x")) } });
    expect(run.state.overlays).toHaveLength(1);
    const { record } = run.take({ input: { ...result(run.item("b"), "error").input } });
    expect(run.state).not.toHaveProperty("overlays");
    expect(run.graph).toBe(EMPTY_GRAPH);
    expect(record.steps.flatMap(({ dropped = [] }) => dropped)).toEqual(["j"]);
    expect(plain(foldOf(run))).toEqual(plain(run.state));
  });

  it("[D21.9] [C20-65] a nested stage merges outward, and is committed with the outer one", () => {
    const nested = (constraints: readonly Constraint[], inner: Mutation, outer: Mutation) => {
      const definition = flow(
        "w",
        [
          ["begin", "start"],
          ["s", "gateway", undefined, { split: "all" }],
          ["a", "tool"],
          ["t", "gateway", undefined, { split: "all" }],
          ["b", "tool"],
          ["c", "tool"],
          ["u", "gateway", staged, { join: "all" }],
          ["v", "gateway"],
          ["j", "gateway", staged, { join: "all" }],
          ["end", "end"],
          ["bad", "end", { outcome: "bad" }],
          ["lost", "end", { outcome: "lost", terminate: true }],
        ],
        [
          ["begin", "s"],
          ["s", "a"],
          ["s", "t"],
          ["t", "b"],
          ["t", "c"],
          ["b", "u"],
          ["c", "u"],
          ["u", "v"],
          ["u", "v", "error"],
          ["v", "j"],
          ["a", "j"],
          ["j", "end"],
          ["j", "bad", "error"],
          ...["a", "b", "c"].map((id) => [id, "lost", "error"] as const),
        ],
      );
      return played(
        definition,
        [
          ["b", { mutation: inner }],
          ["c", { mutation: create(object("c")) }],
          ["a", { mutation: outer }],
        ],
        { objects: [object("x"), object("y")], constraints },
      );
    };
    const fine = nested(acyclic, link("x", "y"), create(object("a")));
    expect(fine.graphs).toEqual([true, true, false]);
    expect([fine.ends, fine.troubles]).toEqual([["end"], []]);
    expect(objectsOf(fine.graph).map(({ id }) => id)).toEqual(["a", "c", "x", "y"]);
    // Only together do the inner and the outer branch close a cycle.
    const cyclic = nested(acyclic, link("x", "y"), link("y", "x"));
    expect([cyclic.ends, cyclic.troubles, cyclic.graph === cyclic.before]).toEqual([
      ["bad"],
      ["MERGE_REJECTED"],
      true,
    ]);
    // A conflict inside is settled inside: the outer block goes on without what the inner one held back.
    const inside = nested([], create(object("c"), object("d")), create(object("a")));
    expect([inside.ends, inside.troubles]).toEqual([["end"], []]);
    const torn = nested([], create({ ...object("c"), type: "other" }), create(object("a")));
    expect([torn.ends, torn.troubles]).toEqual([["end"], ["MERGE_CONFLICT"]]);
    expect(objectsOf(torn.graph).map(({ id }) => id)).toEqual(["a", "x", "y"]);
  });
});

describe("[D21.9] staged loops", () => {
  const loop = flow(
    "w",
    [
      ["begin", "start"],
      ["m", "gateway"],
      ["work", "tool"],
      ["check", "verifier", { passKey: "ok" }],
      [
        "d",
        "decision",
        {
          loop: { id: "l", budget: 1, passKey: "ok", proves: "p", body: ["m", "work", "check"], stage: true },
        },
      ],
      ["end", "end"],
      ["help", "human"],
      ["bad", "end", { outcome: "bad" }],
    ],
    [
      ["begin", "m"],
      ["m", "work"],
      ["work", "check"],
      ["work", "bad", "error"],
      ["check", "d"],
      ["check", "bad", "error"],
      ["d", "m", "fail"],
      ["d", "end", "pass"],
      ["d", "help", "exhausted"],
      ["d", "bad", "error"],
      ["help", "end"],
    ],
  );
  const rounds = (answers: readonly Mutation[], constraints: readonly Constraint[] = []) => {
    const run = bareRun(loop, {
      constraints,
      functions: { check: ({ graph }) => objectOf(graph, "y") !== undefined },
    });
    run.take(starting());
    const untouched: boolean[] = [];
    for (const mutation of answers) {
      run.take({ input: result(run.item("work")).input, payload: { mutation } });
      untouched.push(run.graph === EMPTY_GRAPH);
      expect(plain(foldOf(run))).toEqual(plain(run.state));
    }
    return { run, untouched };
  };

  it("[D21.9] [C20-54] hold the mutations of all rounds until the loop passes; the verifier sees them", () => {
    const { run, untouched } = rounds([create(object("x")), create(object("y", "x"))]);
    expect(untouched).toEqual([true, false]);
    expect(graphJson(run.graph)).toEqual(graphJson(productGraph([object("x"), object("y", "x")])));
    expect(run.state.status).toBe("completed");
  });

  it("[D21.9] [C20-54] an exhausted loop keeps nothing, and leads to a person", () => {
    const { run, untouched } = rounds([create(object("x")), create(object("z"))]);
    expect(untouched).toEqual([true, true]);
    expect(run.state).toMatchObject({ status: "waiting", modes: ["waiting_human"] });
    expect(run.state).not.toHaveProperty("overlays");
  });

  it("[D21.9] [C20-54] what passes and cannot be committed takes the decision's error, and G is as it was", () => {
    const { run } = rounds([create(object("x", "y"), object("y", "x"))], acyclic);
    expect(run.graph).toBe(EMPTY_GRAPH);
    expect(run.state.status).toBe("completed");
    expect(run.records.at(-1)?.steps.find(({ node }) => node === "d")).toMatchObject({
      outcome: "error",
      trouble: { code: "MERGE_REJECTED" },
    });
  });
});

describe("[D21.10] keys of D that branches merge", () => {
  const merging = (
    merge: JsonObject,
    answers: readonly (readonly [string, Answer])[],
    data: JsonObject = {},
    options: BareOptions = {},
    meta: JsonObject = {},
  ) => {
    const made = played(block({ ...meta, merge }), answers, { ...options, data });
    return { data: made.run.state.data, troubles: made.troubles, ends: made.ends, run: made.run };
  };
  const k = (value: Json): Answer => ({ patch: { k: value } });

  it("[D21.10] [C20-64] sum adds what each branch added, append what each appended, max takes the greatest", () => {
    const both = (a: Json, b: Json) =>
      [
        ["a", k(a)],
        ["b", k(b)],
      ] as const;
    for (const [rule, found, a, b, expected] of [
      ["sum", 10, 11, 15, 16],
      ["sum", undefined, 1, 5, 6],
      ["sum", 10, 9, 10, 9],
      ["append", [0], [0, 1], [0, 2, 3], [0, 1, 2, 3]],
      ["append", undefined, [1], [2], [1, 2]],
      ["max", 3, 1, 2, 3],
      ["max", undefined, -1, -2, -1],
      ["max", 3, 1, 7, 7],
    ] as const) {
      const data = found === undefined ? {} : { k: found as Json };
      for (const order of [both(a as Json, b as Json), both(a as Json, b as Json).toReversed()]) {
        const made = merging({ k: rule }, order, data);
        expect([rule, made.data, made.troubles]).toEqual([rule, { k: expected }, []]);
      }
    }
  });

  it("[D21.10] [C20-64] last is the value of the last branch in the document, whoever came first", () => {
    for (const order of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      const answers = order.map((node) => [node, k(node)] as const);
      expect(merging({ k: "last" }, answers, {}, {}, staged).data).toEqual({ k: "b" });
    }
    expect(
      merging(
        { k: "last" },
        [
          ["b", {}],
          ["a", k("a")],
        ],
        { k: 0 },
        {},
        staged,
      ).data,
    ).toEqual({ k: "a" });
  });

  it("[D21.10] [C20-64] a registered function answers for what was there and what the branches made of it", () => {
    const seen: Json[] = [];
    const functions = {
      f: ({ data }: InlineContext): HandlerResult => {
        seen.push(JSON.parse(JSON.stringify(data)));
        return { patch: { k: (data["values"] as readonly number[]).length } };
      },
    };
    const made = merging(
      { k: { function: "f" } },
      [
        ["b", k("y")],
        ["a", k("x")],
      ],
      { k: "o" },
      { functions },
    );
    expect([made.data, seen]).toEqual([{ k: 2 }, [{ base: "o", values: ["x", "y"] }]]);
    for (const [body, code] of [
      [() => ({ patch: { l: 1 } }), "MERGE_INVALID"],
      [() => ({ patch: 1 }), "BODY_INVALID"],
      [
        () => {
          throw new Error("no");
        },
        "BODY_THREW",
      ],
    ] as const) {
      const bad = merging(
        { k: { function: "f" } },
        [
          ["a", k(1)],
          ["b", {}],
        ],
        { k: 0 },
        { functions: { f: body as never } },
      );
      expect([bad.troubles, bad.ends, bad.data]).toEqual([[code], ["bad"], { k: 0 }]);
    }
    const missing = merging({ k: { function: "f" } }, [
      ["a", k(1)],
      ["b", {}],
    ]);
    expect(missing.run.state.items).toMatchObject([
      { kind: "intervention", node: "j", reason: { code: "FUNCTION_MISSING" } },
    ]);
    expect(missing.run.state.overlays).toHaveLength(1);
  });

  it("[D21.10] [C20-64] values that a rule cannot merge are refused, and D is as it was", () => {
    for (const [rule, found, value] of [
      ["sum", 1, "x"],
      ["sum", "x", 1],
      ["max", 1, null],
      ["append", [1], [2]],
      ["append", [1], "x"],
      ["append", "x", [1]],
    ] as const) {
      const made = merging(
        { k: rule },
        [
          ["a", k(value as Json)],
          ["b", {}],
        ],
        { k: found as Json },
      );
      expect([rule, made.troubles, made.ends, made.data]).toEqual([
        rule,
        ["MERGE_INVALID"],
        ["bad"],
        { k: found },
      ]);
    }
  });

  it("[D21.7] [D21.4] [C20-64] a key of the merge stays in its branch until the join; other keys do not", () => {
    const run = bareRun(block({ merge: { k: "sum" } }));
    run.take(starting({ k: 1 }));
    const answer = (node: string, patch: { readonly [key: string]: Json }) =>
      run.take({ input: result(run.item(node)).input, payload: { patch } });
    const { record } = answer("a", { k: 4, other: true });
    expect(run.state.data).toEqual({ k: 1, other: true });
    expect(run.state.overlays).toMatchObject([{ block: "j", base: { k: 1 }, values: { k: 4 } }]);
    expect(record.steps[0]).toMatchObject({
      patch: { ops: [{ kind: "set", path: ["other"], value: true }] },
      staged: [{ block: "j", base: { k: 1 }, patch: { ops: [{ path: ["k"] }] } }],
    });
    answer("b", {});
    expect(run.state.data).toEqual({ k: 4, other: true });
  });

  it("[D21.10] [C20-64] nobody wrote: nothing is merged", () => {
    const made = merging(
      { k: "sum" },
      [
        ["a", {}],
        ["b", {}],
      ],
      { k: 1 },
    );
    expect([made.data, made.ends]).toEqual([{ k: 1 }, ["end"]]);
    expect(made.run.records.flatMap(({ steps }) => steps.flatMap(({ dropped = [] }) => dropped))).toEqual([]);
  });
});

describe("[D21.9] stored runs", () => {
  it("[D21.9] [D21.6] [C20-65] a crash inside a stage loses nothing; jobs see their branch; the audit is sound", async () => {
    const store = memoryStore();
    const definition = flow(
      "w",
      [
        ["begin", "start"],
        ["s", "gateway", undefined, { split: "all" }],
        ["a", "tool"],
        ["b1", "tool"],
        ["b2", "tool"],
        ["j", "gateway", { stage: true, merge: { k: "sum" } }, { join: "all" }],
        ["end", "end"],
        ["bad", "end", { outcome: "bad", terminate: true }],
      ],
      [
        ["begin", "s"],
        ["s", "a"],
        ["s", "b1"],
        ["b1", "b2"],
        ["a", "j"],
        ["b2", "j"],
        ["j", "end"],
        ...["a", "b1", "b2", "j"].map((id) => [id, "bad", "error"] as const),
      ],
    );
    const seen: unknown[] = [];
    const ports = {
      a: () => ({ mutation: create(object("a")), patch: { k: 11 } }),
      b1: () => ({ mutation: create(object("b")), patch: { k: 12 } }),
    };
    const first = testEngine({ store, ports: { ...ports, b2: () => new Promise<never>(() => {}) } });
    accepted(await first.engine.deploy(definition));
    accepted(await first.engine.start({ workflow: "w", id: "r", graph: "g", data: { k: 10 } }));
    await first.settle();
    const own = (await store.graph("default" as never, "g")).sequence;
    const closing = first.engine.close({ drainMs: 1_000 });
    await first.clock.advance(1_000);
    await closing;
    const second = testEngine({
      store,
      clock: first.clock,
      ports: {
        ...ports,
        b2: async ({ data, graph }) => {
          const G = await graph();
          seen.push([data["k"], G.object("a")?.id, G.object("b")?.id]);
          return { mutation: link("b", "b"), patch: { k: 20 } };
        },
      },
    });
    second.engine.resume();
    await second.settle();
    const run = second.engine.run("r");
    expect(await run.result()).toMatchObject({ status: "completed", outcomes: ["done"], data: { k: 21 } });
    expect(own).toBe(0);
    expect(seen).toEqual([[12, undefined, "b"]]);
    const audit = await second.engine.audit();
    expect(audit).toMatchObject({ isSound: true });
  });

  it("[D21.10] [D12.4] [C20-64] a merge by a function needs it registered, and pins its version", async () => {
    const definition = block({ merge: { k: { function: "f" } } });
    const without = testEngine();
    expect(await without.engine.deploy(definition)).toMatchObject({ code: "invalid" });
    const hashes = new Set<string>();
    for (const version of [1, 2]) {
      const test = testEngine({ functions: { f: { version, run: () => ({ patch: {} }) } } });
      hashes.add(accepted(await test.engine.deploy(definition)).hash);
    }
    expect(hashes.size).toBe(2);
  });
});
