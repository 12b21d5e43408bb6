import type { Net } from "@tessera/core";
import { importNet } from "@tessera/interchange";
import { checkEvidence, checkQuestion, claimOf } from "@tessera/proofs";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, startBudget } from "../../packages/proofs/src/limits.ts";
import { deadlockFreeBySets } from "../../packages/proofs/src/questions/ask-stubborn.ts";
import { finish, searchNet } from "../../packages/proofs/src/soundness.ts";
import { stubbornAnswers } from "../../packages/proofs/src/stubborn/prove.ts";
import { hasNets, readSource, readVerdicts } from "./real-nets.ts";

const IS_DEEP = process.env["TESSERA_DEEP"] === "1";
/** Nets with more markings are left to `mcc.mjs`. */
const STATES_MAX = IS_DEEP ? 1_000_000 : 100_000;
/** Markings that the sets may take: for what ends, and for all goals together. */
const TERMINAL_MAX = 20_000;
const GOALS_MAX = IS_DEEP ? 20_000 : 5000;

interface Known {
  readonly name: string;
  readonly net: Net;
  readonly hasDeadlock: boolean | null;
  readonly isSafe: boolean | null;
  readonly isQuasiLive: boolean | null;
}

const saidBy = (cell: string | undefined) => (cell === "true" ? true : cell === "false" ? false : null);

function* published(): Generator<Known> {
  for (const row of readVerdicts("mcc")) {
    const states = Number(row["states"]);
    if (row["states"] === "" || states > STATES_MAX) continue;
    const name = `${row["instance"]}.pnml`;
    const result = importNet(readSource("mcc", name), { fileName: name });
    if (!result.ok) throw new Error(name);
    const [hasDeadlock, isSafe] = [saidBy(row["deadlock"]), saidBy(row["one_safe"])];
    yield { name, net: result.value.net, hasDeadlock, isSafe, isQuasiLive: saidBy(row["quasi_live"]) };
  }
}

function* searched(): Generator<Known> {
  for (const row of readVerdicts("mcc-small")) {
    if (row["inhibitor"] === "True" || row["bfs_status"] !== "bounded") continue;
    const name = row["file"]!;
    const result = importNet(readSource("mcc-small", name), { fileName: name });
    if (!result.ok) throw new Error(name);
    const isNone = (column: string) => row[column] === "0";
    yield {
      name,
      net: result.value.net,
      hasDeadlock: !isNone("bfs_deadlocks"),
      isSafe: Number(row["bfs_bound"]) <= 1,
      isQuasiLive: isNone("bfs_dead_transitions"),
    };
  }
}

/** What is decided of the nets, by column; an answer that differs, or evidence that is refused, is an error. */
function decided(nets: Iterable<Known>): Readonly<Record<string, number>> {
  const counts = { nets: 0, holds: 0, fails: 0, safe: 0, unsafe: 0, alive: 0, dead: 0 };
  for (const { name, net, hasDeadlock, isSafe, isQuasiLive } of nets) {
    counts.nets += 1;
    const limits = { statesMax: TERMINAL_MAX, bytesMax: 1e9, isOver: () => false };
    const answer = deadlockFreeBySets(net, limits);
    if (answer !== null && answer.kind !== "unknown") {
      counts[answer.kind] += 1;
      expect([name, "deadlock", hasDeadlock ?? answer.kind === "fails"]).toEqual([
        name,
        "deadlock",
        answer.kind === "fails",
      ]);
      const claim = claimOf(net, "deadlock-free", answer)!;
      expect([name, checkQuestion(net, claim)]).toEqual([name, { kind: "valid" }]);
    }
    const found = finish(searchNet(net, { limits: { statesMax: 1 } }), {})!;
    const budget = startBudget(DEFAULT_LIMITS, () => 0, null);
    const { verdicts } = finish(stubbornAnswers(found, new Set(["O3", "O4"]), budget, GOALS_MAX), {});
    for (const [id, verdict] of verdicts) {
      expect([name, id, checkEvidence(net, id, verdict)]).toEqual([name, id, { kind: "valid" }]);
      const isGood = verdict.kind === "holds";
      const known = id === "O4" ? isSafe : isQuasiLive;
      expect([name, id, known ?? isGood]).toEqual([name, id, isGood]);
      counts[id === "O4" ? (isGood ? "safe" : "unsafe") : isGood ? "alive" : "dead"] += 1;
    }
  }
  if (process.env["SHOW"]) console.log(counts);
  return counts;
}

describe("stubborn sets on nets with known verdicts", () => {
  it.runIf(hasNets("mcc-small"))(
    "[T25.1] [T25.2] [T25.3] agree with an independent search of small nets",
    () => {
      const { nets, holds, fails, unsafe, alive, dead } = decided(searched());
      expect([nets! > 40, holds! + fails! > 30, unsafe! > 10, alive! > 10, dead! > 3]).toEqual(
        Array.from({ length: 5 }, () => true),
      );
    },
    120_000,
  );

  it.runIf(hasNets("mcc"))(
    "[T25.1] [T25.2] [T25.3] agree with the table of the Model Checking Contest",
    () => {
      const { nets, holds, fails, safe, unsafe, alive } = decided(published());
      expect([nets! > 40, holds! > 10, fails! > 10, safe! > 3, unsafe! > 15, alive! > 15]).toEqual(
        Array.from({ length: 6 }, () => true),
      );
    },
    120_000,
  );
});
