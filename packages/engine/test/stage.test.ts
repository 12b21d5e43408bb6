/** Staged blocks: what branches see, what the join makes of it. */
import {
  EMPTY_MUTATION,
  type HandlerResult,
  type InlineContext,
  type Mutation,
  objectOf,
  objectsOf,
  productGraph,
} from "@tessera/core";
import { describe, expect, it } from "vitest";
import { flow } from "./definitions.ts";
import { bareRun, result, starting } from "./host.ts";

import { acyclic, block, create, link, object, pay, played, remove, staged } from "./stage-run.ts";

describe("[D21.9] staged blocks", () => {
  it("[D21.9] [C20-40] hold mutations back until the join, which commits their union", () => {
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

  it("[D21.9] [T16.1] [C20-36] [C20-40] [C20-41] the five fixtures: what passes as a union passes, what fails leaves G as it was", () => {
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
        // The union lets the deletion take the link along: nothing dangles, so it stands.
        true,
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
        expect([name, made.ends]).toEqual([name, [passes ? "end" : "bad"]]);
        expect([name, made.troubles]).toEqual([name, passes ? [] : ["MERGE_REJECTED"]]);
        if (!passes) expect(made.graph).toBe(made.before);
      }
    }
  });

  it("[D21.9] [D5.4] [C20-40] branches that say different things of one object are refused, with the object", () => {
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

  it("[D21.9] [C20-40] [C20-41] without a repair arc a refused merge fails the run with the reason, and G is as it was", () => {
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

  it("[D21.9] [C20-40] [C20-41] the union is judged on G as it is at the join", () => {
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

  it("[D21.6] [D21.8] a branch sees what it wrote itself and nothing of its neighbours", () => {
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
});
