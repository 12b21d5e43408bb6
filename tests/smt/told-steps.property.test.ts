/** @module Cases that tell answers of guards that compute, and the steps between them, against every turn of the real step. */
import { type CompiledWorkflow, type Data, evaluateCondition, type WorkflowDefinition } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { falsehoods } from "../../packages/engine/test/data-falsehoods.ts";
import { compiledOf } from "../../packages/engine/test/data-worlds.ts";
import type { Values } from "../../packages/engine/test/step-inputs.ts";
import { graphByStep, type OracleWorld, seenByStep } from "../../packages/engine/test/step-oracle.ts";
import { questionsOf } from "../../packages/proofs/src/data-level/conditions-read.ts";
import { dataReportOf, exploreDataSteps } from "../../packages/proofs/src/data-level/data-proof.ts";
import { domainOf } from "../../packages/proofs/src/data-level/domain.ts";
import { type AnswerGroup, withTold } from "../../packages/proofs/src/data-level/told-answers.ts";
import { groupsOf, type LeafGroup } from "../../packages/proofs/src/smt/groups.ts";
import { finish } from "../../packages/proofs/src/soundness.ts";
import { environment, read } from "./expressions.ts";
import { disagreements, type Told } from "./told-steps.ts";
import { computingCalled, computingEventful, computingRouted, TOLD_KEYS, worldOf } from "./told-workflow.ts";

const SEED = 23_210;

/** What the leaves of a group answer together on all values of its keys, in place of a solver. */
function combinationsOf({ keys, leaves }: LeafGroup): readonly string[] {
  const all = [...keys].reduce<readonly Data[]>(
    (some, key) => {
      const values = TOLD_KEYS[key]!.values ?? [false, true];
      return some.flatMap((data) => values.map((value) => ({ ...data, [key]: value })));
    },
    [{}],
  );
  const answerOf = (leaf: LeafGroup["leaves"][number], data: Data) => {
    const answer = evaluateCondition(leaf, data, environment);
    return answer.kind === "error" ? "e" : answer.value ? "t" : "f";
  };
  return [...new Set(all.map((data) => leaves.map((leaf) => answerOf(leaf, data)).join("")))];
}

/** The product on told cases; null where nothing is told, or all is too much. */
function toldOf(compiled: CompiledWorkflow, change: (group: AnswerGroup) => AnswerGroup) {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  const { groups } = groupsOf(compiled, found.domain, read);
  if (groups.length === 0) return null;
  const told = groups.map((group) => change({ ...group, combinations: combinationsOf(group) }));
  const explored = finish(exploreDataSteps(compiled, withTold(found.domain, told), {}), {});
  return explored.kind === "undecided" || explored.product.limit !== null ? null : explored;
}

/** Has the product more than runs show, since a case does not tell what the branches of a block hold back, or a list? */
const isMore = (definition: WorkflowDefinition) =>
  /"stage":true|"merge":|"missing"|"collection":"answers"/u.test(JSON.stringify(definition));

/** What is said and refuted, but for failures and elements in use: a solver has yet to play out runs for these. */
function refuted(told: Told & Parameters<typeof dataReportOf>[1], values: Values, world: OracleWorld) {
  const { compiled } = told;
  const seen = seenByStep(compiled, values, 800, world);
  if (seen === null) return [];
  const { obligations } = dataReportOf(compiled, told, {});
  const isLooping = compiled.definition.nodes.some(({ kind }) => kind === "decision");
  // Of loops the oracle, which looks at markings and data, takes for stuck whoever is asked again and again.
  const isUniversal = ({ id, verdict }: (typeof obligations)[number]) =>
    verdict.kind === (id === "O3" ? "fails" : "holds") && !(isLooping && id === "deadlock");
  return falsehoods(compiled, { obligations: obligations.filter(isUniversal) }, seen);
}

const same = (group: AnswerGroup) => group;

/** What is wrong with the product of a workflow; null where it was not compared. */
function wrongWith(definition: WorkflowDefinition, change = same, statesMax = 800) {
  const compiled = compiledOf(definition);
  const explored = toldOf(compiled, change);
  if (explored === null) return null;
  const { values, world } = worldOf(definition);
  const graph = graphByStep(compiled, values, statesMax, world);
  if (graph === null) return null;
  const told = { ...explored, compiled };
  const found = disagreements(told, graph, !isMore(definition));
  return { ...found, wrong: [...found.wrong, ...(change === same ? refuted(told, values, world) : [])] };
}

const FAMILIES = [
  ["that wait for what comes", computingEventful, 6],
  ["with calls and blocks", computingCalled, 30],
  ["that route", computingRouted, 24],
] as const;

describe("[L23.2] steps between told cases", () => {
  it.each(FAMILIES)(
    "[D23.12] [L23.2] in workflows %s are those of the real step from each state, and what can be made is made (oracle: all inputs on all values)",
    (_, arbitrary, numRuns) => {
      const count = { compared: 0, sure: 0, untold: 0 };
      fc.assert(
        fc.property(arbitrary, (definition) => {
          const found = wrongWith(definition);
          if (found === null) return;
          expect(found.wrong).toEqual([]);
          count.compared += 1;
          count.sure += found.sure;
          count.untold += found.untold;
        }),
        { seed: SEED, numRuns },
      );
      expect(count.compared).toBeGreaterThan(numRuns / 8);
      expect(count.sure).toBeGreaterThan(200);
      expect(count.untold).toBeGreaterThan(20);
    },
    300_000,
  );

  it.each<readonly [what: string, change: (group: AnswerGroup) => AnswerGroup]>([
    ["leaves out a combination", (group) => ({ ...group, combinations: group.combinations.slice(0, -1) })],
    ["overlooks what is read", (group) => ({ ...group, reads: group.reads.map(() => new Set<string>()) })],
    [
      "lets each answer of a key say all",
      (group) => ({ ...group, isWhole: true, keys: new Set([...group.keys].slice(0, 1)) }),
    ],
  ])(
    "[L23.2] the law catches a prover that %s",
    (_, change) => {
      const isCaught = fc
        .sample(computingEventful, { seed: SEED, numRuns: 60 })
        .some((definition) => (wrongWith(definition, change, 200)?.wrong.length ?? 0) > 0);
      expect(isCaught).toBe(true);
    },
    300_000,
  );
});
