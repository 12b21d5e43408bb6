import { describe, expect, it } from "vitest";
import { compile } from "../src/compile.ts";
import type { Hash } from "../src/hash.ts";
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

describe("[D3.3] tok", () => {
  const tok = (program: Program, ...places: string[]) => [
    ...tokenNodes(
      program,
      program.net.places.map(({ id }) => (places.includes(id) ? 1 : 0)),
    ),
  ];

  it("[D3.3] [C20-08] a token before a node is the node's, one at rest, at an end or at a source too", () => {
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
