import type { WorkflowDefinition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explore, isSound, soundnessOf } from "./explore.ts";
import { type Block, blockUpTo, smallWorkflow, workflowOf } from "./workflow-arbitrary.ts";
import { issuesOf, netOf } from "./workflow-text.ts";

/** How many gateways of the definition have `join` or `split` all, and what the i-th of them becomes. */
function withJoin(definition: WorkflowDefinition, join: "any"): WorkflowDefinition {
  const index = definition.nodes.findIndex((node) => node.join === "all");
  return {
    ...definition,
    nodes: definition.nodes.map((node, at) => (at === index ? { ...node, join } : node)),
  };
}

/** Blocks of which one part at most is under way: no AND, no OR, no scope with a token of its own. */
function isSequential(block: Block): boolean {
  switch (block.kind) {
    case "task":
      return true;
    case "sequence":
    case "choice":
      return block.parts.every(isSequential);
    case "loop":
      return isSequential(block.body);
    default:
      return false;
  }
}

/** Law: the control places have one token together, in every reachable marking. */
function lawOneStep(blocks: fc.Arbitrary<Block>): fc.IPropertyWithHooks<[WorkflowDefinition]> {
  return fc.property(blocks.map(workflowOf), (definition) => {
    const net = netOf(definition);
    for (const marking of explore(net).markings.values()) {
      const control = net.places.map(({ role }, place) => (role === "counter" ? 0 : (marking[place] ?? 0)));
      expect(control.reduce((sum, tokens) => sum + tokens, 0)).toBe(1);
    }
  });
}

describe("[D6.8] [C20-80] workflows of nested blocks", () => {
  it("[D6.1] [D6.3] [HZ-27] without AND, OR and scopes there is exactly one current step, at every point of every run", () => {
    fc.assert(lawOneStep(blockUpTo(2).filter(isSequential)), { numRuns: 80 });
    expect(fc.check(lawOneStep(blockUpTo(2)), { numRuns: 80 }).failed).toBe(true);
  });

  it("[D6.8] [L6.2] [C20-80] compile without an issue and are sound and safe", () => {
    fc.assert(
      fc.property(smallWorkflow, (definition) => {
        expect(issuesOf(definition)).toEqual([]);
        expect(soundnessOf(netOf(definition))).toMatchObject({
          optionToComplete: true,
          properCompletion: true,
          safe: true,
          deadlocks: [],
        });
        expect(isSound(netOf(definition))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("[C20-28] [C20-80] are unsound once the join of an AND block merges", () => {
    const parallel = fc
      .tuple(blockUpTo(1), blockUpTo(1))
      .map((parts) => workflowOf({ kind: "parallel", parts }));
    fc.assert(
      fc.property(parallel, (definition) => {
        const verdict = soundnessOf(netOf(withJoin(definition, "any")));
        expect(verdict.properCompletion && verdict.safe).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it("[C20-28] [C20-80] are unsound once the join of a choice waits for all", () => {
    const choice = fc.tuple(blockUpTo(1), blockUpTo(1)).map((parts) => {
      const definition = workflowOf({ kind: "choice", parts });
      const join = definition.arcs.find(({ to }) => to === definition.nodes.at(-1)?.id)?.from;
      return {
        ...definition,
        nodes: definition.nodes.map((node) => (node.id === join ? { ...node, join: "all" as const } : node)),
      };
    });
    fc.assert(
      fc.property(choice, (definition) => {
        expect(soundnessOf(netOf(definition)).optionToComplete).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it("[D7.1] left + spent = b while a token is inside, 0 otherwise, in every reachable marking", () => {
    fc.assert(
      fc.property(smallWorkflow, (definition) => {
        const net = netOf(definition);
        const loops = definition.nodes.flatMap((node) => {
          const loop = node.meta?.loop as
            | { readonly budget: number; readonly body: readonly string[] }
            | undefined;
          return loop === undefined
            ? []
            : [{ node, budget: loop.budget, inside: new Set([node.id, ...loop.body]) }];
        });
        const within = (id: string | undefined, inside: ReadonlySet<string>): boolean => {
          const found = definition.nodes.find((node) => node.id === id);
          return found !== undefined && (inside.has(found.id) || within(found.scope, inside));
        };
        for (const { node, budget, inside } of loops) {
          const isInside = net.places.map(({ origin, role }) => {
            if (role === "counter" || origin === undefined) return false;
            if (origin.kind === "arc") {
              const arc = definition.arcs[origin.arc];
              const isEscape = definition.nodes.find(({ id }) => id === arc?.to)?.meta?.terminate === true;
              return within(arc?.from, inside) && (isEscape || within(arc?.to, inside));
            }
            if (origin.kind === "source") {
              return origin.scope !== null && within(definition.nodes[origin.scope]?.id, inside);
            }
            return within(definition.nodes[origin.node]?.id, inside);
          });
          const count = (id: string) => net.places.findIndex((place) => place.id === id);
          const counters = [count(`${node.id}.left`), count(`${node.id}.spent`)];
          for (const marking of explore(net).markings.values()) {
            const hasToken = marking.some((tokens, place) => tokens > 0 && isInside[place] === true);
            const sum = counters.reduce((total, place) => total + (marking[place] ?? 0), 0);
            expect(sum).toBe(hasToken ? budget : 0);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
