/** @module Random small workflows with several instances, handlers, blocks that hold back and complex gateways. */
import type {
  Arc,
  ConditionData,
  DataType,
  Json,
  JsonObject,
  WorkflowDefinition,
  WorkflowNode,
} from "@tessera/core";
import fc from "fast-check";
import type { Values } from "./step-inputs.ts";

/** Values that stand for all of what is asked: x against 0; of lists whether they are, and whether they have members. */
export const VALUES: Values = {
  x: [-1, 0, 1],
  items: [undefined, [], [1], [1, 2]],
  answers: [undefined, [], [1]],
  tags: [undefined, ["a"]],
};
const TYPES: Readonly<Record<string, DataType>> = { x: { type: "number" } };

/** What a branch of a block does: a form that asks for the merged key, one that may leave it out, or no form at all. */
type Way = "person" | "job" | "function" | "form" | "optional form";

type Part =
  | {
      readonly kind: "ask";
      readonly writes: readonly string[];
      readonly guard: ConditionData | null;
      readonly isJob: boolean;
    }
  | {
      readonly kind: "choice";
      readonly guard: ConditionData;
      readonly inner: Part;
      readonly hasDefault: boolean;
    }
  | {
      readonly kind: "several";
      readonly multi: JsonObject;
      readonly guard: ConditionData | null;
      readonly hasError: boolean;
    }
  | {
      readonly kind: "handled";
      readonly outputs: JsonObject;
      readonly openMax: number;
      readonly guard: ConditionData | null;
    }
  | {
      readonly kind: "held";
      readonly meta: JsonObject;
      readonly ways: readonly Way[];
      readonly hasError: boolean;
    }
  | { readonly kind: "complex"; readonly activation: number; readonly people: readonly boolean[] }
  | { readonly kind: "beside"; readonly multi: JsonObject; readonly writes: readonly string[] };

const guard: fc.Arbitrary<ConditionData> = fc.record({
  key: fc.constant("x"),
  op: fc.constantFrom("greaterThan", "atLeast", "lessThan", "is", "isNot"),
  value: fc.constant(0),
}) as fc.Arbitrary<ConditionData>;

const completion: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  { key: "numberOfCompletedInstances", op: "atLeast", value: 1 },
  { key: "x", op: "greaterThan", value: 0 },
  { key: "missing", op: "greaterThan", value: 0 },
);

const multi: fc.Arbitrary<JsonObject> = fc
  .record({
    mode: fc.constantFrom("sequential", "parallel"),
    over: fc.oneof(
      // What other instances before them have collected, too.
      fc.constantFrom({ collection: "items" }, { collection: "items" }, { collection: "answers" }),
      fc.nat({ max: 2 }).map((count) => ({ count })),
    ),
    completion: fc.option(completion, { freq: 2 }),
    results: fc.constantFrom<JsonObject>({}, {}, { result: "r", results: "answers" }),
  })
  .map(({ mode, over, completion: until, results }) => ({
    mode,
    ...(over as JsonObject),
    ...(until === null ? {} : { completion: until }),
    ...results,
  }));

const writes = fc.subarray(["x", "items"], { maxLength: 1 });

const way = fc.constantFrom<Way>("person", "job", "function", "form", "optional form");
const KIND: Readonly<Record<Way, string>> = {
  person: "human",
  job: "tool",
  function: "transform",
  form: "human",
  "optional form": "human",
};

const part: fc.Arbitrary<Part> = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 1 },
    fc.record({ kind: fc.constant("ask" as const), writes, guard: fc.option(guard), isJob: fc.boolean() }),
    fc.record({
      kind: fc.constant("several" as const),
      multi,
      guard: fc.option(guard, { freq: 1 }),
      hasError: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("handled" as const),
      outputs: fc.constantFrom<JsonObject>({ x: "v" }, { x: "v" }, { other: "v" }),
      openMax: fc.constantFrom(1, 3),
      guard: fc.option(guard, { freq: 2 }),
    }),
    fc.record({
      kind: fc.constant("held" as const),
      meta: fc.constantFrom<JsonObject>(
        { stage: true },
        { merge: { tags: "append" } },
        { stage: true, merge: { tags: "last" } },
      ),
      ways: fc.tuple(way, way),
      hasError: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("complex" as const),
      activation: fc.integer({ min: 1, max: 3 }),
      people: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    }),
    fc.record({ kind: fc.constant("beside" as const), multi, writes }),
    fc.record({ kind: fc.constant("choice" as const), guard, inner: tie("part"), hasDefault: fc.boolean() }),
  ),
})).part;

/** A sequence of one or two parts. */
export const calledWorkflow: fc.Arbitrary<WorkflowDefinition> = fc
  .array(part, { minLength: 1, maxLength: 2 })
  .map(inARow);

/** Instances that collect their results, and others over what these have collected. */
export const collectedWorkflow: fc.Arbitrary<WorkflowDefinition> = fc
  .tuple(multi, multi, fc.boolean(), fc.boolean())
  .map(([first, second, ...errors]) => {
    const uncounted = Object.entries(second).filter(([key]) => key !== "count");
    const over = { ...Object.fromEntries(uncounted), collection: "answers" };
    const both: readonly JsonObject[] = [{ ...first, result: "r", results: "answers" }, over];
    // Somebody answers before: so it is told what was there from what they collect.
    const ask = { kind: "ask", writes: [], guard: null, isJob: false } as const;
    const several = both.map(
      (one, at): Part => ({ kind: "several", multi: one, guard: null, hasError: errors[at] === true }),
    );
    return inARow([ask, ...several]);
  });

function inARow(parts: readonly Part[]): WorkflowDefinition {
  const nodes: WorkflowNode[] = [{ id: "start", kind: "start" }];
  const arcs: Arc[] = [];
  const add = (kind: string, hint: string, more: Partial<WorkflowNode> = {}): string => {
    const id = `${hint}${nodes.length}`;
    nodes.push({ id, kind, ...more });
    return id;
  };
  const link = (from: string, to: string, more: Partial<Arc> = {}) => arcs.push({ from, to, ...more });
  const guarded = (one: ConditionData | null): Partial<Arc> => (one === null ? {} : { guard: one });
  const call = (given: JsonObject) => add("subprocess", "call", { meta: { workflow: "w", multi: given } });
  const build = (one: Part): { readonly first: string; readonly last: string } => {
    const last = () => add("gateway", "out");
    switch (one.kind) {
      case "ask": {
        const first = add(one.isJob ? "tool" : "human", "ask", { writes: one.writes });
        const out = last();
        link(first, out, guarded(one.guard));
        if (one.isJob) link(first, out, { outcome: "error" });
        return { first, last: out };
      }
      case "choice": {
        const first = add("gateway", "choice");
        const inner = build(one.inner);
        const out = last();
        link(first, inner.first, { guard: one.guard });
        link(inner.last, out);
        link(first, out, one.hasDefault ? { default: true } : { guard: { not: one.guard } });
        return { first, last: out };
      }
      case "several": {
        const first = call(one.multi);
        const out = last();
        link(first, out, guarded(one.guard));
        if (one.hasError) for (const outcome of ["error", "cancelled"]) link(first, out, { outcome });
        return { first, last: out };
      }
      case "handled": {
        const event = { id: "up", on: "message", name: "m", interrupting: false, workflow: "h" };
        const { outputs, openMax } = one;
        // A person fills the form, and does not write what the handler writes.
        const first = add("human", "wait", {
          writes: [...Object.keys(outputs), "note"],
          meta: {
            events: [{ ...event, outputs, openMax }],
            form: { note: { type: "string", optional: true } },
          },
        });
        const out = last();
        link(first, out, guarded(one.guard));
        return { first, last: out };
      }
      case "held": {
        const first = add("gateway", "split", { split: "all" });
        const isMerging = Object.hasOwn(one.meta, "merge");
        const branches = one.ways.map((what) => {
          const isAsked = what === "form" || what === "optional form";
          const field = { type: "array", ...(what === "form" ? {} : { optional: true }) };
          return add(KIND[what], "part", {
            writes: isMerging && what !== "function" ? ["tags"] : [],
            ...(isAsked && isMerging ? { meta: { form: { tags: field } } } : {}),
          });
        });
        const join = add("gateway", "join", { join: "all", meta: one.meta });
        const out = last();
        for (const [at, branch] of branches.entries()) {
          const merge = add("gateway", "merge");
          link(first, branch);
          link(branch, merge);
          if (["job", "function"].includes(one.ways[at]!)) link(branch, merge, { outcome: "error" });
          link(merge, join);
        }
        link(join, out);
        if (one.hasError) link(join, out, { outcome: "error" });
        return { first, last: out };
      }
      case "complex": {
        const first = add("gateway", "split", { split: "all" });
        const inner = one.people.map((isPerson) =>
          add(isPerson ? "human" : "gateway", "way", isPerson ? { writes: [] } : {}),
        );
        const out = add("gateway", "some", { meta: { activation: one.activation } });
        for (const way of inner) {
          link(first, way);
          link(way, out);
        }
        return { first, last: out };
      }
      case "beside": {
        const first = add("gateway", "split", { split: "all" });
        const called = call(one.multi);
        const writer = add("human", "ask", { writes: one.writes });
        const out = add("gateway", "join", { join: "all" });
        link(first, called);
        link(first, writer);
        const merge = add("gateway", "merge");
        link(called, merge);
        for (const outcome of ["error", "cancelled"]) link(called, merge, { outcome });
        link(merge, out);
        link(writer, out);
        return { first, last: out };
      }
    }
  };
  let before = "start";
  for (const one of parts) {
    const built = build(one);
    link(before, built.first);
    before = built.last;
  }
  nodes.push({ id: "end", kind: "end" });
  link(before, "end");
  return { format: 1, kind: "workflow", id: "t", entry: "start", nodes, arcs, data: TYPES };
}
