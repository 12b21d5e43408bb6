/** @module Faults of joins that were reported of other engines, where they show in running instances: saving, cancelling, sticking. */
import type { ConditionData, JsonObject, WorkflowDefinition } from "@tessera/core";
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

  it("[D9.1] BR-027 a cycle that waits for nothing ends at the fuse with the reason, and others go on", async () => {
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

  const heldAt = async ({ engine }: TestEngine, node: string, code: string) => {
    const { rows } = await engine.workItems.list({ run: "r", kind: "intervention" });
    expect(rows).toMatchObject([{ node, reason: { code } }]);
    return rows[0]?.id ?? "";
  };
  const retry = async ({ engine, settle }: TestEngine, task: string) => {
    accepted(await engine.workItems.retry({ task, by: { id: "ann" }, reason: "mended" }));
    await settle();
  };
  const joining = (kind: string, meta?: JsonObject): WorkflowDefinition =>
    flow(
      "joining",
      [
        ["s", "gateway", undefined, { split: "all" }],
        ["a", "human"],
        ["b", "human"],
        ["j", kind, meta, { join: "all" }],
        ["d", "human"],
        ["z", "end"],
        ["bad", "end", { outcome: "bad" }],
      ],
      [
        ["s", "a"],
        ["s", "b"],
        ["a", "j"],
        ["b", "j"],
        ["j", "d"],
        ["j", "bad", "error"],
        ["d", "z"],
      ],
    );
  /** What a run fails by that is parallel and writes anything is not asked here. */
  const anything = { accept: ["O9", "O12"].map((obligation) => ({ obligation, reason: "test", by: "ann" })) };

  it("[D6.3] [D9.8] BR-024 work at a join that fails and is mended goes on with the tokens that the join took: once", async () => {
    let isMended = false;
    const port = () => {
      if (!isMended) throw Object.assign(new Error("no variable"), { code: "BROKEN" });
      return {};
    };
    const test = testEngine({ ports: { j: port } });
    const policy = { retry: { attempts: 1, deadLetter: true } };
    accepted(await test.engine.deploy(joining("tool", policy), anything));
    accepted(await test.engine.start({ workflow: "joining", id: "r" }));
    await complete(test, "a");
    await complete(test, "b");
    await test.settle();
    const task = await heldAt(test, "j", "BROKEN");
    expect((await stateOf(test)).marking).toEqual({ "j.active": 1 });
    isMended = true;
    await retry(test, task);
    expect((await stateOf(test)).marking).toEqual({ "d.active": 1 });
    await complete(test, "d");
    expect((await stateOf(test)).status).toBe("completed");
    expect(accepted(await test.engine.audit({ runs: ["r"] }))).toMatchObject({ isSound: true });
  });

  it("[D6.3] [D9.1] BR-024 a join that cannot fire leaves its tokens where they are, and fires once when it can", async () => {
    const store = memoryStore();
    const first = testEngine({ store, functions: { j: () => ({}) } });
    accepted(await first.engine.deploy(joining("transform"), anything));
    await first.engine.close();
    const without = testEngine({ store });
    accepted(await without.engine.start({ workflow: "joining", id: "r" }));
    await complete(without, "b");
    await complete(without, "a");
    const task = await heldAt(without, "j", "FUNCTION_MISSING");
    expect((await stateOf(without)).marking).toEqual({ "a->j": 1, "b->j": 1 });
    await without.engine.close();
    const mended = testEngine({ store, functions: { j: () => ({}) } });
    await retry(mended, task);
    expect((await stateOf(mended)).marking).toEqual({ "d.active": 1 });
  });

  /** An OR split by a predicate or a comparison, an OR join, a person behind it; an error leads to a person and back. */
  const choosing = (guard: ConditionData): WorkflowDefinition =>
    flow(
      "choosing",
      [
        ["in", "gateway"],
        ["s", "transform", { function: "look" }, { split: { done: "or" }, writes: ["looked"] }],
        ["a", "human"],
        ["b", "human"],
        ["c", "human"],
        ["j", "gateway", undefined, { join: "or" }],
        ["d", "human"],
        ["z", "end"],
        ["mend", "human"],
      ],
      [
        ["in", "s"],
        ["s", "a", "done", { guard }],
        ["s", "b", "done", { guard: { key: "size", op: "atLeast", value: 2 } }],
        ["s", "c", "done", { default: true }],
        ["s", "mend", "error"],
        ["mend", "in"],
        ["a", "j"],
        ["b", "j"],
        ["c", "j"],
        ["j", "d"],
        ["d", "z"],
      ],
    );
  const functions = { look: () => ({ patch: { looked: true } }) };

  it("[D15.3] [D9.1] BR-025 conditions that could not be asked are asked again when they can, and the OR join fires once", async () => {
    const store = memoryStore();
    const ready = {
      functions,
      predicates: { isLarge: (data: JsonObject) => Number(data["size"]) > 1 },
    };
    const first = testEngine({ store, ...ready });
    accepted(await first.engine.deploy(choosing({ predicate: "isLarge" }), anything));
    await first.engine.close();
    const without = testEngine({ store, functions });
    accepted(await without.engine.start({ workflow: "choosing", id: "r", data: { size: 2 } }));
    const task = await heldAt(without, "s", "COND104");
    expect((await stateOf(without)).data).toEqual({ size: 2 });
    await without.engine.close();
    const mended = testEngine({ store, ...ready });
    await retry(mended, task);
    expect(await tasksOf(mended)).toEqual(["a", "b"]);
    await complete(mended, "a");
    expect(await tasksOf(mended)).toEqual(["b"]);
    await complete(mended, "b");
    expect(await tasksOf(mended)).toEqual(["d"]);
    await complete(mended, "d");
    expect(await stateOf(mended)).toMatchObject({ status: "completed", outcomes: ["done"] });
  });

  it("[D15.3] [D20.6] BR-025 a variable that is missing takes the arc for errors; set, the conditions choose anew", async () => {
    const test = testEngine({ functions });
    accepted(await test.engine.deploy(choosing({ key: "size", op: "atLeast", value: 1 }), anything));
    accepted(await test.engine.start({ workflow: "choosing", id: "r" }));
    expect(await tasksOf(test)).toEqual(["mend"]);
    expect((await stateOf(test)).data).toEqual({});
    const [item] = (await test.engine.workItems.list({ run: "r" })).rows;
    accepted(
      await test.engine.workItems.complete({ task: item?.id ?? "", by: { id: "ann" }, data: { size: 2 } }),
    );
    expect(await tasksOf(test)).toEqual(["a", "b"]);
    await complete(test, "b");
    await complete(test, "a");
    expect(await tasksOf(test)).toEqual(["d"]);
    expect((await stateOf(test)).marking).toEqual({ "d.active": 1 });
  });
});
