import { describe, expect, it } from "vitest";
import { itfTrace } from "../src/index.ts";
import { net as parse } from "./net-text.ts";

describe("itfTrace", () => {
  const net = parse("t: i -> 2a; u: a -> i");

  it("[D1.5] has a state for each marking of the run, and says what was fired", () => {
    const int = (tokens: number) => ({ "#bigint": String(tokens) });
    const trace = itfTrace(net, [0, 1], { loop: 1 });
    expect(trace).toMatchObject({ "#meta": { format: "ITF" }, vars: ["transition", "i", "a", "o"], loop: 1 });
    expect(trace["states"]).toEqual([
      { "#meta": { index: 0 }, transition: "", i: int(1), a: int(0), o: int(0) },
      { "#meta": { index: 1 }, transition: "t", i: int(0), a: int(2), o: int(0) },
      { "#meta": { index: 2 }, transition: "u", i: int(1), a: int(1), o: int(0) },
    ]);
    expect("loop" in itfTrace(net, [])).toBe(false);
    expect(() => itfTrace(net, [1])).toThrow(/D1.5/);
  });
});
