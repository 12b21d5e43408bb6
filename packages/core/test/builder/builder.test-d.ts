/**
 * @module What the builder's types accept and refuse. Checked by the compiler; that each refusal is one is checked by
 * `builder-types.test.ts`, which takes the expectations away and counts the errors.
 */
import {
  agent,
  type Block,
  call,
  catchEvent,
  choice,
  collect,
  composeWorkflow,
  custom,
  decision,
  defineWorkflow,
  type Entry,
  embedded,
  end,
  finish,
  gateway,
  type Handlers,
  human,
  type Implementation,
  implement,
  inclusive,
  integration,
  type JobContext,
  loop,
  type NodeSpec,
  nothing,
  parallel,
  type StartData,
  sequence,
  start,
  step,
  subprocess,
  throwEvent,
  timer,
  tool,
  transform,
  verifier,
  wait,
  when,
} from "@tessera/core";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";

// One key of each library: any of them will do.
const data = {
  amount: z.number(),
  isOk: z.boolean(),
  note: v.string(),
  lines: z.array(z.string()).optional(),
};

const order = defineWorkflow({
  id: "order",
  data,
  nodes: {
    placed: start({ input: ["amount"] }),
    check: transform({ reads: ["amount", "note"], writes: ["isOk", "note"], outcomes: ["done", "large"] }),
    look: human({ outcomes: ["approve", "reject"] }),
    pay: tool({ reads: ["amount"], writes: ["note"] }),
    good: verifier({ passKey: "isOk", reads: ["note"] }),
    rank: agent({ outcomes: ["high", "low"], writes: ["note"] }),
    any: integration(),
    paid: end(),
    rejected: end({ outcome: "rejected" }),
  },
  entry: "placed",
  arcs: [
    ["placed", "check"],
    ["check", "large", "look"],
    ["look", "approve", "pay"],
    { from: "look", outcome: "reject", to: "rejected", guard: { key: "amount", op: "lessThan", value: 10 } },
    { from: "check", to: "pay", default: true },
    { from: "pay", outcome: "error", to: "rejected" },
  ],
});

const handlers = {
  check: () => ({}),
  pay: async () => ({}),
  good: () => true,
  rank: () => ({ outcome: "low" as const }),
  any: () => ({}),
};

// --- What a node is -------------------------------------------------------------------------------------------------

expectTypeOf(human({ outcomes: ["a", "b"], deadline: "P1D" })).toExtend<NodeSpec<"a" | "b" | "expired">>();
expectTypeOf(transform().outcomes).toEqualTypeOf<readonly ("done" | "error")[]>();
expectTypeOf(agent({ turnsMax: 3 }).outcomes).toEqualTypeOf<readonly ("done" | "error" | "exhausted")[]>();
expectTypeOf(
  human({
    events: [
      { id: "late", on: "timer", duration: "P1D" },
      { id: "paid", on: "message", name: "p", key: "k" },
    ],
  }).outcomes,
).toEqualTypeOf<readonly ("done" | "late" | "paid" | "error")[]>();
expectTypeOf(
  catchEvent({
    events: [
      { id: "go", on: "signal", name: "go" },
      { id: "ask", on: "message", name: "ask", interrupting: false, workflow: "w" },
    ],
  }).outcomes,
).toEqualTypeOf<readonly "go"[]>();
expectTypeOf(throwEvent({ on: "message", name: "m", key: "k" }).outcomes).toEqualTypeOf<
  readonly ("done" | "error")[]
>();
expectTypeOf(timer({ key: "due" }).outcomes).toEqualTypeOf<readonly ("done" | "error")[]>();
expectTypeOf(timer({ duration: "PT1H" }).outcomes).toEqualTypeOf<readonly "done"[]>();
expectTypeOf(decision({ key: "k", branches: { "1": "one" } }).outcomes).toEqualTypeOf<
  readonly ("one" | "error")[]
>();
expectTypeOf(embedded({ entry: "e", outcomes: ["x"] }).outcomes).toEqualTypeOf<readonly "x"[]>();
expectTypeOf(end().outcomes).toEqualTypeOf<readonly never[]>();
expectTypeOf(tool({ port: "mail" }).handler).toEqualTypeOf<"none">();
expectTypeOf(tool().handler).toEqualTypeOf<"job">();
expectTypeOf(custom("mine", { outcomes: ["x"], handler: "job" }).handler).toEqualTypeOf<"job">();

// @ts-expect-error - a misspelt option
human({ outcoms: ["a"] });
// @ts-expect-error - a misspelt option beside a right one
transform({ reads: [], outcoms: ["a"] });
// @ts-expect-error - an option of another kind
gateway({ outcome: "x" });
// @ts-expect-error - a verifier without the key of its verdict
verifier({ reads: [] });
// @ts-expect-error - two times at once
timer({ date: "2030-01-01", duration: "PT1H" });
// @ts-expect-error - no time at all
timer({});
// @ts-expect-error - a form is what collect is for
collect({ title: "x" });

expectTypeOf(gateway({ join: "all" }).outcomes).toEqualTypeOf<readonly "done"[]>();
expectTypeOf(gateway({ join: "all", stage: true }).outcomes).toEqualTypeOf<readonly ("done" | "error")[]>();
expectTypeOf(gateway({ join: "or", merge: { amount: "sum" } })).toExtend<
  NodeSpec<"done" | "error", "amount", never>
>();
gateway({ join: "all", stage: true, merge: { amount: "last" } });
gateway({ activation: 2 });
// @ts-expect-error - the last value is taken in a staged block only
gateway({ join: "all", merge: { amount: "last" } });
// @ts-expect-error - a rule that is none
gateway({ join: "all", merge: { amount: "first" } });
decision({ loop: { id: "l", budget: 1, passKey: "isOk", proves: "it", body: ["b"], stage: true } });

// --- Nodes and arcs -------------------------------------------------------------------------------------------------

const nodes = { a: start(), b: transform({ outcomes: ["x"] }), c: human({ outcomes: ["y", "z"] }), d: end() };

const bare = { id: "w", nodes, entry: "a" } as const;
const rich = { ...bare, data };

// @ts-expect-error - an arc to a node that does not exist
defineWorkflow({ ...bare, arcs: [["a", "e"]] });
// @ts-expect-error - an arc from a node that does not exist
defineWorkflow({ ...bare, arcs: [["e", "a"]] });
// @ts-expect-error - an outcome that the node does not have
defineWorkflow({ ...bare, arcs: [["b", "y", "d"]] });
// @ts-expect-error - without an outcome "done" one must be named
defineWorkflow({ ...bare, arcs: [["c", "d"]] });
// @ts-expect-error - the same for an arc with members
defineWorkflow({ ...bare, arcs: [{ from: "c", to: "d" }] });
// @ts-expect-error - an arc with members to a node that does not exist
defineWorkflow({ ...bare, arcs: [{ from: "a", to: "e" }] });
// @ts-expect-error - nothing leaves an end
defineWorkflow({ ...bare, arcs: [["d", "a"]] });
// @ts-expect-error - an entry that is no node
defineWorkflow({ id: "w", nodes, entry: "e", arcs: [] });
// @ts-expect-error - a name that would lose its place in the order
defineWorkflow({ id: "w", nodes: { a: start(), 1: end() }, entry: "a", arcs: [] });
// @ts-expect-error - a node that reads a key that is not declared
defineWorkflow({ id: "w", data, nodes: { a: transform({ reads: ["amuont"] }) }, entry: "a", arcs: [] });
// @ts-expect-error - a node that writes a key that is not declared
defineWorkflow({ id: "w", data, nodes: { a: transform({ writes: ["amuont"] }) }, entry: "a", arcs: [] });
// @ts-expect-error - a guard over a key that is not declared
defineWorkflow({ ...rich, arcs: [{ from: "a", to: "d", guard: { key: "x", op: "isAssigned" } }] });
// @ts-expect-error - a guard with an operator that does not exist
defineWorkflow({ ...bare, arcs: [{ from: "a", to: "d", guard: { key: "x", op: "has", value: 1 } }] });
// @ts-expect-error - a schema of values that JSON cannot hold
defineWorkflow({ id: "w", data: { due: z.date() }, nodes, entry: "a", arcs: [] });
// Without declared keys any key will do.
defineWorkflow({ id: "w", nodes: { a: transform({ reads: ["whatever"] }) }, entry: "a", arcs: [] });

// --- Handlers -------------------------------------------------------------------------------------------------------

const implemented = implement(order, {
  check: ({ data: given, now }) => {
    expectTypeOf(given).toEqualTypeOf<{ readonly amount: number; readonly note: string | undefined }>();
    expectTypeOf(now).toEqualTypeOf<number>();
    return given.amount > 100 ? { outcome: "large" } : { patch: { isOk: true, note: undefined } };
  },
  pay: async ({ data: given, signal, idempotencyKey, attempt, log, now }) => {
    expectTypeOf(given).toEqualTypeOf<{ readonly amount: number }>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    expectTypeOf({ idempotencyKey, attempt, now }).toEqualTypeOf<{
      idempotencyKey: string;
      attempt: number;
      now: number;
    }>();
    log.info("paid", { amount: given.amount });
    await Promise.resolve();
    return { patch: { note: "paid" } };
  },
  good: ({ data: given }) => given.note === "paid",
  rank: () => ({ outcome: "high" }),
  any: ({ data: given }) => {
    expectTypeOf(given.lines).toEqualTypeOf<string[] | undefined>();
    return { patch: { lines: ["a"], isOk: false } };
  },
});
expectTypeOf(implemented).toExtend<Implementation>();
expectTypeOf<StartData<typeof implemented>>().toEqualTypeOf<
  { readonly amount: number } & {
    readonly isOk?: boolean;
    readonly note?: string;
    readonly lines?: string[] | undefined;
  }
>();
expectTypeOf<JobContext["signal"]>().toEqualTypeOf<AbortSignal>();
const elsewhere: Handlers<typeof order>["pay"] = async ({ data: { amount } }) => ({
  patch: { note: String(amount) },
});
implement(order, { ...handlers, pay: elsewhere });
// A handler with nothing to say says nothing.
implement(order, { ...handlers, check: () => {}, pay: async () => {} });

// @ts-expect-error - a handler is missing
implement(order, { check: handlers.check, pay: handlers.pay, good: handlers.good, rank: handlers.rank });
// @ts-expect-error - a handler of a node that does not exist
implement(order, { ...handlers, extra: () => ({}) });
// @ts-expect-error - a handler of a node that a person answers
implement(order, { ...handlers, look: () => ({}) });
// @ts-expect-error - an outcome that the node does not have
implement(order, { ...handlers, check: () => ({ outcome: "huge" }) });
// @ts-expect-error - a node without an outcome "done" must say one
implement(order, { ...handlers, rank: () => ({}) });
// @ts-expect-error - a patch of a key that the node does not write
implement(order, { ...handlers, check: () => ({ patch: { amount: 1 } }) });
// @ts-expect-error - the same beside a key that it writes
implement(order, { ...handlers, check: () => ({ patch: { isOk: true, amount: 1 } }) });
// @ts-expect-error - a patch of a key that does not exist, beside one that does
implement(order, { ...handlers, pay: async () => ({ patch: { note: "x", nota: "y" } }) });
// @ts-expect-error - a value of the wrong type
implement(order, { ...handlers, check: () => ({ patch: { isOk: 1 } }) });
// @ts-expect-error - a value of the wrong type, later
implement(order, { ...handlers, pay: async () => ({ patch: { note: 1 } }) });
// @ts-expect-error - a key with which a run starts is never unset
implement(order, { ...handlers, any: () => ({ patch: { amount: undefined } }) });
// @ts-expect-error - a function in the turn waits for nobody
implement(order, { ...handlers, check: async () => ({}) });
// @ts-expect-error - a verdict is true or false
implement(order, { ...handlers, good: () => "yes" });
// @ts-expect-error - a key that the node does not read
implement(order, { ...handlers, pay: ({ data: { note } }) => ({ patch: { note } }) });
// @ts-expect-error - a key that may have no value yet
implement(order, { ...handlers, check: ({ data: { note } }) => ({ patch: { note: note.trim() } }) });
// @ts-expect-error - a run does not start without its inputs
const _unstarted: StartData<typeof implemented> = { isOk: true };
// @ts-expect-error - nor with values of the wrong type
const _mistyped: StartData<typeof implemented> = { amount: "1" };

// --- Blocks ---------------------------------------------------------------------------------------------------------

const stray = { key: "x", op: "isAssigned" } as const;
const yes = { key: "isOk", op: "is", value: true } as const;
const composed = composeWorkflow({
  id: "order",
  data,
  input: ["amount"],
  body: sequence(
    step("check", transform({ reads: ["amount"], writes: ["isOk"], outcomes: ["done", "large"] }), {
      large: step("look", human({ outcomes: ["yes", "no"] }), { yes: nothing(), no: finish("rejected") }),
    }),
    parallel(
      "both",
      step("pack", tool({ reads: [], writes: ["note"] })),
      step("rest", timer({ duration: "PT1H" })),
    ),
    inclusive("tell", [when(yes, step("mail", tool({ port: "mail" })))], nothing()),
    loop("fix", {
      budget: 2,
      proves: "the note is good",
      stage: true,
      body: step("write", agent({ reads: [], writes: ["note"] })),
      verify: step("isGood", verifier({ passKey: "isOk", reads: ["note"] })),
      exhausted: step("help", human()),
    }),
    subprocess("part", choice("c", [when(yes, finish("no"))], step("last", transform())), { no: nothing() }),
    call(
      "child",
      { workflow: "other", inputs: { a: "amount" }, outputs: { note: "b" } },
      { cancelled: finish("x") },
    ),
  ),
  onError: step("undo", tool({ reads: ["amount"], writes: [] })),
});
type Ids<W> = W extends { readonly "~types"?: { readonly entries: infer E extends Entry } } ? E["id"] : never;
expectTypeOf<Ids<typeof composed>>().toEqualTypeOf<
  "check" | "look" | "pack" | "rest" | "mail" | "write" | "isGood" | "help" | "last" | "child" | "undo"
>();
const bodies = {
  check: () => ({}),
  pack: () => ({}),
  write: () => ({}),
  isGood: () => true,
  last: () => ({}),
  undo: () => ({}),
};
expectTypeOf(implement(composed, bodies).inputs).toEqualTypeOf<readonly "amount"[]>();
implement(composed, { ...bodies, check: ({ data: { amount } }) => ({ patch: { isOk: amount > 1 } }) });
expectTypeOf(finish("x")).toEqualTypeOf<Block<never, "x", never>>();

const { undo: _undo, ...incomplete } = bodies;
// @ts-expect-error - the handler of the error handler's step is missing
implement(composed, incomplete);
// @ts-expect-error - a step inside a block has the types of its node
implement(composed, { ...bodies, write: () => ({ patch: { isOk: true } }) });
// @ts-expect-error - an outcome for which nothing is said
step("a", human({ outcomes: ["yes", "no"] }));
// @ts-expect-error - one of two outcomes for which nothing is said
step("a", human({ outcomes: ["yes", "no"] }), { yes: nothing() });
// @ts-expect-error - a deadline has an outcome as well
step("a", human({ deadline: "P1D" }));
// @ts-expect-error - a route of an outcome that the step does not have
step("a", human({ outcomes: ["yes"] }), { yes: nothing(), no: nothing() });
// @ts-expect-error - a block places its joins itself
step("a", human({ join: "all" }));
// @ts-expect-error - a block places its gateways itself
step("a", gateway());
// @ts-expect-error - a call whose outcome has no route
call("a", { workflow: "w", outcomes: ["yes"] });
// @ts-expect-error - a misspelt option of a call
call("a", { workflow: "w", input: {} });
// @ts-expect-error - a label of the subprocess for which nothing is said
subprocess("s", finish("no"));
// @ts-expect-error - a label that the subprocess does not have
subprocess("s", finish("no"), { no: nothing(), maybe: nothing() });
// @ts-expect-error - one branch is no parallel block
parallel("p", nothing());
const two = [step("a", tool()), step("b", tool())] as const;
parallel("p", { stage: true }, ...two);
parallel("p", { stage: true, merge: { lines: "append", note: "last" }, rejected: finish("x") }, ...two);
parallel("p", { merge: { amount: { function: "best" } } }, ...two);
inclusive("i", [when(yes, two[0])], two[1], { merge: { amount: "max" } });
expectTypeOf(parallel("p", { merge: { amount: "sum" }, rejected: finish("x") }, ...two)).toExtend<
  Block<Entry<"a" | "b">, "x">
>();
composeWorkflow({ id: "w", data, body: parallel("p", { merge: { amount: "sum" } }, nothing(), nothing()) });
// @ts-expect-error - a key that is merged and has no schema
composeWorkflow({ id: "w", data, body: parallel("p", { merge: { sum: "sum" } }, nothing(), nothing()) });
const strange = inclusive("i", [when(yes, two[0])], nothing(), { merge: { a: "max" } });
// @ts-expect-error - the same in an inclusive block
composeWorkflow({ id: "w", data, body: strange });
// @ts-expect-error - the last value is taken in a staged block only
parallel("p", { merge: { amount: "last" } }, ...two);
// @ts-expect-error - a rule that is none
parallel("p", { stage: true, merge: { amount: "first" } }, ...two);
// @ts-expect-error - options that hold back nothing
parallel("p", { rejected: nothing() }, ...two);
// @ts-expect-error - a misspelt option
parallel("p", { stage: true, merg: { amount: "sum" } }, ...two);
// @ts-expect-error - options and one branch
parallel("p", { stage: true }, nothing());
// @ts-expect-error - a misspelt option of an inclusive block
inclusive("i", [when(yes, two[0])], nothing(), { stage: true, reject: nothing() });
// @ts-expect-error - no branch is no inclusive block
inclusive("i", [], nothing());
// @ts-expect-error - a choice needs to know what happens otherwise
choice("c", [when(yes, nothing())]);
// @ts-expect-error - a transform gives no verdict
loop("l", { budget: 1, proves: "", body: nothing(), verify: step("t", transform()), exhausted: nothing() });
// @ts-expect-error - a loop needs to know what happens when its budget is used up
loop("l", { budget: 1, proves: "", body: nothing(), verify: step("t", verifier({ passKey: "k" })) });
// @ts-expect-error - a step that reads a key that is not declared
composeWorkflow({ id: "w", data, body: step("a", wait({ reads: ["amuont"] })) });
// @ts-expect-error - the same, deep inside
composeWorkflow({ id: "w", data, body: sequence(choice("c", [], step("a", wait({ reads: ["amuont"] })))) });
// @ts-expect-error - a guard over a key that is not declared
composeWorkflow({ id: "w", data, body: choice("c", [when(stray, nothing())], nothing()) });
// @ts-expect-error - an input that is not declared
composeWorkflow({ id: "w", data, input: ["amuont"], body: nothing() });
// @ts-expect-error - an error handler that writes a key that is not declared
composeWorkflow({ id: "w", data, body: nothing(), onError: step("a", wait({ writes: ["x"] })) });
