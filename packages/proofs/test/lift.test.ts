/** @module What is carried back from reduced nets, on nets small enough to be reduced by hand. */
import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { drawnOut, liftFailure, lifting, liftRun } from "../src/reduction/lift.ts";
import { liftRuns } from "../src/reduction/lift-runs.ts";
import type { Reduction } from "../src/reduction/reduce.ts";
import type { NetEvidence, NetObligationId } from "../src/verdict.ts";
import { reduced, stepsOf } from "./named-reduction.ts";
import { net } from "./net-text.ts";

describe("what is carried back", () => {
  const line = net("t: i -> a; u: a -> b; v: b -> o + c; w: c -> d");
  const at = (given: Net, ids: string) => given.places.map(({ id }) => (ids.split(" ").includes(id) ? 1 : 0));

  it("[T13.1] a run, with what was fired at the start", () => {
    const lift = lifting(line, reduced(line, "a c d"));
    expect(lift.reduction.prefix.length).toBe(1);
    expect(liftRun(lift, [])).toEqual({ sequence: [0], marking: at(line, "a") });
    expect(liftRun(lift, [0])).toEqual({ sequence: [0, 1, 2], marking: at(line, "o c") });
    expect(liftRun(lift, [0, 1])).toEqual({ sequence: [0, 1, 2, 3], marking: at(line, "o d") });
    expect(liftRun(lift, [1])).toBeNull();
    expect(() => liftRun(lift, [9])).toThrow("D1.3");
  });

  it("[T13.1] a run is drawn out until nothing is enabled", () => {
    const run = { sequence: [7], marking: at(line, "a") };
    expect(drawnOut(line, run, 3)).toEqual({ sequence: [7, 1, 2, 3], marking: at(line, "o d") });
    expect(drawnOut(line, run, 2)).toBeNull();
    // What changes nothing is passed over, and is no end.
    const looping = net("z: a -> a; t: a -> b; y: b -> b");
    expect(drawnOut(looping, { sequence: [], marking: at(looping, "a") }, 9)).toBeNull();
    const passing = net("z: a -> a; t: a -> b");
    expect(drawnOut(passing, { sequence: [], marking: at(passing, "a") }, 9)).toEqual({
      sequence: [1],
      marking: at(passing, "b"),
    });
  });

  /** The evidence that is made of evidence in the reduced net, in which the named places stay. */
  function lifted(
    text: string,
    kept: string,
    id: NetObligationId | "sound",
    evidence: (reduction: Reduction) => object,
    size: number | null = null,
    options: Parameters<typeof net>[1] = {},
  ) {
    const given = net(text, options);
    const reduction = reduced(given, kept);
    return liftFailure(lifting(given, reduction), id, evidence(reduction) as NetEvidence, size);
  }
  const e1 = (sequence: readonly number[], finding: object) => () => ({
    kind: "E1",
    run: { sequence, marking: [] },
    finding,
  });

  it("[T13.1] a fault that is visible is looked for where the run ends", () => {
    const text = "t: i -> a + b; u: a -> o; v: b -> o";
    const [second, unsafe] = [{ kind: "second-token" }, { kind: "unsafe" }];
    expect(lifted(text, "a b i", "O2", e1([0, 1, 2], second))).toEqual({
      kind: "E1",
      run: { sequence: [0, 1, 2], marking: [0, 0, 0, 2] },
      finding: { kind: "second-token", place: 3 },
    });
    expect(lifted(text, "a b i", "O2", e1([0, 1], second))).toBeNull();
    expect(lifted(text, "a b i", "O2", e1([1], second))).toBeNull();
    expect(lifted(text, "a b i", "O4", e1([0, 1, 2], unsafe))).toMatchObject({
      finding: { kind: "unsafe", place: 3 },
    });
    expect(lifted(text, "a b i", "O4", e1([0], unsafe))).toBeNull();
    expect(
      lifted(text, "a b i", "O2", e1([0, 1, 2], { kind: "beyond-final" }), null, { finals: [{ o: 1 }] }),
    ).toMatchObject({ finding: { kind: "beyond-final", final: [0, 0, 0, 1] } });
  });

  it("[T13.1] a deadlock is drawn out, and is none where the run ends well", () => {
    const text = "t: i -> a; u: a -> b; v: i -> o";
    const deadlock = { kind: "deadlock" };
    expect(lifted(text, "i a b", "deadlock", e1([0], deadlock))).toEqual({
      kind: "E1",
      run: { sequence: [0, 1], marking: [0, 0, 1, 0] },
      finding: { kind: "deadlock" },
    });
    expect(lifted(text, "i a b", "deadlock", e1([2], deadlock))).toBeNull();
    expect(lifted("t: i -> a; u: a -> b; v: b -> a", "i a b", "deadlock", e1([0], deadlock))).toBeNull();
  });

  it("[T13.1] a pump is one in the net too, or is not carried back", () => {
    const text = "t: i -> i + p; u: i -> o; v: p -> i";
    const pump = (from: number) => ({ kind: "pump", from });
    expect(lifted(text, "i p", "bounded", e1([0, 0], pump(1)))).toEqual({
      kind: "E1",
      run: { sequence: [0, 0], marking: [1, 2, 0] },
      finding: { kind: "pump", from: 1 },
    });
    expect(lifted(text, "i p", "O1", e1([0, 0], pump(1)))).toEqual({
      kind: "E3-pump",
      run: { sequence: [0, 0], marking: [1, 2, 0] },
      from: 1,
    });
    expect(lifted(text, "i p", "bounded", e1([0, 0], pump(2)))).toBeNull();
    expect(lifted(text, "i p", "bounded", e1([1], pump(0)))).toBeNull();
    const other = () => ({ kind: "E3-pump", run: { sequence: [0], marking: [] }, from: 0 });
    expect(lifted(text, "i p", "O1", other)).toMatchObject({ kind: "E3-pump", from: 0 });
    // A firing of the reduced net is two of the net.
    expect(
      lifted("t: i -> q; s: q -> i + p; u: i -> o", "i p", "bounded", e1([0, 0], pump(1))),
    ).toMatchObject({
      run: { sequence: [0, 1, 0, 1] },
      finding: { from: 2 },
    });
  });

  it("[T13.1] what cannot complete is shown anew; an ill-formed net names no run", () => {
    const text = "t: i -> a; u: a -> b; v: b -> a; s: i -> o";
    const stuck = (sequence: readonly number[]) => () => ({ kind: "E2", run: { sequence, marking: [] } });
    expect(lifted(text, "i a b", "O1", stuck([0]))).toMatchObject({
      kind: "E2",
      run: { sequence: [0] },
      certificate: { kind: "closed-set", size: 2, markings: [at(net(text), "a"), at(net(text), "b")] },
    });
    expect(lifted(text, "i a b", "O1", stuck([1]))).toBeNull();
    expect(lifted("t: i -> a; u: a -> b; v: i -> o", "i a b", "O1", stuck([0]))).toMatchObject({
      run: { sequence: [0, 1] },
      certificate: { kind: "closed-set", size: 1, markings: [[0, 0, 1, 0]] },
    });
    expect(lifted("t: i -> o; u: i -> o + o2", "i o2", "O1", stuck([1]))).toMatchObject({
      certificate: { kind: "overfull", place: 2 },
    });
    // What ends well, or goes on and can end well, is not stuck.
    expect(lifted("t: i -> o", "i", "O1", stuck([]))).toBeNull();
    expect(lifted("t: i -> a; u: a -> i; v: i -> o", "i a", "O1", stuck([0]))).toBeNull();
    // Markings are listed up to 256; the end is filled only with all of x and y, of which z takes one.
    const switches = (count: number) => {
      const range = Array.from({ length: count }, (_, k) => k);
      const turns = range.flatMap((k) => [`s${k}: x${k} -> y${k}`, `b${k}: y${k} -> x${k}`]);
      const given = `t: i -> ${range.map((k) => `x${k}`).join(" + ")}; ${turns.join("; ")}; v: x0 + y0 -> o`;
      const kept = ["i", ...range.flatMap((k) => [`x${k}`, `y${k}`])].join(" ");
      const found = lifted(given, kept, "O1", stuck([0])) as { certificate: { markings: unknown[] | null } };
      return { certificate: { ...found.certificate, markings: found.certificate.markings?.length } };
    };
    expect(switches(8)).toEqual({ certificate: { kind: "closed-set", size: 256, markings: 256 } });
    expect(switches(9)).toEqual({ certificate: { kind: "closed-set", size: 512, markings: undefined } });
    // Too many markings to be counted, but a room without exit.
    expect(lifted("t: i -> r; u: r -> s + p; v: s -> r; w: p -> o", "i r s p", "O1", stuck([0]))).toEqual({
      kind: "E2",
      run: { sequence: [0], marking: [0, 1, 0, 0, 0] },
      certificate: { kind: "trap", places: [1, 2] },
    });
    expect(lifted("t: i -> i + i2; u: i -> o; v: i2 -> ", "i i2", "O1", stuck([]))).toBeNull();
    expect(
      lifted(text, "i a b", "sound", () => ({ kind: "E3-ill-formed", reason: { kind: "rank-large" } })),
    ).toBeNull();
  });

  it("[T13.2] dead elements: by the siphon that starts empty, else by what carries them", () => {
    const dead =
      (...transitions: number[]) =>
      () => ({
        kind: "E3",
        dead: transitions.map((t) => ({ element: { kind: "transition", transition: t }, transitions: [t] })),
        certificate: { kind: "closed-set", size: 0, markings: null },
      });
    // x is empty for ever; y and z never have tokens at the same time.
    const text = "t: i -> y; s: i -> z; u: y + z -> o; v: y -> o; w: z -> o; k: x -> o";
    const kept = "i x y z o";
    const element = (t: number) => ({ element: { kind: "transition", transition: t }, transitions: [t] });
    expect(lifted(text, kept, "O3", dead(2, 5), 4)).toMatchObject({
      kind: "E3",
      dead: [element(2), element(5)],
      certificate: { kind: "reduced", size: 4, steps: [] },
    });
    expect(lifted(text, kept, "O3", dead(2, 5))).toEqual({
      kind: "E3",
      dead: [element(5)],
      certificate: { kind: "empty-siphon", places: [4] },
    });
    expect(lifted(text, kept, "O3", dead(5), 4)).toMatchObject({ certificate: { kind: "empty-siphon" } });
    expect(lifted(text, kept, "O3", dead(2))).toBeNull();
    expect(lifted(text, kept, "O3", dead(), 4)).toBeNull();
    const stubborn = () => ({ ...dead(2)(), certificate: { kind: "stubborn", graphs: [] } });
    expect(lifted(text, kept, "O3", stubborn)).toMatchObject({
      dead: [element(2)],
      certificate: { kind: "reduced", size: 0, steps: [], stubborn: { kind: "stubborn", graphs: [] } },
    });
    // What pre-agglomeration took away fires all the same, though what carries it never does.
    const taken = "t: i -> y; s: i -> z; h: y + c -> q; u: q + z -> o; w: z -> o";
    const start = { initial: { i: 1, c: 1 } };
    expect(stepsOf(net(taken, start), reduced(net(taken, start), "i z"))).toEqual(["pre q"]);
    expect(lifted(taken, "i z", "O3", dead(2), 4, start)).toBeNull();
  });

  /** The net with its transitions as variants of the nodes of these numbers. */
  const variants = (text: string, nodes: readonly number[], initial = { i: 1, c: 1 }): Net => {
    const given = net(text, { initial });
    const origin = (node: number) => ({ node, phase: "step" as const, consumed: [], chosen: [] });
    const transitions = given.transitions.map((t, k) => ({
      ...t,
      generated: true as const,
      origin: origin(nodes[k] ?? -1),
    }));
    return { ...given, transitions };
  };

  it("[T13.2] an element is dead if all its variants are, and fires if one does", () => {
    const deadOf = (text: string, nodes: readonly number[], dead: readonly number[], kept: string) => {
      const given = variants(text, nodes);
      const reduction = reduced(given, kept);
      const evidence = {
        kind: "E3",
        dead: dead.map((t) => ({ element: { kind: "transition", transition: t }, transitions: [t] })),
        certificate: { kind: "closed-set", size: 0, markings: null },
      } as NetEvidence;
      const found = liftFailure(lifting(given, reduction), "O3", evidence, 3);
      if (found?.kind !== "E3") return null;
      return { by: found.certificate.kind, dead: found.dead.map(({ transitions }) => transitions) };
    };
    const text = "t: i -> y; s: i -> z; u: y + z -> o; v: y -> o; w: z -> o; k: x -> o";
    const kept = "i x y z o";
    expect(deadOf(text, [0, 1, 2, 2, 3, 4], [2, 5], kept)).toEqual({ by: "empty-siphon", dead: [[5]] });
    expect(deadOf(text, [0, 1, 2, 3, 4, 2], [2, 5], kept)).toEqual({ by: "reduced", dead: [[2, 5]] });
    // One place of the empty siphon is enough for a transition.
    expect(deadOf("t: i -> o; k: x + i -> o", [0, 1], [1], "i x o")).toEqual({
      by: "empty-siphon",
      dead: [[1]],
    });
    // u was taken away by pre-agglomeration, and may fire; v needs what is never there.
    const taken = "t: i -> y; s: i -> z; h: y + c -> q; u: q + z -> o; w: z -> o";
    expect(deadOf(taken, [0, 1, 2, 2, 3], [2], "i z")).toBeNull();
    const given = variants("t: i -> a; u: a + x -> o; v: a -> o", [0, 1, 1]);
    expect(liftRuns(given, reduced(given, "i a x"), [[0], [0, 2]])).toEqual([[0], [0, 2]]);
    expect(liftRuns(given, reduced(given, "i a x"), [[0]])).toBeNull();
  });

  it("[T13.1] [T13.8] a run to each element, also to what was taken away", () => {
    const runsTo = (text: string, kept: string, runs: readonly (readonly number[])[]) => {
      const given = net(text);
      return liftRuns(given, reduced(given, kept), runs);
    };
    expect(runsTo("t: i -> q; u: q -> o", "i", [[0]])).toEqual([[0], [0, 1]]);
    expect(runsTo("t: i -> q; u: q -> o", "", [])).toEqual([[0], [0, 1]]);
    expect(runsTo("t: i -> a; u: a -> a; v: a -> o", "i a", [[0], [0, 1]])).toEqual([[0], [0, 1], [0, 2]]);
    expect(
      runsTo("t: i -> a + b; u: a + b -> a + b; v: a -> o; w: b -> o", "i a b", [[0], [0, 1], [0, 2]]),
    ).toEqual([[0], [0, 1], [0, 2], [0, 3]]);
    expect(runsTo("t: i -> i; v: i -> o", "i", [[0]])).toEqual([[0], [1]]);
    expect(runsTo("t: i -> a; u: i -> a; v: a -> o", "i a", [[0], [0, 1]])).toEqual([[0], [1], [0, 2]]);
    expect(runsTo("t: i -> a; u: a -> b; v: b -> o", "i a b", [[0], [0, 1]])).toBeNull();
    expect(runsTo("t: i -> a; u: a -> b; v: b -> o", "i a b", [[0], [0, 1], [1, 2]])).toBeNull();
    // What is idle at the start fires before what was fired there later; what nothing shows, never.
    expect(runsTo("t: i -> i; v: i -> o", "", [])).toEqual([[0], [1]]);
    expect(runsTo("t: i -> a; u: a -> a; v: a -> o", "i a", [[0]])).toBeNull();
    // Runs of nothing, of what there is not, and such as do not fire.
    expect(runsTo("t: i -> a; u: a -> o", "i a", [[], [0]])).toBeNull();
    expect(runsTo("t: a -> o; u: i -> a", "i a", [[0, 0], [1]])).toBeNull();
    expect(() => runsTo("t: a -> o; u: i -> a", "i a", [[5, 0], [1]])).toThrow("D1.3");
    expect(runsTo("t: i -> a; u: a -> o", "i a", [[0], [7]])).toBeNull();
    // The shortest run to each.
    expect(
      runsTo("t: i -> a; u: a -> i; v: a -> o", "i a", [[0, 1, 0], [0], [0, 1], [0, 1, 0, 2], [0, 2]]),
    ).toEqual([[0], [0, 1], [0, 2]]);
  });
});
