/**
 * @module The compiled form of each construct, whole: places, transitions, origins, in order. Recorded runs name
 * transitions by index, so that a change here is a change of the semantics and needs a new number.
 */
import type { Net, WeightedPlace, WorkflowDefinition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { core, end, human, ways } from "./loop-text.ts";
import { arcs, netOf, node, workflow } from "./workflow-text.ts";

const remind = { id: "remind", on: "timer", duration: "PT1H", interrupting: false };
const nudge = { id: "nudge", on: "signal", name: "nudge", interrupting: false };
const late = { id: "late", on: "timer", duration: "P1D" };
const recall = { id: "recall", on: "message", name: "recalled", key: "order" };

const CASES: Readonly<Record<string, WorkflowDefinition>> = {
  "or-split-open": workflow(
    [node("s", "gateway", { split: "or" }), ...["a", "b", "c", "d"].map((id) => node(id, "end"))],
    arcs("s -> a, s -> b, s -> c, s -> d").map((arc) => (arc.to === "c" ? { ...arc, default: true } : arc)),
  ),
  "or-block": workflow(
    [
      node("s", "gateway", { split: "or" }),
      ...["a", "b", "c"].map((id) => node(id, "transform", { meta: { function: "f" } })),
      node("j", "gateway", { join: "or" }),
      node("e", "end"),
      node("x", "end", { meta: { terminate: true } }),
    ],
    arcs(
      "s -> a, s -> b, s -> c, a -> j, b -> j, c -> j, j -> e",
      "a:error -> x, b:error -> x, c:error -> x",
    ).map((arc) => (arc.from === "s" && arc.to === "b" ? { ...arc, default: true } : arc)),
  ),
  "or-join-open": workflow(
    [
      node("s", "gateway", { split: "all" }),
      node("a", "human"),
      node("b", "human"),
      node("j", "gateway", { join: "or" }),
      node("d", "human", { meta: { outcomes: ["again", "done"] } }),
      node("e", "end"),
    ],
    arcs("s -> a, s -> b, a -> j, b -> j, j -> d, d:again -> j, d:done -> e"),
  ),
  "and-block": workflow(
    [
      node("s", "gateway", { split: "all" }),
      node("a", "human", { meta: { deadline: "P3D" } }),
      node("b", "timer", { meta: { duration: "PT1H" } }),
      node("j", "gateway", { join: "all" }),
      node("e", "end"),
      node("x", "end", { meta: { terminate: true } }),
    ],
    arcs("s -> a, s -> b, a -> j, b -> j, j -> e, a:expired -> x"),
  ),
  "events-of-a-task": workflow(
    [
      node("n", "human", { meta: { events: [remind, late, nudge, recall] } }),
      ...["e", "l", "r", "u", "v"].map((id) => node(id, "end")),
    ],
    arcs("n -> e, n:late -> l, n:remind -> r, n:nudge -> u, n:recall -> v"),
  ),
  "events-of-a-subprocess": workflow(
    [
      node("s", "subprocess", {
        meta: {
          entry: "t",
          outcomes: ["done", "out"],
          events: [late, remind, { id: "up", on: "escalation", name: "E", interrupting: false }],
        },
      }),
      node("t", "throw", { scope: "s", meta: { on: "escalation", name: "E" } }),
      node("h", "human", { scope: "s", meta: { outcomes: ["done", "out"] } }),
      node("in", "end", { scope: "s" }),
      node("out", "end", { scope: "s", meta: { terminate: true, outcome: "out" } }),
      ...["e", "f", "l", "r", "u"].map((id) => node(id, "end")),
    ],
    arcs("t -> h, h -> in, h:out -> out, s -> e, s:out -> f, s:late -> l, s:remind -> r, s:up -> u"),
  ),
  loop: workflow(
    [...core, human("stuck"), end()],
    arcs(ways, "d:pass -> e, d:exhausted -> stuck, stuck -> e, v:error -> stuck, d:error -> stuck"),
  ),
  "catch-and-join": workflow(
    [
      node("g", "gateway", { split: "all" }),
      node("c", "catch", { meta: { events: [late, recall] } }),
      node("m", "tool", { join: "all", meta: { port: "p" } }),
      node("e", "end"),
    ],
    arcs("g -> c, g -> m, c:late -> m, c:recall -> m, c:error -> e, m -> e, m:error -> e"),
  ),
};

/** One line for each place and each transition. */
function textOf({ places, transitions, initial, finals }: Net): string {
  const names = (list: readonly WeightedPlace[]) =>
    list.map(([place, weight]) => `${weight === 1 ? "" : `${weight} `}${places[place]?.id}`).join(" + ");
  const lines = [
    ...places.map(
      ({ id, role, origin }, index) => `place ${id} ${role} ${initial[index]} ${JSON.stringify(origin)}`,
    ),
    ...transitions.map(({ id, pre, any, post, reset, rule, generated, origin }) =>
      [
        `transition ${id}: ${names(pre)} -> ${names(post)}`,
        ...(any.length > 0 ? [`any ${any.map((place) => places[place]?.id).join(" ")}`] : []),
        ...(reset.length > 0 ? [`reset ${reset.map((place) => places[place]?.id).join(" ")}`] : []),
        ...(rule === undefined ? [] : [`rule ${rule}`]),
        ...(generated === true ? ["generated"] : []),
        JSON.stringify(origin),
      ].join("; "),
    ),
    `finals ${JSON.stringify(finals)}`,
  ];
  return `${lines.join("\n")}\n`;
}

describe("the compiled form", () => {
  it.each(Object.keys(CASES))(
    "[D6.2] [D17.2] [D15.5] of %s is what recorded runs were made on",
    async (name) => {
      await expect(textOf(netOf(CASES[name] as WorkflowDefinition))).toMatchFileSnapshot(
        `compiled/${name}.txt`,
      );
    },
  );
});
