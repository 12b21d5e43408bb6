import {
  type Block,
  call,
  choice,
  composeWorkflow,
  finish,
  human,
  implement,
  inclusive,
  loop,
  nothing,
  parallel,
  parseWorkflow,
  sequence,
  step,
  subprocess,
  timer,
  tool,
  transform,
  verifier,
  when,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { labelsOf } from "../../src/builder/block-labels.ts";
import { arcs, definitionOf, nodes, refusal, wait, yes } from "./composed-text.ts";

describe("composeWorkflow", () => {
  it("[D12.10] begins at start, ends at end, and has no more than the program", () => {
    expect(arcs(definitionOf(wait("a")))).toEqual(["start -> a", "a -> end"]);
    expect(arcs(definitionOf(nothing()))).toEqual(["start -> end"]);
    expect(nodes(definitionOf(wait("a")))).toEqual(["start start", "a human", "end end"]);
  });

  it("[D12.10] leads what no route caught through onError to the end failed", () => {
    const body = step("a", tool());
    expect(arcs(definitionOf(body))).toEqual(["start -> a", "a -> end", "a:error -> end.failed"]);
    expect(arcs(definitionOf(body, step("tell", tool())))).toEqual([
      "start -> a",
      "a -> end",
      "a:error -> tell",
      "tell -> end.failed",
      "tell:error -> end.failed",
    ]);
    expect(arcs(definitionOf(body, finish("rejected")))).toEqual([
      "start -> a",
      "a -> end",
      "a:error -> end.rejected",
    ]);
    expect(arcs(definitionOf(wait("a"), wait("never")))).toEqual(["start -> a", "a -> end"]);
  });

  it("[D12.10] names the keys with which a run starts", () => {
    const data = { amount: z.number(), note: z.string() };
    const built = composeWorkflow({ id: "w", label: "W", data, input: ["amount"], body: nothing() });
    expect(built.inputs).toEqual(["amount"]);
    expect(built.definition).toMatchObject({
      label: "W",
      nodes: [{ id: "start", writes: ["amount"] }, { id: "end" }],
      data: { amount: { type: "number" }, note: { type: "string" } },
    });
  });

  it("[D12.10] BUILD004 refuses two nodes with one id, made ones included", () => {
    expect(refusal(() => definitionOf(sequence(wait("a"), wait("a"))))).toBe(
      'BUILD004 at $.a: two nodes have the id "a"',
    );
    expect(refusal(() => definitionOf(wait("end")))).toContain("BUILD004");
  });

  it("gives its steps to implement", () => {
    const built = composeWorkflow({
      id: "w",
      body: sequence(step("a", transform()), step("b", tool()), wait("c")),
    });
    const { functions, ports } = implement(built, { a: () => ({}), b: () => ({}) });
    expect([[...functions.keys()], [...ports.keys()]]).toEqual([["a"], ["b"]]);
  });
});

describe("blocks", () => {
  it("[D12.9] a step routes each outcome, in the order of its alphabet", () => {
    const body = step("a", human({ outcomes: ["yes", "no", "later"], deadline: "P1D" }), {
      later: wait("b"),
      yes: nothing(),
      no: finish("rejected"),
      expired: finish("late"),
    });
    expect(arcs(definitionOf(body))).toEqual([
      "start -> a",
      "a:yes -> end",
      "a:no -> end.rejected",
      "a:later -> b",
      "a:expired -> end.late",
      "b -> end",
    ]);
  });

  it("[D12.9] [HZ-39] a choice asks its guards in the order of its branches, the default last", () => {
    const body = choice("c", [when(yes, nothing()), when(yes, wait("b"))], wait("d"));
    const definition = definitionOf(body);
    expect(arcs(definition)).toEqual([
      "start -> c",
      "c if -> end",
      "c if -> b",
      "c else -> d",
      "b -> end",
      "d -> end",
    ]);
  });

  it("[D12.9] parallel branches enter the join by one arc each", () => {
    const twoWays = step("a", human({ outcomes: ["x", "y"] }), { x: nothing(), y: nothing() });
    const definition = definitionOf(parallel("p", twoWays, wait("b"), nothing()));
    expect(nodes(definition)).toEqual([
      "start start",
      "p.split gateway split all",
      "a human",
      "p.1.merge gateway",
      "b human",
      "p.3.merge gateway",
      "p.join gateway join all",
      "end end",
    ]);
    expect(arcs(definition)).toEqual([
      "start -> p.split",
      "p.split -> a",
      "p.split -> b",
      "p.split -> p.3.merge",
      "a:x -> p.1.merge",
      "a:y -> p.1.merge",
      "p.1.merge -> p.join",
      "b -> p.join",
      "p.3.merge -> p.join",
      "p.join -> end",
    ]);
  });

  it("[D12.8] [D12.9] a branch that may finish makes its block a subprocess, with a terminate end for each branch", () => {
    const definition = definitionOf(parallel("p", step("a", tool()), step("b", tool())));
    expect(nodes(definition)).toEqual([
      "start start",
      "p subprocess",
      "  p.split gateway split all",
      "  a tool",
      "  p.1.error end error!",
      "  b tool",
      "  p.2.error end error!",
      "  p.join gateway join all",
      "  p.done end",
      "end end",
      "end.failed end failed",
    ]);
    expect(arcs(definition)).toContain("p:error -> end.failed");
    expect(definition.nodes[1]?.meta).toEqual({ entry: "p.split", outcomes: ["done", "error"] });
  });

  it("[D12.9] an inclusive block has its guards, its default and an OR join", () => {
    const definition = definitionOf(inclusive("i", [when(yes, wait("a"))], nothing()));
    expect(arcs(definition)).toEqual([
      "start -> i.split",
      "i.split if -> a",
      "i.split else -> i.2.merge",
      "a -> i.join",
      "i.2.merge -> i.join",
      "i.join -> end",
    ]);
    expect(nodes(definition)).toContain("i.join gateway join or");
    expect(nodes(definition)).toContain("i.split gateway split or");
  });

  const fixing = (budget: number, repair?: Block) =>
    loop("fix", {
      budget,
      proves: "it is right",
      body: step("write", transform({ reads: [], writes: ["text"] })),
      verify: step("isRight", verifier({ passKey: "ok", reads: ["text"] })),
      ...(repair === undefined ? {} : { repair }),
      exhausted: wait("help"),
    });

  it("[D12.9] a loop is governed: body, verifier, decision, repair, and a person when the budget is used up", () => {
    const definition = definitionOf(fixing(2, wait("rest")));
    expect(arcs(definition)).toEqual([
      "start -> fix.again",
      "fix.again -> write",
      "write -> isRight",
      "write:error -> end.failed",
      "isRight -> fix",
      "isRight:error -> end.failed",
      "fix:pass -> end",
      "fix:fail -> rest",
      "fix:exhausted -> help",
      "fix:error -> end.failed",
      "rest -> fix.again",
      "help -> end",
    ]);
    expect(definition.nodes.find(({ id }) => id === "fix")?.meta).toEqual({
      loop: {
        id: "fix",
        budget: 2,
        passKey: "ok",
        proves: "it is right",
        body: ["fix.again", "write", "isRight", "rest"],
      },
    });
    expect(arcs(definitionOf(fixing(0))).some((line) => line.startsWith("fix:fail"))).toBe(false);
  });

  it("[D12.9] a subprocess keeps its labels inside and shows them as outcomes", () => {
    const inner = choice("c", [when(yes, finish("no")), when(yes, step("t", tool()))], nothing());
    const definition = definitionOf(subprocess("s", inner, { no: wait("a"), error: wait("b") }));
    expect(nodes(definition)).toEqual([
      "start start",
      "s subprocess",
      "  s.start start",
      "  c decision",
      "  t tool",
      "  s.end end",
      "  s.end.no end no",
      "  s.end.error end error",
      "a human",
      "b human",
      "end end",
    ]);
    expect(arcs(definition).filter((line) => /^[sab][: ]/.test(line))).toEqual([
      "s -> end",
      "s:no -> a",
      "s:error -> b",
      "a -> end",
      "b -> end",
    ]);
    expect(arcs(definitionOf(subprocess("s", finish("no"), { no: nothing() })))).toContain("s:no -> end");
  });

  it("[D12.9] a call fails with its child, and says so when it is cancelled", () => {
    expect(arcs(definitionOf(call("c", { workflow: "w" })))).toEqual([
      "start -> c",
      "c -> end",
      "c:error -> end.failed",
      "c:cancelled -> end.failed",
    ]);
    const routed = call(
      "c",
      { workflow: "w", outcomes: ["yes"] },
      { yes: nothing(), cancelled: finish("gone") },
    );
    expect(arcs(definitionOf(routed))).toEqual([
      "start -> c",
      "c:yes -> end",
      "c:error -> end.failed",
      "c:cancelled -> end.gone",
    ]);
  });

  it("[D12.7] may be used more than once as a value, as long as ids differ", () => {
    const pause = (id: string) => step(id, timer({ duration: "PT1S" }));
    expect(arcs(definitionOf(sequence(pause("a"), sequence(pause("b"), nothing()))))).toEqual([
      "start -> a",
      "a -> b",
      "b -> end",
    ]);
  });

  it("BUILD003 refuses what can never be reached", () => {
    const dead = [
      sequence(finish("x"), wait("a")),
      parallel("p", finish("x"), wait("a")),
      inclusive("i", [when(yes, finish("x"))], nothing()),
      loop("l", {
        budget: 1,
        proves: "",
        body: finish("x"),
        verify: step("v", verifier({ passKey: "k" })),
        exhausted: nothing(),
      }),
      sequence(choice("c", [when(yes, finish("x"))], finish("y")), subprocess("s", nothing())),
      fixing(1, finish("x")),
    ];
    const refusals = dead.map((body) => refusal(() => definitionOf(body)));
    expect(refusals).toEqual([
      'BUILD003 at $.a: "a" can never be reached: everything before it finishes',
      'BUILD003 at $.p: "p" never goes on: branch 1 always finishes',
      'BUILD003 at $.i: "i" never goes on: branch 1 always finishes',
      'BUILD003 at $.v: "v" can never be reached: everything before it finishes',
      'BUILD003 at $.s: "s" can never be reached: everything before it finishes',
      'BUILD003 at $.fix: "fix" never repeats: its repair always finishes',
    ]);
  });

  it("BUILD003 refuses what its types refuse, for programs without types", () => {
    const untyped = step as (id: string, spec: unknown, routes?: unknown) => Block;
    const loose = subprocess as (id: string, body: Block, routes?: unknown) => Block;
    const acts = [
      () => untyped("a", human({ outcomes: ["x"] }), { y: nothing() }),
      () => untyped("a", human({ join: "all" })),
      () => definitionOf(untyped("a", human({ outcomes: ["x"] }))),
      () => definitionOf(loose("s", finish("x"))),
      () => definitionOf(loose("s", nothing(), { x: nothing() })),
      () =>
        definitionOf(
          loop("l", {
            budget: 1,
            proves: "",
            body: nothing(),
            verify: wait("v") as never,
            exhausted: nothing(),
          }),
        ),
    ];
    expect(acts.map(refusal)).toEqual([
      'BUILD003 at $.a: "a" has no outcome "y"',
      'BUILD003 at $.a: "a" routes by itself: a block places its gateways, joins and splits',
      'BUILD003 at $.a: "a" does not say what follows its outcome "x"',
      'BUILD003 at $.s: "s" does not say what follows its outcome "x"',
      'BUILD003 at $.s: "s" never finishes with "x"',
      'BUILD003 at $.l: "l" has no single verifier step to judge it',
    ]);
  });

  it("BUILD003 refuses a repair that never runs, and the label done inside branches", () => {
    expect(refusal(() => definitionOf(fixing(0, wait("rest"))))).toContain("has a repair that never runs");
    const early = parallel("p", choice("c", [when(yes, finish("done"))], nothing()), wait("a"));
    expect(refusal(() => definitionOf(early))).toContain('finishes with "done" inside');
  });

  it("[D12.8] labels are those of finish, and error where a failure has no route", () => {
    const labels = (block: Block) => [...labelsOf(block.block)];
    expect(labels(nothing())).toEqual([]);
    expect(labels(sequence(step("a", tool()), finish("x")))).toEqual(["error", "x"]);
    expect(labels(step("a", tool(), { error: finish("y") }))).toEqual(["y"]);
    expect(labels(call("c", { workflow: "w" }, { error: nothing() }))).toEqual(["error"]);
    expect(labels(subprocess("s", finish("x"), { x: nothing() }))).toEqual([]);
    expect(labels(subprocess("s", step("a", tool())))).toEqual(["error"]);
    expect(labels(fixing(1))).toEqual(["error"]);
    expect(labels(choice("c", [when(yes, finish("x"))], finish("y")))).toEqual(["x", "y"]);
    expect(labels(parallel("p", finish("x"), finish("y")))).toEqual(["x", "y"]);
  });

  it("[T12.1] regression: an OR block whose branches are of very different length", () => {
    const long = step("a", human({ outcomes: ["x", "y"] }), {
      x: parallel("p", nothing(), nothing()),
      y: wait("b"),
    });
    const definition = definitionOf(choice("c", [], inclusive("i", [when(yes, nothing())], long)));
    expect(parseWorkflow(definition, STANDARD_KINDS)).toMatchObject({ ok: true, warnings: [] });
  });
});
