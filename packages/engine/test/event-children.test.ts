/** @module Events and called runs through the engine: trees that are cancelled, instances, handlers, across restarts. */
import type { JsonObject } from "@tessera/core";
import { memoryStore } from "@tessera/persist";
import { describe, expect, it } from "vitest";
import { accepted, type Engine } from "../src/index.ts";
import { testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";

const HOUR = 3_600_000;
const child = flow(
  "child",
  [
    ["h", "human"],
    ["z", "end"],
  ],
  [["h", "z"]],
);
const doubling = flow(
  "double",
  [
    ["t", "transform", { function: "double" }],
    ["z", "end"],
    ["e", "end", { outcome: "error" }],
  ],
  [
    ["t", "z"],
    ["t", "e", "error"],
  ],
);
const functions = {
  double: ({ data }: { readonly data: JsonObject }) => ({ patch: { y: Number(data["x"]) * 2 } }),
};
const statuses = async (engine: Engine) =>
  Object.fromEntries((await engine.runs({ limit: 50 })).rows.map(({ run, status }) => [run, status]));

describe("[D17.5] [D20.16] events at calls", () => {
  it("[D17.5] a boundary event cancels the whole tree below the call, and only that", async () => {
    const { engine, clock, settle } = testEngine();
    const middle = flow(
      "middle",
      [
        ["c", "subprocess", { workflow: "child" }],
        ["z", "end"],
      ],
      ["done", "error", "cancelled"].map((label) => ["c", "z", label] as const),
    );
    const top = flow(
      "top",
      [
        ["s", "gateway", undefined, { split: "all" }],
        ["c", "subprocess", { workflow: "middle", events: [{ id: "late", on: "timer", duration: "PT1H" }] }],
        ["other", "subprocess", { workflow: "child" }],
        ["z", "end"],
        ["y", "end"],
      ],
      [
        ["s", "c"],
        ["s", "other"],
        ...["done", "error", "cancelled", "late"].map((label) => ["c", "z", label] as const),
        ...["done", "error", "cancelled"].map((label) => ["other", "y", label] as const),
      ],
    );
    for (const definition of [child, middle, top]) accepted(await engine.deploy(definition));
    accepted(await engine.start({ workflow: "top", id: "t" }));
    await settle();
    await clock.advance(HOUR);
    expect(await statuses(engine)).toEqual({
      t: "waiting",
      "t/c.1": "cancelled",
      "t/c.1/c.1": "cancelled",
      "t/other.1": "waiting",
    });
    accepted(await engine.run("t/other.1").complete({ node: "h", by: { id: "ann" } }));
    await settle();
    expect((await statuses(engine))["t"]).toBe("completed");
    expect(accepted(await engine.audit()).isSound).toBe(true);
  });

  it.each(["parallel", "sequential"])(
    "[D17.7] instances run and return in order (%s), also when the engine dies between",
    async (mode) => {
      const definition = flow(
        "w",
        [
          [
            "c",
            "subprocess",
            {
              workflow: "double",
              multi: { mode, collection: "list", element: "x", result: "y", results: "ys" },
            },
          ],
          ["z", "end"],
          ["e", "end"],
        ],
        [
          ["c", "z"],
          ["c", "e", "error"],
          ["c", "e", "cancelled"],
        ],
      );
      const store = memoryStore();
      const first = testEngine({ store, functions, concurrency: 0 });
      for (const each of [doubling, definition]) accepted(await first.engine.deploy(each));
      accepted(await first.engine.start({ workflow: "w", id: "r", data: { list: [1, 2, 3] } }));
      await first.engine.close();
      const second = testEngine({ store, functions });
      second.engine.resume();
      await second.settle();
      expect(await second.engine.run("r").result()).toMatchObject({
        status: "completed",
        data: { list: [1, 2, 3], ys: [2, 4, 6] },
      });
      expect(accepted(await second.engine.audit()).isSound).toBe(true);
      const replayed = accepted(await second.engine.replay("r"));
      expect(replayed.data).toEqual(accepted(await second.engine.run("r").state()).data);
    },
  );

  it("[D17.7] BR-064: an error in one instance cancels the others", async () => {
    const failing = flow(
      "one",
      [
        ["h", "human", { outcomes: ["done", "bad"] }],
        ["z", "end"],
        ["e", "end", { outcome: "error", terminate: true }],
      ],
      [
        ["h", "z"],
        ["h", "e", "bad"],
      ],
    );
    const definition = flow(
      "w",
      [
        ["c", "subprocess", { workflow: "one", multi: { mode: "parallel", count: 3 } }],
        ["z", "end"],
        ["e", "end", { outcome: "caught" }],
      ],
      [
        ["c", "z"],
        ["c", "e", "error"],
        ["c", "z", "cancelled"],
      ],
    );
    const { engine, settle } = testEngine();
    for (const each of [failing, definition]) accepted(await engine.deploy(each));
    accepted(await engine.start({ workflow: "w", id: "r" }));
    await settle();
    accepted(await engine.run("r/c.3").complete({ node: "h", by: { id: "ann" }, outcome: "bad" }));
    await settle();
    expect(await statuses(engine)).toEqual({
      r: "completed",
      "r/c.2": "cancelled",
      "r/c.3": "completed",
      "r/c.4": "cancelled",
    });
    expect(accepted(await engine.run("r").state()).outcomes).toEqual(["caught"]);
    expect(accepted(await engine.audit()).isSound).toBe(true);
  });

  it("[D17.6] BR-070 BR-057: handlers run beside, each with its own data, and the run waits for them", async () => {
    const { engine, clock, settle } = testEngine();
    const definition = flow(
      "w",
      [
        [
          "n",
          "human",
          {
            events: [
              { id: "tick", on: "timer", cycle: "R10/P1D", interrupting: false, workflow: "child" },
              {
                id: "ask",
                on: "message",
                name: "q",
                interrupting: false,
                workflow: "child",
                payload: { text: "t" },
              },
            ],
          },
        ],
        ["z", "end"],
      ],
      [["n", "z"]],
    );
    for (const each of [child, definition]) accepted(await engine.deploy(each));
    const run = accepted(await engine.start({ workflow: "w", id: "r" }));
    await clock.advance("P3D");
    for (const t of ["A", "B"]) accepted(await engine.publish({ name: "q", data: { t } }));
    await settle();
    const children = (await engine.runs({ limit: 50, parent: "r" })).rows.map(({ run: id }) => id).sort();
    expect(children).toEqual(["r/n.2", "r/n.3", "r/n.4", "r/n.5", "r/n.6"]);
    const texts = await Promise.all(
      children.map(async (id) => accepted(await engine.run(id).state()).data["text"]),
    );
    expect(texts).toEqual([undefined, undefined, undefined, "A", "B"]);
    accepted(await run.complete({ node: "n", by: { id: "ann" } }));
    await settle();
    expect((await statuses(engine))["r"]).toBe("waiting");
    for (const id of children) accepted(await engine.run(id).complete({ node: "h", by: { id: "ann" } }));
    await settle();
    expect(await run.result()).toMatchObject({ status: "completed" });
    await clock.advance("P9D");
    expect((await engine.runs({ limit: 50, parent: "r" })).rows).toHaveLength(5);
    expect(accepted(await engine.audit()).isSound).toBe(true);
  });

  it("ENGINE003 ENGINE007: handlers must be deployed, and times of events be times", async () => {
    const { engine } = testEngine();
    const definition = (event: JsonObject) =>
      flow(
        "w",
        [
          ["n", "human", { events: [event] }],
          ["z", "end"],
        ],
        [["n", "z"], ...(event["interrupting"] === false ? [] : ([["n", "z", "x"]] as const))],
      );
    const codes = async (event: JsonObject) => {
      const answer = await engine.deploy(definition(event));
      return answer.kind === "refused" ? String(answer.message).split(" ")[0] : answer.kind;
    };
    expect(
      await codes({ id: "x", on: "signal", name: "s", interrupting: false, workflow: "none" }),
    ).toContain("ENGINE003");
    expect(await codes({ id: "x", on: "timer", duration: "soon" })).toContain("ENGINE007");
    expect(await codes({ id: "x", on: "timer", duration: "P3X" })).toContain("ENGINE007");
  });
});
