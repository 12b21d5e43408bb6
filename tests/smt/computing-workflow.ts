/** @module Random small workflows of integers in a few values, whose guards compute. */
import {
  type Arc,
  type CompiledWorkflow,
  type ConditionData,
  compileWorkflow,
  type DataType,
  type WorkflowNode,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import fc from "fast-check";
import { guardedWorkflow, type Parts } from "../../packages/proofs/test/data-level/guarded-workflow.ts";
import { feel } from "./expressions.ts";

const LISTED = [0, 1, 2, 3];
/** What the keys may hold: the declarations, and the values that the oracle gives them. */
export const KEYS: Readonly<Record<string, DataType>> = {
  a: { type: "integer", values: LISTED },
  b: { type: "integer", values: LISTED },
  // Read by isAssigned somewhere: it may have no value.
  m: { type: "integer", values: [0, 1] },
};
export const VALUES = { a: LISTED, b: LISTED, m: [undefined, 0, 1] } as const;

/** The keys of guards as they are generated, by the keys here. */
const RENAMED: Readonly<Record<string, string>> = { x: "a", y: "b", n: "m", c: "m" };

const term = fc.constantFrom("a + b", "a - b", "2 * a", "b + 1", "a / 2", "a", "3 - b");
const computed = fc
  .tuple(
    term,
    fc.constantFrom("<", "<=", ">", ">=", "=", "!="),
    fc.constantFrom("0", "1", "2", "3", "b", "2 * b"),
  )
  .map((parts): ConditionData => feel(parts.join(" ")));
const decided = fc.record({
  key: fc.constantFrom("a", "b"),
  op: fc.constantFrom("lessThan", "atLeast", "is"),
  value: fc.constantFrom(1, 2),
}) as fc.Arbitrary<ConditionData>;
/** Asks of `m` whether it is there; the last ones ask more of it although it may not be. */
const mayMiss = fc.constantFrom<ConditionData>(
  {
    all: [
      { key: "m", op: "isAssigned" },
      { key: "m", op: "is", value: 0 },
    ],
  },
  { all: [{ key: "m", op: "isAssigned" }, feel("m + a > 1")] },
  { any: [{ all: [{ key: "m", op: "isAssigned" }, feel("a > 1")] }, feel("m + a < 2")] },
);
const guard = fc.oneof(
  { weight: 6, arbitrary: computed },
  { weight: 2, arbitrary: decided },
  { weight: 1, arbitrary: mayMiss },
  { weight: 1, arbitrary: fc.record({ not: computed }) },
  { weight: 1, arbitrary: fc.record({ all: fc.tuple(decided, computed) }) },
);

/** Blocks of people and jobs, choices and loops; every guard is one of these. */
export const computingWorkflow: fc.Arbitrary<Parts> = guardedWorkflow.chain(({ nodes, arcs }) => {
  const count = arcs.filter((arc) => arc.guard !== undefined).length;
  return fc.array(guard, { minLength: count, maxLength: count }).map((guards): Parts => {
    const rest = [...guards];
    const renamed = nodes.map(({ kind, writes, ...node }): WorkflowNode => {
      const keys = [...new Set((writes ?? []).map((key) => RENAMED[key]!))];
      // What a function answers would need a function.
      return {
        ...node,
        kind: kind === "transform" ? "tool" : kind,
        ...(writes === undefined ? {} : { writes: keys }),
      };
    });
    const asked = arcs.map((arc): Arc => (arc.guard === undefined ? arc : { ...arc, guard: rest.shift()! }));
    return { nodes: renamed, arcs: asked };
  });
});

/** Compiles it. */
export function computingOf({ nodes, arcs }: Parts): CompiledWorkflow {
  const definition = {
    format: 1,
    kind: "workflow",
    id: "w",
    entry: "start",
    data: KEYS,
    nodes,
    arcs,
  } as const;
  const compiled = compileWorkflow(definition, STANDARD_KINDS);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value;
}
