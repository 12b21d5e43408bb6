import type { Net } from "@tessera/core";
import { describe, expect, it } from "vitest";
import {
  checkEvidence,
  checkNet,
  type NetEvidence,
  type NetObligationId,
  type StuckEvidence,
  type Verdict,
} from "../src/index.ts";
import { net } from "./net-text.ts";

const improper = net("t: i -> a + b; u: a -> o; v: b -> o");
const deadlocked = net("t0: i -> a + b; ta: a -> c reset b; tc: c + b -> o");
const pumping = net("t: i -> p; u: p -> p + q; v: p -> o");
const leftover = net("t: i -> a + b; u: a -> o; v: b -> b");
const room = net("t: i -> a; u: i -> o; v: a -> b; w: b -> a");
const livelock = net("t: i -> a + x; u: a + x -> b; v: b -> c; w: c -> b; z: c + x -> o; d: a + x -> o");
const fine = net("t: i -> a + b; u: a -> c; v: b -> d; w: c + d -> o");

function failure<E extends NetEvidence>(n: Net, id: NetObligationId): E {
  const { verdict } = checkNet(n).obligations.find((o) => o.id === id)!;
  if (verdict.kind !== "fails") throw new Error(`${id}: ${verdict.kind}`);
  return verdict.evidence as E;
}

const fails = (evidence: NetEvidence): Verdict<NetEvidence> => ({ kind: "fails", evidence });
const reason = (n: Net, id: NetObligationId | "sound", evidence: NetEvidence) => {
  const checked = checkEvidence(n, id, fails(evidence));
  return checked.kind === "valid" ? "valid" : checked.reason;
};
const stuck = (certificate: StuckEvidence["certificate"], run: StuckEvidence["run"]): StuckEvidence => ({
  kind: "E2",
  run,
  certificate,
});

describe("[D8.9] the certificate checker refuses", () => {
  it("[D8.9] runs that do not fire or reach another marking", () => {
    const good = failure<Extract<NetEvidence, { kind: "E1" }>>(improper, "O2");
    expect(reason(improper, "O2", good)).toBe("valid");
    expect(
      reason(improper, "O2", { ...good, run: { ...good.run, sequence: [...good.run.sequence].reverse() } }),
    ).toMatch(/not enabled/);
    expect(
      reason(improper, "O2", { ...good, run: { ...good.run, marking: [...good.run.marking].reverse() } }),
    ).toMatch(/another marking/);
    expect(reason(improper, "O2", { ...good, run: { sequence: [0], marking: [0, 1, 1, 0] } })).toMatch(
      /no second token/,
    );
  });

  it("[D8.9] evidence against another obligation", () => {
    const good = failure(improper, "O2");
    expect(reason(improper, "sound", good)).toBe("valid");
    expect(reason(improper, "O4", good)).toMatch(/no evidence against O4/);
    expect(reason(improper, "O1", good)).toMatch(/no evidence against O1/);
    expect(reason(room, "O2", failure(room, "O1"))).toMatch(/no evidence against O2/);
    expect(reason(deadlocked, "O1", failure(deadlocked, "O3"))).toMatch(/no evidence against O1/);
    expect(reason(deadlocked, "sound", failure(deadlocked, "deadlock"))).toMatch(/no evidence against sound/);
  });

  it("[D8.5] [D8.6] safe places and living markings", () => {
    const run = { sequence: [0], marking: [0, 1, 1, 0] };
    expect(reason(improper, "O4", { kind: "E1", run, finding: { kind: "unsafe", place: 1 } })).toMatch(
      /safe there/,
    );
    expect(reason(improper, "deadlock", { kind: "E1", run, finding: { kind: "deadlock" } })).toMatch(
      /not a deadlock/,
    );
    expect(
      reason(improper, "O2", { kind: "E1", run, finding: { kind: "beyond-final", final: [0, 0, 0, 1] } }),
    ).toMatch(/not beyond/);
  });

  it("[D8.2] closed sets that are left, miscounted, miss the marking or contain a final one", () => {
    const good = failure<StuckEvidence>(livelock, "O1");
    expect(reason(livelock, "O1", good)).toBe("valid");
    if (good.certificate.kind !== "closed-set" || good.certificate.markings === null)
      throw new Error("listed");
    const { markings } = good.certificate;
    const withSet = (listed: readonly (readonly number[])[] | null, size = listed?.length ?? 2) =>
      stuck({ kind: "closed-set", size, markings: listed }, good.run);
    expect(reason(livelock, "O1", withSet(null))).toBe("valid");
    expect(reason(livelock, "O1", withSet(markings.slice(0, 1)))).toMatch(/is left by/);
    expect(reason(livelock, "O1", withSet(markings, 3))).toMatch(/2 markings, not 3/);
    expect(reason(livelock, "O1", withSet(null, 1))).toMatch(/more than 1/);
    expect(reason(livelock, "O1", withSet(null, 3))).toMatch(/not 3/);
    expect(reason(livelock, "O1", withSet(markings.slice(1), 1))).toMatch(/does not contain|is left/);
    const end = livelock.places.map((p) => (p.id === "o" ? 1 : 0));
    expect(reason(livelock, "O1", withSet([...markings, end]))).toMatch(/final marking/);
    const checked = checkEvidence(livelock, "O1", fails(withSet(null, 30_000)));
    expect(checked.kind).toBe("unchecked");
  });

  it("[L8.1] covers-final where a condition is missing", () => {
    const good = failure<StuckEvidence>(leftover, "O1");
    expect(reason(leftover, "O1", good)).toBe("valid");
    const leaky: Net = {
      ...leftover,
      transitions: [...leftover.transitions, { id: "x", pre: [[2, 1]], any: [], post: [], reset: [] }],
    };
    expect(reason(leaky, "O1", good)).toMatch(/produces nothing/);
    const taken: Net = {
      ...leftover,
      transitions: [...leftover.transitions, { id: "x", pre: [[3, 1]], any: [], post: [[3, 1]], reset: [] }],
    };
    expect(reason(taken, "O1", good)).toMatch(/takes from the final/);
    const ends: Net = { ...leftover, finals: { kind: "ends", ends: [2, 3] } };
    expect(reason(ends, "O1", good)).toMatch(/not the only/);
    expect(reason(leftover, "O1", stuck(good.certificate, { sequence: [0], marking: [0, 1, 1, 0] }))).toMatch(
      /strictly cover/,
    );
  });

  it("[L8.2] overfull places that are emptied or not too full", () => {
    const run = { sequence: [0, 1, 2], marking: [0, 0, 0, 2] };
    expect(reason(improper, "O1", stuck({ kind: "overfull", place: 3 }, run))).toBe("valid");
    expect(reason(improper, "O1", stuck({ kind: "overfull", place: 1 }, run))).toMatch(
      /takes from the place/,
    );
    expect(
      reason(
        improper,
        "O1",
        stuck({ kind: "overfull", place: 3 }, { sequence: [0, 1], marking: [0, 0, 1, 1] }),
      ),
    ).toMatch(/as many/);
  });

  it("[L8.3] sets that are no trap, hold a final place or are not marked", () => {
    const run = { sequence: [0], marking: [0, 1, 0, 0] };
    const at = (id: string) => room.places.findIndex((p) => p.id === id);
    const trap = (...ids: string[]) => stuck({ kind: "trap", places: ids.map(at) }, run);
    const M = room.places.map((p) => (p.id === "a" ? 1 : 0));
    const here = { sequence: [0], marking: M };
    expect(reason(room, "O1", { ...trap("a", "b"), run: here })).toBe("valid");
    expect(reason(room, "O1", { ...trap("a"), run: here })).toMatch(/puts nothing back/);
    expect(reason(room, "O1", { ...trap("a", "b", "o"), run: here })).toMatch(/final marking marks/);
    expect(reason(room, "O1", { ...trap("a", "b"), run: { sequence: [], marking: room.initial } })).toMatch(
      /not marked/,
    );
    const reset: Net = {
      ...room,
      transitions: room.transitions.map((t) => (t.id === "u" ? { ...t, reset: [at("b")] } : t)),
    };
    expect(reason(reset, "O1", { ...trap("a", "b"), run: here })).toMatch(/puts nothing back/);
  });

  it("[L8.4] sets that are no siphon, are marked, or that no final marking needs", () => {
    const n = net("t: i -> a; u: x -> o; v: a -> a");
    const at = (...ids: string[]) => ids.map((id) => n.places.findIndex((p) => p.id === id));
    const siphon = (...ids: string[]) =>
      stuck({ kind: "empty-siphon", places: at(...ids) }, { sequence: [], marking: n.initial });
    expect(reason(n, "O1", siphon("x", "o"))).toBe("valid");
    expect(reason(n, "O1", siphon("o"))).toMatch(/needs none/);
    expect(reason(n, "O1", siphon("x", "o", "i"))).toMatch(/is marked/);
    expect(reason(n, "O1", siphon("x"))).toMatch(/needs no token/);
    const dead = (...ids: string[]): NetEvidence => ({
      kind: "E3",
      dead: [{ element: { kind: "transition", transition: 1 }, transitions: [1] }],
      certificate: { kind: "empty-siphon", places: at(...ids) },
    });
    expect(reason(n, "O3", dead("x"))).toBe("valid");
    expect(reason(n, "O3", dead("o"))).toMatch(/does not need/);
  });

  it("[D8.4] elements that fire, are none, or none at all", () => {
    const good = failure<Extract<NetEvidence, { kind: "E3" }>>(deadlocked, "O3");
    expect(reason(deadlocked, "O3", good)).toBe("valid");
    expect(reason(deadlocked, "O3", { ...good, dead: [] })).toMatch(/no dead element/);
    const element = { element: { kind: "transition", transition: 1 }, transitions: [1] } as const;
    expect(reason(deadlocked, "O3", { ...good, dead: [element] })).toMatch(/is enabled/);
    expect(reason(deadlocked, "O3", { ...good, dead: [{ ...element, transitions: [] }] })).toMatch(
      /not an element/,
    );
  });

  it("[D8.7] [T8.1] [T8.2] pumps that do not gain, and theorems without their conditions", () => {
    const pump = failure<Extract<NetEvidence, { kind: "E1" }>>(pumping, "bounded");
    expect(reason(pumping, "bounded", pump)).toBe("valid");
    expect(reason(pumping, "bounded", { ...pump, finding: { kind: "pump", from: 0 } })).toMatch(
      /does not gain/,
    );
    const reset: Net = {
      ...pumping,
      transitions: pumping.transitions.map((t) => ({ ...t, reset: t.id === "v" ? [2] : [] })),
    };
    expect(reason(reset, "bounded", pump)).toMatch(/not monotone/);
    if (pump.finding.kind !== "pump") throw new Error(pump.finding.kind);
    const theorem: NetEvidence = { kind: "E3-pump", run: pump.run, from: pump.finding.from };
    expect(reason(pumping, "O1", theorem)).toBe("valid");
    expect(reason(pumping, "sound", theorem)).toBe("valid");
    expect(reason(pumping, "O2", theorem)).toMatch(/no evidence against O2/);
    const two: Net = { ...pumping, finals: { kind: "ends", ends: [2, 3] } };
    expect(reason(two, "O1", theorem)).toMatch(/more than one/);
    const silent: Net = {
      ...pumping,
      transitions: [...pumping.transitions, { id: "x", pre: [[2, 1]], any: [], post: [], reset: [] }],
    };
    expect(reason(silent, "O1", theorem)).toMatch(/produces nothing/);
    const taken: Net = {
      ...pumping,
      transitions: [...pumping.transitions, { id: "x", pre: [[3, 1]], any: [], post: [[3, 1]], reset: [] }],
    };
    expect(reason(taken, "sound", theorem)).toMatch(/takes from/);
    const list: Net = {
      ...pumping,
      finals: {
        kind: "markings",
        markings: [
          [0, 0, 0, 1],
          [0, 0, 1, 1],
        ],
      },
    };
    expect(reason(list, "sound", theorem)).toMatch(/several final/);
  });

  it("[D8.9] enumerations of another size, and claims of `holds` that are false", () => {
    const report = checkNet(fine);
    for (const { id, verdict } of report.obligations)
      expect(checkEvidence(fine, id, verdict)).toEqual({ kind: "valid" });
    const claim = (states: number): Verdict<never> => ({
      kind: "holds",
      evidence: { class: "enumerated", method: "", states },
    });
    expect(checkEvidence(fine, "O1", claim(5)).kind).toBe("invalid");
    expect(checkEvidence(fine, "O1", claim(7)).kind).toBe("invalid");
    expect(checkEvidence(fine, "sound", claim(6))).toEqual({ kind: "valid" });
    expect(checkEvidence(fine, "O1", claim(30_000)).kind).toBe("unchecked");
    const states = checkNet(improper).states;
    for (const id of ["O1", "O2", "O4", "deadlock", "sound"] as const) {
      expect([id, checkEvidence(improper, id, claim(states)).kind]).toEqual([id, "invalid"]);
    }
    expect(checkEvidence(deadlocked, "O3", claim(checkNet(deadlocked).states)).kind).toBe("invalid");
    expect(
      checkEvidence(fine, "O1", { kind: "holds", evidence: { class: "compact", method: "", states: 6 } })
        .kind,
    ).toBe("invalid");
    expect(
      checkEvidence(fine, "O1", { kind: "holds", evidence: { class: "recomputable", method: "", states: 6 } })
        .kind,
    ).toBe("unchecked");
  });

  it("[D8.4] runs for O3 that miss an element or do not fire", () => {
    const claim = (runs: readonly (readonly number[])[]): Verdict<never> => ({
      kind: "holds",
      evidence: { class: "compact", method: "", states: 0, runs },
    });
    const runs = [[0], [0, 1], [0, 2], [0, 1, 2, 3]];
    expect(checkEvidence(fine, "O3", claim(runs))).toEqual({ kind: "valid" });
    expect(checkEvidence(fine, "O3", claim(runs.slice(1))).kind).toBe("invalid");
    expect(checkEvidence(fine, "O3", claim([[0], [0, 1], [0, 2], [0, 1, 2]])).kind).toBe("invalid");
    expect(checkEvidence(fine, "O3", claim([[0], [1], [0, 2], [0, 1, 2, 3]])).kind).toBe("invalid");
  });

  it("[D8.9] [D1.2] nets with numbers that are not counted exactly: one more than 2^53 - 1 and one more again are the same", () => {
    const growing = net("t: i -> 2i", { initial: { i: Number.MAX_SAFE_INTEGER } });
    const claim = { kind: "holds", evidence: { class: "enumerated", method: "", states: 2 } } as const;
    expect(checkEvidence(growing, "bounded", claim).kind).toBe("unchecked");
    expect(checkEvidence(net("t: i -> i", { initial: { i: 2 ** 31 - 1 } }), "bounded", claim).kind).toBe(
      "invalid",
    );
  });
});
