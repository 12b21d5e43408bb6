/** @module People: who may do what with a work item, and what of it is done once. */
import type { RunStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { type Actor, type Authorize, accepted, type Logger, readTaskId, taskId } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow, single } from "./definitions.ts";

const ANN: Actor = { id: "ann", groups: ["boss"] };
const BOB: Actor = { id: "bob", groups: ["clerk"] };
const CIM: Actor = { id: "cim", groups: ["boss", "clerk"] };

async function offered(
  meta: object = { candidateGroups: ["boss"] },
  options: Parameters<typeof testEngine>[0] = {},
) {
  const test = testEngine(options);
  accepted(await test.engine.deploy(single("w", ["h", "human", meta as never], ["done"])));
  const run = accepted(await test.engine.start({ workflow: "w", id: "r", businessKey: "order 7" }));
  return { ...test, run, items: test.engine.workItems, task: "r/h.1" };
}

describe("lists", () => {
  it("[D9.6] show what an actor may do, with the texts of the definition", async () => {
    const { items } = await offered({ candidateGroups: ["boss"], title: "Approve", outcomes: ["done"] });
    const mine = async ({ id, groups = [] }: Actor) => (await items.list({ actor: id, groups })).rows;
    expect(await mine(ANN)).toMatchObject([
      {
        id: "r/h.1",
        run: "r",
        item: "h.1",
        kind: "work-item",
        node: "h",
        workflow: "w",
        businessKey: "order 7",
        title: "Approve",
        outcomes: ["done"],
        assignee: null,
        candidateGroups: ["boss"],
      },
    ]);
    expect(await mine(BOB)).toEqual([]);
    accepted(await items.claim({ task: "r/h.1", by: ANN }));
    expect(await mine(CIM)).toEqual([]);
    expect(await mine(ANN)).toMatchObject([{ assignee: "ann" }]);
  });

  it("a task id is the run and its item, also where the run's id has slashes", () => {
    expect(readTaskId(taskId("a/b.1/c", "h.2"))).toEqual({ run: "a/b.1/c", item: "h.2" });
  });
});

describe("authorization", () => {
  it("[D20.9] [C20-31] whoever is not named may not complete, and the run is as it was", async () => {
    const told: unknown[] = [];
    const logger: Logger = {
      debug: () => {},
      info: (message, facts) => void told.push([message, facts]),
      warn: () => {},
      error: () => {},
    };
    const { items, run, task } = await offered(undefined, { logger });
    const before = await run.state();
    expect(await items.complete({ task, by: BOB })).toMatchObject({
      kind: "refused",
      code: "unauthorized",
      facts: { action: "complete", actor: "bob", task },
    });
    expect(await run.state()).toEqual(before);
    expect(told).toContainEqual(["refused", expect.objectContaining({ code: "unauthorized", actor: "bob" })]);
    accepted(await items.complete({ task, by: ANN }));
  });

  it("[D9.6] people who are named one by one", async () => {
    const { items, task } = await offered({ assignees: ["bob"] });
    expect(await items.complete({ task, by: ANN })).toMatchObject({ code: "unauthorized" });
    accepted(await items.complete({ task, by: BOB }));
  });

  it("[D9.6] a claimed item is its assignee's, until it is released or reassigned", async () => {
    const { items, task } = await offered();
    expect(await items.release({ task, by: ANN })).toMatchObject({ code: "unauthorized" });
    accepted(await items.claim({ task, by: ANN }));
    expect(await items.claim({ task, by: CIM })).toMatchObject({
      code: "claimed",
      facts: { assignee: "ann" },
    });
    expect(await items.claim({ task, by: ANN })).toMatchObject({ kind: "refused" });
    for (const refusal of [
      await items.complete({ task, by: CIM }),
      await items.release({ task, by: CIM }),
      await items.reassign({ task, by: CIM, to: "cim" }),
    ]) {
      expect(refusal).toMatchObject({ code: "claimed" });
    }
    accepted(await items.release({ task, by: ANN }));
    accepted(await items.claim({ task, by: CIM }));
    accepted(await items.reassign({ task, by: CIM, to: "bob", reason: "on leave" }));
    expect(await items.complete({ task, by: CIM })).toMatchObject({ code: "claimed" });
    accepted(await items.complete({ task, by: BOB }));
  });

  it("[D9.6] the application's own rule comes first, in both directions", async () => {
    const asked: string[] = [];
    const authorize: Authorize = ({ action, actor, item, run, workflow }) => {
      asked.push(`${action} ${actor.id} ${workflow} ${run} ${item?.id ?? ""}`);
      if (actor.id === "ann") return false;
      return actor.id === "root" ? true : null;
    };
    const { items, run, task } = await offered(undefined, { authorize });
    expect(await items.complete({ task, by: ANN })).toMatchObject({ code: "unauthorized" });
    accepted(await items.claim({ task, by: CIM }));
    accepted(await items.reassign({ task, by: { id: "root" }, to: "bob" }));
    expect(await run.cancel({ by: ANN })).toMatchObject({ code: "unauthorized" });
    accepted(await items.complete({ task, by: { id: "root" } }));
    expect(asked).toContain("complete ann w r h.1");
    expect(asked).toContain("cancel ann w r ");
  });

  it("[D9.6] a rule that throws allows nothing", async () => {
    const authorize: Authorize = () => {
      throw new Error("no");
    };
    const { items, task, run } = await offered({}, { authorize });
    expect(await items.complete({ task, by: ANN })).toMatchObject({ code: "unauthorized" });
    expect(await run.cancel({ by: ANN })).toMatchObject({ code: "unauthorized" });
  });

  it("[D20.9] [C20-78] an outside system is authorized in the same way", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(single("w", ["o", "wait", { assignees: ["bank"] }], ["done"])));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    expect(await engine.workItems.complete({ task: "r/o.1", by: ANN })).toMatchObject({
      code: "unauthorized",
    });
    accepted(await engine.workItems.complete({ task: "r/o.1", by: { id: "bank" }, data: { paid: true } }));
    expect(await run.result()).toMatchObject({ data: { paid: true } });
  });

  it("[D20.9] [C20-78] [HZ-11] who knows the node and not the item answers at the node", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(single("w", ["o", "wait", { assignees: ["bank"] }], ["done"])));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    const bank = { id: "bank" };
    expect(await run.complete({ node: "elsewhere", by: bank })).toMatchObject({ code: "not-open" });
    expect(await run.complete({ node: "o", by: ANN })).toMatchObject({ code: "unauthorized" });
    accepted(await run.complete({ node: "o", by: bank, data: { paid: true }, commandId: "m-1" }));
    expect(await run.complete({ node: "o", by: bank, data: { paid: true }, commandId: "m-1" })).toMatchObject(
      {
        kind: "done",
        isRepeated: true,
      },
    );
    expect(await run.complete({ node: "o", by: bank })).toMatchObject({ code: "not-open" });
    expect(await run.result()).toMatchObject({ data: { paid: true } });
  });

  it.each([
    ["an actor without a name", { by: { id: "" } }],
    ["an actor with the name of a run", { by: { id: "run:r/c.1" } }],
    ["an actor whose name is no text for a journal", { by: { id: "\ud800" } }],
    ["a command without a readable id", { commandId: "\udfff" }],
  ])("[D20.9] %s is refused", async (_, more) => {
    const { items, task } = await offered({});
    expect(await items.complete({ task, by: ANN, ...more })).toMatchObject({
      kind: "refused",
      code: "invalid",
    });
  });
});

describe("once", () => {
  it("[D20.9] [C20-78] of twenty completions at once one is done, the next task is there once", async () => {
    const { engine } = testEngine();
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["h", "human"],
            ["next", "human"],
            ["z", "end"],
          ],
          [
            ["h", "next"],
            ["next", "z"],
          ],
        ),
      ),
    );
    accepted(await engine.start({ workflow: "w", id: "r" }));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        engine.workItems.complete({ task: "r/h.1", by: { id: `p${index}` }, data: { by: index } }),
      ),
    );
    expect(answers.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === "refused")).toHaveLength(19);
    expect((await engine.workItems.list()).rows.map(({ item }) => item)).toEqual(["next.1"]);
  });

  it("[D20.9] of two engines on one store one wins as well", async () => {
    const first = testEngine();
    const second = testEngine({ store: first.store, clock: first.clock });
    accepted(await first.engine.deploy(single("w", ["h", "human"], ["done"])));
    for (let round = 0; round < 10; round += 1) {
      const id = `r${round}`;
      accepted(await first.engine.start({ workflow: "w", id }));
      const task = `${id}/h.1`;
      await second.engine.run(id).state();
      const answers = await Promise.all([
        first.engine.workItems.complete({ task, by: ANN }),
        second.engine.workItems.complete({ task, by: BOB }),
      ]);
      expect(answers.map(({ kind }) => kind).sort()).toEqual(["done", "refused"]);
    }
    expect(await first.engine.audit()).toMatchObject({ isSound: true });
  });

  it("[D20.9] a command that is repeated with its id is done once and answered again", async () => {
    const { items, task } = await offered({});
    const first = accepted(await items.complete({ task, by: ANN, commandId: "c-1" }));
    const again = accepted(await items.complete({ task, by: ANN, commandId: "c-1" }));
    expect([first, again]).toEqual([
      { kind: "done", run: "r", sequence: 2, isRepeated: false },
      { kind: "done", run: "r", sequence: 2, isRepeated: true },
    ]);
    expect(await items.complete({ task, by: ANN, commandId: "c-2" })).toMatchObject({ code: "not-open" });
    expect(await items.complete({ task, by: ANN })).toMatchObject({ code: "not-open" });
  });

  it("[C20-78] a resumption keeps the run, its history so far and its other tokens", async () => {
    const { engine } = testEngine();
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["s", "gateway", undefined, { split: "all" }],
            ["a", "wait"],
            ["b", "wait"],
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
        ),
      ),
    );
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    const before = accepted(await engine.history("r"));
    const other = accepted(await run.state()).items.find(({ node }) => node === "b");
    accepted(await engine.workItems.complete({ task: "r/a.1", by: { id: "world" } }));
    const after = accepted(await run.state());
    expect(after.items).toEqual([other]);
    expect(after.tokens).toContain("b");
    expect(accepted(await engine.history("r")).events.slice(0, before.events.length)).toEqual(before.events);
    accepted(await engine.workItems.complete({ task: "r/b.1", by: { id: "world" } }));
    expect(await run.result()).toMatchObject({ status: "completed" });
  });

  it("[C20-75] [R11-31] a run that rests is not resumed on a definition that has changed under its hash", async () => {
    const { engine, store } = testEngine();
    const { hash } = accepted(await engine.deploy(single("w", ["h", "human"], ["done"])));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    const changed: RunStore = {
      ...store,
      definition: async (wanted) => {
        const row = await store.definition(wanted);
        return row === null || wanted !== hash
          ? row
          : { ...row, definition: { ...row.definition, label: "changed" } };
      },
    };
    const complete = (by: typeof engine) =>
      by.workItems.complete({ task: "r/h.1", by: { id: "ann" }, outcome: "done" });
    await expect(complete(testEngine({ store: changed }).engine)).rejects.toMatchObject({ code: "corrupt" });
    const later = testEngine({ store }).engine;
    expect(accepted(await later.run("r").state())).toMatchObject({ status: "waiting", tokens: ["h"] });
    accepted(await complete(later));
    expect(await later.run("r").result()).toMatchObject({ status: "completed" });
  });
});

describe("data and outcomes", () => {
  it("[D20.9] one outcome need not be named; of several it must be", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(single("w", ["h", "human", { outcomes: ["yes", "no"] }], ["yes", "no"])));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    expect(await engine.workItems.complete({ task: "r/h.1", by: ANN })).toMatchObject({
      code: "unknown-outcome",
      facts: { outcomes: ["yes", "no"] },
    });
    accepted(await engine.workItems.complete({ task: "r/h.1", by: ANN, outcome: "no" }));
  });

  it.each<readonly [string, unknown, string]>([
    ["what is no JSON", { x: undefined }, "invalid-data"],
    ["a list", [1], "invalid-data"],
    ["more than a message may hold", { x: "0123456789".repeat(20) }, "limit"],
  ])("[D20.9] %s is refused, with the facts", async (_, data, code) => {
    const { items, task } = await offered({}, { limits: { messageBytesMax: 100 } });
    expect(await items.complete({ task, by: ANN, data: data as never })).toMatchObject({
      kind: "refused",
      code,
    });
  });

  it("[C20-29] [HZ-11] a form that is not filled is refused, and can be filled", async () => {
    const { engine } = testEngine();
    accepted(await engine.deploy(single("w", ["c", "collect", { form: { name: "string" } }], ["done"])));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    expect((await engine.workItems.list()).rows).toMatchObject([{ form: { name: "string" } }]);
    expect(await engine.workItems.complete({ task: "r/c.1", by: ANN, data: { name: 1 } })).toMatchObject({
      code: "invalid-data",
      facts: { code: "FORM_INVALID" },
    });
    expect(accepted(await run.state())).toMatchObject({ status: "waiting", sequence: 1 });
    accepted(await engine.workItems.complete({ task: "r/c.1", by: ANN, data: { name: "n" } }));
    expect(await run.result()).toMatchObject({ data: { name: "n" } });
  });
});
