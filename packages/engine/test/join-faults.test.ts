/** @module Faults of joins that were reported of other engines, where they show in running instances: saving, cancelling, sticking. */
import type { WorkflowDefinition } from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { type TestEngine, testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

/** An AND split over the nodes given, an AND join, a person behind it. */
const forked = (...branches: readonly (readonly [id: string, kind: string])[]): WorkflowDefinition =>
  flow(
    "forked",
    [
      ["s", "gateway", undefined, { split: "all" }],
      ...branches,
      ["j", "gateway", undefined, { join: "all" }],
      ["d", "human"],
      ["z", "end"],
    ],
    [...branches.flatMap(([id]) => [["s", id] as const, [id, "j"] as const]), ["j", "d"], ["d", "z"]],
  );

const tasksOf = async ({ engine }: TestEngine) =>
  (await engine.workItems.list({ run: "r" })).rows.map(({ node }) => node).sort();
const complete = async ({ engine }: TestEngine, node: string) => {
  const item = (await engine.workItems.list({ run: "r" })).rows.find((row) => row.node === node);
  accepted(await engine.workItems.complete({ task: item?.id ?? "", by: { id: "ann" } }));
};
const stateOf = async ({ engine }: TestEngine) => accepted(await engine.run("r").state());

describe("joins in running instances", () => {
  it("[D6.3] [C20-24] BR-020 one branch arrives at once, the other after the instance was loaded again", async () => {
    const store = memoryStore();
    const first = testEngine({ store });
    accepted(await first.engine.deploy(forked(["a", "gateway"], ["u", "human"])));
    accepted(await first.engine.start({ workflow: "forked", id: "r" }));
    expect((await stateOf(first)).marking).toEqual({ "a->j": 1, "u.active": 1 });
    await first.engine.close();
    const second = testEngine({ store });
    await complete(second, "u");
    expect(await tasksOf(second)).toEqual(["d"]);
    await complete(second, "d");
    expect((await stateOf(second)).status).toBe("completed");
  });

  it("[D6.3] [C20-25] BR-023 tokens that wait at a join are part of what is saved: it fires once, after the third", async () => {
    const store = memoryStore();
    const users = ["a", "b", "c"].map((id) => [id, "human"] as const);
    let engine = testEngine({ store });
    accepted(await engine.engine.deploy(forked(...users)));
    accepted(await engine.engine.start({ workflow: "forked", id: "r" }));
    for (const [index, node] of ["b", "a", "c"].entries()) {
      await complete(engine, node);
      await engine.engine.close();
      engine = testEngine({ store });
      expect(await tasksOf(engine)).toEqual([["a", "c"], ["c"], ["d"]][index]);
    }
    expect((await stateOf(engine)).marking).toEqual({ "d.active": 1 });
    await complete(engine, "d");
    expect((await stateOf(engine)).status).toBe("completed");
    expect(accepted(await engine.engine.audit({ runs: ["r"] }))).toMatchObject({ isSound: true });
  });

  it("[D6.3] [D10.3] BR-026 a cancelled instance has no open item, and its journal folds to what is stored", async () => {
    const engine = testEngine();
    accepted(await engine.engine.deploy(forked(["a", "human"], ["b", "human"])));
    accepted(await engine.engine.start({ workflow: "forked", id: "r" }));
    await complete(engine, "a");
    expect((await stateOf(engine)).marking).toEqual({ "a->j": 1, "b.active": 1 });
    accepted(await engine.engine.run("r").cancel());
    expect(await tasksOf(engine)).toEqual([]);
    expect((await stateOf(engine)).status).toBe("cancelled");
    expect(accepted(await engine.engine.audit({ runs: ["r"] }))).toMatchObject({ isSound: true });
  });

  it("[D6.3] [C20-28] BR-021 BR-029 an XOR split into an AND join is refused; launched all the same, it fails and names where it is stuck", async () => {
    const stuck = flow(
      "stuck",
      [
        ["s", "gateway"],
        ["a", "human"],
        ["b", "human"],
        ["j", "gateway", undefined, { join: "all" }],
        ["z", "end"],
      ],
      [
        ["s", "a"],
        ["s", "b"],
        ["a", "j"],
        ["b", "j"],
        ["j", "z"],
      ],
    );
    const engine = testEngine();
    expect(await engine.engine.deploy(stuck)).toMatchObject({ kind: "refused", code: "unproved" });
    const accept = ["O1", "O3"].map((obligation) => ({ obligation, reason: "the test wants it", by: "ann" }));
    accepted(await engine.engine.deploy(stuck, { accept }));
    accepted(await engine.engine.start({ workflow: "stuck", id: "r" }));
    await complete(engine, "a");
    const state = await stateOf(engine);
    expect(state).toMatchObject({ status: "failed", marking: { "a->j": 1 } });
    expect(JSON.stringify(state)).toContain("DEADLOCK");
  });

  it("[D9.1] [C20-28] BR-027 a cycle that waits for nothing ends at the fuse with the reason, and others go on", async () => {
    const endless = flow(
      "endless",
      [
        ["m", "gateway"],
        ["x", "gateway"],
        ["z", "end"],
      ],
      [
        ["m", "x"],
        ["x", "m"],
        ["x", "z", undefined, { default: true }],
      ],
    );
    const engine = testEngine({ limits: { stepsMax: 50, firingsMax: 10 } });
    expect(await engine.engine.deploy(endless)).toMatchObject({ kind: "refused", code: "unproved" });
    accepted(
      await engine.engine.deploy(endless, {
        accept: [{ obligation: "O7", reason: "the test wants it", by: "ann" }],
      }),
    );
    accepted(await engine.engine.deploy(forked(["a", "human"], ["b", "human"])));
    accepted(await engine.engine.start({ workflow: "endless", id: "e" }));
    accepted(await engine.engine.start({ workflow: "forked", id: "r" }));
    await engine.settle();
    expect(accepted(await engine.engine.run("e").state())).toMatchObject({ status: "failed" });
    expect(await tasksOf(engine)).toEqual(["a", "b"]);
  });
});
