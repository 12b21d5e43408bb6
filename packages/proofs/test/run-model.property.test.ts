/** The model of a run, against a search that is written down anew: one path at a time, no set of states. */
import type { CompiledWorkflow, Marking, Net, Transition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ModelAnswer, type ModelInput, runModel } from "../src/index.ts";
import { arbitraryPart, definitionOf } from "./random-workflow.ts";
import { end, gateway, human, start, workflow } from "./workflow-text.ts";

/** What a transition waits for: nothing, or an answer. */
const waits = ({ origin }: Transition): boolean => origin?.phase === "finish" || origin?.phase === "trigger";

/** Fires by hand: enough tokens on every input, then minus inputs, resets, plus outputs. */
function next({ transitions }: Net, marking: Marking, t: number): Marking | null {
  const { pre, post, reset } = transitions[t]!;
  if (pre.some(([place, weight]) => marking[place]! < weight)) return null;
  const after = [...marking];
  for (const [place, weight] of pre) after[place] = after[place]! - weight;
  for (const place of reset) after[place] = 0;
  for (const [place, weight] of post) after[place] = after[place]! + weight;
  return after;
}

/** Every rest, by all paths of at most `depth` firings. */
function restsByPaths(
  net: Net,
  from: Marking,
  { answers, isFree }: ModelInput,
  depth: number,
): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (marking: Marking, left: readonly ModelAnswer[], steps: number): void => {
    const moves = net.transitions.flatMap((t, index) => {
      const after = next(net, marking, index);
      return after === null ? [] : [{ t, after }];
    });
    if (moves.every(({ t }) => waits(t)) && left.every(({ isCertain }) => !isCertain))
      found.add(marking.join());
    if (steps === 0) return;
    for (const { t, after } of moves) {
      if (!waits(t)) {
        walk(after, left, steps - 1);
        continue;
      }
      const { node, outcome = "" } = t.origin!;
      if (isFree(node, outcome)) walk(after, left, steps - 1);
      left.forEach((answer, at) => {
        if (answer.node === node && answer.outcomes.includes(outcome))
          walk(after, left.toSpliced(at, 1), steps - 1);
      });
    }
  };
  walk(from, answers, depth);
  return found;
}

const rests = (
  compiled: CompiledWorkflow,
  from: readonly Marking[],
  input: ModelInput,
): ReadonlySet<string> => {
  const found = runModel(compiled).after(from, input, 50_000);
  return new Set(found.kind === "markings" ? found.rests.map((marking) => marking.join()) : ["unknown"]);
};
const NOTHING = { answers: [], isFree: () => false };

describe("[D26.1] the model of a run", () => {
  it("[D26.1] is where all paths lead (oracle: paths, one by one; random small workflows and answers)", () => {
    let compared = 0;
    let moved = 0;
    fc.assert(
      fc.property(
        arbitraryPart(2, false),
        fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 2 }),
        fc.nat({ max: 3 }),
        (block, given, free) => {
          const { nodes, arcs } = definitionOf(block);
          const compiled = workflow(nodes, arcs);
          // Governed loops go round without anybody; paths would be long.
          const { places, transitions } = compiled.net;
          fc.pre(transitions.length <= 14 && places.every(({ role }) => role === "control"));
          const waiting = compiled.net.transitions.filter(waits);
          const answers = given.flatMap(([which, isCertain]): ModelAnswer[] => {
            const origin = waiting[which % Math.max(1, waiting.length)]?.origin;
            return origin === undefined
              ? []
              : [{ node: origin.node, outcomes: [origin.outcome ?? ""], isCertain }];
          });
          const isFree = (node: number): boolean => free > 0 && node % 4 === free;
          const first = rests(compiled, [compiled.net.initial], NOTHING);
          expect(first).toEqual(restsByPaths(compiled.net, compiled.net.initial, NOTHING, 12));
          for (const key of first) {
            const from = key.split(",").map(Number);
            const all = rests(compiled, [from], { answers, isFree });
            expect(all).toEqual(restsByPaths(compiled.net, from, { answers, isFree }, 12));
            compared += 1;
            if (all.size > 0 && !all.has(key)) moved += 1;
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(200);
    expect(moved).toBeGreaterThan(20);
  });

  const both = workflow(
    [start, gateway("fork", { split: "all" }), human("a"), human("b"), gateway("both", { join: "all" }), end],
    ["start -> fork", "fork -> a", "fork -> b", "a -> both", "b -> both", "both -> end"],
  );
  const nodeOf = (id: string): number => both.graph.nodeIndex.get(id)!;
  const answer = (id: string, isCertain = true): ModelAnswer => ({
    node: nodeOf(id),
    outcomes: ["done"],
    isCertain,
  });
  const told = (markings: readonly Marking[]): readonly string[] =>
    markings
      .map((marking) =>
        both.net.places
          .filter((_, at) => marking[at]! > 0)
          .map(({ id }) => id)
          .join(" "),
      )
      .sort();
  const restsAfter = (...answers: readonly ModelAnswer[]): readonly string[] => {
    const model = runModel(both);
    const first = model.after([model.initial], NOTHING, 100);
    if (first.kind === "unknown") return [];
    const then = model.after(first.rests, { answers, isFree: () => false }, 100);
    return then.kind === "unknown" ? [] : told(then.rests);
  };

  it("[D26.1] takes a certain answer once, an uncertain one at most once, and nothing else", () => {
    expect(restsAfter()).toEqual(["a.active b.active"]);
    expect(restsAfter(answer("a"))).toEqual(["a->both b.active"]);
    expect(restsAfter(answer("a", false))).toEqual(["a->both b.active", "a.active b.active"]);
    expect(restsAfter(answer("a"), answer("b"))).toEqual(["end.end"]);
    // It cannot be taken twice: no rest is left.
    expect(restsAfter(answer("a"), answer("a"))).toEqual([]);
  });

  it("[D26.1] says where it gives up", () => {
    const model = runModel(both);
    expect(model.after([model.initial], NOTHING, 1)).toEqual({ kind: "unknown", limit: "states", at: 1 });
  });
});
