/** @module End to end on the memory store: start, job, person, timer, end. */
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { answers, scriptedPort, testEngine } from "../src/testing.ts";

const ORDER = {
  format: 1,
  kind: "workflow",
  id: "order",
  entry: "begin",
  nodes: [
    { id: "begin", kind: "start" },
    { id: "price", kind: "tool" },
    { id: "approve", kind: "human", meta: { outcomes: ["yes", "no"], candidateGroups: ["boss"] } },
    { id: "rest", kind: "timer", meta: { duration: "PT2H" } },
    { id: "done", kind: "end" },
    { id: "refused", kind: "end", meta: { outcome: "refused" } },
    { id: "broken", kind: "end", meta: { outcome: "broken" } },
  ],
  arcs: [
    { from: "begin", to: "price" },
    { from: "price", to: "approve" },
    { from: "price", outcome: "error", to: "broken" },
    { from: "approve", outcome: "yes", to: "rest" },
    { from: "approve", outcome: "no", to: "refused" },
    { from: "rest", to: "done" },
  ],
};

describe("the engine, end to end", () => {
  it("runs a job, a person's approval and a timer to the end", async () => {
    const price = scriptedPort([answers({ patch: { price: 12 } })]);
    const { engine, clock, settle } = testEngine({ ports: { price: price.port } });
    const deployed = accepted(await engine.deploy(ORDER));
    expect(deployed.isNew).toBe(true);
    const run = accepted(await engine.start({ workflow: "order", id: "o-1", data: { sku: "a" } }));
    await settle();
    expect(price.calls.map(({ idempotencyKey, attempt }) => ({ idempotencyKey, attempt }))).toEqual([
      { idempotencyKey: "o-1/price.1", attempt: 1 },
    ]);
    const [task] = (await engine.workItems.list({ kind: "work-item" })).rows;
    expect(task).toMatchObject({ run: "o-1", node: "approve", outcomes: ["yes", "no"] });
    const by = { id: "ann", groups: ["boss"] };
    accepted(
      await engine.workItems.complete({ task: task?.id ?? "", by, outcome: "yes", data: { ok: true } }),
    );
    expect(accepted(await run.state())).toMatchObject({ status: "waiting", modes: ["waiting_timer"] });
    await clock.advance("PT1H59M");
    expect(accepted(await run.state()).status).toBe("waiting");
    await clock.advance("PT1M");
    expect(await run.result()).toMatchObject({
      kind: "ended",
      status: "completed",
      outcomes: ["done"],
      data: { sku: "a", price: 12, ok: true },
      trouble: null,
    });
    const state = accepted(await run.state());
    expect(accepted(await engine.replay("o-1"))).toEqual(state);
    const history = accepted(await engine.history("o-1"));
    expect(history.events.filter(({ kind }) => kind === "input").map(({ sequence }) => sequence)).toEqual([
      1, 2, 3, 4,
    ]);
    expect(await engine.audit()).toMatchObject({
      isSound: true,
      runs: [{ verdict: "ok" }],
      graphs: [{ verdict: "ok" }],
    });
    await engine.close();
  });
});
