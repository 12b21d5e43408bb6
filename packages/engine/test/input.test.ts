import { describe, expect, it } from "vitest";
import { flow, single } from "./definitions.ts";
import { bareRun, completing, result, starting } from "./host.ts";

describe("what waits", () => {
  it("[D9.2] [D20.4] [C20-33] [C20-31] each kind opens its item and its mode", () => {
    const kinds: readonly (readonly [
      kind: string,
      meta: object,
      item: string,
      modes: readonly string[],
      status: string,
    ])[] = [
      ["tool", {}, "job", [], "running"],
      ["integration", {}, "job", [], "running"],
      ["agent", {}, "job", [], "running"],
      ["human", {}, "work-item", ["waiting_human"], "waiting"],
      ["collect", { form: { a: "string" } }, "work-item", ["waiting_human"], "waiting"],
      ["wait", {}, "external", ["waiting_external"], "waiting"],
      ["timer", { duration: "PT1H" }, "timer", ["waiting_timer"], "waiting"],
      ["subprocess", { workflow: "other" }, "child", [], "running"],
    ];
    for (const [kind, meta, item, modes, status] of kinds) {
      const run = bareRun(
        flow(
          "w",
          [
            ["n", kind, meta as never],
            ["z", "end"],
          ],
          [["n", "z"]],
        ),
      );
      run.take(starting());
      expect(run.item("n")).toMatchObject({
        id: "n.1",
        kind: item,
        openedAt: 1_000,
        ...(item === "job" ? { turn: 1 } : {}),
      });
      expect(run.state).toMatchObject({ status, modes });
    }
  });

  it("[D9.4] an answer is taken from an open item of its kind only, once", () => {
    const run = bareRun(single("w", ["t", "tool"]));
    run.take(starting());
    const item = run.item("t");
    expect(run.turn(completing(item))).toMatchObject({ code: "wrong-kind" });
    expect(run.turn(result({ ...item, id: "9.9" }))).toMatchObject({ code: "not-open" });
    run.take(result(item));
    expect(run.turn(result(item))).toMatchObject({ code: "ended" });
  });

  it("[D9.4] a late result of an earlier visit is refused: the item, not the node, is answered", () => {
    const definition = flow(
      "w",
      [
        ["g", "gateway"],
        ["t", "tool", { outcomes: ["again", "done"] }],
        ["h", "human"],
        ["z", "end"],
        ["e", "end"],
      ],
      [
        ["g", "t"],
        ["t", "h", "again"],
        ["h", "g"],
        ["t", "z"],
        ["t", "e", "error"],
      ],
    );
    const run = bareRun(definition);
    run.take(starting());
    const first = run.item("t");
    run.take(result(first, "again"));
    run.take(completing(run.item("h")));
    expect(run.turn(result(first))).toMatchObject({ code: "not-open" });
    expect(run.item("t").id).not.toBe(first.id);
  });

  it("[D9.4] a worker's unknown label is its error; a person's is refused", () => {
    const job = bareRun(single("w", ["t", "tool"]));
    job.take(starting());
    const { record } = job.take(result(job.item("t"), "nonsense"));
    expect(record.steps[0]).toMatchObject({ outcome: "error", trouble: { code: "OUTCOME_UNKNOWN" } });
    const person = bareRun(single("w", ["h", "human"], ["done"]));
    person.take(starting());
    expect(person.turn(completing(person.item("h"), "nonsense"))).toMatchObject({
      code: "unknown-outcome",
      facts: { labels: ["done"] },
    });
  });

  it("[D9.4] expired is the clock's to say, unless the author lists it", () => {
    const node = (outcomes: readonly string[]) =>
      single("w", ["h", "human", { deadline: "PT1H", outcomes: [...outcomes] }], ["done", "expired"]);
    const run = bareRun(node(["done"]));
    run.take(starting());
    expect(run.turn(completing(run.item("h"), "expired"))).toMatchObject({ code: "unknown-outcome" });
    const listed = bareRun(node(["done", "expired"]));
    listed.take(starting());
    listed.take(completing(listed.item("h"), "expired"));
    expect(listed.state.status).toBe("completed");
  });

  it("[D9.4] [C20-29] a form that is not filled is refused and the run stays as it was", () => {
    const form = {
      name: "string",
      age: { type: "integer", optional: true },
      colour: { type: "string", values: ["red", "blue"] },
    };
    const run = bareRun(single("w", ["c", "collect", { form }], ["done"]));
    run.take(starting());
    const before = run.state;
    const refusal = run.turn(completing(run.item("c"), "done", { age: 1.5, colour: "green", extra: 1 }));
    expect(refusal).toMatchObject({
      code: "invalid-data",
      facts: { code: "FORM_INVALID", missing: ["name"], mistyped: ["age", "colour"], unknown: ["extra"] },
    });
    expect(run.state).toBe(before);
    run.take(completing(run.item("c"), "done", { name: "n", colour: "red" }));
    expect(run.state).toMatchObject({ status: "completed", data: { name: "n", colour: "red" } });
  });

  it("[D9.4] a person's data under which no arc can be taken are refused: the person can correct them", () => {
    const definition = flow(
      "w",
      [
        ["h", "human"],
        ["z", "end"],
      ],
      [["h", "z", "done", { guard: { key: "n", op: "greaterThan", value: 1 } }]],
    );
    const run = bareRun(definition);
    run.take(starting());
    expect(run.turn(completing(run.item("h"), "done", { n: 0 }))).toMatchObject({
      code: "invalid-data",
      facts: { code: "NO_TRUE_ARC" },
    });
    expect(run.turn(completing(run.item("h")))).toMatchObject({
      code: "invalid-data",
      facts: { code: "COND101" },
    });
    run.take(completing(run.item("h"), "done", { n: 2 }));
    expect(run.state.status).toBe("completed");
  });

  it("[D9.4] a held job is asked again under its own id, with D as it is then", () => {
    const run = bareRun(single("w", ["t", "tool"]));
    run.take(starting());
    const { id } = run.item("t");
    run.take({ input: { kind: "hold", item: id, trouble: { code: "PORT_MISSING", message: "no port" } } });
    expect(run.state).toMatchObject({ status: "waiting", items: [{ id, kind: "intervention" }] });
    run.take({ input: { kind: "retry", item: id, by: "op", reason: "it is there now" } });
    expect(run.item("t")).toEqual({ id, kind: "job", node: "t", openedAt: 1_000, turn: 3 });
  });

  it("[D9.4] news of a called run that come late are no news", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["c", "subprocess", { workflow: "other" }],
          ["z", "end"],
        ],
        [["c", "z"]],
      ),
    );
    run.take(starting());
    const news = (sequence: number, status: "running" | "waiting") => ({
      input: { kind: "child-status", item: "c.1", childSequence: sequence } as const,
      payload: {
        child: { sequence, status, modes: status === "waiting" ? (["waiting_timer"] as const) : [] },
      },
    });
    run.take(news(3, "waiting"));
    expect(run.state).toMatchObject({ status: "waiting", modes: ["waiting_timer"] });
    expect(run.turn(news(2, "running"))).toMatchObject({ code: "stale" });
    run.take(news(4, "running"));
    expect(run.state.status).toBe("running");
  });
});

describe("timers", () => {
  const timer = (meta: object) =>
    flow(
      "w",
      [
        ["t", "timer", meta as never],
        ["z", "end"],
      ],
      [["t", "z"]],
    );
  const due = (item: string, dueAt: number) => ({ input: { kind: "timer", item, dueAt } as const });

  it("[D9.4] [C20-33] a timer fires when it is due, not before, and for its own time only", () => {
    const run = bareRun(timer({ duration: "PT1S" }));
    run.take(starting());
    expect(run.item("t").dueAt).toBe(2_000);
    expect(run.turn(due("t.1", 2_000))).toMatchObject({ code: "not-due" });
    run.now = 5_000;
    expect(run.turn(due("t.1", 1_999))).toMatchObject({ code: "not-due" });
    run.take(due("t.1", 2_000));
    expect(run.state.status).toBe("completed");
  });

  it("[D9.4] a cycle fires each occurrence once, counted from its start, however late", () => {
    const run = bareRun(timer({ cycle: "R3/PT10S" }));
    run.take(starting());
    run.now = 1_000_000;
    const seen: number[] = [];
    while (run.state.status === "waiting") {
      const { dueAt = 0 } = run.item("t");
      seen.push(dueAt);
      run.take(due("t.1", dueAt));
      expect(run.turn(due("t.1", dueAt)).kind).toBe("refused");
    }
    expect(seen).toEqual([11_000, 21_000, 31_000]);
  });

  it("[D9.2] a time that is none is the node's error", () => {
    const definition = flow(
      "w",
      [
        ["t", "timer", { key: "when" }],
        ["z", "end"],
        ["e", "end", { outcome: "e" }],
      ],
      [
        ["t", "z"],
        ["t", "e", "error"],
      ],
    );
    for (const when of ["nonsense", "R/PT1S", "R2/PT-5S", 7]) {
      const run = bareRun(definition);
      const { record } = run.take(starting({ when }));
      expect(record.steps.at(-2)).toMatchObject({ outcome: "error", trouble: { code: "TIMER_INVALID" } });
      expect(run.state.status).toBe("completed");
    }
  });

  it("[D9.4] a deadline closes the work item under expired", () => {
    const run = bareRun(single("w", ["h", "human", { deadline: "PT1S" }], ["done", "expired"]));
    run.take(starting());
    const item = run.item("h");
    run.now = 9_000;
    const { record } = run.take(due(item.id, 2_000));
    expect(record.steps[0]).toMatchObject({ outcome: "expired", closed: [item.id] });
    expect(run.turn(completing(item))).toMatchObject({ code: "ended" });
  });
});
