import type { Json, Net } from "@tessera/core";
import {
  arbitraryMistakenWorkflowNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  askNet,
  certificateJsonSchema,
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

const STATES_MAX = 200;
const nets = fc.oneof(
  arbitraryNetOfClass("plain"),
  arbitraryNetOfClass("weighted"),
  arbitraryWorkflowNet(2),
  arbitraryMistakenWorkflowNet(2).map(({ net }) => net),
);
const QUESTIONS = [
  ...["safe", "2-bounded", "deadlock-free", "easy-sound", "quasi-live", "live", "bounded"],
  ...["generalised-sound", "structurally-sound", "AG !deadlock", "EF final", "EF (deadlock & !final)"],
];

/** The claim of a question asked within so few markings that the search decides little, or with all of them. */
function claimed(net: Net, text: string, statesMax: number): QuestionClaim | null {
  const parsed = parseQuestion(text);
  if (parsed.kind !== "question") throw new Error(text);
  const limits = { statesMax, statesAfterFailureMax: statesMax };
  return claimOf(net, text, askNet(net, parsed.question, { limits, tokensMax: 1 }));
}

const fileOf = (net: Net, claims: readonly QuestionClaim[]) =>
  JSON.parse(JSON.stringify(questionCertificateOf(net, claims))) as Json;

/** Is the claim true, by the whole set of markings? Null: there are too many, or it takes more tokens to tell. */
function isTrue(net: Net, { question, verdict }: QuestionClaim): boolean | null {
  const parsed = parseQuestion(question);
  if (parsed.kind !== "question") return false;
  const { kind } = parsed.question;
  if (kind === "generalised-sound" || kind === "structurally-sound") return null;
  if (graphOf(net, net.initial, STATES_MAX) === null) return null;
  return askNet(net, parsed.question, { limits: { statesMax: STATES_MAX } }).kind === verdict;
}

function acceptedOf(net: Net, file: Json): readonly QuestionClaim[] {
  const found = verifyCertificate(net, file);
  if (found.kind !== "verified") return [];
  const given = (file as unknown as { questions: readonly QuestionClaim[] }).questions;
  return found.claims.flatMap(({ checked }, index) => (checked.kind === "valid" ? [given[index]!] : []));
}

/** Nets that between them bring every kind of evidence. */
const RICH: readonly (readonly [Net, string, string])[] = [
  [parse("t: 2x -> x + o; u: x + b -> c", { initial: { x: 2 } }), "EF (x = 0)", "state-equation"],
  [parse("t: i -> a; u: a -> o"), "AG i = 1", "run"],
  [parse("t: i -> i + a; u: i + b -> o"), "live", "never-fires"],
  [parse("t: i -> 2a; u: 2a -> o"), "bounded", "weights"],
  [parse("t: i -> a; u: a -> o; v: 4a -> 5o"), "generalised-sound", "many-tokens"],
  [parse("t: i -> a; u: 2a -> o"), "structurally-sound", "many-tokens"],
  [parse("t: i -> a; u: a -> o; v: 2a -> b + o; w: b -> b"), "generalised-sound", "many-tokens"],
];

describe("answers to questions as claims", () => {
  it("[D24.3] [D24.6] [D8.9] claims fit the schema, are accepted, and are true", () => {
    const validate = new Ajv2020({ strict: true }).compile(certificateJsonSchema());
    const kinds = new Set<string>();
    fc.assert(
      fc.property(nets, fc.constantFrom(2, STATES_MAX), (net, statesMax) => {
        const claims = QUESTIONS.map((text) => claimed(net, text, statesMax)).filter(
          (claim) => claim !== null,
        );
        const file = fileOf(net, claims);
        expect(validate(file)).toBe(true);
        expect(acceptedOf(net, file).length).toBe(claims.length);
        for (const claim of claims) {
          kinds.add(claim.evidence.kind);
          expect({ claim, isTrue: isTrue(net, claim) }).not.toMatchObject({ isTrue: false });
        }
      }),
      { numRuns: 150 },
    );
    expect([...kinds]).toEqual(
      expect.arrayContaining(["many-tokens", "never-fires", "run", "state-equation", "weights"]),
    );
  });

  it("[D8.9] no mutant of a claim, and no claim for another net, is accepted if it is not true", () => {
    let refused = 0;
    fc.assert(
      fc.property(nets, nets, fc.constantFrom(...QUESTIONS), (net, other, text) => {
        const claim = claimed(net, text, 2);
        if (claim === null) return;
        const file = fileOf(net, [claim]) as Record<string, Json>;
        for (const mutant of mutants(file)) {
          const accepted = acceptedOf(net, mutant);
          if (accepted.length === 0) refused += 1;
          for (const said of accepted)
            expect({ said, isTrue: isTrue(net, said) }).not.toMatchObject({ isTrue: false });
        }
        if (netHash(other) !== netHash(net)) expect(verifyCertificate(other, file).kind).not.toBe("verified");
        for (const said of acceptedOf(other, { ...file, net: netHash(other) }))
          expect({ said, isTrue: isTrue(other, said) }).not.toMatchObject({ isTrue: false });
      }),
      { numRuns: 60 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it.each(RICH)(
    "[D8.9] %#: the evidence is of its kind, and its verdict cannot be turned round",
    (net, text, kind) => {
      const claim = claimed(net, text, kind === "run" ? 2 : 1);
      expect(claim?.evidence.kind).toBe(kind);
      expect(checkQuestion(net, claim!)).toEqual({ kind: "valid" });
      const verdict = claim!.verdict === "holds" ? "fails" : "holds";
      expect(checkQuestion(net, { ...claim!, verdict }).kind).toBe("invalid");
      for (const question of [...QUESTIONS, "nonsense ("]) {
        if (question === text) continue;
        const said = { ...claim!, question };
        if (checkQuestion(net, said).kind === "valid") expect(isTrue(net, said)).not.toBe(false);
      }
    },
  );

  it("[D8.9] what is open, needs more than it shows, or is of another class of nets is no claim", () => {
    const net = parse("t: i -> a; u: a -> o");
    expect(claimed(net, "reversible", 9)).toBeNull();
    expect(claimed(net, "relaxed-sound", 9)).toBeNull();
    expect(claimed(net, "F o = 1", 9)).toBeNull();
    expect(claimOf(net, "wrong (", { kind: "holds", shown: { kind: "markings", states: 1 } })).toBeNull();
    const reset = parse("t: i -> a reset b; u: a -> o");
    expect(claimed(reset, "EF o = 1", 9)).toBeNull();
    const claim = claimed(net, "EF o = 1", 9)!;
    expect(checkQuestion(reset, claim).kind).toBe("invalid");
    const two = parse("t: i -> a; u: a -> o", { initial: { i: 2 } });
    const reason = { kind: "drift", weights: [0, 1, 0] } as const;
    expect(
      checkQuestion(two, {
        question: "generalised-sound",
        verdict: "fails",
        evidence: { kind: "many-tokens", reason },
      }).kind,
    ).toBe("invalid");
  });
});
