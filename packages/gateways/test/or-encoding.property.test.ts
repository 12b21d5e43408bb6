import {
  type CompiledWorkflow,
  compileWorkflow,
  enabledTransitions,
  fire,
  kindTable,
  type Marking,
  NO_RULES,
  type NonLocalRules,
  type WorkflowDefinition,
} from "@tessera/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orJoinRules, STANDARD_KINDS, stepFragment } from "../src/index.ts";
import { type Block, blockUpTo, workflowOf } from "./workflow-arbitrary.ts";
import { compiledOf } from "./workflow-text.ts";

const PAIRS_MAX = 40;

/** The same definition with every OR split and join of a gateway compiled without its block. */
function nonLocal(definition: WorkflowDefinition, encode = stepFragment): CompiledWorkflow {
  const gateway = STANDARD_KINDS.get("gateway");
  if (gateway === undefined) throw new Error("no gateway");
  const kinds = kindTable([{ ...gateway, fragment: (b) => encode(b, "non-local") }], STANDARD_KINDS);
  const result = compileWorkflow(definition, kinds);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

/**
 * The steps from a marking: name to the marking behind it. A chain is one step, named by the arcs that it takes. OR
 * joins go last in either encoding: the rule says so in one, `isLast` in the other.
 */
function stepsFrom(
  workflow: CompiledWorkflow,
  rules: NonLocalRules,
  M: Marking,
): ReadonlyMap<string, Marking> {
  const { net } = workflow;
  const after = (at: Marking, t: number) => {
    const result = fire(net, at, t, rules);
    return result.kind === "fired" ? result.marking : null;
  };
  const found = new Map<string, Marking>();
  const through = (name: string, taken: readonly number[], at: Marking): void => {
    let isOver = true;
    const isChainMarked = net.places.some(({ origin }, place) => origin?.kind === "chain" && at[place]);
    for (const [t, { origin }] of isChainMarked ? net.transitions.entries() : []) {
      if (origin?.phase !== "take" && origin?.phase !== "skip") continue;
      const next = after(at, t);
      if (next === null) continue;
      isOver = false;
      through(name, origin.phase === "take" ? [...taken, ...origin.chosen] : taken, next);
    }
    if (!isOver) return;
    found.set(`${name}>${[...taken].sort((a, b) => a - b).join("+")}`, settled(workflow, at));
  };
  const isLast = (t: number) => isOrJoin(workflow, net.transitions[t]?.origin?.node ?? -1);
  const offered = enabledTransitions(net, M, rules);
  const isBusy = offered.some((t) => !isLast(t) && net.transitions[t]?.origin?.phase !== "finish");
  for (const t of offered) {
    const { origin } = net.transitions[t] ?? {};
    if (origin === undefined || (isBusy && isLast(t))) continue;
    const { node, phase, outcome = "", counts = [] } = origin;
    // A structured join takes settled tokens: which arcs they came by is not part of its name in either encoding.
    const name = `${node} ${phase} ${outcome} ${isLast(t) ? "" : origin.consumed} ${counts}`;
    through(name, origin.chosen, after(M, t) ?? M);
  }
  return found;
}

function isOrJoin({ definition }: CompiledWorkflow, node: number): boolean {
  return definition.nodes[node]?.join === "or";
}

/** Settling moves nothing that anybody sees: it is done at once. */
function settled({ net }: CompiledWorkflow, M: Marking): Marking {
  let marking = M;
  for (const [t, { origin }] of net.transitions.entries()) {
    const result = origin?.phase === "settle" ? fire(net, marking, t) : null;
    if (result?.kind === "fired") marking = result.marking;
  }
  return marking;
}

/** The tokens that both encodings have in common: on rest, source and end places, counters, and arcs into no OR join. */
function common({ definition, net }: CompiledWorkflow, M: Marking): string {
  return net.places
    .flatMap(({ id, origin }, place) => {
      const isInto =
        origin?.kind === "arc" &&
        definition.nodes.find((node) => node.id === definition.arcs[origin.arc]?.to)?.join === "or";
      const isChain = origin?.kind === "chain" || origin?.kind === "skip";
      return isInto || isChain || !M[place] ? [] : [`${id}=${M[place]}`];
    })
    .sort()
    .join(" ");
}

/**
 * Law: from the initial marking both encodings offer the same steps, and step by step the same again, OR joins
 * last; between steps their common tokens are equal. Oracle: the structured encoding. Generated: nested blocks with OR blocks in loops, in
 * parallel branches, in subprocesses and in each other, terminate ends inside.
 */
function encodingLaw(other: (definition: WorkflowDefinition) => CompiledWorkflow, numRuns: number) {
  const seen = { blocks: 0, nested: 0, looped: 0, pairs: 0 };
  fc.assert(
    fc.property(inclusive, (block) => {
      const definition = workflowOf(block);
      const left = compiledOf(definition);
      const right = other(definition);
      const rules = orJoinRules(right);
      seen.blocks += count(block, "inclusive");
      if (nests(block, "inclusive", "inclusive")) seen.nested += 1;
      if (nests(block, "loop", "inclusive")) seen.looped += 1;
      const pairs = new Map([["", [left.net.initial, right.net.initial] as const]]);
      for (const [l, r] of pairs.values()) {
        if (pairs.size > PAIRS_MAX) break;
        expect(common(right, r)).toBe(common(left, l));
        const [leftSteps, rightSteps] = [stepsFrom(left, NO_RULES, l), stepsFrom(right, rules, r)];
        expect([...rightSteps.keys()].sort()).toEqual([...leftSteps.keys()].sort());
        for (const [name, next] of leftSteps) {
          const twin = rightSteps.get(name) ?? right.net.initial;
          pairs.set(`${next} ${twin}`, [next, twin]);
        }
      }
      seen.pairs += pairs.size;
    }),
    { numRuns, endOnFailure: numRuns < 500 },
  );
  return seen;
}

const inner = blockUpTo(1);
const around = (parts: fc.Arbitrary<readonly Block[]>) =>
  fc
    .tuple(parts, fc.option(fc.nat({ max: 1 })))
    .map(([branches, fallback]): Block => ({ kind: "inclusive", parts: branches, fallback }));
const flat = around(fc.array(inner, { minLength: 2, maxLength: 3 }));
/** OR blocks alone, in an OR block, in a governed loop, in a parallel block, in a subprocess. */
const inclusive: fc.Arbitrary<Block> = fc.oneof(
  flat,
  around(fc.tuple(around(fc.tuple(inner, inner)), inner)),
  flat.map((body): Block => ({ kind: "loop", body, repair: null, budget: 1 })),
  fc.tuple(flat, inner).map((parts): Block => ({ kind: "parallel", parts })),
  flat.map((content): Block => ({ kind: "scope", content })),
);

function partsOf(block: Block): readonly Block[] {
  if (block.kind === "task") return [];
  if (block.kind === "loop") return [block.body];
  return block.kind === "scope" ? [block.content] : block.parts;
}

function count(block: Block, kind: Block["kind"]): number {
  return partsOf(block).reduce((sum, part) => sum + count(part, kind), block.kind === kind ? 1 : 0);
}

function nests(block: Block, outer: Block["kind"], within: Block["kind"]): boolean {
  const isHere = block.kind === outer && partsOf(block).some((part) => count(part, within) > 0);
  return isHere || partsOf(block).some((part) => nests(part, outer, within));
}

describe("[L15.2] structured blocks in both encodings", () => {
  it("[L15.2] [D15.3] [D15.5] [D6.2] [C20-27] have the same runs, nested and in loops", () => {
    const seen = encodingLaw(nonLocal, 1_000);
    expect(seen.blocks).toBeGreaterThanOrEqual(1_000);
    expect(seen.nested).toBeGreaterThan(100);
    expect(seen.looped).toBeGreaterThan(100);
    expect(seen.pairs).toBeGreaterThan(10_000);
  }, 180_000);

  it("[L15.2] the law catches joins that merge and joins that wait for all", () => {
    for (const join of ["any", "all"] as const) {
      const broken = (definition: WorkflowDefinition) =>
        nonLocal(definition, (b) =>
          stepFragment(b.node.join === "or" ? { ...b, node: { ...b.node, join } } : b, "non-local"),
        );
      expect(() => encodingLaw(broken, 50)).toThrow();
    }
  });
});
