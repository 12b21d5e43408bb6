import type { Arc, CompiledWorkflow } from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { questionsOf } from "../../src/data-level/conditions-read.ts";
import { dataVerdicts } from "../../src/data-level/data-verdicts.ts";
import { type Domain, domainOf } from "../../src/data-level/domain.ts";
import { explore } from "../../src/data-level/product.ts";
import { stepperOf } from "../../src/data-level/stepper.ts";
import { DEFAULT_LIMITS, startBudget } from "../../src/limits.ts";
import { finish } from "../../src/soundness.ts";
import { bruteForce, replayTrouble, type Truth } from "./brute-force.ts";
import { compiledOf, guardedWorkflow } from "./guarded-workflow.ts";

const SEED = 20_268;
const ASKED = ["O1", "O2", "O3", "O4", "O5", "deadlock"] as const;

/** What the abstraction says, after `change`. */
function verdictsOf(compiled: CompiledWorkflow, change: (domain: Domain) => Domain = (same) => same) {
  const found = domainOf(questionsOf(compiled));
  if (found.kind !== "domain") throw new Error(found.reason);
  const domain = change(found.domain);
  const product = finish(
    explore(
      stepperOf(compiled, domain),
      startBudget({ ...DEFAULT_LIMITS, statesMax: 5000 }, () => 0, null),
    ),
    {},
  );
  return dataVerdicts(compiled, domain, product).verdicts;
}

/** The kinds of verdict on the abstraction, after `change`. */
function abstractly(compiled: CompiledWorkflow, change?: (domain: Domain) => Domain): Truth["verdicts"] {
  const verdicts = verdictsOf(compiled, change);
  return Object.fromEntries(ASKED.map((id) => [id, verdicts.get(id)!.kind])) as Truth["verdicts"];
}

/** The domain without some values of the integers, or without some patterns of the numbers. */
function without(domain: Domain, isGone: (value: unknown) => boolean): Domain {
  const slots = domain.slots.map((slot) =>
    slot.reference.key === "n" && slot.values.length > 1
      ? { ...slot, values: slot.values.filter((value) => !isGone(value)) }
      : slot,
  );
  const orders = domain.orders.map((part) => {
    const isKept = (tuple: readonly number[]) => !tuple.every((cell) => isGone(part.values[cell]));
    return { ...part, tuples: part.tuples.filter(isKept), known: new Map() };
  });
  return { ...domain, slots, orders };
}

describe("[D23.5] verdicts on abstract data", () => {
  it("[D23.1] [D23.3] [D23.5] are those of all concrete values (oracle: brute force, transition by transition)", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(guardedWorkflow, (parts) => {
        const compiled = compiledOf(parts);
        const truth = bruteForce(compiled, 2500);
        fc.pre(truth !== null);
        const found = abstractly(compiled);
        for (const id of ASKED) {
          const line = `${id} ${truth.verdicts[id]}`;
          seen.set(line, (seen.get(line) ?? 0) + 1);
        }
        expect(found).toEqual(truth.verdicts);
      }),
      { seed: SEED, numRuns: 120 },
    );
    // What was compared has both answers, and the third where order matters.
    for (const id of ASKED) {
      expect(seen.get(`${id} holds`) ?? 0, id).toBeGreaterThan(2);
      expect(seen.get(`${id} fails`) ?? 0, id).toBeGreaterThan(2);
    }
  }, 120_000);

  it("[D23.5] failures come with runs that are runs on their own values (oracle: the rules read step by step)", () => {
    let count = 0;
    fc.assert(
      fc.property(guardedWorkflow, (parts) => {
        const compiled = compiledOf(parts);
        for (const verdict of verdictsOf(compiled).values()) {
          if (verdict.kind !== "fails" || verdict.evidence.kind !== "data-run") continue;
          count += 1;
          expect(replayTrouble(compiled, verdict.evidence.run)).toBeNull();
        }
      }),
      { seed: SEED, numRuns: 60 },
    );
    expect(count).toBeGreaterThan(50);
  }, 120_000);

  it.each<readonly [name: string, change: (domain: Domain) => Domain]>([
    ["an interval too few", (domain) => without(domain, (value) => Number(value) > 2 || Number(value) < 0)],
    ["a boundary too few", (domain) => without(domain, (value) => value === 2 || value === 0)],
  ])(
    "[D23.1] the law catches %s",
    (_, change) => {
      const disagreements = fc.sample(guardedWorkflow, { seed: SEED, numRuns: 100 }).filter((parts) => {
        const compiled = compiledOf(parts);
        const truth = bruteForce(compiled, 1500);
        if (truth === null) return false;
        const found = abstractly(compiled, change);
        return ASKED.some((id) => found[id] !== truth.verdicts[id]);
      });
      expect(disagreements.length).toBeGreaterThan(0);
    },
    120_000,
  );

  it("[D23.1] two numbers that are compared need two values in a gap, and room between them", () => {
    const parts = [
      { key: "x", op: "lessThan", value: 0 },
      { key: "y", op: "lessThan", value: 0 },
      { key: "x", op: "lessThan", valueOf: "y" },
    ] as const;
    const nodes = ["start", "ask", "end"].map((id) => ({ id, kind: id === "ask" ? "human" : id }));
    const arcs: readonly Arc[] = [
      { from: "start", to: "ask", guard: { all: parts } },
      { from: "start", to: "end", default: true },
      { from: "ask", to: "end" },
    ];
    const compiled = compiledOf({ nodes, arcs });
    expect(abstractly(compiled).O3).toBe("holds");
    const tooFew = (domain: Domain): Domain => ({
      ...domain,
      orders: domain.orders.map((part) => {
        return {
          ...part,
          tuples: part.tuples.filter(([x, y]) => x === y || part.values[x!]! >= 0 || part.values[y!]! >= 0),
        };
      }),
    });
    expect(abstractly(compiled, tooFew).O3).toBe("fails");
  });
});
