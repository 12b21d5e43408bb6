import { makeNet, type Phase, type Transition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { orJoinEnabled, reachedInputs, standing } from "../src/index.ts";
import { arcPlaces, goesFirst, isPlaced, isQuiet, joinInputs } from "../src/or-join.ts";
import { decision, end, gate, human, verifier } from "./loop-text.ts";
import { arcs, compiledOf, node, workflow } from "./workflow-text.ts";

/** A join j of subprocess s, with a subprocess i beside it that holds another one; u stands outside. */
const NESTED = compiledOf(
  workflow(
    [
      node("u", "human", { split: "all" }),
      node("s", "subprocess", { meta: { entry: "p" } }),
      node("w", "wait"),
      node("p", "gateway", { scope: "s", split: "all" }),
      node("a", "human", { scope: "s", meta: { outcomes: ["done", "late"] } }),
      node("i", "subprocess", { scope: "s", meta: { entry: "k" } }),
      node("k", "subprocess", { scope: "i", meta: { entry: "h" } }),
      node("h", "wait", { scope: "k" }),
      node("ke", "end", { scope: "k" }),
      node("ie", "end", { scope: "i" }),
      node("j", "gateway", { scope: "s", join: "or" }),
      node("se", "end", { scope: "s" }),
      end(),
    ],
    arcs(
      "u -> s, u -> w, p -> a, p -> i, h -> ke, k -> ie, a -> j, a:late -> se, i -> j, j -> se",
      "s -> e, w -> e",
    ),
  ),
);
const ARCS = NESTED.definition.arcs.map(({ from, to, outcome }) =>
  outcome === undefined ? `${from}->${to}` : `${from}:${outcome}->${to}`,
);
const standingAt = (id: string, scope: string | undefined) => {
  const place = NESTED.net.places.findIndex((p) => p.id === id);
  expect(place, id).not.toBe(-1);
  return standing(NESTED, place, scope)
    .map((arc) => ARCS[arc])
    .join(" ");
};

describe("[D15.1] where a token stands for a join", () => {
  it("[D15.1] on its arc, before the arcs of its node, before the arcs of the entry", () => {
    expect(standingAt("p->a", "s")).toBe("p->a");
    expect(standingAt("a.active", "s")).toBe("a->j a:late->se");
    expect(standingAt("s.source", "s")).toBe("p->a p->i");
    expect(standingAt("source", undefined)).toBe("u->s u->w");
    expect(standingAt("u.active", undefined)).toBe("u->s u->w");
    expect(standingAt("w->e", undefined)).toBe("w->e");
  });

  it("[D15.1] anywhere inside a subprocess of the scope, however deep: before the arcs of that subprocess", () => {
    for (const id of ["i.source", "k.source", "h.active", "h->ke", "k->ie", "ke.end", "ie.end"]) {
      expect(standingAt(id, "s"), id).toBe("i->j");
      expect(standingAt(id, undefined), id).toBe("s->e");
    }
    for (const id of ["p->a", "a.active", "s.source", "se.end"])
      expect(standingAt(id, undefined), id).toBe("s->e");
    expect(standingAt("h.active", "i")).toBe("k->ie");
  });

  it("[D15.1] nowhere outside the scope, and nowhere on an end of the scope itself", () => {
    for (const id of ["source", "u.active", "u->s", "w.active", "w->e", "s->e", "e.end"])
      expect(standingAt(id, "s"), id).toBe("");
    for (const id of ["p->a", "a.active", "s.source", "se.end"]) expect(standingAt(id, "i"), id).toBe("");
    expect(standingAt("se.end", "s")).toBe("");
    expect(standingAt("e.end", undefined)).toBe("");
    expect(standingAt("ie.end", "i")).toBe("");
  });

  it("[D15.1] a counter stands nowhere, and an arc that a loop compiled away is no way on", () => {
    const loop = compiledOf(
      workflow(
        [gate("m"), verifier("v"), decision("d", ["m", "v"], 0), human("x"), end()],
        arcs(
          "m -> v, v -> d, d:fail -> m, d:pass -> e, d:exhausted -> x, x -> e, v:error -> x, d:error -> x",
        ),
      ),
    );
    expect(loop.definition.arcs.map((_, arc) => isPlaced(loop, arc))).toEqual([
      true,
      true,
      false,
      ...Array.from({ length: 5 }, () => true),
    ]);
    expect([...arcPlaces(loop).keys()]).toEqual([0, 1, 3, 4, 5, 6, 7]);
    expect(joinInputs(loop, 0)).toEqual([]);
    expect(joinInputs(loop, 3)).toEqual([4, 6, 7]);
    expect([...reachedInputs(loop, 4, [1])]).toEqual([3, 5]);
    const counted = compiledOf(
      workflow(
        [gate("m"), verifier("v"), decision("d", ["m", "v"], 2), human("x"), end()],
        arcs(
          "m -> v, v -> d, d:fail -> m, d:pass -> e, d:exhausted -> x, x -> e, v:error -> x, d:error -> x",
        ),
      ),
    );
    const counters = counted.net.places.flatMap(({ role }, place) => (role === "counter" ? [place] : []));
    expect(counters.map((place) => standing(counted, place, undefined))).toEqual([[], []]);
    expect([...reachedInputs(counted, 3, [1])]).toEqual([4, 6, 7]);
  });
});

/** b goes in a circle through the join, c comes in behind it. */
const CIRCLE = compiledOf(
  workflow(
    [
      node("p", "gateway", { split: "all" }),
      human("a"),
      human("b"),
      node("j", "gateway", { join: "or" }),
      human("d"),
      gate("x"),
      end(),
    ],
    arcs("p -> a, p -> b, a -> j, b -> j, j -> d, d -> x, x -> b, x -> e"),
  ),
);
const at = (...ids: readonly string[]) => CIRCLE.net.places.map(({ id }) => (ids.includes(id) ? 1 : 0));

describe("[D15.2] [D15.3] what reaches the join, and when it is enabled", () => {
  it("[D15.2] the inputs that paths lead to, without a visit to the join", () => {
    const reached = (...from: readonly number[]) => [...reachedInputs(CIRCLE, 3, from)];
    expect(reached(0)).toEqual([2]);
    expect(reached(1)).toEqual([3]);
    expect(reached(2)).toEqual([2]);
    expect(reached(3, 2)).toEqual([2, 3]);
    expect(reached(4)).toEqual([3]);
    expect(reached(7)).toEqual([]);
    expect(reached()).toEqual([]);
  });

  it("[D15.3] it waits for a token that can still mark an unmarked input, and for nothing else", () => {
    const isEnabled = (...ids: readonly string[]) => orJoinEnabled(CIRCLE, at(...ids), 3);
    expect(isEnabled()).toBe(false);
    expect(isEnabled("a.active")).toBe(false);
    expect(isEnabled("a->j")).toBe(true);
    expect(isEnabled("a->j", "b->j")).toBe(true);
    expect(isEnabled("a->j", "b.active")).toBe(false);
    expect(isEnabled("a->j", "p->b")).toBe(false);
    expect(isEnabled("b->j", "d.active")).toBe(true);
    expect(isEnabled("a->j", "d.active")).toBe(false);
    expect(isEnabled("a->j", "x->e", "e.end")).toBe(true);
    expect(isEnabled("b->j", "source")).toBe(true);
  });
});

describe("[D15.4] what goes before a join", () => {
  const transition = (phase?: Phase, rule?: string): Transition => ({
    id: `t${phase}${rule}`,
    pre: [[0, 1]],
    any: [],
    post: [],
    reset: [],
    ...(phase === undefined ? {} : { origin: { node: 0, phase, consumed: [], chosen: [] } }),
    ...(rule === undefined ? {} : { rule }),
  });

  it("[D15.4] whatever fires by itself, without a rule: no answers, no events, nothing of a bare net", () => {
    const phases: readonly Phase[] = ["step", "start", "enter", "leave", "take", "skip", "settle", "raise"];
    for (const phase of phases) expect(goesFirst(transition(phase)), phase).toBe(true);
    for (const phase of ["finish", "trigger"] as const)
      expect(goesFirst(transition(phase)), phase).toBe(false);
    expect(goesFirst(transition("step", "r"))).toBe(false);
    expect(goesFirst(transition())).toBe(false);
  });

  it("[D15.4] quiet is what enables none of them", () => {
    const netOf = (phase: Phase) =>
      makeNet({
        places: [{ id: "a", role: "control" }],
        transitions: [transition(phase)],
        initial: [1],
        finals: { kind: "ends", ends: [] },
      });
    expect(isQuiet(netOf("step"), [1])).toBe(false);
    expect(isQuiet(netOf("step"), [0])).toBe(true);
    expect(isQuiet(netOf("finish"), [1])).toBe(true);
    expect(isQuiet(netOf("trigger"), [1])).toBe(true);
  });
});
