/** Staged blocks: refused steps, blocks cut short, nested blocks, loops, stored runs. */
import {
  type Constraint,
  EMPTY_GRAPH,
  graphJson,
  type Mutation,
  objectOf,
  objectsOf,
  productGraph,
} from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";
import { bareRun, result, starting } from "./host.ts";

import { acyclic, block, create, foldOf, link, object, pay, plain, played, staged } from "./stage-run.ts";

describe("[D21.9] staged blocks, on the way", () => {
  it("[D21.8] what does not fit the graph of its branch is refused at once, and only that step", () => {
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

  it("[D21.9] a block that is cut short keeps nothing", () => {
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

  it("[D21.9] [C20-40] a nested stage merges outward, and is committed with the outer one", () => {
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

  it("[D21.9] [C20-65] hold the mutations of all rounds until the loop passes; the verifier sees them", () => {
    const { run, untouched } = rounds([create(object("x")), create(object("y", "x"))]);
    expect(untouched).toEqual([true, false]);
    expect(graphJson(run.graph)).toEqual(graphJson(productGraph([object("x"), object("y", "x")])));
    expect(run.state.status).toBe("completed");
  });

  it("[D21.9] [C20-65] an exhausted loop keeps nothing, and leads to a person", () => {
    const { run, untouched } = rounds([create(object("x")), create(object("z"))]);
    expect(untouched).toEqual([true, true]);
    expect(run.state).toMatchObject({ status: "waiting", modes: ["waiting_human"] });
    expect(run.state).not.toHaveProperty("overlays");
  });

  it("[D21.9] [C20-65] what passes and cannot be committed takes the decision's error, and G is as it was", () => {
    const { run } = rounds([create(object("x", "y"), object("y", "x"))], acyclic);
    expect(run.graph).toBe(EMPTY_GRAPH);
    expect(run.state.status).toBe("completed");
    expect(run.records.at(-1)?.steps.find(({ node }) => node === "d")).toMatchObject({
      outcome: "error",
      trouble: { code: "MERGE_REJECTED" },
    });
  });
});

describe("[D21.9] stored runs", () => {
  it("[D21.9] [D21.6] a crash inside a stage loses nothing; jobs see their branch; the audit is sound", async () => {
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

  it("[D21.10] [D12.4] a merge by a function needs it registered, and pins its version", async () => {
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
