/** @module Evidence by stubborn sets for small nets, of which the pipeline asks others. */
import type { Net } from "@tessera/core";
import type { CheckableLine } from "../../src/index.ts";
import { DEFAULT_LIMITS, startBudget } from "../../src/limits.ts";
import { reduce } from "../../src/reduction/reduce.ts";
import { finish, searchNet } from "../../src/soundness.ts";
import { stubbornAnswers } from "../../src/stubborn/prove.ts";
import type { Support } from "../../src/verdict.ts";

/**
 * What stubborn sets would say of a net of the test of certificates; the pipeline asks them only of large nets. Of some
 * nets only, as there is much to change in their evidence.
 */
export function bySets(named: string, net: Net): readonly CheckableLine[] {
  if (!["deadlock", "weighted", "listed", "early", "starved"].includes(named)) return [];
  const lines = (of: Net, wrap: (evidence: Support) => Support) => {
    const found = finish(searchNet(of, { limits: { statesMax: 1 } }), {})!;
    const budget = startBudget(DEFAULT_LIMITS, () => 0, null);
    const ids = new Set(["O1", "O2", "O3", "O4", "deadlock", "bounded"] as const);
    const { verdicts } = finish(stubbornAnswers(found, ids, budget, 1000), {});
    const all = [...verdicts].map(([id, verdict]): CheckableLine => ({ id, verdict }));
    const isSound = ["O1", "O2", "O3"].every((id) => verdicts.get(id as "O1")?.kind === "holds");
    const sound = isSound ? [{ id: "sound" as const, verdict: verdicts.get("O1")! }] : [];
    return [...all, ...sound].flatMap((line): CheckableLine[] => {
      if (line.verdict.kind !== "holds") return of === net ? [line] : [];
      return [{ ...line, verdict: { ...line.verdict, evidence: wrap(line.verdict.evidence) } }];
    });
  };
  const reduction = reduce(net);
  const reduced = (evidence: Support): Support => {
    const { certificate, runs: _, ...rest } = evidence;
    if (certificate?.kind !== "stubborn") return evidence;
    return { ...rest, certificate: { kind: "reduction", steps: reduction.steps, stubborn: certificate } };
  };
  const isReducible = named === "early" || named === "deadlock";
  const dead = named === "starved" ? [deadBySets(net)] : [];
  const ofReduced = isReducible
    ? lines(reduction.net, reduced).filter(
        ({ verdict }) => verdict.kind === "holds" && verdict.evidence.runs === undefined,
      )
    : [];
  return [...lines(net, (evidence) => evidence), ...ofReduced, ...dead];
}

/** A dead element by way of a reduced net (of no steps) and a graph directed to its transition. */
function deadBySets(net: Net): CheckableLine {
  const dead = [{ element: { kind: "transition" as const, transition: 3 }, transitions: [3] }];
  const goal = { kind: "enabled" as const, transition: 3 };
  const graphs = [{ goal, states: [{ marking: net.initial, set: [3, 2] }] }];
  const certificate = {
    kind: "reduced",
    size: 0,
    steps: [],
    stubborn: { kind: "stubborn", graphs },
  } as const;
  return { id: "O3", verdict: { kind: "fails", evidence: { kind: "E3", dead, certificate } } };
}
