import { describe, expect, it } from "vitest";
import { importTina } from "../src/index.ts";
import { imported, net, refusal, warnings } from "./fixtures.ts";

describe("[D11.8] TINA", () => {
  it("[D11.8] reads places, transitions, weights, labels, notes, comments", () => {
    const text = `# two workers
net {two workers}
tr {a b} : {does it} [0,w[ p1 p2*2 -> p3
tr t2 p3 -> p1 p2*2
pl p1 (1)
pl p2 : tools (2K)
pl {odd \\} name\\\\} (3) t2*4 -> {a b}
nt n1 0 {a note}
lb t2 {gives back}
`;
    const result = importTina(text);
    expect(net(imported(result).net)).toEqual({
      places: ["p1 1", "p2 2000", "p3", "odd } name\\ 3"],
      transitions: ["a b: p1 + 2 p2 + odd } name\\ -> p3", "t2: p3 -> p1 + 2 p2 + 4 odd } name\\"],
      finals: [],
    });
    expect(imported(result).name).toBe("two workers");
    expect(imported(result).net.places[1]?.label).toBe("tools");
    expect(imported(result).net.transitions.map(({ label }) => label)).toEqual(["does it", "gives back"]);
    expect(warnings(result)).toEqual(["IMP004 1:1"]);
  });

  it("[D11.8] the declarations are superposed, arcs of one pair add up", () => {
    const text = "tr t a -> b\ntr t a*2 c ->\npl b (1) t -> u\npl c (0)\npl a (5)";
    expect(net(imported(importTina(text)).net)).toEqual({
      places: ["a 5", "b 1", "c"],
      transitions: ["t: 3 a + c -> 2 b", "u: b -> "],
      finals: [],
    });
  });

  it("[D11.8] [D11.11] test arcs ask and give back, inhibitor arcs become arcs of a complement place", () => {
    const text = "pl a (1)\npl b\npl c (1)\ntr t a c?1 b?-1 -> b\ntr u b -> a";
    const result = importTina(text);
    expect(net(imported(result).net)).toEqual({
      places: ["a 1", "b", "c 1", "b.free 1"],
      transitions: ["t: a + c + b.free -> b + c", "u: b -> a + b.free"],
      finals: [],
    });
    expect(warnings(result)).toEqual(["IMP004 1:1", "IMP010 1:1"]);
  });

  it("[D11.8] a name in braces is no keyword, and __proto__ is a name like any other", () => {
    const text = "pl {pl} (1)\npl __proto__\ntr constructor {pl} -> __proto__\ntr toString __proto__ -> {pl}";
    expect(net(imported(importTina(text)).net)).toEqual({
      places: ["pl 1", "__proto__"],
      transitions: ["constructor: pl -> __proto__", "toString: __proto__ -> pl"],
      finals: [],
    });
  });

  it("TINA001 gives every fault of the grammar, with line and column", () => {
    const text = "pl a (x)\ntr t a*0 -> b\ntr u a b\npl {open\n";
    expect(refusal(importTina(text))).toEqual(["TINA001 1:7", "TINA001 2:6", "TINA001 4:1", "TINA001 4:4"]);
    expect(refusal(importTina("hello"))).toEqual(["TINA001 1:1"]);
    expect(refusal(importTina("pl a # no comment here"))).toEqual(["TINA001 1:6"]);
  });

  it("TINA002 TINA003 too long, not UTF-8", () => {
    expect(refusal(importTina("pl a", { limits: { bytesMax: 3 } }))).toEqual(["TINA002 -"]);
    expect(refusal(importTina(Uint8Array.of(0x70, 0x6c, 0x20, 0xff)))).toEqual(["TINA003 1:4"]);
  });

  it.each(["tr t [1,2] a -> b", "tr t [0,5] a -> b", "tr t ]0,w[ a -> b", "tr t a!2 -> b", "pr t > u"])(
    "TINA004 time, stopwatches and priorities are refused: %s",
    (text) => {
      expect(refusal(importTina(text))[0]).toMatch(/^TINA004/);
    },
  );

  it("TINA005 a second marking or label, a label of nothing or of two nodes", () => {
    expect(refusal(importTina("pl a (1)\npl a (2)"))).toEqual(["TINA005 2:4"]);
    expect(refusal(importTina("pl a : x (1)\nlb a y\nlb b z\ntr a\nlb a x"))).toEqual([
      "TINA005 2:4",
      "TINA005 3:4",
      "TINA005 5:4",
    ]);
  });

  it("TINA006 inhibitor arcs without a certain bound, and to a place", () => {
    expect(refusal(importTina("pl a (1)\ntr t a b?-1 -> a b"))).toEqual(["TINA006 2:8"]);
    expect(refusal(importTina("pl a (1)\ntr t a -> b?-1"))).toEqual(["TINA006 2:11"]);
  });

  it("IMP007 numbers that are too large", () => {
    expect(refusal(importTina("pl a (3G)\ntr t a*99999999999999999999999 -> b"))).toEqual([
      "IMP007 1:7",
      "IMP007 2:8",
    ]);
    expect(refusal(importTina("pl a (1)\ntr t a*2G -> b\ntr t a*2G -> b"))).toEqual(["IMP007 3:6"]);
  });
});
