/** @module Messages and signals through the engine: buffered, received once, by one; given to all; across crashes. */
import type { JsonObject } from "@tessera/core";
import { memoryStore, type RunStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type Engine } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const HOUR = 3_600_000;
const accept = ["O7", "O1", "O3"].map((obligation) => ({ obligation, reason: "test", by: "test" }));
const PAID: JsonObject = { id: "paid", on: "message", name: "paid", key: "order", payload: { sum: "sum" } };
/** Waits for the first of some events, and ends; in error where an event reads or writes D. */
const catching = (id = "w", events: readonly JsonObject[] = [PAID]) =>
  flow(
    id,
    [
      ["c", "catch", { events: [...events] }],
      ["z", "end"],
      ["e", "end", { outcome: "error" }],
    ],
    [...events.map((event) => ["c", "z", String(event["id"])] as const), ["c", "e", "error"]],
  );
const started = async (engine: Engine, id: string, data: JsonObject = {}, workflow = "w") =>
  accepted(await engine.start({ workflow, id, data }));
const statusOf = async (engine: Engine, id: string) => accepted(await engine.run(id).state()).status;
const inputs = async (engine: Engine, id: string) =>
  accepted(await engine.history(id)).events.flatMap((event) => (event.kind === "input" ? [event.input] : []));

describe("[D17.10] [D17.11] messages", () => {
  it("[D17.10] BR-047: published before anybody waits, a message is kept and received once", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(catching()));
    expect(accepted(await engine.publish({ name: "paid", key: 7, data: { sum: 12 } }))).toEqual({
      kind: "published",
      isNew: true,
      receivers: 0,
    });
    await settle();
    await started(engine, "a", { order: 7 });
    await started(engine, "b", { order: 7 });
    await settle();
    expect(await engine.run("a").result()).toMatchObject({
      status: "completed",
      data: { order: 7, sum: 12 },
    });
    expect(await statusOf(engine, "b")).toBe("waiting");
    expect(accepted(await engine.audit()).isSound).toBe(true);
  });

  it("[D17.10] another key, another name, another tenant is for others; what expired is for nobody", async () => {
    const { engine, settle, clock } = testEngine();
    accepted(await engine.deploy(catching()));
    await started(engine, "a", { order: "k" });
    accepted(await engine.publish({ name: "paid", key: "other" }));
    accepted(await engine.publish({ name: "sent", key: "k" }));
    accepted(await engine.publish({ name: "paid" }));
    accepted(await engine.publish({ name: "paid", key: "k", tenant: "elsewhere" }));
    await settle();
    expect(await statusOf(engine, "a")).toBe("waiting");
    accepted(await engine.publish({ name: "paid", key: "late", ttlMs: HOUR }));
    await clock.advance(HOUR);
    await started(engine, "late", { order: "late" });
    await settle();
    expect(await statusOf(engine, "late")).toBe("waiting");
    accepted(await engine.publish({ name: "paid", key: "k" }));
    await settle();
    expect(await statusOf(engine, "a")).toBe("completed");
  });

  it("[D17.14] what expires between the look and the turn is received by nobody, by an item or a start", async () => {
    const inner = memoryStore();
    let late = (): void => {};
    const store: RunStore = {
      ...inner,
      deliveries: async (now, limit) => {
        const found = await inner.deliveries(now, limit);
        if (found.length > 0) late();
        return found;
      },
    };
    const { engine, settle, clock } = testEngine({ store });
    late = () => void clock.jumpTo(clock.now() + HOUR);
    accepted(await engine.deploy(catching()));
    accepted(
      await engine.deploy(
        flow(
          "begun",
          [
            ["b", "start", { events: [{ id: "go", on: "message", name: "go" }] }],
            ["z", "end"],
          ],
          [["b", "z", "go"]],
        ),
      ),
    );
    await started(engine, "a", { order: 1 });
    accepted(await engine.publish({ name: "paid", key: 1, ttlMs: HOUR }));
    await settle();
    accepted(await engine.publish({ name: "go", ttlMs: HOUR }));
    await settle();
    expect(await statusOf(engine, "a")).toBe("waiting");
    expect((await engine.runs({ workflow: "begun", limit: 10 })).rows).toEqual([]);
    expect(await inner.deliveries(0, 10)).toHaveLength(1);
    late = () => {};
    accepted(await engine.publish({ name: "paid", key: 1, ttlMs: HOUR }));
    await settle();
    expect(await statusOf(engine, "a")).toBe("completed");
  });

  it("[D17.10] with an id it is received at most once, even when it comes again after it was received", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(catching()));
    await started(engine, "a", { order: 1 });
    const message = { name: "paid", key: 1, id: "tx-9" };
    expect(accepted(await engine.publish(message)).isNew).toBe(true);
    await settle();
    expect(accepted(await engine.publish(message)).isNew).toBe(false);
    await started(engine, "b", { order: 1 });
    await settle();
    expect([await statusOf(engine, "a"), await statusOf(engine, "b")]).toEqual(["completed", "waiting"]);
    expect((await inputs(engine, "a")).at(-1)).toMatchObject({
      kind: "event",
      on: "message",
      message: "tx-9",
    });
  });

  it("[D17.10] what is no message is refused: names, keys, times, sizes", async () => {
    const { engine } = testEngine({ limits: { messageBytesMax: 100 } });
    const codes = await Promise.all(
      [
        { name: "" },
        { name: "m", key: "" },
        { name: "m", key: "k".repeat(257) },
        { name: "m", ttlMs: 0 },
        { name: "m", ttlMs: 1.5 },
        { name: "m", id: "" },
        { name: "m", data: { x: "y".repeat(200) } },
        { name: "m", data: { x: () => 1 } },
      ].map(async (message) => {
        const answer = await engine.publish(message);
        return answer.kind === "refused" ? answer.code : answer.kind;
      }),
    );
    expect(codes).toEqual([...new Array(6).fill("invalid"), "limit", "invalid-data"]);
  });

  it("[D17.11] BR-048: a catch in a loop takes three messages, in their order, one at a time", async () => {
    const loop = flow(
      "w",
      [
        ["in", "gateway"],
        ["c", "catch", { events: [{ id: "next", on: "message", name: "next", payload: { n: "n" } }] }],
        ["keep", "transform"],
        ["z", "end"],
        ["e", "end"],
      ],
      [
        ["in", "c"],
        ["c", "keep", "next"],
        ["c", "e", "error"],
        ["keep", "z", "done", { guard: { key: "n", op: "is", value: 3 } }],
        ["keep", "in", "done", { default: true }],
        ["keep", "e", "error"],
      ],
    );
    const { engine, settle } = testEngine({
      functions: {
        keep: ({ data }) => ({ patch: { seen: [...((data["seen"] as number[]) ?? []), data["n"] ?? null] } }),
      },
    });
    accepted(await engine.deploy(loop, { accept }));
    for (const n of [1, 2, 3]) accepted(await engine.publish({ name: "next", data: { n } }));
    const run = await started(engine, "a");
    await settle();
    expect(await run.result()).toMatchObject({ status: "completed", data: { seen: [1, 2, 3] } });
    expect((await inputs(engine, "a")).filter(({ kind }) => kind === "event")).toHaveLength(3);
  });

  it("[D17.11] [D17.5] a race of message and timer, of two engines, has one winner", async () => {
    const store = memoryStore();
    const first = testEngine({ store });
    const second = testEngine({ store, clock: first.clock });
    const definition = flow(
      "w",
      [
        [
          "c",
          "catch",
          {
            events: [
              { id: "paid", on: "message", name: "paid" },
              { id: "late", on: "timer", duration: "PT1H" },
            ],
          },
        ],
        ["p", "end", { outcome: "paid" }],
        ["l", "end", { outcome: "late" }],
      ],
      [
        ["c", "p", "paid"],
        ["c", "l", "late"],
      ],
    );
    accepted(await first.engine.deploy(definition));
    second.engine.resume();
    for (let n = 0; n < 10; n += 1) await started(first.engine, `r${n}`);
    await first.clock.advance(HOUR - 1);
    const publishing = Array.from({ length: 5 }, () => second.engine.publish({ name: "paid" }));
    await first.clock.advance(1);
    await Promise.all(publishing);
    await first.settle();
    await second.settle();
    const ends = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => accepted(await first.engine.run(`r${n}`).state()).outcomes),
    );
    for (const end of ends) expect(end).toHaveLength(1);
    for (let n = 0; n < 10; n += 1)
      expect((await inputs(first.engine, `r${n}`)).filter(({ kind }) => kind !== "start")).toHaveLength(1);
    expect(accepted(await first.engine.audit()).isSound).toBe(true);
  });

  it("[D17.11] a crash after any commit loses no message and doubles none", async () => {
    for (let crashAt = 1; crashAt <= 8; crashAt += 1) {
      const inner = memoryStore();
      let commits = 0;
      const dying: RunStore = {
        ...inner,
        commit: async (turns) => {
          commits += 1;
          if (commits === crashAt) throw new Error("the process died before the commit");
          const results = await inner.commit(turns);
          if (commits > crashAt) throw new Error("the process is dead");
          return results;
        },
      };
      const first = testEngine({ store: dying });
      accepted(await first.engine.deploy(catching()));
      for (const n of [1, 2, 3]) await first.engine.publish({ name: "paid", key: n, id: `m${n}` });
      for (const n of [1, 2, 3])
        await first.engine.start({ workflow: "w", id: `r${n}`, data: { order: n } }).catch(() => {});
      await first.settle();
      await first.engine.close({ drainMs: 0 });
      const second = testEngine({ store: inner });
      for (const n of [1, 2, 3]) {
        accepted(await second.engine.publish({ name: "paid", key: n, id: `m${n}` }));
        await started(second.engine, `r${n}`, { order: n });
      }
      await second.settle();
      for (const n of [1, 2, 3]) {
        const taken = (await inputs(second.engine, `r${n}`)).filter(({ kind }) => kind === "event");
        expect([crashAt, n, taken.length]).toEqual([crashAt, n, 1]);
      }
      expect(accepted(await second.engine.audit()).isSound).toBe(true);
    }
  });

  it("[D17.10] a message starts a run when nobody waits for it: its data, its key, its label", async () => {
    const { engine, settle } = testEngine();
    const definition = flow(
      "order",
      [
        [
          "s",
          "start",
          {
            events: [
              { id: "ordered", on: "message", name: "order", payload: { item: "what" } },
              { id: "nightly", on: "signal", name: "night" },
            ],
          },
        ],
        ["o", "end", { outcome: "ordered" }],
        ["n", "end", { outcome: "nightly" }],
      ],
      [
        ["s", "o", "ordered"],
        ["s", "n", "nightly"],
      ],
    );
    accepted(await engine.deploy(definition));
    accepted(await engine.publish({ name: "order", key: "K-1", data: { what: "tea", other: 1 }, id: "x" }));
    accepted(await engine.publish({ name: "order", key: "K-1", id: "x" }));
    accepted(await engine.signal({ name: "night" }));
    await settle();
    const { rows } = await engine.runs({ limit: 9 });
    const ends = await Promise.all(
      rows.map(async ({ run, businessKey }) => {
        const { data, outcomes } = accepted(await engine.run(run).state());
        return [businessKey, data, outcomes];
      }),
    );
    expect(ends).toEqual([
      [null, {}, ["nightly"]],
      ["K-1", { item: "tea" }, ["ordered"]],
    ]);
    const direct = accepted(await engine.start({ workflow: "order", event: "nightly" }));
    await settle();
    expect(await direct.result()).toMatchObject({ outcomes: ["nightly"] });
    const plain = accepted(await engine.start({ workflow: "order" }));
    expect(await plain.result()).toMatchObject({ outcomes: ["ordered"] });
    expect(await engine.start({ workflow: "order", event: "none" })).toMatchObject({
      kind: "refused",
      code: "invalid",
    });
  });

  it("[D17.8] a throw is received by another run, once; both or neither", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(catching()));
    accepted(
      await engine.deploy(
        flow(
          "sender",
          [
            ["t", "throw", { on: "message", name: "paid", key: "order", payload: { sum: "total" } }],
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
    await started(engine, "a", { order: 5 });
    await started(engine, "s", { order: 5, total: 99 }, "sender");
    await settle();
    expect(await engine.run("a").result()).toMatchObject({ status: "completed", data: { sum: 99 } });
  });
});

describe("[D17.10] signals", () => {
  const halting = catching("h", [
    { id: "halt", on: "signal", name: "halt", payload: { why: "why" } },
    { id: "t", on: "timer", duration: "PT1H" },
  ]);
  it("[D17.10] reach everybody who waits, once, and nobody who comes later", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(halting));
    for (const id of ["a", "b", "c"]) await started(engine, id, {}, "h");
    expect(accepted(await engine.signal({ name: "halt", data: { why: "fire" }, id: "s1" })).receivers).toBe(
      3,
    );
    await started(engine, "late", {}, "h");
    expect(accepted(await engine.signal({ name: "halt", id: "s1" })).isNew).toBe(false);
    await settle();
    for (const id of ["a", "b", "c"])
      expect(await engine.run(id).result()).toMatchObject({ status: "completed", data: { why: "fire" } });
    expect(await statusOf(engine, "late")).toBe("waiting");
    expect(accepted(await engine.audit()).isSound).toBe(true);
  });

  it("[D17.10] one that was given before a crash is received after it", async () => {
    const store = memoryStore();
    const first = testEngine({ store, concurrency: 0 });
    accepted(await first.engine.deploy(halting));
    await started(first.engine, "a", {}, "h");
    await store.broadcast("default", { name: "halt", data: {}, at: first.clock.now() });
    await first.engine.close();
    const second = testEngine({ store });
    second.engine.resume();
    await second.settle();
    expect(await second.engine.run("a").result()).toMatchObject({ status: "completed" });
  });

  it("[D17.11] an engine without background work brings what it publishes itself", async () => {
    const { engine } = testEngine({ concurrency: 0 });
    accepted(await engine.deploy(catching()));
    accepted(await engine.deploy(halting));
    await started(engine, "a", { order: 1 });
    await started(engine, "b", {}, "h");
    accepted(await engine.publish({ name: "paid", key: 1 }));
    accepted(await engine.publish({ name: "paid", key: 2 }));
    accepted(await engine.signal({ name: "halt" }));
    expect([await statusOf(engine, "a"), await statusOf(engine, "b")]).toEqual(["completed", "completed"]);
  });

  it("[D17.8] thrown by a run, they come with its turn", async () => {
    const { engine, settle } = testEngine();
    accepted(await engine.deploy(halting));
    accepted(
      await engine.deploy(
        flow(
          "s",
          [
            ["t", "throw", { on: "signal", name: "halt", payload: { why: "reason" } }],
            ["z", "end"],
          ],
          [["t", "z"]],
        ),
      ),
    );
    await started(engine, "a", {}, "h");
    await started(engine, "s", { reason: "r" }, "s");
    await settle();
    expect(await engine.run("a").result()).toMatchObject({ status: "completed", data: { why: "r" } });
  });
});
