/** @module @tessera/proofs/fast-check: generators of nets, workflows and runs for properties. */
import {
  enabledTransitions,
  fire,
  type Net,
  type NetClass,
  NO_RULES,
  type NonLocalRules,
  netClass,
  type Transition,
  type WeightedPlace,
  type WorkflowDefinition,
} from "@tessera/core";
import fc from "fast-check";
import { type Block, blockNet, type Mistake } from "./block-net.ts";
import { BROKEN, type Defect, defectiveNet } from "./defects.ts";
import type { NetObligationId, Run } from "./verdict.ts";
import {
  BLOCK_DATA,
  type BlockKey,
  BROKEN_WORKFLOW,
  blockWorkflow,
  type WorkflowBlock,
  type WorkflowDefect,
} from "./workflow-blocks.ts";

export type { BlockGuard, BlockKey, BlockStep, WorkflowBlock, WorkflowDefect } from "./workflow-blocks.ts";

/** What the generated nets may contain. */
export interface NetOptions {
  readonly placesMax?: number;
  readonly transitionsMax?: number;
  /** Greatest arc weight. */
  readonly weightMax?: number;
  readonly hasResets?: boolean;
  /** May transitions have optional inputs? */
  readonly hasOptional?: boolean;
}

/**
 * Nets with one to `placesMax` places, with tokens on the first and sometimes others. Finals: one end, several ends,
 * or a list of markings. Often unsound, sometimes unbounded.
 */
export function arbitraryNet(options: NetOptions = {}): fc.Arbitrary<Net> {
  const {
    placesMax = 5,
    transitionsMax = 6,
    weightMax = 1,
    hasResets = false,
    hasOptional = false,
  } = options;
  return fc.integer({ min: 1, max: placesMax }).chain((count) => {
    const place = fc.nat({ max: count - 1 });
    const some = (maxLength: number) => fc.uniqueArray(place, { maxLength });
    const weighted = fc
      .uniqueArray(fc.tuple(place, fc.integer({ min: 1, max: weightMax })), {
        maxLength: 3,
        selector: ([at]) => at,
      })
      .map((side): readonly WeightedPlace[] => side);
    const none = fc.constant<readonly number[]>([]);
    const finals = fc.oneof(
      some(2).map((ends) => ({ kind: "ends" as const, ends: ends.length === 0 ? [count - 1] : ends })),
      fc
        .array(fc.array(fc.nat({ max: 1 }), { minLength: count, maxLength: count }), {
          minLength: 1,
          maxLength: 2,
        })
        .map((markings) => ({ kind: "markings" as const, markings })),
    );
    const initial = fc
      .array(fc.nat({ max: 3 }), { minLength: count - 1, maxLength: count - 1 })
      .map((rest) => [1, ...rest.map((tokens) => Math.max(0, tokens - 2))]);
    const draft = fc.record({
      pre: weighted,
      any: hasOptional ? fc.oneof({ weight: 3, arbitrary: none }, { weight: 1, arbitrary: some(2) }) : none,
      post: weighted,
      reset: hasResets ? fc.oneof({ weight: 2, arbitrary: none }, { weight: 1, arbitrary: some(2) }) : none,
    });
    return fc
      .record({ finals, initial, drafts: fc.array(draft, { maxLength: transitionsMax }) })
      .map((parts): Net => {
        const ends = new Set(parts.finals.kind === "ends" ? parts.finals.ends : []);
        return {
          places: Array.from({ length: count }, (_, at) => ({ id: `p${at}`, role: "control" })),
          transitions: parts.drafts.map(
            (t, index): Transition => ({
              id: `t${index}`,
              ...t,
              reset: t.reset.filter((at) => !ends.has(at)),
            }),
          ),
          initial: parts.initial,
          finals: parts.finals,
        };
      });
  });
}

/** Nets of exactly the given class, `arbitraryNet` filtered by construction of its options. */
export function arbitraryNetOfClass(kind: NetClass): fc.Arbitrary<Net> {
  const options: Readonly<Record<NetClass, NetOptions>> = {
    plain: {},
    weighted: { weightMax: 3 },
    reset: { weightMax: 2, hasResets: true },
    "non-local": { weightMax: 2, hasResets: true, hasOptional: true },
  };
  return arbitraryNet(options[kind]).filter((net) => netClass(net) === kind);
}

/** Nested blocks of tasks: sequence, choice, parallel, loop. */
export function arbitraryBlock(depthMax = 3): fc.Arbitrary<Block> {
  const { block } = fc.letrec<{ block: Block }>((tie) => ({
    block: fc.oneof(
      { maxDepth: depthMax, depthSize: "medium" },
      { weight: 1, arbitrary: fc.constant<Block>({ kind: "task" }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom("sequence" as const, "choice" as const, "parallel" as const),
          parts: fc.array(tie("block"), { minLength: 2, maxLength: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("loop" as const), body: tie("block") }) },
    ),
  }));
  return block;
}

/** Block-structured workflow nets: sound and safe by construction. */
export function arbitraryWorkflowNet(depthMax = 3): fc.Arbitrary<Net> {
  return arbitraryBlock(depthMax).map((block) => blockNet(block));
}

/** Block-structured workflow nets with one mistake in a parallel block, if they have one: nearly always unsound. */
export function arbitraryMistakenWorkflowNet(
  depthMax = 3,
): fc.Arbitrary<{ readonly net: Net; readonly block: Block; readonly mistake: Mistake }> {
  const mistake = fc.record({
    kind: fc.constantFrom("lost-arc" as const, "merge" as const, "choose" as const),
    nth: fc.nat({ max: 20 }),
  });
  return fc
    .record({ block: arbitraryBlock(depthMax), mistake })
    .map((made) => ({ ...made, net: blockNet(made.block, made.mistake) }));
}

/** Block-structured workflow nets with one defect, and the obligation that it breaks for certain. */
export function arbitraryDefectiveNet(depthMax = 2): fc.Arbitrary<{
  readonly net: Net;
  readonly defect: Defect;
  readonly breaks: NetObligationId;
}> {
  const defects = Object.keys(BROKEN) as Defect[];
  return fc
    .record({
      block: arbitraryBlock(depthMax),
      defect: fc.constantFrom(...defects),
      nth: fc.nat({ max: 20 }),
    })
    .map(({ block, defect, nth }) => ({
      net: defectiveNet(block, defect, nth),
      defect,
      breaks: BROKEN[defect],
    }));
}

/** Blocks of workflows: people, forms, jobs, the clock; sequence, parallel, XOR and OR splits on data, cycles. */
export function arbitraryWorkflowBlock(depthMax = 3): fc.Arbitrary<WorkflowBlock> {
  const keys = Object.keys(BLOCK_DATA) as BlockKey[];
  const guard = fc.constantFrom(...keys).chain((key) => {
    const { values = [false, true] } = BLOCK_DATA[key];
    return fc.record({
      key: fc.constant(key),
      op: fc.constantFrom("is" as const, "isNot" as const),
      value: fc.constantFrom(...values),
    });
  });
  const step = fc.record({
    kind: fc.constant("step" as const),
    step: fc.constantFrom("ask" as const, "fill" as const, "job" as const, "wait" as const),
    key: fc.constantFrom(...keys),
  });
  const { block } = fc.letrec<{ block: WorkflowBlock }>((tie) => ({
    block: fc.oneof(
      { maxDepth: depthMax, depthSize: "small", withCrossShrink: true },
      { weight: 3, arbitrary: step },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom("sequence" as const, "parallel" as const),
          parts: fc.array(tie("block"), { minLength: 2, maxLength: 3 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom("choice" as const, "some" as const),
          branches: fc.array(fc.record({ guard, part: tie("block") }), { minLength: 1, maxLength: 2 }),
          otherwise: tie("block"),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const), body: tie("block") }) },
    ),
  }));
  return block;
}

/**
 * Workflow definitions with data, block by block: sound by construction, with an arc for every outcome and every value.
 * Their keys are `count`, `fair` and `colour`, which a run needs from its start.
 */
export function arbitraryWorkflow(depthMax = 3): fc.Arbitrary<WorkflowDefinition> {
  return arbitraryWorkflowBlock(depthMax).map((block) => blockWorkflow(block));
}

/** The same with one mistake around everything, and the obligation that it breaks for certain. */
export function arbitraryDefectiveWorkflow(depthMax = 2): fc.Arbitrary<{
  readonly definition: WorkflowDefinition;
  readonly defect: WorkflowDefect;
  readonly breaks: "O1" | "O4" | "O5";
}> {
  const defects = Object.keys(BROKEN_WORKFLOW) as WorkflowDefect[];
  return fc
    .record({ block: arbitraryWorkflowBlock(depthMax), defect: fc.constantFrom(...defects) })
    .map(({ block, defect }) => ({
      definition: blockWorkflow(block, defect),
      defect,
      breaks: BROKEN_WORKFLOW[defect],
    }));
}

/**
 * Firing sequences of `net` from its initial marking, at most `lengthMax` long, with the marking that they reach. Shrinks
 * towards shorter ones. Nets with non-local rules need them in `rules`.
 */
export function arbitraryRun(
  net: Net,
  { lengthMax = 20, rules = NO_RULES }: { readonly lengthMax?: number; readonly rules?: NonLocalRules } = {},
): fc.Arbitrary<Run> {
  return fc.array(fc.nat({ max: 1000 }), { maxLength: lengthMax }).map((choices) => {
    const sequence: number[] = [];
    let marking = net.initial;
    for (const choice of choices) {
      const enabled = enabledTransitions(net, marking, rules);
      const t = enabled[choice % enabled.length];
      const next = t === undefined ? null : fire(net, marking, t, rules);
      if (t === undefined || next?.kind !== "fired") break;
      sequence.push(t);
      marking = next.marking;
    }
    return { sequence, marking };
  });
}
