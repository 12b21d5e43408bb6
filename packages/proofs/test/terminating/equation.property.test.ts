import type { Json, Net } from "@tessera/core";
import {
  arbitraryMistakenWorkflowNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementsOf } from "../../src/elements.ts";
import {
  certificateOf,
  checkEvidence,
  type NetReport,
  proveNet,
  verifyCertificate,
} from "../../src/index.ts";
import { mutants } from "../mutants.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, judge } from "../oracle.ts";
import { terminatingNets } from "./arbitrary-terminating.ts";

/** So few markings that the search decides next to nothing. */
const FEW = { statesMax: 2, statesAfterFailureMax: 2, timeoutMs: 60_000 };
const STATES = 300;

type Prove = (net: Net) => NetReport;
const prove: Prove = (net) => proveNet(net, { limits: FEW });

/** The truth by hand; null beyond the limit. */
function truth(net: Net): Readonly<Record<string, boolean>> | null {
  const found = judge(net, STATES);
  const graph = graphOf(net, net.initial, STATES);
  if (found === null || graph === null) return null;
  const fired = new Set([...graph.values()].flat().map(({ t }) => t));
  const O3 = elementsOf(net).every(({ transitions }) => transitions.some((t) => fired.has(t)));
  const { O1, O2, O4, deadlock } = found;
  return { O1, O2, O3, O4, deadlock, bounded: true, sound: O1 && O2 && O3 };
}

/** Law: what is answered is true by hand, and supported. Returns how often the equation answered, by obligation. */
function agrees(
  implementation: Prove,
  nets: fc.Arbitrary<Net>,
  numRuns: number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(nets, (net) => {
      const expected = truth(net);
      const { obligations, soundness } = implementation(net);
      const isDivided = soundness.kind === "holds" && soundness.evidence.class === "recomputable";
      for (const { id, verdict } of [...obligations, { id: "sound" as const, verdict: soundness }]) {
        if (id !== "sound" || !isDivided)
          expect({ id, checked: checkEvidence(net, id, verdict) }).toEqual({
            id,
            checked: { kind: "valid" },
          });
        if (expected !== null && verdict.kind !== "unknown")
          expect({ id, kind: verdict.kind }).toEqual({ id, kind: expected[id] === true ? "holds" : "fails" });
      }
      for (const { id, verdict, method } of obligations) {
        const key = `${id} ${verdict.kind}`;
        const isBy = /state equation|weights|state-equation/u.test(method) || isByEquation(verdict);
        if (isBy) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }),
    { numRuns },
  );
  return counts;
}

function isByEquation(verdict: NetReport["obligations"][number]["verdict"]): boolean {
  if (verdict.kind !== "fails" || verdict.evidence.kind !== "E3") return false;
  const { certificate } = verdict.evidence;
  return certificate.kind === "terminating" && certificate.inner.kind === "state-equation";
}

/** Workflow nets in which some transitions reset places that are no ends, and nets without any order. */
const resetNets = fc.oneof(
  arbitraryNetOfClass("reset"),
  fc
    .tuple(
      fc.oneof(
        arbitraryWorkflowNet(2),
        arbitraryMistakenWorkflowNet(2).map(({ net }) => net),
      ),
      fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 }),
    )
    .map(([net, resets]): Net => {
      const ends = net.finals.kind === "ends" ? net.finals.ends : [];
      const inner = [...net.places.keys()].filter((place) => !ends.includes(place));
      const transitions = net.transitions.map((t, at) => {
        const own = resets.flatMap(([which, place]) =>
          which % net.transitions.length === at ? [inner[place % inner.length]!] : [],
        );
        return { ...t, reset: [...new Set(own)] };
      });
      return { ...net, transitions };
    }),
);

describe("the state equation where tokens are reset", () => {
  it("[T24.9] [D24.12] tells of nets with resets what their skeleton tells, and nothing else", () => {
    const found = agrees(prove, resetNets, 600);
    for (const key of ["O2 holds", "O4 holds", "O3 fails", "bounded holds"])
      expect([key, found.get(key) ?? 0]).toSatisfy(([, count]: [string, number]) => count > 5);
    expect([...found.keys()].filter((key) => /O1|deadlock/u.test(key))).toEqual([]);
  }, 60_000);

  it("[T13.6] [T13.7] tells of nets with terminations what their remainder tells", () => {
    const found = agrees(prove, terminatingNets, 500);
    for (const key of ["O2 holds", "O4 holds", "O3 fails", "bounded holds", "deadlock holds"])
      expect([key, found.get(key) ?? 0]).toSatisfy(([, count]: [string, number]) => count > 5);
  }, 60_000);

  it("[T24.9] the laws refuse a stage that takes the skeleton for the net, or what is less than it", () => {
    const skeleton: Prove = (net) =>
      prove({ ...net, transitions: net.transitions.map((t) => ({ ...t, reset: [] })) });
    const less: Prove = (net) =>
      prove({
        ...net,
        transitions: net.transitions.map((t) => ({ ...t, reset: [], post: t.post.slice(1) })),
      });
    for (const nets of [resetNets, terminatingNets])
      for (const broken of [skeleton, less]) expect(() => agrees(broken, nets, 1500)).toThrow();
  }, 60_000);

  it("[T24.9] the examples of what does not carry over", () => {
    const stuck = parse("t: i -> a + b; u: a -> c reset b; v: b + c -> o");
    const loose = parse("t: i -> a + b; u: a -> o reset b");
    const kinds = (net: Net) =>
      Object.fromEntries(prove(net).obligations.map(({ id, verdict }) => [id, verdict.kind]));
    expect(kinds(stuck)).toMatchObject({ O1: "unknown", O2: "holds", O4: "holds", deadlock: "unknown" });
    expect(kinds(loose)).toMatchObject({ O1: "unknown", O2: "holds", O4: "holds" });
    const claim = (net: Net) =>
      prove({ ...net, transitions: net.transitions.map((t) => ({ ...t, reset: [] })) }).obligations;
    // The skeleton refutes O1 of the second net, and excludes a deadlock of the first: neither is taken.
    for (const { id, verdict } of claim(loose).filter(({ id }) => id === "O1"))
      expect([verdict.kind, checkEvidence(loose, id, verdict).kind]).toEqual(["fails", "invalid"]);
  });

  it("[T24.9] [T13.6] no mutant of the evidence is accepted for what is not true", () => {
    let [refused, wrapped] = [0, 0];
    fc.assert(
      fc.property(fc.oneof(resetNets, { weight: 4, arbitrary: terminatingNets }), (net) => {
        const expected = truth(net);
        const lines = prove(net).obligations.filter(
          ({ verdict, method }) => /equation|weights/u.test(method) || isByEquation(verdict),
        );
        if (expected === null || lines.length === 0) return;
        const file = JSON.parse(JSON.stringify(certificateOf(net, lines))) as Json;
        if (JSON.stringify(file).includes('"terminating"')) wrapped += 1;
        refused += refusedOf(net, file, expected);
      }),
      { numRuns: 100 },
    );
    expect(refused).toBeGreaterThan(1000);
    expect(wrapped).toBeGreaterThan(3);
  }, 120_000);

  it("[T13.6] no mutant of evidence that has O2 apart is accepted for what is not true", () => {
    const net = parse(
      "a: p1 -> p1; b: p0 -> p1; c: p2 -> p3; d: p2 -> p3; e: p4 -> p5; f: p6 -> p6; s: i -> p0 + p2 + p4; " +
        "j: p1 + p3 + p6 -> o; x: p5 -> y; w: p4 -> y; z: y -> e2 reset i p0 p1 p2 p3 p4 p5 p6 y",
      { ends: ["o", "e2"] },
    );
    const found = Array.from({ length: 20 }, (_, at) => {
      const limits = { statesMax: at + 1, statesAfterFailureMax: at + 1 };
      return proveNet(net, { limits }).obligations.filter(({ verdict }) => hasProper(verdict));
    });
    const lines = found.find((given) => given.length > 0)!;
    const file = JSON.parse(JSON.stringify(certificateOf(net, lines))) as Json;
    expect(verifyCertificate(net, file)).toMatchObject({
      claims: lines.map(() => ({ checked: { kind: "valid" } })),
    });
    expect(refusedOf(net, file, truth(net)!)).toBeGreaterThan(100);
    // Without what shows O2 nothing is shown.
    for (const { id, verdict } of lines) {
      if (verdict.kind !== "holds" || verdict.evidence.certificate?.kind !== "terminating")
        throw new Error(id);
      const { proper: _, ...less } = verdict.evidence.certificate;
      const claim = { ...verdict, evidence: { ...verdict.evidence, certificate: less } };
      expect(checkEvidence(net, id, claim).kind).toBe("invalid");
    }
  }, 60_000);
});

/** How many mutants of the file are refused; those that are accepted say what is true. */
function refusedOf(net: Net, file: Json, expected: Readonly<Record<string, boolean>>): number {
  let refused = 0;
  for (const mutant of mutants(file)) {
    const found = verifyCertificate(net, mutant);
    if (found.kind !== "verified") refused += 1;
    else
      for (const { id, verdict, checked } of found.claims)
        if (checked.kind === "valid")
          expect({ id, verdict }).toEqual({ id, verdict: expected[id] === true ? "holds" : "fails" });
  }
  return refused;
}

function hasProper(verdict: NetReport["obligations"][number]["verdict"]): boolean {
  if (verdict.kind !== "holds" || verdict.evidence.certificate?.kind !== "terminating") return false;
  return verdict.evidence.certificate.proper !== undefined;
}
