import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exploration, explore, exploredMarking, exploredRun } from "../../src/explicit/exploration.ts";
import { addChild, endChildren, parents, pathTo } from "../../src/explicit/parents.ts";
import { net as parse } from "../net-text.ts";

describe("who found whom", () => {
  it("[D8.1] the path to a state is that of a list of parents (oracle: the list)", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 4 }), { maxLength: 400 }), (counts) => {
        const known = parents();
        const parentOf = [-1];
        counts.forEach((count, state) => {
          if (state >= parentOf.length) return;
          for (let child = 0; child < count; child += 1) {
            addChild(known);
            parentOf.push(state);
          }
          endChildren(known);
        });
        parentOf.forEach((_, state) => {
          const path: number[] = [];
          for (let at = state; at >= 0; at = parentOf[at]!) path.push(at);
          expect(pathTo(known, state)).toEqual(path.reverse());
        });
        expect(() => pathTo(known, parentOf.length)).toThrow(/D8.1/);
      }),
    );
  });

  it("[D8.1] fields that get full when there are many states already grow, and lose nothing", () => {
    const net = parse("t: a -> b; u: c -> d", { initial: { a: 250, c: 150 }, finals: [{ b: 250, d: 150 }] });
    const found = exploration(net, { hasRuns: true });
    expect(explore(found, 100_000)).toBe("complete");
    expect(found.set.count).toBe(251 * 151);
    expect([...found.bound]).toEqual([250, 250, 150, 150]);
    expect(found.firstDead).toBe(found.set.count - 1);
    expect(exploredMarking(found, found.firstDead)).toEqual([0, 250, 0, 150]);
    const run = exploredRun(found, found.firstDead);
    expect([run.length, run.filter((t) => t === 0).length]).toEqual([400, 250]);
  });
});
