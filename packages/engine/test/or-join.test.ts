/** @module Non-local OR-joins and subset chains in real runs: tasks finished in every order, guards at the split. */
import type { JsonObject, WorkflowDefinition } from "@tessera/core";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const isSet = (key: string) => ({ guard: { key, op: "is", value: true } }) as const;

/** An OR split over three people, the third by default; the join can be entered again, so there is no block. */
const open: WorkflowDefinition = flow(
  "open",
  [
    ["s", "gateway", undefined, { split: "or" }],
    ["a", "human"],
    ["b", "human"],
    ["c", "human"],
    ["j", "gateway", undefined, { join: "or" }],
    ["d", "human", { outcomes: ["again", "done"] }],
    ["z", "end"],
  ],
  [
    ["s", "a", undefined, isSet("a")],
    ["s", "b", undefined, isSet("b")],
    ["s", "c", undefined, { default: true }],
    ["a", "j"],
    ["b", "j"],
    ["c", "j"],
    ["j", "d"],
    ["d", "j", "again"],
    ["d", "z", "done"],
  ],
);

const viciousCircle: WorkflowDefinition = flow(
  "circle",
  [
    ["p", "gateway", undefined, { split: "all" }],
    ["a", "human"],
    ["b", "human"],
    ["j1", "gateway", undefined, { join: "or" }],
    ["x1", "human", { outcomes: ["on", "out"] }],
    ["j2", "gateway", undefined, { join: "or" }],
    ["x2", "human", { outcomes: ["on", "out"] }],
    ["z1", "end"],
    ["z2", "end"],
  ],
  [
    ["p", "a"],
    ["p", "b"],
    ["a", "j1"],
    ["b", "j2"],
    ["j1", "x1"],
    ["x1", "j2", "on"],
    ["x1", "z1", "out"],
    ["j2", "x2"],
    ["x2", "j1", "on"],
    ["x2", "z2", "out"],
  ],
);

/** A running instance, driven by names of nodes. */
async function running(definition: WorkflowDefinition, data: JsonObject, accept: readonly string[] = []) {
  const { engine } = testEngine();
  const acceptances = accept.map((obligation) => ({ obligation, reason: "the test wants it", by: "ann" }));
  accepted(await engine.deploy(definition, { accept: acceptances }));
  const run = accepted(await engine.start({ workflow: definition.id, data }));
  const open = async () => (await engine.workItems.list({ run: run.id })).rows;
  return {
    engine,
    id: run.id,
    tasks: async () => (await open()).map(({ node }) => node).sort(),
    complete: async (node: string, outcome?: string) => {
      const task = (await open()).find((item) => item.node === node)?.id ?? "";
      const answer = outcome === undefined ? {} : { outcome };
      accepted(await engine.workItems.complete({ task, by: { id: "ann" }, ...answer }));
    },
    state: async () => accepted(await run.state()),
  };
}

describe("[D15.3] [D15.5] OR splits and joins without a block, in the engine", () => {
  it("[D15.3] [D15.5] [C20-26] [C20-27] BR-019 the join waits for exactly the branches that the guards chose", async () => {
    for (const [data, order] of [
      [{ a: true, b: true }, ["a", "b"]],
      [{ a: true, b: true }, ["b", "a"]],
      [{ a: true, b: false }, ["a"]],
      [{ a: false, b: true }, ["b"]],
      [{ a: false, b: false }, ["c"]],
    ] as const) {
      const play = await running(open, data);
      expect(await play.tasks()).toEqual([...order].sort());
      for (const [index, node] of order.entries()) {
        await play.complete(node);
        expect(await play.tasks()).toEqual(index === order.length - 1 ? ["d"] : order.slice(index + 1));
      }
      await play.complete("d", "again");
      expect(await play.tasks()).toEqual(["d"]);
      await play.complete("d", "done");
      expect((await play.state()).status).toBe("completed");
      expect(accepted(await play.engine.audit({ runs: [play.id] }))).toMatchObject({ isSound: true });
    }
  });

  it("[D15.3] [L15.3] [C20-80] joins that wait for each other are refused with the witness; accepted, the run fails with the reason", async () => {
    const { engine } = testEngine();
    const answer = await engine.deploy(viciousCircle);
    expect(answer).toMatchObject({ kind: "refused", code: "unproved" });
    expect(JSON.stringify(answer)).toContain("a->j1");
    const play = await running(viciousCircle, {}, ["O1", "O2", "O3", "O4"]);
    await play.complete("b");
    expect((await play.state()).status).toBe("waiting");
    await play.complete("a");
    expect(await play.state()).toMatchObject({ status: "failed", marking: { "a->j1": 1, "b->j2": 1 } });
  });
});
