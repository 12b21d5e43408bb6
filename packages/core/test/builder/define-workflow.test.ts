import {
  BuilderError,
  defineWorkflow,
  end,
  gateway,
  human,
  implement,
  parseWorkflow,
  start,
  tool,
  transform,
  verifier,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const order = defineWorkflow({
  id: "order",
  label: "Order",
  description: "An order is checked, perhaps looked at, and paid.",
  facet: "process",
  constraints: ["acyclic"],
  data: {
    amount: z.number(),
    size: z.enum(["small", "large"]),
    isPaid: z.boolean(),
    note: v.string(),
  },
  nodes: {
    placed: start({ input: ["amount"] }),
    check: transform({ reads: ["amount"], writes: ["size"], outcomes: ["done", "large"] }),
    look: human({ outcomes: ["approve", "reject"], writes: ["note"] }),
    pay: tool({ reads: ["amount"], writes: ["isPaid"] }),
    isDone: verifier({ passKey: "isPaid" }),
    paid: end(),
    rejected: end({ outcome: "rejected" }),
    failed: end({ outcome: "failed" }),
  },
  entry: "placed",
  arcs: [
    ["placed", "check"],
    ["check", "pay"],
    ["check", "large", "look"],
    ["check", "error", "failed"],
    ["look", "approve", "pay"],
    { from: "look", outcome: "reject", to: "rejected" },
    ["pay", "done", "isDone"],
    ["pay", "error", "failed"],
    { from: "isDone", to: "paid", guard: { key: "isPaid", op: "is", value: true } },
    { from: "isDone", to: "failed", default: true },
    ["isDone", "error", "failed"],
  ],
});

const handlers = {
  check: () => ({}),
  pay: async () => ({ patch: { isPaid: true } }),
  isDone: () => true,
};

function issuesOf(
  act: () => unknown,
): readonly { readonly code: string; readonly path: readonly unknown[] }[] {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof BuilderError) return thrown.issues;
    throw thrown;
  }
  return [];
}

describe("defineWorkflow", () => {
  it("[D12.5] gives plain data that parse without issues", () => {
    const parsed = parseWorkflow(order.definition, STANDARD_KINDS);
    expect(parsed).toEqual({ ok: true, value: order.definition, warnings: [] });
    expect(JSON.parse(JSON.stringify(order.definition))).toEqual(order.definition);
  });

  it("[D12.5] [OH-06] keeps the order of nodes and arcs", () => {
    expect(order.definition.nodes.map(({ id }) => id)).toEqual([
      "placed",
      "check",
      "look",
      "pay",
      "isDone",
      "paid",
      "rejected",
      "failed",
    ]);
    expect(order.definition.arcs[1]).toEqual({ from: "check", to: "pay" });
    expect(order.definition.arcs[2]).toEqual({ from: "check", outcome: "large", to: "look" });
    expect(order.definition.arcs[6]).toEqual({ from: "pay", to: "isDone" });
  });

  it("[D12.5] says of the data what their schemas tell, and no more", () => {
    expect(order.definition.data).toEqual({
      amount: { type: "number" },
      size: { type: "string", values: ["small", "large"] },
      isPaid: { type: "boolean" },
      note: { type: "any" },
    });
    const odd = {
      text: z.literal("x"),
      maybe: z.string().nullable(),
      made: z.string().transform((text) => text.length),
      date: {
        "~standard": {
          version: 1,
          vendor: "mine",
          validate: () => ({ value: 1 }),
          jsonSchema: { input: () => ({ type: "date" }) },
        },
      },
      wild: {
        "~standard": {
          version: 1,
          vendor: "mine",
          validate: () => ({ value: 1 }),
          jsonSchema: { input: () => 7n },
        },
      },
      twice: {
        "~standard": {
          version: 1,
          vendor: "mine",
          validate: () => ({ value: 1 }),
          jsonSchema: { input: () => ({ enum: [1, "a", 1] }) },
        },
      },
      hollow: { "~standard": { version: 1, vendor: "mine", validate: () => ({ value: 1 }), jsonSchema: {} } },
    } as const;
    const { definition } = defineWorkflow({
      id: "w",
      data: odd,
      nodes: { a: start(), b: end() },
      entry: "a",
      arcs: [["a", "b"]],
    });
    expect(definition.data).toEqual({
      text: { type: "string", values: ["x"] },
      maybe: { type: "any" },
      made: { type: "string" },
      date: { type: "any" },
      wild: { type: "any" },
      twice: { type: "any", values: [1, "a"] },
      hollow: { type: "any" },
    });
  });

  it("[D12.5] knows with which keys a run starts", () => {
    expect(order.inputs).toEqual(["amount"]);
    const open = defineWorkflow({ id: "w", nodes: { a: start(), b: end() }, entry: "a", arcs: [["a", "b"]] });
    expect(open.inputs).toEqual([]);
    expect(open.schemas).toEqual({});
    expect(open.definition).not.toHaveProperty("data");
    const headless = defineWorkflow({
      id: "w",
      nodes: { a: gateway(), b: end() },
      entry: "a",
      arcs: [["a", "b"]],
    });
    expect(headless.inputs).toEqual([]);
  });

  it("[D12.5] BUILD001 refuses names that would lose their place", () => {
    const nodes = { b: start(), "10": end(), "2": end() } as never;
    expect(issuesOf(() => defineWorkflow({ id: "w", nodes, entry: "b" as never, arcs: [] }))).toMatchObject([
      { code: "BUILD001", path: ["nodes", "2"] },
      { code: "BUILD001", path: ["nodes", "10"] },
    ]);
    const fine = { "01": start(), "1.5": end() } as never;
    expect(issuesOf(() => defineWorkflow({ id: "w", nodes: fine, entry: "01" as never, arcs: [] }))).toEqual(
      [],
    );
  });
});

describe("implement", () => {
  it("[D12.6] gives functions to inline nodes and ports to jobs, by the id of the node", async () => {
    const { definition, schemas, inputs, functions, ports } = implement(order, handlers);
    expect(definition).toBe(order.definition);
    expect(schemas).toBe(order.schemas);
    expect(inputs).toEqual(["amount"]);
    expect([...functions.keys()]).toEqual(["check", "isDone"]);
    expect([...ports.keys()]).toEqual(["pay"]);
    expect(functions.get("isDone")?.({} as never)).toBe(true);
    expect(await ports.get("pay")?.({} as never)).toEqual({ patch: { isPaid: true } });
  });

  it("[D12.6] asks for no handler where the host has the body", () => {
    const named = defineWorkflow({
      id: "w",
      nodes: {
        a: transform({ function: "f" }),
        b: tool({ port: "p" }),
        c: verifier({ passKey: "k", function: "v" }),
        d: end(),
      },
      entry: "a",
      arcs: [],
    });
    expect(implement(named, {})).toMatchObject({ functions: new Map(), ports: new Map() });
    expect(named.definition.nodes[0]?.meta).toEqual({ function: "f" });
  });

  it("[D12.6] BUILD002 refuses handlers that are missing, no functions, or nobody's", () => {
    const { pay: _, ...missing } = handlers;
    const broken = { ...missing, isDone: true, look: () => ({}) };
    expect(issuesOf(() => implement(order, broken as never))).toMatchObject([
      { code: "BUILD002", path: ["pay"] },
      { code: "BUILD002", path: ["isDone"] },
      { code: "BUILD002", path: ["look"] },
    ]);
    expect(issuesOf(() => implement(order, { ...missing, toString: 1 } as never))).toHaveLength(2);
  });

  it("a BuilderError says every issue in its message", () => {
    const error = new BuilderError([
      { code: "BUILD002", path: ["a"], message: "one" },
      { code: "BUILD002", path: ["b"], message: "two" },
    ]);
    expect(error).toMatchObject({ code: "BUILDER", name: "BuilderError" });
    expect(error.message).toBe("BUILD002 at $.a: one\nBUILD002 at $.b: two");
  });
});
