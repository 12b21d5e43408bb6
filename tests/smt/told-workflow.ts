/** @module Random small workflows that compute with what people, jobs, times, messages, called runs and handlers write. */
import type { ConditionData, DataType, JsonObject, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import fc from "fast-check";
import { calledWorkflow } from "../../packages/engine/test/called-workflow.ts";
import { answeringAll } from "../../packages/engine/test/data-worlds.ts";
import { eventfulWorkflow } from "../../packages/engine/test/eventful-workflow.ts";
import { routedWorkflow } from "../../packages/engine/test/routed-workflow.ts";
import type { Values } from "../../packages/engine/test/step-inputs.ts";
import type { OracleWorld } from "../../packages/engine/test/step-oracle.ts";
import { environment, feel } from "./expressions.ts";

/** Few values, all of them listed: so every run can be looked at. */
export const TOLD_KEYS: Readonly<Record<string, DataType>> = {
  x: { type: "integer", values: [-1, 0, 1] },
  y: { type: "number", values: [0, 0.5, 2] },
  c: { type: "string", values: ["a", "b", "z"] },
  d: { type: "boolean" },
};
const LISTED: Values = { x: [-1, 0, 1], y: [0, 0.5, 2], c: ["a", "b", "z"], d: [false, true] };

const computed = fc
  .constantFrom(
    "x + y > 0",
    "x - y < 0",
    "2 * x = y",
    "x * x <= y",
    "not(x + y = 1)",
    "x / 2 >= y - 1",
    'c = "a" and x > 0',
    'c != "a" or y > 1',
    "d and x + y > 0",
    "d = (x > y)",
    "y * 2 > 1",
    "x * x = 1",
  )
  .map((text): ConditionData => feel(text));
const decided = fc.constantFrom<ConditionData>(
  { key: "x", op: "greaterThan", value: 0 },
  { key: "y", op: "lessThan", value: 2 },
  { key: "x", op: "lessThan", valueOf: "y" },
  { key: "c", op: "is", value: "a" },
  { key: "d", op: "is", value: true },
);
const guard: fc.Arbitrary<ConditionData> = fc.oneof(
  { weight: 6, arbitrary: computed },
  { weight: 2, arbitrary: decided },
  { weight: 1, arbitrary: fc.record({ not: computed }) },
  { weight: 1, arbitrary: fc.record({ all: fc.tuple(decided, computed) }) },
  { weight: 1, arbitrary: fc.record({ any: fc.tuple(computed, decided) }) },
  { weight: 1, arbitrary: fc.record({ any: fc.tuple(fc.constant({ predicate: "open" }), computed) }) },
) as fc.Arbitrary<ConditionData>;
const written = fc.constantFrom<readonly string[]>([], ["x"], ["y"], ["x", "y"], ["c"], ["d", "x"]);

const NARROW: Readonly<Record<string, DataType>> = {
  x: { type: "integer", values: [0, 1] },
  y: { type: "number", values: [0.5, 2] },
  c: { type: "string", values: ["b", "z"] },
};

/** Workflows that wait for what the world brings, and compute with it. */
export const computingEventful: fc.Arbitrary<WorkflowDefinition> = eventfulWorkflow({
  guard,
  written,
  data: TOLD_KEYS,
  narrow: NARROW,
});

/** Guards of a workflow over x and c that ask these questions instead, and write y besides. */
function computing(base: fc.Arbitrary<WorkflowDefinition>): fc.Arbitrary<WorkflowDefinition> {
  return base.chain((definition) => {
    const count = definition.arcs.filter((arc) => arc.guard !== undefined).length;
    const guards = fc.array(guard, { minLength: count, maxLength: count });
    const renaming = fc.constantFrom<readonly string[]>(["x"], ["y"], ["x", "y"]);
    return fc.tuple(guards, renaming).map(([own, keys]): WorkflowDefinition => {
      const rest = [...own];
      const nodes = definition.nodes.map((node) => renamed(node, keys));
      const arcs = definition.arcs.map((arc) =>
        arc.guard === undefined ? arc : { ...arc, guard: rest.shift()! },
      );
      return { ...definition, nodes, arcs, data: TOLD_KEYS };
    });
  });
}

function renamed({ writes, meta, ...node }: WorkflowNode, keys: readonly string[]): WorkflowNode {
  const all = writes?.flatMap((key) => (key === "x" ? keys : [key]));
  const remap = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(remap);
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => {
        if (name !== "payload" && name !== "outputs") return [[name, remap(inner)]];
        const entries = Object.entries(inner as JsonObject);
        return [
          [
            name,
            Object.fromEntries(
              entries.flatMap(([key, from]) =>
                key === "x" ? keys.map((k) => [k, `${String(from)}${k}`]) : [[key, from]],
              ),
            ),
          ],
        ];
      }),
    );
  };
  return {
    ...node,
    ...(all === undefined ? {} : { writes: [...new Set(all)] }),
    ...(meta === undefined ? {} : { meta: remap(meta) as JsonObject }),
  };
}

export const computingCalled = computing(calledWorkflow);
export const computingRouted = computing(routedWorkflow);

/** The values for the oracle: of keys that nothing asks of one is enough. */
function valuesFor(definition: WorkflowDefinition, more: Values = {}): Values {
  const text = JSON.stringify([definition.arcs, definition.nodes.map(({ meta }) => meta?.["key"] ?? null)]);
  const own = Object.entries(LISTED).map(([key, values]) => {
    const isAsked = new RegExp(`(?<![A-Za-z])${key}(?![A-Za-z])`, "u").test(text);
    return [key, isAsked ? values : values.slice(-1)] as const;
  });
  return { ...Object.fromEntries(own), ...more };
}

const LISTS: Values = {
  items: [undefined, false, [], [1]],
  answers: [undefined, [1]],
  tags: [undefined, ["a"]],
};

/** The values of a run, and what answers in it. A run may start with verdicts, which the entry of a loop clears. */
export function worldOf(definition: WorkflowDefinition): {
  readonly values: Values;
  readonly world: OracleWorld;
} {
  const text = JSON.stringify(definition);
  const lists = Object.entries(LISTS).filter(([key]) => text.includes(`"${key}"`));
  const verdicts = definition.nodes.flatMap(({ kind, meta }) =>
    kind === "verifier" ? [[String(meta?.["passKey"]), [undefined, true, 0]] as const] : [],
  );
  const own = { ...valuesFor(definition), ...Object.fromEntries(lists) };
  // What a completion condition asks for that is never there is no gap.
  const isErrorGap = !text.includes('"missing"');
  const world = {
    deciding: answeringAll(definition, own),
    evaluate: environment.evaluate!,
    isErrorWriting: true,
  };
  return { values: { ...own, ...Object.fromEntries(verdicts) }, world: { ...world, isErrorGap } };
}
