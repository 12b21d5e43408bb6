import { importNet } from "@tessera/interchange";
import {
  askNet,
  certificateOf,
  checkQuestion,
  claimOf,
  exploreNet,
  netShape,
  parseQuestion,
  proveNet,
  verifyCertificate,
} from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { DIFFERENCES } from "./differences.ts";
import { hasNets, readNet, readSource, readVerdicts } from "./real-nets.ts";

const IS_DEEP = process.env["TESSERA_DEEP"] === "1";
/** Markings of the nets that are explored: all that take well under a second, or with TESSERA_DEEP=1 under half a minute. */
const STATES_MAX = IS_DEEP ? 3_000_000 : 6000;
const LIVENESS_STATES_MAX = IS_DEEP ? 20_000 : 500;

describe.runIf(hasNets("mcc"))("nets of the Model Checking Contest", () => {
  it("[D8.1] [D22.6] counts, bounds, deadlocks, liveness: every answer within limits is the consensus", () => {
    const wrong: string[] = [];
    let decided = 0;
    let answers = 0;
    for (const row of readVerdicts("mcc")) {
      const states = Number(row["states"]);
      if (!/^\d+$/u.test(row["states"]!) || states > STATES_MAX) continue;
      const name = row["instance"]!;
      const net = readNet("mcc", `${name}.pnml`);
      const facts = exploreNet(net, { limits: { statesMax: STATES_MAX, timeoutMs: 120_000 } });
      if (facts.limit !== null) {
        wrong.push(`${name}: ${facts.limit.kind}`);
        continue;
      }
      decided += 1;
      const found: Record<string, string> = {
        states: String(facts.states),
        transitions: String(facts.firings),
        max_token_in_place: String(Math.max(...facts.bounds)),
        deadlock: String(facts.deadMarkings > 0),
        one_safe: String(facts.bounds.every((bound) => bound <= 1)),
        quasi_live: String(facts.neverEnabled.length === 0),
      };
      if (states <= LIVENESS_STATES_MAX) {
        found["live"] = String(askNet(net, { kind: "live" }).kind === "holds");
        found["stable_marking"] = String(askNet(net, { kind: "stable-place" }).kind === "holds");
      }
      for (const [column, value] of Object.entries(found)) {
        const expected = row[column] ?? "";
        if (expected === "") continue;
        answers += 1;
        if (expected !== value && !DIFFERENCES.has(`mcc ${name} ${column}`))
          wrong.push(`${name} ${column}: ${value}, not ${expected}`);
      }
    }
    process.stderr.write(
      `mcc: ${decided} nets with at most ${STATES_MAX} markings decided, ${answers} answers compared\n`,
    );
    expect(wrong).toEqual([]);
    expect(decided).toBeGreaterThan(30);
  }, 3_600_000);
});

describe.runIf(hasNets("mcc"))("nets of the Model Checking Contest with few markings searched", () => {
  it("[T24.1] [T24.2] what the state equation answers is the consensus, and its evidence is accepted", () => {
    const limits = { statesMax: 200, statesAfterFailureMax: 200, timeoutMs: 60_000 };
    const wrong: string[] = [];
    const answers = new Map<string, number>();
    for (const [index, row] of readVerdicts("mcc").entries()) {
      if (!IS_DEEP && index % 9 !== 0) continue;
      const name = row["instance"]!;
      const net = readNet("mcc", `${name}.pnml`);
      const bound = Number(row["max_token_in_place"]);
      const truth: Record<string, string | undefined> = {
        "deadlock-free": { true: "fails", false: "holds" }[row["deadlock"]!],
        safe: { true: "holds", false: "fails" }[row["one_safe"]!],
        "quasi-live": { true: "holds", false: "fails" }[row["quasi_live"]!],
        "stable-place": { true: "holds", false: "fails" }[row["stable_marking"]!],
        bounded: { true: "fails", false: "holds" }[String(row["states"] === "+inf")],
      };
      if (bound > 0) truth[`${bound}-bounded`] = "holds";
      if (bound > 1) truth[`${bound - 1}-bounded`] = "fails";
      for (const [text, expected] of Object.entries(truth)) {
        const parsed = parseQuestion(text);
        if (parsed.kind !== "question" || expected === undefined) continue;
        const answer = askNet(net, parsed.question, { limits });
        if (answer.kind === "unknown" || DIFFERENCES.has(`mcc ${name} ${text}`)) continue;
        if (answer.kind !== expected) wrong.push(`${name} ${text}: ${answer.kind}`);
        const claim = claimOf(net, text, answer);
        if (claim === null) continue;
        const key = claim.evidence.kind;
        answers.set(key, (answers.get(key) ?? 0) + 1);
        const checked = checkQuestion(net, claim);
        if (checked.kind !== "valid") wrong.push(`${name} ${text}: ${JSON.stringify(checked)}`);
      }
    }
    process.stderr.write(`mcc: answers within 200 markings ${JSON.stringify(Object.fromEntries(answers))}\n`);
    expect(wrong).toEqual([]);
    expect(answers.get("state-equation")).toBeGreaterThan(IS_DEEP ? 250 : 20);
  }, 3_600_000);
});

describe.runIf(hasNets("smpt"))("nets of a verifier of reachability", () => {
  it("[D8.1] [D8.7] markings, firings, dead ends, bounds; unbounded nets are shown to be", () => {
    let compared = 0;
    for (const row of readVerdicts("smpt")) {
      const file = row["file"]!;
      const imported = importNet(readSource("smpt", file), { fileName: file });
      if (!imported.ok) {
        process.stderr.write(`smpt ${file}: ${imported.issues[0]!.code}\n`);
        continue;
      }
      const { net } = imported.value;
      if (row["status"] === "unbounded") {
        const report = proveNet(net, { limits: { statesMax: 5000 } });
        const bounded = report.obligations.find(({ id }) => id === "bounded")!.verdict.kind;
        expect([file, bounded]).toEqual([file, "fails"]);
        compared += 1;
      } else if (row["status"] === "bounded") {
        const facts = exploreNet(net, { limits: { statesMax: 200_000 } });
        expect([
          file,
          facts.states,
          facts.firings,
          facts.deadMarkings,
          facts.neverEnabled.length,
          Math.max(...facts.bounds),
        ]).toEqual([
          file,
          ...["states", "edges", "deadlocks", "dead_transitions", "bound"].map((column) =>
            Number(row[column]),
          ),
        ]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });
});

describe.runIf(hasNets("ff-soundness-unit"))("nets of a checker of generalised soundness", () => {
  const read = (file: string) => {
    const imported = importNet(readSource("ff-soundness-unit", file), { fileName: file });
    return imported.ok ? imported.value.net : null;
  };

  it("[D13.2] free choice, by the names of the files", () => {
    expect(netShape(read("free_choice__A.s00000021__s00000698.lola")!).isFreeChoice).toBe(true);
    // fc1 and others name a transition twice, which is refused rather than guessed at.
    for (const file of ["free_choice__fc1.lola", "free_choice__nfc1.lola"]) expect(read(file)).toBeNull();
  });

  it("[D22.6] [T24.3] [T24.4] what is not sound in the continuous sense is neither generalised nor structurally sound", () => {
    for (let n = 1; n <= 7; n += 1) {
      const net = read(`workflow_tests__continuous_soundness__false__f${n}.lola`)!;
      const generalised = askNet(net, { kind: "generalised-sound" });
      const structural = askNet(net, { kind: "structurally-sound" });
      expect([n, generalised.kind]).toEqual([n, "fails"]);
      const isSame = !DIFFERENCES.has(`ff-soundness-unit f${n} structurally-sound`);
      expect([n, structural.kind]).toEqual([n, isSame ? "fails" : "holds"]);
      for (const [text, answer] of [
        ["generalised-sound", generalised],
        ["structurally-sound", structural],
      ] as const) {
        const claim = claimOf(net, text, answer);
        if (claim !== null)
          expect([n, text, checkQuestion(net, claim)]).toEqual([n, text, { kind: "valid" }]);
      }
    }
    for (let n = 1; n <= 5; n += 1) {
      const net = read(`workflow_tests__continuous_soundness__true__t${n}.lola`)!;
      // What is sound for continuous tokens has no gain, drift or lasting trap, and no run that is stuck for any number.
      for (const kind of ["generalised-sound", "structurally-sound"] as const) {
        const answer = askNet(net, { kind });
        if (answer.kind !== "unknown") expect([n, kind, answer.shown.kind]).not.toContain("many-tokens");
      }
    }
    // Sound for continuous tokens, and yet it deadlocks.
    expect(askNet(read("workflow_tests__continuous_soundness__true__t3.lola")!, { kind: "sound" }).kind).toBe(
      "fails",
    );
  });
});

describe.runIf(hasNets("workflow-nets"))("industrial workflow nets", () => {
  it("[D8.9] certificates of a sample survive JSON and are accepted", () => {
    const rows = readVerdicts("workflow-nets").filter((_, index) => index % 40 === 0);
    for (const row of rows) {
      const folder = row["set"]!.toLowerCase().startsWith("ibm") ? "ibm" : "sap";
      const net = readNet(`workflow-nets/${folder}`, `${row["net"]!}.pnml`);
      const report = proveNet(net);
      const lines = [...report.obligations, { id: "sound" as const, verdict: report.soundness }];
      const file = JSON.parse(JSON.stringify(certificateOf(net, lines)));
      const verified = verifyCertificate(net, file);
      if (verified.kind !== "verified") throw new Error(`${row["net"]}: ${verified.kind}`);
      for (const { id, checked } of verified.claims)
        expect([row["net"], id, checked.kind]).not.toEqual([row["net"], id, "invalid"]);
    }
  });
});
