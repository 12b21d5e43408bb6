/**
 * @module The compiled form of each construct, whole: places, transitions, origins, in order. Recorded runs name
 * transitions by index, so that a change here is a change of the semantics and needs a new number.
 */
import type { Net, WeightedPlace, WorkflowDefinition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { core, decision, end, gate, human, verifier, ways } from "./loop-text.ts";
import { arcs, netOf, node, workflow } from "./workflow-text.ts";

const remind = { id: "remind", on: "timer", duration: "PT1H", interrupting: false };
const nudge = { id: "nudge", on: "signal", name: "nudge", interrupting: false };
const late = { id: "late", on: "timer", duration: "P1D" };
const recall = { id: "recall", on: "message", name: "recalled", key: "order" };

/** Two escalations that a subprocess takes: one goes on along all its arcs, one along some of them. */
const up = { id: "up", on: "escalation", name: "E", interrupting: false };
const warn = { id: "warn", on: "escalation", name: "W", interrupting: false };
const throws = (id: string, name: string, scope: string) =>
  node(id, "throw", { scope, meta: { on: "escalation", name } });
const ends = (...ids: readonly string[]) => ids.map((id) => end(id));

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
  "splits-of-events": workflow(
    [
      node("n", "human", {
        split: { remind: "or", nudge: "all" },
        meta: {
          events: [
            remind,
            nudge,
            { id: "often", on: "timer", cycle: "R/PT1H", workflow: "w", interrupting: false },
          ],
        },
      }),
      ...ends("e", "a", "b", "c", "d"),
    ],
    arcs("n -> e, n:remind -> a, n:remind -> b, n:nudge -> c, n:nudge -> d"),
  ),
  "raises-of-a-nested-subprocess": workflow(
    [
      node("s", "subprocess", {
        split: { up: "all", warn: "or" },
        meta: { entry: "i", events: [up, warn] },
      }),
      node("i", "subprocess", { scope: "s", meta: { entry: "t", events: [{ ...warn, id: "own" }] } }),
      throws("t", "E", "i"),
      throws("t2", "W", "i"),
      throws("t3", "W", "s"),
      node("ie", "end", { scope: "i" }),
      node("o", "end", { scope: "s" }),
      node("se", "end", { scope: "s", meta: { terminate: true } }),
      ...ends("e", "a", "b", "c", "d"),
    ],
    arcs(
      "t -> t2, t2 -> ie, i -> t3, i:own -> o, t3 -> se",
      "s -> e, s:up -> a, s:up -> b, s:warn -> c, s:warn -> d",
    ),
  ),
  "or-join-in-a-subprocess": workflow(
    [
      node("s", "subprocess", { meta: { entry: "p" } }),
      node("p", "gateway", { scope: "s", split: "all" }),
      node("a", "human", { scope: "s" }),
      node("i", "subprocess", { scope: "s", meta: { entry: "h" } }),
      node("h", "wait", { scope: "i" }),
      node("ie", "end", { scope: "i" }),
      node("j", "gateway", { scope: "s", join: "or" }),
      node("se", "end", { scope: "s" }),
      ...ends("e"),
    ],
    arcs("p -> a, p -> i, h -> ie, a -> j, i -> j, j -> se, s -> e"),
  ),
  "several-instances": workflow(
    [
      node("n", "subprocess", {
        meta: {
          workflow: "w",
          events: [late, remind],
          multi: { mode: "parallel", collection: "list", result: "y", results: "ys" },
        },
      }),
      ...ends("e", "l", "r", "x", "c"),
    ],
    arcs("n -> e, n:late -> l, n:remind -> r, n:error -> x, n:cancelled -> c"),
  ),
  "loop-without-budget": workflow(
    [gate("m"), verifier("v"), decision("d", ["m", "v"], 0), human("stuck"), end()],
    arcs(ways, "d:pass -> e, d:exhausted -> stuck, stuck -> e, v:error -> stuck, d:error -> stuck"),
  ),
  "loop-in-a-loop": workflow(
    [
      gate("o"),
      gate("m"),
      verifier("v"),
      decision("d", ["m", "v"], 2),
      verifier("w"),
      decision("c", ["o", "m", "v", "d", "w"], 1, { stage: true }),
      ...ends("e", "x"),
    ],
    arcs(
      "o -> m, m -> v, v -> d, d:fail -> m, d:pass -> w, d:exhausted -> w, w -> c, c:fail -> o",
      "c:pass -> e, c:exhausted -> x, v:error -> x, d:error -> x, w:error -> x, c:error -> x",
    ),
  ),
  "merge-block": workflow(
    [
      node("s", "gateway", { split: "all" }),
      ...["a", "b"].map((id) => node(id, "transform", { meta: { function: "f" }, writes: ["n"] })),
      node("j", "gateway", { join: "all", meta: { stage: true, merge: { n: "sum" } } }),
      node("e", "end"),
      node("x", "end", { meta: { terminate: true, outcome: "failed" } }),
    ],
    arcs("s -> a, s -> b, a -> j, b -> j, j -> e, a:error -> x, b:error -> x, j:error -> x"),
  ),
  "complex-gateway": workflow(
    [
      node("s", "gateway", { split: "all" }),
      ...["a", "b", "c"].map((id) => node(id, "human")),
      node("j", "gateway", { split: "all", meta: { activation: 2 } }),
      ...ends("e", "f"),
    ],
    arcs("s -> a, s -> b, s -> c, a -> j, b -> j, c -> j, j -> e, j -> f"),
  ),
  "starts-and-choices": workflow(
    [
      node("s", "start", { meta: { events: [recall, { id: "go", on: "signal", name: "go" }] } }),
      node("k", "decision", { meta: { key: "k", branches: { a: "left", b: "right" }, default: true } }),
      node("g", "gateway"),
      node("t", "human", { meta: { deadline: "P1D", outcomes: ["yes", "no"] } }),
      ...ends("e", "f"),
    ],
    [
      ...arcs("s:recall -> k, s:go -> t, k:left -> g, k:right -> t, k:default -> e"),
      ...arcs("g -> t, g -> e, t:yes -> e, t:no -> f, t:expired -> f").map((arc, at) =>
        at === 1
          ? { ...arc, default: true as const }
          : at === 0
            ? { ...arc, guard: { key: "n", op: "is", value: 1 } as const }
            : arc,
      ),
    ],
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
