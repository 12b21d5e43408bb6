import { type Net, netClass } from "@tessera/core";
import {
  arbitraryMistakenWorkflowNet,
  arbitraryNetOfClass,
  arbitraryWorkflowNet,
} from "@tessera/proofs/fast-check";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  askNet,
  checkEvidence,
  type NetReport,
  parseQuestion,
  proveNet,
  type Question,
} from "../../src/index.ts";
import { type Reduction, reduce } from "../../src/reduction/reduce.ts";
import { finish } from "../../src/soundness.ts";
import { equationStage } from "../../src/state-equation/stage.ts";
import { hasNestedFinals } from "../../src/structure.ts";
import { net as parse } from "../net-text.ts";
import { graphOf, judge } from "../oracle.ts";

const STATES_MAX = 300;
/** So few that the search decides next to nothing. */
const FEW = { statesMax: 2, statesAfterFailureMax: 2, timeoutMs: 60_000 };
const nets = fc.oneof(
  arbitraryNetOfClass("plain"),
  arbitraryNetOfClass("weighted"),
  arbitraryWorkflowNet(2),
  arbitraryMistakenWorkflowNet(2).map(({ net }) => net),
);

type Prove = (net: Net) => NetReport;
const prove: Prove = (net) => proveNet(net, { limits: FEW });

/** Law: what is proved within few markings is what an enumeration by hand says, and the evidence is accepted. */
function agrees(implementation: Prove, numRuns = 600): Map<string, number> {
  const byEquation = new Map<string, number>();
  fc.assert(
    fc.property(nets, (net) => {
      const truth = judge(net, STATES_MAX);
      const report = implementation(net);
      for (const { id, verdict, method } of report.obligations) {
        expect({ id, checked: checkEvidence(net, id, verdict) }).toEqual({ id, checked: { kind: "valid" } });
        if (verdict.kind === "unknown") continue;
        if (/state equation|state-equation|weights/u.test(method)) {
          const key = `${id} ${verdict.kind}`;
          byEquation.set(key, (byEquation.get(key) ?? 0) + 1);
        }
        if (truth !== null)
          expect({ id, kind: verdict.kind }).toEqual({
            id,
            kind: id === "bounded" || truth[id as "O1"] ? "holds" : "fails",
          });
      }
      expect(checkEvidence(net, "sound", report.soundness)).toEqual({ kind: "valid" });
      if (truth !== null && report.sound !== null)
        expect(report.sound).toBe(truth.O1 && truth.O2 && truth.O3);
    }),
    { numRuns },
  );
  return byEquation;
}

type Ask = (net: Net, question: Question) => Answer;
const askFew: Ask = (net, question) => askNet(net, question, { limits: FEW });
const TEXTS = [
  ...["safe", "2-bounded", "deadlock-free", "easy-sound", "quasi-live", "live", "stable-place", "bounded"],
  ...["final", "EF final", "AG !deadlock", "EF deadlock", "AG (final | !deadlock)", "EF (deadlock & !final)"],
];

/** Law: an answer within few markings is the answer of the whole set of them. */
function answersAgree(ask: Ask, numRuns = 250): ReadonlySet<string> {
  const never = new Set<string>();
  const questions = TEXTS.map((text) => ({ text, parsed: parseQuestion(text) }));
  fc.assert(
    fc.property(
      nets,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom("<", "=", ">=", "!="),
      (net, p, k, sign) => {
        if (graphOf(net, net.initial, STATES_MAX) === null) return;
        const place = `"${net.places[p % net.places.length]!.id}"`;
        const predicate = `${place} ${sign} ${k} -> "${net.places[0]!.id}" + ${place} <= 2`;
        const asked = [predicate, `EF !(${predicate})`].map((text) => ({
          text,
          parsed: parseQuestion(text),
        }));
        for (const { text, parsed } of [...questions, ...asked]) {
          if (parsed.kind !== "question") throw new Error(text);
          const answer = ask(net, parsed.question);
          if (answer.kind === "unknown") continue;
          if (answer.shown.kind === "never") never.add(TEXTS.includes(text) ? text : "predicate");
          const { kind } = askNet(net, parsed.question, { limits: { statesMax: STATES_MAX } });
          expect({ text, kind: answer.kind }).toEqual({ text, kind });
        }
      },
    ),
    { numRuns },
  );
  return never;
}

const SINGLE = ["O2", "O4", "deadlock", "bounded"] as const;

/** Law: what the equation shows of the reduced net holds in the net, and the checker accepts it by way of the steps. */
function agreesByReduction(
  implementation: (net: Net) => Pick<Reduction, "net" | "steps">,
): Map<string, number> {
  const shown = new Map<string, number>();
  const plain = nets.filter((net) => netClass(net) === "plain" && !hasNestedFinals(net));
  fc.assert(
    fc.property(plain, (net) => {
      const { net: small, steps } = implementation(net);
      if (steps.length === 0 || small.transitions.length === 0) return;
      const never = () => false;
      const decided = finish(equationStage(small, new Set(SINGLE), never, never), {});
      const truth = judge(net, STATES_MAX);
      for (const [id, verdict] of decided) {
        if (verdict.kind !== "holds") throw new Error(`${id} ${verdict.kind}`);
        const { certificate: equation, ...support } = verdict.evidence;
        if (equation?.kind !== "state-equation" && equation?.kind !== "weights") throw new Error(id);
        const certificate = { kind: "reduction", steps, equation } as const;
        const checked = checkEvidence(net, id, { kind: "holds", evidence: { ...support, certificate } });
        expect({ id, checked }).toEqual({ id, checked: { kind: "valid" } });
        if (id !== "bounded") expect({ id, holds: truth?.[id as "O2"] ?? true }).toEqual({ id, holds: true });
        if (id === "bounded") expect(graphOf(net, net.initial, 5000)).not.toBeNull();
        shown.set(id, (shown.get(id) ?? 0) + 1);
      }
    }),
    { numRuns: 600 },
  );
  return shown;
}

describe("the stage of the state equation", () => {
  it("[T13.1] [T24.1] [T24.2] what it shows of the reduced net holds in the net", () => {
    const shown = agreesByReduction(reduce);
    for (const id of SINGLE)
      expect([id, shown.get(id) ?? 0]).toSatisfy(([, count]: [string, number]) => count > 20);
  });

  it("[T13.1] the law refuses the equation of another net than the steps lead to", () => {
    const early = (net: Net) => {
      const { net: small, steps } = reduce(net);
      return { net: small, steps: steps.slice(0, -1) };
    };
    const smaller = (net: Net) => {
      const { net: small, steps } = reduce(net);
      return { net: { ...small, transitions: small.transitions.slice(1) }, steps };
    };
    for (const broken of [early, smaller]) expect(() => agreesByReduction(broken)).toThrow();
  });

  it("[T24.1] [T24.2] [D8.8] decides what few markings leave open as an enumeration by hand does", () => {
    const found = agrees(prove);
    for (const key of ["O1 fails", "O2 holds", "O3 fails", "O4 holds", "deadlock holds", "bounded holds"])
      expect([key, found.get(key) ?? 0]).toSatisfy(([, count]: [string, number]) => count > 5);
  });

  it("[D8.8] the law refuses pipelines that look at another net", () => {
    const looser: Prove = (net) =>
      prove({ ...net, transitions: net.transitions.map((t) => ({ ...t, post: t.post.slice(1) })) });
    const blind: Prove = (net) => {
      const report = prove(net);
      const yes = report.obligations.find(({ id }) => id === "bounded")!.verdict;
      return { ...report, obligations: report.obligations.map((line) => ({ ...line, verdict: yes })) };
    };
    for (const broken of [looser, blind]) expect(() => agrees(broken)).toThrow();
  });

  it("[T24.1] [D22.2] [D22.6] answers questions as the whole set of markings does", () => {
    const never = answersAgree(askFew);
    for (const text of ["safe", "2-bounded", "easy-sound", "predicate"]) expect([...never]).toContain(text);
    const loose: Ask = (net, question) => askFew({ ...net, initial: net.initial.map(() => 0) }, question);
    expect(() => answersAgree(loose)).toThrow();
  });

  it("[D8.9] nets with resets or optional inputs are not asked", () => {
    const limits = { statesMax: 3, statesAfterFailureMax: 3 };
    for (const text of ["t: i -> i + a; u: i -> o reset a", "t: i -> i + a; u: i any a -> o"]) {
      const net = parse(text);
      const kinds = proveNet(net, { limits }).obligations.map(({ id, verdict }) => `${id} ${verdict.kind}`);
      expect(kinds).toContain("deadlock unknown");
      expect(askNet(net, { kind: "k-bounded", k: 9 }, { limits }).kind).toBe("unknown");
    }
  });

  it("[D8.9] the search comes first, and goes on to its limits where the equation is open", () => {
    const wide = parse("t: i -> a; u: a -> b; v: b -> o", { initial: { i: 60 } });
    expect(askNet(wide, { kind: "k-bounded", k: 60 })).toMatchObject({ shown: { kind: "never" } });
    expect(askNet(wide, { kind: "k-bounded", k: 59 })).toMatchObject({
      kind: "fails",
      shown: { kind: "places" },
    });
    const open = { kind: "formula", weak: [], strong: [], formula: { kind: "final" } } as const;
    expect(askNet(wide, open).kind).toBe("fails");
    const dead = parseQuestion("EF (i = 0 & a = 0 & b = 0)");
    if (dead.kind !== "question") throw new Error(dead.kind);
    expect(askNet(wide, dead.question)).toMatchObject({ kind: "holds", shown: { kind: "run" } });
    expect(askNet(wide, dead.question, { limits: { statesMax: 30_000 } }).kind).toBe("unknown");
    const ring = parse("t: i -> a; u: a -> b; v: b -> i", { initial: { i: 3 }, ends: ["b"] });
    expect(askNet(ring, { kind: "deadlock-free" }, { limits: FEW })).toMatchObject({
      kind: "holds",
      shown: { kind: "never" },
    });
    let clock = 0;
    const now = () => (clock += 1000);
    expect(askNet(wide, { kind: "k-bounded", k: 60 }, { limits: { timeoutMs: 500 }, now }).kind).toBe(
      "unknown",
    );
  });
});
