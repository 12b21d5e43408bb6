/** @module Random small workflows that route on data: inclusive blocks, decisions, governed loops, scopes that are interrupted. */
import type { Arc, ConditionData, DataType, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import fc from "fast-check";
import type { Values } from "./step-inputs.ts";

/** Values that stand for all: of `x` its side of 0, of `c` each text that a decision lists and one that none does. */
export const ROUTED_VALUES: Values = { x: [-1, 0, 1], c: ["a", "b", "z"] };
const TYPES: Readonly<Record<string, DataType>> = {
  x: { type: "number" },
  c: { type: "string", values: ["a", "b", "z"] },
};

type Part =
  | { readonly kind: "person"; readonly writes: readonly string[]; readonly guard: ConditionData | null }
  | {
      readonly kind: "function";
      readonly writes: readonly string[];
      readonly guard: ConditionData | null;
      /** The arc under error, and its guard. */
      readonly hasError: boolean;
      readonly errorGuard: ConditionData | null;
    }
  | {
      readonly kind: "inclusive";
      readonly guards: readonly ConditionData[];
      readonly people: readonly boolean[];
      readonly hasDefault: boolean;
      /** Do the branches come together again, in an OR join? Else all but the first have ends of their own. */
      readonly isJoined: boolean;
    }
  | { readonly kind: "decision"; readonly listed: readonly string[]; readonly hasDefault: boolean }
  | {
      readonly kind: "loop";
      readonly budget: number;
      /** Is there nothing in the loop but its verifier? */
      readonly isBare: boolean;
      readonly isPerson: boolean;
      readonly writes: readonly string[];
    }
  | {
      readonly kind: "scope";
      readonly payload: readonly string[];
      readonly isTerminated: boolean;
      /** Is there a handler beside one of the people, which writes what guards ask? */
      readonly isHandled: boolean;
      readonly guard: ConditionData | null;
    }
  | {
      readonly kind: "two answers";
      readonly writes: readonly string[];
      readonly split: "first" | "all" | "or";
      readonly guards: readonly ConditionData[];
      readonly hasDefault: boolean;
    };

/** A side of 0, or a predicate of which nobody knows anything. */
const guard = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      key: fc.constant("x"),
      op: fc.constantFrom("greaterThan", "atLeast", "lessThan", "is", "isNot"),
      value: fc.constant(0),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ predicate: "open" }) },
) as unknown as fc.Arbitrary<ConditionData>;
const maybe = fc.option(guard, { freq: 2 });
const writes = fc.subarray(["x", "c"], { maxLength: 1 });

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant("person" as const), writes, guard: maybe }),
  fc.record({
    kind: fc.constant("function" as const),
    writes,
    guard: maybe,
    hasError: fc.boolean(),
    errorGuard: fc.option(guard, { freq: 1 }),
  }),
  fc.record({
    kind: fc.constant("inclusive" as const),
    guards: fc.array(guard, { minLength: 2, maxLength: 3 }),
    people: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    hasDefault: fc.boolean(),
    isJoined: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("decision" as const),
    listed: fc.subarray(["a", "b"], { minLength: 1 }),
    hasDefault: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("loop" as const),
    budget: fc.nat({ max: 2 }),
    isBare: fc.boolean(),
    isPerson: fc.boolean(),
    writes,
  }),
  fc.record({
    kind: fc.constant("scope" as const),
    payload: writes,
    isTerminated: fc.boolean(),
    isHandled: fc.boolean(),
    guard: maybe,
  }),
  fc.record({
    kind: fc.constant("two answers" as const),
    writes,
    split: fc.constantFrom("first" as const, "all" as const, "or" as const),
    guards: fc.array(guard, { minLength: 2, maxLength: 2 }),
    hasDefault: fc.boolean(),
  }),
);

/** A sequence of one or two parts. */
export const routedWorkflow: fc.Arbitrary<WorkflowDefinition> = fc
  .array(part, { minLength: 1, maxLength: 2 })
  .map((parts) => {
    const nodes: WorkflowNode[] = [];
    const arcs: Arc[] = [];
    const add = (kind: string, hint: string, more: Partial<WorkflowNode> = {}): string => {
      const id = `${hint}${nodes.length}`;
      nodes.push({ id, kind, ...more });
      return id;
    };
    const link = (from: string, to: string, more: Partial<Arc> = {}) => arcs.push({ from, to, ...more });
    const guarded = (one: ConditionData | null): Partial<Arc> => (one === null ? {} : { guard: one });
    let before = add("start", "start");
    for (const one of parts) before = build(one, before, { add, link, guarded });
    link(before, add("end", "end"));
    return { format: 1, kind: "workflow", id: "r", entry: "start0", nodes, arcs, data: TYPES };
  });

interface Drawing {
  readonly add: (kind: string, hint: string, more?: Partial<WorkflowNode>) => string;
  readonly link: (from: string, to: string, more?: Partial<Arc>) => void;
  readonly guarded: (one: ConditionData | null) => Partial<Arc>;
}

/** Draws a part behind a node; the gateway in which it ends. */
function build(one: Part, before: string, { add, link, guarded }: Drawing): string {
  const first = (kind: string, more: Partial<WorkflowNode> = {}): string => {
    const id = add(kind, kind, more);
    link(before, id);
    return id;
  };
  switch (one.kind) {
    case "person": {
      const task = first("human", { writes: one.writes });
      const out = add("gateway", "out");
      link(task, out, guarded(one.guard));
      return out;
    }
    case "function": {
      const task = first("transform", { writes: one.writes });
      const out = add("gateway", "out");
      link(task, out, guarded(one.guard));
      if (one.hasError) link(task, out, { outcome: "error", ...guarded(one.errorGuard) });
      return out;
    }
    case "two answers": {
      const meta = { outcomes: ["yes", "exhausted"] };
      const task = first("human", { writes: one.writes, split: one.split, meta });
      const out = add("gateway", "out");
      for (const [at, outcome] of meta.outcomes.entries()) {
        const more = one.split === "all" ? {} : guarded(one.guards[at] ?? null);
        link(task, out, { outcome, ...more });
        const unguarded: Partial<Arc> = one.split === "all" ? {} : { default: true };
        const other = one.hasDefault || one.split === "all" ? unguarded : guarded(one.guards[at] ?? null);
        link(task, add("end", "side"), { outcome, ...other });
      }
      return out;
    }
    case "inclusive": {
      const split = first("gateway", { split: "or" });
      const branches = one.guards.map((_, at) => {
        const isPerson = one.people[at] === true;
        return add(isPerson ? "human" : "gateway", "way", isPerson ? { writes: [] } : {});
      });
      const join = add("gateway", "join", one.isJoined ? { join: "or" } : {});
      for (const [at, way] of branches.entries()) {
        const isDefault = one.hasDefault && at === branches.length - 1;
        link(split, way, isDefault ? { default: true } : guarded(one.guards[at] ?? null));
        link(way, one.isJoined || at === 0 ? join : add("end", "side"));
      }
      return join;
    }
    case "decision": {
      const branches = Object.fromEntries(one.listed.map((text) => [text, text]));
      const more = one.hasDefault ? { default: true } : {};
      const decision = first("decision", { meta: { key: "c", branches, ...more } });
      const out = add("gateway", "out");
      for (const outcome of [...one.listed, ...(one.hasDefault ? ["default"] : [])])
        link(decision, out, { outcome });
      return out;
    }
    case "loop": {
      const before = one.isBare ? [] : [first("gateway")];
      if (!one.isBare)
        before.push(
          add(one.isPerson ? "human" : "gateway", "in", one.isPerson ? { writes: one.writes } : {}),
        );
      return drawLoop(one, before, first, { add, link, guarded });
    }
    case "scope":
      return drawScope(one, first, { add, link, guarded });
  }
}

/** A loop whose verifier comes behind `inner`, or is all of it. */
function drawLoop(
  { budget }: Part & { readonly kind: "loop" },
  inner: readonly string[],
  first: (kind: string, more: Partial<WorkflowNode>) => string,
  { add, link }: Drawing,
): string {
  const meta = { passKey: "" };
  const check = inner.length === 0 ? first("verifier", { meta }) : add("verifier", "check", { meta });
  const passKey = `pass-${check}`;
  meta.passKey = passKey;
  const body = [...inner, check];
  const head = body[0]!;
  const loop = { id: head, budget, passKey, proves: "that it is right", body };
  const decision = add("decision", "again", { meta: { loop } });
  const out = add("gateway", "out");
  for (const [at, id] of inner.entries()) link(id, body[at + 1]!);
  link(check, decision);
  link(check, decision, { outcome: "error" });
  if (budget > 0) link(decision, head, { outcome: "fail" });
  for (const outcome of ["pass", "exhausted", "error"]) link(decision, out, { outcome });
  return out;
}

/** Two people in a scope, of whom the first may end it; a message interrupts both. */
function drawScope(
  one: Part & { readonly kind: "scope" },
  first: (kind: string, more: Partial<WorkflowNode>) => string,
  { add, link, guarded }: Drawing,
): string {
  const payload = Object.fromEntries(one.payload.map((key) => [key, "v"]));
  const events = [{ id: "stop", on: "message", name: "m", payload }];
  const meta = { entry: "", events };
  const scope = first("subprocess", { meta });
  const inside = (kind: string, hint: string, more: Partial<WorkflowNode> = {}) =>
    add(kind, hint, { scope, ...more });
  const split = inside("gateway", "split", { split: "all" });
  meta.entry = split;
  for (const [at, isEnd] of [one.isTerminated, false].entries()) {
    const beside = {
      id: "up",
      on: "message",
      name: "u",
      interrupting: false,
      workflow: "h",
      outputs: { x: "v" },
      openMax: 2,
    };
    const isBeside = one.isHandled && at === 1;
    const handled = {
      writes: ["x"],
      meta: { events: [beside], form: { note: { type: "string", optional: true } } },
    };
    const task = inside("human", "task", isBeside ? handled : { writes: [] });
    const end = inside("end", "inner", isEnd ? { meta: { terminate: true } } : {});
    link(split, task);
    link(task, end);
  }
  const out = add("gateway", "out");
  link(scope, out);
  link(scope, out, { outcome: "stop", ...guarded(one.guard) });
  return out;
}
