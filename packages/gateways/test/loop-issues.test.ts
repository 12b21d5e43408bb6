import type { JsonObject, WorkflowNode } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { LOOP_BUDGET_MAX, loopOf } from "../src/index.ts";
import { isSound } from "./explore.ts";
import { core, decision, end, gate, human, verifier, ways } from "./loop-text.ts";
import { arcs, compiledOf, issuesOf, netOf, node, workflow } from "./workflow-text.ts";

describe("[D7.2] what can be wrong with a loop", () => {
  /** A loop that is right but for `change`. */
  const changed = (meta: JsonObject, nodes: readonly WorkflowNode[] = [], list = "") =>
    issuesOf(
      workflow(
        [gate("m"), verifier("v"), decision("d", ["m", "v"], 1, meta), end(), ...nodes],
        arcs(ways, "d:pass -> e, d:exhausted -> e", ...(list === "" ? [] : [list])),
      ),
    );

  it("[D7.2] [C20-54] nothing, if it is well-formed", () => {
    expect(changed({})).toEqual([]);
    expect(changed({ stage: true })).toEqual([]);
    expect(changed({ body: ["m", "v", "d", "m"] })).toEqual([]);
  });

  it("[D7.2] [C20-54] LOOP001 its five members have their types", () => {
    for (const meta of [
      { id: 1 },
      { budget: "1" },
      { passKey: null },
      { proves: [] },
      { body: "m" },
      { body: ["m", 1] },
    ]) {
      expect(changed(meta)).toEqual(["LOOP001 nodes.2.meta.loop"]);
    }
    for (const loop of [null, [], "l", 3]) {
      const definition = workflow(
        [gate("m"), verifier("v"), node("d", "decision", { meta: { loop } }), end()],
        arcs(ways, "d:pass -> e"),
      );
      expect(issuesOf(definition)).toContain("LOOP001 nodes.2.meta.loop");
      expect(loopOf(definition.nodes[2] ?? end())).toBeNull();
    }
    expect(loopOf(node("d", "decision"))).toBeNull();
    expect(loopOf(core[2] ?? end())).toEqual({
      id: "d",
      budget: 1,
      passKey: "ok",
      proves: "x",
      body: ["m", "v"],
      isStaged: false,
    });
    expect(changed({ stage: "yes" })).toEqual(["LOOP001 nodes.2.meta.loop"]);
    expect(loopOf(decision("d", ["m", "v"], 1, { stage: true }))?.isStaged).toBe(true);
    expect(loopOf(decision("d", ["m", "v"], 1, { stage: false }))?.isStaged).toBe(false);
  });

  it("[D7.2] [C20-54] LOOP002 the budget is a number of rounds within the limit", () => {
    for (const budget of [-1, 0.5, LOOP_BUDGET_MAX + 1])
      expect(changed({ budget })).toEqual(["LOOP002 nodes.2.meta.loop.budget"]);
    for (const budget of [0, 1, LOOP_BUDGET_MAX]) expect(changed({ budget })).toEqual([]);
    expect(LOOP_BUDGET_MAX).toBe(100);
  });

  it("[D7.2] LOOP003 the body names nodes of the decision's scope", () => {
    expect(changed({ body: ["m", "x", "v", "y"] })).toEqual([
      "LOOP003 nodes.2.meta.loop.body.1",
      "LOOP003 nodes.2.meta.loop.body.3",
    ]);
    const inner = [node("b", "subprocess", { meta: { entry: "f" } }), node("f", "end", { scope: "b" })];
    expect(changed({ body: ["m", "v", "f"] }, inner, "v:error -> b, b -> e")).toEqual([
      "LOOP003 nodes.2.meta.loop.body.2",
    ]);
  });

  it("[D7.2] LOOP004 no end lies in the body", () => {
    expect(changed({ body: ["m", "v", "e"], budget: -1 })).toEqual([
      "LOOP002 nodes.2.meta.loop.budget",
      "LOOP004 nodes.2.meta.loop.body.2",
    ]);
  });

  it("[D7.2] [C20-57] LOOP005 fail stays inside, pass and exhausted leave, error may do either", () => {
    const arrows = (list: string) => issuesOf(workflow([...core, end()], arcs("m -> v, v -> d", list)));
    expect(arrows("d:fail -> m, d:pass -> e, d:exhausted -> e, d:error -> m")).toEqual([]);
    expect(arrows("d:fail -> m, d:pass -> e, d:exhausted -> e, d:error -> e")).toEqual([]);
    expect(arrows("d:fail -> e, d:pass -> e, d:exhausted -> e")).toEqual(["LOOP005 nodes.2.meta.loop"]);
    expect(arrows("d:fail -> m, d:pass -> m, d:exhausted -> v, d:error -> e")).toEqual([
      "LOOP005 nodes.2.meta.loop",
      "LOOP005 nodes.2.meta.loop",
    ]);
  });

  it("[D7.2] LOOP006 the block has one entry, which merges and is not the decision", () => {
    const before = (list: string, m: Partial<WorkflowNode> = {}) =>
      issuesOf(
        workflow(
          [gate("s"), gate("m", m), verifier("v"), decision("d", ["m", "v"]), end()],
          arcs(ways, list, "d:pass -> e, d:exhausted -> e"),
        ),
      );
    expect(before("s -> m")).toEqual([]);
    expect(before("s -> m, s -> v")).toEqual(["LOOP006 nodes.3.meta.loop.body"]);
    expect(before("s -> d, s -> m").length).toBe(2);
    expect(before("s -> m", { join: "all" })).toEqual(["LOOP006 nodes.3.meta.loop.body"]);
    expect(before("s -> m", { join: "any" })).toEqual([]);
    const entry = issuesOf(
      workflow(
        [gate("m"), gate("s"), verifier("v"), decision("d", ["m", "v"]), end()],
        arcs(ways, "m -> s, s -> v, d:pass -> e, d:exhausted -> e"),
      ),
    );
    expect(entry).toEqual(["LOOP006 nodes.3.meta.loop.body"]);
    const headless = issuesOf(
      workflow(
        [gate("s"), decision("d", []), end()],
        arcs("s -> d, d:pass -> e, d:exhausted -> e, d:fail -> d"),
      ),
    );
    expect(headless).toEqual(["LOOP006 nodes.1.meta.loop.body"]);
    const lonely = issuesOf(
      workflow([gate("s"), ...core, end()], arcs("s -> e", ways, "d:pass -> e, d:exhausted -> e")),
    );
    expect(lonely).toContain("LOOP006 nodes.3.meta.loop.body");
    const sound = workflow(
      [gate("s"), gate("m"), verifier("v"), decision("d", ["m", "v"]), end()],
      arcs(ways, "s -> m, d:pass -> e, d:exhausted -> e"),
    );
    const strange = issuesOf({ ...sound, entry: "ghost" });
    expect(strange).toContain("WF001 entry");
    expect(strange.filter((text) => text.startsWith("LOOP"))).toEqual([]);
  });

  it("[D7.2] [C20-64] LOOP007 loops are nested or apart", () => {
    const two = (inner: readonly string[], outer: readonly string[]) =>
      issuesOf(
        workflow(
          [
            gate("mo"),
            gate("mi"),
            verifier("vi"),
            decision("di", inner),
            verifier("vo"),
            decision("do", outer),
            end(),
          ],
          arcs(
            "mo -> mi, mi -> vi, vi -> di, di:fail -> mi, di:pass -> vo, di:exhausted -> vo, vo -> do, do:fail -> mo, do:pass -> e, do:exhausted -> e",
          ),
        ),
      );
    expect(two(["mi", "vi"], ["mo", "mi", "vi", "di", "vo"])).toEqual([]);
    expect(two(["mi", "vi"], ["mo", "mi", "vo"])).toContain("LOOP007 nodes.5.meta.loop.body");
    const same = ["mo", "mi", "vi", "di", "vo", "do"];
    expect(two(same, same).filter((text) => text.startsWith("LOOP007"))).toEqual([
      "LOOP007 nodes.5.meta.loop.body",
    ]);
    const apart = workflow(
      [
        gate("m"),
        verifier("v"),
        decision("d", ["m", "v"]),
        gate("m2"),
        verifier("v2"),
        decision("d2", ["m2", "v2"]),
        end(),
      ],
      arcs(
        ways,
        "d:pass -> m2, d:exhausted -> m2, m2 -> v2, v2 -> d2, d2:fail -> m2, d2:pass -> e, d2:exhausted -> e",
      ),
    );
    expect(issuesOf(apart)).toEqual([]);
  });

  it("[D7.2] LOOP007 the order of the two decisions in the document does not matter", () => {
    const nodes = [
      gate("mo"),
      gate("mi"),
      verifier("vi"),
      decision("di", ["mi", "vi"]),
      verifier("vo"),
      decision("do", ["mo", "mi", "vi", "di", "vo"]),
      end(),
    ];
    const list = arcs(
      "mo -> mi, mi -> vi, vi -> di, di:fail -> mi, di:pass -> vo, di:exhausted -> vo, vo -> do, do:fail -> mo, do:pass -> e, do:exhausted -> e",
    );
    const outerFirst = {
      ...workflow(nodes, list),
      nodes: [nodes[0], nodes[5], ...nodes.slice(1, 5), nodes[6]].filter((n) => n !== undefined),
    };
    expect(issuesOf(outerFirst)).toEqual([]);
    expect(isSound(netOf(outerFirst))).toBe(true);
  });

  it("[D7.2] LOOP008 an AND or OR split does not straddle the border", () => {
    const split = (kind: "first" | "all" | "or", join: "any" | "all" | "or", list: string) =>
      issuesOf(
        workflow(
          [
            gate("m", { split: kind }),
            human("a"),
            verifier("v"),
            decision("d", ["m", "v"]),
            gate("j", { join }),
            end(),
          ],
          arcs("m -> v, v -> d, d:fail -> m, d:pass -> j, d:exhausted -> e", list),
        ),
      );
    expect(split("first", "any", "m -> a, a -> j, j -> e")).toEqual([]);
    expect(split("all", "all", "m -> a, a -> j, j -> e")).toEqual(["LOOP008 nodes.3.meta.loop.body"]);
    expect(split("or", "or", "m -> a, a -> j, j -> e")).toContain("LOOP008 nodes.3.meta.loop.body");
    const deep = workflow(
      [
        gate("m"),
        gate("s", { split: "or" }),
        human("a"),
        human("b"),
        verifier("v"),
        decision("d", ["m", "s", "a", "b", "v"]),
        gate("j", { join: "or" }),
        end(),
      ],
      arcs(
        "m -> s, s -> a, s -> b, a -> j, b -> j, j -> e, m -> v, v -> d, d:fail -> m, d:pass -> e, d:exhausted -> e",
      ),
    );
    expect(issuesOf(deep)).toEqual(["LOOP008 nodes.5.meta.loop.body"]);
  });

  it("[D7.2] all problems of a block are reported at once", () => {
    const definition = workflow(
      [gate("s"), gate("m", { join: "all", split: "all" }), verifier("v"), decision("d", ["m", "v"]), end()],
      arcs("s -> m, s -> v, m -> v, m -> e, v -> d, d:fail -> m, d:pass -> v, d:exhausted -> e"),
    );
    expect(issuesOf(definition).map((text) => text.split(" ")[0])).toEqual([
      "LOOP005",
      "LOOP006",
      "LOOP006",
      "LOOP008",
    ]);
    expect(
      compiledOf(workflow([...core, end()], arcs(ways, "d:pass -> e, d:exhausted -> e"))).kinds,
    ).toHaveLength(4);
  });
});
