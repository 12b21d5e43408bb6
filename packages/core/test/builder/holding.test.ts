/** @module Blocks of the builder that hold back what their branches write, and staged loops. */
import {
  type Block,
  call,
  finish,
  human,
  inclusive,
  loop,
  nothing,
  parallel,
  sequence,
  step,
  tool,
  verifier,
  when,
} from "@tessera/core";
import { describe, expect, it } from "vitest";
import { labelsOf } from "../../src/builder/block-labels.ts";
import { arcs, definitionOf, nodes, refusal, wait, yes } from "./composed-text.ts";

describe("blocks that hold back", () => {
  it("[D12.9] [D21.1] a block that holds back closes with its rules, and a refusal finishes with error", () => {
    const held = { stage: true, merge: { total: "sum", log: { function: "longest" } } } as const;
    const definition = definitionOf(parallel("p", held, wait("a"), wait("b")));
    expect(nodes(definition)).toEqual([
      "start start",
      "p.split gateway split all",
      "a human",
      "b human",
      "p.join gateway join all",
      "end end",
      "end.failed end failed",
    ]);
    expect(definition.nodes.find(({ id }) => id === "p.join")?.meta).toEqual(held);
    expect(arcs(definition).slice(-2)).toEqual(["p.join -> end", "p.join:error -> end.failed"]);
    const merging = definitionOf(inclusive("i", [when(yes, wait("a"))], nothing(), { merge: { n: "max" } }));
    expect(merging.nodes.find(({ id }) => id === "i.join")).toMatchObject({
      join: "or",
      meta: { merge: { n: "max" } },
    });
    expect(arcs(merging)).toContain("i.join:error -> end.failed");
  });

  it("[D12.8] [D12.9] what follows a refusal goes on behind the block, inside its scope where branches may finish", () => {
    const held = { stage: true, rejected: wait("repair") } as const;
    expect(arcs(definitionOf(parallel("p", held, wait("a"), wait("b")))).slice(-3)).toEqual([
      "p.join -> end",
      "p.join:error -> repair",
      "repair -> end",
    ]);
    const scoped = parallel("p", { stage: true, rejected: finish("refused") }, step("a", tool()), wait("b"));
    expect([...labelsOf(scoped.block)]).toEqual(["error", "refused"]);
    const definition = definitionOf(scoped);
    expect(nodes(definition)).toEqual([
      "start start",
      "p subprocess",
      "  p.split gateway split all",
      "  a tool",
      "  p.1.error end error!",
      "  b human",
      "  p.join gateway join all",
      "  p.done end",
      "  p.rejected.refused end refused",
      "end end",
      "end.refused end refused",
      "end.failed end failed",
    ]);
    expect(arcs(definition)).toContain("p.join:error -> p.rejected.refused");
    const alone = parallel("p", { stage: true }, step("a", tool()), wait("b"));
    expect(arcs(definitionOf(alone))).toContain("p.join:error -> p.rejected.error");
  });

  it("[D12.9] BUILD003 refuses what a block that holds back cannot have", () => {
    const calling = call("c", { workflow: "w" });
    const handled = step(
      "h",
      human({ events: [{ id: "ask", on: "signal", name: "ask", interrupting: false, workflow: "w" }] }),
    );
    const judged = (stage: boolean, body: Block) =>
      loop("l", {
        budget: 1,
        proves: "it",
        stage,
        body,
        verify: step("v", verifier({ passKey: "ok" })),
        exhausted: wait("help"),
      });
    const bare = (options: object) => parallel("p", options as { stage: true }, nothing(), nothing());
    const refused: readonly (readonly [Block, string])[] = [
      [
        parallel("p", { stage: true }, wait("a"), sequence(wait("b"), calling)),
        '$.c: "c" calls a workflow, which would write past what "p.join" holds back',
      ],
      [
        parallel("p", { merge: { n: "sum" } }, wait("a"), handled),
        '$.h: "h" calls a workflow, which would write past what "p.join" holds back',
      ],
      [
        inclusive("i", [when(yes, nothing())], sequence(parallel("q", calling, wait("a"))), {
          stage: true,
        }),
        '$.c: "c" calls',
      ],
      [judged(true, calling), '$.c: "c" calls a workflow, which would write past what "l" holds back'],
      [
        parallel("p", { merge: { ok: "sum" } }, judged(false, wait("a")), wait("b")),
        '"p.join" merges "ok", which is the pass key of a loop',
      ],
      [bare({ merge: { n: "last" } }), '"p.join" takes the last "n" and is not staged'],
      [bare({ stage: true, merge: { n: "first" } }), '"p.join" has no rule that could merge "n"'],
      [bare({ stage: true, merge: { n: {} } }), "has no rule that could merge"],
    ];
    for (const [block, message] of refused) {
      const found = refusal(() => definitionOf(block));
      expect(found).toContain(message);
      expect(found).toContain("BUILD003");
    }
    // A call may follow a refusal, and may be the body of a loop that holds back nothing.
    expect(
      refusal(() => definitionOf(parallel("p", { stage: true, rejected: calling }, wait("a"), wait("b")))),
    ).toBe("accepted");
    expect(refusal(() => definitionOf(judged(false, calling)))).toBe("accepted");
  });

  it("[D12.9] [D20.15] a staged loop says so", () => {
    const staged = definitionOf(
      loop("l", {
        budget: 1,
        proves: "it",
        stage: true,
        body: wait("a"),
        verify: step("v", verifier({ passKey: "ok" })),
        exhausted: wait("help"),
      }),
    );
    expect(staged.nodes.find(({ id }) => id === "l")?.meta).toMatchObject({ loop: { stage: true } });
  });
});
