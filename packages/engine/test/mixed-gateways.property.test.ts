/** @module What the proofs say of a workflow, sound or not, on its net and on its data, against every run of the real step. */
import { compileWorkflow, type WorkflowDefinition, type WorkflowNode } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { checkDataLines, proveWorkflow, type WorkflowReport } from "@tessera/proofs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calledWorkflow, collectedWorkflow, VALUES } from "./called-workflow.ts";
import { falsehoods } from "./data-falsehoods.ts";
import { answeringAll } from "./data-worlds.ts";
import { waitingWorkflow } from "./eventful-workflow.ts";
import { ROUTED_VALUES, routedWorkflow } from "./routed-workflow.ts";
import type { Values } from "./step-inputs.ts";
import { type Seen, seenByStep } from "./step-oracle.ts";

const SEED = 8_013;
const RUNS = 100;
const LISTS: Values = {
  ...VALUES,
  items: [undefined, false, [], [1], [1, 2]],
  answers: [undefined, [], [1]],
};

type Family = readonly [name: string, arbitrary: fc.Arbitrary<WorkflowDefinition>, values: Values];
const FAMILIES: readonly Family[] = [
  ["with calls and blocks", calledWorkflow, LISTS],
  ["that collect", collectedWorkflow, LISTS],
  ["that route", routedWorkflow, ROUTED_VALUES],
  ["that wait for what comes", waitingWorkflow, ROUTED_VALUES],
];

/** A definition, and the same with some gateways that split or join in another way: mostly it is not sound. */
interface Mixed {
  readonly given: WorkflowDefinition;
  readonly mixed: WorkflowDefinition;
}

const mixedUp = (arbitrary: fc.Arbitrary<WorkflowDefinition>): fc.Arbitrary<Mixed> => {
  const change = fc.tuple(fc.nat({ max: 30 }), fc.constantFrom("all", "or", "any"));
  return fc.tuple(arbitrary, fc.array(change, { maxLength: 2 })).map(([given, changes]) => {
    const gateways = given.nodes.filter(({ kind }) => kind === "gateway").map(({ id }) => id);
    const nodes = given.nodes.map((node): WorkflowNode => {
      const way = changes.find(([at]) => gateways[at % gateways.length] === node.id)?.[1];
      if (way === undefined) return node;
      const { split: _split, join: _join, ...rest } = node;
      const isSplit = given.arcs.filter(({ from }) => from === node.id).length > 1;
      if (!isSplit) return { ...rest, join: way };
      return way === "any" ? rest : { ...rest, split: way };
    });
    return { given, mixed: { ...given, nodes } };
  });
};

const compiledOf = (definition: WorkflowDefinition) => {
  const compiled = compileWorkflow(definition, STANDARD_KINDS);
  return compiled.ok ? compiled.value : null;
};

/** All runs of the workflow; null where there are too many. */
function runsOf(definition: WorkflowDefinition, all: Values): Seen | null {
  const compiled = compiledOf(definition);
  if (compiled === null) return null;
  const text = JSON.stringify(definition);
  // Of a key that nothing asks of one value is enough.
  const own = Object.entries(all).map(([key, values]) => {
    const isAsked = text.includes(`"key":"${key}"`) || text.includes(`"collection":"${key}"`);
    return [key, isAsked ? values : values.slice(-1)] as const;
  });
  const values = Object.fromEntries(own);
  return seenByStep(compiled, values, 500, {
    deciding: answeringAll(definition, values),
    isErrorWriting: true,
  });
}

/** What the report says of all data, and the runs refute. Opaque predicates are assumed to answer; those of the runs throw, too. */
function refuted({ obligations }: WorkflowReport, seen: Seen, isOpaque: boolean): readonly string[] {
  return obligations.flatMap(({ id, verdict, level }): readonly string[] => {
    if (id === "O3") {
      const dead = verdict.kind === "fails" && verdict.evidence.kind === "E3" ? verdict.evidence.dead : [];
      return dead.some(({ transitions }) => transitions.some((t) => seen.fired.has(t))) ? ["O3 fails"] : [];
    }
    if (verdict.kind !== "holds" || level !== "data") return [];
    const bad: Readonly<Record<string, boolean>> = {
      O1: seen.isLost,
      O2: seen.hasSecondEnd,
      O4: seen.isUnsafe,
      O5: seen.hasGap && !isOpaque,
    };
    return bad[id] === true ? [`${id} holds`] : [];
  });
}

const isOpaque = (definition: WorkflowDefinition) => JSON.stringify(definition).includes('"predicate"');

describe("verdicts on workflows whose gateways may not fit, and the runs of the engine", () => {
  it.each(FAMILIES)(
    "[D8.9] [D8.10] [D23.5] what is said of workflows %s is what every run of the real step shows",
    (_, arbitrary, values) => {
      const said = new Map<string, number>();
      fc.assert(
        fc.property(mixedUp(arbitrary), ({ mixed }) => {
          const seen = runsOf(mixed, values);
          if (seen === null) return;
          const compiled = compiledOf(mixed)!;
          const report = proveWorkflow(compiled, { level: "data", limits: { statesMax: 5_000 } });
          expect(refuted(report, seen, isOpaque(mixed))).toEqual([]);
          expect(falsehoods(compiled, report.data!, seen)).toEqual([]);
          const checked = checkDataLines(compiled, report.data!.obligations);
          expect(checked.filter(({ kind }) => kind === "invalid")).toEqual([]);
          for (const { id, verdict, level } of [...report.obligations, ...report.data!.obligations]) {
            const name = `${id} ${verdict.kind} ${level}`;
            said.set(name, (said.get(name) ?? 0) + 1);
          }
        }),
        { seed: SEED, numRuns: RUNS },
      );
      for (const id of ["O1", "O2", "O4", "O5"])
        expect(said.get(`${id} holds data`) ?? 0, id).toBeGreaterThan(10);
      for (const id of ["O1", "O3", "O5", "deadlock"])
        expect(said.get(`${id} fails data`) ?? 0, id).toBeGreaterThan(2);
    },
    120_000,
  );

  it("[D8.9] the law catches a prover that overlooks how gateways split and join", () => {
    const caught = new Set<string>();
    for (const [, arbitrary, values] of FAMILIES)
      for (const { given, mixed } of fc.sample(mixedUp(arbitrary), { seed: SEED, numRuns: 120 })) {
        const [seen, compiled] = [runsOf(mixed, values), compiledOf(given)];
        if (seen === null || compiled === null) continue;
        for (const what of refuted(proveWorkflow(compiled), seen, isOpaque(mixed))) caught.add(what);
      }
    expect([...caught].sort()).toEqual(expect.arrayContaining(["O1 holds", "O2 holds", "O4 holds"]));
  }, 120_000);
});
