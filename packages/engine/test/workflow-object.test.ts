/** @module A workflow is data: text that any engine runs, and an object of G whose edits are mutations. */
import {
  type Constraint,
  type JsonObject,
  type Mutation,
  objectOf,
  parseWorkflow,
  type WorkflowDefinition,
} from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { accepted, type Engine } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

/** What stands for an object of a workflow family: a payload that is a workflow. */
const isWorkflow: Constraint = {
  name: "isWorkflow",
  version: 1,
  class: "type",
  scope: { kind: "object" },
  check: (graph, { written }) =>
    written.flatMap((id) => {
      const object = objectOf(graph, id);
      if (object?.type !== "workflow") return [];
      const parsed = parseWorkflow(object.payload, STANDARD_KINDS);
      return parsed.ok ? [] : [{ message: `"${id}" is no workflow`, facts: { id } }];
    }),
};

/** Writes its input as a mutation of the graph that it shares with the others. */
const editor = flow(
  "editor",
  [
    ["write", "transform"],
    ["written", "end", { outcome: "written" }],
    ["refused", "end", { outcome: "refused" }],
  ],
  [
    ["write", "written"],
    ["write", "refused", "error"],
  ],
  { constraints: ["isWorkflow"] },
);

const approval = flow(
  "approval",
  [
    ["ask", "human"],
    ["granted", "end", { outcome: "granted" }],
  ],
  [["ask", "granted"]],
);

async function catalogue() {
  const test = testEngine({
    constraints: [isWorkflow],
    functions: { write: ({ data }) => ({ mutation: data["delta"] as unknown as Mutation }) },
  });
  accepted(await test.engine.deploy(editor));
  const write = async (delta: Partial<Mutation>) => {
    const mutation = { create: [], update: [], delete: [], ...delta } as unknown as JsonObject;
    const run = await test.engine.start({
      workflow: "editor",
      graph: "catalogue",
      data: { delta: mutation },
    });
    const end = await accepted(run).result();
    return end.kind === "ended" ? end.outcomes : [];
  };
  const stored = async () => {
    const { graph } = await test.store.graph("default", "catalogue");
    return objectOf(graph, "w1")?.payload ?? {};
  };
  return { ...test, write, stored };
}

const payload = (definition: WorkflowDefinition) => definition as unknown as JsonObject;

describe("a workflow as an object of G", () => {
  it("[D18.4] [D20.2] [C20-01] is stored in G with the graph as payload, fetched, run, and edited by a mutation", async () => {
    const { engine, write, stored } = await catalogue();
    expect(
      await write({ create: [{ id: "w1", type: "workflow", payload: payload(approval), links: [] }] }),
    ).toEqual(["written"]);
    expect(await stored()).toEqual(approval);
    const first = accepted(await engine.deploy(await stored()));
    const old = accepted(await engine.start({ workflow: "approval", id: "old" }));

    const broken = { ...approval, entry: "nowhere" };
    expect(await write({ update: [{ id: "w1", payload: payload(broken) }] })).toEqual(["refused"]);
    expect(await stored()).toEqual(approval);

    const edited = flow(
      "approval",
      [
        ["ask", "human"],
        ["ask again", "human"],
        ["granted", "end", { outcome: "granted" }],
      ],
      [
        ["ask", "ask again"],
        ["ask again", "granted"],
      ],
    );
    expect(await write({ update: [{ id: "w1", payload: payload(edited) }] })).toEqual(["written"]);
    const second = accepted(await engine.deploy(await stored()));
    expect(second.hash).not.toBe(first.hash);
    const fresh = accepted(await engine.start({ workflow: "approval", id: "fresh" }));
    for (const run of [old, fresh]) accepted(await run.complete({ node: "ask", by: { id: "ann" } }));
    expect(accepted(await old.state())).toMatchObject({ status: "completed", definition: first.hash });
    expect(accepted(await fresh.state())).toMatchObject({ tokens: ["ask again"], definition: second.hash });
    const { isSound, graphs } = await engine.audit();
    expect(isSound).toBe(true);
    expect(graphs.find(({ graph }) => graph === "catalogue")).toMatchObject({ verdict: "ok", turns: 2 });
  });
});

describe("a workflow as text", () => {
  const grants = async (engine: Engine, text: string, id: string, amount: number) => {
    const definition = JSON.parse(text) as WorkflowDefinition;
    accepted(await engine.deploy(definition));
    const run = accepted(await engine.start({ workflow: definition.id, id, data: { amount } }));
    const { status, outcomes, tokens } = accepted(await run.state());
    return [status, ...(status === "completed" ? outcomes : tokens)];
  };

  it("[HZ-01] one engine runs texts that have nothing to do with each other; editing the text alone changes what it does", async () => {
    const { engine } = testEngine();
    const small = JSON.stringify(
      flow(
        "small",
        [
          ["size", "decision"],
          ["yes", "end", { outcome: "yes" }],
          ["ask", "human"],
          ["no", "end", { outcome: "no" }],
        ],
        [
          ["size", "yes", "done", { guard: { key: "amount", op: "lessThan", value: 100 } }],
          ["size", "ask", "done", { default: true }],
          ["ask", "no"],
        ],
      ),
    );
    expect(await grants(engine, small, "a", 99)).toEqual(["completed", "yes"]);
    expect(await grants(engine, small, "b", 100)).toEqual(["waiting", "ask"]);
    expect(await grants(engine, JSON.stringify(approval), "c", 1)).toEqual(["waiting", "ask"]);
    const edited = small.replace('"value":100', '"value":101');
    expect(edited).not.toBe(small);
    expect(await grants(engine, edited, "d", 100)).toEqual(["completed", "yes"]);
    expect(accepted(await engine.run("b").state()).tokens).toEqual(["ask"]);
  });
});
