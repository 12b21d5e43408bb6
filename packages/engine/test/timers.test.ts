/** @module Timers: due on the engine's clock, late rather than never, once rather than twice. */
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const timed = (meta: object) =>
  flow(
    "w",
    [
      ["t", "timer", meta as never],
      ["z", "end"],
    ],
    [["t", "z"]],
  );
const firings = async (engine: ReturnType<typeof testEngine>["engine"], run: string) => {
  const { events } = accepted(await engine.history(run));
  return events.flatMap((event) =>
    event.kind === "input" && event.input.kind === "timer" ? [event.input.dueAt] : [],
  );
};

describe("timers", () => {
  it("[C20-33] a duration fires when it is over, not a millisecond before", async () => {
    const { engine, clock } = testEngine();
    accepted(await engine.deploy(timed({ duration: "PT2H" })));
    const run = accepted(await engine.start({ workflow: "w" }));
    await clock.advance(7_199_999);
    expect(accepted(await run.state())).toMatchObject({ status: "waiting", modes: ["waiting_timer"] });
    await clock.advance(1);
    expect(await run.result()).toMatchObject({ status: "completed" });
  });

  it("a cycle fires each time and ends after the last", async () => {
    const { engine, clock } = testEngine();
    accepted(await engine.deploy(timed({ cycle: "R10/P1D" })));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    await clock.advance("P3D");
    expect(await firings(engine, "r")).toHaveLength(3);
    await clock.advance("P7D");
    expect(await firings(engine, "r")).toHaveLength(10);
    expect(await run.result()).toMatchObject({ status: "completed" });
  });

  it("a cycle that began long ago catches up, each missed occurrence once", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(timed({ cycle: "R2/1776-07-04T00:00:00Z/PT1S" })));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    expect(await firings(engine, "r")).toEqual([-6_106_060_800_000, -6_106_060_799_000]);
    expect(await run.result()).toMatchObject({ status: "completed" });
  });

  it.each([
    ["before it is due", "P1D", "P1D"],
    ["after it was due", "P3D", "PT0S"],
  ])("a timer survives a restart %s, and fires once, at its own time", async (_, down, left) => {
    const store = memoryStore();
    const first = testEngine({ store });
    accepted(await first.engine.deploy(timed({ duration: "P2D" })));
    accepted(await first.engine.start({ workflow: "w", id: "r" }));
    await first.engine.close();
    const second = testEngine({ store, clock: first.clock });
    await first.clock.advance(down);
    second.engine.resume();
    await second.settle();
    if (left !== "PT0S") {
      expect(accepted(await second.engine.run("r").state()).status).toBe("waiting");
      await first.clock.advance(left);
    }
    expect(await second.engine.run("r").result()).toMatchObject({ status: "completed" });
    expect(await firings(second.engine, "r")).toEqual([Date.UTC(2026, 0, 3)]);
  });

  it("a clock that jumps forwards fires what it passed; one that jumps back fires nothing twice", async () => {
    const { engine, clock, settle } = testEngine({ pollMs: 1_000 });
    accepted(await engine.deploy(timed({ cycle: "R3/PT1H" })));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    const start = clock.now();
    await clock.jumpTo(start + 3_600_000);
    await clock.advance(1_000);
    expect(await firings(engine, "r")).toHaveLength(1);
    await clock.jumpTo(start - 86_400_000);
    await clock.advance("PT1H");
    expect(await firings(engine, "r")).toHaveLength(1);
    await clock.jumpTo(start + 2 * 3_600_000);
    await clock.advance(1_000);
    expect(await firings(engine, "r")).toEqual([start + 3_600_000, start + 7_200_000]);
  });

  it("a cancelled run has no timer left, and nothing happens when it would have been due", async () => {
    const { engine, clock, store } = testEngine();
    accepted(await engine.deploy(timed({ duration: "PT1H" })));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    accepted(await run.cancel());
    expect(await store.nextDue()).toBeNull();
    await clock.advance("PT2H");
    expect(await firings(engine, "r")).toEqual([]);
    expect(await run.result()).toMatchObject({ status: "cancelled" });
  });

  it("of a person and a deadline the first one wins, and the other is gone", async () => {
    const { engine, clock, store } = testEngine();
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["h", "human", { deadline: "PT1H" }],
            ["z", "end"],
            ["late", "end", { outcome: "late" }],
          ],
          [
            ["h", "z"],
            ["h", "late", "expired"],
          ],
        ),
      ),
    );
    const person = accepted(await engine.start({ workflow: "w", id: "person" }));
    const time = accepted(await engine.start({ workflow: "w", id: "time" }));
    accepted(await engine.workItems.complete({ task: "person/h.1", by: { id: "ann" } }));
    await clock.advance("PT1H");
    expect([await person.result(), await time.result()]).toMatchObject([
      { outcomes: ["done"] },
      { outcomes: ["late"] },
    ]);
    expect(await engine.workItems.complete({ task: "time/h.1", by: { id: "ann" } })).toMatchObject({
      code: "not-open",
    });
    expect(await store.nextDue()).toBeNull();
  });

  it("a timer whose run cannot go on here does not keep the others from firing", async () => {
    const store = memoryStore();
    const guard = { predicate: "p" };
    const stuck = flow(
      "stuck",
      [
        ["t", "timer", { duration: "PT1H" }],
        ["z", "end"],
        ["y", "end"],
      ],
      [
        ["t", "z", "done", { guard }],
        ["t", "y", "done", { default: true }],
      ],
    );
    const first = testEngine({ store, predicates: { p: () => true } });
    accepted(await first.engine.deploy(stuck));
    accepted(await first.engine.deploy(timed({ duration: "PT1H" })));
    accepted(await first.engine.start({ workflow: "stuck", id: "s" }));
    accepted(await first.engine.start({ workflow: "w", id: "r" }));
    await first.engine.close();
    const second = testEngine({ store, clock: first.clock });
    second.engine.resume();
    await first.clock.advance("PT1H");
    await second.settle();
    expect(await second.engine.run("r").result()).toMatchObject({ status: "completed" });
    expect(accepted(await second.engine.run("s").state()).status).toBe("waiting");
    await second.engine.close();
    const third = testEngine({ store, clock: first.clock, predicates: { p: () => true } });
    third.engine.resume();
    await third.settle();
    expect(await third.engine.run("s").result()).toMatchObject({ status: "completed" });
  });

  it("many timers fire in the order in which they are due", async () => {
    const { engine, clock } = testEngine();
    accepted(
      await engine.deploy(
        flow(
          "w",
          [
            ["t", "timer", { key: "in" }],
            ["z", "end"],
            ["e", "end"],
          ],
          [
            ["t", "z"],
            ["t", "e", "error"],
          ],
        ),
      ),
    );
    for (let index = 0; index < 250; index += 1) {
      accepted(
        await engine.start({ workflow: "w", id: `r${index}`, data: { in: `PT${1 + ((index * 7) % 250)}S` } }),
      );
    }
    await clock.advance("PT125S");
    const { rows } = await engine.runs({ limit: 1_000, status: "completed" });
    expect(rows).toHaveLength(125);
    await clock.advance("PT125S");
    expect((await engine.runs({ limit: 1_000, status: "completed" })).rows).toHaveLength(250);
  });
});
