/** @module Agents: what is agentic stays inside the node, and what it proposes goes through the gate. */
import { type Constraint, compileWorkflow, graphJson, type JsonObject } from "@tessera/core";
import { STANDARD_KINDS } from "@tessera/gateways";
import { describe, expect, it } from "vitest";
import { accepted, type Port } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const orchestration = (...agents: readonly string[]): JsonObject => ({
  pattern: "supervisor",
  agents: agents.map((id) => ({ id, role: id })),
  handoffs: agents.slice(1).map((to) => ({ from: agents[0] ?? "", to: [to] })),
  interrupts: [],
  budget: { turnsMax: 9 },
});

const withAgent = (meta: JsonObject) =>
  flow(
    "w",
    [
      ["draft", "agent", meta],
      ["done", "end", { outcome: "done" }],
      ["tired", "end", { outcome: "tired" }],
      ["failed", "end", { outcome: "failed" }],
    ],
    [
      ["draft", "done"],
      ["draft", "tired", "exhausted"],
      ["draft", "failed", "error"],
    ],
    { constraints: ["noSecrets"] },
  );

const noSecrets: Constraint = {
  name: "noSecrets",
  version: 1,
  class: "semantic",
  scope: { kind: "object" },
  check: (_, { written }) =>
    written.includes("secret") ? [{ message: "secrets stay outside", facts: {} }] : [],
};

async function started(port: Port) {
  const test = testEngine({ constraints: [noSecrets], ports: { draft: port } });
  accepted(await test.engine.deploy(withAgent({ orchestration: orchestration("lead", "writer", "critic") })));
  const run = accepted(await test.engine.start({ workflow: "w", id: "r" }));
  return { ...test, run };
}

describe("agents", () => {
  it("[C20-42] specialists are no nodes: however many there are and whatever they say to each other, the net is the same", () => {
    const net = (meta: JsonObject) => {
      const compiled = compileWorkflow(withAgent(meta), STANDARD_KINDS);
      if (!compiled.ok) throw new Error(compiled.issues.map(({ message }) => message).join());
      return compiled.value.net;
    };
    const alone = net({ orchestration: orchestration("lead") });
    expect(alone.transitions.map(({ id }) => id).join(" ")).not.toContain("lead");
    expect(net({ orchestration: orchestration("lead", "writer", "critic", "judge") })).toEqual(alone);
    expect(net({ turnsMax: 3 })).toEqual(alone);
  });

  it("[C20-42] one token stays at the node while the specialists talk, turn after turn", async () => {
    const next: (() => void)[] = [];
    const said: string[] = [];
    const { run, settle } = await started(async () => {
      for (const who of ["lead", "writer", "critic", "writer"]) {
        said.push(who);
        await new Promise<void>((resolve) => next.push(resolve));
      }
      return { patch: { text: "t" } };
    });
    await settle();
    const before = accepted(await run.state());
    expect(before).toMatchObject({
      status: "running",
      tokens: ["draft"],
      items: [{ kind: "job", node: "draft" }],
    });
    expect(Object.values(before.marking)).toEqual([1]);
    for (let turn = 1; turn <= 4; turn += 1) {
      expect(said).toHaveLength(turn);
      expect(accepted(await run.state())).toEqual(before);
      next[turn - 1]?.();
      await settle();
    }
    expect(await run.result()).toMatchObject({ outcomes: ["done"], data: { text: "t" } });
  });

  it.each([
    ["note", "done", ["note"]],
    ["secret", "failed", []],
  ])(
    "[D20.5] [C20-47] the mutation that an agent proposes goes through the gate: %s ends %s",
    async (id, outcome, objects) => {
      const { run, settle, store, engine } = await started(async () => ({
        patch: { text: "t" },
        mutation: { create: [{ id, type: "note", payload: {}, links: [] }], update: [], delete: [] },
      }));
      await settle();
      const end = await run.result();
      expect(end).toMatchObject({ kind: "ended", outcomes: [outcome] });
      expect(end.kind === "ended" && end.data).toEqual(outcome === "done" ? { text: "t" } : {});
      const { graph } = await store.graph("default", "r");
      expect(graphJson(graph)).toMatchObject({ objects: objects.map((each) => ({ id: each })) });
      expect(await engine.audit()).toMatchObject({ isSound: true });
    },
  );
});
