/** @module A turn, example by example. */
import type { Json } from "@tessera/core";
import { loopBranch } from "@tessera/gateways";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flow, single } from "./definitions.ts";
import { bareRun, completing, result, starting } from "./host.ts";

describe("starting and ending", () => {
  it("[D9.4] a run starts once, and with nothing but a start", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["a", "wait"],
          ["z", "end"],
        ],
        [["a", "z"]],
      ),
    );
    expect(run.turn({ input: { kind: "continue" } })).toMatchObject({ kind: "refused", code: "started" });
    run.take(starting());
    expect(run.turn(starting())).toMatchObject({ kind: "refused", code: "started" });
  });

  it("[D9.1] [C20-09] [C20-83] nothing moves a run that has ended", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["a", "wait"],
          ["z", "end"],
        ],
        [["a", "z"]],
      ),
    );
    run.take(starting());
    const item = run.item("a");
    run.take({ input: { kind: "cancel", by: "ann", reason: "enough" } });
    expect(run.state).toMatchObject({
      status: "cancelled",
      items: [],
      terminal: { kind: "cancelled", by: "ann", reason: "enough" },
    });
    expect(run.turn(completing(item))).toMatchObject({ kind: "refused", code: "ended" });
    expect(run.turn({ input: { kind: "cancel" } })).toMatchObject({ code: "ended" });
  });

  it("[D9.1] an empty way through is one turn, and its steps are numbered by nobody", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["a", "start"],
          ["g", "gateway"],
          ["z", "end"],
        ],
        [
          ["a", "g"],
          ["g", "z"],
        ],
      ),
    );
    const { record, state } = run.take(starting({ k: 1 }));
    expect(state).toMatchObject({ status: "completed", data: { k: 1 }, stepCount: 3 });
    expect(record.steps.map(({ node, outcome }) => [node, outcome])).toEqual([
      ["a", "done"],
      ["g", "done"],
      ["z", "done"],
    ]);
  });

  it("[D9.1] a deadlock fails with the marked places, never in silence", () => {
    const definition = flow(
      "w",
      [
        ["s", "start"],
        ["x", "gateway"],
        ["j", "gateway", undefined, { join: "all" }],
        ["z", "end"],
      ],
      [
        ["s", "x"],
        ["x", "j", "done", { guard: { key: "k", op: "is", value: 1 } }],
        ["x", "j", "done", { default: true }],
        ["j", "z"],
      ],
    );
    const run = bareRun(definition);
    run.take(starting({ k: 1 }));
    expect(run.state).toMatchObject({
      status: "failed",
      terminal: { trouble: { code: "DEADLOCK", facts: { marked: ["x:done->j"] } } },
    });
  });
});

describe("routes", () => {
  const routing = (arcs: readonly (readonly [guard: Json | null, isDefault?: boolean])[]) => {
    const targets = arcs.map((_, index) => `t${index}`);
    return flow(
      "w",
      [["s", "gateway"], ...targets.map((id) => [id, "end", { outcome: id }] as const)],
      arcs.map(([guard, isDefault = false], index) => {
        const more = {
          ...(guard === null ? {} : { guard: guard as never }),
          ...(isDefault ? { default: true as const } : {}),
        };
        return ["s", `t${index}`, "done", more] as const;
      }),
    );
  };
  const taken = (arcs: Parameters<typeof routing>[0], data: { readonly [key: string]: Json }) => {
    const run = bareRun(routing(arcs));
    run.take(starting(data));
    const { terminal } = run.state;
    if (terminal?.kind === "failed") return terminal.trouble.code;
    return run.plan.nodes.find(
      (node) =>
        (run.state.marking[run.plan.program.net.places.findIndex(({ id }) => id === `${node.id}.end`)] ?? 0) >
        0,
    )?.id;
  };

  it("[D20.6] [C20-19] [C20-18] the first arc in document order whose guard holds is taken", () => {
    const isBig = { key: "k", op: "atLeast", value: 5 };
    expect(taken([[isBig], [null]], { k: 7 })).toBe("t0");
    expect(taken([[isBig], [null]], { k: 1 })).toBe("t1");
    expect(taken([[null], [isBig]], { k: 7 })).toBe("t0");
    expect(taken([[isBig], [isBig]], { k: 7 })).toBe("t0");
  });

  it("[D20.6] [C20-20] no true arc takes the default, wherever it stands; without one it is an error", () => {
    const never = { key: "k", op: "is", value: "never" };
    expect(taken([[null, true], [never]], { k: 1 })).toBe("t0");
    expect(taken([[never], [never]], { k: 1 })).toBe("NO_TRUE_ARC");
  });

  it("[D20.6] a guard that cannot be answered is trouble, not false", () => {
    expect(taken([[{ key: "none", op: "lessThan", value: 1 }], [null, true]], {})).toBe("COND101");
  });
});

describe("bodies", () => {
  const transform = (meta = {}) => single("w", ["f", "transform", meta]);
  const after = (functions: Parameters<typeof bareRun>[1]) => {
    const run = bareRun(transform(), functions);
    const { record } = run.take(starting({ x: 1 }));
    return { run, step: record.steps.find(({ node }) => node === "f") };
  };

  it("[D20.5] [C20-33] a transform may change its draft, answer a patch, or both", () => {
    const { run } = after({
      functions: {
        f: ({ data }) => {
          data["y"] = [1];
          return { patch: { x: undefined, z: "z" } };
        },
      },
    });
    expect(run.state).toMatchObject({ status: "completed", data: { y: [1], z: "z" } });
  });

  it.each([
    [
      "a throw",
      () => {
        throw new Error("no");
      },
      "BODY_THREW",
    ],
    ["a promise", async () => undefined, "BODY_INVALID"],
    ["a number", () => 7, "BODY_INVALID"],
    ["an unknown member", () => ({ data: {} }), "BODY_INVALID"],
    ["a label that is no text", () => ({ outcome: 1 }), "BODY_INVALID"],
    ["a label with a lone surrogate", () => ({ outcome: "\ud800" }), "BODY_INVALID"],
    ["a patch that is no object", () => ({ patch: [1] }), "BODY_INVALID"],
    ["a patch with __proto__", () => ({ patch: JSON.parse('{"__proto__": 1}') }), "BODY_INVALID"],
    ["a value that is no JSON", () => ({ patch: { x: new Date(0) } }), "DATA_INVALID"],
    [
      "a cycle",
      () => {
        const x: Record<string, unknown> = {};
        x["x"] = x;
        return { patch: { x } };
      },
      "DATA_INVALID",
    ],
    ["a malformed mutation", () => ({ mutation: { create: 1 } }), "BODY_INVALID"],
    [
      "a mutation that breaks references",
      () => ({
        mutation: {
          create: [{ id: "a", type: "t", payload: {}, links: [{ to: "b" }] }],
          update: [],
          delete: [],
        },
      }),
      "GATE_REJECTED",
    ],
    ["a label without an arc", () => ({ outcome: "elsewhere" }), "NO_ARC"],
  ])("[D20.5] [C20-17] %s takes the error outcome and changes nothing", (_, body, code) => {
    const { run, step } = after({ functions: { f: body as never } });
    expect(step).toMatchObject({ outcome: "error", trouble: { code } });
    expect(run.state).toMatchObject({ status: "completed", data: { x: 1 } });
    expect(run.graph.objects).toBeUndefined();
  });

  it("[D20.5] [C20-17] without an error arc the run fails with the reason", () => {
    const definition = flow(
      "w",
      [
        ["f", "transform"],
        ["z", "end"],
      ],
      [["f", "z"]],
    );
    const run = bareRun(definition, {
      functions: {
        f: () => {
          throw new Error("no");
        },
      },
    });
    run.take(starting());
    expect(run.state.terminal).toMatchObject({
      kind: "failed",
      trouble: { code: "BODY_THREW", message: "no", facts: { node: "f" } },
    });
  });

  it("[D20.5] [C20-34] a key that the node does not declare to write is refused", () => {
    const definition = flow(
      "w",
      [
        ["f", "transform", {}, { writes: ["a"] }],
        ["z", "end"],
        ["e", "end"],
      ],
      [
        ["f", "z"],
        ["f", "e", "error"],
      ],
    );
    const run = bareRun(definition, { functions: { f: () => ({ patch: { a: 1, b: 2 } }) } });
    const { record } = run.take(starting());
    expect(record.steps[0]).toMatchObject({
      outcome: "error",
      trouble: { code: "FOOTPRINT", facts: { keys: ["b"] } },
    });
    expect(run.state.data).toEqual({});
  });

  it("[D20.5] a node that says what it reads sees nothing else", () => {
    const definition = flow(
      "w",
      [
        ["f", "transform", {}, { reads: ["a"], writes: ["seen"] }],
        ["z", "end"],
      ],
      [["f", "z"]],
    );
    const run = bareRun(definition, {
      functions: {
        f: ({ data }) => ({
          patch: { seen: [Object.keys(data), data["b"] ?? null, "b" in data, { ...data }] as Json },
        }),
      },
    });
    run.take(starting({ a: 1, b: 2 }));
    expect(run.state.data["seen"]).toEqual([["a"], null, false, { a: 1 }]);
  });

  it("[D20.5] values are held against their types and schemas", () => {
    const run = bareRun(transform(), {
      functions: { f: () => ({ patch: { x: 2 } }) },
      validate: (patch) => ("x" in patch ? { code: "SCHEMA_INVALID", message: "x" } : null),
    });
    const { record } = run.take(starting());
    expect(record.steps[1]).toMatchObject({ trouble: { code: "SCHEMA_INVALID" } });
  });

  it.each([
    ["DATA_LIMIT", { dataBytesMax: 40 }],
    ["EVENT_LIMIT", { eventBytesMax: 40 }],
  ])("[D20.5] %s: more than the limit is the node's error", (code, limits) => {
    const run = bareRun(transform(), {
      limits,
      functions: { f: () => ({ patch: { x: "0123456789012345678901234567890123456789" } }) },
    });
    const { record } = run.take(starting());
    expect(record.steps[1]).toMatchObject({ outcome: "error", trouble: { code } });
  });

  it("[D20.5] what a body put into D is D's own: the body may keep and change it", () => {
    const kept: Json[] = [1];
    const run = bareRun(transform(), { functions: { f: () => ({ patch: { list: kept } }) } });
    run.take(starting());
    kept.push(2);
    expect(run.state.data["list"]).toEqual([1]);
  });

  it("[D9.1] a function that is not registered is an intervention, not a failure; retried when it is there", () => {
    const functions: Record<string, () => undefined> = {};
    const run = bareRun(transform());
    run.take(starting());
    expect(run.state).toMatchObject({
      status: "waiting",
      modes: ["waiting_human"],
      items: [{ kind: "intervention", node: "f", reason: { code: "FUNCTION_MISSING" } }],
    });
    run.take({ input: { kind: "retry", item: run.item("f").id, by: "op", reason: "look again" } });
    expect(run.item("f")).toMatchObject({ id: "f.2", kind: "intervention" });
    functions["f"] = () => undefined;
    expect(run.state.status).toBe("waiting");
  });

  it("[D9.1] a predicate that is not registered holds the token before the node, and refuses an answer behind it", () => {
    const guard = { predicate: "isFine" };
    const before = bareRun(
      flow(
        "w",
        [
          ["g", "gateway"],
          ["z", "end"],
        ],
        [["g", "z", "done", { guard }]],
      ),
    );
    before.take(starting());
    expect(before.item("g")).toMatchObject({ kind: "intervention", reason: { code: "COND104" } });
    const behind = bareRun(
      flow(
        "w",
        [
          ["t", "tool"],
          ["z", "end"],
          ["e", "end"],
        ],
        [
          ["t", "z", "done", { guard }],
          ["t", "e", "error"],
        ],
      ),
    );
    behind.take(starting());
    expect(behind.turn(result(behind.item("t")))).toMatchObject({ kind: "refused", code: "unavailable" });
    expect(behind.item("t").kind).toBe("job");
  });
});

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

  it("[D9.4] a held job is asked again under its own id", () => {
    const run = bareRun(single("w", ["t", "tool"]));
    run.take(starting());
    const { id } = run.item("t");
    run.take({ input: { kind: "hold", item: id, trouble: { code: "PORT_MISSING", message: "no port" } } });
    expect(run.state).toMatchObject({ status: "waiting", items: [{ id, kind: "intervention" }] });
    run.take({ input: { kind: "retry", item: id, by: "op", reason: "it is there now" } });
    expect(run.item("t")).toEqual({ id, kind: "job", node: "t", openedAt: 1_000, turn: 1 });
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

describe("loops and bounds", () => {
  const loop = (budget: number) =>
    flow(
      "w",
      [
        ["s", "start"],
        ["head", "gateway"],
        ["body", "transform"],
        ["check", "verifier", { passKey: "ok" }],
        [
          "decide",
          "decision",
          { loop: { id: "l", budget, passKey: "ok", proves: "it", body: ["head", "body", "check"] } },
        ],
        ["good", "end", { outcome: "pass" }],
        ["spent", "end", { outcome: "exhausted" }],
        ["bad", "end", { outcome: "error" }],
      ],
      [
        ["s", "head"],
        ["head", "body"],
        ["body", "check"],
        ["body", "check", "error"],
        ["check", "decide"],
        ["check", "decide", "error"],
        ...(budget > 0 ? [["decide", "head", "fail"] as const] : []),
        ["decide", "good", "pass"],
        ["decide", "spent", "exhausted"],
        ["decide", "bad", "error"],
      ],
    );

  it("[D20.15] [C20-56] [C20-57] [C20-59] the engine takes the branches of the definition, for every budget and verdict word", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 6 }),
        fc.array(fc.constantFrom<Json>(true, false, "broken"), { minLength: 8, maxLength: 8 }),
        (budget, word) => {
          let round = -1;
          const seen: string[] = [];
          const run = bareRun(loop(budget), {
            functions: {
              body: () => {
                round += 1;
                return undefined;
              },
              check: () => word[round] as boolean,
            },
          });
          const { record } = run.take(starting());
          for (const { node, outcome } of record.steps) if (node === "decide") seen.push(outcome ?? "");
          const expected: string[] = [];
          for (let failed = 0; ; failed += 1) {
            const verdict = word[failed];
            const branch = loopBranch(typeof verdict === "boolean" ? verdict : undefined, failed, budget);
            expected.push(branch);
            if (branch !== "fail") break;
          }
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("[D9.1] [C20-62] a verdict from before the loop is not read inside it", () => {
    const run = bareRun(loop(1), {
      functions: {
        body: () => undefined,
        check: () => {
          throw new Error("no verdict");
        },
      },
    });
    const { record } = run.take(starting({ ok: true }));
    expect(record.steps.filter(({ node }) => node === "decide").map(({ outcome }) => outcome)).toEqual([
      "error",
    ]);
    expect(run.state.data).toEqual({});
  });

  it("[D9.1] [C20-61] a verifier writes its verdict and nothing else", () => {
    const run = bareRun(loop(0), {
      functions: {
        body: () => undefined,
        check: ({ data }) => {
          data["more"] = 1;
          return true;
        },
      },
    });
    const { record } = run.take(starting());
    expect(record.steps.find(({ node }) => node === "check")).toMatchObject({
      outcome: "error",
      trouble: { code: "FOOTPRINT" },
    });
  });

  const endless = flow(
    "w",
    [
      ["s", "gateway"],
      ["f", "transform"],
      ["z", "end"],
    ],
    [
      ["s", "f"],
      ["f", "s", "error"],
      ["f", "s", "done", { guard: { key: "stop", op: "isNot", value: true } }],
      ["f", "z", "done", { default: true }],
    ],
  );

  it("[D9.1] an inline cycle commits after its budget of firings and goes on with the next turn", () => {
    const run = bareRun(endless, { limits: { firingsMax: 10 }, functions: { f: () => undefined } });
    const first = run.take(starting());
    expect(first).toMatchObject({ isUnfinished: true, state: { status: "running" } });
    expect(first.record.steps.flatMap(({ fired }) => fired ?? [])).toHaveLength(10);
    expect(run.take({ input: { kind: "continue" } }).isUnfinished).toBe(true);
  });

  it("[D9.1] a turn that writes much commits before it grows too large", () => {
    const run = bareRun(endless, {
      limits: { turnBytesMax: 500 },
      functions: {
        f: ({ data }) => {
          data["n"] = `${String(data["n"] ?? "")}${"x".repeat(100)}`;
          return undefined;
        },
      },
    });
    const first = run.take(starting());
    expect(first.isUnfinished).toBe(true);
    expect(first.record.steps.length).toBeLessThan(20);
  });

  it("[D9.1] the fuse ends a run that takes too many steps", () => {
    const run = bareRun(endless, { limits: { stepsMax: 50 }, functions: { f: () => undefined } });
    run.take(starting());
    expect(run.state).toMatchObject({ status: "failed", terminal: { trouble: { code: "FUSE" } } });
  });

  it("[D9.1] the fuse also bounds what happens while nothing fires", () => {
    const run = bareRun(
      flow(
        "w",
        [
          ["t", "timer", { cycle: "R1000/PT1S" }],
          ["z", "end"],
        ],
        [["t", "z"]],
      ),
      { limits: { stepsMax: 5 } },
    );
    run.take(starting());
    run.now = 10_000_000;
    for (let turns = 0; run.state.status === "waiting"; turns += 1) {
      expect(turns).toBeLessThan(10);
      run.take({ input: { kind: "timer", item: "t.1", dueAt: run.item("t").dueAt ?? 0 } });
    }
    expect(run.state.terminal).toMatchObject({ trouble: { code: "FUSE" } });
  });

  it("[D9.1] a place that would overflow fails the run", () => {
    const places = [{ id: "i", initial: 1 }, { id: "p", initial: 2_147_483_647 }, { id: "o" }];
    const transitions = [
      {
        id: "t",
        pre: [["i", 1]],
        post: [
          ["o", 1],
          ["p", 1],
        ],
      },
    ] as never;
    const run = bareRun({ format: 1, kind: "net", id: "n", places, transitions });
    run.take(starting());
    expect(run.state).toMatchObject({ status: "failed", terminal: { trouble: { code: "OVERFLOW" } } });
  });
});

describe("OR blocks and bare nets", () => {
  it("[D9.1] [D6.2] [C20-26] [C20-27] an OR block takes every subset that its guards choose, and its join waits for exactly those", () => {
    const branches = ["a", "b", "c"];
    const definition = flow(
      "w",
      [
        ["s", "gateway", undefined, { split: "or" }],
        ...branches.map((id) => [id, "human"] as const),
        ["j", "gateway", undefined, { join: "or" }],
        ["z", "end"],
      ],
      [
        ...branches.map(
          (id) => ["s", id, "done", { guard: { key: id, op: "is", value: true } } as never] as const,
        ),
        ...branches.map((id) => [id, "j"] as const),
        ["j", "z"],
      ],
    );
    for (let subset = 1; subset < 8; subset += 1) {
      const data = Object.fromEntries(branches.map((id, index) => [id, (subset & (1 << index)) !== 0]));
      const chosen = branches.filter((id) => data[id]);
      const run = bareRun(definition);
      run.take(starting(data));
      expect(run.state.items.map(({ node }) => node)).toEqual(chosen);
      for (const id of [...chosen].reverse()) {
        expect(run.state.status).toBe("waiting");
        run.take(completing(run.item(id)));
      }
      expect(run.state.status).toBe("completed");
    }
  });

  const net = {
    format: 1,
    kind: "net",
    id: "n",
    places: [{ id: "i", initial: 1 }, { id: "o" }],
    transitions: [
      { id: "a", pre: [["i", 1]], post: [["o", 1]] },
      { id: "b", label: "B", pre: [["i", 1]], post: [["o", 1]] },
    ],
  } as const;

  it("[D9.3] a conflict takes the head of the given choices, by id or label, and uses it up", () => {
    const run = bareRun(net as never);
    const { record } = run.take(starting({ choices: ["B", "a"] }));
    expect(record.steps.map(({ node }) => node)).toEqual([undefined, "b"]);
    expect(run.state).toMatchObject({ status: "completed", data: { choices: ["a"] } });
  });

  it("[D9.3] without a choice the recorded seed decides", () => {
    const run = bareRun(net as never);
    const { record } = run.take(starting());
    expect(record.seed).toBe("seed");
    expect(run.state.status).toBe("completed");
  });

  it("[D9.1] a budget of firings never uses up a choice that it does not make", () => {
    const chain = {
      ...net,
      transitions: [
        { id: "first", pre: [["i", 1]], post: [["m", 1]] },
        { id: "a", pre: [["m", 1]], post: [["o", 1]] },
        { id: "b", pre: [["m", 1]], post: [["o", 1]] },
      ],
      places: [{ id: "i", initial: 1 }, { id: "m" }, { id: "o" }],
    };
    const run = bareRun(chain as never, { limits: { firingsMax: 1 } });
    run.take(starting({ choices: ["b"] }));
    expect(run.state.data).toEqual({ choices: ["b"] });
    run.take({ input: { kind: "continue" } });
    expect(run.state).toMatchObject({ status: "completed", data: { choices: [] } });
  });

  it("[D9.1] a bare net ends where it is final, also where transitions are still enabled", () => {
    const cyclic = {
      format: 1,
      kind: "net",
      id: "n",
      places: [{ id: "i", initial: 1 }, { id: "f" }],
      transitions: [
        { id: "go", pre: [["i", 1]], post: [["f", 1]] },
        { id: "back", pre: [["f", 1]], post: [["i", 1]] },
      ],
      finals: [{ f: 1 }],
    };
    const run = bareRun(cyclic as never);
    run.take(starting());
    expect(run.state).toMatchObject({ status: "completed", stepCount: 1 });
  });
});

describe("embedded subprocesses", () => {
  it("[D9.1] a terminate end empties its scope, closes what waits there, and nothing else", () => {
    const definition = flow(
      "w",
      [
        ["s", "gateway", undefined, { split: "all" }],
        ["scope", "subprocess", { entry: "in" }],
        ["in", "gateway", undefined, { split: "all", scope: "scope" }],
        ["h1", "human", undefined, { scope: "scope" }],
        ["h2", "human", undefined, { scope: "scope" }],
        ["stop", "end", { terminate: true }, { scope: "scope" }],
        ["never", "end", undefined, { scope: "scope" }],
        ["outside", "human"],
        ["j", "gateway", undefined, { join: "all" }],
        ["z", "end"],
      ],
      [
        ["s", "scope"],
        ["s", "outside"],
        ["in", "h1"],
        ["in", "h2"],
        ["h1", "stop"],
        ["h2", "never"],
        ["scope", "j"],
        ["outside", "j"],
        ["j", "z"],
      ],
    );
    const run = bareRun(definition);
    run.take(starting());
    expect(run.state.items.map(({ node }) => node).sort()).toEqual(["h1", "h2", "outside"]);
    const late = run.item("h2");
    const { record } = run.take(completing(run.item("h1")));
    expect(record.steps.flatMap(({ closed }) => closed ?? [])).toContain(late.id);
    expect(run.state.items.map(({ node }) => node)).toEqual(["outside"]);
    expect(run.turn(completing(late))).toMatchObject({ code: "not-open" });
    run.take(completing(run.item("outside")));
    expect(run.state.status).toBe("completed");
  });
});
