/** @module The first fault of each kind that a search meets, on nets small enough to be judged by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { type Findings, inspectState, noFindings, observer, watchOf } from "../src/findings.ts";
import { advance, type StateSpace, stateSpace } from "../src/state-space.ts";
import { structureOf } from "../src/structure.ts";
import { net } from "./net-text.ts";

/** What is met among the first `statesMax` markings, breadth first. */
function met(given: Net, statesMax = 200, known: Partial<Findings> = {}): Findings {
  const watch = watchOf(given, structureOf(given));
  const findings: Findings = { ...noFindings(), ...known };
  const space: StateSpace = stateSpace(given, { observer: observer(watch, findings, () => space) });
  inspectState(watch, findings, space, 0);
  advance(space, statesMax);
  return findings;
}

const run = (given: Net, sequence: readonly number[], tokens: Readonly<Record<string, number>>) => ({
  sequence,
  marking: given.places.map(({ id }) => tokens[id] ?? 0),
});

describe("what a search meets", () => {
  it("[D8.9] nothing in a sound net", () => {
    expect(met(net("t: i -> a + b; u: a -> c; v: b + c -> o"))).toEqual(noFindings());
  });

  it("[D8.5] the first marking with two tokens on a control place, and no later one", () => {
    const given = net("t: i -> 2a; u: 2a -> 2b; v: 2b -> o");
    expect(met(given).unsafe).toEqual({
      kind: "E1",
      run: run(given, [0], { a: 2 }),
      finding: { kind: "unsafe", place: 1 },
    });
    const start = net("t: i -> o", { initial: { i: 2 } });
    expect(met(start).unsafe).toMatchObject({ run: run(start, [], { i: 2 }) });
    // It is looked for also where nothing else is.
    const bare = net("t: i -> 2a; u: 2a -> i", { ends: [] });
    expect(met(bare)).toMatchObject({
      unsafe: { run: run(bare, [0], { a: 2 }) },
      stuck: null,
      improper: null,
    });
  });

  it("[D8.3] the first improper completion, and no later one", () => {
    const given = net("t: i -> 2o; u: i -> a + o; v: a -> b; w: b -> o");
    expect(met(given).improper).toEqual({
      kind: "E1",
      run: run(given, [0], { o: 2 }),
      finding: { kind: "second-token", place: 1 },
    });
    const early = { kind: "E1", run: { sequence: [], marking: [] }, finding: { kind: "deadlock" } } as const;
    expect(met(given, 200, { improper: early }).improper).toBe(early);
    expect(met(given, 200, { unsafe: early, stuck: null }).improper).toMatchObject({
      run: { sequence: [0] },
    });
  });

  it("[D8.3] a step beyond a listed final marking may put its tokens anywhere", () => {
    const given = net("v: -> p; w: p -> ; t: i -> o", { initial: { o: 1 }, finals: [{ o: 1 }] });
    expect(met(given, 3).improper).toEqual({
      kind: "E1",
      run: run(given, [0], { o: 1, p: 1 }),
      finding: { kind: "beyond-final", final: run(given, [], { o: 1 }).marking },
    });
  });

  it("[D8.6] the first deadlock, which is stuck too; a final marking is none", () => {
    const given = net("t: i -> o; l: i -> a; r: i -> b");
    const found = met(given);
    expect(found.deadlock).toEqual({
      kind: "E1",
      run: run(given, [1], { a: 1 }),
      finding: { kind: "deadlock" },
    });
    expect(found.stuck).toMatchObject({ run: run(given, [1], { a: 1 }) });
    expect(met(net("t: i -> a; u: a -> o")).deadlock).toBeNull();
    // Without final markings nothing can be stuck.
    const bare = net("t: i -> a", { ends: [] });
    expect(met(bare)).toMatchObject({ deadlock: { run: run(bare, [0], { a: 1 }) }, stuck: null });
  });

  it("[L8.3] a trap gives way to the first evidence that says what goes wrong", () => {
    const given = net("t: i -> a; u: a -> b; v: b -> a; w: b -> c + o; x: i -> o");
    const { stuck } = met(given);
    expect(stuck?.certificate.kind).toBe("overfull");
    const room = net("t: i -> a; u: a -> b; v: b -> a; x: i -> o");
    expect(met(room).stuck).toEqual({
      kind: "E2",
      run: run(room, [0], { a: 1 }),
      certificate: { kind: "trap", places: [1, 2] },
    });
    // Another fault that was known before is kept.
    const known = {
      kind: "E2",
      run: { sequence: [], marking: [] },
      certificate: { kind: "overfull", place: 0 },
    } as const;
    expect(met(given, 200, { stuck: known }).stuck).toBe(known);
  });

  it("[D8.7] a pump from the nearest marking that is covered, up to 64 firings back", () => {
    const given = net("t: i -> i + p; u: i -> o");
    expect(met(given, 5).pump).toEqual({ kind: "E3-pump", run: run(given, [0, 0], { i: 1, p: 2 }), from: 1 });
    const loop = (length: number) => {
      const at = (k: number) => (k % length === 0 ? "i" : `a${k}`);
      const steps = Array.from(
        { length },
        (_, k) => `s${k}: ${at(k)} -> ${at(k + 1)}${k === 0 ? " + p" : ""}`,
      );
      return net(steps.join("; "));
    };
    expect(met(loop(3)).pump).toMatchObject({ run: { sequence: [0, 1, 2, 0] }, from: 1 });
    expect(met(loop(64), 300).pump).toMatchObject({ from: 1 });
    expect(met(loop(65), 300).pump).toBeNull();
    // The first is kept, and with resets covering means nothing.
    const early = { kind: "E3-pump", run: { sequence: [], marking: [] }, from: 7 } as const;
    expect(met(given, 20, { pump: early }).pump).toBe(early);
    expect(met(net("t: i -> i + p; u: i -> o reset p"), 20).pump).toBeNull();
    expect(met(net("t: i -> a + b; u: a -> 2c; v: b -> 2c"), 20).pump).toBeNull();
  });
});
