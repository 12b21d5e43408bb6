import { compileNetDefinition, type JoinSemantics } from "@tessera/core";
import { joinRules } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { checkRun, joinDifference } from "../src/index.ts";
import { gateway, human, workflow } from "./workflow-text.ts";

const orJoin = (id: string) => gateway(id, { join: "or" });
const and = (id: string) => gateway(id, { split: "all" });
const end = (id: string) => ({ id, kind: "end" });

/** p splits to a -> m -> j and b -> x -> (m or j): a token that can come to either input of j. */
const either = workflow(
  [and("p"), human("a"), gateway("m"), human("b"), gateway("x"), orJoin("j"), end("e")],
  ["p -> a", "p -> b", "a -> m", "m -> j", "b -> x", "x -> m", "x -> j", "j -> e"],
);
const loop = workflow(
  [and("p"), human("a"), human("b"), gateway("m"), orJoin("j"), gateway("x"), human("y"), end("e")],
  ["p -> a", "p -> b", "a -> j", "b -> m", "m -> j", "j -> x", "x -> e", "x -> y", "y -> m"],
);
const under = (joinSemantics: JoinSemantics) => ({
  ...either,
  definition: { ...either.definition, joinSemantics },
});

describe("[D15.12] where the rules for OR-joins differ", () => {
  it("[D15.12] [D15.9] is found with a shortest run that can be replayed, under either rule", () => {
    for (const semantics of ["bpmn", "yawl"] as const) {
      const found = joinDifference(under(semantics));
      if (found.kind !== "differs") throw new Error(found.kind);
      expect(found).toMatchObject({ rule: "or-join:j", bpmn: true, yawl: false });
      const ids = found.run.marking.flatMap((tokens, p) => (tokens > 0 ? [either.net.places[p]?.id] : []));
      expect(ids).toEqual(["m->j", "b.active"]);
      expect(found.run.sequence).toHaveLength(5);
      expect(checkRun(either.net, found.run, joinRules(either, semantics))).toEqual({ kind: "valid" });
    }
  });

  it("[D15.12] is nowhere in a loop through one input, nor where there is no OR-join", () => {
    expect(joinDifference(loop)).toMatchObject({ kind: "same" });
    const plain = workflow([human("a"), end("e")], ["a -> e"]);
    expect(joinDifference(plain)).toEqual({ kind: "same", states: 4 });
  });

  it("[D15.12] is unknown beyond the limit", () => {
    expect(joinDifference(loop, { statesMax: 3 })).toEqual({ kind: "unknown", states: 3 });
    expect(joinDifference(either, { statesMax: 4 })).toEqual({ kind: "unknown", states: 4 });
  });

  it("[D15.12] [D15.6] is asked of bare nets as well", () => {
    const places = ["i", "a", "b", "c", "o"].map((id) => ({ id, ...(id === "i" ? { initial: 1 } : {}) }));
    const net = compileNetDefinition({
      format: 1,
      kind: "net",
      id: "n",
      places,
      transitions: [
        {
          id: "fork",
          pre: [["i", 1]],
          post: [
            ["a", 1],
            ["c", 1],
          ],
        },
        {
          id: "take",
          pre: [
            ["c", 1],
            ["a", 1],
          ],
          post: [["b", 1]],
        },
        { id: "j", pre: [], post: [["o", 1]], orJoin: ["a", "b"] },
      ],
    });
    if (!net.ok) throw new Error("no net");
    // c leads to b, but only by taking a: BPMN's paths see b alone, YAWL that a and b are never both marked.
    expect(joinDifference(net.value)).toMatchObject({ kind: "differs", bpmn: false, yawl: true });
  });
});
