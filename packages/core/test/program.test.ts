import { describe, expect, it } from "vitest";
import { compile } from "../src/compile.ts";
import type { Hash } from "../src/hash.ts";
import { type KindSpec, kindTable } from "../src/kinds.ts";
import { makeProgram, type Program } from "../src/program.ts";
import { nodeIdOf, tokenNodes } from "../src/run.ts";
import type { Definition } from "../src/workflow.ts";
import { arc, node, SMALL_KINDS, workflow } from "./small-kinds.ts";

function programOf(definition: Definition): Program {
  const compiled = compile(definition, SMALL_KINDS);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return makeProgram("h" as Hash, compiled.value);
}

const ids = (program: Program, indices: readonly number[]) =>
  indices.map((t) => program.net.transitions[t]?.id);

const boxed = programOf(
  workflow(
    [
      node("a"),
      node("p"),
      node("b", { meta: { entry: "c" } }),
      node("c", { scope: "b" }),
      node("e2", { scope: "b" }),
      node("e"),
    ],
    [arc("a -> p"), arc("a:error -> b"), arc("p -> b"), arc("c -> e2"), arc("b -> e")],
  ),
);

const bare = programOf({
  format: 1,
  kind: "net",
  id: "n",
  places: [{ id: "i", initial: 1 }, { id: "o" }],
  transitions: [
    { id: "x", pre: [["i", 1]], post: [["o", 1]] },
    { id: "y", pre: [["i", 1]], post: [["o", 1]] },
  ],
});

describe("[D2.5] the tables of a program", () => {
  it("[D2.5] everything is automatic but what an item resolves and what a choice chain decides", () => {
    const automatic = [...boxed.automatic.keys()].filter((t) => boxed.automatic[t] === 1);
    expect(ids(boxed, automatic)).toEqual([
      "a:done",
      "a:error",
      "p.start",
      "b.enter",
      "b.enter#2",
      "b:done",
      "c:done",
      "e2.step",
      "e.step",
    ]);
    expect(Array.from(bare.automatic)).toEqual([1, 1]);
  });

  it("[D2.5] groups hold the transitions of a node that compete for the same tokens in the same phase", () => {
    const groups = boxed.groups.map((group) => ids(boxed, group));
    expect(groups).toEqual([
      ["a:done", "a:error"],
      ["p.start"],
      ["p:done"],
      ["b.enter"],
      ["b.enter#2"],
      ["b:done"],
      ["c:done"],
      ["e2.step"],
      ["e.step"],
    ]);
    boxed.groups.forEach((group, number) => {
      for (const t of group) expect(boxed.groupOf[t]).toBe(number);
    });
    expect(bare.groups).toEqual([[0], [1]]);
    expect(Array.from(bare.groupOf)).toEqual([0, 1]);
  });

  it("[D2.5] finish and rest places by node", () => {
    expect([...boxed.finish].map(([index, group]) => [index, ids(boxed, group)])).toEqual([[1, ["p:done"]]]);
    const rest = boxed.net.places.findIndex(({ id }) => id === "p.active");
    expect([...boxed.restNode]).toEqual([[rest, 1]]);
    expect([...boxed.chains]).toEqual([]);
    expect([...bare.finish]).toEqual([]);
    expect(boxed.hash).toBe("h");
  });
});

/** A kind that decides its arcs by a chain of three links, as far as the tables of a program look at it. */
const CHAINED: KindSpec = {
  ...(SMALL_KINDS.get("task") as KindSpec),
  name: "chained",
  fragment: (b) => {
    for (const outcome of b.alphabet) {
      const outputs = b.outputs(outcome);
      const state = (taken: boolean, position: number) =>
        b.place(`${b.node.id}:${outcome}.${String(taken)}${position}`, {
          kind: "chain",
          node: b.index,
          outcome,
          taken,
          position,
        });
      const origin = { node: b.index, consumed: [], outcome };
      for (const { place } of b.inputs) {
        b.transition({
          id: `${outcome}.choose`,
          pre: [[place, 1]],
          post: [[state(false, 0), 1]],
          origin: { ...origin, phase: "step", chosen: [] },
        });
      }
      outputs.forEach(({ arc, place }, position) => {
        for (const taken of position === 0 ? [false] : [false, true]) {
          const move = (phase: "take" | "skip", to: number, stops = false) =>
            b.transition({
              id: `${outcome}.${stops ? "stop" : phase}${arc}${String(taken)}`,
              pre: [[state(taken, position), 1]],
              post: [[to, 1]],
              origin: { ...origin, phase, chosen: [arc], ...(stops ? { stops } : {}) },
            });
          move("take", state(true, position + 1));
          move("skip", state(taken, position + 1));
          if (position === 1) move("take", place, true);
        }
      });
    }
  },
};

describe("[D2.5] chains", () => {
  const definition = workflow(
    [{ id: "c", kind: "chained" }, node("x"), node("y"), node("e")],
    [arc("c -> x"), arc("c -> y"), arc("c:error -> x"), arc("c:error -> y"), arc("x -> e"), arc("y -> e")],
  );
  const compiled = compile(definition, kindTable([CHAINED], SMALL_KINDS));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  const program = makeProgram("h" as Hash, compiled.value);

  it("[D2.5] are found by their head, with the links in order and the moves of each", () => {
    const named = [...program.chains].map(([head, links]) => [
      program.net.places[head]?.id,
      links.map(({ arc: number, take, stop, skip }) => [
        number,
        ids(program, take),
        ids(program, stop),
        ids(program, skip),
      ]),
    ]);
    expect(named).toEqual([
      [
        "c:done.false0",
        [
          [0, ["done.take0false"], [], ["done.skip0false"]],
          [
            1,
            ["done.take1false", "done.take1true"],
            ["done.stop1false", "done.stop1true"],
            ["done.skip1false", "done.skip1true"],
          ],
        ],
      ],
      [
        "c:error.false0",
        [
          [2, ["error.take2false"], [], ["error.skip2false"]],
          [
            3,
            ["error.take3false", "error.take3true"],
            ["error.stop3false", "error.stop3true"],
            ["error.skip3false", "error.skip3true"],
          ],
        ],
      ],
    ]);
  });

  it("[D2.5] nothing of a chain fires by itself", () => {
    const byItself = [...program.automatic.keys()].filter((t) => program.automatic[t] === 1);
    expect(ids(program, byItself)).toEqual([
      "done.choose",
      "error.choose",
      "x:done",
      "x:done#2",
      "y:done",
      "y:done#2",
      "e.step",
      "e.step#2",
    ]);
  });

  it("[D2.5] a node with several ways out of its rest place has one list of them", () => {
    const two = programOf(
      workflow([node("p"), node("x"), node("e")], [arc("p -> x"), arc("p -> e"), arc("x -> e")]),
    );
    expect([...two.finish].map(([index, group]) => [index, ids(two, group)])).toEqual([
      [0, ["p:done", "p:done#2"]],
    ]);
    expect(two.groups.map((group) => ids(two, group))).toContainEqual(["p:done", "p:done#2"]);
  });

  it("[D2.5] transitions that stand for nothing are automatic, and groups of their own", () => {
    const { net } = bare;
    const plain = { ...net, transitions: net.transitions.map(({ origin: _, ...rest }) => rest) };
    const of = makeProgram("h" as Hash, { ...bare.compiled, net: plain } as Program["compiled"]);
    expect(of.groups).toEqual([[0], [1]]);
    expect(Array.from(of.automatic)).toEqual([1, 1]);
  });

  it("[D2.5] counters do not divide a group", () => {
    const { net } = bare;
    const counted = {
      ...net,
      places: [...net.places, { id: "left", role: "counter" as const }],
      transitions: net.transitions.map((t, index) => ({
        ...t,
        pre: [...t.pre, [2, index + 1] as const],
        origin: { node: 0, phase: "step" as const, consumed: [], chosen: [] },
      })),
      initial: [...net.initial, 0],
    };
    const of = makeProgram("h" as Hash, { ...bare.compiled, net: counted } as Program["compiled"]);
    expect(of.groups).toEqual([[0, 1]]);
  });
});

describe("[D3.3] tok", () => {
  const tok = (program: Program, ...places: string[]) => [
    ...tokenNodes(
      program,
      program.net.places.map(({ id }) => (places.includes(id) ? 1 : 0)),
    ),
  ];

  it("[D3.3] a token before a node is the node's, one at rest, at an end or at a source too", () => {
    expect(tok(boxed, "source")).toEqual(["a"]);
    expect(tok(boxed, "a->p")).toEqual(["p"]);
    expect(tok(boxed, "p.active")).toEqual(["p"]);
    expect(tok(boxed, "b.source")).toEqual(["c"]);
    expect(tok(boxed, "e2.end")).toEqual(["e2"]);
    expect(tok(boxed, "b->e")).toEqual(["e"]);
    expect(tok(boxed)).toEqual([]);
  });

  it("[D3.3] [C20-10] is a set: two tokens of one node count once, as do two on one place", () => {
    expect(tok(boxed, "a->p", "p.active")).toEqual(["p"]);
    expect(tok(boxed, "a:error->b", "p->b", "b.source")).toEqual(["b", "c"]);
    expect([
      ...tokenNodes(
        boxed,
        boxed.net.places.map(({ id }) => (id === "a->p" ? 2 : 0)),
      ),
    ]).toEqual(["p"]);
  });

  it("[D3.3] of a bare net are the marked places", () => {
    expect(tok(bare, "i")).toEqual(["i"]);
    expect(tok(bare, "i", "o")).toEqual(["i", "o"]);
  });

  it("[D3.3] a transition belongs to its node; in a bare net it stands for itself", () => {
    expect(
      nodeIdOf(
        boxed,
        boxed.net.transitions.findIndex(({ id }) => id === "b.enter"),
      ),
    ).toBe("b");
    expect(nodeIdOf(bare, 1)).toBe("y");
    expect(nodeIdOf(boxed, 99)).toBeUndefined();
    expect(nodeIdOf(bare, 99)).toBeUndefined();
  });
});
