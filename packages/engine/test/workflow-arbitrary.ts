/** @module Random small workflows of nested blocks, with everything that can wait, branch, loop and fail. */
import type { Arc, ConditionData, InlineFunction, WorkflowDefinition, WorkflowNode } from "@tessera/core";
import fc from "fast-check";

/** A block: one entry, one exit. */
export type Block =
  | { readonly kind: "task"; readonly task: Task; readonly behaviour: Behaviour }
  | { readonly kind: "sequence"; readonly parts: readonly Block[] }
  | { readonly kind: "and"; readonly parts: readonly Block[] }
  | {
      readonly kind: "xor" | "or";
      readonly parts: readonly Block[];
      readonly limits: readonly number[];
      readonly hasDefault: boolean;
    }
  | { readonly kind: "loop"; readonly body: Block; readonly budget: number; readonly behaviour: Behaviour }
  | { readonly kind: "scope"; readonly body: Block; readonly isTerminated: boolean };

export type Task = "tool" | "human" | "transform" | "timer" | "cycle" | "wait" | "deadline" | "badTimer";

/** What a function does when it is asked. */
export type Behaviour =
  | "count"
  | "nothing"
  | "throw"
  | "stray"
  | "create"
  | "dangling"
  | "async"
  | "wild"
  | "verdict"
  | "passKey";

const TASKS: readonly Task[] = [
  "tool",
  "human",
  "transform",
  "transform",
  "timer",
  "cycle",
  "wait",
  "deadline",
  "badTimer",
];
const BEHAVIOURS: readonly Behaviour[] = [
  "count",
  "count",
  "nothing",
  "throw",
  "stray",
  "create",
  "dangling",
  "async",
  "wild",
  "verdict",
  "verdict",
  "passKey",
];

/** Blocks of a depth and a width that a test can drive to their end. */
export const arbitraryBlock: fc.Arbitrary<Block> = fc.letrec<{ readonly block: Block }>((tie) => {
  const behaviour = fc.constantFrom(...BEHAVIOURS);
  const task = fc.record({ kind: fc.constant("task" as const), task: fc.constantFrom(...TASKS), behaviour });
  const parts = (minLength: number) => fc.array(tie("block"), { minLength, maxLength: 3 });
  const limits = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 });
  return {
    block: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      task,
      fc.record({ kind: fc.constant("sequence" as const), parts: parts(2) }),
      fc.record({ kind: fc.constant("and" as const), parts: parts(2) }),
      fc.record({
        kind: fc.constantFrom("xor" as const, "or" as const),
        parts: parts(2),
        limits,
        hasDefault: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant("loop" as const),
        body: tie("block"),
        budget: fc.integer({ min: 0, max: 2 }),
        behaviour,
      }),
      fc.record({ kind: fc.constant("scope" as const), body: tie("block"), isTerminated: fc.boolean() }),
    ),
  };
}).block;

/** A workflow with the functions that it needs. */
export interface Program {
  readonly definition: WorkflowDefinition;
  readonly functions: Readonly<Record<string, InlineFunction>>;
}

/** The workflow of a block, between a start and an end. */
export function programOf(block: Block): Program {
  const draft: Draft = { nodes: [], arcs: [], functions: {}, count: 0, loopCount: 0 };
  node(draft, undefined, { id: "begin", kind: "start" });
  const { entry, exit } = emit(draft, undefined, block);
  node(draft, undefined, { id: "finish", kind: "end" });
  arc(draft, "begin", entry);
  arc(draft, exit, "finish");
  const definition: WorkflowDefinition = {
    format: 1,
    kind: "workflow",
    id: "w",
    entry: "begin",
    nodes: draft.nodes,
    arcs: draft.arcs,
  };
  return { definition, functions: draft.functions };
}

/** A random program. */
export const arbitraryProgram: fc.Arbitrary<Program> = arbitraryBlock.map(programOf);

interface Draft {
  readonly nodes: WorkflowNode[];
  readonly arcs: Arc[];
  readonly functions: Record<string, InlineFunction>;
  count: number;
  loopCount: number;
}

interface Ends {
  readonly entry: string;
  readonly exit: string;
}

type Scope = string | undefined;

function node(draft: Draft, scope: Scope, given: WorkflowNode): string {
  draft.nodes.push(scope === undefined ? given : { ...given, scope });
  return given.id;
}

function fresh(draft: Draft, name: string): string {
  draft.count += 1;
  return `${name}${draft.count}`;
}

function arc(draft: Draft, from: string, to: string, outcome?: string, more: Partial<Arc> = {}): void {
  draft.arcs.push({ from, to, ...(outcome === undefined ? {} : { outcome }), ...more });
}

function emit(draft: Draft, scope: Scope, block: Block): Ends {
  switch (block.kind) {
    case "task":
      return emitTask(draft, scope, block.task, block.behaviour);
    case "sequence": {
      const ends = block.parts.map((part) => emit(draft, scope, part));
      for (const [index, { entry }] of ends.slice(1).entries()) arc(draft, ends[index]?.exit ?? "", entry);
      return { entry: ends[0]?.entry ?? "", exit: ends.at(-1)?.exit ?? "" };
    }
    case "and":
    case "xor":
    case "or":
      return emitBranches(draft, scope, block);
    case "loop":
      return emitLoop(draft, scope, block);
    case "scope":
      return emitScope(draft, scope, block);
  }
}

const ALPHABETS: Readonly<Record<Task, readonly string[]>> = {
  tool: ["done", "other", "error"],
  human: ["yes", "no"],
  transform: ["done", "error"],
  timer: ["done"],
  cycle: ["done"],
  wait: ["done"],
  deadline: ["done", "expired"],
  badTimer: ["done", "error"],
};

function emitTask(draft: Draft, scope: Scope, task: Task, behaviour: Behaviour): Ends {
  const id = fresh(draft, task);
  const exit = fresh(draft, "after");
  const shapes: Readonly<Record<Task, Pick<WorkflowNode, "kind" | "meta">>> = {
    tool: { kind: "tool", meta: { outcomes: ["done", "other"] } },
    human: { kind: "human", meta: { outcomes: ["yes", "no"] } },
    transform: { kind: "transform" },
    timer: { kind: "timer", meta: { duration: "PT1M" } },
    cycle: { kind: "timer", meta: { cycle: "R2/PT1M" } },
    wait: { kind: "wait" },
    deadline: { kind: "human", meta: { deadline: "PT5M" } },
    badTimer: { kind: "timer", meta: { key: "when" } },
  };
  node(draft, scope, { id, ...shapes[task] });
  node(draft, scope, { id: exit, kind: "gateway" });
  for (const outcome of ALPHABETS[task]) arc(draft, id, exit, outcome);
  if (task === "transform") draft.functions[id] = functionOf(behaviour, id);
  return { entry: id, exit };
}

function emitBranches(
  draft: Draft,
  scope: Scope,
  block: Block & { readonly kind: "and" | "xor" | "or" },
): Ends {
  const entry = fresh(draft, block.kind);
  const exit = fresh(draft, "join");
  const split = block.kind === "and" ? "all" : block.kind === "xor" ? "first" : "or";
  const join = block.kind === "and" ? "all" : block.kind === "xor" ? "any" : "or";
  node(draft, scope, { id: entry, kind: "gateway", split });
  const ends = block.parts.map((part) => emit(draft, scope, part));
  node(draft, scope, { id: exit, kind: "gateway", join });
  ends.forEach((branch, index) => {
    arc(draft, entry, branch.entry, undefined, guardOf(block, index, ends.length));
    arc(draft, branch.exit, exit);
  });
  return { entry, exit };
}

function guardOf(
  block: Block & { readonly kind: "and" | "xor" | "or" },
  index: number,
  count: number,
): Partial<Arc> {
  if (block.kind === "and") return {};
  if (block.hasDefault && index === count - 1) return { default: true };
  const guard: ConditionData = { key: "x", op: "atLeast", value: block.limits[index] ?? 0 };
  return { guard };
}

function emitLoop(
  draft: Draft,
  scope: Scope,
  { body, budget, behaviour }: Block & { readonly kind: "loop" },
): Ends {
  const before = draft.nodes.length;
  const head = node(draft, scope, { id: fresh(draft, "head"), kind: "gateway" });
  const inner = emit(draft, scope, body);
  draft.loopCount += 1;
  const passKey = `pass${draft.loopCount}`;
  const check = node(draft, scope, { id: fresh(draft, "check"), kind: "verifier", meta: { passKey } });
  const members = draft.nodes
    .slice(before)
    .filter((each) => each.scope === scope)
    .map(({ id }) => id);
  const decision = fresh(draft, "decide");
  const loop = { id: decision, budget, passKey, proves: "that it is right", body: members };
  node(draft, scope, { id: decision, kind: "decision", meta: { loop } });
  const exit = node(draft, scope, { id: fresh(draft, "after"), kind: "gateway" });
  draft.functions[check] = functionOf(
    behaviour === "verdict" ? "verdict" : behaviour === "throw" ? "throw" : "verdict",
    check,
  );
  arc(draft, head, inner.entry);
  arc(draft, inner.exit, check);
  arc(draft, check, decision);
  arc(draft, check, decision, "error");
  if (budget > 0) arc(draft, decision, head, "fail");
  for (const outcome of ["pass", "exhausted", "error"]) arc(draft, decision, exit, outcome);
  return { entry: head, exit };
}

function emitScope(
  draft: Draft,
  scope: Scope,
  { body, isTerminated }: Block & { readonly kind: "scope" },
): Ends {
  const id = fresh(draft, "scope");
  const first = fresh(draft, "in");
  const last = fresh(draft, "out");
  const exit = fresh(draft, "after");
  node(draft, scope, { id, kind: "subprocess", meta: { entry: first } });
  node(draft, id, { id: first, kind: "gateway" });
  const inner = emit(draft, id, body);
  node(draft, id, { id: last, kind: "end", ...(isTerminated ? { meta: { terminate: true } } : {}) });
  node(draft, scope, { id: exit, kind: "gateway" });
  arc(draft, first, inner.entry);
  arc(draft, inner.exit, last);
  arc(draft, id, exit);
  return { entry: id, exit };
}

/** Functions with every kind of manners. They are pure: their answers depend on D, G and the node. */
export function functionOf(behaviour: Behaviour, id: string): InlineFunction {
  switch (behaviour) {
    case "count":
      return ({ data }) => ({ patch: { x: (Number(data["x"] ?? 0) + 1) % 5 } });
    case "nothing":
      return () => undefined;
    case "throw":
      return ({ data }) => {
        data["x"] = 99;
        throw new Error("no\ud800");
      };
    case "stray":
      return ({ data }) => {
        data["x"] = Number(data["x"] ?? 0) + 0.5;
        return { patch: { [`by-${id}`]: [1, { two: "2" }] } };
      };
    case "create":
      return ({ graph, now }) => ({
        mutation: {
          create: [{ id: `${id}-${countOf(graph)}`, type: "t", payload: { now }, links: [] }],
          update: [],
          delete: [],
        },
      });
    case "dangling":
      return () => ({
        mutation: {
          create: [{ id: "d", type: "t", payload: {}, links: [{ to: "nowhere" }] }],
          update: [],
          delete: [],
        },
      });
    case "async":
      return (async () => {
        throw new Error("late");
      }) as unknown as InlineFunction;
    case "wild":
      return (() => ({ outcome: 7, surprise: true })) as unknown as InlineFunction;
    case "verdict":
      return ({ data }) => Number(data["x"] ?? 0) % 2 === 1;
    case "passKey":
      return () => ({ patch: { pass1: true, pass2: true, pass3: true, pass4: true, pass5: true } });
  }
}

function countOf(graph: { readonly objects: unknown }): number {
  const root = graph.objects as { readonly count?: number } | undefined;
  return root?.count ?? 0;
}
