/** @module How wide the fields of an exploration become: as wide as the start and the arcs ask, then as walks say, then doubled. */
import { describe, expect, it } from "vitest";
import { exploration, explore, exploredRun } from "../../src/explicit/exploration.ts";
import { net as parse } from "../net-text.ts";

/** The most that fits on each place after `statesMax` markings. */
function fits(text: string, statesMax: number, initial: Record<string, number> = { i: 1 }) {
  const net = parse(text, { initial });
  const found = exploration(net);
  const status = explore(found, statesMax);
  const max = Object.fromEntries(net.places.map(({ id }, place) => [id, found.layout.max[place]!]));
  return { status, count: found.set.count, max };
}

describe("the width of a field", () => {
  it("[D8.1] is what the start and each arc ask for, while that is enough", () => {
    expect(fits("t: i -> a + 3b; u: 2c -> o", 10)).toEqual({
      status: "complete",
      count: 2,
      max: { i: 1, a: 1, b: 3, c: 3, o: 1 },
    });
    expect(fits("t: i -> a", 10, { i: 4 }).max["i"]).toBe(7);
  });

  it("[D8.1] is, once a field was full, for all places what walks of 1,024 firings meet", () => {
    // Each firing adds one, so walks meet 1,024 tokens; `q` gets three each time.
    expect(fits("t: i -> i + p + 3q", 10).max).toEqual({ i: 1, p: 2047, q: 4095, o: 1 });
    // Before that nothing is known of walks.
    expect(fits("t: i -> i + 3q", 1).max).toEqual({ i: 1, q: 3, o: 1 });
    // A walk that meets more than a field can hold.
    expect(fits("t: i -> i + 4194304p + q", 3).max).toMatchObject({ p: 2 ** 31 - 1, q: 2047 });
  });

  it("[D8.1] is doubled after that, of the full place alone, up to 31 bits", () => {
    expect(fits("t: i -> i + p + 3q", 1300).max).toEqual({ i: 1, p: 2047, q: 4095, o: 1 });
    expect(fits("t: i -> i + p + 3q", 1500).max).toEqual({ i: 1, p: 2047, q: 2 ** 24 - 1, o: 1 });
    expect(fits("t: i -> i + p + 3q", 2100).max).toEqual({ i: 1, p: 2 ** 22 - 1, q: 2 ** 24 - 1, o: 1 });
    // Twenty bits at first, thirty for the walks: twice the width is more than both.
    expect(fits("t: i -> i + 1000000p", 1).max["p"]).toBe(2 ** 20 - 1);
    expect(fits("t: i -> i + 1000000p", 2).max["p"]).toBe(2 ** 31 - 1);
    expect(fits("t: i -> i + 1000000p", 9999)).toMatchObject({ status: "tokens", count: 2148 });
  });

  it("[D8.1] a run names a transition that was enabled, not one that would change the same", () => {
    const net = parse("u: i + r -> o + r; v: i -> o; w: z -> r");
    const found = exploration(net, { hasRuns: true });
    expect(explore(found, 10)).toBe("complete");
    expect(exploredRun(found, 1)).toEqual([1]);
  });
});
