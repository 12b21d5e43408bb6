import type { Json, Net } from "@tessera/core";
import { arbitraryNetOfClass, arbitraryWorkflowNet } from "@tessera/proofs/fast-check";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  askNet,
  certificateJsonSchema,
  checkEvidence,
  checkQuestion,
  claimOf,
  netHash,
  parseQuestion,
  type QuestionClaim,
  questionCertificateOf,
  verifyCertificate,
} from "../../src/index.ts";
import { mutants } from "../mutants.ts";
import { net as parse } from "../net-text.ts";
import { graphOf } from "../oracle.ts";

const nets = fc.oneof(arbitraryNetOfClass("plain"), arbitraryNetOfClass("weighted"), arbitraryWorkflowNet(1));
const QUESTIONS = [
  ...["minimal-siphons", "minimal-traps", "commoner", "live", "deadlock-free", "quasi-live"],
  ...["conservative", "consistent", "structurally-bounded", "stable-place"],
];

/** The claim of a question asked within so few markings that walks and the structure answer, or with all of them. */
function claimed(net: Net, text: string, statesMax = 300): QuestionClaim | null {
  const parsed = parseQuestion(text);
  if (parsed.kind !== "question") throw new Error(text);
  return claimOf(net, text, askNet(net, parsed.question, { limits: { statesMax } }));
}

const fileOf = (net: Net, claims: readonly QuestionClaim[]) =>
  JSON.parse(JSON.stringify(questionCertificateOf(net, claims))) as Json;

function acceptedOf(net: Net, file: Json): readonly QuestionClaim[] {
  const found = verifyCertificate(net, file);
  if (found.kind !== "verified") return [];
  const given = (file as unknown as { questions: readonly QuestionClaim[] }).questions;
  return found.claims.flatMap(({ checked }, index) => (checked.kind === "valid" ? [given[index]!] : []));
}

const effects = (net: Net) =>
  net.transitions.map(({ pre, post }) =>
    net.places.map((_, place) => {
      const tokens = (side: typeof pre) =>
        side.filter(([p]) => p === place).reduce((sum, [, w]) => sum + w, 0);
      return tokens(post) - tokens(pre);
    }),
  );

/** All vectors of whole numbers between two. */
function* vectors(length: number, least: number, most: number): Generator<readonly number[]> {
  if (length === 0) yield [];
  else
    for (const rest of vectors(length - 1, least, most))
      for (let value = least; value <= most; value += 1) yield [...rest, value];
}

const times = (matrix: readonly (readonly number[])[], vector: readonly number[], width: number) =>
  Array.from({ length: width }, (_, at) =>
    matrix.reduce((sum, row, index) => sum + row[at]! * vector[index]!, 0),
  );
const isRise = (sums: readonly number[]) => sums.every((sum) => sum >= 0) && sums.some((sum) => sum > 0);

/** Of small vectors: one that shows it, one that refutes it, or neither. */
function byVectors(net: Net, kind: string): boolean | null {
  const byTransition = effects(net);
  const byPlace = net.places.map((_, p) => byTransition.map((effect) => effect[p]!));
  const [rows, columns] = kind === "consistent" ? [byTransition, byPlace] : [byPlace, byTransition];
  if (rows.length > 5 || columns.length > 5) return null;
  for (const y of vectors(rows.length, 1, 3)) {
    const sums = times(rows, y, columns.length);
    if (sums.every((sum) => (kind === "structurally-bounded" ? sum <= 0 : sum === 0))) return true;
  }
  const least = kind === "structurally-bounded" ? 0 : -2;
  for (const x of vectors(columns.length, least, 2)) if (isRise(times(columns, x, rows.length))) return false;
  return null;
}

const setsOf = (net: Net) =>
  Array.from({ length: 2 ** net.places.length }, (_, bits) =>
    net.places.flatMap((_p, place) => (((bits >> place) & 1) === 1 ? [place] : [])),
  );
const isClosed = (net: Net, isSiphon: boolean, set: readonly number[]) =>
  net.transitions.every(({ pre, post }) => {
    const [first, second] = isSiphon ? [post, pre] : [pre, post];
    return !first.some(([p]) => set.includes(p)) || second.some(([p]) => set.includes(p));
  });

function meetsCommoner(net: Net): boolean {
  const touched = net.transitions.flatMap(({ pre, post }) => [...pre, ...post].map(([p]) => p));
  const sets = setsOf(net).filter((set) => set.length > 0 && set.every((p) => touched.includes(p)));
  const traps = sets.filter((set) => isClosed(net, false, set) && set.some((p) => net.initial[p]! > 0));
  return sets
    .filter((set) => isClosed(net, true, set))
    .every((siphon) => traps.some((trap) => trap.every((p) => siphon.includes(p))));
}

/** Is the claim true, by enumeration? Null: that cannot tell. */
function isTrue(net: Net, { question, verdict, evidence }: QuestionClaim): boolean | null {
  const said = (truth: boolean | null) => (truth === null ? null : truth === (verdict === "holds"));
  switch (question) {
    case "minimal-siphons":
    case "minimal-traps": {
      if (evidence.kind !== "minimal-sets" || verdict === "fails") return false;
      const all = setsOf(net).filter(
        (set) => set.length > 0 && isClosed(net, question === "minimal-siphons", set),
      );
      const least = all.filter(
        (set) => !all.some((o) => o.length < set.length && o.every((p) => set.includes(p))),
      );
      const keys = (sets: readonly (readonly number[])[]) =>
        sets.map((set) => [...set].sort((a, b) => a - b).join()).sort();
      return JSON.stringify(keys(least)) === JSON.stringify(keys(evidence.sets));
    }
    case "commoner":
      return said(meetsCommoner(net));
    case "conservative":
    case "consistent":
    case "structurally-bounded":
      return said(byVectors(net, question));
  }
  const graph = graphOf(net, net.initial, 300);
  if (graph === null) return null;
  const markings = [...graph.keys()].map((key) => JSON.parse(key) as number[]);
  if (question === "stable-place")
    return said(net.places.some((_, p) => markings.every((M) => M[p] === net.initial[p])));
  if (question === "deadlock-free") return said([...graph.values()].every((edges) => edges.length > 0));
  if (question === "quasi-live")
    return said(
      net.transitions.every((_, t) => [...graph.values()].some((edges) => edges.some((e) => e.t === t))),
    );
  if (question !== "live") return null;
  const isLive = net.transitions.every((_, t) => {
    const good = new Set([...graph].flatMap(([key, edges]) => (edges.some((e) => e.t === t) ? [key] : [])));
    for (let grew = true; grew; ) {
      grew = false;
      for (const [key, edges] of graph)
        if (!good.has(key) && edges.some(({ next }) => good.has(next))) {
          good.add(key);
          grew = true;
        }
    }
    return good.size === graph.size;
  });
  return said(isLive);
}

const KINDS = [
  ...[
    "bare-siphon",
    "changes",
    "drift",
    "enables",
    "gain",
    "minimal-sets",
    "never-fires",
    "p-invariant",
    "run",
    "siphon-traps",
  ],
  ...["stable-place", "state-equation", "t-invariant", "weights"],
];

describe("claims on siphons, invariants and stable places", () => {
  it("[D24.10] [D24.11] [T24.8] [D8.9] fit the schema, are accepted, and are true", () => {
    const validate = new Ajv2020({ strict: true }).compile(certificateJsonSchema());
    const kinds = new Set<string>();
    let told = 0;
    fc.assert(
      fc.property(nets, fc.constantFrom(2, 300), (net, statesMax) => {
        const claims = QUESTIONS.map((text) => claimed(net, text, statesMax)).filter(
          (claim) => claim !== null,
        );
        const file = fileOf(net, claims);
        expect(validate(file)).toBe(true);
        expect(acceptedOf(net, file).length).toBe(claims.length);
        for (const claim of claims) {
          kinds.add(claim.evidence.kind);
          const truth = isTrue(net, claim);
          if (truth !== null) told += 1;
          expect({ claim, truth }).not.toMatchObject({ truth: false });
        }
      }),
      { numRuns: 150 },
    );
    expect([...kinds].filter((kind) => KINDS.includes(kind)).sort()).toEqual(
      KINDS.filter((kind) => kind !== "never-fires" || kinds.has(kind)),
    );
    expect(told).toBeGreaterThan(700);
  });

  it("[D24.10] [T24.8] [D8.9] no mutant of a claim, and no claim for another net, is accepted if it is not true", () => {
    let [refused, others] = [0, 0];
    fc.assert(
      fc.property(
        nets,
        nets,
        fc.constantFrom(...QUESTIONS),
        fc.constantFrom(2, 300),
        (net, other, text, most) => {
          const claim = claimed(net, text, most);
          if (claim === null) return;
          const file = fileOf(net, [claim]) as Record<string, Json>;
          for (const mutant of mutants(file)) {
            const accepted = acceptedOf(net, mutant);
            if (accepted.length === 0) refused += 1;
            for (const said of accepted)
              expect({ said, truth: isTrue(net, said) }).not.toMatchObject({ truth: false });
          }
          for (const question of QUESTIONS)
            for (const verdict of ["holds", "fails"] as const) {
              const said = { ...claim, question, verdict };
              if (checkQuestion(net, said).kind === "valid")
                expect({ said, truth: isTrue(net, said) }).not.toMatchObject({ truth: false });
            }
          for (const said of acceptedOf(other, { ...file, net: netHash(other) })) {
            others += 1;
            expect({ said, truth: isTrue(other, said) }).not.toMatchObject({ truth: false });
          }
        },
      ),
      { numRuns: 120 },
    );
    expect(refused).toBeGreaterThan(3000);
    expect(others).toBeGreaterThan(0);
  });

  it("[T24.8] the law refuses a checker that takes every claim for another net", () => {
    const found = fc.check(
      fc.property(nets, nets, fc.constantFrom(...QUESTIONS), (net, other, text) => {
        const claim = claimed(net, text);
        if (claim !== null && isTrue(other, claim) === false) throw new Error("false");
      }),
    );
    expect(found.failed).toBe(true);
  });

  it("[D8.4] [D8.9] of soundness nothing is stated where the state equation shows a transition to be dead", () => {
    const dead = parse("t: i -> a; u: a -> b; w: b -> o; v: i + a -> o");
    expect(askNet(dead, { kind: "sound" }, { limits: { statesMax: 2 } }).kind).toBe("fails");
    const claims = ["sound", "live"].flatMap((text) => claimed(dead, text, 2) ?? []);
    expect(claims.map(({ question }) => question)).toEqual(["live"]);
    expect(acceptedOf(dead, fileOf(dead, claims)).length).toBe(1);
  });

  it("[D24.10] [T24.7] what the checker refuses, one reason each", () => {
    const reasonOf = (net: Net, claim: QuestionClaim) => {
      const checked = checkQuestion(net, claim);
      return checked.kind === "valid" ? "valid" : checked.reason;
    };
    const ring = parse("t: a -> b; u: b -> a", { initial: { a: 1 }, ends: [] });
    const claim = claimed(ring, "commoner")!;
    const { evidence } = claim;
    if (evidence.kind !== "siphon-traps") throw new Error(evidence.kind);
    const changed = (more: object) => reasonOf(ring, { ...claim, evidence: { ...evidence, ...more } });
    expect(changed({})).toBe("valid");
    expect(changed({ traps: [] })).toBe("not one trap for each siphon");
    expect(changed({ traps: [[0]] })).toBe("set 0 is no trap");
    expect(changed({ traps: [[]] })).toBe("trap 0 is not marked");
    expect(changed({ siphons: [[0]] })).toBe("trap 0 is not in its siphon");
    expect(changed({ steps: evidence.steps.slice(1) })).toMatch(/^step/);
    expect(changed({ steps: evidence.steps.slice(0, -1) })).toBe("1 cases are left");
    expect(changed({ steps: [...evidence.steps, { kind: "none" }] })).toMatch(/has no case/);
    expect(changed({ steps: [{ kind: "none" }] })).toBe("step 0: the case has a siphon");
    const twice = [evidence.steps[0]!, evidence.steps[0]!];
    expect(changed({ steps: twice })).toBe("step 1: the place is decided");
    // What Commoner's condition says is said of plain nets, and of liveness in free-choice nets.
    const heavy = parse("t: 2a -> 2a", { initial: { a: 1 }, ends: [] });
    const met = claimed(heavy, "commoner")!;
    expect(met.verdict).toBe("holds");
    for (const question of ["deadlock-free", "live"])
      expect(reasonOf(heavy, { ...met, question })).toBe("it does not answer this question so");
    const choice = parse("t: a + c -> a + c; u: c -> c", { initial: { c: 1, a: 1 }, ends: [] });
    const fair = claimed(choice, "commoner")!;
    expect(reasonOf(choice, { ...fair, question: "deadlock-free" })).toBe("valid");
    expect(reasonOf(choice, { ...fair, question: "live" })).toBe("it does not answer this question so");
    const still = { ...ring, transitions: [] };
    const none = claimed(still, "commoner")!;
    expect(reasonOf(still, { ...none, question: "deadlock-free" })).toBe(
      "it does not answer this question so",
    );
    expect(
      reasonOf(ring, {
        question: "commoner",
        verdict: "fails",
        evidence: { kind: "bare-siphon", places: [0] },
      }),
    ).toBe("not a siphon");
    const loose = {
      ...ring,
      places: [...ring.places, { id: "c", role: "control" as const }],
      initial: [1, 0, 0],
    };
    const alone = {
      question: "live",
      verdict: "fails",
      evidence: { kind: "bare-siphon", places: [2] },
    } as const;
    expect(reasonOf(loose, alone)).toBe("nothing takes from a place");
  });

  it("[D1.1] nothing is checked of a net that names a place twice on one side", () => {
    const net = parse("t: i -> i + a; u: a -> a", { ends: [] });
    const twice = {
      ...net,
      transitions: [
        net.transitions[0]!,
        {
          ...net.transitions[1]!,
          pre: [
            [1, 1],
            [1, 1],
          ] as const,
        },
      ],
    };
    const claim = claimed(net, "live")!;
    expect(checkQuestion(net, claim).kind).toBe("valid");
    expect(checkQuestion(twice, claim)).toEqual({
      kind: "unchecked",
      reason: "a place is named twice on one side",
    });
    const states = [{ marking: [1, 0], set: [0, 1] }];
    const certificate = { kind: "stubborn", graphs: [{ goal: { kind: "improper" }, states }] } as const;
    const support = { class: "enumerated", method: "stubborn sets", states: 1, certificate } as const;
    expect(checkEvidence(twice, "O2", { kind: "holds", evidence: support }).kind).toBe("unchecked");
  });
});
